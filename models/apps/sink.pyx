"""Sink: counts the datagrams that come to a port, and how long they were on their way."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint16_t
from libc.stdlib cimport free, realloc

from simcore.models.apps.udp cimport UdpApplication
from simcore.models.internet.ipv4_header cimport DEFAULT_TTL, Ipv4Header
from simcore.models.network.address cimport ipv4_address
from simcore.models.network.application cimport Application
from simcore.models.network.node cimport Node
from simcore.models.network.packet cimport Packet
from simcore.trace.source cimport TraceSet, TraceSource
from simcore.whole cimport whole


cdef class Sink(UdpApplication):
    """Counts the datagrams that come to a port.

    Parameters
    ----------
    node : Node
    port : int
    start, stop : int or str, optional
    keep_duplicates : bool
        Whether a payload that came before counts again.
    initial_ttl : int
        Of the datagrams that are sent here, to tell how many hops they took.

    Attributes
    ----------
    received_packets, received_bytes : int
        Counted datagrams, and their payload.
    duplicates : int
        Datagrams whose payload had come before.
    first_time, last_time : int
        When the first and the last one came (ns); -1 before.
    hops : int
        Sum over the counted datagrams: 1 from a neighbour, and so on.

    Notes
    -----
    Trace source: ``rx`` with (payload, source address, source port).
    """

    cdef readonly uint16_t port
    cdef readonly bint keep_duplicates
    cdef readonly int initial_ttl
    cdef readonly int64_t received_packets
    cdef readonly int64_t received_bytes
    cdef readonly int64_t duplicates
    cdef readonly int64_t first_time
    cdef readonly int64_t last_time
    cdef readonly int64_t hops
    cdef int64_t* delay_values             # of the counted datagrams, ns
    cdef int64_t capacity
    cdef set seen                          # uids
    cdef TraceSource rx_trace

    def __init__(
        self, Node node not None, port, *, start=None, stop=None, bint keep_duplicates=False,
        initial_ttl=DEFAULT_TTL,
    ):
        cdef TraceSet trace
        initial_ttl = whole("initial_ttl", initial_ttl)
        port = whole("port", port)
        if not 1 <= port <= 65535:
            raise ValueError(f"port is {port}: it must be 1 to 65535")
        self.port = port
        self.keep_duplicates = keep_duplicates
        self.initial_ttl = initial_ttl
        self.first_time = -1
        self.last_time = -1
        self.seen = set()
        trace = TraceSet(self, rx="(payload, source, port) a datagram came")
        self.trace = trace
        self.rx_trace = trace.source("rx")
        Application.__init__(self, node, start, stop)

    def __dealloc__(self):
        free(self.delay_values)

    cdef int begin(self) except -1:
        self.open_socket()
        return self.socket.bind_c(0, self.port)

    cdef int received(self, Packet payload, Ipv4Header header, uint16_t source_port) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef Py_ssize_t known = len(self.seen)
        self.seen.add(payload.uid)
        if len(self.seen) == known:
            self.duplicates += 1
            if not self.keep_duplicates:
                return 0
        if self.received_packets == self.capacity:
            self.grow()
        self.delay_values[self.received_packets] = now - payload.created
        self.received_packets += 1
        self.received_bytes += payload.size
        self.hops += self.initial_ttl - header.ttl + 1
        if self.first_time < 0:
            self.first_time = now
        self.last_time = now
        if self.rx_trace.active:
            self.rx_trace.emit3(payload, ipv4_address(header.source), source_port)
        return 0

    cdef int grow(self) except -1:
        cdef int64_t capacity = self.capacity * 2 if self.capacity else 64
        cdef int64_t* grown = <int64_t*>realloc(
            self.delay_values, <size_t>capacity * sizeof(int64_t)
        )
        if grown == NULL:
            raise MemoryError("no memory for another delay")
        self.delay_values = grown
        self.capacity = capacity
        return 0

    def delays(self):
        """Time from creation to arrival of each counted datagram (ns), as a NumPy array."""
        import numpy as np

        array = np.empty(self.received_packets, dtype=np.int64)
        cdef int64_t[::1] view = array
        cdef int64_t i
        for i in range(self.received_packets):
            view[i] = self.delay_values[i]
        return array

    @property
    def mean_delay(self):
        """Mean of the delays (ns); NaN without datagrams."""
        cdef double total = 0.0
        cdef int64_t i
        if not self.received_packets:
            return float("nan")
        for i in range(self.received_packets):
            total += self.delay_values[i]
        return total / self.received_packets

    @property
    def delay_deviation(self):
        """Standard deviation of the delays (ns); NaN below two datagrams."""
        cdef double mean, total = 0.0
        cdef int64_t i
        if self.received_packets < 2:
            return float("nan")
        mean = self.mean_delay
        for i in range(self.received_packets):
            total += (self.delay_values[i] - mean) ** 2
        return sqrt(total / (self.received_packets - 1))

    @property
    def throughput(self):
        """Payload per time between the first and the last datagram (bit/s); NaN below two."""
        if self.received_packets < 2 or self.last_time == self.first_time:
            return float("nan")
        return self.received_bytes * 8e9 / (self.last_time - self.first_time)
