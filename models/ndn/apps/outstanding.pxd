"""Interests of a consumer that wait for Data, or to be sent again."""

from libc.stdint cimport int32_t, int64_t


cdef struct Pending:
    int64_t sequence
    int64_t first_sent         # ns
    int64_t last_sent          # ns
    int32_t transmissions
    int32_t chain              # next with the same bucket, or of the free list; -1: none
    int32_t before             # in its queue; -1: none
    int32_t after
    bint is_due                # in the queue of those to be sent again


cdef class Outstanding:
    cdef Pending* slots
    cdef int32_t* buckets
    cdef int32_t room
    cdef int32_t free_slot
    cdef readonly int64_t sent         # that wait for Data
    cdef readonly int64_t due          # that wait to be sent again
    # Queues: in the order of the last sending, and in the order of their timeouts.
    cdef int32_t first_sent
    cdef int32_t last_sent
    cdef int32_t first_due
    cdef int32_t last_due

    cdef int32_t find(self, int64_t sequence) noexcept      # slot, or -1
    cdef int32_t add(self, int64_t sequence, int64_t now) except -1
    cdef void sent_again(self, int32_t i, int64_t now) noexcept
    cdef void make_due(self, int32_t i) noexcept
    cdef void remove(self, int32_t i) noexcept
    cdef void link(self, int32_t i) noexcept
    cdef void unlink(self, int32_t i) noexcept
    cdef int grow(self) except -1
