"""DSR as a node has it: between transport and IPv4, and listening to the device."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from simcore.models.dsr.header cimport DsrHeader, FlowStateHeader
from simcore.models.dsr.options cimport SourceRoute
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.refusals cimport Refusals
from simcore.models.internet.ipv4 cimport ResolutionListener
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.node cimport LinkListener, TransmitListener
from simcore.models.network.packet cimport Packet


cdef class Dsr(Refusals):
    cdef int transmitted(self, Packet packet) except -1
    cdef int dropped(self, Packet packet) except -1
    cdef int overhear(self, Packet packet, uint64_t source_mac, Port port) except -1
    # A packet without DSR header, to a neighbour of its source.
    cdef int hear_plain(self, Ipv4Header ip, uint64_t source_mac, Port port) except -1
    # `flow` is the Flow State header that stood before the DSR header, or None.
    cdef int forward(
        self, Packet packet, DsrHeader header, Port port, FlowStateHeader flow,
    ) except -1
    cdef int deliver_here(self, Packet packet, DsrHeader header, Port port) except -1
    cdef int shorten(
        self, Packet packet, DsrHeader header, uint32_t transmitter, Port port,
    ) except -1
    cdef int interface_gone(
        self, Packet packet, DsrHeader header, SourceRoute path, Port port,
    ) except -1
    cdef bint begins_data(self, DsrHeader header) noexcept


cdef class Feedback(TransmitListener):
    cdef Dsr dsr


cdef class Ears(LinkListener):
    cdef Dsr dsr


cdef class Unresolved(ResolutionListener):
    cdef Dsr dsr
