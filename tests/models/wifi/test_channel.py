"""The audience of a transmission: the same with and without the neighbour search."""

import pytest

from simcore import Simulator, ms, seconds
from simcore.models.mobility import (
    ConstantPosition,
    ConstantVelocity,
    RandomRectangle,
    RandomWaypoint,
    install,
)
from simcore.models.network.node import create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import (
    ConstantSpeedDelay,
    FixedRssLoss,
    FriisLoss,
    LogDistanceLoss,
    MatrixLoss,
    NakagamiLoss,
    RandomDelay,
    RangeLoss,
    ThreeLogDistanceLoss,
)
from simcore.models.wifi.channel import WifiChannel
from simcore.models.wifi.device import WifiDevice
from simcore.models.wifi.managers.manager import ConstantRateManager
from simcore.models.wifi.phy.error_rate import TableBasedErrorRateModel
from simcore.models.wifi.phy.phy import WifiPhy

BROADCAST = "ff:ff:ff:ff:ff:ff"
AREA = (0, 1200, 0, 1200)

LOSSES = {
    "range": lambda sim: RangeLoss(250),
    "log-distance": lambda sim: LogDistanceLoss(),
    "three-log-distance": lambda sim: ThreeLogDistanceLoss(),
    "friis and range": lambda sim: FriisLoss().chain(RangeLoss(200)),
    "nakagami": lambda sim: LogDistanceLoss().chain(NakagamiLoss(sim.random.stream(1))),
    "inaudible": lambda sim: FixedRssLoss(-200),
}


def still(node):
    position = RandomRectangle.within(AREA).drawn_from(node.sim.random.stream(node.id + 100))
    return ConstantPosition(node, position.next())


def moving(node):
    return RandomWaypoint(
        node, waypoints=RandomRectangle.within(AREA), speed="uniform(1, 200)", pause=0.1
    )


def mixed(node):
    return still(node) if node.id % 2 else moving(node)


def run(search_from, loss, movement, count=60, powers=(16.0206,), keep_links=None):
    sim = Simulator(seed=3)
    nodes = create_nodes(sim, count)
    install(nodes, movement)
    channel = WifiChannel(sim, loss(sim), ConstantSpeedDelay(), search_from=search_from)
    if keep_links is not None:
        channel.keep_links = keep_links
    manager = ConstantRateManager("802.11b", "DsssRate11Mbps")
    heard = []
    error_model = TableBasedErrorRateModel()
    for node in nodes:
        phy = WifiPhy(
            node,
            channel,
            "802.11b",
            error_model=error_model,
            tx_power=powers[node.id % len(powers)],
        )
        device = WifiDevice(node, phy, manager)
        node.listen(
            lambda device, packet, *rest: heard.append((sim.now(), device.node.id, packet.uid))
        )
        for index in range(12):
            at = ms(250 * index) + seconds(node.id * 0.004)
            sim.schedule(at, device.send_packet, Packet(sim, 100), BROADCAST, 0x0800)
    # A jump across the area, while the others rely on a snapshot.
    sim.schedule(seconds(1.3), setattr, nodes[5].mobility, "position", (600, 600))
    sim.run(until=seconds(4))
    return heard, channel.transmissions, channel.signals


@pytest.mark.parametrize("movement", [still, moving, mixed])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_the_search_changes_nothing(loss, movement):
    everybody = run(10_000, loss, movement)
    assert run(2, loss, movement) == everybody
    assert everybody[1] == 60 * 12
    if loss is LOSSES["inaudible"]:
        assert everybody[0] == []
    else:
        assert 0 < everybody[2] < 60 * 12 * 59
        assert len(everybody[0]) > 100


@pytest.mark.parametrize("movement", [still, moving, mixed])
@pytest.mark.parametrize("loss", ["range", "log-distance", "friis and range"])
def test_keeping_losses_changes_nothing(loss, movement):
    kept = run(10_000, LOSSES[loss], movement, powers=(16.0, 3.0), keep_links=True)
    assert kept == run(10_000, LOSSES[loss], movement, powers=(16.0, 3.0), keep_links=False)
    assert kept[0]


