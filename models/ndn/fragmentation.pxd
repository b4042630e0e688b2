"""Fragmentation and reassembly of network packets, and congestion marks (NDNLPv2)."""

from libc.stdint cimport int64_t, uint64_t

from simcore.models.ndn.lp cimport LpPacket
from simcore.simulator cimport NativeTimer, Simulator

cdef enum:
    SINGLE_OVERHEAD = 30       # LpPacket, Sequence and Fragment with the longest numbers


cdef class PartialPacket:
    cdef readonly list fragments          # by index; None where one is missing
    cdef int missing
    cdef NativeTimer timer
    cdef Reassembler reassembler
    cdef object key


cdef class Reassembler:
    cdef Simulator sim
    cdef readonly int64_t timeout
    cdef readonly int limit
    cdef readonly dict partial            # (endpoint, first sequence, count) -> PartialPacket
    cdef readonly int64_t timed_out
    cdef readonly int64_t rejected

    cpdef LpPacket receive(self, LpPacket packet, endpoint=*)
    cdef int drop(self, PartialPacket partial) except -1


cdef class CongestionMarker:
    cdef readonly int64_t threshold       # bytes
    cdef readonly int64_t interval        # ns
    cdef int64_t next_mark                # INT64_MAX while the queue is short
    cdef int64_t marked                   # since the queue became long

    cpdef bint observe(self, int64_t now, int64_t queued) noexcept


cpdef list fragment_packet(LpPacket packet, Py_ssize_t mtu, uint64_t sequence)
