"""Bases of applications with a UDP socket."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.internet.udp cimport UdpSocket
from simcore.models.network.application cimport Application
from simcore.models.network.packet cimport Packet
from simcore.trace.source cimport TraceSource


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
