"""What DSR asks of its route cache (RFC 4728 4.1); times in ns."""

from libc.stdint cimport int64_t, uint32_t

from simcore.models.dsr.route cimport Route


cdef class RouteCache:
    cdef readonly uint32_t own             # address of the node

    # A chain of hops of which each is linked with the next, both ways. `at` is the place of this
    # node in it, or of the neighbour that it was heard from. True when a link or path is new.
    cdef bint learn(self, const uint32_t* hops, int count, int at, int64_t now) except -1
    # Nodes between this one and `destination` on the best route, or None.
    cdef Route find(self, uint32_t destination, int64_t now)
    # A packet of this node's, or one that it salvaged, goes along `route`.
    cdef int use(self, Route route, uint32_t destination, int64_t now) except -1
    # The link is broken, both ways; True when the cache had it.
    cdef bint break_link(self, uint32_t a, uint32_t b, int64_t now) except -1
    cdef void mark_external(self, uint32_t a, uint32_t b) noexcept
