"""Nodes with several interfaces in one DSR network (RFC 4728 8.4)."""

import itertools

import pytest

from simcore import Simulator, seconds
from simcore.models.dsr import (
    Acknowledgement,
    Dsr,
    RouteError,
    RouteReply,
    RouteRequest,
    SourceRoute,
    install_dsr,
)
from simcore.models.internet import AddressAllocator, UdpSocket, install_internet
from simcore.models.mobility import ConstantPosition
from simcore.models.network import create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import MatrixLoss
from simcore.models.wifi import install_adhoc

DEAD = 200.0


class Channels:
    """Nodes on several channels; `channels` lists the nodes of each, in a row on it."""

    def __init__(self, count, channels, mtu=None, **parameters):
        self.sim = Simulator(seed=1)
        self.nodes = create_nodes(self.sim, count)
        for node in self.nodes:
            node.mobility = ConstantPosition(node, (0.0, 0.0, 0.0))
        install_internet(self.nodes)
        allocator = AddressAllocator("10.1.1.0/24")
        self.interfaces = {}
        self.losses = []
        for number, members in enumerate(channels):
            loss = MatrixLoss(default_loss=DEAD)
            for a, b in itertools.pairwise(members):
                loss.set_loss(self.nodes[a], self.nodes[b], 0.0, symmetric=True)
            devices = install_adhoc([self.nodes[i] for i in members], loss=loss)
            for i, interface in zip(members, allocator.assign(devices), strict=True):
                self.interfaces[i, number] = interface
            self.losses.append(loss)
        self.agents = install_dsr(
            [self.interfaces[key] for key in sorted(self.interfaces)], **parameters
        )
        self.received = []
        self.sockets = []
        self.log = []
        for i, node in enumerate(self.nodes):
            socket = UdpSocket(node)
            socket.bind(9)
            socket.on_receive(lambda payload, *_, i=i: self.received.append((i, payload.tag)))
            self.sockets.append(socket)
            self.agents[i].trace.tx.connect(
                lambda packet, hop, i=i: self.log.append((i, hop & 255, packet))
            )

    def address(self, node, channel):
        return self.interfaces[node, channel].address

    def octets(self, *places):
        return [self.address(*place).value & 255 for place in places]

    def cut(self, channel, a, b):
        self.losses[channel].set_loss(self.nodes[a], self.nodes[b], DEAD, symmetric=True)
        for node in (self.nodes[a], self.nodes[b]):
            node.mobility.position = node.mobility.position

    def send(self, source, to, at, tag, size=64):
        self.sim.schedule_at(
            seconds(at),
            lambda: self.sockets[source].send_to(
                Packet(self.sim, size, tag=tag), self.address(*to), 9
            ),
        )

    def run(self, until):
        self.sim.run(until=seconds(until))
        return self.received

    def options(self, kind, node):
        return [
            (hop, option)
            for sender, hop, packet in self.log
            if sender == node
            for option in getattr(packet.headers[1], "options", ())
            if isinstance(option, kind)
        ]


def listed(option):
    return [address.value & 255 for address in option.route.addresses]


@pytest.fixture
def two():
    """0 - 1 on channel 0, 1 - 2 on channel 1: node 1 has two interfaces."""
    return Channels(3, [(0, 1), (1, 2)])


def test_one_dsr_has_both_interfaces(two):
    assert len(two.agents) == 3
    assert [len(agent.ports) for agent in two.agents] == [1, 2, 1]
    assert two.nodes[1].dsr is two.agents[1]


