"""Lifetimes in the Wi-Fi transmit queue: deadlines computed once against times built per packet.

In ns-3 this check took 20 % of the wifi-manager example (issue "Performance left on the table" of
its tracker). The unit is one inspection: take a packet from a queue of so many, and refill it.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from simcore import Simulator, ms
from simcore.models.wifi.mac.queue import WifiMacQueue

INSPECTIONS = 2_000
LIFETIME = ms(500)
# One packet a millisecond leaves a queue; of 1,000 some then outlive their 500 ms.
STEP = ms(1)


def twins(lifetimes: ModuleType, length: int) -> dict[str, tuple[Any, Any, int]]:
    def run(queue: Any) -> tuple[int, int]:
        result: tuple[int, int] = lifetimes.run_scanning(queue, length, INSPECTIONS, STEP)
        return result

    def run_ours(queue: WifiMacQueue) -> tuple[int, int]:
        result: tuple[int, int] = lifetimes.run_ours(queue, length, INSPECTIONS, STEP)
        return result

    return {
        "ours": (lambda: WifiMacQueue(Simulator(), length, LIFETIME), run_ours, INSPECTIONS),
        "times built": (
            lambda: lifetimes.TimeBuildingQueue(Simulator(), LIFETIME), run, INSPECTIONS,
        ),
        "deadline, scan": (
            lambda: lifetimes.DeadlineQueue(Simulator(), LIFETIME), run, INSPECTIONS,
        ),
    }  # fmt: skip


@pytest.mark.parametrize("length", [10, 600])
def test_all_queues_agree(lifetimes: ModuleType, length: int) -> None:
    results = {name: run(make()) for name, (make, run, _) in twins(lifetimes, length).items()}
    assert len(set(results.values())) == 1
    assert (results["ours"][1] > 0) is (length == 600)


@pytest.mark.parametrize(
    ("length", "peer", "at_least"),
    [
        (10, "times built", 1.5),
        (100, "times built", 8.0),
        (500, "times built", 30.0),
        (500, "deadline, scan", 5.0),
    ],
)
def test_gain(compare: Any, lifetimes: ModuleType, length: int, peer: str, at_least: float) -> None:
    cases = twins(lifetimes, length)
    compare(
        f"queue of {length}, per inspection", cases["ours"], peer, cases[peer],
        at_least=at_least, rounds=5,
    )  # fmt: skip
