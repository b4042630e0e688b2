"""Thompson sampling: what it counts, forgets and prefers."""

from __future__ import annotations

import math

import pytest

from simcore import seconds
from simcore.models.wifi.managers import ThompsonSamplingManager


def test_counts_fade_exponentially(sim, drive):
    probe = drive(ThompsonSamplingManager("802.11a", decay=2.0))
    probe.ok(10)
    probe.fail(5)
    counts = (sum(probe.station.successes), sum(probe.station.failures))
    assert counts == (10, 5)
    sim.run(until=seconds(1.5))
    # The next outcome fades all of them.
    probe.ok()
    assert sum(probe.station.successes) == pytest.approx(1 + 10 * math.exp(-3))
    assert sum(probe.station.failures) == pytest.approx(5 * math.exp(-3))


def test_it_finds_the_best_of_what_works(drive):
    probe = drive(ThompsonSamplingManager("802.11a", decay=0))
    for _ in range(2000):
        (probe.ok if probe.mbps() <= 24 else probe.fail)()
    chosen = []
    for _ in range(500):
        chosen.append(probe.mbps())
        (probe.ok if chosen[-1] <= 24 else probe.fail)()
    assert chosen.count(24) > 0.9 * len(chosen)


def test_it_looks_at_everything_at_first(drive):
    probe = drive(ThompsonSamplingManager("802.11a"))
    seen = set()
    for _ in range(400):
        seen.add(probe.mbps())
        probe.fail()
    assert len(seen) == 8


def test_an_ampdu_counts_each_frame(drive):
    probe = drive(ThompsonSamplingManager("802.11a"))
    probe.ampdu(5, 3)
    assert (sum(probe.station.successes), sum(probe.station.failures)) == (5, 3)


def test_a_negative_decay_is_refused():
    with pytest.raises(ValueError, match="decay is -1"):
        ThompsonSamplingManager("802.11a", decay=-1)
