"""Round-trip time estimator (RFC 6298), with ndn-cxx's limits."""

cimport cython
from libc.stdint cimport int64_t

cdef enum:
    INITIAL_TIMEOUT = 1_000_000_000
    MIN_TIMEOUT = 200_000_000
    VARIATIONS = 4             # K of RFC 6298 2.2

cdef int64_t MAX_TIMEOUT = 60_000_000_000


cdef int64_t clamped(int64_t timeout) noexcept:
    return min(max(timeout, <int64_t>MIN_TIMEOUT), MAX_TIMEOUT)


@cython.final
cdef class RttEstimator:
    """Smoothed round-trip time and the timeout that follows from it.

    Gains are 1/8 and 1/4; the timeout starts at 1 s and stays between 200 ms and 60 s.
    """

    def __init__(self):
        self.smoothed = -1
        self.timeout = INITIAL_TIMEOUT

    cdef void add_c(self, int64_t rtt, int samples) noexcept:
        """Take a sample; `samples` of them are expected in a round trip."""
        cdef int64_t error
        if self.smoothed < 0:
            self.smoothed = rtt
            self.variation = rtt // 2
        else:
            error = rtt - self.smoothed
            self.variation += ((-error if error < 0 else error) - self.variation) // (4 * samples)
            self.smoothed += error // (8 * samples)
        self.timeout = clamped(self.smoothed + VARIATIONS * self.variation)

    cdef RttEstimator copy(self):
        cdef RttEstimator other = RttEstimator()
        other.smoothed = self.smoothed
        other.variation = self.variation
        other.timeout = self.timeout
        return other

    def add(self, int64_t rtt, int samples=1):
        """Take a sample (ns); `samples` of them are expected in a round trip."""
        if rtt < 0 or samples < 1:
            raise ValueError(f"rtt is {rtt} ns of {samples}: neither may be negative")
        self.add_c(rtt, samples)

    def back_off(self):
        """Double the timeout (RFC 6298 5.5)."""
        self.timeout = clamped(2 * self.timeout)
