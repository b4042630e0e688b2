"""ARF and AARF against sequences worked out from their papers."""

from __future__ import annotations

import pytest

from simcore.models.wifi.managers import AarfManager, ArfManager


def test_arf_starts_at_the_lowest_rate_and_rises_after_ten_successes(drive):
    probe = drive(ArfManager("802.11a"))
    assert probe.mbps() == 6
    probe.ok(9)
    assert probe.mbps() == 6
    probe.ok()
    assert probe.mbps() == 9


def test_arf_falls_back_at_once_when_the_first_frame_at_a_new_rate_fails(drive):
    probe = drive(ArfManager("802.11a"))
    probe.ok(10)
    assert probe.station.recovery
    probe.fail()
    assert probe.mbps() == 6


def test_arf_falls_back_after_two_failures_once_the_rate_has_proved_itself(drive):
    probe = drive(ArfManager("802.11a"))
    probe.ok(11)
    probe.fail()
    assert probe.mbps() == 9
    probe.fail()
    assert probe.mbps() == 6


def test_arf_failures_go_on_counting_in_pairs(drive):
    probe = drive(ArfManager("802.11a"))
    probe.ok(31)
    assert probe.mbps() == 18
    probe.fail(2)
    assert probe.mbps() == 12
    probe.fail(2)
    assert probe.mbps() == 9
    probe.fail(10)
    assert probe.mbps() == 6


def test_arf_timer_raises_the_rate_without_a_row_of_successes(drive):
    # One failure resets the row but not the timer: the fifteenth attempt decides.
    probe = drive(ArfManager("802.11a"))
    probe.ok(8)
    probe.fail()
    probe.ok(5)
    assert probe.mbps() == 6
    probe.ok()
    assert probe.mbps() == 9


def test_arf_stays_at_the_highest_rate(drive):
    probe = drive(ArfManager("802.11b"))
    probe.ok(200)
    assert probe.mbps() == 11


def test_arf_knows_stations_apart(drive, phy_of):
    manager = ArfManager("802.11a")
    probe = drive(manager)
    probe.ok(10)
    assert manager.station_of("02:00:00:00:00:09") is None
    assert probe.station.rate == 1
    assert str(probe.station.address) == "02:00:00:00:00:01"


def test_aarf_doubles_the_wait_after_each_failed_probe(drive):
    probe = drive(AarfManager("802.11a"))
    waits = []
    for _ in range(5):
        waits.append(0)
        while probe.mbps() == 6:
            probe.ok()
            waits[-1] += 1
        probe.fail()
        assert probe.mbps() == 6
    # 10, then doubled up to 60. The timer's threshold, 15, is doubled too and never comes first.
    assert waits == [10, 20, 40, 60, 60]
    assert probe.station.timer_threshold == 15 * 2**5


def test_aarf_two_failures_set_the_wait_back(drive):
    probe = drive(AarfManager("802.11a"))
    probe.ok(10)
    probe.fail()
    assert probe.station.success_threshold == 20
    probe.ok(20)
    assert probe.mbps() == 9
    probe.ok()
    probe.fail(2)
    assert probe.mbps() == 6
    assert probe.station.success_threshold == 10
    assert probe.station.timer_threshold == 15


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"success_threshold": 0}, "success_threshold is 0: it must be 1 or more"),
        ({"timer_threshold": -1}, "timer_threshold is -1"),
    ],
)
def test_arf_refuses_thresholds_that_never_act(parameters, message):
    with pytest.raises(ValueError, match=message):
        ArfManager("802.11a", **parameters)


def test_arf_refuses_standards_with_ht():
    with pytest.raises(ValueError, match="ArfManager knows no HT"):
        ArfManager("802.11n")


def test_aarf_refuses_a_maximum_below_the_threshold():
    with pytest.raises(ValueError, match="max_success_threshold is 5: it must be 10 or more"):
        AarfManager("802.11a", max_success_threshold=5)
