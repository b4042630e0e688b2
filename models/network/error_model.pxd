"""Which received packets are lost to errors that no model of a channel explains."""

from libc.stdint cimport int64_t

from simcore.models.network.packet cimport Packet
from simcore.random.stream cimport RandomStream


cdef class ErrorModel:
    cdef public bint enabled

    cdef bint corrupts(self, Packet packet) except -1


cdef class RateErrorModel(ErrorModel):
    cdef readonly double rate          # probability that one unit is in error
    cdef readonly str unit
    cdef int bits_per_unit             # of a byte 8, of a bit 1; 0 for the packet as a whole
    cdef RandomStream stream


cdef class BurstErrorModel(ErrorModel):
    cdef readonly double rate          # probability that a packet begins a burst
    cdef readonly int64_t smallest
    cdef readonly int64_t largest
    cdef int64_t remaining             # packets that the burst still takes
    cdef RandomStream stream


cdef class ListErrorModel(ErrorModel):
    cdef frozenset uids
    cdef frozenset positions
    cdef int64_t seen                  # packets received so far
