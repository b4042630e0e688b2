"""Links as a graph, with lifetimes (RFC 4728 appendix A, "Link-MaxLife")."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from simcore.models.dsr.address_index cimport AddressIndex
from simcore.models.dsr.route_cache cimport RouteCache


cdef struct Link:
    int64_t expiry
    int64_t used                   # when this node last sent along it; -1: not yet
    int32_t to
    bint external                  # stands for a path outside the DSR network


cdef struct Vertex:
    Link* links
    int32_t count
    int32_t capacity
    int64_t stability              # ns
    # Of the search under way.
    int32_t search                 # number of the search that reached it
    int32_t distance
    int32_t parent
    int64_t width                  # earliest expiry on the way to it


cdef class LinkCache(RouteCache):
    cdef AddressIndex index
    cdef Vertex* vertices
    cdef int32_t allocated
    cdef int32_t* frontier         # vertices in the order in which the search reached them
    cdef int32_t searches
    cdef readonly int32_t link_count       # each direction counts; expired ones too
    cdef readonly int32_t capacity
    cdef int64_t init_stability
    cdef int64_t min_lifetime
    cdef int64_t use_extends
    cdef double increase
    cdef double decrease
    cdef readonly bint keep_expired        # use links past their lifetime, as ns-3 does
    cdef readonly bint has_external

    cdef int32_t vertex(self, uint32_t address) except -1
    cdef Link* link(self, int32_t a, int32_t b) noexcept
    cdef bint set_link(self, int32_t a, int32_t b, int64_t now) except -1
    cdef int64_t lifetime(self, int32_t a, int32_t b) noexcept
    cdef bint drop_link(self, int32_t a, int32_t b) noexcept
    cdef void touch(self, int32_t a, int32_t b, int64_t now) noexcept
    cdef bint search_from(self, int32_t source, int32_t target, bint external, int64_t now) noexcept
    cdef int make_room(self, int64_t now) except -1