def test_both_addresses_are_in_the_route(two):
    two.send(0, (2, 1), 1.0, "there")
    two.send(2, (0, 0), 2.0, "back")
    assert two.run(3) == [(2, "there"), (0, "back")]
    gateway = two.octets((1, 0), (1, 1))
    # Request: the interface that it came by and the one that it left by; the reply tells both.
    assert gateway in [listed(request) for _, request in two.options(RouteRequest, 1)]
    replies = [listed(reply) for _, reply in two.options(RouteReply, 2)]
    assert replies == [[*gateway, *two.octets((2, 1))]]
    # Data: the gateway skips its second address.
    data = [
        (hop, option)
        for node in (0, 1)
        for hop, option in two.options(SourceRoute, node)
        if listed(option) == gateway
    ]
    assert [(hop, option.segments_left) for hop, option in data] == [
        (gateway[0], 2),
        (two.octets((2, 1))[0], 0),
    ]
    # Back again the other way, by cached routes: no further discovery.
    assert two.agents[2].discovery_count == 0
    assert [listed(option) for _, option in two.options(SourceRoute, 2)][-1] == gateway[::-1]


def test_request_leaves_by_every_interface(two):
    two.sockets[1].send_to(Packet(two.sim, 64), "10.1.1.99", 9)
    two.run(0.01)
    requests = two.options(RouteRequest, 1)
    assert [listed(request) for _, request in requests] == [[], two.octets((1, 1))]
    assert {request.identification for _, request in requests} == {requests[0][1].identification}
    assert two.agents[1].discovery_count == 1


def test_gateway_is_a_source_on_both_sides(two):
    two.send(1, (2, 1), 1.0, "far")
    two.send(1, (0, 0), 2.0, "near")
    assert two.run(3) == [(2, "far"), (0, "near")]
    # Source is the first address: the second one stands in the route, visited.
    far = [o for hop, o in two.options(SourceRoute, 1) if hop == two.octets((2, 1))[0]]
    assert listed(far[-1]) == two.octets((1, 1))
    assert far[-1].segments_left == 0


@pytest.mark.parametrize("channel", [0, 1])
def test_both_addresses_of_the_gateway_are_reached(two, channel):
    two.send(0, (1, channel), 1.0, channel)
    two.send(2, (1, channel), 2.0, channel + 2)
    assert two.run(3) == [(1, channel), (1, channel + 2)]


def test_gateway_answers_from_its_cache():
    net = Channels(4, [(0, 1), (1, 2, 3)])
    net.send(1, (3, 1), 1.0, "first")
    net.send(0, (3, 1), 2.0, "second")
    assert net.run(3) == [(3, "first"), (3, "second")]
    assert net.agents[1].cached_reply_count == 1
    expected = net.octets((1, 0), (1, 1), (2, 1), (3, 1))
    assert expected in [listed(reply) for _, reply in net.options(RouteReply, 1)]


def test_break_behind_the_gateway_is_told_by_the_address_there():
    net = Channels(3, [(0, 1), (1, 2)])
    net.send(0, (2, 1), 1.0, 1)
    net.sim.schedule_at(seconds(2), lambda: net.cut(1, 1, 2))
    net.send(0, (2, 1), 2.5, 2)
    assert net.run(4) == [(2, 1)]
    error = net.options(RouteError, 1)[0][1]
    assert error.source == net.address(1, 1).value
    assert error.unreachable == net.address(2, 1).value
    assert error.destination == net.address(0, 0).value
    assert net.agents[0].route_to(net.address(2, 1)) is None


def test_gateway_salvages_over_another_channel():
    # 2 is reached by channel 1, or by 3 on channel 0.
    net = Channels(4, [(0, 1, 3), (1, 2), (3, 2)])
    net.send(0, (2, 1), 1.0, 1)
    net.send(1, (2, 2), 1.5, 2)
    net.sim.schedule_at(seconds(2), lambda: net.cut(1, 1, 2))
    net.send(0, (2, 1), 2.5, 3)
    got = net.run(5)
    assert (2, 1) in got
    assert (2, 2) in got
    assert (2, 3) in got
    assert net.agents[1].salvaged_count + net.agents[0].discovery_count >= 1


