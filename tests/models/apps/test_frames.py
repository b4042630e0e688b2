"""Packets at an interval straight over a device."""

from __future__ import annotations

import pytest

from simcore import Simulator, ms, seconds
from simcore.models.apps import FrameSource
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import create_nodes
from simcore.models.wifi import install_adhoc


def pair(**options):
    sim = Simulator(seed=1)
    nodes = create_nodes(sim, 2)
    for x, node in enumerate(nodes):
        ConstantPosition(node, (x, 0))
    devices = install_adhoc(nodes)
    arrivals = []
    nodes[1].listen(
        lambda device, packet, ethertype, *rest: arrivals.append(
            (sim.now(), packet.size, ethertype)
        ),
        1,
    )
    options = {"interval": ms(10), "start": seconds(1), **options}
    source = FrameSource(devices[0], devices[1].address, 1, 500, **options)
    return sim, source, arrivals


def test_a_packet_at_the_start_and_then_one_each_interval():
    sim, source, arrivals = pair(stop=seconds(1) + ms(45))
    sim.run(until=seconds(2))
    assert source.sent == 5
    assert [size for _, size, _ in arrivals] == [500] * 5
    assert [time // ms(10) for time, _, _ in arrivals] == [100, 101, 102, 103, 104]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": 0}, "interval is 0: it must be positive"),
        ({"start": seconds(2), "stop": seconds(1)}, "must not be before the start"),
    ],
)
def test_times_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        pair(**options)


@pytest.mark.parametrize(
    ("ethertype", "size", "message"),
    [
        (70000, 10, "ethertype is 70000"),
        (1, 5000, "packet_size is 5000 bytes: the device carries up to 2296"),
        (1, -1, "packet_size is -1"),
    ],
)
def test_what_the_device_cannot_carry_is_refused(ethertype, size, message):
    _, source, _ = pair()
    with pytest.raises(ValueError, match=message):
        FrameSource(source.device, 1, ethertype, size, interval=1)
