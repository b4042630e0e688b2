"""AARF-CD and CARA: when RTS is used and when the rate goes down."""

from __future__ import annotations

import pytest

from simcore.models.wifi.managers import AarfcdManager, CaraManager


def test_aarfcd_first_asks_whether_it_was_a_collision(drive):
    probe = drive(AarfcdManager("802.11a"))
    probe.ok(11)
    assert probe.mbps() == 9
    probe.rts_ok()
    probe.ok()
    assert not probe.need_rts()
    probe.fail()
    # The rate stays; the repetition goes behind an RTS.
    assert probe.mbps() == 9
    assert probe.need_rts()
    probe.rts_ok()
    probe.fail()
    # A loss behind an RTS counts: the second in a row lowers the rate, and RTS goes off.
    assert probe.mbps() == 6
    assert not probe.need_rts()


def test_aarfcd_rts_goes_off_when_its_window_is_used_up(drive):
    probe = drive(AarfcdManager("802.11a"))
    probe.fail()
    assert probe.need_rts()
    probe.rts_ok()
    probe.ok()
    assert not probe.need_rts()


def test_aarfcd_window_doubles_while_switching_off_does_not_help(drive):
    probe = drive(AarfcdManager("802.11a", max_rts_window=4))
    probe.ok()
    windows = []
    for _ in range(5):
        probe.fail()
        windows.append(probe.station.rts_window)
        for _ in range(probe.station.rts_left):
            probe.rts_ok()
        probe.ok()
        assert not probe.need_rts()
    # `ok` behind RTS was seen, then RTS went off: no success since.
    assert windows == [1, 2, 4, 4, 4]


def test_aarfcd_a_raised_rate_begins_behind_rts(drive):
    probe = drive(AarfcdManager("802.11a"))
    probe.ok(10)
    assert probe.mbps() == 9
    assert probe.need_rts()
    probe.rts_ok()
    probe.fail()
    assert probe.mbps() == 6
    assert probe.station.success_threshold == 20
    assert not probe.need_rts()


def test_aarfcd_leaves_rts_alone_when_told_to(drive):
    probe = drive(AarfcdManager("802.11a", rts_on_after_increase=False))
    probe.ok(10)
    assert not probe.need_rts()


def test_cara_probes_with_rts_after_one_failure_and_falls_back_after_two(drive):
    probe = drive(CaraManager("802.11a"))
    probe.ok(10)
    assert probe.mbps() == 9
    assert not probe.need_rts()
    probe.fail()
    assert probe.need_rts()
    assert probe.mbps() == 9
    probe.fail()
    assert probe.mbps() == 6
    assert not probe.need_rts()
    assert probe.need_rts(normally=True)


def test_cara_rises_after_fifteen_attempts_without_a_row(drive):
    probe = drive(CaraManager("802.11a"))
    for _ in range(7):
        probe.ok()
        probe.fail()
    assert probe.mbps() == 6
    probe.ok()
    assert probe.mbps() == 9


@pytest.mark.parametrize("manager", [AarfcdManager, CaraManager])
def test_they_stay_within_the_rates(drive, manager):
    probe = drive(manager("802.11b"))
    probe.ok(300)
    assert probe.mbps() == 11
    probe.fail(300)
    assert probe.mbps() == 1
