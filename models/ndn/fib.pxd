"""Forwarding information base: name prefixes to next hops."""

from libc.stdint cimport int64_t, uint64_t

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.name cimport Name
from simcore.models.ndn.prefix_table cimport PrefixTable


cdef class NextHop:
    cdef readonly Face face
    cdef readonly uint64_t cost


cdef class FibEntry:
    cdef readonly Name prefix
    cdef readonly list nexthops           # NextHop, cheapest first

    cdef bint has_nexthop(self, Face face) noexcept


cdef class Fib:
    cdef PrefixTable table
    cdef FibEntry nothing                 # what a look-up finds when there is no entry
    cdef readonly object on_new_nexthop   # called with (entry, next hop), or None

    cdef FibEntry longest(self, Name name)
    cdef FibEntry longest_below(self, Name name, int most)
