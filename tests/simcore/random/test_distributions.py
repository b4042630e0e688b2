"""Moments, shapes and errors of the distributions."""

import itertools
import math
import pickle

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from simcore.random import (
    Bernoulli,
    Binomial,
    Constant,
    Deterministic,
    Distribution,
    Empirical,
    Erlang,
    Exponential,
    Gamma,
    Laplacian,
    LargestExtremeValue,
    LogNormal,
    Normal,
    Pareto,
    RandomStream,
    Sequential,
    Triangular,
    Uniform,
    UniformInteger,
    Weibull,
    Zeta,
    Zipf,
    parse_distribution,
)

RANDOM = [
    Uniform(-5, 10),
    UniformInteger(-3, 12),
    UniformInteger(-(2**52), 2**51),
    Exponential(2.5),
    Exponential(2.5, bound=4),
    Exponential(1000.0, bound=1.0),
    Normal(5, 2),
    Normal(5, variance=2, bound=1.5),
    Normal(0, 100, bound=0.5),
    LogNormal(0.5, 0.5),
    Pareto(5, 6),
    Pareto(5, 2, bound=40),
    Pareto(1, 1, bound=9),
    Weibull(5, 1.5),
    Weibull(5, 0.7, bound=12),
    Gamma(0.5, 2),
    Gamma(5, 2),
    Erlang(3, 2),
    Triangular(0, 1),
    Triangular(-1, 5, 0),
    Triangular(2, 3, mean=2.4),
    Laplacian(1, 2),
    Laplacian(1, 2, bound=3),
    LargestExtremeValue(1, 2),
    Zipf(10, 1),
    Zipf(50, 0),
    Zeta(7),
    Bernoulli(0.3),
    Bernoulli(0),
    Bernoulli(1),
    Binomial(10, 0.3),
    Empirical([(1, 0.25), (4, 0.75), (10, 1)]),
    Empirical([(1, 0.25), (4, 0.75), (10, 1)], interpolate=True),
    Empirical([(0, 0), (4, 1)], interpolate=True),
]
PRESCRIBED = [Constant(3), Deterministic([1, 2, 4]), Sequential(0, 10, 3, 2)]


def fresh(distribution, number=1):
    return distribution.copy(RandomStream(seed=7, number=number))


@pytest.mark.parametrize("distribution", RANDOM, ids=repr)
def test_mean_and_variance(distribution):
    n = 40_000
    values = fresh(distribution).draw_array(n)
    mean, variance = distribution.mean, distribution.variance
    assert abs(values.mean() - mean) <= 4 * math.sqrt(variance / n) + 1e-12
    fourth = np.mean((values - values.mean()) ** 4)
    spread = math.sqrt(max(fourth - values.var() ** 2, 0.0) / n)
    assert abs(values.var() - variance) <= 5 * spread + 1e-12


CONTINUOUS = [
    (Uniform(-5, 10), scipy.stats.uniform(-5, 15)),
    (Exponential(2.5), scipy.stats.expon(scale=2.5)),
    (Exponential(2.5, bound=4), scipy.stats.truncexpon(b=4 / 2.5, scale=2.5)),
    (Normal(5, 2), scipy.stats.norm(5, 2)),
    (Normal(5, 2, bound=3), scipy.stats.truncnorm(-1.5, 1.5, loc=5, scale=2)),
    (LogNormal(0.5, 0.8), scipy.stats.lognorm(0.8, scale=math.exp(0.5))),
    (Pareto(5, 2), scipy.stats.pareto(2, scale=5)),
    (Pareto(5, 2, bound=40), scipy.stats.truncpareto(2, 8, scale=5)),
    (Weibull(5, 1.5), scipy.stats.weibull_min(1.5, scale=5)),
    (Gamma(0.5, 2), scipy.stats.gamma(0.5, scale=2)),
    (Gamma(5, 2), scipy.stats.gamma(5, scale=2)),
    (Erlang(3, 2), scipy.stats.erlang(3, scale=2)),
    (Triangular(-1, 5, 0), scipy.stats.triang(1 / 6, -1, 6)),
    (Laplacian(1, 2), scipy.stats.laplace(1, 2)),
    (LargestExtremeValue(1, 2), scipy.stats.gumbel_r(1, 2)),
]


