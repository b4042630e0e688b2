"""Packets that wait for a sign that they reached the next hop (RFC 4728 4.5); times in ns."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from simcore.models.network.packet cimport Packet

cdef enum AckMethod:
    ACK_LINK                       # the MAC tells
    ACK_PASSIVE                    # the next hop is heard passing it on
    ACK_NETWORK                    # the next hop is asked


cdef class Maintained:
    cdef Packet packet             # IP header included
    cdef uint32_t next_hop
    # RFC 4728 8.3.2: what a packet is recognised by.
    cdef uint32_t source
    cdef uint32_t destination
    cdef uint16_t identification
    cdef uint16_t offset
    cdef uint8_t protocol
    cdef int32_t segments_left     # -1: no source route
    cdef AckMethod method
    cdef int attempts              # transmissions so far
    cdef int passive_attempts
    cdef uint16_t ack_id
    cdef int64_t sent              # last transmission
    cdef int64_t deadline          # of the acknowledgement
    cdef bint waits                # it is in the buffer


cdef class MaintenanceBuffer:
    cdef readonly int capacity
    cdef list entries              # in the order of entry

    cdef bint add(self, Maintained entry) except -1          # False when full: it is discarded
    cdef int remove(self, Maintained entry) except -1
    cdef Maintained find_ack(self, uint32_t next_hop, uint16_t ack_id)
    cdef list take(self, uint32_t next_hop)                  # all for a next hop, taken out
    cdef Maintained overdue(self, int64_t now)               # one past its deadline, or None
    cdef int64_t next_deadline(self) noexcept                # -1 when empty
