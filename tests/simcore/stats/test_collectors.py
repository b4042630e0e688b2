"""Counter, Tally and TimeWeighted against numpy and plain sums."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator, seconds
from simcore.stats import Counter, Tally, TimeWeighted

numbers = st.floats(-1e9, 1e9)


class TestCounter:
    def test_counts_and_rates(self):
        sim = Simulator()
        counter = Counter(sim)
        assert math.isnan(counter.rate)
        for i in range(10):
            sim.schedule(seconds(i), counter.add, 1500)
        sim.run(until=seconds(20))
        counter.add()
        assert (counter.count, counter.total) == (11, 15001)
        assert counter.rate == 11 / 20
        assert counter.total_rate == 15001 / 20
        counter.reset()
        sim.run(until=seconds(24))
        counter.add(8)
        assert (counter.count, counter.rate, counter.total_rate) == (1, 0.25, 2.0)
        assert counter.duration == seconds(4)

    def test_nan(self):
        with pytest.raises(ValueError, match="NaN"):
            Counter(Simulator()).add(math.nan)


class TestTally:
    @given(st.lists(numbers, min_size=2, max_size=60))
    def test_against_numpy(self, values):
        tally = Tally()
        tally.add_all(values)
        scale = max(1.0, np.abs(values).max())
        assert tally.count == len(values)
        assert tally.mean == pytest.approx(np.mean(values), rel=1e-12, abs=1e-12 * scale)
        variance = np.var(values, ddof=1)
        assert tally.variance == pytest.approx(variance, rel=1e-9, abs=1e-14 * scale**2)
        assert tally.std == pytest.approx(math.sqrt(tally.variance))
        assert tally.total == pytest.approx(math.fsum(values), rel=1e-12, abs=1e-11 * scale)
        assert (tally.min, tally.max) == (min(values), max(values))

    def test_no_cancellation(self):
        """The textbook formula with sums of squares gives 0 or worse here."""
        tally = Tally()
        tally.add_all(1e9 + np.array([4.0, 7.0, 13.0, 16.0]))
        assert tally.variance == pytest.approx(30.0)

    @given(st.lists(numbers, max_size=30), st.lists(numbers, max_size=30))
    def test_merge(self, first, second):
        left, right, whole = Tally(), Tally(), Tally()
        left.add_all(first)
        right.add_all(second)
        whole.add_all(first + second)
        left.merge(right)
        assert left.count == whole.count
        if whole.count:
            scale = max(1.0, np.abs(first + second).max())
            assert left.mean == pytest.approx(whole.mean, rel=1e-9, abs=1e-9 * scale)
            assert (left.min, left.max) == (whole.min, whole.max)
        if whole.count > 1:
            assert left.variance == pytest.approx(whole.variance, rel=1e-9, abs=1e-12 * scale**2)

    def test_without_values(self):
        tally = Tally()
        assert all(math.isnan(x) for x in (tally.mean, tally.variance, tally.std, tally.min))
        tally.add(3)
        assert (tally.mean, tally.min, tally.max) == (3, 3, 3)
        assert math.isnan(tally.variance)
        tally.reset()
        assert tally.count == 0
        with pytest.raises(ValueError, match="NaN"):
            tally.add(math.nan)
        assert tally.count == 0

    def test_pickle(self):
        tally = Tally()
        tally.add_all([1, 5, 2.5])
        copy = pickle.loads(pickle.dumps(tally))
        assert (copy.count, copy.mean, copy.variance) == (3, tally.mean, tally.variance)
        assert (copy.min, copy.max) == (1, 5)


class TestTimeWeighted:
    @given(st.lists(st.tuples(st.integers(0, 10**9), st.floats(-1e6, 1e6)), max_size=40))
    def test_against_a_plain_sum(self, steps):
        sim = Simulator()
        level = TimeWeighted(sim, 2.0)
        value, durations, values = 2.0, [], []
        for delay, new in steps:
            sim.run(until=sim.now() + delay)
            durations.append(delay)
            values.append(value)
            level.set(new)
            value = new
        sim.run(until=sim.now() + 1000)
        durations.append(1000)
        values.append(value)
        mean = np.average(values, weights=durations)
        variance = np.average((np.array(values) - mean) ** 2, weights=durations)
        scale = max(1.0, np.abs(values).max())
        assert level.mean == pytest.approx(mean, rel=1e-9, abs=1e-9 * scale)
        assert level.variance == pytest.approx(variance, rel=1e-6, abs=1e-9 * scale**2)
        assert level.integral == pytest.approx(
            math.fsum(d * v for d, v in zip(durations, values, strict=True)) / 1e9,
            rel=1e-9, abs=1e-9 * scale,
        )
        assert (level.min, level.max) == (min([2.0, *values]), max([2.0, *values]))

    def test_looking_changes_nothing(self):
        results = []
        for looks in (False, True):
            sim = Simulator()
            level = TimeWeighted(sim, 0.1)
            for i in range(1, 200):
                sim.run(until=i * 7919)
                if looks:
                    assert level.mean > 0
                if i % 3 == 0:
                    level.add(0.1)
            results.append((level.mean, level.variance, level.integral))
        assert results[0] == results[1]

    def test_no_time_has_passed(self):
        level = TimeWeighted(Simulator(), 5)
        assert (level.mean, level.variance, level.integral) == (5, 0, 0)
        level.set(9)
        assert (level.mean, level.min, level.max) == (9, 5, 9)

    def test_reset_after_a_warm_up(self):
        sim = Simulator()
        level = TimeWeighted(sim, 100)
        sim.run(until=50)
        level.set(4)
        level.reset()
        sim.run(until=60)
        level.add(-2)
        sim.run(until=70)
        assert level.mean == pytest.approx(3)
        assert (level.min, level.max, level.duration) == (2, 4, 20)
        assert level.value == 2

    def test_nan(self):
        level = TimeWeighted(Simulator())
        with pytest.raises(ValueError, match="NaN"):
            level.set(math.nan)
        with pytest.raises(ValueError, match="NaN"):
            TimeWeighted(Simulator(), math.nan)