@pytest.mark.parametrize(("ours", "theirs"), CONTINUOUS, ids=lambda item: repr(item)[:40])
def test_continuous_shapes(ours, theirs):
    values = fresh(ours, number=3).draw_array(20_000)
    assert scipy.stats.kstest(values, theirs.cdf).pvalue > 1e-3
    assert ours.mean == pytest.approx(theirs.mean(), rel=1e-9)
    assert ours.variance == pytest.approx(theirs.var(), rel=1e-7)


DISCRETE = [
    (UniformInteger(0, 15), scipy.stats.randint(0, 16), 16),
    (Zipf(10, 1.2), scipy.stats.zipfian(1.2, 10), 11),
    (Zeta(3.5), scipy.stats.zipf(3.5), 6),
    (Zeta(1.2), scipy.stats.zipf(1.2), 12),
    (Binomial(10, 0.3), scipy.stats.binom(10, 0.3), 8),
]


@pytest.mark.parametrize(("ours", "theirs", "cells"), DISCRETE, ids=lambda item: repr(item)[:40])
def test_discrete_shapes(ours, theirs, cells):
    n = 20_000
    values = fresh(ours, number=4).draw_array(n)
    low = int(theirs.support()[0])
    inner = range(low, low + cells)
    observed = [np.sum(values == k) for k in inner]
    expected = [n * theirs.pmf(k) for k in inner]
    if n - sum(expected) > 1:
        observed.append(n - sum(observed))
        expected.append(n - sum(expected))
    chi = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True) if e > 0)
    assert scipy.stats.chi2.sf(chi, sum(e > 0 for e in expected) - 1) > 1e-3


@pytest.mark.parametrize(
    ("shape", "bound"), [*itertools.product([0.6, 1.0, 3.0], [0.1, 3.0, 50.0]), (0.6, 1e4)]
)
def test_bounded_moments_equal_the_integrals(shape, bound):
    whole = scipy.stats.weibull_min(shape, scale=5)
    first = whole.expect(lambda x: x, ub=bound, conditional=True, limit=200)
    second = whole.expect(lambda x: x * x, ub=bound, conditional=True, limit=200)
    ours = Weibull(5, shape, bound)
    assert ours.mean == pytest.approx(first, rel=1e-6)
    assert ours.variance == pytest.approx(second - first**2, rel=1e-4)


def test_series_of_bounded_moments_meets_the_closed_form():
    below, above = Exponential(1, bound=0.00999999), Exponential(1, bound=0.01000001)
    assert below.mean == pytest.approx(above.mean, rel=1e-5)
    assert below.variance == pytest.approx(above.variance, rel=1e-5)
    below, above = Normal(0, 1, 0.00999999), Normal(0, 1, 0.01000001)
    assert below.variance == pytest.approx(above.variance, rel=1e-5)


def test_moments_that_diverge():
    assert Pareto(1, 1).mean == math.inf
    assert Pareto(1, 1.5).mean == pytest.approx(3)
    assert Pareto(1, 1.5).variance == math.inf
    assert Zeta(2).mean == math.inf
    assert Zeta(2.5).variance == math.inf
    assert math.isnan(Sequential(0, 3).mean)


BOUNDED = [
    (Exponential(2, bound=1), 0, 1),
    (Normal(3, 2, bound=0.5), 2.5, 3.5),
    (Pareto(2, 1, bound=3), 2, 3),
    (Weibull(2, 1, bound=1), 0, 1),
    (Laplacian(-1, 2, bound=1), -2, 0),
]


@pytest.mark.parametrize(("distribution", "low", "high"), BOUNDED, ids=repr)
def test_bounds_hold(distribution, low, high):
    values = fresh(distribution).draw_array(5_000)
    assert low <= values.min() < low + 0.1
    assert high - 0.1 < values.max() <= high


@pytest.mark.parametrize("distribution", RANDOM + PRESCRIBED, ids=repr)
def test_array_equals_scalar_draws(distribution):
    one = fresh(distribution)
    many = fresh(distribution)
    assert [one.draw() for _ in range(101)] == many.draw_array(101).tolist()


@pytest.mark.parametrize("distribution", RANDOM + PRESCRIBED, ids=repr)
def test_text_pickle_and_copy_keep_the_parameters(distribution):
    expected = fresh(distribution).draw_array(20).tolist()
    for again in (
        parse_distribution(repr(distribution)),
        pickle.loads(pickle.dumps(distribution)),
        distribution.copy(),
    ):
        assert repr(again) == repr(distribution)
        assert again.stream is None
        assert again.bind(RandomStream(seed=7, number=1)).draw_array(20).tolist() == expected


