"""DSR as a node has it: between transport and IPv4, and listening to the device."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from simcore.models.dsr.header cimport DsrHeader
from simcore.models.dsr.maintenance cimport RouteMaintenance
from simcore.models.dsr.options cimport SourceRoute
from simcore.models.dsr.port cimport Port
from simcore.models.internet.ipv4 cimport ResolutionListener
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.node cimport LinkListener, TransmitListener
from simcore.models.network.packet cimport Packet


cdef class Dsr(RouteMaintenance):
    cdef int transmitted(self, Packet packet) except -1
    cdef int dropped(self, Packet packet) except -1
    cdef int overhear(self, Packet packet, uint64_t source_mac, Port port) except -1
    # A packet without DSR header, to a neighbour of its source.
    cdef int hear_plain(self, Ipv4Header ip, uint64_t source_mac, Port port) except -1
    cdef int forward(self, Packet packet, DsrHeader header, Port port) except -1
    cdef int deliver_here(self, Packet packet, DsrHeader header, Port port) except -1
    cdef int shorten(
        self, Packet packet, DsrHeader header, uint32_t transmitter, Port port,
    ) except -1
    cdef int interface_gone(
        self, Packet packet, DsrHeader header, SourceRoute path, Port port,
    ) except -1
    cdef int report_segments_left(self, Packet packet, Ipv4Header ip, int pointer) except -1
    cdef int refuse_flow(self, Packet packet) except -1
    # The header without options that this node does not know; None when the packet must be dropped.
    cdef DsrHeader handle_unknown(self, Packet packet, DsrHeader header)
    cdef bint begins_data(self, DsrHeader header) noexcept


cdef class Feedback(TransmitListener):
    cdef Dsr dsr


cdef class Ears(LinkListener):
    cdef Dsr dsr


cdef class Unresolved(ResolutionListener):
    cdef Dsr dsr
