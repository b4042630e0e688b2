"""Forwarding information base (NFD Developer's Guide 3.1)."""

cimport cython
from cpython.object cimport PyObject

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.name cimport Name, name_from
from simcore.models.ndn.prefix_table cimport MAX_DEPTH, PrefixTable


@cython.final
cdef class NextHop:
    """A face towards a prefix, and its cost."""

    def __repr__(self):
        return f"<NextHop face {self.face.id} cost {self.cost}>"


@cython.final
cdef class FibEntry:
    """A prefix and its next hops, the cheapest first; equal costs in the order they came."""

    cdef bint has_nexthop(self, Face face) noexcept:
        for hop in self.nexthops:
            if (<NextHop>hop).face is face:
                return True
        return False

    def __repr__(self):
        return f"<FibEntry {self.prefix} {self.nexthops}>"


cdef FibEntry new_entry(Name prefix):
    cdef FibEntry entry = FibEntry.__new__(FibEntry)
    entry.prefix = prefix
    entry.nexthops = []
    return entry


@cython.final
cdef class Fib:
    """Routes: name prefixes of at most 32 components to next hops.

    A look-up takes one probe for each length that some prefix has, whatever their number.

    Parameters
    ----------
    on_new_nexthop : callable, optional
        Called with (entry, next hop) when a prefix gets another next hop.
    """

    def __init__(self, on_new_nexthop=None):
        self.table = PrefixTable()
        self.nothing = new_entry(Name())
        self.on_new_nexthop = on_new_nexthop

    cdef FibEntry longest(self, Name name):
        return self.longest_below(name, MAX_DEPTH)

    cdef FibEntry longest_below(self, Name name, int most):
        cdef PyObject* found = self.table.longest(name, most)
        return self.nothing if found == NULL else <FibEntry>found

    def insert(self, prefix):
        """Entry of a prefix, made if need be.

        Raises
        ------
        ValueError
            When the prefix has more than 32 components.
        """
        cdef Name name = name_from(prefix)
        cdef FibEntry entry = self.exact(name)
        if entry is None:
            entry = new_entry(name)
            self.table.put(name, entry)
        return entry

    def exact(self, prefix):
        """Entry of exactly this prefix, or None."""
        cdef Name name = name_from(prefix)
        cdef PyObject* found
        if name.count > MAX_DEPTH:
            return None
        found = self.table.exact(name, name.count)
        return None if found == NULL else <FibEntry>found

    def lookup(self, name):
        """Entry of the longest prefix of `name`; an empty one of ``/`` when there is none."""
        return self.longest(name_from(name))

    def add(self, prefix, Face face not None, cost=0):
        """Add a next hop to a prefix, or change its cost."""
        cdef FibEntry entry = self.insert(prefix)
        cdef NextHop hop
        cdef bint known = entry.has_nexthop(face)
        if not 0 <= cost <= 0xFFFFFFFFFFFFFFFF:
            raise ValueError(f"cost is {cost}: it must be 0 to 2**64 - 1")
        hop = NextHop.__new__(NextHop)
        hop.face = face
        hop.cost = cost
        # A new list: a strategy may be walking over the old one.
        others = [item for item in entry.nexthops if (<NextHop>item).face is not face]
        entry.nexthops = sorted([*others, hop], key=nexthop_cost)
        if not known and self.on_new_nexthop is not None:
            self.on_new_nexthop(entry, hop)
        return entry

    def remove(self, prefix, Face face not None):
        """Remove a next hop; an entry without any goes too.

        Returns
        -------
        str
            ``"NEXTHOP_REMOVED"``, ``"FIB_ENTRY_REMOVED"`` or ``"NO_SUCH_NEXTHOP"``.
        """
        cdef FibEntry entry = self.exact(prefix)
        if entry is None or not entry.has_nexthop(face):
            return "NO_SUCH_NEXTHOP"
        entry.nexthops = [hop for hop in entry.nexthops if (<NextHop>hop).face is not face]
        if entry.nexthops:
            return "NEXTHOP_REMOVED"
        self.table.discard(entry.prefix)
        return "FIB_ENTRY_REMOVED"

    def erase(self, prefix):
        """Remove the entry of a prefix; False when there is none."""
        return bool(self.table.discard(name_from(prefix)))

    def remove_face(self, Face face not None):
        """Remove a face from every entry; entries without next hops go."""
        for name, entry in self.table.items():
            if (<FibEntry>entry).has_nexthop(face):
                self.remove(name, face)

    def __len__(self):
        return self.table.size

    def __iter__(self):
        return iter([entry for _, entry in self.table.items()])


def nexthop_cost(NextHop hop not None) -> int:
    """Cost of a next hop, as a sort key."""
    return hop.cost
