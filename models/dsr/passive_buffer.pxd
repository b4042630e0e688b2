"""Packets that wait to be heard again, by destination (RFC 4728 8.3.2)."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

from simcore.models.dsr.maintenance_buffer cimport Maintained


cdef class PassiveBuffer:
    cdef dict by_destination       # destination -> list of Maintained
    cdef readonly int count

    cdef int add(self, Maintained entry) except -1
    cdef int remove(self, Maintained entry) except -1
    # The entry that a packet heard acknowledges, or None.
    cdef Maintained match(
        self, uint32_t source, uint32_t destination, uint8_t protocol, uint16_t identification,
        uint16_t offset, int32_t segments_left,
    )
