"""Collectors that are fed while a simulation runs."""

from libc.math cimport INFINITY, NAN, isnan, sqrt
from libc.stdint cimport int64_t

from simcore.simulator cimport Simulator


cdef double checked(double value) except? -1.0:
    if isnan(value):
        raise ValueError("value is NaN: a statistic over it would be NaN too")
    return value


cdef class Counter:
    """How many things happened, and how much: frames and their bytes.

    Parameters
    ----------
    sim : Simulator
        Its clock gives the rates.
    """

    def __init__(self, Simulator sim not None):
        self.sim = sim
        self.since = sim.now_ns

    def add(self, double amount=1.0):
        """Count one thing of an amount.

        Raises
        ------
        ValueError
            When the amount is NaN.
        """
        self.record(checked(amount))

    @property
    def duration(self):
        """Time since counting began (int, ns)."""
        return self.sim.now_ns - self.since

    @property
    def rate(self):
        """Things per second; NaN when no time has passed."""
        return self.per_second(self.count)

    @property
    def total_rate(self):
        """Amount per second; NaN when no time has passed."""
        return self.per_second(self.total)

    cdef double per_second(self, double amount) noexcept:
        cdef int64_t duration = self.sim.now_ns - self.since
        return amount * 1e9 / duration if duration > 0 else NAN

    def reset(self):
        """Begin again from nothing, now: at the end of a warm-up."""
        self.count = 0
        self.total = 0.0
        self.since = self.sim.now_ns

    def __repr__(self):
        return f"<Counter, {self.count} of {self.total:g} in all>"


cdef class Tally:
    """Mean, variance, minimum and maximum of values, without keeping them.

    Welford's method (Technometrics 4, 1962); `merge` is Chan, Golub and LeVeque's (1979).
    """

    def __cinit__(self):
        self.clear()

    def add(self, double value):
        """Take a value.

        Raises
        ------
        ValueError
            When it is NaN.
        """
        self.record(checked(value))

    def add_all(self, values):
        """Take every value of an iterable."""
        for value in values:
            self.record(checked(value))

    def merge(self, Tally other not None):
        """Take all values that another tally took."""
        cdef int64_t count = self.count + other.count
        cdef double difference = other.average - self.average
        if other.count == 0:
            return
        self.average += difference * other.count / count
        self.squares += (
            other.squares + difference * difference * self.count * <double>other.count / count
        )
        self.count = count
        self.smallest = min(self.smallest, other.smallest)
        self.largest = max(self.largest, other.largest)

    @property
    def mean(self):
        """Arithmetic mean; NaN without values."""
        return self.average if self.count > 0 else NAN

    @property
    def total(self):
        """Sum of the values."""
        return self.average * self.count

    @property
    def variance(self):
        """Sample variance, with n - 1 in the denominator; NaN below two values."""
        return self.squares / (self.count - 1) if self.count > 1 else NAN

    @property
    def std(self):
        """Sample standard deviation; NaN below two values."""
        return sqrt(self.squares / (self.count - 1)) if self.count > 1 else NAN

    @property
    def min(self):
        """Smallest value; NaN without values."""
        return self.smallest if self.count > 0 else NAN

    @property
    def max(self):
        """Largest value; NaN without values."""
        return self.largest if self.count > 0 else NAN

    def reset(self):
        """Forget all values."""
        self.clear()

    cdef void clear(self) noexcept:
        self.count = 0
        self.average = 0.0
        self.squares = 0.0
        self.smallest = INFINITY
        self.largest = -INFINITY

    def __reduce__(self):
        return restore_tally, (
            self.count, self.average, self.squares, self.smallest, self.largest
        )

    def __repr__(self):
        return f"<Tally of {self.count}, mean {self.mean:g}, std {self.std:g}>"


def restore_tally(count, average, squares, smallest, largest):
    """Rebuild a pickled `Tally`."""
    cdef Tally tally = Tally.__new__(Tally)
    tally.count = count
    tally.average = average
    tally.squares = squares
    tally.smallest = smallest
    tally.largest = largest
    return tally


cdef class TimeWeighted:
    """Average over time of a value that stays until it is changed: a queue's length.

    Parameters
    ----------
    sim : Simulator
        Its clock weighs the values.
    value : float
        Value from now on.
    """

    def __init__(self, Simulator sim not None, double value=0.0):
        self.sim = sim
        self.value = checked(value)
        self.begin()

    cdef void begin(self) noexcept:
        self.since = self.changed = self.sim.now_ns
        self.average = self.squares = 0.0
        self.smallest = self.largest = self.value

    cdef void advance(self, double* average, double* squares) noexcept:
        """Average and squares with the present value counted up to now.

        Reading a statistic does not store them: rounding, and so the last digit of a result, must
        not depend on who looked when.
        """
        cdef int64_t now = self.sim.now_ns
        cdef double weight = now - self.changed
        cdef double deviation = self.value - self.average
        average[0] = self.average
        squares[0] = self.squares
        if weight > 0.0:
            # West (1979), Welford's method with weights.
            average[0] += deviation * weight / (now - self.since)
            squares[0] += weight * deviation * (self.value - average[0])

    cdef void record(self, double value) noexcept:
        self.advance(&self.average, &self.squares)
        self.changed = self.sim.now_ns
        self.value = value
        if value < self.smallest:
            self.smallest = value
        if value > self.largest:
            self.largest = value

    def set(self, double value):
        """Change the value.

        Raises
        ------
        ValueError
            When it is NaN.
        """
        self.record(checked(value))

    def add(self, double change=1.0):
        """Change the value by an amount."""
        self.record(checked(self.value + change))

    @property
    def duration(self):
        """Time that the average covers (int, ns)."""
        return self.sim.now_ns - self.since

    @property
    def mean(self):
        """Average over the time so far; the value itself when none has passed."""
        cdef double average, squares
        self.advance(&average, &squares)
        return average if self.sim.now_ns > self.since else self.value

    @property
    def integral(self):
        """Integral of the value over the time so far (value times seconds)."""
        cdef double average, squares
        self.advance(&average, &squares)
        return average * (self.sim.now_ns - self.since) / 1e9

    @property
    def variance(self):
        """Variance over time; 0 when none has passed."""
        cdef double average, squares
        cdef int64_t duration = self.sim.now_ns - self.since
        self.advance(&average, &squares)
        return squares / duration if duration > 0 else 0.0

    @property
    def min(self):
        """Smallest value, however short it lasted."""
        return self.smallest

    @property
    def max(self):
        """Largest value, however short it lasted."""
        return self.largest

    def reset(self):
        """Begin the average again with the present value, now: at the end of a warm-up."""
        self.begin()

    def __repr__(self):
        return f"<TimeWeighted, now {self.value:g}, mean {self.mean:g}>"