@pytest.mark.parametrize("distribution", [Normal(), LogNormal(), Gamma()], ids=repr)
def test_binding_forgets_the_spare_normal_value(distribution):
    expected = fresh(distribution).draw()
    distribution.bind(RandomStream(3)).draw()
    assert distribution.bind(RandomStream(seed=7, number=1)).draw() == expected


def test_a_draw_without_stream_says_what_to_do():
    with pytest.raises(RuntimeError, match=r"Exponential\(mean=1\.0, bound=0\.0\) has no stream"):
        Exponential().draw()
    with pytest.raises(RuntimeError, match="has no stream"):
        Zipf(3).draw_array(2)


def test_deterministic_repeats():
    assert Deterministic([4, 7, 7.5]).draw_array(7).tolist() == [4, 7, 7.5, 4, 7, 7.5, 4]


def test_sequential_repeats_values_and_wraps_as_far_as_it_came_out():
    drawn = Sequential(0, 10, increment=4, consecutive=2).draw_array(10).tolist()
    assert drawn == [0, 0, 4, 4, 8, 8, 2, 2, 6, 6]


def test_sequential_with_a_random_step():
    sequence = Sequential(0, 1000, increment=Uniform(1, 3), stream=RandomStream(2))
    steps = np.diff(sequence.draw_array(200))
    assert np.all((steps > 1) & (steps < 3))
    assert len(set(steps)) > 100


def test_empirical_draws_only_given_values():
    points = [(1, 0.25), (4, 0.75), (10, 1)]
    values = Empirical(points, stream=RandomStream(5)).draw_array(20_000)
    assert {value: round(np.mean(values == value), 1) for value in (1, 4, 10)} == {
        1: pytest.approx(0.25, abs=0.06),
        4: pytest.approx(0.5, abs=0.06),
        10: pytest.approx(0.25, abs=0.06),
    }
    assert set(values) == {1, 4, 10}


def test_empirical_interpolates_between_points():
    points = [(2, 0), (4, 0.5), (10, 1)]
    values = Empirical(points, interpolate=True, stream=RandomStream(5)).draw_array(20_000)
    cdf = lambda x: np.interp(x, [2, 4, 10], [0, 0.5, 1])  # noqa: E731
    assert scipy.stats.kstest(values, cdf).pvalue > 1e-3


class Ramp(Distribution):
    """A distribution written in Python."""

    def __init__(self, *, stream=None):
        super().__init__(stream=stream)
        self.counter = itertools.count()

    def draw(self):
        value = next(self.counter)
        if value == 3:
            raise ArithmeticError("three")
        return value - 1.0


def test_python_distributions_reach_compiled_code():
    drawn = Sequential(0, 100, increment=Ramp(), stream=RandomStream()).draw_array(3)
    assert drawn.tolist() == [0, -1, -1]
    with pytest.raises(ArithmeticError, match="three"):
        Ramp().draw_array(5)


def test_a_distribution_without_draw():
    with pytest.raises(NotImplementedError, match="Distribution does not define draw"):
        Distribution().draw()


NAN, INF = math.nan, math.inf

