"""A table of names with longest-prefix match."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp, memset

from simcore.models.ndn.name cimport Name

cdef enum:
    FIRST_SLOTS = 16


cdef class PrefixTable:
    """Names of at most 32 components to values, with longest-prefix match."""

    def __cinit__(self):
        self.slots = <PrefixSlot*>PyMem_Malloc(FIRST_SLOTS * sizeof(PrefixSlot))
        if self.slots == NULL:
            raise MemoryError
        memset(self.slots, 0, FIRST_SLOTS * sizeof(PrefixSlot))
        self.mask = FIRST_SLOTS - 1
        self.filter = <uint64_t*>PyMem_Malloc(FIRST_SLOTS // 2)
        if self.filter == NULL:
            raise MemoryError
        memset(self.filter, 0, FIRST_SLOTS // 2)

    def __init__(self):
        self.owned = {}

    def __dealloc__(self):
        PyMem_Free(self.slots)
        PyMem_Free(self.filter)

    cdef void renew_filter(self) noexcept:
        """Bits of the names that are there, and no others."""
        cdef int64_t i
        memset(self.filter, 0, (self.mask + 1) // 2)
        for i in range(self.mask + 1):
            if self.slots[i].name != NULL:
                self.note(self.slots[i].hash)
        self.stale = 0

    cdef PyObject* exact(self, Name name, int n) noexcept:
        cdef uint64_t hash = name.hash[n]
        cdef int64_t i = <int64_t>hash & self.mask
        cdef Name found
        while self.slots[i].name != NULL:
            if self.slots[i].hash == hash:
                found = <Name>self.slots[i].name
                if (
                    found.count == n and found.offset[n] == name.offset[n]
                    and memcmp(found.data(), name.data(), name.offset[n]) == 0
                ):
                    return self.slots[i].value
            i = (i + 1) & self.mask
        return NULL

    cdef PyObject* longest(self, Name name, int most) noexcept:
        cdef int n = name.count if name.count < most else most
        cdef PyObject* value
        if n > MAX_DEPTH:
            n = MAX_DEPTH
        while n >= 0:
            if self.lengths >> n & 1 and self.may_have(name.hash[n]):
                value = self.exact(name, n)
                if value != NULL:
                    return value
            n -= 1
        return NULL

    cdef int put(self, Name name, object value) except -1:
        cdef int64_t i
        cdef uint64_t hash
        if name.count > MAX_DEPTH:
            raise ValueError(f"name has {name.count} components: at most {MAX_DEPTH} are possible")
        if self.discard(name):
            pass
        elif 2 * (self.size + 1) > self.mask:
            grow(self)
        hash = name.hash[name.count]
        i = <int64_t>hash & self.mask
        while self.slots[i].name != NULL:
            i = (i + 1) & self.mask
        self.owned[name] = value
        self.note(hash)
        self.slots[i].hash = hash
        self.slots[i].name = <PyObject*>name
        self.slots[i].value = <PyObject*>value
        self.size += 1
        self.of_length[name.count] += 1
        self.lengths |= <uint64_t>1 << name.count
        return 0

    cdef bint discard(self, Name name) except -1:
        cdef int64_t i, hole, home
        if name.count > MAX_DEPTH or self.exact(name, name.count) == NULL:
            return False
        i = <int64_t>name.hash[name.count] & self.mask
        while (
            self.slots[i].name == NULL or not (<Name>self.slots[i].name).equals(name)
        ):
            i = (i + 1) & self.mask
        self.size -= 1
        self.of_length[name.count] -= 1
        if self.of_length[name.count] == 0:
            self.lengths &= ~(<uint64_t>1 << name.count)
        # Close the gap: move back what would not be found behind it.
        hole = i
        while True:
            i = (i + 1) & self.mask
            if self.slots[i].name == NULL:
                break
            home = <int64_t>self.slots[i].hash & self.mask
            if ((i - home) & self.mask) >= ((i - hole) & self.mask):
                self.slots[hole] = self.slots[i]
                hole = i
        self.slots[hole].name = NULL
        self.slots[hole].value = NULL
        del self.owned[name]
        self.stale += 1
        if 4 * self.stale > self.mask:
            self.renew_filter()
        return True

    cdef list items(self):
        # Canonical order, not that of hashes.
        return sorted(self.owned.items(), key=first_of)

    def __len__(self):
        return self.size


def first_of(tuple pair not None) -> Name:
    """Name of a (name, value) pair."""
    return pair[0]


cdef int grow(PrefixTable table) except -1:
    cdef int64_t old = table.mask + 1
    cdef int64_t mask = 2 * old - 1
    cdef int64_t i, j
    cdef uint64_t* filter
    cdef PrefixSlot* slots = <PrefixSlot*>PyMem_Malloc(2 * old * sizeof(PrefixSlot))
    if slots == NULL:
        raise MemoryError
    memset(slots, 0, 2 * old * sizeof(PrefixSlot))
    for i in range(old):
        if table.slots[i].name == NULL:
            continue
        j = <int64_t>table.slots[i].hash & mask
        while slots[j].name != NULL:
            j = (j + 1) & mask
        slots[j] = table.slots[i]
    filter = <uint64_t*>PyMem_Realloc(table.filter, old)
    if filter == NULL:
        PyMem_Free(slots)
        raise MemoryError
    PyMem_Free(table.slots)
    table.slots = slots
    table.mask = mask
    table.filter = filter
    table.renew_filter()
    return 0
