"""Addresses as small numbers, so that tables can be arrays."""

cimport cython
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc, realloc

cdef enum:
    FIRST_SLOTS = 64


cdef inline uint32_t scatter(uint32_t address) noexcept nogil:
    # Neighbouring addresses differ in few bits: multiply by 2**32 divided by the golden ratio.
    cdef uint32_t mixed = address * 2654435769u
    return mixed ^ mixed >> 15


@cython.final
cdef class AddressIndex:
    """Numbers addresses; O(1) each way, 16 bytes an address."""

    def __cinit__(self):
        self.resize(FIRST_SLOTS)

    def __dealloc__(self):
        free(self.address)
        free(self.slot)

    def resize(self, uint32_t slots):
        cdef int32_t* slot = <int32_t*>malloc(slots * sizeof(int32_t))
        cdef uint32_t* address = <uint32_t*>realloc(self.address, slots // 2 * sizeof(uint32_t))
        cdef uint32_t at
        cdef int32_t i
        if address is not NULL:
            self.address = address
        if slot is NULL or address is NULL:
            free(slot)
            raise MemoryError(f"no memory for {slots} addresses")
        for at in range(slots):
            slot[at] = -1
        for i in range(self.count):
            at = scatter(self.address[i]) & (slots - 1)
            while slot[at] >= 0:
                at = (at + 1) & (slots - 1)
            slot[at] = i
        free(self.slot)
        self.slot = slot
        self.slots = slots

    cdef int32_t find(self, uint32_t address) noexcept:
        cdef uint32_t at = scatter(address) & (self.slots - 1)
        cdef int32_t number
        while True:
            number = self.slot[at]
            if number < 0 or self.address[number] == address:
                return number
            at = (at + 1) & (self.slots - 1)

    cdef int32_t add(self, uint32_t address) except -1:
        cdef int32_t number = self.find(address)
        cdef uint32_t at
        if number >= 0:
            return number
        if <uint32_t>self.count >= self.slots // 2:
            self.resize(self.slots * 2)
        number = self.count
        self.address[number] = address
        self.count += 1
        at = scatter(address) & (self.slots - 1)
        while self.slot[at] >= 0:
            at = (at + 1) & (self.slots - 1)
        self.slot[at] = number
        return number

    cdef void clear(self) noexcept:
        cdef uint32_t at
        for at in range(self.slots):
            self.slot[at] = -1
        self.count = 0
