"""4-ary array heap of 16-byte entries with a position index.

Insert, pop, remove and update are O(log4 n); peek is O(1). Four children share a cache line.
Memory: 16 bytes an entry plus 4 for its position, times at most 1.25 for growth.

The root may be a hole: the run loop takes the first entry out and the event it fires usually
schedules another one, which then sifts down from the root once, instead of one sift for the
removal and another for the insertion.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from simcore.schedulers.entry cimport Entry, entry_slot

cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t size) noexcept nogil

cdef enum:
    CACHE_LINE = 64

ctypedef struct Heap:
    Entry* entries        # entries[0] is the earliest, or a hole
    void* memory          # block that holds them: entries[1] begins a cache line
    int32_t* position     # slot -> index in entries; owned by the simulator
    int64_t size          # entries in use, the hole included
    int64_t capacity
    bint hole             # entries[0] was taken out


cdef inline void heap_free(Heap* h) noexcept nogil:
    free(h.memory)
    h.memory = NULL
    h.entries = NULL
    h.size = 0
    h.capacity = 0
    h.hole = False


cdef inline int heap_reserve(Heap* h) noexcept nogil:
    """Make room for one more entry; -1 when memory is exhausted."""
    cdef int64_t capacity
    cdef void* grown = NULL
    cdef Entry* entries
    if h.size < h.capacity:
        return 0
    capacity = 64 if h.capacity < 64 else h.capacity + (h.capacity >> 2)
    if posix_memalign(&grown, CACHE_LINE, CACHE_LINE + capacity * sizeof(Entry)) != 0:
        return -1
    # The children of entry i are 4 i + 1 to 4 i + 4: one line when entries[1] begins one.
    entries = <Entry*>(<char*>grown + CACHE_LINE) - 1
    if h.size > 0:
        memcpy(entries, h.entries, h.size * sizeof(Entry))
    free(h.memory)
    h.memory = grown
    h.entries = entries
    h.capacity = capacity
    return 0


cdef inline void heap_sift_up(Heap* h, int64_t index, Entry e) noexcept nogil:
    cdef Entry* entries = h.entries
    cdef int32_t* position = h.position
    cdef int64_t parent
    while index > 0:
        parent = (index - 1) >> 2
        if entries[parent] < e:
            break
        entries[index] = entries[parent]
        position[entry_slot(entries[index])] = <int32_t>index
        index = parent
    entries[index] = e
    position[entry_slot(e)] = <int32_t>index


cdef inline void heap_sift_down(Heap* h, int64_t index, Entry e) noexcept nogil:
    cdef Entry* entries = h.entries
    cdef int32_t* position = h.position
    cdef int64_t size = h.size
    cdef int64_t child, best, left, right, last
    cdef Entry smallest
    while True:
        child = (index << 2) + 1
        if child + 4 <= size:
            # The smallest of four by arithmetic: which one it is cannot be predicted, and four
            # unpredictable branches a level would cost more than everything else.
            left = child + (entries[child + 1] < entries[child])
            right = child + 2 + (entries[child + 3] < entries[child + 2])
            best = left ^ ((left ^ right) & -<int64_t>(entries[right] < entries[left]))
            smallest = entries[best]
        elif child < size:
            best = child
            smallest = entries[child]
            last = child + 1
            while last < size:
                if entries[last] < smallest:
                    smallest = entries[last]
                    best = last
                last += 1
        else:
            break
        if e < smallest:
            break
        entries[index] = smallest
        position[entry_slot(smallest)] = <int32_t>index
        index = best
    entries[index] = e
    position[entry_slot(e)] = <int32_t>index


cdef inline void heap_fill_hole(Heap* h) noexcept nogil:
    h.hole = False
    h.size -= 1
    if h.size > 0:
        heap_sift_down(h, 0, h.entries[h.size])


cdef inline int heap_insert(Heap* h, Entry e) noexcept nogil:
    """Add an entry; -1 when memory is exhausted."""
    if h.hole:
        h.hole = False
        heap_sift_down(h, 0, e)
        return 0
    if heap_reserve(h) < 0:
        return -1
    h.size += 1
    heap_sift_up(h, h.size - 1, e)
    return 0


cdef inline bint heap_peek(Heap* h, Entry* first) noexcept nogil:
    """Earliest entry, which stays; False when there is none."""
    if h.hole:
        heap_fill_hole(h)
    if h.size == 0:
        return False
    first[0] = h.entries[0]
    return True


cdef inline void heap_take(Heap* h) noexcept nogil:
    """Take out the entry that `heap_peek` has just shown."""
    h.hole = True


cdef inline int32_t heap_second(Heap* h) noexcept nogil:
    """Slot of the entry that follows the first, from five entries on."""
    cdef Entry* entries = h.entries
    cdef Entry best = entries[1]
    if entries[2] < best:
        best = entries[2]
    if entries[3] < best:
        best = entries[3]
    if entries[4] < best:
        best = entries[4]
    return entry_slot(best)


cdef inline void heap_update(Heap* h, Entry e) noexcept nogil:
    """Replace the entry of the same slot, wherever it stands."""
    cdef int64_t index
    if h.hole:
        # Sifting compares with the parent, which must not be the hole.
        heap_fill_hole(h)
    index = h.position[entry_slot(e)]
    if index > 0 and e < h.entries[(index - 1) >> 2]:
        heap_sift_up(h, index, e)
    else:
        heap_sift_down(h, index, e)


cdef inline void heap_remove(Heap* h, int32_t slot) noexcept nogil:
    cdef int64_t index
    cdef Entry moved
    if h.hole:
        heap_fill_hole(h)
    index = h.position[slot]
    h.size -= 1
    if index == h.size:
        return
    moved = h.entries[h.size]
    if index > 0 and moved < h.entries[(index - 1) >> 2]:
        heap_sift_up(h, index, moved)
    else:
        heap_sift_down(h, index, moved)
