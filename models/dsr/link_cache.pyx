"""Link cache with adaptive lifetimes (RFC 4728 4.1 and appendix A, "Link-MaxLife")."""

cimport cython
from libc.math cimport llrint
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from simcore.models.dsr.address_index cimport AddressIndex
from simcore.models.dsr.route cimport MAX_ROUTE_HOPS, Route, empty_route
from simcore.models.dsr.route_cache cimport RouteCache
from simcore.models.network.address cimport ipv4_address, ipv4_value

cdef enum:
    FIRST_LINKS = 8
    FIRST_VERTICES = 32
    # Addresses kept at most: hostile packets can name any number of them.
    MAX_VERTICES = 65536

cdef int64_t FOREVER = 0x7FFFFFFFFFFFFFFF


@cython.final
cdef class LinkCache(RouteCache):
    """Links between all nodes heard of; how long one lives depends on the stability of its ends.

    The best route has the fewest hops; of those with the same number, the one whose first link to
    expire lives longest. Learning a link is O(degree), a look-up O(links).

    Parameters
    ----------
    own : Ipv4Address, str or int
    capacity : int
        Links kept at most, each direction counted; the first to expire leave.
    init_stability, min_lifetime, use_extends : int
        ns (RFC 4728 appendix A).
    stability_incr_factor, stability_decr_factor : float
        Of the time in use, and of the stability at a break (RFC 4728 appendix A).
    keep_expired : bool
        Use links past their lifetime.

    Raises
    ------
    ValueError
        When a parameter is out of range.
    """

    def __init__(
        self, own, *, int capacity=4096, int64_t init_stability=25_000_000_000,
        int64_t min_lifetime=1_000_000_000, int64_t use_extends=120_000_000_000,
        double stability_incr_factor=4.0, double stability_decr_factor=0.5,
        bint keep_expired=False,
    ):
        RouteCache.__init__(self, own)
        if capacity < 2:
            raise ValueError(f"capacity is {capacity} links: it must be 2 or more")
        if init_stability <= 0 or min_lifetime <= 0 or use_extends < 0:
            raise ValueError("init_stability, min_lifetime and use_extends must be positive times")
        if not stability_incr_factor >= 1:
            raise ValueError(
                f"stability_incr_factor is {stability_incr_factor}: it must be 1 or more"
            )
        if not 0 < stability_decr_factor < 1:
            raise ValueError(
                f"stability_decr_factor is {stability_decr_factor}: it must be between 0 and 1"
            )
        self.capacity = capacity
        self.init_stability = init_stability
        self.min_lifetime = min_lifetime
        self.use_extends = use_extends
        self.increase = stability_incr_factor
        self.decrease = stability_decr_factor
        self.keep_expired = keep_expired
        self.index = AddressIndex()
        self.vertex(self.own)

    def __dealloc__(self):
        cdef int32_t i
        for i in range(self.allocated):
            free(self.vertices[i].links)
        free(self.vertices)
        free(self.frontier)

    cdef int32_t vertex(self, uint32_t address) except -1:
        cdef int32_t number = self.index.find(address)
        cdef int32_t room
        cdef Vertex* vertices
        cdef int32_t* frontier
        if number >= 0:
            return number
        number = self.index.add(address)
        if number >= self.allocated:
            room = self.allocated * 2 if self.allocated else FIRST_VERTICES
            vertices = <Vertex*>realloc(self.vertices, room * sizeof(Vertex))
            if vertices is not NULL:
                self.vertices = vertices
            frontier = <int32_t*>realloc(self.frontier, room * sizeof(int32_t))
            if frontier is not NULL:
                self.frontier = frontier
            if vertices is NULL or frontier is NULL:
                raise MemoryError(f"no memory for the links of {room} nodes")
            memset(vertices + self.allocated, 0, (room - self.allocated) * sizeof(Vertex))
            self.allocated = room
        self.vertices[number].count = 0
        self.vertices[number].search = 0
        self.vertices[number].stability = self.init_stability
        return number

    cdef Link* link(self, int32_t a, int32_t b) noexcept:
        cdef Vertex* vertex = &self.vertices[a]
        cdef int32_t i
        for i in range(vertex.count):
            if vertex.links[i].to == b:
                return &vertex.links[i]
        return NULL

    cdef int64_t lifetime(self, int32_t a, int32_t b) noexcept:
        """Of a new link; the table has no stability of the node itself."""
        cdef int64_t stability = FOREVER
        if a != 0:
            stability = self.vertices[a].stability
        if b != 0 and self.vertices[b].stability < stability:
            stability = self.vertices[b].stability
        return stability if stability > self.min_lifetime else self.min_lifetime

    cdef bint set_link(self, int32_t a, int32_t b, int64_t now) except -1:
        cdef Link* link = self.link(a, b)
        cdef Vertex* vertex
        cdef Link* links
        cdef int32_t room
        if link is not NULL:
            if link.expiry > now:
                # Appendix A: only use prolongs the life of a link that is known.
                return False
            link.expiry = now + self.lifetime(a, b)
            link.used = -1
            link.external = False
            return True
        vertex = &self.vertices[a]
        if vertex.count == vertex.capacity:
            room = vertex.capacity * 2 if vertex.capacity else FIRST_LINKS
            links = <Link*>realloc(vertex.links, room * sizeof(Link))
            if links is NULL:
                raise MemoryError(f"no memory for {room} links of a node")
            vertex.links = links
            vertex.capacity = room
        link = &vertex.links[vertex.count]
        link.to = b
        link.expiry = now + self.lifetime(a, b)
        link.used = -1
        link.external = False
        vertex.count += 1
        self.link_count += 1
        return True

    cdef bint learn(self, const uint32_t* hops, int count, int at, int64_t now) except -1:
        cdef bint new = False
        cdef int32_t here, previous
        cdef int i
        if count > MAX_ROUTE_HOPS + 2:
            raise ValueError(f"chain has {count} hops: {MAX_ROUTE_HOPS + 2} fit")
        if (
            self.link_count + 2 * count > self.capacity
            or self.index.count + count > MAX_VERTICES
        ):
            self.make_room(now)
        previous = self.vertex(hops[0])
        for i in range(1, count):
            here = self.vertex(hops[i])
            if here != previous:
                new |= self.set_link(previous, here, now)
                new |= self.set_link(here, previous, now)
            previous = here
        if hops[at] != self.own:
            here = self.vertex(hops[at])
            new |= self.set_link(0, here, now)
            new |= self.set_link(here, 0, now)
        return new

    cdef bint drop_link(self, int32_t a, int32_t b) noexcept:
        cdef Link* link = self.link(a, b)
        if link is NULL:
            return False
        self.vertices[a].count -= 1
        self.link_count -= 1
        link[0] = self.vertices[a].links[self.vertices[a].count]
        return True

    cdef bint break_link(self, uint32_t a, uint32_t b, int64_t now) except -1:
        cdef int32_t from_a = self.index.find(a)
        cdef int32_t to_b = self.index.find(b)
        cdef int32_t end
        cdef bint known
        cdef Link* link
        cdef bint used = False
        if from_a < 0 or to_b < 0:
            return False
        link = self.link(from_a, to_b)
        if link is not NULL:
            used = link.used >= 0
        known = self.drop_link(from_a, to_b)
        known |= self.drop_link(to_b, from_a)
        if used:
            # Appendix A speaks of observed behaviour, and use is what counts in a node's favour: a
            # break that one only hears of must not count against it, or stability could only fall.
            for end in (from_a, to_b):
                self.vertices[end].stability = llrint(self.vertices[end].stability * self.decrease)
        return known

    cdef void mark_external(self, uint32_t a, uint32_t b) noexcept:
        cdef int32_t from_a = self.index.find(a)
        cdef int32_t to_b = self.index.find(b)
        cdef Link* link
        if from_a < 0 or to_b < 0:
            return
        link = self.link(from_a, to_b)
        if link is not NULL:
            link.external = True
            self.has_external = True
        link = self.link(to_b, from_a)
        if link is not NULL:
            link.external = True

    cdef void touch(self, int32_t a, int32_t b, int64_t now) noexcept:
        cdef Link* link = self.link(a, b)
        cdef int64_t gained
        if link is NULL:
            return
        if link.used >= 0:
            gained = llrint(self.increase * (now - link.used))
            self.vertices[a].stability += gained
            self.vertices[b].stability += gained
        link.used = now
        if link.expiry < now + self.use_extends:
            link.expiry = now + self.use_extends
        # The way back is the same link.
        link = self.link(b, a)
        if link is not NULL:
            link.used = now
            if link.expiry < now + self.use_extends:
                link.expiry = now + self.use_extends

    cdef int use(self, Route route, uint32_t destination, int64_t now) except -1:
        cdef int32_t previous = 0
        cdef int32_t here
        cdef int i
        for i in range(route.count):
            here = self.index.find(route.hop[i])
            if here < 0:
                return 0
            self.touch(previous, here, now)
            previous = here
        here = self.index.find(destination)
        if here >= 0:
            self.touch(previous, here, now)
        return 0

    cdef bint search_from(
        self, int32_t source, int32_t target, bint external, int64_t now,
    ) noexcept:
        """Breadth first; a level is searched whole, so that the widest way to each vertex wins."""
        cdef Vertex* vertices = self.vertices
        cdef Vertex* here
        cdef Vertex* there
        cdef Link* link
        cdef int32_t head = 0, tail = 1
        cdef int32_t i, number
        cdef int64_t width
        self.searches += 1
        self.frontier[0] = source
        vertices[source].search = self.searches
        vertices[source].distance = 0
        vertices[source].width = FOREVER
        while head < tail:
            number = self.frontier[head]
            here = &vertices[number]
            head += 1
            if vertices[target].search == self.searches and (
                here.distance >= vertices[target].distance
            ):
                return True
            if here.distance > MAX_ROUTE_HOPS:
                return False
            for i in range(here.count):
                link = &here.links[i]
                if link.expiry <= now and not self.keep_expired:
                    continue
                # RFC 4728 4.1: only the first and the last hop may be external.
                if link.external and not (
                    external and (number == source or link.to == target)
                ):
                    continue
                width = link.expiry if link.expiry < here.width else here.width
                there = &vertices[link.to]
                if there.search != self.searches:
                    there.search = self.searches
                    there.distance = here.distance + 1
                    there.width = width
                    there.parent = number
                    self.frontier[tail] = link.to
                    tail += 1
                elif there.distance == here.distance + 1 and width > there.width:
                    there.width = width
                    there.parent = number
        return vertices[target].search == self.searches

    cdef Route find(self, uint32_t destination, int64_t now):
        cdef int32_t target = self.index.find(destination)
        cdef int32_t number
        cdef int i
        cdef Route route
        if target <= 0:
            return None
        if not self.search_from(0, target, False, now):
            if not self.has_external or not self.search_from(0, target, True, now):
                return None
        if self.vertices[target].distance - 1 > MAX_ROUTE_HOPS:
            return None
        route = empty_route(self.vertices[target].distance - 1)
        number = target
        for i in range(route.count - 1, -1, -1):
            number = self.vertices[number].parent
            route.hop[i] = self.index.address[number]
        return route

    cdef int make_room(self, int64_t now) except -1:
        """Forget expired links, then those that expire first, until half of the room is free."""
        cdef list kept = []
        cdef Link* link
        cdef int32_t a, i
        cdef AddressIndex old = self.index
        for a in range(old.count):
            for i in range(self.vertices[a].count):
                link = &self.vertices[a].links[i]
                if link.expiry > now:
                    kept.append((
                        link.expiry, old.address[a], old.address[link.to], link.used, link.external
                    ))
        stable = {
            old.address[a]: self.vertices[a].stability for a in range(old.count)
            if self.vertices[a].stability != self.init_stability
        }
        kept.sort(reverse=True)
        del kept[self.capacity // 2:]
        self.index = AddressIndex()
        self.link_count = 0
        self.vertex(self.own)
        for expiry, first, second, used, external in kept:
            a = self.vertex(first)
            i = self.vertex(second)
            self.set_link(a, i, now)
            link = self.link(a, i)
            link.expiry = expiry
            link.used = used
            link.external = external
        for address, stability in stable.items():
            a = self.index.find(address)
            if a >= 0:
                self.vertices[a].stability = stability
        return 0

    def links(self, int64_t now=0):
        """Links that have not expired, as (from, to, expiry in ns), sorted."""
        cdef list found = []
        cdef int32_t a, i
        cdef Link* link
        for a in range(self.index.count):
            for i in range(self.vertices[a].count):
                link = &self.vertices[a].links[i]
                if link.expiry > now:
                    found.append((
                        ipv4_address(self.index.address[a]),
                        ipv4_address(self.index.address[link.to]), link.expiry,
                    ))
        found.sort()
        return found

    def stability(self, address):
        """Stability of another node (ns)."""
        cdef int32_t number = self.index.find(ipv4_value(address))
        return self.init_stability if number < 0 else self.vertices[number].stability

    def set_external(self, a, b):
        """Flag the link as a path outside the DSR network (RFC 4728 4.1)."""
        self.mark_external(ipv4_value(a), ipv4_value(b))
