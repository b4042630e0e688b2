"""PARF and APARF: rate first on the way up, power first on the way down."""

from __future__ import annotations

import pytest

from simcore.models.wifi.managers import AparfManager, ParfManager

LEVELS = {"tx_power_start": 0, "tx_power_end": 10, "tx_power_levels": 3}


def state(probe):
    vector = probe.data()
    return vector.rate_bps / 1e6, vector.tx_power_dbm


def test_parf_starts_at_the_top_and_saves_power(drive):
    probe = drive(ParfManager("802.11a", **LEVELS))
    assert state(probe) == (54, 10)
    probe.ok(10)
    assert state(probe) == (54, 5)
    probe.ok(10)
    assert state(probe) == (54, 0)
    probe.ok(100)
    assert state(probe) == (54, 0)


def test_parf_takes_power_back_at_the_first_failure_of_a_lower_one(drive):
    probe = drive(ParfManager("802.11a", **LEVELS))
    probe.ok(10)
    probe.fail()
    assert state(probe) == (54, 10)


def test_parf_raises_power_before_it_lowers_the_rate(drive):
    probe = drive(ParfManager("802.11a", **LEVELS))
    probe.ok(21)
    assert state(probe) == (54, 0)
    probe.fail(2)
    assert state(probe) == (54, 5)
    probe.fail(2)
    assert state(probe) == (54, 10)
    probe.fail(2)
    assert state(probe) == (48, 10)
    # The first failure at a rate that was raised is enough.
    probe.ok(10)
    assert state(probe) == (54, 10)
    probe.fail()
    assert state(probe) == (48, 10)


def test_parf_without_levels_uses_the_power_of_the_phy(drive):
    probe = drive(ParfManager("802.11a"))
    probe.ok(50)
    assert state(probe) == (54, None)


def test_aparf_thresholds_follow_the_channel(drive):
    probe = drive(AparfManager("802.11a", **LEVELS))
    assert state(probe) == (54, 10)
    probe.ok(3)
    assert probe.station.estimate == "spread"
    assert state(probe) == (54, 5)
    # A failure after a success in "spread" means a channel that changes slowly.
    probe.fail()
    assert probe.station.estimate == "low"
    assert probe.station.success_threshold == 10
    assert state(probe) == (54, 10)
    probe.fail()
    assert probe.station.estimate == "high"
    assert probe.station.success_threshold == 3
    assert state(probe) == (48, 10)
    assert probe.station.critical_rate == 7


def test_aparf_lowers_power_below_a_critical_rate_before_it_tries_that_again(drive):
    probe = drive(AparfManager("802.11a", power_threshold=2, **LEVELS))
    probe.fail()
    assert state(probe) == (48, 10)
    seen = []
    for _ in range(30):
        probe.ok()
        if not seen or state(probe) != seen[-1]:
            seen.append(state(probe))
        if seen[-1][0] == 54:
            break
    assert seen == [(48, 10), (48, 5), (48, 0), (54, 10)]


@pytest.mark.parametrize("manager", [ParfManager, AparfManager])
def test_they_stay_within_rates_and_levels(drive, manager):
    probe = drive(manager("802.11b", **LEVELS))
    probe.fail(300)
    assert state(probe) == (1, 10)
    probe.ok(3000)
    assert state(probe) == (11, 0)
