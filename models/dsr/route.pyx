"""Address lists of DSR options."""

cimport cython
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from simcore.models.network.address cimport format_ipv4, ipv4_address, ipv4_value


@cython.final
@cython.freelist(256)
cdef class Route:
    """Addresses in the order of travel; immutable.

    Parameters
    ----------
    addresses : iterable of Ipv4Address, str or int
        At most 63.

    Raises
    ------
    ValueError
        When there are more.
    """

    def __cinit__(self):
        self.hop = self.inline_hop

    def __init__(self, addresses=()):
        cdef list values = [ipv4_value(address) for address in addresses]
        cdef int32_t i
        if len(values) > MAX_ROUTE_HOPS:
            raise ValueError(f"route has {len(values)} addresses: an option holds 63 at most")
        reserve(self, <int32_t>len(values))
        for i in range(self.count):
            self.hop[i] = <uint32_t>values[i]

    def __dealloc__(self):
        if self.hop != self.inline_hop:
            free(self.hop)

    cdef int find(self, uint32_t address) noexcept:
        cdef int i
        for i in range(self.count):
            if self.hop[i] == address:
                return i
        return -1

    cdef bint equals(self, Route other) noexcept:
        return self.count == other.count and memcmp(self.hop, other.hop, self.count * 4) == 0

    @property
    def addresses(self):
        """Addresses as a tuple of Ipv4Address."""
        cdef int i
        return tuple([ipv4_address(self.hop[i]) for i in range(self.count)])

    def __len__(self):
        return self.count

    def __eq__(self, other):
        if not isinstance(other, Route):
            return NotImplemented
        return self.equals(<Route>other)

    def __hash__(self):
        cdef int i
        return hash(tuple([self.hop[i] for i in range(self.count)]))

    def __repr__(self):
        return f"<Route {self}>"

    def __str__(self):
        cdef int i
        return " ".join([format_ipv4(self.hop[i]) for i in range(self.count)])


cdef int reserve(Route route, int32_t count) except -1:
    if route.hop != route.inline_hop:
        free(route.hop)
        route.hop = route.inline_hop
    if count > INLINE_HOPS:
        route.hop = <uint32_t*>malloc(count * sizeof(uint32_t))
        if route.hop is NULL:
            route.hop = route.inline_hop
            raise MemoryError(f"no memory for a route of {count} addresses")
    route.count = count
    return 0


cdef Route empty_route(int32_t count):
    cdef Route route = Route.__new__(Route)
    reserve(route, count)
    return route


cdef Route new_route(const uint32_t* hops, int32_t count):
    cdef Route route = empty_route(count)
    memcpy(route.hop, hops, count * sizeof(uint32_t))
    return route


cdef Route extended(Route route, uint32_t address):
    cdef Route longer = empty_route(route.count + 1)
    memcpy(longer.hop, route.hop, route.count * sizeof(uint32_t))
    longer.hop[route.count] = address
    return longer


cdef Route prepended(uint32_t address, Route route):
    cdef Route longer = empty_route(route.count + 1)
    longer.hop[0] = address
    memcpy(longer.hop + 1, route.hop, route.count * sizeof(uint32_t))
    return longer


cdef Route reversed_route(Route route):
    cdef Route back = empty_route(route.count)
    cdef int i
    for i in range(route.count):
        back.hop[i] = route.hop[route.count - 1 - i]
    return back
