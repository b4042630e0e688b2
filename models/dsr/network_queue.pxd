"""Packets that wait for the device, control before data (RFC 4728 4.5); times in ns."""

from libc.stdint cimport int64_t, uint32_t

from simcore.models.network.packet cimport Packet


cdef class QueuedPacket:
    cdef Packet packet             # IP header included
    cdef uint32_t next_hop
    cdef int64_t deadline
    cdef bint maintained           # its loss breaks the link


cdef class NetworkQueue:
    cdef readonly int capacity
    cdef int64_t max_delay
    cdef object control            # deques of QueuedPacket
    cdef object data

    cdef bint add(self, QueuedPacket entry, bint control, int64_t now) except -1   # False when full
    cdef QueuedPacket take(self, int64_t now, list expired)   # next one, or None
    cdef list take_for(self, uint32_t next_hop)               # all for a next hop, taken out
