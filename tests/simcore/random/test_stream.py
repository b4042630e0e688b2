"""RandomStream: ranges, arrays, antithetic values, pickling, errors."""

import copy
import math
import pickle

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from simcore.random import RandomStream, parse_distribution
from simcore.random.stream import MAX_RUN, MAX_SEED, MAX_STREAM, sum_of_draws

METHODS = [
    ("uniform", (-2.0, 5.0), "uniform(-2, 5)"),
    ("integer", (-2, 5), "integer(-2, 5)"),
    ("exponential", (2.0,), "exponential(2)"),
    ("exponential", (2.0, 1.0), "exponential(2, 1)"),
    ("normal", (1.0, 2.0), "normal(1, 2)"),
    ("normal", (1.0, 2.0, 0.5), "normal(1, 2, 0.5)"),
    ("lognormal", (0.0, 1.0), "lognormal(0, 1)"),
    ("pareto", (2.0, 3.0, 9.0), "pareto(2, 3, 9)"),
    ("weibull", (2.0, 3.0, 9.0), "weibull(2, 3, 9)"),
    ("gamma", (0.5, 3.0), "gamma(0.5, 3)"),
    ("gamma", (5.0, 3.0), "gamma(5, 3)"),
    ("erlang", (3, 2.0), "erlang(3, 2)"),
    ("triangular", (0.0, 2.0), "triangular(0, 2)"),
    ("triangular", (0.0, 2.0, 0.5), "triangular(0, 2, 0.5)"),
    ("zipf", (20, 0.8), "zipf(20, 0.8)"),
    ("zeta", (1.5,), "zeta(1.5)"),
    ("bernoulli", (0.3,), "bernoulli(0.3)"),
    ("binomial", (10, 0.3), "binomial(10, 0.3)"),
    ("laplacian", (1.0, 2.0, 3.0), "laplacian(1, 2, 3)"),
    ("largest_extreme_value", (1.0, 2.0), "largest_extreme_value(1, 2)"),
]


@pytest.mark.parametrize(("name", "arguments", "text"), METHODS)
def test_methods_draw_as_the_distributions_do(name, arguments, text):
    stream = RandomStream(9, 3, 2)
    distribution = parse_distribution(text, RandomStream(9, 3, 2))
    drawn = [getattr(stream, name)(*arguments) for _ in range(200)]
    assert drawn == distribution.draw_array(200).tolist()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("uniform", ()),
        ("uniform", (-2.0, 5.0)),
        ("integer", (0, 7)),
        ("integer", (-(2**50), 2**50)),
        ("exponential", (2.0,)),
        ("exponential", (2.0, 1.0)),
        ("normal", ()),
        ("normal", (1.0, 2.0, 0.5)),
    ],
)
def test_arrays_equal_scalar_draws_and_go_on_where_they_end(name, arguments):
    one, many = RandomStream(4), RandomStream(4)
    expected = [getattr(one, name)(*arguments) for _ in range(103)]
    parts = [getattr(many, name + "_array")(n, *arguments) for n in (0, 1, 100, 2)]
    assert np.concatenate(parts).tolist() == expected
    assert one.state == many.state


@given(st.integers(1, MAX_SEED), st.integers(0, MAX_STREAM), st.integers(0, MAX_RUN))
def test_uniform_values_lie_strictly_between_the_ends(seed, number, run):
    values = RandomStream(seed, number, run).uniform_array(50)
    assert np.all((values > 0) & (values < 1))


@given(
    st.integers(-(2**63), 2**63 - 1).flatmap(
        lambda low: st.tuples(
            st.just(low), st.integers(0, min(2**53 - 1, 2**63 - 1 - low)).map(low.__add__)
        )
    )
)
def test_integers_stay_in_their_range(ends):
    low, high = ends
    values = RandomStream(5).integer_array(30, low, high)
    assert low <= values.min() <= values.max() <= high


def test_wide_integers_use_all_their_bits():
    values = RandomStream(5).integer_array(4000, -(2**51), 2**51)
    assert {int(value) & 0xFF for value in values} == set(range(256))


def test_uniform_chi_square():
    counts, _ = np.histogram(RandomStream(77).uniform_array(200_000), bins=1000, range=(0, 1))
    assert 1e-3 < scipy.stats.chisquare(counts).pvalue < 1 - 1e-3


def test_neighbouring_streams_and_runs_are_uncorrelated():
    n = 20_000
    rows = [RandomStream(1, 2**63 + k, 1).uniform_array(n) for k in range(4)]
    rows += [RandomStream(1, 2**63, run).uniform_array(n) for run in (2, 3)]
    correlation = np.corrcoef(rows) - np.eye(len(rows))
    assert np.abs(correlation).max() < 4.5 / math.sqrt(n)


