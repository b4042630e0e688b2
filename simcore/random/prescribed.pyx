# cython: auto_pickle=False
"""Distributions whose values the user prescribes: constants, lists, sequences, measured CDFs."""

cimport cython
from libc.math cimport isfinite
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from simcore.random.checks cimport require_finite, require_positive, require_range
from simcore.random.distribution cimport Distribution, source
from simcore.random.mrg32k3a cimport mrg_next
from simcore.random.stream cimport RandomStream

import math

from simcore.random.checks import integer_between, invalid

CDF_END_TOLERANCE = 1e-9
"""How far the last probability of an empirical distribution may be from 1."""


cdef double *copy_doubles(tuple values) except NULL:
    """Return a malloc-ed copy; `values` is not empty and holds floats."""
    cdef Py_ssize_t i
    cdef double *copied = <double *> malloc(len(values) * sizeof(double))
    if copied is NULL:
        raise MemoryError(f"no memory for {len(values)} values")
    for i in range(len(values)):
        copied[i] = values[i]
    return copied


@cython.final
cdef class Constant(Distribution):
    """Always `value`; needs no stream."""

    cdef double value

    def __init__(self, double value=0.0, *, stream=None):
        require_finite("value", value)
        self.value = value
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return self.value

    @property
    def parameters(self):
        return {"value": self.value}

    @property
    def mean(self):
        return self.value

    @property
    def variance(self):
        return 0.0


@cython.final
cdef class Deterministic(Distribution):
    """The values of a list, one after the other, and again from the start; needs no stream.

    `mean` and `variance` are those of the list.
    """

    cdef tuple values
    cdef double *data
    cdef Py_ssize_t position

    def __init__(self, values, *, stream=None):
        numbers = tuple(float(value) for value in values)
        if not numbers:
            raise invalid("values", values, "a list of at least one number")
        for index, number in enumerate(numbers):
            require_finite(f"values[{index}]", number)
        free(self.data)
        self.data = NULL
        self.data = copy_doubles(numbers)
        self.values = numbers
        self.bind(stream)

    def __dealloc__(self):
        free(self.data)

    cdef void forget(self) noexcept:
        self.position = 0

    cdef double draw_c(self) except? -1.0:
        cdef double value = self.data[self.position]
        self.position += 1
        if self.position == len(self.values):
            self.position = 0
        return value

    @property
    def parameters(self):
        return {"values": list(self.values)}

    @property
    def mean(self):
        return math.fsum(self.values) / len(self.values)

    @property
    def variance(self):
        centre = self.mean
        return math.fsum((value - centre) ** 2 for value in self.values) / len(self.values)


@cython.final
cdef class Sequential(Distribution):
    """An arithmetic sequence that starts at `min` and wraps before `max`.

    Parameters
    ----------
    min, max : float
        The first value, and the end, which is not reached: past it, the sequence goes on as far
        above `min` as it came out above `max`.
    increment : float or Distribution
        The step, above 0 if it is a number. A distribution without a stream takes this one's.
    consecutive : int
        How often each value is repeated.
    """

    cdef double low
    cdef double high
    cdef Distribution step       # None while the step is a number
    cdef double constant_step
    cdef int64_t consecutive
    cdef double current
    cdef int64_t repeated        # how often the current value was delivered

    def __init__(
        self, double min=0.0, double max=1.0, increment=1.0, consecutive=1, *, stream=None
    ):
        require_range(min, max)
        if min == max:
            raise invalid("max", max, f"above min ({min!r})")
        self.consecutive = integer_between("consecutive", consecutive, 1, (1 << 63) - 1)
        if isinstance(increment, Distribution):
            self.step = increment
        else:
            self.step = None
            self.constant_step = increment
            require_positive("increment", self.constant_step)
        self.low = min
        self.high = max
        self.bind(stream)

    cdef void forget(self) noexcept:
        self.current = self.low
        self.repeated = 0

    cdef int bind_parts(self, RandomStream stream) except -1:
        if self.step is not None and self.step.stream is None:
            self.step.bind(stream)
        return 0

    cdef double draw_c(self) except? -1.0:
        cdef double value = self.current
        self.repeated += 1
        if self.repeated == self.consecutive:
            self.repeated = 0
            self.current += self.constant_step if self.step is None else self.step.draw_c()
            if self.current >= self.high:
                self.current = self.low + (self.current - self.high)
        return value

    @property
    def parameters(self):
        return {
            "min": self.low,
            "max": self.high,
            "increment": self.constant_step if self.step is None else self.step,
            "consecutive": self.consecutive,
        }


