"""Checks of parameters, shared by streams and distributions.

Each `require_` function raises a ValueError that names the parameter, its value and what is right.
"""

import operator

from libc.math cimport INFINITY, erf, exp, isfinite, pow, sqrt
from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint64_t

cdef double MINIMUM_ACCEPTANCE = 1e-6   # a bound that accepts fewer draws would look like a hang
cdef double ZETA_MINIMUM_ALPHA = 1.001  # below it, most values exceed the largest double
cdef double ZETA_MAXIMUM_ALPHA = 1000.0  # 2^alpha must be a finite double; from 60 on all are 1
cdef int64_t MAXIMUM_STEPS = 100_000_000  # of a draw that counts one by one, deaf to Ctrl-C


def invalid(field, value, rule):
    """Return the error for a field whose value breaks a rule.

    Parameters
    ----------
    field : str
        Name of the parameter.
    value : object
        What was given.
    rule : str
        What is right, as the end of the sentence "it must be ...".
    """
    return ValueError(f"{field} is {value!r}; it must be {rule}")


def integer_between(field, value, low, high):
    """Return `value` as an int if it lies between `low` and `high`, both included.

    Raises
    ------
    TypeError
        If `value` is not an integer (a bool or a float is none).
    ValueError
        If it lies outside.
    """
    if isinstance(value, bool):
        raise TypeError(f"{field} is {value!r}; it must be an integer")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{field} is {value!r}; it must be an integer") from None
    if not low <= number <= high:
        raise invalid(field, number, f"between {low} and {high}")
    return number


cdef int require_acceptance(double bound, double probability) except -1:
    """Refuse a bound that so few draws respect that the next one would not come."""
    if not probability >= MINIMUM_ACCEPTANCE:
        raise invalid(
            "bound",
            bound,
            f"so wide that at least {MINIMUM_ACCEPTANCE:g} of all draws respect it, "
            f"but only {probability:.3g} do",
        )
    return 0


cdef int require_steps(str field, int64_t count) except -1:
    if count > MAXIMUM_STEPS:
        raise invalid(field, count, f"at most {MAXIMUM_STEPS}, as a draw takes that many steps")
    return 0


cdef int require_bound(double bound) except -1:
    if not bound >= 0.0:
        raise invalid("bound", bound, "0 (no bound) or above 0")
    return 0


cdef int require_positive(str field, double value) except -1:
    if not (value > 0.0 and isfinite(value)):
        raise invalid(field, value, "finite and above 0")
    return 0


cdef int require_finite(str field, double value) except -1:
    if not isfinite(value):
        raise invalid(field, value, "finite")
    return 0


cdef int require_non_negative(str field, double value) except -1:
    if not (value >= 0.0 and isfinite(value)):
        raise invalid(field, value, "finite and 0 or above")
    return 0


cdef int require_probability(double value) except -1:
    if not 0.0 <= value <= 1.0:
        raise invalid("probability", value, "between 0 and 1")
    return 0


cdef int require_range(double low, double high) except -1:
    require_finite("min", low)
    require_finite("max", high)
    if low > high:
        raise invalid("min", low, f"at most max ({high!r})")
    if not isfinite(high - low):
        raise invalid("max", high, "so close to min that max - min is finite")
    return 0


cdef int require_zipf(int64_t n, double alpha) except -1:
    if n < 1:
        raise invalid("n", n, "1 or more")
    require_steps("n", n)
    require_non_negative("alpha", alpha)
    return 0


cdef int require_zeta(double alpha) except -1:
    if not ZETA_MINIMUM_ALPHA <= alpha <= ZETA_MAXIMUM_ALPHA:
        raise invalid(
            "alpha", alpha, f"between {ZETA_MINIMUM_ALPHA} and {ZETA_MAXIMUM_ALPHA:g}"
        )
    return 0


cdef int require_exponential(double mean, double bound) except -1:
    require_positive("mean", mean)
    require_bound(bound)
    if bound != 0.0:
        require_acceptance(bound, 1.0 - exp(-bound / mean))
    return 0


cdef int require_normal(double mean, double std, double bound) except -1:
    require_finite("mean", mean)
    require_non_negative("std", std)
    if bound != INFINITY:
        if not bound > 0.0:
            raise invalid("bound", bound, "above 0 (infinite: no bound)")
        if std > 0.0:
            require_acceptance(bound, erf(bound / (std * sqrt(2.0))))
    return 0


cdef int require_pareto(double scale, double shape, double bound) except -1:
    require_positive("scale", scale)
    require_positive("shape", shape)
    require_bound(bound)
    if bound != 0.0:
        require_acceptance(bound, 1.0 - pow(scale / bound, shape))
    return 0


cdef int require_weibull(double scale, double shape, double bound) except -1:
    require_positive("scale", scale)
    require_positive("shape", shape)
    require_bound(bound)
    if bound != 0.0:
        require_acceptance(bound, 1.0 - exp(-pow(bound / scale, shape)))
    return 0


cdef int require_laplacian(double location, double scale, double bound) except -1:
    require_finite("location", location)
    require_positive("scale", scale)
    require_bound(bound)
    if bound != 0.0:
        require_acceptance(bound, 1.0 - exp(-bound / scale))
    return 0


cdef int require_triangular(double low, double high, double mode) except -1:
    require_range(low, high)
    if low == high:
        raise invalid("max", high, f"above min ({low!r})")
    if not low <= mode <= high:
        raise invalid("mode", mode, f"between min ({low!r}) and max ({high!r})")
    return 0


cdef int require_erlang(int64_t k, double scale) except -1:
    if k < 1:
        raise invalid("k", k, "1 or more")
    require_steps("k", k)
    require_positive("scale", scale)
    return 0


cdef int require_integer_range(
    str low_field, int64_t low, str high_field, int64_t high
) except -1:
    if low > high:
        raise invalid(low_field, low, f"at most {high_field} ({high})")
    if <uint64_t> high - <uint64_t> low >= <uint64_t> 1 << 53:
        raise invalid(high_field, high, f"less than 2**53 above {low_field} ({low})")
    return 0


cdef int require_binomial(int64_t trials, double probability) except -1:
    if trials < 0:
        raise invalid("trials", trials, "0 or more")
    require_steps("trials", trials)
    return require_probability(probability)


cdef int64_t to_int64(str field, value) except? -1:
    """Convert an integer; unlike the implicit conversion, refuse a float."""
    if type(value) is int and -(1 << 63) <= value < (1 << 63):
        return value
    return integer_between(field, value, INT64_MIN, INT64_MAX)
