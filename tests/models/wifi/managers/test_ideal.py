"""Ideal: thresholds against ns-3's, and what it does with an SNR."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from simcore.models.wifi.managers import IdealManager

REFERENCE = Path(__file__).parents[3] / "reference/ns3/wifi_ideal_snr_thresholds.csv"


def thresholds():
    with REFERENCE.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["standard"] in ("802.11a", "802.11b"):
                yield row["standard"], row["mode"], float(row["ber"]), float(row["snr_db_table"])


@pytest.mark.parametrize(("standard", "mode", "ber", "snr_db"), list(thresholds()))
def test_thresholds_are_those_of_ns3(drive, standard, mode, ber, snr_db):
    manager = IdealManager(standard, ber_threshold=ber)
    drive(manager)
    assert 10 * math.log10(manager.threshold(mode)) == pytest.approx(snr_db, abs=1e-6)


def test_the_snr_at_the_receiver_decides(drive):
    probe = drive(IdealManager("802.11a"))
    assert probe.mbps() == 6
    # 13.465 dB is the threshold of 36 Mb/s, 10.375 dB that of 24 Mb/s.
    for snr_db, mbps in ((13.4, 24), (13.5, 36), (30, 54), (1.0, 6)):
        probe.ok(ack_snr=1e9, data_snr=10 ** (snr_db / 10))
        assert probe.mbps() == mbps


def test_a_report_of_nothing_changes_nothing(drive):
    probe = drive(IdealManager("802.11a"))
    probe.ok(data_snr=1e3)
    probe.ok(data_snr=0.0)
    assert probe.mbps() == 54


def test_failures_alone_change_nothing_but_giving_up_starts_again(drive):
    probe = drive(IdealManager("802.11a"))
    probe.ok(data_snr=1e3)
    probe.fail(6)
    assert probe.mbps() == 54
    probe.give_up()
    assert probe.mbps() == 6


def test_rts_at_the_best_basic_rate(drive):
    probe = drive(IdealManager("802.11a"))
    assert probe.rts().mode.name == "OfdmRate6Mbps"
    probe.rts_ok(rts_snr=10**1.2)
    assert probe.rts().mode.name == "OfdmRate24Mbps"
    assert probe.mbps() == 24
    probe.rts_give_up()
    assert probe.rts().mode.name == "OfdmRate6Mbps"


def test_a_given_rts_mode_is_kept(drive):
    probe = drive(IdealManager("802.11a", rts_mode="OfdmRate12Mbps"))
    probe.rts_ok(rts_snr=1e6)
    assert probe.rts().mode.name == "OfdmRate12Mbps"


@pytest.mark.parametrize("ber", [0.0, 0.6, math.nan])
def test_impossible_error_rates_are_refused(ber):
    with pytest.raises(ValueError, match="ber_threshold is"):
        IdealManager("802.11a", ber_threshold=ber)


def test_thresholds_wait_for_a_device():
    with pytest.raises(RuntimeError, match="once the manager serves a device"):
        IdealManager("802.11a").threshold("OfdmRate6Mbps")