WRONG = [
    (lambda: Uniform(2, 1), r"min is 2\.0; it must be at most max \(1\.0\)"),
    (lambda: Uniform(NAN, 1), "min is nan; it must be finite"),
    (lambda: Uniform(-1e308, 1e308), "max is 1e.308"),
    (lambda: UniformInteger(2, 1), r"min is 2; it must be at most max \(1\)"),
    (lambda: UniformInteger(0, 2**63), "max is 9223372036854775808; it must be between"),
    (lambda: UniformInteger(0, 2**53), r"less than 2\*\*53"),
    (lambda: Exponential(-1), r"mean is -1\.0; it must be finite and above 0"),
    (lambda: Exponential(0), r"mean is 0\.0"),
    (lambda: Exponential(NAN), "mean is nan"),
    (lambda: Exponential(INF), "mean is inf"),
    (lambda: Exponential(1, -1), r"bound is -1\.0; it must be 0 \(no bound\) or above 0"),
    (lambda: Exponential(1, NAN), "bound is nan"),
    (lambda: Exponential(1, 1e-9), "bound is 1e-09; it must be so wide"),
    (lambda: Normal(NAN), "mean is nan"),
    (lambda: Normal(0, -1), r"std is -1\.0; it must be finite and 0 or above"),
    (lambda: Normal(0, variance=-1), r"variance is -1"),
    (lambda: Normal(0, 1, variance=1), "it must be left out when std is given"),
    (lambda: Normal(0, 1, 0), r"bound is 0\.0; it must be above 0"),
    (lambda: Normal(0, 1, NAN), "bound is nan"),
    (lambda: Normal(0, 1, 1e-9), "bound is 1e-09; it must be so wide"),
    (lambda: LogNormal(0, -1), "sigma is -1"),
    (lambda: LogNormal(INF), "mu is inf"),
    (lambda: Pareto(0), r"scale is 0\.0"),
    (lambda: Pareto(1, -2), r"shape is -2\.0"),
    (lambda: Pareto(5, 2, 4), r"bound is 4\.0; it must be so wide"),
    (lambda: Weibull(1, NAN), "shape is nan"),
    (lambda: Gamma(0), "alpha is 0"),
    (lambda: Gamma(1, -1), "beta is -1"),
    (lambda: Erlang(0), "k is 0; it must be 1 or more"),
    (lambda: Triangular(0, 1, 2), r"mode is 2\.0; it must be between min \(0\.0\)"),
    (lambda: Triangular(1, 1), r"max is 1\.0; it must be above min"),
    (lambda: Triangular(0, 1, 0.5, mean=0.5), "it must be left out when mode is given"),
    (lambda: Triangular(0, 1, mean=0.9), r"mode is 1\.7"),
    (lambda: Laplacian(0, 0), r"scale is 0\.0"),
    (lambda: LargestExtremeValue(0, 0), r"scale is 0\.0"),
    (lambda: Zipf(0), "n is 0; it must be 1 or more"),
    (lambda: Zipf(3, -1), r"alpha is -1\.0"),
    (lambda: Zipf(2**41), "n is 2199023255552"),
    (lambda: Zeta(1), r"alpha is 1\.0; it must be between 1\.001 and 1000"),
    (lambda: Bernoulli(1.5), r"probability is 1\.5; it must be between 0 and 1"),
    (lambda: Bernoulli(NAN), "probability is nan"),
    (lambda: Binomial(-1), "trials is -1"),
    (lambda: Binomial(1, -0.1), r"probability is -0\.1"),
    (lambda: Constant(NAN), "value is nan"),
    (lambda: Deterministic([]), r"values is \[\]; it must be a list of at least one number"),
    (lambda: Deterministic([1, INF]), r"values\[1\] is inf"),
    (lambda: Sequential(1, 1), "max is 1"),
    (lambda: Sequential(0, 1, 0), "increment is 0"),
    (lambda: Sequential(0, 1, 1, 0), "consecutive is 0"),
    (lambda: Empirical([]), r"points is \[\]"),
    (lambda: Empirical([1, 2]), r"points\[0\] is 1; it must be a pair"),
    (lambda: Empirical([(1, -0.1), (2, 1)]), r"points\[0\] probability is -0\.1"),
    (lambda: Empirical([(1, NAN), (2, 1)]), r"points\[0\] probability is nan"),
    (lambda: Empirical([(NAN, 0.5), (2, 1)]), r"points\[0\] value is nan"),
    (lambda: Empirical([(1, 0.5), (2, 0.5), (3, 1)]), r"points\[1\] probability is 0\.5"),
    (lambda: Empirical([(2, 0.5), (1, 1)]), r"points\[1\] value is 1\.0; it must be at least"),
    (lambda: Empirical([(2, 0.5), (3, 0.9)]), r"points\[1\] probability is 0\.9; it must be 1"),
]


@pytest.mark.parametrize(("make", "message"), WRONG, ids=[message[:40] for _, message in WRONG])
def test_wrong_parameters_name_field_value_and_rule(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: UniformInteger(0, 1.5),
        lambda: Binomial(2.5),
        lambda: Zipf(2.5),
        lambda: Erlang(2.5),
        lambda: Sequential(0, 9, 1, 1.5),
        lambda: UniformInteger(0, True),
    ],
)
def test_counts_must_be_integers(make):
    with pytest.raises(TypeError, match=r"(max|trials|n|k|consecutive) is .*must be an integer"):
        make()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.booleans())
def test_empirical_stays_inside_its_points(values, interpolate):
    values = sorted(values)
    points = [(value, (i + 1) / len(values)) for i, value in enumerate(values)]
    drawn = Empirical(points, interpolate, stream=RandomStream(11)).draw_array(50)
    slack = 1e-9 * max(1.0, abs(values[0]), abs(values[-1]))
    assert values[0] - slack <= drawn.min()
    assert drawn.max() <= values[-1] + slack
    if not interpolate:
        assert set(drawn) <= set(values)
