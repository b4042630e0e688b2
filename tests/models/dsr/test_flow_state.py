"""The flow state extension end to end (RFC 4728 3.5, 8.6)."""

import pytest

from simcore import seconds
from simcore.models.dsr import (
    Acknowledgement,
    AckRequest,
    DestinationFlow,
    DsrHeader,
    FlowStateHeader,
    RouteError,
    RouteReply,
    SourceRoute,
    Timeout,
)
from simcore.models.internet import Ipv4Header
from simcore.models.network.packet import Packet

DSR = 48
UDP = 17
OTHER = 253
UNKNOWN_FLOW = 129
DEFAULT_FLOW_UNKNOWN = 130


def chain(n):
    return [(i, i + 1) for i in range(n - 1)]


def data(net, node, since=0.0):
    """Data packets that a node sent: (time, next hop's octet, packet)."""
    return [
        (time, hop, packet)
        for time, sender, hop, packet in net.log
        if sender == node and time >= seconds(since) and innermost_protocol(packet) == UDP
    ]


def innermost_protocol(packet):
    protocol = packet.header.protocol
    for header in packet.headers[1:]:
        if protocol != DSR:
            break
        protocol = header.next_header
    return protocol


def form(packet):
    """What a packet has between IP and UDP: "route+flow", "route", "flow" or "plain"."""
    kinds = [type(header) for header in packet.headers[1:] if not isinstance(header, Ipv4Header)]
    if FlowStateHeader in kinds:
        return "route+flow" if DsrHeader in kinds else "flow"
    return "route" if DsrHeader in kinds else "plain"


def entry(net, node, flow=1, source=0, destination=None):
    last = len(net.nodes) - 1 if destination is None else destination
    return net.agents[node].flow_table.lookup(
        net.address(source), net.address(last), flow, net.sim.now()
    )


def flows_of(net, node):
    return net.agents[node].flow_table.entries()


def flow_errors(net, node, kind):
    return [p for _, _, _, p in net.sent(RouteError, node) if p.headers[1].error.error_type == kind]


def test_off_by_default(network):
    net = network(3, chain(3))
    assert net.agents[0].flow_table is None
    net.send(0, 2, 1.0)
    net.run(2)
    assert [form(p) for _, _, p in data(net, 0)] == ["route"]


def test_established_and_then_without_headers(network):
    net = network(4, chain(4), flow_state=True)
    numbers = [net.send(0, 3, 1.0 + 0.1 * i) for i in range(6)]
    assert net.run(3) == [(3, number) for number in numbers]
    # Two packets set the flow up; the flow is the default one: nothing is added to the others.
    for node in range(3):
        assert [form(p) for _, _, p in data(net, node)] == ["route+flow"] * 2 + ["plain"] * 4
        assert {hop for _, hop, _ in data(net, node)} == {node + 2}
    first = data(net, 1)[0][2]
    flow, header = first.headers[1:3]
    assert (flow.hop_count, flow.flow, flow.next_header) == (1, 1, DSR)
    # 8.6.1: the Timeout option stands before the source route.
    assert [type(option) for option in header.options[:2]] == [Timeout, SourceRoute]
    assert header.options[0].seconds == 60
    assert header.options[1].segments_left == 1
    assert net.agents[0].flow_count == 1
    assert net.agents[0].flow_tx_count == 4
    assert net.total("error_count") == 0
    # Each plain packet is the datagram itself, one hop less to live at each node.
    assert [data(net, node)[-1][2].header.ttl for node in range(3)] == [64, 63, 62]
    assert {data(net, node)[-1][2].size for node in range(3)} == {20 + 8 + 64}


def test_tables_of_the_nodes(network):
    net = network(4, chain(4), flow_state=True)
    net.send(0, 3, 1.0)
    net.run(2)
    for node in range(4):
        found = entry(net, node)
        assert found.next_hop & 255 == (node + 2 if node < 3 else 0)
        assert found.previous_hop & 255 == (node if node > 0 else 0)
        assert found.hop_count == max(node - 1, 0)
        assert found.ttl == 64 - max(node - 1, 0)
        assert [hop.value & 255 for hop in found.route.addresses] == [2, 3]
        assert (
            net.agents[node].default_flows.lookup(net.address(0), net.address(3), net.sim.now())
            == 1
        )
    assert 59e9 < entry(net, 0).expiry - net.sim.now() < 60e9
    # No node forgets the flow before its source does.
    assert entry(net, 2).expiry >= entry(net, 0).expiry - seconds(1)


