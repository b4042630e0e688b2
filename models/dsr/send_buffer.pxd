"""Packets that wait for a route (RFC 4728 4.2); times in ns."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from simcore.models.network.packet cimport Packet


cdef class Outgoing:
    """A segment on its way from this node, before DSR and IP headers go on."""
    cdef Packet segment
    cdef uint32_t source
    cdef uint32_t destination
    cdef uint8_t protocol
    cdef uint8_t ttl
    cdef uint8_t tos
    cdef int salvage               # of its source route: not 0 for what is sent on for another node
    cdef tuple options             # DSR options besides the source route; empty for data
    cdef int64_t deadline
    cdef bint waits                # it is in a send buffer


cdef class SendBuffer:
    cdef readonly int capacity
    cdef readonly int count
    cdef object order              # deque of all, first come first; some have left already
    cdef dict by_destination       # destination -> list, first come first

    # What had to leave to make room, or None.
    cdef Outgoing add(self, Outgoing packet, int64_t deadline)
    cdef list take(self, uint32_t destination)               # all for it, taken out
    cdef list expire(self, int64_t now)                      # those past their deadline, taken out
    cdef bint holds(self, uint32_t destination) noexcept
    cdef int64_t next_deadline(self) noexcept                # -1 when empty
    cdef int remove(self, Outgoing packet) except -1
