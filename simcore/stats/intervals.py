"""Confidence intervals: from independent replications, and from batches of one long run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """An interval that covers the true mean with a given probability.

    Attributes
    ----------
    mean : float
        Its middle.
    half_width : float
        From the middle to either end.
    level : float
        The probability, such as 0.95.
    count : int
        Observations it rests on.
    """

    mean: float
    half_width: float
    level: float
    count: int

    @property
    def low(self) -> float:
        """Lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end."""
        return self.mean + self.half_width

    @property
    def relative(self) -> float:
        """Half width over mean; infinite for a mean of 0."""
        return self.half_width / abs(self.mean) if self.mean else math.inf

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.mean:.6g} ± {self.half_width:.2g} ({self.level:.0%}, n = {self.count})"


def confidence_interval(samples: Iterable[float], level: float = 0.95) -> ConfidenceInterval:
    """Interval for the mean of independent, about normal observations (Student's t).

    Parameters
    ----------
    samples
        Two or more observations, such as one metric of several replications.
    level
        Probability between 0 and 1.

    Raises
    ------
    ValueError
        If there are fewer than two, one is not finite, or the level is out of range.
    """
    values = [float(value) for value in samples]
    if not 0 < level < 1:
        raise ValueError(f"level is {level}: it must be between 0 and 1")
    if len(values) < 2:
        raise ValueError(f"{len(values)} samples: a confidence interval needs at least 2")
    for value in values:
        if not math.isfinite(value):
            raise ValueError(f"a sample is {value}: all must be finite")
    count = len(values)
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    quantile = student_quantile(0.5 + level / 2, count - 1)
    return ConfidenceInterval(mean, quantile * math.sqrt(variance / count), level, count)


def batch_means(
    samples: Sequence[float], batches: int = 20, *, warmup: int = 0, level: float = 0.95
) -> ConfidenceInterval:
    """Interval for the mean of a stationary, correlated sequence, by the method of batch means.

    The sequence is cut into batches of equal length, whose means are about independent when the
    batches are much longer than the correlation. Schmeiser (Operations Research 30, 1982) found
    that more than 10 to 30 batches gain little.

    Parameters
    ----------
    samples
        Observations of one run, in order.
    batches
        Number of batches, at least 2. Observations that fill no batch are left out at the
        beginning, with the warm-up.
    warmup
        Observations to leave out at the beginning.
    level
        Probability between 0 and 1.

    Raises
    ------
    ValueError
        If there are fewer observations than batches, or an argument is out of range.
    """
    if batches < 2:
        raise ValueError(f"batches is {batches}: it must be at least 2")
    if warmup < 0:
        raise ValueError(f"warmup is {warmup}: it must not be negative")
    size = (len(samples) - warmup) // batches
    if size < 1:
        raise ValueError(
            f"{len(samples)} samples with a warmup of {warmup} do not fill {batches} batches"
        )
    first = len(samples) - size * batches
    means = [
        math.fsum(samples[start : start + size]) / size
        for start in range(first, len(samples), size)
    ]
    return confidence_interval(means, level)


def student_quantile(probability: float, freedom: float) -> float:
    """Value that Student's t with so many degrees of freedom stays below with a probability.

    Raises
    ------
    ValueError
        If the probability is not between 0 and 1, or the degrees of freedom not positive.
    """
    if not 0 < probability < 1:
        raise ValueError(f"probability is {probability}: it must be between 0 and 1")
    if not freedom > 0:
        raise ValueError(f"freedom is {freedom}: it must be positive")
    if probability == 0.5:
        return 0.0
    tail = min(probability, 1 - probability)
    low, high = 0.0, 1.0
    while _upper_tail(high, freedom) > tail:
        low, high = high, 2 * high
    # Bisection to the last bit: sixty evaluations of something that is needed once a table.
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if _upper_tail(middle, freedom) > tail:
            low = middle
        else:
            high = middle
    return high if probability > 0.5 else -high


def _upper_tail(t: float, freedom: float) -> float:
    """P(T > t) for t >= 0: half the regularised incomplete beta function (DLMF 8.17)."""
    x = freedom / (freedom + t * t)
    return 0.5 * _regularised_beta(0.5 * freedom, 0.5, x, t * t / (freedom + t * t))


def _regularised_beta(a: float, b: float, x: float, complement: float) -> float:
    """I_x(a, b), with 1 - x given separately so that it keeps its digits."""
    if x <= 0 or complement <= 0:
        return 0.0 if x <= 0 else 1.0
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        + a * math.log(x) + b * math.log(complement)
    )
    front = math.exp(log_front)
    if x < (a + 1) / (a + b + 2):
        return front / a * _beta_fraction(a, b, x)
    return 1 - front / b * _beta_fraction(b, a, complement)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Continued fraction of DLMF 8.17.22, evaluated by Lentz's method."""
    tiny = 1e-300
    result = 1.0
    c = 1.0
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for coefficient in (even, odd):
            d = 1 + coefficient * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + coefficient / c
            c = c if abs(c) > tiny else tiny
            change = c * d
            result *= change
        if abs(change - 1) < 1e-16:
            break
    return result