@cython.final
cdef class Empirical(Distribution):
    """A distribution given by points of its cumulative distribution function.

    Parameters
    ----------
    points : sequence of (value, probability)
        Probabilities P(X <= value), strictly ascending and ending at 1; values not descending.
    interpolate : bool
        False: only the given values are drawn. True: the CDF is taken as straight between the
        points; the probability of the first point stays on its value.
    """

    cdef tuple points
    cdef readonly bint interpolate
    cdef double *value
    cdef double *cdf

    def __init__(self, points, bint interpolate=False, *, stream=None):
        pairs = tuple(check_point(index, point) for index, point in enumerate(points))
        check_cdf(pairs)
        free(self.value)
        free(self.cdf)
        self.value = self.cdf = NULL
        self.value = copy_doubles(tuple(value for value, _ in pairs))
        self.cdf = copy_doubles(tuple(probability for _, probability in pairs))
        self.points = pairs
        self.interpolate = interpolate
        self.bind(stream)

    def __dealloc__(self):
        free(self.value)
        free(self.cdf)

    cdef double draw_c(self) except? -1.0:
        cdef double u = mrg_next(source(self))
        cdef Py_ssize_t last = len(self.points) - 1
        cdef Py_ssize_t low = 0
        cdef Py_ssize_t high = last
        cdef Py_ssize_t middle
        if u <= self.cdf[0]:
            return self.value[0]
        if u >= self.cdf[last]:
            return self.value[last]
        # The first point whose probability exceeds u.
        while low < high:
            middle = low + (high - low) // 2
            if self.cdf[middle] > u:
                high = middle
            else:
                low = middle + 1
        if not self.interpolate:
            return self.value[high]
        return self.value[high - 1] + (
            (self.value[high] - self.value[high - 1])
            / (self.cdf[high] - self.cdf[high - 1])
            * (u - self.cdf[high - 1])
        )

    @property
    def parameters(self):
        return {"points": list(self.points), "interpolate": self.interpolate}

    def pieces(self):
        """Yield (probability, lowest value, highest value) of each piece of the distribution."""
        (before, below), rest = self.points[0], self.points[1:]
        yield below, before, before
        for value, probability in rest:
            yield probability - below, before if self.interpolate else value, value
            before, below = value, probability

    @property
    def mean(self):
        return math.fsum(mass * (low + high) / 2 for mass, low, high in self.pieces())

    @property
    def variance(self):
        centre = self.mean
        return math.fsum(
            mass * ((low - centre) ** 2 + (low - centre) * (high - centre) + (high - centre) ** 2)
            / 3
            for mass, low, high in self.pieces()
        )


def check_point(index, point):
    """Return a point as two floats, or raise a ValueError that names it."""
    try:
        value, probability = point
        value, probability = float(value), float(probability)
    except (TypeError, ValueError):
        raise invalid(f"points[{index}]", point, "a pair (value, probability)") from None
    require_finite(f"points[{index}] value", value)
    if not 0.0 <= probability <= 1.0 or not isfinite(probability):
        raise invalid(f"points[{index}] probability", probability, "between 0 and 1")
    return value, probability


def check_cdf(points):
    """Raise a ValueError unless the points form a cumulative distribution function."""
    if not points:
        raise invalid("points", [], "a list of at least one (value, probability)")
    for index in range(1, len(points)):
        (value_before, below), (value, probability) = points[index - 1], points[index]
        if not probability > below:
            raise invalid(
                f"points[{index}] probability", probability, f"above the one before ({below!r})"
            )
        if value < value_before:
            raise invalid(
                f"points[{index}] value", value, f"at least the one before ({value_before!r})"
            )
    end = points[len(points) - 1][1]
    if abs(end - 1.0) > CDF_END_TOLERANCE:
        raise invalid(f"points[{len(points) - 1}] probability", end, "1, as the last one")
