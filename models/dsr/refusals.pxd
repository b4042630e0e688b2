"""What makes no sense to a node or is not supported (RFC 4728 8.1.5, 8.1.6)."""

from simcore.models.dsr.flows cimport FlowRouting
from simcore.models.dsr.header cimport DsrHeader
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.packet cimport Packet


cdef class Refusals(FlowRouting):
    # A Source Route has more segments left than addresses, `pointer` octets into the packet.
    cdef int report_segments_left(self, Packet packet, Ipv4Header ip, int pointer) except -1
    cdef int refuse_flow(self, Packet packet) except -1
    # The header without options that this node does not know; None when the packet must be dropped.
    cdef DsrHeader handle_unknown(self, Packet packet, DsrHeader header)
