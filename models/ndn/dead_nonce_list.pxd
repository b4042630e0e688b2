"""Dead nonce list: nonces of Interests that are forgotten, to see loops that take long."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from simcore.models.ndn.name cimport Name


cdef struct DeadNonce:
    uint64_t hash              # of name and nonce; MARK for a mark
    int32_t before             # towards the old end, or -1
    int32_t after              # towards the young end, or -1
    int32_t chain              # next with the same bucket, or -1


cdef class DeadNonceList:
    cdef readonly int64_t lifetime        # ns
    cdef readonly int64_t capacity        # entries, marks included
    cdef readonly int64_t limit           # of the capacity
    cdef DeadNonce* nodes
    cdef int32_t* buckets
    cdef int32_t room                     # nodes allocated; as many buckets, a power of two
    cdef int32_t free_node
    cdef int32_t oldest
    cdef int32_t youngest
    cdef int32_t length                   # entries, marks included
    cdef int32_t marks
    cdef int64_t next_mark                # when the next mark is due, ns
    cdef int64_t next_adjustment
    cdef bint above                       # marks seen since the last adjustment: more than planned
    cdef bint below                       # fewer
    cdef bint equal

    cdef bint contains(self, Name name, uint32_t nonce, int64_t now) except -1
    cdef int insert(self, Name name, uint32_t nonce, int64_t now) except -1
    cdef int catch_up(self, int64_t now) except -1
    cdef int append(self, uint64_t hash) except -1
    cdef int32_t locate(self, uint64_t hash) noexcept
    cdef void unlink(self, int32_t i) noexcept
    cdef void link_youngest(self, int32_t i) noexcept
    cdef void evict(self) noexcept
    cdef int grow(self) except -1
