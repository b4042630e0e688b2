"""Sequences of signals of all formats: what the MAC is told, beside ns-3.

One difference is known. A frame that a stronger one has overtaken in its detection period is
dropped when that period ends, and we look at the energy then; ns-3 only when the stronger one is
judged. Busy times may begin up to 4 us earlier here.
"""

from __future__ import annotations

import csv
from pathlib import Path

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.wifi.phy.error_rate import NistErrorRateModel
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.txvector import TxVector
from simcore.models.wifi.testing import Air, Recorder, make_frame, make_ppdu

REFERENCE = Path(__file__).parents[3] / "reference" / "ns3" / "wifi_reception.csv"
DETECTION_NS = 4_000

Intervals = list[tuple[int, int]]


def merge(intervals: Intervals) -> Intervals:
    merged: Intervals = []
    for begin, end in sorted(intervals):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        elif end > begin:
            merged.append((begin, end))
    return merged


def replay(case: str) -> tuple[list[str], Intervals]:
    standard, width, *signals = case.split()
    sim = Simulator()
    air = Air(sim)

    def phy(name: str, width_mhz: int, antennas: int = 1) -> WifiPhy:
        node = Node(sim)
        ConstantPosition(node, (0, 0))
        model = NistErrorRateModel()
        return WifiPhy(node, air, name, width=width_mhz, antennas=antennas, error_model=model)

    receiver = phy(standard, int(width))
    recorder = Recorder(receiver)
    for text in signals:
        mode, ppdu_width, nss, size, dbm, start = text.split(":")
        v = TxVector(mode, width_mhz=int(ppdu_width), nss=int(nss))
        frame = make_frame("DATA", receiver=1, transmitter=2, body=Packet(sim, int(size) - 28))
        ppdu = make_ppdu(phy("802.11ax", int(ppdu_width), antennas=2), frame, v)
        air.put(receiver, ppdu, float(dbm), int(start))
    sim.run()
    receptions = []
    busy = []
    for entry in recorder.log:
        if entry[1] == "busy":
            busy.append((entry[0], entry[2]))
        elif entry[1] == "rx start":
            receptions.append(f"start@{entry[0]}+{entry[2] - entry[0]}")
            busy.append((entry[0], entry[2]))
        else:
            receptions.append(f"{entry[1].removeprefix('rx ')}@{entry[0]}")
    return receptions, merge(busy)


def test_sequences_of_signals() -> None:
    with open(REFERENCE) as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 160
    outcomes = {"start": 0, "ok": 0, "error": 0}
    earlier = 0
    for row in rows:
        receptions, busy = replay(row["case"])
        assert receptions == row["receptions"].split(), row["case"]
        for text in receptions:
            outcomes[text.partition("@")[0]] += 1
        pairs = [text.split("-") for text in row["busy"].split()]
        wanted = [(int(begin), int(end)) for begin, end in pairs]
        if busy == wanted:
            continue
        earlier += 1
        assert [end for _, end in busy] == [end for _, end in wanted], row["case"]
        for (begin, _), (theirs, _) in zip(busy, wanted, strict=True):
            assert theirs - DETECTION_NS <= begin <= theirs, row["case"]
    assert outcomes["ok"] > 60
    assert outcomes["error"] > 5
    assert earlier <= 16
