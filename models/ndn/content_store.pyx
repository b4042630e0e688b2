"""Content store (NFD Developer's Guide 3.3).

Data is found by the hash of its name. An index in canonical order, which only look-ups by prefix
need, is made at the first of them. Implicit digests are computed where two Data have one name, or
an Interest asks for one.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t

from simcore.models.ndn.component cimport IMPLICIT_DIGEST
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.name cimport Name, name_from

cdef enum:
    DEFAULT_CAPACITY = 65536   # packets, NFD's default
    FIRST_ROOM = 16


cdef class CachePolicy:
    """Which Data leaves a full content store; override the methods for a policy of one's own.

    An entry is a number, the same from its insertion until it is erased; `data(entry)` is what it
    holds. The store calls `inserted`, `refreshed` (the same Data arrived again), `used` (it
    answered an Interest), `erased`, and, while it is above its capacity, `evict`, which returns
    the entry to go. The store then erases it, without a call of `erased` in between.
    """

    cpdef int inserted(self, int entry) except -1:
        """An entry was added."""
        return 0

    cpdef int refreshed(self, int entry) except -1:
        """Data that is there arrived again."""
        return 0

    cpdef int used(self, int entry) except -1:
        """An entry is about to answer an Interest."""
        return 0

    cpdef int erased(self, int entry) except -1:
        """An entry is about to be erased, evicted or not."""
        return 0

    cpdef int evict(self) except -1:
        """Entry that leaves."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to evict")

    def data(self, int entry):
        """Data of an entry."""
        return self.store.data_of(entry)

    def is_unsolicited(self, int entry):
        """Whether no Interest had asked for the Data."""
        self.store.data_of(entry)
        return bool(self.store.slots[entry].unsolicited)

    def fresh_until(self, int entry):
        """Last time when the Data of an entry is fresh, ns."""
        self.store.data_of(entry)
        return self.store.slots[entry].fresh_until

    @property
    def now(self):
        """Time of the operation under way, ns."""
        return self.store.now


cdef inline Data data_at(ContentStore store, int32_t i):
    return <Data>store.slots[i].data


cdef bint equal_data(Data a, Data b) except -1:
    """Whether two Data of one name are the same packet."""
    if a is b:
        return True
    if (
        a.wire is None and b.wire is None and a.content_bytes is None and b.content_bytes is None
        and a.signature is None and b.signature is None
        and a.final_block_wire is None and b.final_block_wire is None
    ):
        return (
            a.content_size == b.content_size and a.freshness_ms == b.freshness_ms
            and a.content_type == b.content_type
        )
    return a.full_name_c().equals(b.full_name_c())


cdef bint is_before(Data a, Data b) except -1:
    """Order of names, and of implicit digests where the names are equal."""
    cdef int order = a.name.compare(b.name)
    if order:
        return order < 0
    return a.full_name_c().compare(b.full_name_c()) < 0


