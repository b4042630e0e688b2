"""Ping: ICMP echo requests at an interval."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from simcore.models.internet.icmp cimport EchoListener, Icmp
from simcore.models.internet.icmp_header cimport IcmpHeader
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.address cimport ipv4_address, ipv4_value
from simcore.models.network.application cimport Application
from simcore.models.network.node cimport Node
from simcore.models.network.packet cimport Packet, make_packet
from simcore.simulator cimport NativeTimer, TimerHandler, native_timer
from simcore.trace.source cimport TraceSet, TraceSource
from simcore.whole cimport MAX_NUMBER, whole

from simcore.units import parse_time


@cython.final
cdef class PingListener(EchoListener):
    """Hands replies and errors to the application."""

    cdef Ping application

    cdef int echoed(self, IcmpHeader icmp, Packet payload, Ipv4Header header) except -1:
        return self.application.reply(icmp, header)

    cdef int failed(self, IcmpHeader icmp, uint16_t sequence, uint32_t reporter) except -1:
        return self.application.error(icmp, sequence, reporter)


cdef int request_due(object owner) except -1:
    return (<Ping>owner).send_next()


cdef class Ping(Application):
    """Sends ICMP echo requests, and measures the time to the replies.

    Parameters
    ----------
    node : Node
    destination : Ipv4Address, str or int
    interval : int or str
        Between two requests; the first goes out at the start.
    size : int
        Bytes that a request carries after the ICMP header.
    count : int
        Requests in all; 0 for no limit.
    start, stop : int or str, optional

    Attributes
    ----------
    sent, received_packets : int
    rtts : list of int
        Time to each reply (ns).
    errors : list of tuple
        (sequence number, ICMP type, code, address of the reporter) of each ICMP error.

    Notes
    -----
    Trace sources: ``tx`` with (sequence number), ``rx`` with (sequence number, round-trip time in
    ns), ``error`` with (sequence number, icmp header, reporter).
    """

    cdef uint32_t destination
    cdef readonly int64_t interval
    cdef readonly int32_t size
    cdef readonly int64_t count
    cdef readonly int64_t sent
    cdef readonly int64_t received_packets
    cdef readonly list rtts
    cdef readonly list errors
    cdef dict outstanding                  # sequence number -> time of sending
    cdef uint16_t identifier
    cdef Icmp icmp
    cdef NativeTimer timer
    cdef TraceSource tx_trace
    cdef TraceSource rx_trace
    cdef TraceSource error_trace

    def __init__(
        self, Node node not None, destination, *, interval="1s", size=56,
        count=0, start=None, stop=None,
    ):
        cdef TraceSet trace
        count = whole("count", count, MAX_NUMBER)
        size = whole("size", size)
        self.destination = ipv4_value(destination)
        self.interval = parse_time(interval, "ns", "interval")
        if self.interval <= 0:
            raise ValueError(f"interval is {interval!r}: it must be positive")
        if not 0 <= size <= 65507:
            raise ValueError(f"size is {size} bytes: it must be 0 to 65507")
        if count < 0:
            raise ValueError(f"count is {count}: it must not be negative")
        self.size = size
        self.count = count
        self.rtts = []
        self.errors = []
        self.outstanding = {}
        trace = TraceSet(
            self,
            tx="(sequence) a request is sent",
            rx="(sequence, rtt) its reply came after rtt ns",
            error="(sequence, icmp, reporter) an error about it came",
        )
        self.trace = trace
        self.tx_trace = trace.source("tx")
        self.rx_trace = trace.source("rx")
        self.error_trace = trace.source("error")
        Application.__init__(self, node, start, stop)
        self.timer = native_timer(self.sim, <TimerHandler>request_due, self)

    @property
    def destination_address(self):
        """Where the requests go."""
        return ipv4_address(self.destination)

    cdef int begin(self) except -1:
        cdef PingListener listener
        if self.node.ipv4 is None or self.node.ipv4.icmp is None:
            raise ValueError(f"{self.node!r} has no internet stack: use install_internet first")
        if self.icmp is None:
            self.icmp = self.node.ipv4.icmp
            listener = PingListener()
            listener.application = self
            self.identifier = self.icmp.add_echo_listener(listener)
        return self.timer.arm(0)

    cdef int end(self) except -1:
        self.timer.disarm()
        return 0

    cdef int send_next(self) except -1:
        cdef uint16_t sequence = <uint16_t>self.sent
        self.outstanding[sequence] = self.sim.now_ns
        self.sent += 1
        if self.tx_trace.active:
            self.tx_trace.emit1(sequence)
        self.icmp.send_echo(
            self.destination, self.identifier, sequence,
            make_packet(self.sim, self.size, None, None),
        )
        if self.count == 0 or self.sent < self.count:
            self.timer.arm(self.interval)
        return 0

    cdef int reply(self, IcmpHeader icmp, Ipv4Header header) except -1:
        cdef int64_t rtt
        time = self.outstanding.pop(icmp.sequence, None)
        # None: a duplicate, or a reply to somebody else's request.
        if time is None:
            return 0
        rtt = self.sim.now_ns - <int64_t>time
        self.received_packets += 1
        self.rtts.append(rtt)
        if self.rx_trace.active:
            self.rx_trace.emit2(icmp.sequence, rtt)
        return 0

    cdef int error(self, IcmpHeader icmp, uint16_t sequence, uint32_t reporter) except -1:
        self.outstanding.pop(sequence, None)
        self.errors.append((sequence, icmp.type, icmp.code, ipv4_address(reporter)))
        if self.error_trace.active:
            self.error_trace.emit3(sequence, icmp, ipv4_address(reporter))
        return 0
