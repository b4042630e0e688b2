"""UDP echo (RFC 862): a server that sends back what it gets, and a client that asks."""

from libc.stdint cimport int64_t, uint16_t

from simcore.models.apps.udp cimport UdpApplication, UdpSource
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.address cimport ipv4_address
from simcore.models.network.application cimport Application
from simcore.models.network.node cimport Node
from simcore.models.network.packet cimport Packet
from simcore.simulator cimport NativeTimer, TimerHandler, native_timer
from simcore.trace.source cimport TraceSet, TraceSource
from simcore.whole cimport MAX_NUMBER, whole

from simcore.units import parse_time

cdef enum:
    ECHO_PORT = 9          # ns-3's examples; RFC 862 has 7


cdef class UdpEchoServer(UdpApplication):
    """Sends every datagram back to where it came from.

    Parameters
    ----------
    node : Node
    port : int
    start, stop : int or str, optional

    Attributes
    ----------
    received_packets, received_bytes : int

    Notes
    -----
    Trace sources: ``rx`` with (payload, source address, source port), ``tx`` with (payload).
    """

    cdef readonly uint16_t port
    cdef readonly int64_t received_packets
    cdef readonly int64_t received_bytes
    cdef TraceSource rx_trace
    cdef TraceSource tx_trace

    def __init__(self, Node node not None, port=ECHO_PORT, *, start=None, stop=None):
        cdef TraceSet trace
        port = whole("port", port)
        if not 1 <= port <= 65535:
            raise ValueError(f"port is {port}: it must be 1 to 65535")
        self.port = port
        trace = TraceSet(
            self,
            rx="(payload, source, port) a datagram came",
            tx="(payload) it is sent back",
        )
        self.trace = trace
        self.rx_trace = trace.source("rx")
        self.tx_trace = trace.source("tx")
        Application.__init__(self, node, start, stop)

    cdef int begin(self) except -1:
        self.open_socket()
        return self.socket.bind_c(0, self.port)

    cdef int received(self, Packet payload, Ipv4Header header, uint16_t source_port) except -1:
        self.received_packets += 1
        self.received_bytes += payload.size
        if self.rx_trace.active:
            self.rx_trace.emit3(payload, ipv4_address(header.source), source_port)
        if self.tx_trace.active:
            self.tx_trace.emit1(payload)
        self.socket.send_to_c(payload, header.source, source_port)
        return 0


cdef int echo_due(object owner) except -1:
    return (<UdpEchoClient>owner).send_next()


cdef class UdpEchoClient(UdpSource):
    """Sends datagrams to an echo server, and measures the time to their return.

    Parameters
    ----------
    node : Node
    destination : Ipv4Address, str or int
    port : int
    packet_size : int
        Payload (bytes).
    interval : int or str
        Between two datagrams; the first goes out at the start.
    count : int
        Datagrams in all; 0 for no limit.
    start, stop, seq_ts, content
        See `UdpSource`.

    Attributes
    ----------
    sent, received_packets : int
    rtts : list of int
        Time from sending to return of each datagram that came back (ns).

    Notes
    -----
    Trace sources: ``tx`` with (payload), ``rx`` with (payload, round-trip time in ns).
    """

    cdef readonly int64_t interval
    cdef readonly int64_t count
    cdef readonly int64_t received_packets
    cdef readonly list rtts
    cdef NativeTimer timer
    cdef TraceSource rx_trace

    def __init__(
        self, Node node not None, destination, port=ECHO_PORT, packet_size=1024, *,
        interval="1s", count=1, **rest,
    ):
        count = whole("count", count, MAX_NUMBER)
        self.interval = parse_time(interval, "ns", "interval")
        if self.interval <= 0:
            raise ValueError(f"interval is {interval!r}: it must be positive")
        if count < 0:
            raise ValueError(f"count is {count}: it must not be negative")
        self.count = count
        self.rtts = []
        UdpSource.__init__(self, node, destination, port, packet_size, **rest)
        self.rx_trace = (<TraceSet>self.trace).source("rx")
        self.timer = native_timer(self.sim, <TimerHandler>echo_due, self)

    def sources(self):
        return TraceSet(
            self,
            tx="(payload) a datagram is sent",
            rx="(payload, rtt) a datagram came back after rtt ns",
        )

    cdef int begin(self) except -1:
        self.open_socket()
        # An event of its own, as in ns-3: what else is due at the start comes first.
        return self.timer.arm(0)

    cdef int end(self) except -1:
        self.timer.disarm()
        return UdpSource.end(self)

    cdef int send_next(self) except -1:
        self.send_datagram()
        if self.count == 0 or self.sent < self.count:
            self.timer.arm(self.interval)
        return 0

    cdef int received(self, Packet payload, Ipv4Header header, uint16_t source_port) except -1:
        cdef int64_t rtt = self.sim.now_ns - payload.created
        self.received_packets += 1
        self.rtts.append(rtt)
        if self.rx_trace.active:
            self.rx_trace.emit2(payload, rtt)
        return 0
