"""When a retransmitted Interest is forwarded: intervals that grow exponentially."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.pit cimport OutRecord, PitEntry

# Decisions.
cdef enum:
    NEW = 0                    # nothing is pending upstream
    FORWARD = 1                # a retransmission, late enough
    SUPPRESS = 2               # a retransmission, too early


cdef class RetxSuppression:
    cdef readonly int64_t initial         # ns
    cdef readonly int64_t longest         # ns
    cdef readonly double multiplier

    # One interval for the entry; it grows with each FORWARD.
    cdef int decide_per_entry(self, PitEntry entry, int64_t now) noexcept
    # One interval for each upstream; `grow` when the Interest was forwarded.
    cdef int decide_per_upstream(self, PitEntry entry, Face face, int64_t now) noexcept
    cdef void grow(self, OutRecord* record) noexcept
    cdef int32_t next_interval(self, int32_t interval) noexcept