@cython.final
cdef class ContentStore:
    """Cache of Data.

    Parameters
    ----------
    capacity : int
        Packets; 65,536 when not given, 0 for no cache.
    policy : str or CachePolicy
        ``"lru"``, ``"priority-fifo"``, or a policy of one's own.
    """

    def __cinit__(self):
        self.free_slot = -1
        self.root = -1

    def __init__(self, capacity=DEFAULT_CAPACITY, policy="lru"):
        # Here because policies are built on this module.
        from simcore.models.ndn.cache_policy import policy_from

        if not 0 <= capacity <= 0x7FFFFFFF:
            raise ValueError(f"capacity is {capacity} packets: it must be 0 to 2**31 - 1")
        self.capacity = capacity
        self.admits = True
        self.serves = True
        self.policy = policy_from(policy)
        if self.policy.store is not None:
            raise ValueError(f"policy {policy!r} belongs to another content store")
        self.policy.store = self
        self.random_state = 0x9E3779B97F4A7C15U
        if self.slots == NULL:
            self.grow()

    def __dealloc__(self):
        cdef int32_t i
        for i in range(self.room):
            Py_XDECREF(self.slots[i].data)
        PyMem_Free(self.slots)
        PyMem_Free(self.buckets)

    cdef int grow(self) except -1:
        cdef int32_t room = self.room + (self.room >> 1) if self.room else FIRST_ROOM
        cdef int32_t i
        cdef CsSlot* slots = <CsSlot*>PyMem_Realloc(self.slots, room * sizeof(CsSlot))
        if slots == NULL:
            raise MemoryError
        self.slots = slots
        for i in range(room - 1, self.room - 1, -1):
            slots[i].data = NULL
            slots[i].chain = self.free_slot
            self.free_slot = i
        self.room = room
        if self.bucket_mask + 1 < room:
            self.rehash()
        return 0

    cdef int rehash(self) except -1:
        """Buckets, a power of two not below the number of slots."""
        cdef int64_t count = FIRST_ROOM
        cdef int64_t i, bucket
        cdef Name name
        while count < self.room:
            count *= 2
        PyMem_Free(self.buckets)
        self.buckets = <int32_t*>PyMem_Malloc(count * sizeof(int32_t))
        if self.buckets == NULL:
            raise MemoryError
        self.bucket_mask = count - 1
        for i in range(count):
            self.buckets[i] = -1
        for i in range(self.room):
            if self.slots[i].data != NULL:
                name = (<Data>self.slots[i].data).name
                bucket = <int64_t>name.hash[name.count] & self.bucket_mask
                self.slots[i].chain = self.buckets[bucket]
                self.buckets[bucket] = <int32_t>i
        return 0

    cdef int32_t same(self, Data data) except -2:
        """Entry with the same packet, or -1."""
        cdef Name name = data.name
        cdef int32_t i = self.buckets[<int64_t>name.hash[name.count] & self.bucket_mask]
        while i >= 0:
            if data_at(self, i).name.equals(name) and equal_data(data_at(self, i), data):
                return i
            i = self.slots[i].chain
        return -1

    cdef int insert_c(self, Data data, bint unsolicited, int64_t now, int16_t hops) except -1:
        cdef int32_t i
        cdef int64_t bucket
        cdef int64_t fresh_until = now + data.freshness_ns()
        if not self.admits or self.capacity == 0:
            return 0
        self.now = now
        i = self.same(data)
        if i >= 0:
            self.slots[i].fresh_until = fresh_until
            self.slots[i].hops = hops
            if not unsolicited:
                self.slots[i].unsolicited = False
            self.stamp += 1
            self.slots[i].stamp = self.stamp
            self.policy.refreshed(i)
            return 0
        if self.free_slot < 0:
            self.grow()
        i = self.free_slot
        self.free_slot = self.slots[i].chain
        Py_INCREF(data)
        self.slots[i].data = <PyObject*>data
        self.slots[i].fresh_until = fresh_until
        self.slots[i].hops = hops
        self.slots[i].unsolicited = unsolicited
        self.slots[i].before = self.slots[i].after = -1
        self.slots[i].queue = 0
        self.stamp += 1
        self.slots[i].stamp = self.stamp
        bucket = <int64_t>data.name.hash[data.name.count] & self.bucket_mask
        self.slots[i].chain = self.buckets[bucket]
        self.buckets[bucket] = i
        self.size += 1
        if self.ordered:
            index_one(self, i)
        self.policy.inserted(i)
        if self.size > self.capacity:
            self.shrink(self.capacity)
        return 0

    cdef int shrink(self, int64_t size) except -1:
        cdef int i
        while self.size > size:
            i = self.policy.evict()
            if not 0 <= i < self.room or self.slots[i].data == NULL:
                raise ValueError(f"{self.policy!r} evicts entry {i}, which is not in the store")
            self.erase_slot(i)
        return 0

    cdef int erase_slot(self, int32_t i) except -1:
        cdef Name name = data_at(self, i).name
        cdef int32_t* link = &self.buckets[<int64_t>name.hash[name.count] & self.bucket_mask]
        cdef PyObject* data = self.slots[i].data
        self.policy.erased(i)
        while link[0] != i:
            link = &self.slots[link[0]].chain
        link[0] = self.slots[i].chain
        if self.ordered:
            self.root = removed(self, self.root, i)
        self.slots[i].data = NULL
        self.slots[i].chain = self.free_slot
        self.free_slot = i
        self.size -= 1
        Py_XDECREF(data)
        return 0

    cdef Data find_c(self, Interest interest, int64_t now):
        cdef int32_t i
        if not self.serves or self.size == 0:
            return None
        self.now = now
        i = self.locate_ordered(interest) if interest.can_be_prefix else self.locate(interest)
        if i < 0:
            return None
        self.policy.used(i)
        self.found_hops = self.slots[i].hops
        return data_at(self, i)

    cdef bint answers(self, Interest interest, int64_t now) except -1:
        if not self.serves or self.size == 0:
            return False
        self.now = now
        if interest.can_be_prefix:
            return self.locate_ordered(interest) >= 0
        return self.locate(interest) >= 0

    cdef int32_t locate(self, Interest interest) except -2:
        """Entry of exactly this name, or of its prefix before an implicit digest; or -1."""
        cdef Name name = interest.name
        cdef int n = name.count
        cdef int32_t i
        cdef int32_t best = -1
        cdef Data data
        if name.last_type() == IMPLICIT_DIGEST:
            n -= 1
        i = self.buckets[<int64_t>name.hash[n] & self.bucket_mask]
        while i >= 0:
            data = data_at(self, i)
            if (
                data.name.count == n and interest.matches_data(data)
                and not (interest.must_be_fresh and self.slots[i].fresh_until < self.now)
                and (best < 0 or is_before(data, data_at(self, best)))
            ):
                best = i
            i = self.slots[i].chain
        return best

    cdef int32_t locate_ordered(self, Interest interest) except -2:
        """First entry in canonical order that answers, or -1."""
        cdef Data data
        cdef int32_t i
        if interest.name.last_type() == IMPLICIT_DIGEST:
            return self.locate(interest)
        if not self.ordered:
            self.index_all()
        i = self.first_at_or_after(interest.name)
        while i >= 0:
            data = data_at(self, i)
            if not data.name.has_prefix(interest.name):
                return -1
            if not interest.must_be_fresh or self.slots[i].fresh_until >= self.now:
                return i
            i = self.next_in_order(i)
        return -1

    cdef int index_all(self) except -1:
        cdef int32_t i
        self.ordered = True
        for i in range(self.room):
            if self.slots[i].data != NULL:
                index_one(self, i)
        return 0

    cdef int32_t first_at_or_after(self, Name name) except -2:
        cdef int32_t i = self.root
        cdef int32_t best = -1
        while i >= 0:
            if data_at(self, i).name.compare(name) >= 0:
                best = i
                i = self.slots[i].left
            else:
                i = self.slots[i].right
        return best

    cdef int32_t next_in_order(self, int32_t i) except -2:
        cdef int32_t at = self.root
        cdef int32_t best = -1
        while at >= 0:
            if at != i and is_before(data_at(self, i), data_at(self, at)):
                best = at
                at = self.slots[at].left
            else:
                at = self.slots[at].right
        return best

    def insert(self, Data data not None, bint unsolicited=False, int64_t now=0):
        """Keep Data that arrived at `now` (ns)."""
        self.insert_c(data, unsolicited, now, 0)

    def find(self, Interest interest not None, int64_t now=0):
        """Data that answers an Interest at `now` (ns), the first in canonical order, or None."""
        return self.find_c(interest, now)

    def erase(self, prefix, limit=None):
        """Erase Data whose names start with `prefix`, in canonical order, at most `limit`.

        Returns
        -------
        int
            How many there were.
        """
        cdef Name name = name_from(prefix)
        cdef int64_t count = 0
        cdef int32_t i
        if not self.ordered:
            self.index_all()
        while limit is None or count < limit:
            i = self.first_at_or_after(name)
            if i < 0 or not data_at(self, i).name.has_prefix(name):
                break
            self.erase_slot(i)
            count += 1
        return count

    def resize(self, capacity):
        """Change the capacity (packets); what is too much leaves at once."""
        if not 0 <= capacity <= 0x7FFFFFFF:
            raise ValueError(f"capacity is {capacity} packets: it must be 0 to 2**31 - 1")
        self.capacity = capacity
        self.shrink(capacity)

    def data_of(self, int entry):
        """Data of an entry of the policy's."""
        if not 0 <= entry < self.room or self.slots[entry].data == NULL:
            raise KeyError(f"entry {entry} is not in the content store")
        return data_at(self, entry)

    @property
    def bytes_per_entry(self):
        """Memory of one entry beside the Data, bytes."""
        return sizeof(CsSlot) + sizeof(int32_t)

    def __len__(self):
        return self.size

    def __iter__(self):
        cdef int32_t i
        if not self.ordered:
            self.index_all()
        found = []
        i = self.first_at_or_after(Name())
        while i >= 0:
            found.append(data_at(self, i))
            i = self.next_in_order(i)
        return iter(found)


