"""Every duration of the reference tables (ns-3.44), and what must hold for all of them."""

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.models.wifi.phy.duration import data_duration, header_duration, tx_duration
from simcore.models.wifi.phy.mode import mode, modes, standards
from simcore.models.wifi.phy.txvector import TxVector

REFERENCE = Path(__file__).parents[3] / "reference" / "ns3"


def reference_rows():
    with gzip.open(REFERENCE / "wifi_tx_durations.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


def vector_of(row):
    return TxVector(
        row["mode"],
        preamble=row["preamble"],
        width_mhz=int(row["width_mhz"]),
        gi_ns=int(row["gi_ns"]),
        nss=int(row["nss"]) if "nss" in row else None,
    )


def test_every_duration_rate_and_header_of_the_reference_table():
    rows = reference_rows()
    assert len(rows) == 15125
    wrong = []
    for row in rows:
        v = vector_of(row)
        got = (
            v.rate_bps,
            header_duration(v),
            tx_duration(int(row["size_bytes"]), v, float(row["band"])),
        )
        wanted = (int(row["datarate_bps"]), int(row["phy_hdr_ns"]), int(row["tx_duration_ns"]))
        if got != wanted:
            wrong.append((row, got))
    assert wrong == []


def test_every_duration_that_ns3_expects_in_its_own_tests():
    with open(REFERENCE / "test_tx_duration_expected.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 253
    wrong = []
    for row in rows:
        duration = data_duration if row["kind"] == "PayloadDuration" else tx_duration
        band = 2.4 if row["mode"].startswith("Erp") else 5
        got = duration(int(row["size_bytes"]), vector_of(row), band)
        if got != int(row["expected_ns_5GHz_or_DSSS"]):
            wrong.append((row, got))
    assert wrong == []


def test_modes_and_rates_of_the_reference_table_are_those_of_the_standards():
    by_standard = {}
    for row in reference_rows():
        by_standard.setdefault(row["standard"], set()).add(row["mode"])
    for standard, names in by_standard.items():
        assert names <= {m.name for m in modes(standard)}


@pytest.mark.parametrize(
    ("mode_name", "kwargs", "size", "band", "expected"),
    [
        # 802.11-2020 17.4.3: 14 bytes = 134 bits with service and tail.
        ("OfdmRate6Mbps", {}, 14, 5, 20_000 + 6 * 4000),
        # 10.3.8: 6 us of signal extension.
        ("ErpOfdmRate6Mbps", {}, 14, 2.4, 20_000 + 6 * 4000 + 6000),
        # 16.2.3, LENGTH: 1500 bytes at 11 Mb/s = 1090.9 us, rounded up.
        ("DsssRate11Mbps", {"preamble": "SHORT"}, 1500, 2.4, 96_000 + 1_091_000),
        # 16.2.2.3: 1 Mb/s has no short format.
        ("DsssRate1Mbps", {"preamble": "SHORT"}, 14, 2.4, 192_000 + 112_000),
        ("HtMcs7", {}, 0, 5, 36_000 + 4000),
    ],
)
def test_durations_by_hand(mode_name, kwargs, size, band, expected):
    assert tx_duration(size, TxVector(mode_name, **kwargs), band) == expected


@given(
    st.sampled_from([m for s in standards() for m in modes(s)]),
    st.integers(0, 65535),
    st.integers(1, 4096),
)
def test_a_longer_frame_never_takes_less_time(m, size, more):
    # 802.11ac excludes MCS 9 in 20 MHz.
    v = TxVector(m, width_mhz=40 if m.name == "VhtMcs9" else None)
    assert tx_duration(size, v) <= tx_duration(size + more, v)
    # Never faster than its data rate.
    assert data_duration(size, v) * v.rate_bps >= size * 8 * 1_000_000_000


def test_wrong_arguments_are_named():
    v = TxVector("OfdmRate6Mbps")
    with pytest.raises(ValueError, match=r"size_bytes=-1 is not a PSDU size: use 0 to"):
        tx_duration(-1, v)
    with pytest.raises(ValueError, match=r"band=3 is not a Wi-Fi band: use 2\.4, 5 or 6"):
        tx_duration(1, v, 3)
    with pytest.raises(TypeError):
        tx_duration(1, None)
    assert mode("OfdmRate6Mbps") is v.mode
