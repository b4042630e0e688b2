"""Interests at a constant or random rate."""

from libc.stdint cimport int64_t

from simcore.models.ndn.apps.consumer cimport Consumer
from simcore.random.stream cimport RandomStream

cdef enum:
    CONSTANT = 0
    UNIFORM = 1
    EXPONENTIAL = 2


cdef class ConsumerCbr(Consumer):
    cdef readonly int64_t interval         # mean time between two Interests, ns
    cdef int randomize
    cdef RandomStream gaps

    cdef int64_t next_gap(self) noexcept
