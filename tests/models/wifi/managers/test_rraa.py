"""RRAA and RRPAA: thresholds from airtimes worked out by hand, and what crosses them."""

from __future__ import annotations

import pytest

from simcore import ms
from simcore.models.wifi.managers import RraaManager, RrpaaManager

# Airtime in us of 1420 B, SIFS, ACK at the same rate and DIFS at 802.11a's rates, from
# 802.11-2020 17.4.3: 20 us + 4 us per symbol of 24 ... 216 bits, 22 service and tail bits.
AIRTIME = [2014, 1374, 1054, 734, 574, 414, 334, 306]


def test_thresholds(drive):
    manager = RraaManager("802.11a")
    drive(manager)
    assert manager.windows == [-(-12000 // time) for time in AIRTIME]
    critical = [1.25 * (1 - AIRTIME[i + 1] / AIRTIME[i]) for i in range(7)]
    assert manager.lower_above == pytest.approx([1.0, *critical])
    assert manager.raise_below == pytest.approx([*(c / 2 for c in critical), 0.0])


def test_rraa_starts_at_the_highest_rate_and_falls_in_the_middle_of_a_window(drive):
    probe = drive(RraaManager("802.11a"))
    assert probe.mbps() == 54
    # The threshold is 0.1048 of a window of 40 attempts: 4 failures are below it, 5 above.
    probe.fail(4)
    assert probe.mbps() == 54
    probe.fail()
    assert probe.mbps() == 48


def test_rraa_rises_at_the_end_of_a_window(sim, drive):
    probe = drive(RraaManager("802.11a"))
    probe.fail(5)
    # At 48 Mb/s the window has 36 attempts; below 0.0524, one failure, the rate goes up.
    probe.fail()
    probe.ok(34)
    assert probe.mbps() == 48
    probe.ok()
    assert probe.mbps() == 54


def test_rraa_a_window_ends_with_its_time(sim, drive):
    probe = drive(RraaManager("802.11a"))
    probe.fail(4)
    sim.run(until=ms(51))
    probe.fail()
    assert probe.mbps() == 54
    assert probe.station.failures == 1


def test_rraa_stays_within_the_rates(drive):
    probe = drive(RraaManager("802.11a"))
    probe.fail(500)
    assert probe.mbps() == 6
    probe.ok(500)
    assert probe.mbps() == 54


def test_rraa_adaptive_rts(drive):
    probe = drive(RraaManager("802.11a"))
    assert not probe.need_rts()
    # A loss without RTS opens a window of one frame, a further one of two.
    probe.fail()
    assert probe.need_rts()
    probe.ok()
    assert not probe.need_rts()
    probe.fail()
    assert probe.need_rts()
    assert probe.station.rts_window == 2
    # A loss behind an RTS halves it.
    probe.fail()
    assert probe.need_rts()
    assert probe.station.rts_window == 1
    probe.fail()
    assert not probe.need_rts()
    assert probe.station.rts_window == 0


def test_rraa_basic_leaves_rts_to_the_threshold(drive):
    probe = drive(RraaManager("802.11a", basic=True))
    probe.fail()
    assert not probe.need_rts()
    assert probe.need_rts(normally=True)


def test_rrpaa_rises_as_soon_as_the_window_cannot_go_wrong(drive):
    probe = drive(RrpaaManager("802.11a"))
    # Window of 8, threshold 0.1986: with 7 successes the last attempt cannot matter.
    probe.ok(6)
    assert probe.mbps() == 6
    probe.ok()
    assert probe.mbps() == 9


def test_rrpaa_at_the_top_power_falls_and_losses_raise_it_first(drive):
    manager = RrpaaManager("802.11a", tx_power_start=0, tx_power_end=10, tx_power_levels=3)
    probe = drive(manager)
    while probe.station is None or probe.station.rate < 7:
        probe.ok()
    assert probe.data().tx_power_dbm == 10
    while probe.station.power == 2:
        probe.ok()
    assert probe.data().tx_power_dbm == 5
    probe.fail(20)
    assert probe.station.power == 2
    # The change that led to losses is half as likely from then on.
    assert probe.station.readiness[7][1] == 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tx_power_levels": 3}, "give tx_power_start and tx_power_end"),
        ({"tx_power_start": 3.0}, "go together"),
        ({"tx_power_start": 9, "tx_power_end": 3, "tx_power_levels": 2}, "tx_power_start is 9 dBm"),
        ({"tx_power_start": 1, "tx_power_end": 3}, "must be equal"),
        ({"tx_power_levels": 0}, "tx_power_levels is 0"),
        ({"tau": 0}, "tau is 0"),
        ({"gamma": 0.5}, "gamma is 0.5"),
        ({"frame_length": 0}, "frame_length is 0"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        RrpaaManager("802.11a", **parameters)
