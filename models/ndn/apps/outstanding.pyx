"""Interests of a consumer that wait for Data, or to be sent again."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef enum:
    FIRST_ROOM = 16            # a power of two


cdef inline int32_t bucket_of(int64_t sequence, int32_t room) noexcept:
    # Fibonacci hashing: sequence numbers come in runs, or many apart.
    return <int32_t>((<uint64_t>sequence * 0x9E3779B97F4A7C15U) >> 33) & (room - 1)


@cython.final
cdef class Outstanding:
    """Pending Interests by sequence number, and in the order of their sending.

    Every operation takes constant time.
    """

    def __cinit__(self):
        self.free_slot = -1
        self.first_sent = self.last_sent = self.first_due = self.last_due = -1
        self.grow()

    def __dealloc__(self):
        PyMem_Free(self.slots)
        PyMem_Free(self.buckets)

    def __len__(self):
        return self.sent + self.due

    def sequences(self):
        """Sequence numbers, those in flight by the time of sending, then those to be resent."""
        cdef list found = []
        cdef int32_t i
        for i in (self.first_sent, self.first_due):
            while i >= 0:
                found.append(self.slots[i].sequence)
                i = self.slots[i].after
        return found

    cdef int grow(self) except -1:
        cdef int32_t room = 2 * self.room if self.room else FIRST_ROOM
        cdef int32_t i, bucket
        cdef Pending* slots = <Pending*>PyMem_Realloc(self.slots, room * sizeof(Pending))
        if slots == NULL:
            raise MemoryError
        self.slots = slots
        PyMem_Free(self.buckets)
        self.buckets = <int32_t*>PyMem_Malloc(room * sizeof(int32_t))
        if self.buckets == NULL:
            raise MemoryError
        for i in range(room):
            self.buckets[i] = -1
        # All slots are in use, or there were none.
        for i in range(self.room):
            bucket = bucket_of(slots[i].sequence, room)
            slots[i].chain = self.buckets[bucket]
            self.buckets[bucket] = i
        for i in range(room - 1, self.room - 1, -1):
            slots[i].chain = self.free_slot
            self.free_slot = i
        self.room = room
        return 0

    cdef int32_t find(self, int64_t sequence) noexcept:
        cdef int32_t i = self.buckets[bucket_of(sequence, self.room)]
        while i >= 0 and self.slots[i].sequence != sequence:
            i = self.slots[i].chain
        return i

    cdef int32_t add(self, int64_t sequence, int64_t now) except -1:
        cdef int32_t i, bucket
        if self.free_slot < 0:
            self.grow()
        i = self.free_slot
        self.free_slot = self.slots[i].chain
        bucket = bucket_of(sequence, self.room)
        self.slots[i].sequence = sequence
        self.slots[i].first_sent = now
        self.slots[i].last_sent = now
        self.slots[i].transmissions = 1
        self.slots[i].is_due = False
        self.slots[i].chain = self.buckets[bucket]
        self.buckets[bucket] = i
        self.link(i)
        return i

    cdef void sent_again(self, int32_t i, int64_t now) noexcept:
        self.unlink(i)
        self.slots[i].is_due = False
        self.slots[i].last_sent = now
        self.slots[i].transmissions += 1
        self.link(i)

    cdef void make_due(self, int32_t i) noexcept:
        self.unlink(i)
        self.slots[i].is_due = True
        self.link(i)

    cdef void remove(self, int32_t i) noexcept:
        cdef int32_t* place = &self.buckets[bucket_of(self.slots[i].sequence, self.room)]
        self.unlink(i)
        while place[0] != i:
            place = &self.slots[place[0]].chain
        place[0] = self.slots[i].chain
        self.slots[i].chain = self.free_slot
        self.free_slot = i

    cdef void link(self, int32_t i) noexcept:
        cdef int32_t last = self.last_due if self.slots[i].is_due else self.last_sent
        self.slots[i].before = last
        self.slots[i].after = -1
        if last >= 0:
            self.slots[last].after = i
        if self.slots[i].is_due:
            self.last_due = i
            if last < 0:
                self.first_due = i
            self.due += 1
        else:
            self.last_sent = i
            if last < 0:
                self.first_sent = i
            self.sent += 1

    cdef void unlink(self, int32_t i) noexcept:
        cdef int32_t before = self.slots[i].before
        cdef int32_t after = self.slots[i].after
        if before >= 0:
            self.slots[before].after = after
        elif self.slots[i].is_due:
            self.first_due = after
        else:
            self.first_sent = after
        if after >= 0:
            self.slots[after].before = before
        elif self.slots[i].is_due:
            self.last_due = before
        else:
            self.last_sent = before
        if self.slots[i].is_due:
            self.due -= 1
        else:
            self.sent -= 1
