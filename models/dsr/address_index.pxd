"""Addresses numbered 0, 1, ... in the order of their appearance, by open addressing."""

from libc.stdint cimport int32_t, uint32_t


cdef class AddressIndex:
    cdef readonly int32_t count
    cdef uint32_t* address                 # number -> address
    cdef int32_t* slot                     # hash -> number, -1 when free
    cdef uint32_t slots                    # a power of two, at least twice `count`

    cdef int32_t find(self, uint32_t address) noexcept       # number, or -1
    cdef int32_t add(self, uint32_t address) except -1       # number, a new one when it is new
    cdef void clear(self) noexcept