def test_octets_saved(network):
    """What the example of three hops costs with and without, in octets of IP packets."""

    def octets(**parameters):
        net = network(4, chain(4), **parameters)
        for i in range(50):
            net.send(0, 3, 1.0 + 0.1 * i)
        assert len(net.run(8)) == 50
        return sum(p.size for node in range(3) for _, _, p in data(net, node))

    without, with_flows = octets(), octets(flow_state=True)
    # 20 IP + 8 UDP + 64 data; a header of 4 + 12 for two addresses. With flows: twice three
    # packets with 4 + 4 + 16, the rest bare.
    assert without == 50 * 3 * (92 + 16)
    assert with_flows == 50 * 3 * 92 + 2 * 3 * 24
    assert with_flows / without < 0.87


def test_other_ttl_takes_the_flow_header(network):
    net = network(3, chain(3), flow_state=True)
    for i in range(3):
        net.send(0, 2, 1.0 + 0.1 * i)
    got = []
    net.nodes[2].ipv4.on_protocol(OTHER, lambda segment, header, _: got.append(header.ttl))
    for at in (2.0, 2.1):
        net.at(
            at,
            lambda: net.nodes[0].ipv4.send_packet(
                Packet(net.sim, 10), net.address(2), OTHER, ttl=30
            ),
        )
    net.run(3)
    assert got == [29, 29]
    sent = [p for _, node, _, p in net.log if node == 0 and 30 in (p.header.ttl,)]
    assert [form(p) for p in sent] == ["flow", "flow"]
    assert [p.headers[1].hop_count for p in sent] == [0, 0]
    # The flow was established before: it may still be the default one.
    net.send(0, 2, 3.1)
    net.run(4)
    assert form(data(net, 0)[-1][2]) == "plain"


def test_establishing_packets_of_several_ttls_forbid_the_default(network):
    net = network(3, chain(3), flow_state=True)
    net.send(0, 2, 1.0)
    net.at(
        1.5,
        lambda: net.nodes[0].ipv4.send_packet(Packet(net.sim, 10), net.address(2), OTHER, ttl=30),
    )
    numbers = [net.send(0, 2, 2.0 + 0.1 * i) for i in range(2)]
    assert net.run(3)[1:] == [(2, number) for number in numbers]
    assert [form(p) for _, _, p in data(net, 0, since=2.0)] == ["flow", "flow"]


def test_flow_expires(network):
    net = network(3, chain(3), flow_state=True, flow_timeout=seconds(3))
    numbers = [net.send(0, 2, 1.0 + 0.5 * i) for i in range(20)]
    assert net.run(15) == [(2, number) for number in numbers]
    flows = [p.headers[1].flow for _, _, p in data(net, 0) if form(p) == "route+flow"]
    # A new flow every three seconds, each with a larger odd number, for two packets each.
    assert flows == [1, 1, 3, 3, 5, 5, 7]
    assert net.total("flow_error_count") == 0
    # Nothing is left a while later.
    net.run(30)
    assert [len(agent.flow_table.entries()) for agent in net.agents] != [0, 0, 0]
    assert all(entry(net, node, 7) is None for node in range(3))


def test_remaining_time_is_what_the_timeout_says(network):
    net = network(3, chain(3), flow_state=True, flow_establishment=3)
    for at in (1.0, 11.5, 21.5):
        net.send(0, 2, at)
    net.run(22)
    timeouts = [p.headers[2].options[0].seconds for _, _, p in data(net, 0)]
    assert timeouts[0] == 60
    assert timeouts[1] in (49, 50)
    assert timeouts[2] in (39, 40)


def forget(net, node):
    """A node loses its flow state, as after a crash."""
    for found in net.agents[node].flow_table.entries():
        net.agents[node]._forget_flow(found)


def test_default_flow_unknown(network):
    net = network(4, chain(4), flow_state=True)
    first = [net.send(0, 3, 1.0 + 0.1 * i) for i in range(4)]
    net.at(2.0, lambda: forget(net, 2))
    second = [net.send(0, 3, 2.1 + 0.1 * i) for i in range(5)]
    # The packet that meets the gap is salvaged: nothing is lost.
    assert net.run(4) == [(3, number) for number in first + second]
    (error,) = flow_errors(net, 2, DEFAULT_FLOW_UNKNOWN)
    option = error.headers[1].error
    assert option.destination == net.address(0).value
    assert option.information == net.address(3).value.to_bytes(4, "big")
    # It has no source route: it goes back from node to node by their flow tables.
    assert error.headers[1].source_route is None
    assert [hop for _, _, hop, p in net.sent(RouteError, 2)] == [2]
    assert [hop for _, _, hop, p in net.sent(RouteError, 1)] == [1]
    assert net.agents[2].salvaged_count == 1
    # The source sets the same flow up again, with two packets.
    assert [form(p) for _, _, p in data(net, 0, since=2.0)] == [
        "plain",
        "route+flow",
        "route+flow",
        "plain",
        "plain",
    ]
    assert {p.headers[1].flow for _, _, p in data(net, 0) if form(p) == "route+flow"} == {1}
    assert net.agents[2].flow_error_count == 1


