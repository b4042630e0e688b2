"""Path cache (RFC 4728 4.1): simple, loop-free, and forgetful of what paths have in common."""

cimport cython
from libc.stdint cimport int64_t, uint32_t

from simcore.models.dsr.route cimport Route, empty_route, new_route
from simcore.models.dsr.route_cache cimport RouteCache


@cython.final
cdef class CachedPath:
    pass


@cython.final
cdef class PathCache(RouteCache):
    """Paths from this node, as they were heard of; each O(paths).

    The best route is the shortest prefix of a path that ends with the destination; of equal ones
    the one learned or used last. When the cache is full, the path least recently learned or used
    leaves.

    Parameters
    ----------
    own : Ipv4Address, str or int
    capacity : int
        Paths kept at most.
    timeout : int
        Life of a path that is neither used nor heard of again (ns, RFC 4728 9 RouteCacheTimeout).
    keep_expired : bool
        Use paths past their time.

    Raises
    ------
    ValueError
        When a parameter is out of range.
    """

    def __init__(
        self, own, *, int capacity=64, int64_t timeout=300_000_000_000, bint keep_expired=False,
    ):
        RouteCache.__init__(self, own)
        if capacity < 1:
            raise ValueError(f"capacity is {capacity} paths: it must be 1 or more")
        if timeout <= 0:
            raise ValueError(f"timeout is {timeout} ns: it must be positive")
        self.capacity = capacity
        self.timeout = timeout
        self.keep_expired = keep_expired
        self.paths = []

    cdef bint add_path(self, Route hops, int64_t now) except -1:
        cdef CachedPath path
        cdef Py_ssize_t i
        if hops.count == 0 or hops.find(self.own) >= 0:
            return False
        for i in range(len(self.paths)):
            path = self.paths[i]
            if path.hops.equals(hops):
                path.expiry = now + self.timeout
                self.paths.append(self.paths.pop(i))
                return False
        path = CachedPath.__new__(CachedPath)
        path.hops = hops
        path.expiry = now + self.timeout
        if len(self.paths) >= self.capacity:
            del self.paths[0]
        self.paths.append(path)
        return True

    cdef bint learn(self, const uint32_t* hops, int count, int at, int64_t now) except -1:
        cdef bint new = False
        cdef Route back
        cdef int first, i
        # With the neighbour that was heard, the paths begin with it.
        first = at + 1 if hops[at] == self.own else at
        new |= self.add_path(new_route(hops + first, count - first), now)
        first = at - 1 if hops[at] == self.own else at
        if first < 0:
            return new
        back = empty_route(first + 1)
        for i in range(first + 1):
            back.hop[i] = hops[first - i]
        return self.add_path(back, now) | new

    cdef Route find(self, uint32_t destination, int64_t now):
        cdef CachedPath path
        cdef Route best = None
        cdef int hops, least = 0
        for item in self.paths:
            path = <CachedPath>item
            if path.expiry <= now and not self.keep_expired:
                continue
            hops = path.hops.find(destination)
            if hops >= 0 and (best is None or hops <= least):
                best = path.hops
                least = hops
        return None if best is None else new_route(best.hop, least)

    cdef int use(self, Route route, uint32_t destination, int64_t now) except -1:
        cdef CachedPath path
        cdef Py_ssize_t i
        cdef int k
        for i in range(len(self.paths)):
            path = <CachedPath>self.paths[i]
            if path.hops.find(destination) != route.count:
                continue
            for k in range(route.count):
                if path.hops.hop[k] != route.hop[k]:
                    break
            else:
                path.expiry = now + self.timeout
                self.paths.append(self.paths.pop(i))
                return 0
        return 0

    cdef bint break_link(self, uint32_t a, uint32_t b, int64_t now) except -1:
        """Cut the paths at the link: what comes before it does not use it."""
        cdef list kept = []
        cdef CachedPath path
        cdef bint known = False
        cdef uint32_t previous
        cdef int i
        for item in self.paths:
            path = <CachedPath>item
            previous = self.own
            for i in range(path.hops.count):
                if (previous == a and path.hops.hop[i] == b) or (
                    previous == b and path.hops.hop[i] == a
                ):
                    known = True
                    if i > 0:
                        path.hops = new_route(path.hops.hop, i)
                        kept.append(path)
                    break
                previous = path.hops.hop[i]
            else:
                kept.append(path)
        self.paths = kept
        return known

    def __len__(self):
        return len(self.paths)

    def routes(self, int64_t now=0):
        """Paths that have not expired, as Routes from the first neighbour to the far end."""
        return [
            (<CachedPath>path).hops for path in self.paths if (<CachedPath>path).expiry > now
        ]
