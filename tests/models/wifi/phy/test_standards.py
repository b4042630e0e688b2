import csv
from pathlib import Path

import pytest

from simcore.models.wifi.phy import standards
from simcore.models.wifi.phy.standards import (
    bands,
    capabilities,
    check_station,
    standard_parameters,
    station_modes,
)
from simcore.models.wifi.phy.txvector import TxVector

REFERENCE = Path(__file__).parents[3] / "reference" / "ns3" / "wifi_standard_constants.csv"


def reference_rows():
    with open(REFERENCE) as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", reference_rows(), ids=lambda r: f"{r['standard']}@{r['band_ghz']}")
def test_constants_equal_the_reference_table(row):
    # The table calls 802.11p with 10 MHz "802.11p-10".
    name = row["standard"] + ("MHz" if row["standard"].startswith("802.11p") else "")
    p = standard_parameters(name, float(row["band_ghz"]))
    for field, got in {
        "slot_ns": p.slot_ns,
        "sifs_ns": p.sifs_ns,
        "pifs_ns": p.pifs_ns,
        "ack_tx_time_basic_ns": p.ack_duration_ns,
        "width_mhz": p.width_mhz,
        "channel": p.channel,
        "freq_mhz": p.frequency_mhz,
        "rx_sens_dbm": standards.RX_SENSITIVITY_DBM,
        "cca_ed_dbm": standards.CCA_ED_THRESHOLD_DBM,
        "cca_sens_dbm": standards.CCA_SENSITIVITY_DBM,
        "rx_noise_figure_db": standards.NOISE_FIGURE_DB,
        "tx_power_dbm_start": standards.TX_POWER_DBM,
        "tx_power_dbm_end": standards.TX_POWER_DBM,
        "preamble_detect_ns": standards.PREAMBLE_DETECTION_NS,
    }.items():
        assert got == float(row[field]), field
    assert p.qos == (row["nonqos_cwmin"] == "")
    if p.qos:
        for category, parameters in p.edca.items():
            assert parameters.cw_min == int(row[f"{category}_cwmin"])
            assert parameters.cw_max == int(row[f"{category}_cwmax"])
            assert parameters.aifsn == int(row[f"{category}_aifsn"])
            if f"{category}_txop_us" in row:
                assert parameters.txop_limit_ns == 1000 * int(row[f"{category}_txop_us"])
    else:
        assert p.dcf.cw_min == int(row["nonqos_cwmin"])
        assert p.dcf.cw_max == int(row["nonqos_cwmax"])
        assert p.dcf.aifsn == int(row["nonqos_aifsn"])


@pytest.mark.parametrize(
    ("name", "difs", "eifs"),
    [
        ("802.11b", 50_000, 10_000 + 304_000 + 50_000),
        ("802.11a", 34_000, 16_000 + 44_000 + 34_000),
    ],
)
def test_interframe_spaces(name, difs, eifs):
    p = standard_parameters(name)
    assert (p.difs_ns, p.eifs_ns) == (difs, eifs)


def test_default_band_and_modes():
    assert standard_parameters("802.11n").band_ghz == 5
    assert standard_parameters("802.11b").band_ghz == 2.4
    assert standard_parameters("802.11b").edca["VO"].txop_limit_ns == 3_264_000
    p = standard_parameters("802.11g")
    assert set(p.basic_modes) <= set(p.modes)


def test_wrong_names():
    with pytest.raises(ValueError, match=r"unknown Wi-Fi standard 'wifi5': .*802\.11ac"):
        standard_parameters("wifi5")
    with pytest.raises(ValueError, match=r"band_ghz=6 is not a band of 802\.11n: use 2\.4 or 5"):
        standard_parameters("802.11n", 6)


@pytest.mark.parametrize(
    ("standard", "band", "what", "message"),
    [
        ("802.11n", None, {"width_mhz": 160}, r"width_mhz=160 .* 802\.11n in 5 GHz: .* 20, 40 MHz"),
        ("802.11n", 2.4, {"nss": 5}, r"nss=5 .*: it has 1, 2, 3, 4 spatial streams"),
        ("802.11ac", None, {"gi_ns": 1600}, r"gi_ns=1600 .* 802\.11ac: it has 400, 800 ns"),
        ("802.11ax", 2.4, {"width_mhz": 80}, r"width_mhz=80 .* in 2\.4 GHz: it has 20, 40 MHz"),
        ("802.11a", None, {"width_mhz": 10}, r"width_mhz=10 .* 802\.11a: it has 20 MHz"),
        ("802.11ax", None, {"nss": 0}, r"nss=0 "),
        ("802.11ax", None, {"nss": True}, r"nss=True "),
    ],
)
def test_what_a_station_cannot_have(standard, band, what, message):
    with pytest.raises(ValueError, match=message):
        check_station(standard, band, **what)


def test_a_station_can_have_everything_that_its_standard_lists():
    for standard in dict.fromkeys(row["standard"] for row in reference_rows()):
        name = standard + ("MHz" if standard.startswith("802.11p") else "")
        for band in bands(name):
            p = capabilities(name, band)
            for width in p.widths_mhz:
                check_station(name, band, width_mhz=width, gi_ns=p.gi_ns[0], nss=p.max_streams)
            for m in station_modes(name, band, max_streams=p.max_streams):
                wide = 40 if m.name == "VhtMcs9" else None
                assert TxVector(m, width_mhz=wide).rate_bps > 0


def test_modes_of_a_station_include_those_of_earlier_standards():
    names = [m.name for m in station_modes("802.11ac", max_streams=2)]
    assert names[0] == "OfdmRate6Mbps"
    assert names[8:24] == [f"HtMcs{i}" for i in range(16)]
    assert names[24:] == [f"VhtMcs{i}" for i in range(10)]
    assert "DsssRate1Mbps" in [m.name for m in station_modes("802.11ax", 2.4)]
    assert [m.name for m in station_modes("802.11ax", 6)][-1] == "HeMcs11"
