"""Replacement policies of the content store (NFD Developer's Guide 3.3.2)."""

from heapq import heappop, heappush

cimport cython
from libc.stdint cimport int32_t, int64_t

from simcore.models.ndn.content_store cimport CachePolicy, CsSlot

cdef enum:
    UNSOLICITED = 0            # the queues of priority-fifo, in the order in which they give
    STALE = 1
    FRESH = 2
    QUEUES = 3


cdef struct Ends:
    int32_t oldest             # -1: empty
    int32_t youngest


cdef void push(CsSlot* slots, Ends* queue, int32_t i) noexcept:
    slots[i].before = queue.youngest
    slots[i].after = -1
    if queue.youngest >= 0:
        slots[queue.youngest].after = i
    else:
        queue.oldest = i
    queue.youngest = i


cdef void unlink(CsSlot* slots, Ends* queue, int32_t i) noexcept:
    cdef int32_t before = slots[i].before
    cdef int32_t after = slots[i].after
    if before >= 0:
        slots[before].after = after
    else:
        queue.oldest = after
    if after >= 0:
        slots[after].before = before
    else:
        queue.youngest = before


@cython.final
cdef class Lru(CachePolicy):
    """The least recently used leaves; use is an answer or another arrival of the Data."""

    cdef Ends queue

    def __cinit__(self):
        self.queue.oldest = self.queue.youngest = -1

    cpdef int inserted(self, int entry) except -1:
        push(self.store.slots, &self.queue, entry)
        return 0

    cpdef int refreshed(self, int entry) except -1:
        return self.used(entry)

    cpdef int used(self, int entry) except -1:
        unlink(self.store.slots, &self.queue, entry)
        push(self.store.slots, &self.queue, entry)
        return 0

    cpdef int erased(self, int entry) except -1:
        unlink(self.store.slots, &self.queue, entry)
        return 0

    cpdef int evict(self) except -1:
        return self.queue.oldest


@cython.final
cdef class PriorityFifo(CachePolicy):
    """Unsolicited Data leaves first, then stale, then the rest; each in order of arrival.

    Stale Data stands in the order in which it became stale.
    """

    cdef Ends queues[QUEUES]
    cdef list expiries           # heap of (last fresh time, stamp, entry) of the fresh queue

    def __cinit__(self):
        for i in range(QUEUES):
            self.queues[i].oldest = self.queues[i].youngest = -1
        self.expiries = []

    cdef int attach(self, int entry) except -1:
        cdef CsSlot* slot = &self.store.slots[entry]
        slot.queue = UNSOLICITED if slot.unsolicited else FRESH
        push(self.store.slots, &self.queues[slot.queue], entry)
        if slot.queue == FRESH:
            heappush(self.expiries, (slot.fresh_until, slot.stamp, entry))
        return 0

    cdef int find_stale(self) except -1:
        """Move what is no longer fresh to the queue of the stale."""
        cdef CsSlot* slots = self.store.slots
        cdef int64_t time
        cdef int32_t entry
        while self.expiries:
            time, stamp, entry = self.expiries[0]
            if time > self.store.now:
                return 0
            heappop(self.expiries)
            # Erased or refreshed meanwhile: its number may belong to another.
            if (
                slots[entry].data != NULL and slots[entry].stamp == stamp
                and slots[entry].queue == FRESH
            ):
                unlink(slots, &self.queues[FRESH], entry)
                slots[entry].queue = STALE
                push(slots, &self.queues[STALE], entry)
        return 0

    cpdef int inserted(self, int entry) except -1:
        return self.attach(entry)

    cpdef int refreshed(self, int entry) except -1:
        self.find_stale()
        unlink(self.store.slots, &self.queues[self.store.slots[entry].queue], entry)
        return self.attach(entry)

    cpdef int erased(self, int entry) except -1:
        unlink(self.store.slots, &self.queues[self.store.slots[entry].queue], entry)
        return 0

    cpdef int evict(self) except -1:
        self.find_stale()
        for i in range(QUEUES):
            if self.queues[i].oldest >= 0:
                return self.queues[i].oldest
        return -1


def policy_from(policy) -> CachePolicy:
    """Policy of a name, or the policy itself.

    Raises
    ------
    ValueError
        When there is no policy of this name.
    """
    if isinstance(policy, CachePolicy):
        return policy
    if policy == "lru":
        return Lru()
    if policy == "priority-fifo":
        return PriorityFifo()
    raise ValueError(f"policy is {policy!r}: it must be 'lru', 'priority-fifo' or a CachePolicy")
