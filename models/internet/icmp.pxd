"""ICMP: echo, and errors about packets that could not be delivered (RFC 792, RFC 1122 3.2.2)."""

from libc.stdint cimport uint16_t, uint32_t

from simcore.models.internet.icmp_header cimport IcmpHeader
from simcore.models.internet.ipv4 cimport ErrorReporter, Ipv4
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.packet cimport Packet
from simcore.trace.source cimport TraceSource


cdef class EchoListener:
    """What a ping application overrides."""
    cdef int echoed(
        self, IcmpHeader icmp, Packet payload, Ipv4Header header,
    ) except -1
    # An ICMP error about one of its requests.
    cdef int failed(self, IcmpHeader icmp, uint16_t sequence, uint32_t reporter) except -1


cdef class Icmp(ErrorReporter):
    cdef readonly Ipv4 stack
    cdef readonly object trace             # TraceSet: error_sent, error_received
    cdef dict echo_listeners               # identifier -> EchoListener
    cdef TraceSource error_sent_trace
    cdef TraceSource error_received_trace

    cdef uint16_t add_echo_listener(self, EchoListener listener) except? 0
    cdef int send_echo(
        self, uint32_t destination, uint16_t identifier, uint16_t sequence, Packet payload,
    ) except -1
    cdef int answer(self, IcmpHeader icmp, Packet payload, Ipv4Header header) except -1
    cdef int send_error(
        self, IcmpHeader icmp, Packet packet, Ipv4Header header,
    ) except -1
    cdef int hand_error(self, IcmpHeader icmp, Packet payload, Ipv4Header header) except -1