# The ordered index: a treap. Its shape depends on a fixed sequence of priorities only.

cdef int index_one(ContentStore store, int32_t i) except -1:
    cdef uint64_t x = store.random_state
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    store.random_state = x
    store.slots[i].priority = <uint32_t>(x >> 32)
    store.slots[i].left = store.slots[i].right = -1
    store.root = added(store, store.root, i)
    return 0


cdef int32_t added(ContentStore store, int32_t at, int32_t i) except -2:
    cdef int32_t child
    cdef CsSlot* slots = store.slots
    if at < 0:
        return i
    if is_before(data_at(store, i), data_at(store, at)):
        child = added(store, slots[at].left, i)
        slots[at].left = child
        if slots[child].priority > slots[at].priority:
            slots[at].left = slots[child].right
            slots[child].right = at
            return child
    else:
        child = added(store, slots[at].right, i)
        slots[at].right = child
        if slots[child].priority > slots[at].priority:
            slots[at].right = slots[child].left
            slots[child].left = at
            return child
    return at


cdef int32_t merged(ContentStore store, int32_t a, int32_t b) noexcept:
    """One tree of two, all of `a` before all of `b`."""
    cdef CsSlot* slots = store.slots
    if a < 0:
        return b
    if b < 0:
        return a
    if slots[a].priority > slots[b].priority:
        slots[a].right = merged(store, slots[a].right, b)
        return a
    slots[b].left = merged(store, a, slots[b].left)
    return b


cdef int32_t removed(ContentStore store, int32_t at, int32_t i) except -2:
    cdef CsSlot* slots = store.slots
    if at == i:
        return merged(store, slots[i].left, slots[i].right)
    if is_before(data_at(store, i), data_at(store, at)):
        slots[at].left = removed(store, slots[at].left, i)
    else:
        slots[at].right = removed(store, slots[at].right, i)
    return at
