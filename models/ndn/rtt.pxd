"""Round-trip time estimator (RFC 6298)."""

from libc.stdint cimport int64_t


cdef class RttEstimator:
    cdef readonly int64_t smoothed        # ns; -1 before the first sample
    cdef readonly int64_t variation       # ns
    cdef readonly int64_t timeout         # RTO, ns

    cdef void add_c(self, int64_t rtt, int samples) noexcept
    cdef RttEstimator copy(self)
