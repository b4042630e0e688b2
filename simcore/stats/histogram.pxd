"""The histogram as compiled models see it."""

from libc.stdint cimport int64_t


cdef class HdrHistogram:
    cdef readonly int digits
    cdef readonly int64_t count    # values recorded
    cdef double total              # their sum
    cdef int64_t smallest
    cdef int64_t largest
    cdef int half_bits             # log2 of the cells in one octave
    cdef int64_t* cells
    cdef int64_t size              # cells there are

    cdef int record(self, int64_t value, int64_t times) except -1
    cdef int grow(self, int64_t size) except -1
    cdef int64_t index_of(self, int64_t value) noexcept
    cdef int64_t lowest(self, int64_t index) noexcept
    cdef int64_t highest(self, int64_t index) noexcept
