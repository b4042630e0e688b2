"""Packets that are larger than the MTU with their source route (RFC 4728 8.5)."""

import pytest

from simcore.models.dsr import DsrHeader, RouteError, SourceRoute
from simcore.models.internet import Ipv4Header
from simcore.models.network.packet import Packet

DSR = 48
IP_IN_IP = 4
UDP = 17


def chain(n):
    return [(i, i + 1) for i in range(n - 1)]


def pieces(net, node):
    """Fragments that a node sent: IP within IP."""
    return [p for _, sender, _, p in net.log if sender == node and carries_ip(p)]


def carries_ip(packet):
    return packet.header.protocol == DSR and packet.headers[1].next_header == IP_IN_IP


def test_datagram_arrives_whole(network):
    net = network(3, chain(3))
    sizes = []
    net.sockets[2].on_receive(lambda payload, *_: sizes.append((payload.size, payload.tag)))
    number = net.send(0, 2, 1.0, size=5000)
    net.run(3)
    assert sizes == [(5000, number)]
    sent = pieces(net, 0)
    mtu = net.devices[0].mtu
    assert all(p.size <= mtu for p in sent)
    # 5,008 octets in pieces of the MTU less both IP headers and the DSR header.
    room = (mtu - 40 - sent[0].headers[1].length) // 8 * 8
    assert len(sent) == -(-5008 // room)
    outer, header, inner = sent[0].headers[:3]
    assert outer.destination == inner.destination == net.address(2).value
    assert outer.source == inner.source == net.address(0).value
    assert (inner.protocol, inner.offset, inner.more_fragments) == (UDP, 0, True)
    assert sent[1].headers[2].offset == room
    assert [p.headers[2].identification for p in sent] == [inner.identification] * len(sent)
    path = header.source_route
    # As a salvaged packet has it: this node first, Salvage one more.
    assert path.salvage == 1
    assert [hop.value & 255 for hop in path.route.addresses] == [1, 2]
    assert path.segments_left == 1
    assert net.agents[2].delivered_count == len(sent)


def test_neighbour_gets_plain_fragments(network):
    net = network(2, chain(2))
    number = net.send(0, 1, 1.0, size=5000)
    assert net.run(3) == [(1, number)]
    assert pieces(net, 0) == []
    data = [p for _, node, _, p in net.log if node == 0 and p.header.protocol == UDP]
    assert [p.header.more_fragments for p in data] == [True, True, False]


def test_bytes_of_a_piece(network):
    net = network(3, chain(3))
    net.send(0, 2, 1.0, size=5000)
    net.run(3)
    data = pieces(net, 0)[0].to_bytes()
    assert data[9] == DSR
    assert data[20] == IP_IN_IP
    inner, payload = Ipv4Header.parse(data[24 + int.from_bytes(data[22:24], "big") :])
    assert (inner.protocol, inner.more_fragments) == (UDP, True)
    assert len(payload) == inner.payload_size


def test_just_fits(network):
    net = network(3, chain(3))
    # IP 20, DSR 4 + 8, UDP 8.
    number = net.send(0, 2, 1.0, size=net.devices[0].mtu - 40)
    assert net.run(3) == [(2, number)]
    assert pieces(net, 0) == []


def test_fragments_are_passed_on_and_salvaged(network):
    # 0 - 1 - 2 - 4 and 1 - 3 - 4; the link 2 - 4 breaks, then 1 - 2.
    net = network(5, [(0, 1), (1, 2), (2, 4), (1, 3), (3, 4)])
    first = net.send(0, 4, 1.0)
    net.at(2.0, lambda: [net.set_link(1, 2, False), net.set_link(1, 3, False)])
    net.at(2.1, lambda: net.set_link(1, net.route(0, 4)[1], True))
    second = net.send(0, 4, 2.5, size=5000)
    got = net.run(6)
    assert got == [(4, first), (4, second)]


def test_source_takes_its_fragments_back(network):
    # The first hop breaks with two other ways: the pieces wait for a route and go as they are.
    net = network(4, [(0, 1), (1, 3), (0, 2), (2, 3)])
    first = net.send(0, 3, 1.0)
    net.at(2.0, lambda: net.set_link(0, net.route(0, 3)[0], False))
    second = net.send(0, 3, 2.5, size=5000)
    assert net.run(6) == [(3, first), (3, second)]
    assert net.agents[0].link_break_count >= 1


def test_break_on_the_way_is_told_to_the_source(network):
    net = network(4, chain(4))
    net.send(0, 3, 1.0)
    net.at(2.0, lambda: net.set_link(2, 3, False))
    net.send(0, 3, 2.5, size=5000)
    net.run(4)
    errors = net.sent(RouteError, node=2)
    assert errors
    assert errors[0][3].headers[1].error.destination == net.address(0).value
    assert net.route(0, 3) is None


def test_plain_fragment_comes_back_as_a_piece(network):
    # A neighbour moves away behind another node: fragments without DSR header are rerouted.
    net = network(3, [(0, 1), (0, 2), (1, 2)])
    first = net.send(0, 2, 1.0)
    net.at(2.0, lambda: net.set_link(0, 2, False))
    second = net.send(0, 2, 2.5, size=5000)
    assert net.run(6) == [(2, first), (2, second)]
    inner = [p.headers[2] for p in pieces(net, 0)]
    assert inner
    assert {(ip.protocol, ip.more_fragments) for ip in inner} >= {(UDP, True), (UDP, False)}


def test_not_to_be_fragmented(network):
    net = network(3, chain(3))
    net.send(0, 2, 0.5)
    errors = []
    net.nodes[0].ipv4.icmp.trace.error_received.connect(
        lambda icmp, original, _: errors.append((icmp, original))
    )
    net.run(1)
    # From a host with a larger MTU: node 1 has to pass on more than fits.
    body = Packet(net.sim, net.devices[0].mtu - 28).push(
        DsrHeader(253, [SourceRoute([net.address(1)], 1)])
    )
    packet = body.push(
        Ipv4Header(net.address(0), net.address(2), DSR, body.size, dont_fragment=True)
    )
    assert packet.size > net.devices[0].mtu
    net.agents[1]._receive(packet, net.devices[0].address)
    net.run(2)
    ((icmp, original),) = errors
    assert (icmp.type, icmp.code) == (3, 4)
    assert icmp.sequence == net.devices[1].mtu - 20 - 12
    assert original.protocol == 253
    assert net.agents[1].drops == {"larger than the MTU": 1}


@pytest.mark.parametrize("acknowledgement", ["network", "passive"])
def test_room_for_an_acknowledgement_request(network, acknowledgement):
    net = network(3, chain(3), acknowledgement=acknowledgement)
    numbers = [net.send(0, 2, 1.0, size=size) for size in (5000, net.devices[0].mtu - 40)]
    got = net.run(5)
    assert sorted(got) == [(2, number) for number in numbers]
    assert all(p.size <= net.devices[0].mtu for _, _, _, p in net.log)


def test_hostile_nesting_does_not_exhaust_the_stack(network):
    net = network(2, chain(2))
    drops = []
    net.nodes[1].ipv4.trace.drop.connect(lambda packet, reason, _: drops.append(reason))
    body = Packet(net.sim, b"")
    for _ in range(100):
        body = body.push(Ipv4Header(net.address(0), net.address(1), IP_IN_IP, body.size))
    packet = Packet(net.sim, body.to_bytes())
    packet = packet.push(Ipv4Header(net.address(0), net.address(1), IP_IN_IP, packet.size))
    net.devices[0].send_packet(packet, net.devices[1].address, 0x0800)
    net.run(1)
    assert drops == ["nested too deeply"]


def test_what_is_inside_for_another_node_is_dropped(network):
    net = network(2, chain(2))
    drops = []
    net.nodes[1].ipv4.trace.drop.connect(lambda packet, reason, _: drops.append(reason))
    inner = Packet(net.sim, 8).push(Ipv4Header(net.address(0), "10.9.9.9", UDP, 8))
    packet = inner.push(Ipv4Header(net.address(0), net.address(1), IP_IN_IP, inner.size))
    net.devices[0].send_packet(packet, net.devices[1].address, 0x0800)
    garbage = Packet(net.sim, b"\x45\x00")
    garbage = garbage.push(Ipv4Header(net.address(0), net.address(1), IP_IN_IP, garbage.size))
    net.devices[0].send_packet(garbage, net.devices[1].address, 0x0800)
    net.run(1)
    assert drops == ["not for this node", "malformed"]


def test_other_protocols_arrive_whole(network):
    net = network(3, chain(3))
    got = []
    net.nodes[0].ipv4.on_protocol(254, lambda segment, *_: got.append(segment.size))
    net.nodes[2].ipv4.send_packet(Packet(net.sim, 9000), net.address(0), 254)
    net.run(4)
    assert got == [9000]