def test_losses_with_a_random_part_are_not_kept():
    sim = Simulator()
    fading = LogDistanceLoss().chain(NakagamiLoss(sim.random.stream(1)))
    assert not WifiChannel(sim, fading, ConstantSpeedDelay()).keep_links
    assert WifiChannel(sim, LogDistanceLoss(), ConstantSpeedDelay()).keep_links


@pytest.mark.parametrize(("power", "signals"), [(-101.0, 1), (-101.001, 0)])
def test_signals_below_the_sensitivity_cost_nothing(power, signals):
    sim, channel, devices = network(FixedRssLoss(power), ConstantSpeedDelay(), [(0, 0), (1, 0)])
    devices[0].send_packet(Packet(sim, 10), BROADCAST, 0x0800)
    sim.run(until=seconds(1))
    assert (channel.transmissions, channel.signals) == (1, signals)


def test_stations_of_different_power():
    powers = (16.0, 3.0, 20.0)
    everybody = run(10_000, LOSSES["log-distance"], moving, powers=powers)
    assert run(2, LOSSES["log-distance"], moving, powers=powers) == everybody


def network(loss, delay, positions, **options):
    sim = Simulator()
    nodes = create_nodes(sim, len(positions))
    for node, position in zip(nodes, positions, strict=True):
        ConstantPosition(node, position)
    channel = WifiChannel(sim, loss, delay, **options)
    manager = ConstantRateManager("802.11b", "DsssRate11Mbps")
    devices = [
        WifiDevice(
            node, WifiPhy(node, channel, "802.11b", error_model=TableBasedErrorRateModel()), manager
        )
        for node in nodes
    ]
    return sim, channel, devices


@pytest.mark.parametrize("search_from", [1, 100])
def test_a_matrix_decides_by_node_and_may_change(search_from):
    loss = MatrixLoss()
    places = [(0, 0), (0, 5000), (3000, 0)]
    sim, channel, devices = network(loss, ConstantSpeedDelay(), places, search_from=search_from)
    devices[0].send_packet(Packet(sim, 10), BROADCAST, 0x0800)
    sim.run(until=ms(10))
    assert channel.signals == 0
    loss.set_loss(0, 1, 60)
    devices[0].send_packet(Packet(sim, 10), BROADCAST, 0x0800)
    sim.run(until=seconds(1))
    assert channel.signals == 1
    loss.set_loss(0, 2, 60)
    devices[0].send_packet(Packet(sim, 10), BROADCAST, 0x0800)
    sim.run(until=seconds(2))
    assert channel.signals == 3


def test_a_drawn_delay_is_drawn_for_each_transmission():
    delay = RandomDelay("uniform(0, 1e-6)", Simulator().random.stream(4))
    sim, _, devices = network(FixedRssLoss(-50), delay, [(0, 0), (1, 0)])
    ends = []
    devices[1].node.listen(lambda *_: ends.append(sim.now() % 1_000_000))
    for index in range(5):
        sim.schedule(ms(10 * index), devices[0].send_packet, Packet(sim, 10), BROADCAST, 0x0800)
    sim.run()
    assert len(set(ends)) == 5


def test_a_node_that_moves_its_velocity_between_frames():
    sim = Simulator()
    nodes = create_nodes(sim, 40)
    for node in nodes:
        ConstantVelocity(node, (node.id, 0))
    channel = WifiChannel(sim, RangeLoss(250), ConstantSpeedDelay(), search_from=2)
    manager = ConstantRateManager("802.11b", "DsssRate11Mbps")
    error_model = TableBasedErrorRateModel()
    devices = [
        WifiDevice(node, WifiPhy(node, channel, "802.11b", error_model=error_model), manager)
        for node in nodes
    ]

    def signals_of_one_frame():
        before = channel.signals
        devices[0].send_packet(Packet(sim, 10), BROADCAST, 0x0800)
        sim.run(until=sim.now() + ms(100))
        return channel.signals - before

    assert signals_of_one_frame() == 39
    for node in nodes[20:]:
        node.mobility.velocity = (1000, 0)
    sim.run(until=sim.now() + seconds(1))
    assert signals_of_one_frame() == 19
    for node in nodes[20:]:
        node.mobility.velocity = (-1000, 0)
    sim.run(until=sim.now() + seconds(1))
    assert signals_of_one_frame() == 39
