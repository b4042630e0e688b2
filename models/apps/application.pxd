"""What runs on a node from a start to a stop time."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.internet.udp cimport UdpListener, UdpSocket
from simcore.models.network.node cimport Node
from simcore.models.network.packet cimport Packet
from simcore.simulator cimport Simulator
from simcore.trace.source cimport TraceSource


cdef class Application:
    cdef readonly Node node
    cdef readonly int32_t index            # position among the node's applications
    cdef readonly int64_t start_time       # ns
    cdef readonly int64_t stop_time        # ns, or the end of time
    cdef readonly bint running
    cdef readonly object trace             # TraceSet
    cdef Simulator sim
    cdef object __weakref__

    cdef int begin(self) except -1         # at the start time
    cdef int end(self) except -1           # at the stop time


cdef class UdpApplication(Application):
    """With a socket; received datagrams come to `received`."""
    cdef readonly UdpSocket socket         # None before the start

    cdef int open_socket(self) except -1
    cdef int received(self, Packet payload, Ipv4Header header, uint16_t source_port) except -1


cdef class UdpSource(UdpApplication):
    """Sends datagrams to one address and port."""
    cdef uint32_t destination
    cdef readonly uint16_t port
    cdef readonly int32_t packet_size      # payload, with the SeqTs header if there is one (bytes)
    cdef readonly bint seq_ts              # datagrams begin with a SeqTsHeader
    cdef readonly int64_t sent             # datagrams
    cdef readonly int64_t sent_bytes       # of payload
    cdef readonly int64_t dropped          # datagrams that the stack dropped at once
    cdef bytes content                     # of each datagram, or None for zeros
    cdef TraceSource tx_trace

    cdef int send_datagram(self) except -1