def test_unknown_flow(network):
    net = network(4, chain(4), flow_state=True)
    net.send(0, 3, 1.0)
    # Packets of two TTLs: the flow goes by its number.
    net.at(
        1.2,
        lambda: net.nodes[0].ipv4.send_packet(Packet(net.sim, 10), net.address(3), OTHER, ttl=30),
    )
    net.at(2.0, lambda: forget(net, 2))
    second = [net.send(0, 3, 2.1 + 0.1 * i) for i in range(4)]
    assert net.run(4)[1:] == [(3, number) for number in second]
    (error,) = flow_errors(net, 2, UNKNOWN_FLOW)
    assert error.headers[1].error.information == (
        net.address(3).value.to_bytes(4, "big") + (1).to_bytes(2, "big")
    )
    assert [form(p) for _, _, p in data(net, 0, since=2.0)] == [
        "flow",
        "route+flow",
        "route+flow",
        "flow",
    ]
    # 8.6.7: salvaged without Flow State header.
    (salvaged,) = [p for _, _, p in data(net, 2, since=2.0) if form(p) == "route"]
    assert salvaged.headers[1].source_route.salvage == 1


def test_error_is_dropped_where_the_flow_is_unknown(network):
    net = network(4, chain(4), flow_state=True)
    for i in range(4):
        net.send(0, 3, 1.0 + 0.1 * i)
    net.at(2.0, lambda: [forget(net, 2), forget(net, 1)])
    net.at(2.05, lambda: inject(net, 1, 2, Packet(net.sim, 8), UDP, source=net.address(0)))
    net.run(3)
    assert len(flow_errors(net, 2, DEFAULT_FLOW_UNKNOWN)) == 1
    assert net.agents[1].drops.get("error of a flow that is not known") == 1


def inject(net, sender, receiver, body, protocol, source=None, destination=None, ttl=64):
    packet = body.push(
        Ipv4Header(
            net.address(sender) if source is None else source,
            net.address(len(net.nodes) - 1) if destination is None else destination,
            protocol,
            body.size,
            ttl=ttl,
        )
    )
    assert net.devices[sender].send_packet(packet, net.devices[receiver].address, 0x0800)


def test_loop_is_noticed_by_the_ttl(network):
    net = network(4, chain(4), flow_state=True)
    for i in range(4):
        net.send(0, 3, 1.0 + 0.1 * i)
    got = []
    net.nodes[3].ipv4.on_protocol(OTHER, lambda segment, header, _: got.append(header.ttl))
    # A packet of the default flow that has come round: fewer hops to live than expected at node 1.
    net.at(2.0, lambda: inject(net, 0, 1, Packet(net.sim, 8), OTHER, ttl=50))
    net.run(3)
    assert len(flow_errors(net, 1, DEFAULT_FLOW_UNKNOWN)) == 1
    (passed,) = [
        p for t, node, _, p in net.log if node == 1 and t >= seconds(2) and form(p) == "flow"
    ]
    # It goes on with a header that counts its hops (3.5.7).
    assert (passed.headers[1].hop_count, passed.headers[1].flow) == (1, 1)
    assert got == [48]


def test_more_ttl_than_expected_gets_a_header(network):
    net = network(4, chain(4), flow_state=True)
    for i in range(4):
        net.send(0, 3, 1.0 + 0.1 * i)
    got = []
    net.nodes[3].ipv4.on_protocol(OTHER, lambda segment, header, _: got.append(header.ttl))
    net.at(2.0, lambda: inject(net, 0, 1, Packet(net.sim, 8), OTHER, ttl=100))
    net.run(3)
    assert net.total("flow_error_count") == 0
    assert got == [98]


