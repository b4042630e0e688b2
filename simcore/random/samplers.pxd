"""Samplers: from U(0,1) values to one value of a distribution, as inline C functions.

They assume valid parameters and neither allocate nor raise. Each consumes the uniform values that
ns-3 (3.44) consumes for the same distribution, in the same order, so that draws can be compared.
A `bound` rejects values beyond it and draws again.
"""

from libc.math cimport exp, fabs, floor, isinf, log, pow, sqrt
from libc.stdint cimport UINT32_MAX, int64_t, uint64_t

from simcore.random.mrg32k3a cimport Mrg32k3a, mrg_next


cdef struct PolarPair:
    bint held         # the second normal value of a pair is waiting
    double ordinate   # second coordinate of the accepted point of the unit disc
    double factor     # sqrt(-2 ln(r^2) / r^2) of that point


cdef inline double sample_uniform(Mrg32k3a *g, double low, double high) noexcept nogil:
    return low + mrg_next(g) * (high - low)


cdef inline int64_t sample_integer(Mrg32k3a *g, int64_t low, int64_t high) noexcept nogil:
    """Integer from low to high, both included; high - low must stay below 2^53."""
    cdef uint64_t count
    cdef double u = mrg_next(g)
    cdef int64_t value
    if low >= 0 and high <= <int64_t> UINT32_MAX:
        value = <int64_t> (low + u * (high + 1.0 - low))
    else:
        count = <uint64_t> high - <uint64_t> low + 1
        if count > <uint64_t> UINT32_MAX:
            # One value carries 32 bits; a second one fills the mantissa (L'Ecuyer's RandU01d).
            u += mrg_next(g) * 2.0 ** -24
            if u >= 1.0:
                u -= 1.0
        value = low + <int64_t> (u * <double> count)
    # The sum may round up to high + 1.
    return value if value < high else high


cdef inline double sample_exponential(Mrg32k3a *g, double mean) noexcept nogil:
    return -mean * log(mrg_next(g))


cdef inline double sample_exponential_bounded(
    Mrg32k3a *g, double mean, double bound
) noexcept nogil:
    """Exponential, at most `bound` (0: no bound)."""
    cdef double value = sample_exponential(g, mean)
    while bound != 0.0 and value > bound:
        value = sample_exponential(g, mean)
    return value


cdef inline double sample_pareto(
    Mrg32k3a *g, double scale, double shape, double bound
) noexcept nogil:
    cdef double exponent = 1.0 / shape
    cdef double value = scale / pow(mrg_next(g), exponent)
    while bound != 0.0 and value > bound:
        value = scale / pow(mrg_next(g), exponent)
    return value


cdef inline double sample_weibull(
    Mrg32k3a *g, double scale, double shape, double bound
) noexcept nogil:
    cdef double exponent = 1.0 / shape
    cdef double value = scale * pow(-log(mrg_next(g)), exponent)
    while bound != 0.0 and value > bound:
        value = scale * pow(-log(mrg_next(g)), exponent)
    return value


cdef inline double sample_laplacian(
    Mrg32k3a *g, double location, double scale, double bound
) noexcept nogil:
    """Laplacian by inversion, within `bound` of its location (0: no bound)."""
    cdef double v, offset
    while True:
        v = mrg_next(g) - 0.5
        offset = scale * log(1.0 - 2.0 * fabs(v))
        if bound == 0.0 or fabs(offset) <= bound:
            return location - offset if v > 0.0 else location + offset


cdef inline double sample_largest_extreme_value(
    Mrg32k3a *g, double location, double scale
) noexcept nogil:
    return location - scale * log(-log(mrg_next(g)))


cdef inline double sample_triangular(
    Mrg32k3a *g, double low, double high, double mode
) noexcept nogil:
    cdef double u = mrg_next(g)
    if u <= (mode - low) / (high - low):
        return low + sqrt(u * (high - low) * (mode - low))
    return high - sqrt((1.0 - u) * (high - low) * (high - mode))


cdef inline double draw_polar(Mrg32k3a *g, PolarPair *pair) noexcept nogil:
    """Standard normal by Marsaglia's polar method; leaves the second value of the pair in `pair`.

    Law, "Simulation Modeling and Analysis", the section on normal variates.
    """
    cdef double v, w, r2
    while True:
        v = 2.0 * mrg_next(g) - 1.0
        w = 2.0 * mrg_next(g) - 1.0
        r2 = v * v + w * w
        if 0.0 < r2 < 1.0:
            break
    pair.held = True
    pair.ordinate = w
    pair.factor = sqrt(-2.0 * log(r2) / r2)
    return v * pair.factor


