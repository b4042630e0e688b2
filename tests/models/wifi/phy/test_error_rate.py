"""Error rates against ns-3.44's, row by row, and what must hold for every model."""

import csv
import gzip
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.models.wifi.phy.error_rate import (
    CachedErrorRateModel,
    ErrorRateModel,
    NistErrorRateModel,
    TableBasedErrorRateModel,
    YansErrorRateModel,
)
from simcore.models.wifi.phy.mode import mode, modes
from simcore.models.wifi.phy.per_tables import read_per_tables
from simcore.models.wifi.phy.txvector import TxVector

REFERENCE = Path(__file__).parents[3] / "reference" / "ns3"
MODELS = {
    "nist": NistErrorRateModel(),
    "yans": YansErrorRateModel(),
    "table": TableBasedErrorRateModel(),
}


@pytest.fixture(scope="module")
def reference_curves():
    """Columns of the reference table by (mode, width, streams, coding, size)."""
    curves = defaultdict(list)
    with gzip.open(REFERENCE / "wifi_error_rate.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            key = tuple(row[k] for k in ("mode", "width_mhz", "nss", "coding", "size_bytes"))
            curves[key].append(
                [float(row[k]) for k in ("snr_db", "success_nist", "success_yans", "success_table")]
            )
    return {key: np.array(rows) for key, rows in curves.items()}


@pytest.mark.parametrize(("column", "name"), [(1, "nist"), (2, "yans"), (3, "table")])
def test_every_row_of_the_reference_table(reference_curves, column, name):
    assert sum(len(rows) for rows in reference_curves.values()) == 19567
    for (mode_name, width, nss, coding, size), rows in reference_curves.items():
        v = TxVector(mode_name, width_mhz=int(width), nss=int(nss), ldpc=coding == "LDPC")
        got = MODELS[name].curve(v, rows[:, 0], 8 * int(size))
        # The table gives 12 digits. CCK: ns-3 integrates to 1e-7 of the symbol error rate.
        tolerance = 1e-8 if v.mode.modulation_class == "HR_DSSS" else 2e-11
        np.testing.assert_allclose(
            got, rows[:, column], rtol=tolerance, atol=tolerance, err_msg=f"{name} {v} {size}"
        )


# ns-3 names the modulations of its DSSS checks, and gives their signal power over the noise of
# 22 MHz at 290 K with a noise figure of 7 dB.
DSSS = {
    "DsssDbpsk": "DsssRate1Mbps",
    "DsssDqpsk": "DsssRate2Mbps",
    "DsssDqpskCck5_5": "DsssRate5_5Mbps",
    "DsssDqpskCck11": "DsssRate11Mbps",
}
NOISE_DBM_22_MHZ = 10 * math.log10(1.3803e-23 * 290 * 22e6 * 1000) + 7


def expected_rows():
    with open(REFERENCE / "test_error_rate_expected.csv") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", expected_rows(), ids=lambda r: f"{r['mode']}@{r['x']}")
def test_what_ns3_expects_in_its_own_tests(row):
    v = TxVector(DSSS.get(row["mode"], row["mode"]))
    snr_db = float(row["x"]) - (NOISE_DBM_22_MHZ if row["x_kind"] == "rss_dbm" else 0)
    got = MODELS["nist"].frame_success(v, 10 ** (snr_db / 10), int(row["nbits"]))
    assert got == pytest.approx(float(row["expected_success"]), abs=float(row["tolerance"]))


def test_cck_against_adaptive_quadrature():
    integrate = pytest.importorskip("scipy.integrate")
    special = pytest.importorskip("scipy.special")

    def symbol_error(es_n0):
        beta = math.sqrt(2 * es_n0)

        def right(x):
            return (2 * special.ndtr(x + beta) - 1) ** 7 * math.exp(-x * x / 2)

        value, _ = integrate.quad(
            right, -beta, 12, epsabs=1e-14, epsrel=1e-13, limit=400, points=[0, 1, 2]
        )
        return 1 - value / math.sqrt(2 * math.pi)

    # The symbol energy over N0 is 22 MHz / 1.375 MHz / 2 times the SNR for one of 16 signals, half
    # of that where a symbol is a pair of them.
    for snr in (1e-6, 0.001, 0.05, 0.3, 0.777, 1.0, 2.0, 3.14, 4.0):
        for name, scale in (("DsssRate5_5Mbps", 8.0), ("DsssRate11Mbps", 4.0)):
            got = MODELS["nist"].frame_success(TxVector(name), snr, 4)
            wanted = 1 - symbol_error(scale * snr)
            assert got == pytest.approx(wanted, abs=2e-11)


ALL_VECTORS = [
    TxVector(m, ldpc=ldpc, width_mhz=40 if m.name == "VhtMcs9" else None)
    for standard in (
        "802.11b",
        "802.11a",
        "802.11p-10MHz",
        "802.11n",
        "802.11ac",
        "802.11ax",
        "802.11be",
    )
    for m in modes(standard)
    for ldpc in ((False, True) if m.mcs >= 0 else (False,))
]


@settings(max_examples=300)
@given(
    st.sampled_from(ALL_VECTORS),
    st.floats(-20, 45),
    st.floats(0, 5),
    st.integers(1, 40_000),
    st.integers(0, 20_000),
)
def test_success_rises_with_snr_and_falls_with_size(v, snr_db, gain_db, nbits, more):
    for name, model in MODELS.items():
        low, high = model.curve(v, [snr_db, snr_db + gain_db], nbits)
        assert 0.0 <= low <= 1.0
        assert low <= high + 1e-12
        # Where the table of large frames takes over from that of small ones, it may jump.
        if name != "table" or v.ldpc or (nbits // 8 < 400) == ((nbits + more) // 8 < 400):
            assert model.curve(v, snr_db, nbits + more) <= low + 1e-12


def test_limits():
    for v in ALL_VECTORS:
        for model in MODELS.values():
            assert model.frame_success(v, 0.0, 8000) == 0.0
            assert model.frame_success(v, 1e9, 8000) == 1.0
            assert model.frame_success(v, math.inf, 8000) == 1.0
            assert model.frame_success(v, 1.0, 0) == 1.0


def test_header_bits_of_a_wide_channel_use_their_own_mode():
    v = TxVector("VhtMcs8", width_mhz=80)
    header = mode("OfdmRate6Mbps")
    for model in MODELS.values():
        payload = model.frame_success(v, 10.0, 500)
        assert model.frame_success(v, 10.0, 500, header) > payload
    nist = MODELS["nist"]
    assert nist.frame_success(v, 2.0, 24, header) == nist.frame_success(TxVector(header), 2.0, 24)


def test_tables_hold_a_falling_curve_for_each_mcs():
    tables = read_per_tables()
    assert set(tables) == {("BCC", size, mcs) for size in (32, 1458) for mcs in range(10)} | {
        ("LDPC", 1458, mcs) for mcs in range(12)
    }
    for points in tables.values():
        snr, per = zip(*points, strict=True)
        assert list(snr) == sorted(set(snr))
        assert list(per) == sorted(per, reverse=True)
        assert per[0] == 1.0
        assert per[-1] == 0.0


def test_table_based_model_without_a_table_uses_yans():
    for v in (TxVector("OfdmRate9Mbps"), TxVector("HeMcs11"), TxVector("EhtMcs13", ldpc=True)):
        snr_db = np.arange(0, 45, 0.7)
        np.testing.assert_array_equal(
            MODELS["table"].curve(v, snr_db, 8000), MODELS["yans"].curve(v, snr_db, 8000)
        )


def test_size_threshold_of_the_tables():
    v = TxVector("OfdmRate6Mbps")
    snr = 10 ** (1.4 / 10)
    tables = read_per_tables()
    per_small = np.interp(1.4, *zip(*tables["BCC", 32, 0], strict=True))
    per_large = np.interp(1.4, *zip(*tables["BCC", 1458, 0], strict=True))
    model = TableBasedErrorRateModel(size_threshold=100)
    assert model.frame_success(v, snr, 99 * 8) == pytest.approx((1 - per_small) ** (99 / 32))
    assert model.frame_success(v, snr, 100 * 8) == pytest.approx((1 - per_large) ** (100 / 1458))
    with pytest.raises(ValueError, match="size_threshold=-1 is negative"):
        TableBasedErrorRateModel(size_threshold=-1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(ALL_VECTORS),
            st.sampled_from([0.5, 1.0, 3.25, 40.0]),
            st.sampled_from([8, 112, 12000]),
        ),
        max_size=80,
    ),
    st.sampled_from([1, 16]),
    st.sampled_from(sorted(MODELS)),
)
def test_a_cache_gives_the_same_bits_and_counts(asked, entries, name):
    model = MODELS[name]
    cached = CachedErrorRateModel(model, entries)
    for v, snr, nbits in asked:
        assert cached.frame_success(v, snr, nbits) == model.frame_success(v, snr, nbits)
    assert cached.hits + cached.misses == len(asked)
    assert cached.misses >= min(1, len(asked))


