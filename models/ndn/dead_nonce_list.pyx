"""Dead nonce list (NFD Developer's Guide 3.5)."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from simcore.models.ndn.name cimport Name, name_from

cdef enum:
    MIN_LIFETIME = 50_000_000
    FIRST_CAPACITY = 1 << 14
    MIN_CAPACITY = 1 << 10
    MAX_CAPACITY = 1 << 24
    EXPECTED_MARKS = 5             # marks in the list when its capacity suits the lifetime
    EVICT_LIMIT = 64               # entries that go at a time
    FIRST_ROOM = 64

cdef uint64_t MARK = 0
cdef int64_t DEFAULT_LIFETIME = 6_000_000_000


cdef uint64_t hash_of(Name name, uint32_t nonce) noexcept:
    """Mix of the name's keyed hash and the nonce (the finaliser of MurmurHash3); never MARK."""
    cdef uint64_t h = name.hash[name.count] ^ (<uint64_t>nonce * 0x9E3779B97F4A7C15U)
    h ^= h >> 33
    h *= 0xFF51AFD7ED558CCDU
    h ^= h >> 33
    h *= 0xC4CEB9FE1A85EC53U
    h ^= h >> 33
    return h if h != MARK else 1


@cython.final
cdef class DeadNonceList:
    """Names and nonces of Interests whose PIT entries are gone, each as one 64-bit hash.

    The list is first-in first-out and its capacity follows the rate: marks are put in at fixed
    intervals, and when there are more of them in the list than a lifetime has, the capacity
    shrinks by a tenth, when there are fewer, it grows by a fifth. Marks that were due are put in
    when the list is next used, with the effect that they would have had at their times.

    Parameters
    ----------
    lifetime : int
        How long a nonce is to be remembered, ns; at least 50 ms.
    capacity : int
        At the start, entries and marks; the limit when that is less.
    limit : int
        The capacity does not grow beyond this.

    Raises
    ------
    ValueError
        When the lifetime is too short, or the capacity or the limit out of range.
    """

    def __cinit__(
        self, lifetime=DEFAULT_LIFETIME, capacity=FIRST_CAPACITY, *, now=0, limit=MAX_CAPACITY
    ):
        self.oldest = self.youngest = self.free_node = -1
        if lifetime < MIN_LIFETIME:
            raise ValueError(f"lifetime is {lifetime} ns: it must be at least {MIN_LIFETIME} ns")
        if not 1 <= capacity <= MAX_CAPACITY:
            raise ValueError(f"capacity is {capacity}: it must be 1 to {MAX_CAPACITY}")
        if not MIN_CAPACITY <= limit <= MAX_CAPACITY:
            raise ValueError(f"limit is {limit}: it must be {MIN_CAPACITY} to {MAX_CAPACITY}")
        self.lifetime = lifetime
        self.limit = limit
        self.capacity = min(capacity, limit)
        self.next_mark = now + self.lifetime // EXPECTED_MARKS
        self.next_adjustment = now + self.lifetime
        self.grow()
        for _mark in range(EXPECTED_MARKS):
            self.append(MARK)

    def __dealloc__(self):
        PyMem_Free(self.nodes)
        PyMem_Free(self.buckets)

    cdef int32_t locate(self, uint64_t hash) noexcept:
        cdef int32_t i = self.buckets[hash & <uint64_t>(self.room - 1)]
        while i >= 0 and self.nodes[i].hash != hash:
            i = self.nodes[i].chain
        return i

    cdef bint contains(self, Name name, uint32_t nonce, int64_t now) except -1:
        if now >= self.next_mark:
            self.catch_up(now)
        return self.locate(hash_of(name, nonce)) >= 0

    cdef int insert(self, Name name, uint32_t nonce, int64_t now) except -1:
        cdef uint64_t hash = hash_of(name, nonce)
        cdef int32_t i
        if now >= self.next_mark:
            self.catch_up(now)
        i = self.locate(hash)
        if i >= 0:
            self.unlink(i)
            self.link_youngest(i)
            return 0
        self.append(hash)
        self.evict()
        return 0

    cdef int catch_up(self, int64_t now) except -1:
        """Put in the marks that were due, and adjust the capacity where that was due."""
        while self.next_mark <= now:
            # At a common time the mark comes first: it was scheduled first.
            self.append(MARK)
            self.above |= self.marks > EXPECTED_MARKS
            self.below |= self.marks < EXPECTED_MARKS
            self.equal |= self.marks == EXPECTED_MARKS
            if self.next_adjustment <= self.next_mark:
                if self.above and not self.below and not self.equal:
                    self.capacity = max(self.capacity * 9 // 10, MIN_CAPACITY)
                elif self.below and not self.above and not self.equal:
                    self.capacity = min(self.capacity * 12 // 10, self.limit)
                self.above = self.below = self.equal = False
                self.evict()
                self.next_adjustment += self.lifetime
            self.next_mark += self.lifetime // EXPECTED_MARKS
        return 0

    cdef int append(self, uint64_t hash) except -1:
        cdef int32_t i
        cdef uint64_t bucket
        if self.free_node < 0:
            self.grow()
        i = self.free_node
        self.free_node = self.nodes[i].chain
        self.nodes[i].hash = hash
        self.link_youngest(i)
        self.length += 1
        if hash == MARK:
            self.marks += 1
        else:
            bucket = hash & <uint64_t>(self.room - 1)
            self.nodes[i].chain = self.buckets[bucket]
            self.buckets[bucket] = i
        return 0

    cdef void unlink(self, int32_t i) noexcept:
        cdef int32_t before = self.nodes[i].before
        cdef int32_t after = self.nodes[i].after
        if before >= 0:
            self.nodes[before].after = after
        else:
            self.oldest = after
        if after >= 0:
            self.nodes[after].before = before
        else:
            self.youngest = before

    cdef void link_youngest(self, int32_t i) noexcept:
        self.nodes[i].before = self.youngest
        self.nodes[i].after = -1
        if self.youngest >= 0:
            self.nodes[self.youngest].after = i
        else:
            self.oldest = i
        self.youngest = i

    cdef void evict(self) noexcept:
        """Take out the oldest beyond the capacity, at most 64 of them."""
        cdef int32_t i
        cdef int32_t* link
        for _entry in range(EVICT_LIMIT):
            if self.length <= self.capacity:
                return
            i = self.oldest
            self.unlink(i)
            self.length -= 1
            if self.nodes[i].hash == MARK:
                self.marks -= 1
            else:
                link = &self.buckets[self.nodes[i].hash & <uint64_t>(self.room - 1)]
                while link[0] != i:
                    link = &self.nodes[link[0]].chain
                link[0] = self.nodes[i].chain
            self.nodes[i].chain = self.free_node
            self.free_node = i

    cdef int grow(self) except -1:
        """Twice as many nodes and buckets; all entries are put into the new buckets."""
        cdef int32_t room = 2 * self.room if self.room else FIRST_ROOM
        cdef int32_t i
        cdef uint64_t bucket
        cdef DeadNonce* nodes = <DeadNonce*>PyMem_Realloc(self.nodes, room * sizeof(DeadNonce))
        if nodes == NULL:
            raise MemoryError
        self.nodes = nodes
        PyMem_Free(self.buckets)
        self.buckets = <int32_t*>PyMem_Malloc(room * sizeof(int32_t))
        if self.buckets == NULL:
            raise MemoryError
        for i in range(room):
            self.buckets[i] = -1
        for i in range(room - 1, self.room - 1, -1):
            nodes[i].chain = self.free_node
            self.free_node = i
        self.room = room
        i = self.oldest
        while i >= 0:
            if nodes[i].hash != MARK:
                bucket = nodes[i].hash & <uint64_t>(room - 1)
                nodes[i].chain = self.buckets[bucket]
                self.buckets[bucket] = i
            i = nodes[i].after
        return 0

    def has(self, name, uint32_t nonce, int64_t now=0):
        """Whether the nonce of this name is remembered at time `now` (ns)."""
        return self.contains(name_from(name), nonce, now)

    def add(self, name, uint32_t nonce, int64_t now=0):
        """Remember a nonce of a name; one that is there already becomes the youngest."""
        self.insert(name_from(name), nonce, now)

    def __len__(self):
        return self.length - self.marks
