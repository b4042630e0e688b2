"""Default Flow ID Table (RFC 4728 5.3 of its flow state extension); times in ns."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t


cdef class DefaultFlow:
    cdef uint16_t largest                  # odd flow ID seen
    cdef int64_t expiry                    # of all flows of the pair
    cdef uint16_t flow                     # the current default
    cdef bint valid


cdef class DefaultFlowTable:
    cdef readonly int capacity
    cdef dict by_pair                      # source << 32 | destination -> DefaultFlow

    # A flow was set up: an odd one larger than those before becomes the default. What had to leave
    # to make room, as pair_of() has it, or 0.
    cdef uint64_t note(
        self, uint32_t source, uint32_t destination, uint16_t flow, int64_t expiry, int64_t now,
    ) except? 1
    # The default flow, or -1.
    cdef int32_t current(self, uint32_t source, uint32_t destination, int64_t now) except -2
    cdef int remove(self, uint32_t source, uint32_t destination) except -1
