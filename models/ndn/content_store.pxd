"""Content store: Data that passed, kept to answer later Interests."""

from cpython.object cimport PyObject
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint32_t, uint64_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.name cimport Name


cdef struct CsSlot:
    PyObject* data             # owned; NULL: free
    int64_t fresh_until        # last time when the Data is fresh, ns
    uint64_t stamp             # order of insertion or refresh
    int32_t chain              # next with the same bucket, or of the free list; -1: none
    int32_t before             # of the policy's queue
    int32_t after
    int32_t left               # of the ordered index, once there is one
    int32_t right
    uint32_t priority
    int8_t queue               # of the policy
    int16_t hops               # links that the Data crossed to come here
    bint unsolicited


cdef class CachePolicy:
    """Which Data leaves when the store is full; entries are numbers."""
    cdef ContentStore store               # or None

    cpdef int inserted(self, int entry) except -1
    cpdef int refreshed(self, int entry) except -1
    cpdef int used(self, int entry) except -1
    cpdef int erased(self, int entry) except -1
    cpdef int evict(self) except -1


cdef class ContentStore:
    cdef readonly int64_t capacity        # packets
    cdef readonly CachePolicy policy
    cdef public bint admits               # whether Data may enter
    cdef public bint serves               # whether Data may leave
    cdef readonly int64_t size
    cdef int64_t now                      # time of the operation under way, ns
    cdef int16_t found_hops               # of the Data that was found last
    cdef CsSlot* slots
    cdef int32_t room                     # slots allocated
    cdef int32_t free_slot
    cdef int32_t* buckets
    cdef int64_t bucket_mask
    cdef bint ordered                     # whether the ordered index exists
    cdef int32_t root                     # of it
    cdef uint64_t random_state            # of its priorities
    cdef uint64_t stamp

    cdef int insert_c(self, Data data, bint unsolicited, int64_t now, int16_t hops) except -1
    cdef Data find_c(self, Interest interest, int64_t now)
    cdef bint answers(self, Interest interest, int64_t now) except -1   # leaves all as it is
    cdef int32_t locate(self, Interest interest) except -2
    cdef int32_t locate_ordered(self, Interest interest) except -2
    cdef int32_t same(self, Data data) except -2
    cdef int erase_slot(self, int32_t i) except -1
    cdef int shrink(self, int64_t size) except -1
    cdef int grow(self) except -1
    cdef int rehash(self) except -1
    cdef int index_all(self) except -1
    cdef int32_t first_at_or_after(self, Name name) except -2
    cdef int32_t next_in_order(self, int32_t i) except -2
