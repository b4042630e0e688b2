"""Neighbours to which the link seems to be one-way (RFC 4728 4.6); times in ns."""

from libc.stdint cimport int64_t, uint32_t

cdef enum LinkVerdict:
    LINK_GOOD
    LINK_QUESTIONABLE
    LINK_PROBABLE


cdef class Blacklist:
    cdef int64_t timeout           # "probable" so long, then "questionable"
    cdef int64_t expiry            # from the last failure until the entry goes
    cdef dict failed               # address -> time of the last failure

    cdef int add(self, uint32_t address, int64_t now) except -1
    cdef int remove(self, uint32_t address) except -1
    cdef LinkVerdict verdict(self, uint32_t address, int64_t now) except *
