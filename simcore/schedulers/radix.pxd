"""Radix heap on the integer time (Ahuja et al. 1990), for tens of thousands of pending events.

Bucket b > 0 holds the entries whose highest bit that differs from `base` is bit b - 1; bucket 0
holds those at `base` itself, in order. Insert and remove are O(1); an entry moves down at most
63 times in its life, so that pop is O(1) amortised for delays of a fixed scale. Events are never
earlier than the clock, which is what the structure needs. Peek scans one bucket and leaves `base`
alone: base may only follow the clock, or an event scheduled after a peek could fall behind it.
Memory: 16 bytes an entry plus 4 for its position, times at most 1.5 for growth, per bucket.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, qsort, realloc

from simcore.schedulers.entry cimport Entry, entry_slot, entry_time

cdef enum:
    RADIX_BUCKETS = 65

ctypedef struct Bucket:
    Entry* entries
    int64_t size
    int64_t capacity

ctypedef struct Radix:
    Bucket buckets[RADIX_BUCKETS]
    int32_t* position     # slot -> index in its bucket; owned by the simulator
    int64_t base          # time of the last entry taken out
    int64_t size          # entries in all buckets
    int64_t front         # entries of bucket 0 already taken out
    uint64_t occupied     # bit b - 1 set: bucket b has entries

cdef extern from *:
    """
    #define simcore_highest_bit(x) (63 - __builtin_clzll(x))
    #define simcore_lowest_bit(x) (__builtin_ctzll(x))
    static const simcore_entry_t simcore_no_entry = ~(simcore_entry_t)0;
    """
    int highest_bit "simcore_highest_bit" (uint64_t x) noexcept nogil
    int lowest_bit "simcore_lowest_bit" (uint64_t x) noexcept nogil
    const Entry NO_ENTRY "simcore_no_entry"


cdef inline int compare_entries(const void* a, const void* b) noexcept nogil:
    cdef Entry x = (<const Entry*>a)[0]
    cdef Entry y = (<const Entry*>b)[0]
    return (x > y) - (x < y)


cdef inline void radix_free(Radix* r) noexcept nogil:
    cdef int b
    for b in range(RADIX_BUCKETS):
        free(r.buckets[b].entries)
        r.buckets[b].entries = NULL
        r.buckets[b].size = 0
        r.buckets[b].capacity = 0
    r.size = 0
    r.front = 0
    r.occupied = 0


cdef inline int radix_bucket(Radix* r, int64_t time) noexcept nogil:
    if time == r.base:
        return 0
    return highest_bit(<uint64_t>(time ^ r.base)) + 1


cdef inline int radix_append(Radix* r, int b, Entry e) noexcept nogil:
    cdef Bucket* bucket = &r.buckets[b]
    cdef int64_t capacity
    cdef Entry* grown
    if bucket.size == bucket.capacity:
        capacity = 16 if bucket.capacity < 16 else bucket.capacity + (bucket.capacity >> 1)
        grown = <Entry*>realloc(bucket.entries, capacity * sizeof(Entry))
        if grown == NULL:
            return -1
        bucket.entries = grown
        bucket.capacity = capacity
    bucket.entries[bucket.size] = e
    r.position[entry_slot(e)] = <int32_t>bucket.size
    bucket.size += 1
    if b > 0:
        r.occupied |= (<uint64_t>1) << (b - 1)
    return 0


cdef inline int radix_insert(Radix* r, Entry e) noexcept nogil:
    """Add an entry that is not earlier than `base`; -1 when memory is exhausted."""
    if radix_append(r, radix_bucket(r, entry_time(e)), e) < 0:
        return -1
    r.size += 1
    return 0


cdef inline bint radix_peek(Radix* r, Entry* first) noexcept nogil:
    """Earliest entry, which stays; False when there is none."""
    cdef Bucket* bucket = &r.buckets[0]
    cdef int64_t i
    cdef Entry smallest
    if r.size == 0:
        return False
    while r.front < bucket.size:
        if bucket.entries[r.front] != NO_ENTRY:
            first[0] = bucket.entries[r.front]
            return True
        r.front += 1
    bucket = &r.buckets[lowest_bit(r.occupied) + 1]
    smallest = bucket.entries[0]
    for i in range(1, bucket.size):
        if bucket.entries[i] < smallest:
            smallest = bucket.entries[i]
    first[0] = smallest
    return True


cdef inline int radix_take(Radix* r, Entry first) noexcept nogil:
    """Take out the entry that `radix_peek` has just shown; -1 when memory is exhausted."""
    cdef Bucket* bucket
    cdef int b
    cdef int64_t i, size
    cdef Entry* entries
    if r.front < r.buckets[0].size:
        r.front += 1
        r.size -= 1
        if r.front == r.buckets[0].size:
            r.front = 0
            r.buckets[0].size = 0
        return 0
    r.front = 0
    r.buckets[0].size = 0
    b = lowest_bit(r.occupied) + 1
    bucket = &r.buckets[b]
    size = bucket.size
    r.base = entry_time(first)
    r.size -= 1
    bucket.size = 0
    r.occupied &= ~((<uint64_t>1) << (b - 1))
    if size == 1:
        return 0
    # Every entry moves to a lower bucket: the bit that made it differ from the old base is now
    # equal, so that bucket b itself receives nothing while it is read.
    entries = bucket.entries
    for i in range(size):
        if entries[i] != first:
            if radix_append(r, radix_bucket(r, entry_time(entries[i])), entries[i]) < 0:
                return -1
    bucket = &r.buckets[0]
    if bucket.size > 1:
        qsort(bucket.entries, bucket.size, sizeof(Entry), compare_entries)
        for i in range(bucket.size):
            r.position[entry_slot(bucket.entries[i])] = <int32_t>i
    return 0


cdef inline void radix_remove(Radix* r, int32_t slot, int64_t time) noexcept nogil:
    cdef int b = radix_bucket(r, time)
    cdef Bucket* bucket = &r.buckets[b]
    cdef int64_t index = r.position[slot]
    r.size -= 1
    if b == 0:
        # Bucket 0 is in order and about to be drained: the place stays empty unless it is last.
        bucket.entries[index] = NO_ENTRY
        while bucket.size > r.front and bucket.entries[bucket.size - 1] == NO_ENTRY:
            bucket.size -= 1
        if bucket.size == r.front:
            bucket.size = 0
            r.front = 0
        return
    bucket.size -= 1
    if index < bucket.size:
        bucket.entries[index] = bucket.entries[bucket.size]
        r.position[entry_slot(bucket.entries[index])] = <int32_t>index
    if bucket.size == 0:
        r.occupied &= ~((<uint64_t>1) << (b - 1))
