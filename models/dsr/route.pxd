"""An immutable list of IPv4 addresses: what requests, replies and source routes carry."""

from libc.stdint cimport int32_t, uint32_t

cdef enum:
    # An option's length is 8 bits (RFC 4728 6.2, 6.3, 6.7).
    MAX_REQUEST_HOPS = 62
    MAX_ROUTE_HOPS = 63
    INLINE_HOPS = 10


cdef class Route:
    cdef readonly int32_t count
    cdef uint32_t* hop                     # `inline_hop`, or memory of its own for a long route
    cdef uint32_t[INLINE_HOPS] inline_hop

    cdef int find(self, uint32_t address) noexcept       # index, or -1
    cdef bint equals(self, Route other) noexcept

# A route of `count` addresses, which the caller fills in before anybody else sees it.
cdef Route empty_route(int32_t count)
cdef Route new_route(const uint32_t* hops, int32_t count)
# `route` with one more address at its end.
cdef Route extended(Route route, uint32_t address)
# `address` and then `route`.
cdef Route prepended(uint32_t address, Route route)
cdef Route reversed_route(Route route)
