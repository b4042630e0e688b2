"""The MAC's transmit queue.

Every entry has the same lifetime, so entries expire in the order in which they came: a sweep reads
the clock once and looks at no entry that stays. (ns-3 builds a time object for each entry of each
sweep; profiling/ablations measures the difference.)
"""

cimport cython
from libc.stdint cimport int32_t, int64_t

from simcore.simulator cimport Simulator

from collections import deque


@cython.no_gc
@cython.final
cdef class QueueEntry:

    def __cinit__(self):
        self.sequence = -1


@cython.final
cdef class WifiMacQueue:
    """First come, first served; newest dropped when full; oldest leave when their time is up.

    Parameters
    ----------
    sim : Simulator
    limit : int
        Packets held at most, the one being sent included.
    lifetime : int
        Longest stay (ns), counted from the entry (802.11-2020 dot11EDCATableMSDULifetime).

    Attributes
    ----------
    sweep_when_full : bool
        Whether an arrival at a full queue first throws out what has expired. False leaves that to
        the next transmission, as ns-3's traffic control does; for comparisons.
    """

    def __init__(self, Simulator sim not None, limit=500, lifetime=500_000_000):
        if limit < 1:
            raise ValueError(f"limit is {limit} packets: it must be 1 or more")
        if lifetime <= 0:
            raise ValueError(f"lifetime is {lifetime} ns: it must be positive")
        self.sim = sim
        self.entries = deque()
        self.limit = limit
        self.lifetime = lifetime
        self.sweep_when_full = True

    def __len__(self):
        return len(self.entries)

    cdef bint empty(self) noexcept:
        return len(self.entries) == 0

    cdef bint enqueue(self, QueueEntry entry, int32_t under_way, list expired) except -1:
        """Append an entry; False when the queue is full (the caller drops it).

        ``under_way`` is how many were taken out but still need their place. What is past its
        deadline goes to ``expired`` first.
        """
        cdef bint full = len(self.entries) + under_way >= self.limit
        if self.sweep_when_full or not full:
            self.sweep(expired)
            full = len(self.entries) + under_way >= self.limit
        if full:
            self.overflow_count += 1
            return False
        entry.enqueued = self.sim.now_ns
        entry.deadline = self.sim.now_ns + self.lifetime
        self.entries.append(entry)
        self.byte_count += entry.body.size
        self.enqueued_count += 1
        return True

    cdef int sweep(self, list expired) except -1:
        """Move the entries that are past their deadline to ``expired``: O(expired)."""
        cdef int64_t now = self.sim.now_ns
        cdef QueueEntry entry
        while len(self.entries) > 0 and (<QueueEntry>self.entries[0]).deadline <= now:
            self.expired_count += 1
            entry = self.entries.popleft()
            self.byte_count -= entry.body.size
            expired.append(entry)
        return 0

    cdef QueueEntry take(self, list expired):
        """Oldest entry that is not past its deadline, taken out; None when there is none.

        The entries found expired on the way are appended to ``expired``.
        """
        cdef QueueEntry entry
        self.sweep(expired)
        if len(self.entries) == 0:
            return None
        entry = self.entries.popleft()
        self.byte_count -= entry.body.size
        return entry
