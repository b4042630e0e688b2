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

    A look-up probes only the lengths that some name in the table has.
    """
    cdef dict owned                         # the same, where the garbage collector sees it
    cdef PrefixSlot* slots                  # borrowed references
    cdef int64_t mask                       # slots - 1, a power of two less one
    cdef readonly int64_t size
    cdef int64_t of_length[MAX_DEPTH + 1]   # names of each length
    cdef uint64_t lengths                   # bit n: some name has n components

    cdef PyObject* exact(self, Name name, int n) noexcept      # value at the prefix of n, or NULL
    cdef PyObject* longest(self, Name name, int most) noexcept  # of at most so many components
    cdef int put(self, Name name, object value) except -1
    cdef bint discard(self, Name name) except -1
    cdef list items(self)                   # (name, value), in canonical order
