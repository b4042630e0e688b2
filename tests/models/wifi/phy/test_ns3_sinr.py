"""PPDUs of all formats among interferers: ns-3's probabilities for each part of them.

ns-3 turns time into bits in floating point and cuts: of 24 bits it often counts 23, and a part
may begin or end a nanosecond elsewhere. We count all. The table-based model counts bytes, so there
a bit may make a byte. The tolerances below are these differences and no more.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.wifi.frame import WifiFrame
from simcore.models.wifi.phy.duration import tx_duration
from simcore.models.wifi.phy.error_rate import (
    NistErrorRateModel,
    TableBasedErrorRateModel,
    YansErrorRateModel,
)
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.txvector import TxVector
from simcore.models.wifi.testing import Air, make_ampdu, make_frame, make_ppdu

REFERENCE = Path(__file__).parents[3] / "reference" / "ns3" / "wifi_sinr.csv"
MODELS = {
    "nist": NistErrorRateModel(),
    "yans": YansErrorRateModel(),
    "table": TableBasedErrorRateModel(),
}
LEGACY = TxVector("OfdmRate6Mbps")
SIZES = {tx_duration(size, LEGACY): size for size in (14, 100, 400, 1500)}

Parts = tuple[float, float | None, list[float]]


def frame_of(sim: Simulator, size: int) -> WifiFrame:
    if size < 28:
        return make_frame("ACK")
    return make_frame("DATA", receiver=1, transmitter=2, body=Packet(sim, size - 28))


def parts_of(row: dict[str, str]) -> Parts:
    sim = Simulator()
    air = Air(sim)
    node = Node(sim)
    ConstantPosition(node, (0, 0))
    standard = {"O": "802.11ac", "H": "802.11ax", "V": "802.11ac"}[row["mode"][0]]
    phy = WifiPhy(
        node,
        air,
        "802.11n" if row["mode"].startswith("Ht") else standard,
        width=int(row["width_mhz"]),
        antennas=int(row["antennas"]),
        error_model=MODELS[row["model"]],
    )
    ht = not row["mode"].startswith("Ofdm")
    v = TxVector(
        row["mode"],
        width_mhz=int(row["width_mhz"]),
        gi_ns=int(row["gi_ns"]),
        nss=int(row["nss"]),
        ldpc=row["ldpc"] == "1",
        aggregation=ht,
    )
    frames = [frame_of(sim, int(size)) for size in row["mpdu_sizes"].split()]
    ppdu = make_ampdu(phy, frames, v) if ht else make_ppdu(phy, frames[0], v)
    others = []
    for text in row["interferers"].split():
        if text != "-":
            power, times = text.split("@")
            start, length = times.split("+")
            other = make_ppdu(phy, frame_of(sim, SIZES[int(length)]), LEGACY)
            assert other.duration == int(length)
            others.append((other, float(power), int(start)))
    found: Parts = air.parts(phy, ppdu, float(row["rss_dbm"]), others)
    return found


def reference_rows() -> list[dict[str, str]]:
    with open(REFERENCE) as file:
        return list(csv.DictReader(file))


def exponent(got: float, wanted: float) -> float:
    """Return what the number of bits would have to be multiplied with to get ns-3's number."""
    if abs(got - wanted) < 1e-9:
        return 1.0
    if not 0 < got < 1 or not 0 < wanted < 1:
        return math.inf
    return math.log(wanted) / math.log(got)


def test_every_part_of_every_case() -> None:
    rows = reference_rows()
    assert len(rows) == 240
    at_stake = 0
    beyond = []
    for row in rows:
        first, sig, frames = parts_of(row)
        assert (sig is None) == (row["sig"] == "")
        unit = 8 if row["model"] == "table" else 1
        pairs = [(first, float(row["l_sig"]), 24)]
        if sig is not None:
            pairs.append((sig, float(row["sig"]), 48))
        sizes = [8 * int(size) // int(row["nss"]) for size in row["mpdu_sizes"].split()]
        pairs += zip(frames, map(float, row["mpdus"].split()), sizes, strict=True)
        for got, wanted, bits in pairs:
            at_stake += 0.001 < wanted < 0.999
            if row["interferers"] == "-":
                assert exponent(got, wanted) == pytest.approx(1.0, abs=1.01 * unit / bits), row
            elif abs(got - wanted) > 0.01:
                # Each chunk may lose its bit, and where an interferer begins at the end of a frame
                # one byte is all or nothing.
                beyond.append((row["model"], bits, got, wanted))
    assert at_stake > 150
    assert len(beyond) <= 3, beyond
    assert all(model == "table" or bits <= 48 for model, bits, _, _ in beyond), beyond
