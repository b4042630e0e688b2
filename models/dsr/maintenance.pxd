"""Route maintenance (RFC 4728 8.3): acknowledgements, broken links, errors, salvaging."""

from libc.stdint cimport int64_t, uint16_t, uint32_t

from simcore.models.dsr.discovery cimport RouteDiscovery
from simcore.models.dsr.header cimport DsrHeader
from simcore.models.dsr.maintenance_buffer cimport Maintained
from simcore.models.dsr.options cimport Acknowledgement, RouteError, SourceRoute
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.packet cimport Packet
from simcore.simulator cimport NativeTimer


cdef class Neighbour:
    """What network-layer acknowledgements told of a neighbour (ns)."""
    cdef int64_t confirmed         # last time
    cdef int64_t smoothed          # round trip; 0 before the first
    cdef int64_t variation


cdef class RouteMaintenance(RouteDiscovery):
    cdef NativeTimer maintenance_timer
    cdef dict neighbours                   # address -> Neighbour
    cdef uint16_t next_ack_id

    cdef int maintain(self, Packet packet, uint32_t next_hop) except -1
    cdef int attempt(self, Maintained entry) except -1
    cdef Packet asking(self, Packet packet, uint16_t identification, uint32_t next_hop)
    cdef int arm_maintenance(self) except -1
    cdef int on_maintenance_timer(self) except -1
    cdef int confirmed(self, Maintained entry) except -1
    cdef int broken(self, uint32_t next_hop, list packets) except -1
    cdef bint is_maintained(self, Packet packet) noexcept
    cdef Packet source_routed(self, Packet packet)
    cdef bint is_flow_error(self, DsrHeader header) noexcept
    cdef bint saves_error(self, Packet packet, DsrHeader header) except -1
    cdef Neighbour neighbour(self, uint32_t address)

    cdef int originate_error(
        self, Packet packet, DsrHeader header, uint32_t error_to, uint32_t unreachable,
    ) except -1
    cdef int send_error(
        self, RouteError error, tuple following, SourceRoute path, int before,
    ) except -1
    cdef int process_errors(self, DsrHeader header, Ipv4Header ip, bint overheard) except -1
    cdef int take_back(self, Packet packet, DsrHeader header) except -1
    cdef int salvage(self, Packet packet, DsrHeader header) except -1
    cdef int acknowledge(self, DsrHeader header, Ipv4Header ip, uint32_t transmitter) except -1
    cdef int process_acknowledgement(self, Acknowledgement ack, Ipv4Header ip) except -1
