"""HdrHistogram: precision everywhere, percentiles against numpy, merging."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.stats import HdrHistogram

values_of_all_sizes = st.integers(0, 62).flatmap(
    lambda bits: st.integers((1 << bits) - 1, (1 << (bits + 1)) - 1)
)


@given(values_of_all_sizes, st.integers(1, 5))
def test_every_value_is_known_to_the_digits(value, digits):
    histogram = HdrHistogram(digits)
    histogram.add(value)
    ((low, high, count),) = histogram.cells_in_use()
    assert low <= value <= high
    assert count == 1
    assert high - low <= value * 10.0**-digits
    assert (histogram.min, histogram.max, histogram.mean) == (value, value, float(value))
    assert histogram.percentile(50) == value


def test_cells_cover_the_range_without_gaps():
    histogram = HdrHistogram(1)
    boundaries = [0]
    for value in range(5000):
        histogram.add(value)
    cells = histogram.cells_in_use()
    for low, high, count in cells:
        assert low == boundaries[-1]
        assert count == min(high, 4999) - low + 1
        boundaries.append(high + 1)
    assert sum(count for *_, count in cells) == 5000


@given(st.lists(values_of_all_sizes, min_size=1, max_size=200), st.floats(0, 100))
def test_percentiles(values, percent):
    histogram = HdrHistogram(3)
    histogram.add_all(values)
    exact = int(np.percentile(np.array(values), percent, method="inverted_cdf"))
    assert exact <= histogram.percentile(percent) or math.isclose(
        exact, histogram.percentile(percent), rel_tol=1e-3
    )
    assert histogram.percentile(percent) <= exact * 1.001 + 1
    assert histogram.percentile(0) == min(values)
    assert histogram.percentile(100) == max(values)


def test_percentile_of_round_numbers():
    histogram = HdrHistogram(3)
    histogram.add_all(range(1, 1001))
    assert [histogram.percentile(p) for p in (0.1, 1, 50, 99, 99.9, 100)] == [
        1, 10, 500, 990, 999, 1000
    ]


def test_mean_and_std():
    rng = np.random.default_rng(1)
    values = rng.exponential(1e6, 20_000).astype(np.int64)
    histogram = HdrHistogram(3)
    histogram.add_all(values)
    assert histogram.mean == pytest.approx(values.mean(), rel=1e-12)
    assert histogram.std == pytest.approx(values.std(), rel=1e-3)
    assert histogram.count_up_to(10**6) == pytest.approx((values <= 10**6).sum(), rel=2e-3)
    assert histogram.count_up_to(-1) == 0
    assert histogram.count_up_to(2**62) == 20_000


@given(st.lists(values_of_all_sizes, max_size=50), st.lists(values_of_all_sizes, max_size=50))
def test_merge(first, second):
    left, right, whole = HdrHistogram(2), HdrHistogram(2), HdrHistogram(2)
    left.add_all(first)
    right.add_all(second)
    whole.add_all(first + second)
    left.merge(right)
    assert left.cells_in_use() == whole.cells_in_use()
    assert (left.count, left.min, left.max) == (whole.count, whole.min, whole.max)


def test_pickle_and_reset():
    histogram = HdrHistogram(2)
    histogram.add(5, 3)
    histogram.add(10**12)
    copy = pickle.loads(pickle.dumps(histogram))
    assert copy.cells_in_use() == histogram.cells_in_use()
    assert (copy.count, copy.mean, copy.min, copy.max) == (4, histogram.mean, 5, 10**12)
    histogram.reset()
    assert histogram.count == 0
    assert histogram.min is None
    assert histogram.max is None
    assert math.isnan(histogram.mean)
    histogram.add(7)
    assert histogram.percentile(50) == 7
    assert pickle.loads(pickle.dumps(HdrHistogram())).count == 0


def test_wrong_use():
    histogram = HdrHistogram()
    with pytest.raises(ValueError, match="value is -1: it must not be negative"):
        histogram.add(-1)
    with pytest.raises(ValueError, match="times is 0"):
        histogram.add(1, 0)
    with pytest.raises(OverflowError):
        histogram.add(2**63)
    with pytest.raises(TypeError):
        histogram.add(1.5)
    with pytest.raises(ValueError, match="it has no percentiles"):
        histogram.percentile(50)
    histogram.add(1)
    with pytest.raises(ValueError, match=r"percent is 101\.0"):
        histogram.percentile(101)
    with pytest.raises(ValueError, match="digits is 2 there and 3 here"):
        histogram.merge(HdrHistogram(2))
    for digits in (0, 6, 2.5):
        with pytest.raises(ValueError, match="digits is"):
            HdrHistogram(digits)
    assert histogram.count == 1
