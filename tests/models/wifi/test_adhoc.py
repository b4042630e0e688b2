"""Ad hoc networks as scripts set them up."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from simcore import Simulator, ms
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node, create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import ConstantSpeedDelay, RangeLoss
from simcore.models.wifi import (
    ConstantRateManager,
    WifiChannel,
    WifiDevice,
    WifiPhy,
    install_adhoc,
)

IPV4 = 0x0800


def row(sim: Simulator, count: int, spacing: float = 200.0) -> list[Node]:
    nodes = create_nodes(sim, count)
    for index, node in enumerate(nodes):
        ConstantPosition(node, (spacing * index, 0.0))
    return nodes


def run(count: int, seed: int = 1) -> list[tuple[int, int, str]]:
    """What the first two of some stations send in a tenth of a second."""
    sim = Simulator(seed=seed)
    devices = install_adhoc(row(sim, count), loss=RangeLoss(250))
    sent: list[tuple[int, int, str]] = []
    for device in devices[:2]:
        device.phy.trace.tx.connect(lambda p: sent.append((p.start, p.sender, p.frame.kind)))
        for index in range(10):
            packet = Packet(sim, 500)
            peer = devices[1 - device.node.id].address
            sim.schedule_at(ms(index), device.send_packet, packet, peer, IPV4)
    sim.run(until=ms(100))
    return sent


def test_no_nodes() -> None:
    assert install_adhoc([]) == []


def test_same_seed_same_frames() -> None:
    assert run(2) == run(2)
    assert run(2) != run(2, seed=2)


def test_further_stations_do_not_shift_the_draws_of_others() -> None:
    # The third station hears the second and sends nothing.
    assert run(3) == run(2)


def test_stations_share_a_channel_and_an_error_model() -> None:
    devices = install_adhoc(row(Simulator(), 3))
    (channel,) = devices[0].node.sim.registry["wifi.channels"]
    assert channel.phys == [device.phy for device in devices]
    assert "wifi.error_model" in devices[0].node.sim.registry


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"standard": "802.11z"}, "unknown Wi-Fi standard"),
        ({"data_mode": "OfdmRate6Mbps"}, "data_mode is OfdmRate6Mbps, which 802.11b does not have"),
        ({"group_mode": "HtMcs0"}, "group_mode is HtMcs0"),
        ({"standard": "802.11a", "data_mode": "DsssRate1Mbps"}, "data_mode is DsssRate1Mbps"),
        ({"manager": ConstantRateManager("802.11a", "OfdmRate6Mbps")}, "manager is for 802.11a"),
        ({"retry_limit": 0}, "retry_limit is 0"),
        ({"phy": {"tx_power": float("nan")}}, "tx_power is nan"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        install_adhoc(row(Simulator(), 2), **options)


def test_parts_belong_together() -> None:
    sim, other = Simulator(), Simulator()
    first, second = row(sim, 2)
    (stranger,) = row(other, 1)
    channel = WifiChannel(sim, RangeLoss(250), ConstantSpeedDelay())
    phy = WifiPhy(first, channel)
    with pytest.raises(ValueError, match="another simulator"):
        WifiPhy(stranger, channel)
    with pytest.raises(ValueError, match="already on a channel"):
        channel.add(phy)
    manager = ConstantRateManager()
    with pytest.raises(ValueError, match="the PHY belongs to node 0, the device to node 1"):
        WifiDevice(second, phy, manager)


def test_a_network_is_collected_with_its_frames_in_flight() -> None:
    sim = Simulator()
    devices = install_adhoc(row(sim, 3), loss=RangeLoss(250))
    for device in devices:
        for _ in range(5):
            device.send_packet(Packet(sim, 1000), devices[1].address, IPV4)
    sim.run(until=ms(3))
    alive = weakref.ref(sim)
    del sim, devices, device
    gc.collect()
    assert alive() is None


def test_a_second_device_on_a_phy_is_refused_and_not_left_on_the_node() -> None:
    (device,) = install_adhoc(row(Simulator(), 1))
    node = device.node
    with pytest.raises(ValueError, match="has a device already"):
        WifiDevice(node, device.phy, ConstantRateManager("802.11b"))
    assert node.devices == [device]


def test_a_device_that_is_refused_is_not_left_on_the_node() -> None:
    (node,) = row(Simulator(), 1)
    with pytest.raises(ValueError, match="retry_limit is 0"):
        install_adhoc([node], retry_limit=0)
    assert node.devices == []
