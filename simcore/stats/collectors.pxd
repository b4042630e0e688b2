"""Collectors as compiled models see them: `record` allocates nothing and checks nothing."""

from libc.stdint cimport int64_t

from simcore.simulator cimport Simulator


cdef class Counter:
    cdef Simulator sim
    cdef int64_t since             # when counting began (ns)
    cdef readonly int64_t count    # things counted
    cdef readonly double total     # sum of their amounts

    cdef inline void record(self, double amount) noexcept:
        self.count += 1
        self.total += amount

    cdef double per_second(self, double amount) noexcept


cdef class Tally:
    cdef readonly int64_t count
    cdef double average
    cdef double squares            # sum of squared deviations from the average
    cdef double smallest
    cdef double largest

    # Welford (1962): no cancellation, whatever the mean.
    cdef inline void record(self, double value) noexcept:
        cdef double deviation = value - self.average
        self.count += 1
        self.average += deviation / self.count
        self.squares += deviation * (value - self.average)
        if value < self.smallest:
            self.smallest = value
        if value > self.largest:
            self.largest = value

    cdef void clear(self) noexcept


cdef class TimeWeighted:
    cdef Simulator sim
    cdef int64_t since             # when the average began (ns)
    cdef int64_t changed           # when the value changed last (ns)
    cdef readonly double value     # present value
    cdef double average            # over since..changed
    cdef double squares            # integral of squared deviations from the average
    cdef double smallest
    cdef double largest

    cdef void begin(self) noexcept
    cdef void advance(self, double* average, double* squares) noexcept
    cdef void record(self, double value) noexcept
