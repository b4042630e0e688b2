"""Gratuitous replies sent a short while ago (RFC 4728 4.4); times in ns."""

from libc.stdint cimport int64_t, uint32_t


cdef class GratuitousReplyTable:
    cdef int64_t holdoff
    cdef readonly int capacity
    cdef dict expiry               # (originator << 32 | transmitter) -> ns, oldest first

    # Whether a reply may go; if so, it is entered.
    cdef bint admit(self, uint32_t originator, uint32_t transmitter, int64_t now) except -1
