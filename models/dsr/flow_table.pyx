"""Flow Table of the flow state extension (RFC 4728 3.5, 5.1)."""

cimport cython
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from simcore.models.dsr.route cimport Route
from simcore.models.network.address cimport format_ipv4, ipv4_value


@cython.final
cdef class FlowEntry:
    """What a node knows of a flow that it sends, passes on or receives."""

    def __init__(self):
        raise TypeError("FlowEntry objects are made by DSR")

    def __repr__(self):
        return f"<FlowEntry {format_ipv4(self.source)} > {format_ipv4(self.destination)} " \
               f"flow {self.flow} next {format_ipv4(self.next_hop)}>"


cdef bint uses_link(FlowEntry entry, uint32_t a, uint32_t b) noexcept:
    cdef uint32_t before = entry.source
    cdef uint32_t after
    cdef int i
    for i in range(entry.route.count + 1):
        after = entry.route.hop[i] if i < entry.route.count else entry.destination
        if (before == a and after == b) or (before == b and after == a):
            return True
        before = after
    return False


@cython.final
cdef class FlowTable:
    """Flows by source, destination and flow ID.

    Look-ups cost O(flows of one source to one destination). An entry is gone at its expiry; when
    the table is full, the flow that was used longest ago leaves.

    Parameters
    ----------
    capacity : int
        Flows.

    Raises
    ------
    ValueError
        When it is not positive.
    """

    def __init__(self, int capacity=1024):
        if capacity < 1:
            raise ValueError(f"capacity is {capacity} flows: it must be 1 or more")
        self.capacity = capacity
        self.by_pair = {}

    cdef FlowEntry find(self, uint32_t source, uint32_t destination, uint16_t flow, int64_t now):
        cdef FlowEntry entry
        cdef object flows = self.by_pair.get(pair_of(source, destination))
        if flows is None:
            return None
        for item in <list>flows:
            entry = <FlowEntry>item
            if entry.flow == flow:
                return entry if entry.expiry > now else None
        return None

    cdef FlowEntry find_route(
        self, uint32_t source, uint32_t destination, Route route, int64_t now,
    ):
        cdef FlowEntry entry
        cdef object flows = self.by_pair.get(pair_of(source, destination))
        if flows is None:
            return None
        # The latest first: it is the default flow more likely than others.
        for item in reversed(<list>flows):
            entry = <FlowEntry>item
            if entry.expiry > now and entry.route.equals(route):
                return entry
        return None

    cdef FlowEntry first(self, uint32_t source, uint32_t destination, int64_t now):
        cdef object flows = self.by_pair.get(pair_of(source, destination))
        if flows is not None:
            for item in <list>flows:
                if (<FlowEntry>item).expiry > now:
                    return <FlowEntry>item
        return None

    cdef int add(self, FlowEntry entry, int64_t now) except -1:
        cdef FlowEntry stale = None
        cdef FlowEntry old
        cdef list flows = self.by_pair.setdefault(pair_of(entry.source, entry.destination), [])
        for item in list(flows):
            if (<FlowEntry>item).flow == entry.flow or (<FlowEntry>item).expiry <= now:
                self.remove(<FlowEntry>item)
        if self.count >= self.capacity:
            self.purge(now)
        if self.count >= self.capacity:
            for flows in self.by_pair.values():
                for item in flows:
                    old = <FlowEntry>item
                    if stale is None or old.last_used < stale.last_used:
                        stale = old
            self.remove(stale)
        self.by_pair.setdefault(pair_of(entry.source, entry.destination), []).append(entry)
        self.count += 1
        return 0

    cdef int remove(self, FlowEntry entry) except -1:
        cdef object key = pair_of(entry.source, entry.destination)
        cdef list flows = self.by_pair.get(key, [])
        if entry in flows:
            flows.remove(entry)
            self.count -= 1
        if len(flows) == 0:
            self.by_pair.pop(key, None)
        return 0

    cdef int break_link(self, uint32_t a, uint32_t b) except -1:
        cdef list broken = [
            item for flows in self.by_pair.values() for item in flows
            if uses_link(<FlowEntry>item, a, b)
        ]
        for item in broken:
            self.remove(<FlowEntry>item)
        return <int>len(broken)

    cdef int remove_through(self, uint32_t node) except -1:
        cdef list through = [
            item for flows in self.by_pair.values() for item in flows
            if (<FlowEntry>item).destination == node or (<FlowEntry>item).route.find(node) >= 0
        ]
        for item in through:
            self.remove(<FlowEntry>item)
        return <int>len(through)

    cdef int remove_pair(self, uint64_t pair) except -1:
        self.count -= <int>len(self.by_pair.pop(pair, ()))
        return 0

    cdef int purge(self, int64_t now) except -1:
        for flows in list(self.by_pair.values()):
            for item in list(flows):
                if (<FlowEntry>item).expiry <= now:
                    self.remove(<FlowEntry>item)
        return 0

    def lookup(self, source, destination, uint16_t flow, int64_t now):
        """Entry of a flow that has not expired at a time (ns), or None."""
        return self.find(ipv4_value(source), ipv4_value(destination), flow, now)

    def entries(self):
        """All entries, expired ones that were not met since included."""
        return [item for flows in self.by_pair.values() for item in flows]

    def __len__(self):
        return self.count

    # Hooks for tests.

    def _add(self, source, destination, uint16_t flow, route, int64_t expiry, int64_t now):
        cdef FlowEntry entry = FlowEntry.__new__(FlowEntry)
        entry.source = ipv4_value(source)
        entry.destination = ipv4_value(destination)
        entry.flow = flow
        entry.route = Route(route)
        entry.expiry = expiry
        entry.last_used = now
        self.add(entry, now)
        return entry

    def _find_route(self, source, destination, route, int64_t now):
        return self.find_route(ipv4_value(source), ipv4_value(destination), Route(route), now)

    def _break_link(self, a, b):
        return self.break_link(ipv4_value(a), ipv4_value(b))

    def _remove_through(self, node):
        return self.remove_through(ipv4_value(node))
