"""Faces: where a forwarder's packets come in and go out."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields

# Link types.
cdef enum:
    POINT_TO_POINT = 0
    MULTI_ACCESS = 1
    AD_HOC = 2

# Face numbers that mean something in NFD: what comes from the content store, and the first free.
cdef enum:
    CONTENT_STORE_FACE = 254
    FIRST_FACE = 256


cdef class PacketSink:
    """What faces deliver to; a forwarder or an application."""
    cdef int receive_interest(self, Face face, Interest interest, LpFields fields) except -1
    cdef int receive_data(self, Face face, Data data, LpFields fields) except -1
    cdef int receive_nack(self, Face face, Interest interest, int reason, LpFields fields) except -1


cdef class FaceCounters:
    cdef readonly int64_t in_interests
    cdef readonly int64_t out_interests
    cdef readonly int64_t in_data
    cdef readonly int64_t out_data
    cdef readonly int64_t in_nacks
    cdef readonly int64_t out_nacks
    cdef readonly int64_t in_interest_bytes
    cdef readonly int64_t out_interest_bytes
    cdef readonly int64_t in_data_bytes
    cdef readonly int64_t out_data_bytes
    cdef readonly int64_t in_nack_bytes       # of the Interests that came back
    cdef readonly int64_t out_nack_bytes
    cdef readonly int64_t in_hop_limit_zero
    cdef readonly int64_t out_hop_limit_zero


cdef class Face:
    cdef readonly int64_t id              # 0 until a forwarder has it
    cdef readonly bint is_local           # of an application on the same node
    cdef readonly int32_t link_type
    cdef readonly bint is_open
    cdef public str description
    cdef readonly FaceCounters counters
    cdef PacketSink sink

    # Towards the other side; subclasses say how. `fields` may be None.
    cpdef int send_interest(self, Interest interest, LpFields fields) except -1
    cpdef int send_data(self, Data data, LpFields fields) except -1
    cpdef int send_nack(self, Interest interest, int reason, LpFields fields) except -1
    # From the other side.
    cdef int deliver_interest(self, Interest interest, LpFields fields) except -1
    cdef int deliver_data(self, Data data, LpFields fields) except -1
    cdef int deliver_nack(self, Interest interest, int reason, LpFields fields) except -1