cdef inline double sample_standard_normal(Mrg32k3a *g, PolarPair *pair) noexcept nogil:
    if pair.held:
        pair.held = False
        return pair.ordinate * pair.factor
    return draw_polar(g, pair)


cdef inline double sample_normal(
    Mrg32k3a *g, PolarPair *pair, double mean, double std, double bound
) noexcept nogil:
    """Normal, within `bound` of its mean; values of a pair are tried in order."""
    cdef double offset = sample_standard_normal(g, pair) * std
    while fabs(offset) > bound:
        offset = sample_standard_normal(g, pair) * std
    return mean + offset


cdef inline double sample_lognormal(
    Mrg32k3a *g, PolarPair *pair, double mu, double sigma
) noexcept nogil:
    return exp(sigma * sample_standard_normal(g, pair) + mu)


cdef inline double sample_gamma_above_one(
    Mrg32k3a *g, PolarPair *pair, double alpha, double beta
) noexcept nogil:
    """Gamma for alpha >= 1: Marsaglia and Tsang, ACM TOMS 26(3), 2000."""
    cdef double d = alpha - 1.0 / 3.0
    cdef double c = (1.0 / 3.0) / sqrt(d)
    cdef double x, v, u
    while True:
        x = sample_standard_normal(g, pair)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = mrg_next(g)
        if u < 1.0 - 0.0331 * x * x * x * x:
            break
        if log(u) < 0.5 * x * x + d * (1.0 - v + log(v)):
            break
    return beta * d * v


cdef inline double sample_gamma(
    Mrg32k3a *g, PolarPair *pair, double alpha, double beta
) noexcept nogil:
    """Gamma; below alpha = 1 by the power of a uniform (same paper, end of section 6)."""
    cdef double u
    if alpha >= 1.0:
        return sample_gamma_above_one(g, pair, alpha, beta)
    u = mrg_next(g)
    # ns-3 draws a value that it does not use before the one that it does; so must we, to agree.
    sample_gamma_above_one(g, pair, 1.0 + alpha, beta)
    return sample_gamma_above_one(g, pair, 1.0 + alpha, beta) * pow(u, 1.0 / alpha)


cdef inline double sample_erlang(Mrg32k3a *g, int64_t k, double scale) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t _stage
    for _stage in range(k):
        total += sample_exponential(g, scale)
    return total


cdef inline double sample_bernoulli(Mrg32k3a *g, double probability) noexcept nogil:
    return 1.0 if mrg_next(g) <= probability else 0.0


cdef inline double sample_binomial(
    Mrg32k3a *g, int64_t trials, double probability
) noexcept nogil:
    cdef int64_t successes = 0
    cdef int64_t _trial
    for _trial in range(trials):
        if mrg_next(g) <= probability:
            successes += 1
    return <double> successes


cdef inline double sample_zipf(Mrg32k3a *g, int64_t n, double alpha) noexcept nogil:
    """Zipf rank by inversion, O(n); the class Zipf keeps the sums and needs O(log n)."""
    cdef double total = 0.0
    cdef double below = 0.0
    cdef double u
    cdef int64_t rank
    for rank in range(1, n + 1):
        total += 1.0 / pow(<double> rank, alpha)
    total = 1.0 / total
    u = mrg_next(g)
    for rank in range(1, n):
        below += total / pow(<double> rank, alpha)
        if below > u:
            return <double> rank
    return <double> n


cdef inline double sample_zeta(Mrg32k3a *g, double alpha) noexcept nogil:
    """Zeta by rejection: L. Devroye, "Non-Uniform Random Variate Generation", 1986, X.6.1."""
    cdef double b = pow(2.0, alpha - 1.0)
    cdef double u, v, x, t
    while True:
        u = mrg_next(g)
        v = mrg_next(g)
        x = floor(pow(u, -1.0 / (alpha - 1.0)))
        if isinf(x):
            # Reached only for alpha close to 1; no double can hold the value.
            continue
        t = pow(1.0 + 1.0 / x, alpha - 1.0)
        if v * x * (t - 1.0) / (b - 1.0) <= t / b:
            return x
