"""Bases of applications with a UDP socket."""

cimport cython
from libc.stdint cimport uint16_t

from simcore.models.apps.seq_ts cimport SEQ_TS_LENGTH, seq_ts_header
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.internet.udp cimport UdpListener, UdpSocket
from simcore.models.network.address cimport ipv4_address, ipv4_value
from simcore.models.network.application cimport Application
from simcore.models.network.node cimport Node
from simcore.models.network.packet cimport Packet, make_packet
from simcore.trace.source cimport TraceSet


@cython.final
cdef class ApplicationListener(UdpListener):
    """Hands what a socket receives to its application."""

    cdef UdpApplication application

    cdef int receive(
        self, UdpSocket socket, Packet payload, Ipv4Header header, uint16_t source_port,
    ) except -1:
        return self.application.received(payload, header, source_port)


cdef class UdpApplication(Application):
    """Base of applications with a UDP socket, which exists while they run."""

    cdef int open_socket(self) except -1:
        cdef ApplicationListener listener = ApplicationListener()
        self.socket = UdpSocket(self.node)
        listener.application = self
        self.socket.listener = listener
        return 0

    cdef int end(self) except -1:
        if self.socket is not None:
            self.socket.close()
        return 0

    cdef int received(self, Packet payload, Ipv4Header header, uint16_t source_port) except -1:
        return 0


cdef class UdpSource(UdpApplication):
    """Base of applications that send datagrams to one address and port.

    Parameters
    ----------
    node : Node
    destination : Ipv4Address, str or int
    port : int
    packet_size : int
        UDP payload of each datagram (bytes).
    start, stop : int or str, optional
    seq_ts : bool
        Whether each datagram begins with a `SeqTsHeader`, which counts towards its size.
    content : bytes, optional
        Of each datagram, in place of zeros; it decides the size.

    Raises
    ------
    ValueError
        When the size does not fit into a datagram, or not the header into the size.
    """

    def __init__(
        self, Node node not None, destination, port, packet_size, *, start=None, stop=None,
        bint seq_ts=False, bytes content=None,
    ):
        cdef TraceSet trace
        if content is not None:
            packet_size = len(content) + (SEQ_TS_LENGTH if seq_ts else 0)
        if not (SEQ_TS_LENGTH if seq_ts else 0) <= packet_size <= 65507:
            raise ValueError(
                f"packet_size is {packet_size} bytes: it must be "
                f"{SEQ_TS_LENGTH if seq_ts else 0} to 65507"
            )
        if not 1 <= port <= 65535:
            raise ValueError(f"port is {port}: it must be 1 to 65535")
        self.destination = ipv4_value(destination)
        self.port = port
        self.packet_size = packet_size
        self.seq_ts = seq_ts
        self.content = content
        trace = self.sources()
        self.trace = trace
        self.tx_trace = trace.source("tx")
        Application.__init__(self, node, start, stop)

    def sources(self):
        return TraceSet(self, tx="(payload) a datagram is sent")

    @property
    def destination_address(self):
        """Where the datagrams go."""
        return ipv4_address(self.destination)

    cdef int open_socket(self) except -1:
        UdpApplication.open_socket(self)
        self.socket.connect(self.destination, self.port)
        return 0

    cdef int send_datagram(self) except -1:
        cdef Packet payload
        if self.seq_ts:
            payload = make_packet(self.sim, self.packet_size - SEQ_TS_LENGTH, self.content, None)
            payload = payload.push_c(seq_ts_header(<unsigned int>self.sent, self.sim.now_ns))
        else:
            payload = make_packet(self.sim, self.packet_size, self.content, None)
        if self.tx_trace.active:
            self.tx_trace.emit1(payload)
        self.sent += 1
        self.sent_bytes += self.packet_size
        if self.socket.send_to_c(payload, self.destination, self.port):
            self.dropped += 1
        return 0
