"""Saturation throughput against Bianchi's model and against ns-3's wifi-bianchi example."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from simcore.examples.wifi_bianchi import WifiBianchi, bianchi_throughput
from simcore.results import Results

REFERENCE = Path(__file__).parents[1] / "reference/ns3"
# What ns-3.44 itself shows against its table: 0.1-3.4 %, and 7 % for 802.11a at 6 Mb/s.
TABLE_TOLERANCE = 0.034


def standard_of(mode: str) -> str:
    return "802.11b" if mode.startswith("Dsss") else "802.11a"


def table() -> dict[tuple[str, int], float]:
    with (REFERENCE / "bianchi_saturation_reference.csv").open() as file:
        return {
            (row["phy_mode"], int(row["n_stations"])): float(row["throughput_mbps"])
            for row in csv.DictReader(file)
            if row["ifs"] == "DIFS" and row["phy_mode"].startswith(("Dsss", "OfdmRate"))
        }


TABLE = table()


def run(mode: str, nodes: int, total_time: float = 11.0) -> Results:
    return WifiBianchi(
        nodes=nodes, standard=standard_of(mode), data_mode=mode, total_time=total_time
    ).run(seed=1, run=1)


def test_model_of_one_station() -> None:
    # 1310 us of data, SIFS, 203 us of ACK, DIFS, and 15.5 slots of back-off in the mean.
    expected = 1500 * 8 / (1310 + 10 + 203 + 50 + 310) * 1e6
    model = bianchi_throughput(1, 1500, "802.11b", "DsssRate11Mbps", "DsssRate11Mbps", eifs=False)
    assert model == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("mode", "ack"), [("OfdmRate6Mbps", "OfdmRate6Mbps"), ("OfdmRate54Mbps", "OfdmRate24Mbps")]
)
def test_model_agrees_with_ns3s_table(mode: str, ack: str) -> None:
    for nodes in range(5, 55, 5):
        model = bianchi_throughput(nodes, 1500, "802.11a", mode, ack, eifs=False) / 1e6
        # The table's operating points are found on a grid of 10,000 probabilities.
        assert model == pytest.approx(TABLE[mode, nodes], rel=3e-3)


@pytest.mark.parametrize(
    ("mode", "nodes"),
    [("DsssRate11Mbps", 1), ("DsssRate11Mbps", 5), ("DsssRate11Mbps", 20), ("OfdmRate54Mbps", 10)],
)
def test_throughput_is_the_models(mode: str, nodes: int) -> None:
    metrics = run(mode, nodes).metrics
    assert metrics["throughput_mbps"] == pytest.approx(metrics["model_difs_mbps"], rel=0.015)


@pytest.mark.validation
@pytest.mark.parametrize("nodes", [1, 2, 3, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50])
@pytest.mark.parametrize(
    "mode",
    [
        "DsssRate1Mbps",
        "DsssRate2Mbps",
        "DsssRate5_5Mbps",
        "DsssRate11Mbps",
        "OfdmRate6Mbps",
        "OfdmRate12Mbps",
        "OfdmRate24Mbps",
        "OfdmRate54Mbps",
    ],
)
def test_one_to_fifty_stations(mode: str, nodes: int) -> None:
    metrics = run(mode, nodes, 41.0 if mode == "DsssRate1Mbps" else 21.0).metrics
    throughput = metrics["throughput_mbps"]
    assert throughput == pytest.approx(metrics["model_difs_mbps"], rel=0.02)
    if (mode, nodes) in TABLE:
        assert throughput == pytest.approx(TABLE[mode, nodes], rel=TABLE_TOLERANCE)


@pytest.mark.validation
def test_ns3s_own_runs() -> None:
    """Ours lie closer to the model; ns-3 differs from it, and so from us, by up to 7 %."""
    with (REFERENCE / "oracle_bianchi_runs.csv").open() as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["build"] == "3.44" and "11ax" not in row["run"]
        ]
    assert len(rows) == 10
    modes = {"11b-11M": "DsssRate11Mbps", "11a-54M": "OfdmRate54Mbps", "11a-6M": "OfdmRate6Mbps"}
    for row in rows:
        name, nodes = row["run"].removeprefix("bianchi-").rsplit("-", 1)
        metrics = run(modes[name], int(nodes), 21.0).metrics
        theirs = float(row["throughput_mbps"])
        assert metrics["throughput_mbps"] == pytest.approx(theirs, rel=0.07)
        error_of_ns3 = abs(float(row["rel_err_difs_pct"])) / 100
        # Ours against ns-3 explains itself by ns-3 against its table, plus the table's own
        # 2 Mb/s ACKs where ns-3 and we send them at 11 Mb/s.
        assert abs(metrics["throughput_mbps"] / theirs - 1) <= error_of_ns3 + 0.03
