"""Tables, errors and route maintenance of the flow state extension (RFC 4728 3.5, 5, 8.6)."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from simcore.models.dsr.default_flow_table cimport DefaultFlowTable
from simcore.models.dsr.flow_table cimport FlowEntry, FlowTable
from simcore.models.dsr.header cimport DsrHeader
from simcore.models.dsr.maintenance cimport RouteMaintenance
from simcore.models.dsr.options cimport RouteError
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.shortening_table cimport ShorteningTable
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.packet cimport Packet


cdef class FlowMaintenance(RouteMaintenance):
    # None without the extension.
    cdef readonly FlowTable flow_table
    cdef readonly DefaultFlowTable default_flows
    cdef readonly ShorteningTable shortening_table
    cdef int64_t flow_timeout                      # ns
    cdef int establishment
    cdef dict next_flow                            # (source, destination) -> flow ID last taken
    cdef set unsupporting                          # nodes that do not have the extension

    # Whether a packet without source route may come from elsewhere than its source.
    cdef bint is_unrouted(self, DsrHeader header) noexcept
    cdef FlowEntry default_flow(self, Ipv4Header ip)
    cdef int send_flow_error(self, RouteError error, Port port, uint32_t previous) except -1
    # An error about a flow of another node, on its way back; True when it was one.
    cdef bint pass_error_back(self, Packet packet, DsrHeader header) except -1
    cdef int process_flow_errors(self, DsrHeader header) except -1


# `packet` (IP header included) without its Flow State header, and with one.
cdef Packet without_flow(Packet packet)
cdef Packet with_flow(Packet packet, uint8_t hop_count, uint16_t flow)
# Options but for padding and two types.
cdef tuple options_without(DsrHeader header, int first, int second)
