# cython: auto_pickle=False
"""Discrete distributions; values are whole numbers, delivered as floats like all others."""

cimport cython
from libc.math cimport pow
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from simcore.random.checks cimport (
    require_binomial, require_integer_range, require_probability, require_zeta, require_zipf,
    to_int64,
)
from simcore.random.distribution cimport Distribution, source
from simcore.random.mrg32k3a cimport mrg_next
from simcore.random.samplers cimport (
    sample_bernoulli, sample_binomial, sample_integer, sample_zeta,
)

import math

from simcore.random import moments


@cython.final
cdef class UniformInteger(Distribution):
    """Integers from `min` to `max`, both included, all equally likely; max - min < 2^53."""

    cdef int64_t low
    cdef int64_t high

    def __init__(self, min=0, max=1, *, stream=None):
        self.low = to_int64("min", min)
        self.high = to_int64("max", max)
        require_integer_range("min", self.low, "max", self.high)
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return <double> sample_integer(source(self), self.low, self.high)

    @property
    def parameters(self):
        return {"min": self.low, "max": self.high}

    @property
    def mean(self):
        return self.low + <double> (self.high - self.low) / 2.0

    @property
    def variance(self):
        count = <double> (self.high - self.low) + 1.0
        return (count**2 - 1.0) / 12.0


@cython.final
cdef class Bernoulli(Distribution):
    """1 with the given probability, else 0."""

    cdef double probability

    def __init__(self, double probability=0.5, *, stream=None):
        require_probability(probability)
        self.probability = probability
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_bernoulli(source(self), self.probability)

    @property
    def parameters(self):
        return {"probability": self.probability}

    @property
    def mean(self):
        return self.probability

    @property
    def variance(self):
        return self.probability * (1 - self.probability)


@cython.final
cdef class Binomial(Distribution):
    """Successes in `trials` independent trials, at most 10^8; a draw costs O(trials)."""

    cdef int64_t trials
    cdef double probability

    def __init__(self, trials=10, double probability=0.5, *, stream=None):
        self.trials = to_int64("trials", trials)
        require_binomial(self.trials, probability)
        self.probability = probability
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_binomial(source(self), self.trials, self.probability)

    @property
    def parameters(self):
        return {"trials": self.trials, "probability": self.probability}

    @property
    def mean(self):
        return self.trials * self.probability

    @property
    def variance(self):
        return self.trials * self.probability * (1 - self.probability)


@cython.final
cdef class Zipf(Distribution):
    """Ranks from 1 to `n`, with probability proportional to rank^-alpha.

    Building one costs O(n) time and 8 n bytes, a draw O(log n); n is at most 10^8.
    """

    cdef int64_t n
    cdef double alpha
    cdef double *sums   # sums[i]: probability of a rank of at most i + 1

    def __init__(self, n=1, double alpha=0.0, *, stream=None):
        cdef int64_t ranks = to_int64("n", n)
        cdef double total = 0.0
        cdef double below = 0.0
        cdef int64_t rank
        require_zipf(ranks, alpha)
        free(self.sums)
        self.sums = <double *> malloc(<size_t> ranks * sizeof(double))
        if self.sums is NULL:
            raise MemoryError(f"no memory for a Zipf table of {ranks} ranks")
        for rank in range(1, ranks + 1):
            total += 1.0 / pow(<double> rank, alpha)
        total = 1.0 / total
        for rank in range(1, ranks + 1):
            below += total / pow(<double> rank, alpha)
            self.sums[rank - 1] = below
        self.n = ranks
        self.alpha = alpha
        self.bind(stream)

    def __dealloc__(self):
        free(self.sums)

    cdef double draw_c(self) except? -1.0:
        cdef double u = mrg_next(source(self))
        cdef int64_t low = 0
        cdef int64_t high = self.n - 1   # the last rank takes what rounding leaves over
        cdef int64_t middle
        while low < high:
            middle = low + (high - low) // 2
            if self.sums[middle] > u:
                high = middle
            else:
                low = middle + 1
        return <double> (low + 1)

    @property
    def parameters(self):
        return {"n": self.n, "alpha": self.alpha}

    cdef double moment(self, double order) noexcept:
        cdef double weight = 0.0
        cdef double total = 0.0
        cdef int64_t rank
        for rank in range(1, self.n + 1):
            weight += pow(<double> rank, -self.alpha)
            total += pow(<double> rank, order - self.alpha)
        return total / weight

    @property
    def mean(self):
        return self.moment(1.0)

    @property
    def variance(self):
        return self.moment(2.0) - self.moment(1.0) ** 2


@cython.final
cdef class Zeta(Distribution):
    """Integers from 1 on, with probability proportional to k^-alpha; 1.001 <= alpha <= 1000."""

    cdef double alpha

    def __init__(self, double alpha=3.14, *, stream=None):
        require_zeta(alpha)
        self.alpha = alpha
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_zeta(source(self), self.alpha)

    @property
    def parameters(self):
        return {"alpha": self.alpha}

    @property
    def mean(self):
        if self.alpha <= 2.0:
            return math.inf
        return moments.riemann_zeta(self.alpha - 1) / moments.riemann_zeta(self.alpha)

    @property
    def variance(self):
        if self.alpha <= 3.0:
            return math.inf
        second = moments.riemann_zeta(self.alpha - 2) / moments.riemann_zeta(self.alpha)
        return second - self.mean**2
