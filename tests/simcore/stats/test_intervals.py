"""Confidence intervals against scipy, and by how often they cover the truth."""

import math

import numpy as np
import pytest
import scipy.stats

from simcore.stats import ConfidenceInterval, batch_means, confidence_interval, student_quantile


@pytest.mark.parametrize("freedom", [1, 2, 3, 4.5, 9, 29, 100, 1000, 1e6])
def test_student_quantile(freedom):
    for probability in (1e-9, 0.001, 0.025, 0.3, 0.5, 0.9, 0.95, 0.975, 0.995, 0.9995):
        assert student_quantile(probability, freedom) == pytest.approx(
            scipy.stats.t.ppf(probability, freedom), rel=1e-8, abs=1e-12
        )


def test_interval_against_scipy():
    values = np.random.default_rng(2).normal(10, 3, 12)
    for level in (0.8, 0.95, 0.99):
        interval = confidence_interval(values, level)
        low, high = scipy.stats.t.interval(
            level, len(values) - 1, values.mean(), scipy.stats.sem(values)
        )
        assert interval.low == pytest.approx(low)
        assert interval.high == pytest.approx(high)
        assert interval.count == 12
        assert interval.mean in interval
        assert interval.high + 1e-6 not in interval
        assert interval.relative == pytest.approx(interval.half_width / interval.mean)


def test_coverage():
    rng = np.random.default_rng(3)
    covered = sum(5.0 in confidence_interval(rng.normal(5, 2, 8), 0.9) for _ in range(2000))
    assert covered / 2000 == pytest.approx(0.9, abs=0.02)


def test_batch_means_cover_where_plain_intervals_do_not():
    rng = np.random.default_rng(4)
    plain = batched = 0
    for _ in range(200):
        # First-order autoregressive, correlation 0.9, mean 0, in its stationary state.
        noise = rng.normal(0, 1, 4000)
        values = np.empty(4000)
        value = rng.normal(0, 1 / math.sqrt(1 - 0.81))
        for i, step in enumerate(noise):
            value = 0.9 * value + step
            values[i] = value
        series = values.tolist()
        plain += 0.0 in confidence_interval(series, 0.95)
        batched += 0.0 in batch_means(series, 20, level=0.95)
    assert plain < 100
    assert batched > 180


def test_batches():
    samples = [100.0, 100.0, 100.0, 1, 3, 5, 7, 9, 11]
    interval = batch_means(samples, 3, warmup=2)
    # Two each; the third 100 fills no batch and is left out at the beginning.
    assert interval.mean == pytest.approx((2 + 6 + 10) / 3)
    assert interval.count == 3
    assert interval.half_width == pytest.approx(
        confidence_interval([2, 6, 10]).half_width
    )


def test_wrong_use():
    with pytest.raises(ValueError, match="1 samples: a confidence interval needs at least 2"):
        confidence_interval([1])
    with pytest.raises(ValueError, match="level is 1"):
        confidence_interval([1, 2], 1)
    with pytest.raises(ValueError, match="a sample is nan"):
        confidence_interval([1, math.nan])
    with pytest.raises(ValueError, match="do not fill 20 batches"):
        batch_means([1.0] * 10)
    with pytest.raises(ValueError, match="batches is 1"):
        batch_means([1.0] * 10, 1)
    with pytest.raises(ValueError, match="warmup is -1"):
        batch_means([1.0] * 10, 2, warmup=-1)
    with pytest.raises(ValueError, match="probability is 1"):
        student_quantile(1, 5)
    with pytest.raises(ValueError, match="freedom is 0"):
        student_quantile(0.5, 0)


def test_printed():
    assert str(ConfidenceInterval(12.345678, 0.4567, 0.95, 10)) == "12.3457 ± 0.46 (95%, n = 10)"
    assert ConfidenceInterval(0.0, 1.0, 0.9, 3).relative == math.inf
    assert confidence_interval([3, 3, 3]).half_width == 0
