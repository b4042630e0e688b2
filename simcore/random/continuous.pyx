# cython: auto_pickle=False
"""Continuous distributions. Parameter names and methods follow ns-3 where it has the distribution.

A `bound` of 0 means no bound; values beyond a bound are drawn again.
"""

cimport cython
from libc.math cimport INFINITY, M_PI
from libc.stdint cimport int64_t

from simcore.random.checks cimport (
    require_erlang, require_exponential, require_finite, require_laplacian, require_non_negative,
    require_normal, require_pareto, require_positive, require_range, require_triangular,
    require_weibull, to_int64,
)
from simcore.random.distribution cimport Distribution, source
from simcore.random.samplers cimport (
    PolarPair, sample_erlang, sample_exponential_bounded, sample_gamma, sample_laplacian,
    sample_largest_extreme_value, sample_lognormal, sample_normal, sample_pareto,
    sample_triangular, sample_uniform, sample_weibull,
)

import math

from simcore.random import moments

EULER_GAMMA = 0.5772156649015329


@cython.final
cdef class Uniform(Distribution):
    """Real values between `min` and `max`, all equally likely; both ends are excluded."""

    cdef double low
    cdef double high

    def __init__(self, double min=0.0, double max=1.0, *, stream=None):
        require_range(min, max)
        self.low = min
        self.high = max
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_uniform(source(self), self.low, self.high)

    @property
    def parameters(self):
        return {"min": self.low, "max": self.high}

    @property
    def mean(self):
        return self.low + (self.high - self.low) / 2

    @property
    def variance(self):
        return (self.high - self.low) ** 2 / 12


@cython.final
cdef class Exponential(Distribution):
    """Exponential values of mean `mean` (before bounding), at most `bound`.

    `mean` as a property is the expected value, which a bound lowers.
    """

    cdef double scale
    cdef double bound

    def __init__(self, double mean=1.0, double bound=0.0, *, stream=None):
        require_exponential(mean, bound)
        self.scale = mean
        self.bound = bound
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_exponential_bounded(source(self), self.scale, self.bound)

    @property
    def parameters(self):
        return {"mean": self.scale, "bound": self.bound}

    @property
    def mean(self):
        if self.bound == 0.0:
            return self.scale
        return moments.bounded_exponential(self.scale, self.bound)[0]

    @property
    def variance(self):
        if self.bound == 0.0:
            return self.scale**2
        return moments.bounded_exponential(self.scale, self.bound)[1]


@cython.final
cdef class Normal(Distribution):
    """Normal values of mean `mean`, within `bound` of it (infinite: no bound).

    The spread is `std`, the standard deviation before bounding, or `variance`, its square.
    """

    cdef double centre
    cdef double std
    cdef double bound
    cdef PolarPair pair

    def __init__(
        self, double mean=0.0, std=None, double bound=INFINITY, *, variance=None, stream=None
    ):
        if std is not None and variance is not None:
            raise ValueError(f"variance is {variance!r}; it must be left out when std is given")
        if variance is not None:
            require_non_negative("variance", variance)
            self.std = math.sqrt(variance)
        else:
            self.std = 1.0 if std is None else std
        require_normal(mean, self.std, bound)
        self.centre = mean
        self.bound = bound
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_normal(source(self), &self.pair, self.centre, self.std, self.bound)

    cdef void forget(self) noexcept:
        self.pair.held = False

    @property
    def parameters(self):
        return {"mean": self.centre, "std": self.std, "bound": self.bound}

    @property
    def mean(self):
        return self.centre

    @property
    def variance(self):
        return moments.bounded_normal_variance(self.std, self.bound)


@cython.final
cdef class LogNormal(Distribution):
    """exp(X), where X is normal with mean `mu` and standard deviation `sigma`."""

    cdef double mu
    cdef double sigma
    cdef PolarPair pair

    def __init__(self, double mu=0.0, double sigma=1.0, *, stream=None):
        require_finite("mu", mu)
        require_non_negative("sigma", sigma)
        self.mu = mu
        self.sigma = sigma
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_lognormal(source(self), &self.pair, self.mu, self.sigma)

    cdef void forget(self) noexcept:
        self.pair.held = False

    @property
    def parameters(self):
        return {"mu": self.mu, "sigma": self.sigma}

    @property
    def mean(self):
        return math.exp(self.mu + self.sigma**2 / 2)

    @property
    def variance(self):
        return math.expm1(self.sigma**2) * math.exp(2 * self.mu + self.sigma**2)


@cython.final
cdef class Pareto(Distribution):
    """Pareto values of at least `scale`: P(X > x) = (scale / x)^shape, at most `bound`."""

    cdef double scale
    cdef double shape
    cdef double bound

    def __init__(
        self, double scale=1.0, double shape=2.0, double bound=0.0, *, stream=None
    ):
        require_pareto(scale, shape, bound)
        self.scale = scale
        self.shape = shape
        self.bound = bound
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_pareto(source(self), self.scale, self.shape, self.bound)

    @property
    def parameters(self):
        return {"scale": self.scale, "shape": self.shape, "bound": self.bound}

    @property
    def mean(self):
        return moments.pareto_moment(1, self.scale, self.shape, self.bound)

    @property
    def variance(self):
        second = moments.pareto_moment(2, self.scale, self.shape, self.bound)
        return moments.power_moment_to_variance(self.mean, second)


