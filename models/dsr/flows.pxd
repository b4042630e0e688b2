"""The flow state extension (RFC 4728 3.5, 5, 7, 8.6): packets routed without a source route."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from simcore.models.dsr.flow_maintenance cimport FlowMaintenance
from simcore.models.dsr.flow_table cimport FlowEntry
from simcore.models.dsr.header cimport DsrHeader, FlowStateHeader
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.route cimport Route
from simcore.models.dsr.send_buffer cimport Outgoing
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.packet cimport Packet


cdef class FlowRouting(FlowMaintenance):
    # At the source (8.6.1): False when the packet must go with a source route alone.
    cdef bint send_on_flow(self, Outgoing packet, Route route) except -1
    cdef FlowEntry new_flow(self, Outgoing packet, Route route)
    cdef int enter_flow(self, FlowEntry entry) except -1

    # On the way (8.6.3, 8.6.4). An establishing packet is to go to `next_hop`, 0 when it is for
    # this node.
    cdef int note_flow(
        self, FlowStateHeader flow, DsrHeader header, Ipv4Header ip, uint32_t transmitter,
        uint32_t next_hop,
    ) except -1
    # A packet without source route, its Flow State header taken off.
    cdef int receive_flow(
        self, Packet packet, DsrHeader header, FlowStateHeader flow, Port port,
        uint64_t source_mac,
    ) except -1
    cdef int forward_flow(
        self, Packet segment, uint8_t protocol, DsrHeader header, Ipv4Header ip,
        FlowStateHeader flow, Port port, uint32_t previous,
    ) except -1
    cdef int unknown_flow(
        self, Packet segment, uint8_t protocol, Ipv4Header ip, int flow, Port port,
        uint32_t previous,
    ) except -1

    # Shortening (3.5.6, 8.6.5).
    cdef int overhear_flow(self, Ipv4Header ip, FlowStateHeader flow) except -1
    cdef int overhear_default(self, Ipv4Header ip, uint64_t source_mac, Port port) except -1
    cdef int shorten_flow(
        self, Ipv4Header ip, FlowEntry entry, int hop_count, Port port,
    ) except -1
