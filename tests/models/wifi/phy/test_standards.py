import csv
from pathlib import Path

import pytest

from simcore.models.wifi.phy import standards
from simcore.models.wifi.phy.standards import standard_parameters

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