def test_interface_that_is_gone_is_told():
    net = Channels(3, [(0, 1), (1, 2)])
    net.send(0, (2, 1), 1.0, 1)
    net.sim.schedule_at(seconds(2), lambda: net.interfaces[1, 1].set_up(False))
    net.send(0, (2, 1), 2.5, 2)
    net.run(3)
    error = net.options(RouteError, 1)[0][1]
    assert [error.source & 255, error.unreachable & 255] == net.octets((1, 0), (1, 1))
    assert net.agents[1].drops["interface down"] == 1
    assert net.agents[0].route_to(net.address(2, 1)) is None


@pytest.mark.parametrize("acknowledgement", ["network", "passive"])
def test_acknowledgements_over_two_channels(acknowledgement):
    net = Channels(4, [(0, 1), (1, 2), (2, 3)], acknowledgement=acknowledgement)
    for number in range(5):
        net.send(0, (3, 2), 1.0 + number, number)
    got = net.run(10)
    # A neighbour that passes packets on to another channel is not heard doing so: passive
    # acknowledgements repeat them, before an acknowledgement is asked for.
    assert set(got) == {(3, number) for number in range(5)}
    if acknowledgement == "network":
        assert len(got) == 5
    assert sum(agent.link_break_count for agent in net.agents) == 0
    acknowledged = net.options(Acknowledgement, 1)
    # To each neighbour by the address that it knows.
    for hop, ack in acknowledged:
        channel = 0 if hop == net.octets((0, 0))[0] else 1
        assert ack.source == net.address(1, channel).value


def test_large_packet_over_two_channels(two):
    two.send(0, (2, 1), 1.0, "large", size=6000)
    two.send(1, (2, 1), 2.0, "own", size=6000)
    assert two.run(4) == [(2, "large"), (2, "own")]


@pytest.mark.parametrize("cache", ["link", "path"])
def test_row_of_gateways(cache):
    net = Channels(6, [(i, i + 1) for i in range(5)], cache=cache)
    for number in range(3):
        net.send(0, (5, 4), 1.0 + number, number)
        net.send(5, (0, 0), 1.5 + number, 10 + number)
    got = net.run(8)
    assert sorted(got) == [(0, 10), (0, 11), (0, 12), (5, 0), (5, 1), (5, 2)]


def test_flows_over_two_channels():
    # 0 - 1 - 2 on channel 0, 2 - 3 - 4 on channel 1: node 2 has two interfaces.
    net = Channels(5, [(0, 1, 2), (2, 3, 4)], flow_state=True)
    for number in range(6):
        net.send(0, (4, 1), 1.0 + 0.1 * number, number)
        net.send(4, (0, 0), 1.05 + 0.1 * number, 10 + number)
        net.send(2, (4, 1), 3.0 + 0.1 * number, 20 + number)
    got = net.run(5)
    expected = {(4, n) for n in range(6)} | {(0, 10 + n) for n in range(6)}
    assert set(got) == expected | {(4, 20 + n) for n in range(6)}
    assert len(got) == 18
    entry = net.agents[2].flow_table.lookup(net.address(0, 0), net.address(4, 1), 1, net.sim.now())
    assert entry.next_hop == net.address(3, 1).value
    assert entry.previous_hop == net.address(1, 0).value
    assert net.agents[0].flow_tx_count == 4
    assert sum(agent.flow_error_count + agent.gratuitous_count for agent in net.agents) == 0


def test_bad_interfaces_are_named(two):
    nodes = create_nodes(two.sim, 1)
    install_internet(nodes)
    with pytest.raises(ValueError, match="loopback"):
        Dsr(two.interfaces[0, 0], others=[two.nodes[0].ipv4.interfaces[0]])
    with pytest.raises(ValueError, match="is not of"):
        Dsr(two.interfaces[0, 0], others=[two.interfaces[2, 1]])
    with pytest.raises(ValueError, match="twice"):
        Dsr(two.interfaces[0, 0], others=[two.interfaces[0, 0]])
    with pytest.raises(TypeError):
        Dsr(two.interfaces[0, 0], others=["wlan1"])