def test_break_on_a_flow_is_told_and_salvaged(network):
    # 0 - 1 - 2 - 4, and 2 - 3 - 4 as the way round.
    net = network(5, [(0, 1), (1, 2), (2, 4), (2, 3), (3, 4)], flow_state=True)
    first = [net.send(0, 4, 1.0 + 0.1 * i) for i in range(4)]
    other = net.send(2, 3, 1.8)
    net.at(2.0, lambda: net.set_link(2, 4, False))
    second = [net.send(0, 4, 2.1 + 0.1 * i) for i in range(4)]
    got = net.run(6)
    assert [pair for pair in got if pair[0] == 4] == [(4, number) for number in first + second]
    assert (3, other) in got
    # Back by the reverse of the flow's recorded route.
    unreachable = [p for _, _, _, p in net.sent(RouteError, 2)]
    assert unreachable
    assert unreachable[0].headers[1].error.error_type == 1
    assert unreachable[0].header.destination == net.address(0).value
    # 8.6.3: the source gave up what led over the link, and goes on along flows that do not.
    left = [[hop.value & 255 for hop in found.route.addresses] for found in flows_of(net, 0)]
    assert left == [[2, 3, 4]]
    assert form(data(net, 0)[-1][2]) in ("plain", "flow")


def test_source_takes_packets_of_a_flow_back(network):
    net = network(4, [(0, 1), (1, 3), (0, 2), (2, 3)], flow_state=True)
    first = [net.send(0, 3, 1.0 + 0.1 * i) for i in range(4)]
    net.at(2.0, lambda: net.set_link(0, net.route(0, 3)[0], False))
    second = [net.send(0, 3, 2.1 + 0.1 * i) for i in range(4)]
    assert net.run(6) == [(3, number) for number in first + second]


@pytest.mark.parametrize("default", [True, False])
def test_shortening(network, default):
    # A chain of five; then node 3 comes into the range of node 1 (but is not the next hop).
    net = network(5, chain(5), flow_state=True)
    for i in range(3):
        net.send(0, 4, 1.0 + 0.1 * i)
    if not default:
        net.at(
            1.05,
            lambda: net.nodes[0].ipv4.send_packet(
                Packet(net.sim, 10), net.address(4), OTHER, ttl=30
            ),
        )
    net.at(2.0, lambda: net.set_link(1, 3, True))
    for i in range(6):
        net.send(0, 4, 2.1 + 0.1 * i)
    got = net.run(4)
    assert len(got) == 9
    assert net.agents[3].gratuitous_count == 1
    replies = [p for _, _, _, p in net.sent(RouteReply, 3)]
    reply = [p for p in replies if p.header.destination == net.address(0).value][-1]
    route = reply.headers[1].reply.route.addresses
    assert [hop.value & 255 for hop in route] == [2, 4, 5]
    assert net.route(0, 4) == [1, 3]
    # A new flow along the shorter route.
    last = data(net, 0)[-1][2]
    assert form(last) == "plain"
    assert [hop for _, hop, _ in data(net, 1)][-1] == 4


def test_shortening_at_the_destination(network):
    net = network(4, chain(4), flow_state=True)
    for i in range(3):
        net.send(0, 3, 1.0 + 0.1 * i)
    net.at(2.0, lambda: net.set_link(1, 3, True))
    for i in range(6):
        net.send(0, 3, 2.1 + 0.1 * i)
    assert len(net.run(4)) == 9
    assert net.agents[3].gratuitous_count == 1
    assert net.route(0, 3) == [1]


@pytest.mark.parametrize("acknowledgement", ["network", "passive"])
def test_other_acknowledgements(network, acknowledgement):
    net = network(4, chain(4), flow_state=True, acknowledgement=acknowledgement)
    numbers = [net.send(0, 3, 1.0 + 0.6 * i) for i in range(8)]
    got = net.run(10)
    assert set(got) == {(3, number) for number in numbers}
    assert net.total("link_break_count") == 0
    # 3.5.8: without source route the request says who asks.
    asked = [
        option
        for _, _, _, p in net.log
        for header in p.headers
        if isinstance(header, DsrHeader) and header.source_route is None
        for option in header.options
        if isinstance(option, AckRequest)
    ]
    assert asked
    assert all(option.previous_hop for option in asked)
    assert net.sent(Acknowledgement)
    assert net.total("flow_error_count") == 0


def test_nodes_without_the_extension(network):
    net = network(4, chain(4), flow_state=True)
    net.agents[2]._drop_flow_state()
    numbers = [net.send(0, 3, 1.0 + 0.2 * i) for i in range(5)]
    got = net.run(4)
    # The first packet is refused; the source learns who does not take flows.
    assert got == [(3, number) for number in numbers[1:]]
    (refusal,) = [p for _, _, _, p in net.sent(RouteError, 2)]
    assert refusal.headers[1].error.error_type == 2
    assert [form(p) for _, _, p in data(net, 0)] == ["route+flow"] + ["route"] * 4


