import pickle

import pytest

from simcore.models.wifi.phy.mode import (
    WifiMode,
    basic_modes,
    mode,
    mode_count,
    modes,
    standards,
)
from simcore.models.wifi.phy.txvector import TxVector


def all_modes():
    return {m.name: m for s in standards() for m in modes(s)}


def test_each_mode_is_one_immutable_object_with_its_own_index():
    found = all_modes()
    assert sorted(m.uid for m in found.values()) == list(range(mode_count()))
    for name, m in found.items():
        assert mode(name) is m
        assert pickle.loads(pickle.dumps(m)) is m
    with pytest.raises(AttributeError):
        mode("HtMcs0").mcs = 3
    with pytest.raises(TypeError, match="use mode"):
        WifiMode()


@pytest.mark.parametrize(
    ("name", "modulation", "constellation", "rate", "bps"),
    [
        ("DsssRate5_5Mbps", "HR_DSSS", 16, (1, 1), 5_500_000),
        ("OfdmRate54Mbps", "OFDM", 64, (3, 4), 54_000_000),
        ("OfdmRate4_5MbpsBW10MHz", "OFDM", 2, (3, 4), 4_500_000),
        ("OfdmRate2_25MbpsBW5MHz", "OFDM", 2, (3, 4), 2_250_000),
        ("ErpOfdmRate12Mbps", "ERP_OFDM", 4, (1, 2), 12_000_000),
        ("HtMcs15", "HT", 64, (5, 6), 130_000_000),
        ("VhtMcs8", "VHT", 256, (3, 4), 78_000_000),
        ("HeMcs11", "HE", 1024, (5, 6), 143_382_353),
        ("EhtMcs13", "EHT", 4096, (5, 6), 172_058_824),
    ],
)
def test_properties(name, modulation, constellation, rate, bps):
    m = mode(name)
    assert m.modulation_class == modulation
    assert m.constellation_size == constellation
    assert (m.code_rate_num, m.code_rate_den) == rate
    assert m.data_rate() == bps


def test_number_of_modes_by_standard():
    counts = {s: len(modes(s)) for s in standards()}
    assert counts == {
        "802.11a": 8,
        "802.11b": 4,
        "802.11g": 12,
        "802.11p-10MHz": 8,
        "802.11p-5MHz": 8,
        "802.11n": 32,
        "802.11ac": 10,
        "802.11ax": 12,
        "802.11be": 14,
    }
    for s in standards():
        assert set(basic_modes(s)) <= set(modes(s))
        assert modes(s)[0] in basic_modes(s)


def test_an_unknown_name_lists_the_valid_ones():
    with pytest.raises(ValueError, match=r"unknown Wi-Fi mode 'OfdmRate7Mbps'.*OfdmRate\{6,9,"):
        mode("OfdmRate7Mbps")
    with pytest.raises(ValueError, match=r"unknown Wi-Fi standard '802\.11z'.*802\.11a, 802\.11b"):
        modes("802.11z")
    with pytest.raises(TypeError, match="expected str"):
        mode(3)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"mode": "HtMcs0", "width_mhz": 80}, r"width_mhz=80 .* HtMcs0: use one of 20, 40"),
        ({"mode": "OfdmRate6Mbps", "width_mhz": 10}, r"width_mhz=10 .*: use one of 20"),
        ({"mode": "HtMcs0", "gi_ns": 1600}, r"gi_ns=1600 .*: use one of 400, 800"),
        ({"mode": "HtMcs0", "nss": 2}, r"nss=2 contradicts HtMcs0, which has 1"),
        ({"mode": "HeMcs0", "nss": 9}, r"nss=9 .*: use 1 to 8"),
        ({"mode": "VhtMcs9"}, r"802.11ac excludes VhtMcs9"),
        ({"mode": "HtMcs0", "preamble": "LONG"}, r"preamble='LONG' .* use HT_MF"),
        ({"mode": "DsssRate1Mbps", "preamble": "MEDIUM"}, r"use LONG or SHORT"),
        ({"mode": "OfdmRate6Mbps", "ldpc": True}, r"LDPC exists from HT on"),
        ({"mode": "OfdmRate6Mbps", "aggregation": True}, r"A-MPDUs exist from HT on"),
        ({"mode": "ErpOfdmRate6Mbps", "width_mhz": 80}, r"width_mhz=80 .*: use one of 20, 40"),
        ({"mode": "VhtMcs0", "gi_ns": 1600}, r"gi_ns=1600 .* VhtMcs0: use one of 400, 800"),
        ({"mode": "VhtMcs10"}, r"unknown Wi-Fi mode 'VhtMcs10'.*VhtMcs0 to VhtMcs9"),
        ({"mode": "HtMcs0", "tx_power_dbm": float("nan")}, r"tx_power_dbm=nan"),
        ({"mode": "nonsense"}, r"unknown Wi-Fi mode 'nonsense'"),
    ],
)
def test_a_vector_that_the_standard_does_not_have(args, message):
    with pytest.raises(ValueError, match=message):
        TxVector(**args)


def test_a_vector_is_a_value():
    v = TxVector("HeMcs7", width_mhz=80, gi_ns=1600, nss=2, ldpc=True, tx_power_dbm=20)
    assert v == pickle.loads(pickle.dumps(v))
    assert hash(v) == hash(v.replace())
    assert v != v.replace(nss=1)
    assert v.replace(tx_power_dbm=3).tx_power_dbm == 3
    assert v != "HeMcs7"
    assert v != v.replace(aggregation=True)
    assert v.replace(aggregation=True).aggregation
    whatever = v.replace(tx_power_dbm=None)
    assert whatever.tx_power_dbm is None
    assert whatever == pickle.loads(pickle.dumps(whatever)) != v
    assert hash(whatever) == hash(whatever.replace())
    assert v.preamble == "HE_SU"
    with pytest.raises(AttributeError):
        v.nss = 3
    with pytest.raises(TypeError, match="cannot be changed"):
        v.__init__("HeMcs0")
    with pytest.raises(TypeError, match="no field 'width'"):
        v.replace(width=20)


@pytest.mark.parametrize(
    ("payload", "preamble", "header"),
    [
        ("DsssRate11Mbps", "LONG", "DsssRate1Mbps"),
        ("DsssRate11Mbps", "SHORT", "DsssRate2Mbps"),
        ("DsssRate1Mbps", "SHORT", "DsssRate1Mbps"),
        ("OfdmRate54Mbps", None, "OfdmRate6Mbps"),
        ("OfdmRate27MbpsBW10MHz", None, "OfdmRate3MbpsBW10MHz"),
        ("ErpOfdmRate54Mbps", None, "ErpOfdmRate6Mbps"),
        ("HeMcs11", None, "OfdmRate6Mbps"),
    ],
)
def test_the_header_is_sent_with_the_most_robust_mode(payload, preamble, header):
    assert TxVector(payload, preamble=preamble).header_mode is mode(header)


def test_a_non_ht_duplicate_has_the_rate_of_its_copies():
    v = TxVector("OfdmRate24Mbps", width_mhz=80)
    assert (v.width_mhz, v.rate_bps) == (80, 24_000_000)


@pytest.mark.parametrize(
    ("payload", "signal"),
    [
        ("OfdmRate6Mbps", None),
        ("HtMcs31", "OfdmRate6Mbps"),
        ("VhtMcs7", "OfdmRate6Mbps"),
        ("HeMcs7", "VhtMcs0"),
    ],
)
def test_mode_of_the_second_signalling_field(payload, signal):
    assert TxVector(payload).signal_mode is (signal and mode(signal))
