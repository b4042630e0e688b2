from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from simcore import seconds
from simcore.models.ndn.apps import ConsumerZipf, Producer, ZipfMandelbrot


def exact(n, q, s):
    weights = (np.arange(1, n + 1) + q) ** -float(s)
    return weights / weights.sum()


def counts(sampler, stream, draws):
    return np.bincount([sampler.draw(stream) for _ in range(draws)], minlength=sampler.n + 1)


@pytest.mark.parametrize(("n", "q", "s"), [(100, 0.7, 0.7), (1, 0, 1), (1000, 5.0, 1.2), (7, 0, 0)])
def test_probabilities_are_exact(n, q, s):
    sampler = ZipfMandelbrot(n, q, s)
    expected = exact(n, q, s)
    assert [sampler.probability(k) for k in range(1, n + 1)] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("n", "q", "s"), [(100, 0.7, 0.7), (500, 0, 1.0), (50, 3.0, 2.0)])
def test_draws_follow_the_probabilities(sim, n, q, s):
    sampler = ZipfMandelbrot(n, q, s)
    draws = 400_000
    found = counts(sampler, sim.random.stream("draws"), draws)
    assert found[0] == 0
    expected = exact(n, q, s) * draws
    # Ranks that are too rare for the test are taken together.
    common = expected >= 10
    seen = np.append(found[1:][common], found[1:][~common].sum())
    wanted = np.append(expected[common], expected[~common].sum())
    if wanted[-1] == 0:
        seen, wanted = seen[:-1], wanted[:-1]
    assert chisquare(seen, wanted).pvalue > 1e-4


def test_the_test_sees_a_wrong_exponent(sim):
    found = counts(ZipfMandelbrot(100, 0.7, 0.75), sim.random.stream("draws"), 400_000)
    assert chisquare(found[1:], exact(100, 0.7, 0.7) * 400_000).pvalue < 1e-6


def test_large_catalogue_reaches_its_tail(sim):
    sampler = ZipfMandelbrot(2_000_000, 0.7, 0.7)
    stream = sim.random.stream("draws")
    ranks = np.array([sampler.draw(stream) for _ in range(50_000)])
    expected = exact(2_000_000, 0.7, 0.7)[1_000_000:].sum()
    share = (ranks > 1_000_000).mean()
    assert share == pytest.approx(expected, abs=4 * (expected / 50_000) ** 0.5)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0,), "n"), ((1 << 31,), "n"), ((10, -1.0), "q"), ((10, 0.7, -1.0), "s")],
)
def test_wrong_parameters(arguments, name):
    with pytest.raises(ValueError, match=f"^{name} is"):
        ZipfMandelbrot(*arguments)


def test_consumer_asks_by_popularity(sim, line):
    node = line(1, 0, cs_capacity=0).nodes[0]
    Producer(node, "/p")
    consumer = ConsumerZipf(node, "/p", 1000, contents=10, q=0.0, s=1.0, count=20_000)
    other = ConsumerZipf(node, "/p", 1, contents=10, q=0.0, s=1.0, count=1)
    assert other.popularity is consumer.popularity
    ranks = []
    consumer.trace.data.connect(lambda number, delay, data: ranks.append(number))
    sim.run(seconds(30))
    assert len(ranks) == 20_000
    found = np.bincount(ranks, minlength=11)[1:]
    assert chisquare(found, exact(10, 0.0, 1.0) * 20_000).pvalue > 1e-4


def test_content_asked_for_twice_at_a_time_is_answered_once(sim, line):
    nodes = line(2).nodes
    Producer(nodes[1], "/p")
    consumer = ConsumerZipf(nodes[0], "/p", 1000, contents=1, count=5)
    sim.run(seconds(3))
    assert consumer.sent == 5
    assert consumer.received == 1
    assert len(consumer.outstanding) == 0
    assert consumer.mean_delay == 20_000_000