def test_antithetic_values_are_the_complements():
    plain, mirrored = RandomStream(3), RandomStream(3, antithetic=True)
    assert mirrored.antithetic
    assert [mirrored.random() for _ in range(50)] == [1.0 - plain.random() for _ in range(50)]


def test_reset_goes_back_to_the_start():
    stream = RandomStream(3)
    first = [stream.normal() for _ in range(3)]
    stream.reset()
    assert [stream.normal() for _ in range(3)] == first


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_copies_go_on_where_the_stream_stands(again):
    stream = RandomStream(3, 2, 5, antithetic=True)
    stream.normal()
    twin = again(stream)
    assert repr(twin) == "RandomStream(seed=3, number=2, run=5, antithetic=True)"
    assert [twin.normal() for _ in range(5)] == [stream.normal() for _ in range(5)]


def test_sum_of_draws():
    one, many = RandomStream(8), RandomStream(8)
    total = 0.0
    for _ in range(100):
        total += one.random()
    assert sum_of_draws(many, 100) == total


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: RandomStream(0), ValueError, "seed is 0; it must be between 1 and 4294944442"),
        (lambda: RandomStream(MAX_SEED + 1), ValueError, "seed is 4294944443"),
        (lambda: RandomStream(-1), ValueError, "seed is -1"),
        (lambda: RandomStream(1.5), TypeError, "seed is 1.5; it must be an integer"),
        (lambda: RandomStream(True), TypeError, "seed is True; it must be an integer"),
        (lambda: RandomStream(1, 2**64), ValueError, "number is 18446744073709551616"),
        (lambda: RandomStream(1, 0, -1), ValueError, "run is -1; it must be between 0 and"),
        (lambda: RandomStream(1, 0, 2**51), ValueError, "run is 2251799813685248"),
        (lambda: RandomStream().uniform(1, 0), ValueError, "min is 1.0; it must be at most max"),
        (lambda: RandomStream().uniform(0, math.nan), ValueError, "max is nan"),
        (lambda: RandomStream().integer(1, 0), ValueError, r"low is 1; it must be at most high"),
        (lambda: RandomStream().integer(-(2**63), 2**63 - 1), ValueError, "less than"),
        (lambda: RandomStream().integer(0, 1.5), TypeError, "integer"),
        (lambda: RandomStream().exponential(-1), ValueError, r"mean is -1\.0"),
        (lambda: RandomStream().exponential(math.nan), ValueError, "mean is nan"),
        (lambda: RandomStream().normal(0, -1), ValueError, r"std is -1\.0"),
        (lambda: RandomStream().lognormal(0, math.inf), ValueError, "sigma is inf"),
        (lambda: RandomStream().zipf(0, 1), ValueError, "n is 0"),
        (lambda: RandomStream().zeta(1), ValueError, r"alpha is 1\.0"),
        (lambda: RandomStream().bernoulli(2), ValueError, r"probability is 2\.0"),
        (lambda: RandomStream().binomial(-1), ValueError, "trials is -1"),
        (lambda: RandomStream().uniform_array(-1), ValueError, "n is -1"),
        (lambda: RandomStream().normal_array(2.5), TypeError, "n is 2.5"),
    ],
)
def test_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_stream_that_was_not_initialised_draws():
    bare = RandomStream.__new__(RandomStream)
    same = RandomStream(1, 0, 0)
    assert bare.state == same.state
    assert repr(bare) == repr(same)
    assert bare.exponential(1.0, 0.5) == same.exponential(1.0, 0.5)


@pytest.mark.parametrize(("draw", "field"), [
    (lambda stream: stream.binomial(10**12), "trials is 1000000000000; it must be at most 1000"),
    (lambda stream: stream.erlang(10**12), "k is 1000000000000; it must be at most 1000"),
    (lambda stream: stream.zipf(10**12, 1.0), "n is 1000000000000; it must be at most 1000"),
    (lambda stream: stream.zeta(1e308), r"alpha is 1e\+308; it must be between 1\.001 and 1000"),
    (lambda stream: stream.zeta(float("nan")), "alpha is nan"),
])
def test_draws_that_would_not_end_are_refused(draw, field):
    with pytest.raises(ValueError, match=field):
        draw(RandomStream())


def test_zeta_ends_at_its_largest_alpha():
    stream = RandomStream()
    assert {stream.zeta(1000.0) for _ in range(1000)} == {1}
