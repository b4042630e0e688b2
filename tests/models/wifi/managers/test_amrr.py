"""AMRR and Onoe over their periods."""

from __future__ import annotations

import pytest

from simcore import ms, seconds
from simcore.models.wifi.managers import AmrrManager, OnoeManager


def rates_after_failures(probe, count):
    rates = []
    for _ in range(count):
        rates.append(probe.mbps())
        probe.fail()
    probe.give_up()
    return rates


def test_amrr_rises_after_a_good_period(sim, drive):
    probe = drive(AmrrManager("802.11a"))
    probe.ok(11)
    assert probe.mbps() == 6
    sim.run(until=seconds(1))
    assert probe.mbps() == 9


def test_amrr_ten_outcomes_say_nothing(sim, drive):
    probe = drive(AmrrManager("802.11a"))
    probe.ok(10)
    sim.run(until=seconds(1))
    assert probe.mbps() == 6


def test_amrr_a_failed_probe_doubles_the_periods_it_waits(sim, drive):
    probe = drive(AmrrManager("802.11a"))
    time = 0
    waits = []
    for _ in range(6):
        good = 0
        while probe.mbps() == 6:
            probe.ok(20)
            good += 1
            time += 1
            sim.run(until=seconds(time))
        waits.append(good)
        probe.fail(2)
        probe.give_up()
        time += 1
        sim.run(until=seconds(time))
        assert probe.mbps() == 6
    assert waits == [1, 2, 4, 8, 10, 10]


def test_amrr_between_the_ratios_nothing_changes(sim, drive):
    probe = drive(AmrrManager("802.11a"))
    probe.ok(11)
    sim.run(until=seconds(1))
    assert probe.mbps() == 9
    # 4 failures for 20 frames: between a tenth and a third.
    for _ in range(4):
        probe.fail()
        probe.ok(5)
    sim.run(until=seconds(2))
    assert probe.mbps() == 9
    assert probe.station.ok == 0


def test_amrr_repetitions_go_one_two_three_rates_lower(sim, drive):
    probe = drive(AmrrManager("802.11a"))
    for second in range(1, 6):
        probe.ok(11)
        sim.run(until=seconds(second))
        probe.data()
    assert rates_after_failures(probe, 5) == [36, 24, 18, 12, 12]
    assert probe.mbps() == 36


def test_onoe_takes_ten_credits(sim, drive):
    probe = drive(OnoeManager("802.11a"))
    for second in range(1, 11):
        assert probe.mbps() == 6
        probe.ok(100)
        sim.run(until=seconds(second))
    assert probe.mbps() == 9


def test_onoe_a_middling_period_costs_a_credit(sim, drive):
    probe = drive(OnoeManager("802.11a", update_period=ms(10)))
    for period in range(1, 4):
        probe.ok(100)
        sim.run(until=ms(10 * period))
        probe.data()
    assert probe.station.credit == 3
    # 20 failures for 100 frames: above a tenth, below one each.
    for _ in range(20):
        probe.fail()
        probe.ok(5)
    sim.run(until=ms(40))
    probe.data()
    assert probe.station.credit == 2


def test_onoe_falls_when_nothing_arrives(sim, drive):
    probe = drive(OnoeManager("802.11a", raise_threshold=1))
    probe.ok(100)
    sim.run(until=seconds(1))
    assert probe.mbps() == 9
    probe.fail(7)
    probe.give_up()
    sim.run(until=seconds(2))
    assert probe.mbps() == 6


def test_onoe_does_not_judge_while_a_frame_is_under_way(sim, drive):
    probe = drive(OnoeManager("802.11a", raise_threshold=1))
    probe.ok(100)
    probe.fail()
    sim.run(until=seconds(1))
    assert probe.mbps() == 6
    probe.ok()
    assert probe.mbps() == 9


def test_onoe_repetitions(sim, drive):
    probe = drive(OnoeManager("802.11a", raise_threshold=1))
    for second in range(1, 6):
        probe.ok(100)
        sim.run(until=seconds(second))
        probe.data()
    assert rates_after_failures(probe, 9) == [36, 36, 36, 36, 24, 24, 18, 18, 12]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AmrrManager("802.11a", update_period=0), "update_period is 0 ns"),
        (lambda: AmrrManager("802.11a", failure_ratio=1.5), "failure_ratio is 1.5"),
        (lambda: OnoeManager("802.11a", raise_threshold=0), "raise_threshold is 0"),
        (lambda: OnoeManager("802.11a", update_period=2.5), "update_period is 2.5"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()
