"""A table of names with longest-prefix match: what FIB and strategy choice stand on."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from simcore.models.ndn.name cimport Name

cdef enum:
    MAX_DEPTH = 32             # components of a name in the table: NFD's limit


cdef struct PrefixSlot:
    uint64_t hash
    PyObject* name             # NULL: free
    PyObject* value


cdef class PrefixTable:
    """Names to values; open addressing by the hashes that names carry.

    A look-up probes only the lengths that some name in the table has, and only where a bit of a
    filter says that there may be such a name: the filter is small enough to stay in a near cache.
    """
    cdef dict owned                         # the same, where the garbage collector sees it
    cdef PrefixSlot* slots                  # borrowed references
    cdef int64_t mask                       # slots - 1, a power of two less one
    cdef uint64_t* filter                   # bits, four for each slot; set for every name
    cdef int64_t stale                      # names gone whose bits may still be set
    cdef readonly int64_t size
    cdef int64_t of_length[MAX_DEPTH + 1]   # names of each length
    cdef uint64_t lengths                   # bit n: some name has n components

    cdef inline bint may_have(self, uint64_t hash) noexcept:
        # High bits: the low ones choose the slot.
        cdef uint64_t bit = (hash >> 32) & <uint64_t>(4 * self.mask + 3)
        return self.filter[bit >> 6] >> (bit & 63) & 1

    cdef inline void note(self, uint64_t hash) noexcept:
        cdef uint64_t bit = (hash >> 32) & <uint64_t>(4 * self.mask + 3)
        self.filter[bit >> 6] |= <uint64_t>1 << (bit & 63)

    cdef void renew_filter(self) noexcept
    cdef PyObject* exact(self, Name name, int n) noexcept      # value at the prefix of n, or NULL
    cdef PyObject* longest(self, Name name, int most) noexcept  # of at most so many components
    cdef int put(self, Name name, object value) except -1
    cdef bint discard(self, Name name) except -1
    cdef list items(self)                   # (name, value), in canonical order
