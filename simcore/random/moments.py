"""Moments of distributions that take more than one line: bounded ones, and the zeta function."""

from __future__ import annotations

import math


def power_moment_to_variance(mean: float, second: float) -> float:
    """Return the variance from the first two power moments; infinite if the second is."""
    return math.inf if math.isinf(second) else second - mean * mean


def bounded_exponential(mean: float, bound: float) -> tuple[float, float]:
    """Return mean and variance of an exponential value known to be at most `bound`.

    For bounds far below the mean the closed form cancels; its Taylor series takes over.
    """
    x = bound / mean
    if x < 1e-2:
        return (
            bound * (1 / 2 - x / 12 + x**3 / 720),
            bound**2 * (1 / 12 - x**2 / 240 + x**4 / 6048),
        )
    if x > 700:
        return mean, mean**2
    return (
        mean - bound / math.expm1(x),
        mean**2 - (bound / (2 * math.sinh(x / 2))) ** 2,
    )


def bounded_normal_variance(std: float, bound: float) -> float:
    """Return the variance of a normal value known to lie within `bound` of its mean."""
    if std == 0.0 or math.isinf(bound):
        return std**2
    k = bound / std
    if k < 1e-2:
        return bound**2 * (1 / 3 - 2 * k**2 / 45)
    density = math.exp(-(k**2) / 2) / math.sqrt(2 * math.pi)
    return std**2 * (1 - 2 * k * density / math.erf(k / math.sqrt(2)))


def pareto_moment(order: int, scale: float, shape: float, bound: float) -> float:
    """Return E[X^order] of a Pareto value, known to be at most `bound` unless that is 0."""
    if bound == 0.0:
        return math.inf if shape <= order else shape * scale**order / (shape - order)
    inside = -math.expm1(shape * math.log(scale / bound))
    if shape == order:
        return shape * scale**order * math.log(bound / scale) / inside
    tail = math.pow(scale / bound, shape - order)
    return shape * scale**order * (1 - tail) / ((shape - order) * inside)


def weibull_moment(order: int, scale: float, shape: float, bound: float) -> float:
    """Return E[X^order] of a Weibull value, known to be at most `bound` unless that is 0."""
    s = 1 + order / shape
    if bound == 0.0:
        return scale**order * math.gamma(s)
    x = (bound / scale) ** shape
    return scale**order * lower_gamma(s, x) / -math.expm1(-x)


def lower_gamma(s: float, x: float) -> float:
    """Return the lower incomplete gamma function by its series (DLMF 8.7.1)."""
    if x > s + 700:
        return math.gamma(s)
    term = total = 1 / s
    n = 0
    while term > total * 1e-17:
        n += 1
        term *= x / (s + n)
        total += term
    return math.exp(s * math.log(x) - x + math.log(total))


def riemann_zeta(s: float) -> float:
    """Return zeta(s) for s > 1 by Euler-Maclaurin summation (DLMF 25.2.9)."""
    n = 20.0
    total: float = (
        sum(k**-s for k in range(1, 20))
        + n ** (1 - s) / (s - 1)
        + n**-s / 2
        + s * n ** (-s - 1) / 12
        - s * (s + 1) * (s + 2) * n ** (-s - 3) / 720
        + s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * n ** (-s - 5) / 30240
    )
    return total