def test_a_cache_hits_on_the_second_time_and_tells_vectors_apart():
    cached = CachedErrorRateModel(YansErrorRateModel())
    narrow = TxVector("HeMcs5", gi_ns=3200)
    wide = narrow.replace(gi_ns=800)
    first = cached.frame_success(narrow, 30.0, 8000)
    assert (cached.hits, cached.misses) == (0, 1)
    assert cached.frame_success(narrow, 30.0, 8000) == first
    assert (cached.hits, cached.misses) == (1, 1)
    assert cached.frame_success(wide, 30.0, 8000) != first
    cached.frame_success(narrow, 30.0, 8000, mode("OfdmRate6Mbps"))
    # Power does not change the error rate at a given SNR.
    cached.frame_success(narrow.replace(tx_power_dbm=1), 30.0, 8000)
    assert (cached.hits, cached.misses) == (2, 3)


def test_snr_thresholds_for_a_bit_error_rate():
    with open(REFERENCE / "wifi_ideal_snr_thresholds.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 154
    for row in rows:
        he = row["mode"].startswith("He")
        v = TxVector(row["mode"], width_mhz=int(row["width_mhz"]), ldpc=he)
        ber = float(row["ber"])
        nist = MODELS["nist"].snr_for_ber(v, ber)
        assert nist == pytest.approx(float(row["snr_lin_nist"]), rel=1e-9), row
        table = 10 * math.log10(MODELS["table"].snr_for_ber(v, ber))
        assert table == pytest.approx(float(row["snr_db_table"]), abs=1e-7), row


def test_wrong_arguments_are_named():
    model = MODELS["nist"]
    v = TxVector("OfdmRate6Mbps")
    with pytest.raises(ValueError, match=r"snr=-1\.0 is not a signal to noise ratio"):
        model.frame_success(v, -1, 8)
    with pytest.raises(ValueError, match=r"snr=nan"):
        model.frame_success(v, math.nan, 8)
    with pytest.raises(ValueError, match=r"nbits=-8 is negative"):
        model.frame_success(v, 1, -8)
    with pytest.raises(ValueError, match=r"ber=0\.7 is not a bit error rate"):
        model.snr_for_ber(v, 0.7)
    with pytest.raises(ValueError, match=r"entries=100 is not a power of two"):
        CachedErrorRateModel(model, 100)
    with pytest.raises(TypeError):
        CachedErrorRateModel(None)
    assert isinstance(model, ErrorRateModel)
