"""What Wi-Fi costs: an event of a saturated cell, a broadcast among many stations.

The unit is an event in the first table, a transmission in the second.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from simcore import Simulator, ms, seconds
from simcore.examples.wifi_bianchi import WifiBianchi
from simcore.models.mobility import RandomRectangle, RandomWaypoint
from simcore.models.network.node import create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import ConstantSpeedDelay, RangeLoss
from simcore.models.wifi import WifiChannel, WifiDevice, WifiPhy
from simcore.models.wifi.managers.manager import ConstantRateManager

BROADCAST = "ff:ff:ff:ff:ff:ff"
# 50 nodes in 1500 m x 300 m, as in the dsr example: 19 others within range, less those lacking
# at the border.
DENSITY = 50 / (1500 * 300)
FRAMES_PER_NODE = 20


def cell(**parameters: Any) -> Simulator:
    """Fifty stations that always have something to send, past their start."""
    scenario = WifiBianchi(nodes=50, **parameters)
    sim = Simulator(seed=1)
    scenario.build(sim)
    sim.run(until=ms(200))
    # Kept for the callbacks of its devices.
    sim.scenario = scenario
    return sim


@pytest.mark.parametrize(
    "parameters",
    [{}, {"standard": "802.11a", "data_mode": "OfdmRate54Mbps"}],
    ids=["802.11b", "802.11a"],
)
@pytest.mark.benchmark(group="Wi-Fi: 50 saturated stations", timer=time.process_time)
def test_saturated_cell(kernel: Any, compare: Any, parameters: dict[str, str]) -> None:
    until = seconds(2)
    probe = cell(**parameters)
    before = probe.event_count
    probe.run(until=until)
    events = probe.event_count - before

    def hold() -> Simulator:
        sim = Simulator()
        kernel.hold(sim, 100)
        return sim

    # A hundred events pending, 1 ms on the mean: as many events as above.
    compare(
        f"event of 50 saturated stations, {parameters.get('standard', '802.11b')}",
        (lambda: cell(**parameters), lambda sim: sim.run(until=until), events),
        "event of the hold model, 100 pending",
        (hold, lambda sim: sim.run(until=events // 100 * 1_000_000), events),
        at_most=4.0,
        rounds=5,
    )


def field(count: int, search_from: int = 32) -> Simulator:
    """Moving nodes of the same density that broadcast in turn."""
    sim = Simulator(seed=1)
    side = (count / DENSITY) ** 0.5
    channel = WifiChannel(sim, RangeLoss(250), ConstantSpeedDelay(), search_from=search_from)
    manager = ConstantRateManager("802.11b", "DsssRate11Mbps", group_mode="DsssRate11Mbps")
    waypoints = RandomRectangle.within((0, side, 0, side))
    for node in create_nodes(sim, count):
        RandomWaypoint(node, waypoints=waypoints, speed="uniform(1, 20)")
        device = WifiDevice(node, WifiPhy(node, channel, "802.11b"), manager)
        for index in range(FRAMES_PER_NODE):
            at = ms(500 * index) + seconds(0.4) * node.id // count
            sim.schedule(at, device.send_packet, Packet(sim, 64), BROADCAST, 0x0800)
    return sim


def broadcasts(count: int, search_from: int = 32) -> tuple[Any, Any, int]:
    return (
        lambda: field(count, search_from),
        lambda sim: sim.run(until=seconds(11)),
        count * FRAMES_PER_NODE,
    )


@pytest.mark.benchmark(group="Wi-Fi: broadcasts", timer=time.process_time)
def test_broadcast_costs_its_audience(compare: Any) -> None:
    # The audience is 8 % larger (fewer stations at the border); the rest is that the caches of a
    # processor hold the state of 200 stations and not that of 1,000.
    compare(
        "broadcast among 1,000 moving nodes", broadcasts(1000),
        "200 nodes of the same density", broadcasts(200), at_most=3.0, rounds=3,
    )  # fmt: skip


@pytest.mark.benchmark(group="Wi-Fi: broadcasts", timer=time.process_time)
def test_neighbour_search(compare: Any) -> None:
    compare(
        "broadcast among 1,000 moving nodes", broadcasts(1000),
        "every node looked at", broadcasts(1000, 10**6), at_least=1.5, rounds=3,
    )  # fmt: skip