@cython.final
cdef class Weibull(Distribution):
    """Weibull values: P(X > x) = exp(-(x / scale)^shape), at most `bound`."""

    cdef double scale
    cdef double shape
    cdef double bound

    def __init__(
        self, double scale=1.0, double shape=1.0, double bound=0.0, *, stream=None
    ):
        require_weibull(scale, shape, bound)
        self.scale = scale
        self.shape = shape
        self.bound = bound
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_weibull(source(self), self.scale, self.shape, self.bound)

    @property
    def parameters(self):
        return {"scale": self.scale, "shape": self.shape, "bound": self.bound}

    @property
    def mean(self):
        return moments.weibull_moment(1, self.scale, self.shape, self.bound)

    @property
    def variance(self):
        second = moments.weibull_moment(2, self.scale, self.shape, self.bound)
        return moments.power_moment_to_variance(self.mean, second)


@cython.final
cdef class Gamma(Distribution):
    """Gamma values of shape `alpha` and scale `beta`."""

    cdef double alpha
    cdef double beta
    cdef PolarPair pair

    def __init__(self, double alpha=1.0, double beta=1.0, *, stream=None):
        require_positive("alpha", alpha)
        require_positive("beta", beta)
        self.alpha = alpha
        self.beta = beta
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_gamma(source(self), &self.pair, self.alpha, self.beta)

    cdef void forget(self) noexcept:
        self.pair.held = False

    @property
    def parameters(self):
        return {"alpha": self.alpha, "beta": self.beta}

    @property
    def mean(self):
        return self.alpha * self.beta

    @property
    def variance(self):
        return self.alpha * self.beta**2


@cython.final
cdef class Erlang(Distribution):
    """The sum of `k` exponential values of mean `scale` each; k is at most 10^8.

    ns-3 calls the scale ``Lambda``, although it is a mean there too and not a rate.
    """

    cdef int64_t k
    cdef double scale

    def __init__(self, k=1, double scale=1.0, *, stream=None):
        self.k = to_int64("k", k)
        require_erlang(self.k, scale)
        self.scale = scale
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_erlang(source(self), self.k, self.scale)

    @property
    def parameters(self):
        return {"k": self.k, "scale": self.scale}

    @property
    def mean(self):
        return self.k * self.scale

    @property
    def variance(self):
        return self.k * self.scale**2


@cython.final
cdef class Triangular(Distribution):
    """Triangular values between `min` and `max`, most likely at `mode`.

    `mean` may be given in place of `mode`, as ns-3 does: mode = 3 mean - min - max. Without
    either, the triangle is symmetric.
    """

    cdef double low
    cdef double high
    cdef double mode

    def __init__(
        self, double min=0.0, double max=1.0, mode=None, *, mean=None, stream=None
    ):
        if mode is not None and mean is not None:
            raise ValueError(f"mean is {mean!r}; it must be left out when mode is given")
        if mean is not None:
            self.mode = 3.0 * mean - min - max
        else:
            self.mode = min + (max - min) / 2 if mode is None else mode
        require_triangular(min, max, self.mode)
        self.low = min
        self.high = max
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_triangular(source(self), self.low, self.high, self.mode)

    @property
    def parameters(self):
        return {"min": self.low, "max": self.high, "mode": self.mode}

    @property
    def mean(self):
        return (self.low + self.high + self.mode) / 3

    @property
    def variance(self):
        width = self.high - self.low
        left = self.mode - self.low
        return (width**2 - width * left + left**2) / 18


@cython.final
cdef class Laplacian(Distribution):
    """Laplacian (two-sided exponential) values within `bound` of `location`."""

    cdef double location
    cdef double scale
    cdef double bound

    def __init__(
        self, double location=0.0, double scale=1.0, double bound=0.0, *, stream=None
    ):
        require_laplacian(location, scale, bound)
        self.location = location
        self.scale = scale
        self.bound = bound
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_laplacian(source(self), self.location, self.scale, self.bound)

    @property
    def parameters(self):
        return {"location": self.location, "scale": self.scale, "bound": self.bound}

    @property
    def mean(self):
        return self.location

    @property
    def variance(self):
        if self.bound == 0.0:
            return 2 * self.scale**2
        distance, spread = moments.bounded_exponential(self.scale, self.bound)
        return spread + distance**2


@cython.final
cdef class LargestExtremeValue(Distribution):
    """Gumbel values (largest extreme value, type I)."""

    cdef double location
    cdef double scale

    def __init__(self, double location=0.0, double scale=1.0, *, stream=None):
        require_finite("location", location)
        require_positive("scale", scale)
        self.location = location
        self.scale = scale
        self.bind(stream)

    cdef double draw_c(self) except? -1.0:
        return sample_largest_extreme_value(source(self), self.location, self.scale)

    @property
    def parameters(self):
        return {"location": self.location, "scale": self.scale}

    @property
    def mean(self):
        return self.location + EULER_GAMMA * self.scale

    @property
    def variance(self):
        return (M_PI * self.scale) ** 2 / 6