def test_large_packets(network):
    net = network(4, chain(4), flow_state=True)
    sizes = []
    net.sockets[3].on_receive(lambda payload, *_: sizes.append(payload.size))
    for i, size in enumerate((6000, 64, 64, 64, 6000)):
        net.send(0, 3, 1.0 + 0.3 * i, size=size)
    net.run(4)
    assert sizes == [6000, 64, 64, 64, 6000]
    # Plain fragments on the default flow; with source route, pieces inside other packets.
    plain = [p for _, _, p in data(net, 0, since=2.1)]
    assert {form(p) for p in plain} == {"plain"}
    assert [p.header.more_fragments for p in plain] == [True, True, False]


def test_destination_and_flow_id(network):
    # From 0 to 1 on one flow, on from there to 3 on the flow that node 0 has to 3 (7.2.2).
    net = network(4, chain(4), flow_state=True)
    for i in range(3):
        net.send(0, 3, 1.0 + 0.1 * i)
    got = []
    net.nodes[3].ipv4.on_protocol(OTHER, lambda segment, header, _: got.append(header))

    def send():
        body = Packet(net.sim, 8).push(DsrHeader(OTHER, [DestinationFlow(1, net.address(3))]))
        body = body.push(FlowStateHeader(DSR, 0, 9))
        inject(net, 0, 1, body, DSR, destination=net.address(1))

    net.at(2.0, send)
    net.run(3)
    (header,) = got
    assert header.destination == net.address(3).value
    passed = [p for t, node, _, p in net.log if node == 1 and t >= seconds(2)]
    assert form(passed[-1]) == "flow"
    assert passed[-1].headers[1].flow == 1


def test_flow_zero_is_no_flow(network):
    net = network(3, chain(3), flow_state=True)
    got = []
    net.nodes[2].ipv4.on_protocol(OTHER, lambda segment, header, _: got.append(segment.size))
    body = Packet(net.sim, 8).push(DsrHeader(OTHER, [Timeout(9), SourceRoute([net.address(1)], 1)]))
    inject(net, 0, 1, body.push(FlowStateHeader(DSR, 0, 0)), DSR)
    net.run(1)
    assert got == [8]
    assert len(net.agents[1].flow_table) == 0


def test_without_timeout_no_entry(network):
    net = network(3, chain(3), flow_state=True)
    got = []
    net.nodes[2].ipv4.on_protocol(OTHER, lambda segment, header, _: got.append(segment.size))
    for options in (
        [SourceRoute([net.address(1)], 1)],
        [SourceRoute([net.address(1)], 1), Timeout(9)],
    ):
        body = Packet(net.sim, 8).push(DsrHeader(OTHER, options))
        inject(net, 0, 1, body.push(FlowStateHeader(DSR, 0, 5)), DSR)
    net.run(1)
    assert got == [8, 8]
    assert len(net.agents[1].flow_table) == 0


def test_bytes_are_understood_as_objects_are(network):
    net = network(3, chain(3), flow_state=True)
    got = []
    net.nodes[2].ipv4.on_protocol(OTHER, lambda segment, header, _: got.append(segment.size))
    body = Packet(net.sim, 8).push(DsrHeader(OTHER, [Timeout(9), SourceRoute([net.address(1)], 1)]))
    body = body.push(FlowStateHeader(DSR, 0, 5))
    inject(net, 0, 1, Packet(net.sim, body.to_bytes()), DSR)
    net.at(
        0.5,
        lambda: inject(
            net,
            0,
            1,
            Packet(net.sim, Packet(net.sim, 8).push(FlowStateHeader(OTHER, 0, 5)).to_bytes()),
            DSR,
        ),
    )
    net.run(1)
    assert got == [8, 8]
    assert entry(net, 1, 5).hop_count == 0
    assert entry(net, 2, 5).hop_count == 1
    assert entry(net, 2, 5).previous_hop == net.address(1).value


def test_passing_nodes_do_not_take_plain_packets_for_neighbours(network):
    net = network(4, chain(4), flow_state=True)
    for i in range(6):
        net.send(0, 3, 1.0 + 0.1 * i)
    net.run(3)
    # Node 3 hears plain packets of node 0 from node 2.
    assert net.route(3, 0) == [2, 1]
    arp = net.interfaces[3].arp
    assert arp.lookup(net.address(0)) is None


def test_same_seed_same_run(network):
    def log():
        net = network(5, chain(5), flow_state=True)
        for i in range(5):
            net.send(0, 4, 1.0 + 0.1 * i)
            net.send(4, 1, 1.0 + 0.1 * i)
        net.run(3)
        return [(t, node, hop, p.to_bytes()) for t, node, hop, p in net.log]

    assert log() == log()
