"""Route maintenance end to end (RFC 4728 8.3), over 802.11."""

import itertools

import pytest

from simcore.models.dsr import (
    Acknowledgement,
    AckRequest,
    RouteError,
    RouteReply,
    RouteRequest,
    SourceRoute,
)

MS = 1_000_000
S = 1_000_000_000


def chain(n):
    return [(i, i + 1) for i in range(n - 1)]


def test_break_is_told_to_the_source(network):
    net = network(4, chain(4))
    net.send(0, 3, at=1)
    net.at(2, lambda: net.set_link(2, 3, False))
    lost = net.send(0, 3, at=3)
    net.run(5)
    assert lost not in [tag for _, tag, _ in net.received]
    errors = net.sent(RouteError)
    assert [(node, hop) for _, node, hop, p in errors if not p.headers[1].request] == [
        (2, 2),
        (1, 1),
    ]
    error = errors[0][3].headers[1].error
    assert (error.source, error.destination, error.unreachable) == (
        net.address(2).value,
        net.address(0).value,
        net.address(3).value,
    )
    for i in range(3):
        assert net.route(i, 3) is None
    assert net.agents[2].drops == {"no other route": 1}
    assert net.agents[2].link_break_count == 1


def test_macs_verdict_comes_fast(network):
    net = network(4, chain(4))
    net.send(0, 3, at=1)
    net.at(2, lambda: net.set_link(2, 3, False))
    net.send(0, 3, at=3)
    breaks = []
    net.agents[2].trace.link_break.connect(lambda hop: breaks.append(net.sim.now()))
    net.run(5)
    # Seven attempts with growing back-off, no timer of DSR's.
    assert len(breaks) == 1
    assert breaks[0] - 3 * S < 100 * MS


def test_source_finds_another_route(network):
    net = network(5, [*chain(4), (0, 4), (4, 3)])
    first = net.send(0, 3, at=1)
    net.run(2)
    assert [tag for _, tag, _ in net.received] == [first]
    middle = net.route(0, 3)
    assert middle == [4]
    net.set_link(4, 3, False)
    lost = net.send(0, 3, at=3)
    found = net.send(0, 3, at=4)
    net.run(8)
    tags = [tag for _, tag, _ in net.received]
    assert found in tags
    # Node 4 may have known another way back through node 0.
    assert (lost in tags) == (net.agents[4].salvaged_count == 1)


def test_source_keeps_its_packet(network):
    net = network(3, [(0, 1), (1, 2)])
    net.send(0, 2, at=1)
    net.at(2, lambda: net.set_link(0, 1, False))
    kept = net.send(0, 2, at=3)
    net.at(5, lambda: net.set_link(0, 1, True))
    net.run(20)
    arrival = next(time for _, tag, time in net.received if tag == kept)
    assert arrival > 5 * S
    assert net.total("salvaged_count") == 0
    assert net.agents[0].drops == {}
    assert len(net.sent(RouteError)) == 0


def test_kept_packet_leaves_the_send_buffer_in_time(network):
    net = network(3, [(0, 1), (1, 2)])
    net.send(0, 2, at=1)
    net.at(2, lambda: net.set_link(0, 1, False))
    net.send(0, 2, at=3)
    drops = []
    net.agents[0].trace.drop.connect(lambda packet, reason: drops.append((net.sim.now(), reason)))
    net.run(40)
    assert drops == [(33 * S, "no route found")]


def salvage_network(network, **parameters):
    """Node 0 goes by 1 and 2 to 3; the link from 1 to 2 is gone, but 1 knows the way by 4."""
    net = network(5, [(0, 1), (2, 3), (1, 4), (4, 3)], **parameters)
    zero, one, two, three, four = (net.address(i) for i in range(5))
    net.agents[0].cache.add([zero, one, two, three])
    net.agents[1].cache.add([one, two, three])
    net.agents[1].cache.add([one, four, three])
    return net


def test_salvaging(network):
    net = salvage_network(network)
    number = net.send(0, 3, at=1)
    net.run(9)
    assert number in [tag for _, tag, _ in net.received]
    assert net.agents[1].salvaged_count == 1
    salvaged = [
        (node, hop, packet.headers[1].source_route)
        for _, node, hop, packet in net.sent(SourceRoute)
        if packet.headers[1].source_route.salvage
    ]
    # 8.3.6: the salvaging node comes first, and the count goes up.
    route = f"{net.address(1)} {net.address(4)}"
    assert [(node, hop) for node, hop, _ in salvaged] == [(1, 5), (4, 4)]
    assert [str(option.route) for _, _, option in salvaged] == [route, route]
    assert [option.segments_left for _, _, option in salvaged] == [1, 0]
    assert {option.salvage for _, _, option in salvaged} == {1}
    # The error goes out before the packet.
    error = next(time for time, node, _, _ in net.sent(RouteError) if node == 1)
    first = next(
        time for time, _, _, p in net.sent(SourceRoute) if p.headers[1].source_route.salvage
    )
    assert error <= first


def test_salvage_limit(network):
    net = salvage_network(network, max_salvage_count=0)
    number = net.send(0, 3, at=1)
    net.run(9)
    assert number not in [tag for _, tag, _ in net.received]
    assert net.agents[1].drops == {"salvaged too often": 1}


def test_queued_packets_share_the_verdict(network):
    net = network(4, chain(4))
    net.send(0, 3, at=1)
    net.at(2, lambda: net.set_link(2, 3, False))
    for i in range(4):
        net.send(0, 3, at=3 + i / 1000)
    net.run(3.5)
    # The MAC tried one of them only; and the source was told once for each break: 3.4.2.
    assert net.devices[2].mac_layer.drop_count == 1
    assert net.agents[2].error_count == 1
    assert net.agents[2].drops["no other route"] >= 3


def test_error_is_believed_by_those_who_overhear_it(network):
    # Node 4 hears 1 and knows the chain from what passes.
    net = network(5, [*chain(4), (1, 4), (2, 4)])
    net.send(0, 3, at=1)
    net.run(2)
    assert net.route(4, 3) == [2]
    net.set_link(2, 3, False)
    net.send(0, 3, at=3)
    net.run(5)
    assert net.route(4, 3) is None


def test_automatic_shortening(network):
    net = network(4, chain(4))
    net.send(0, 3, at=1)
    net.run(2)
    assert net.route(0, 3) == [1, 2]
    # Node 2 comes into the reach of node 0.
    net.set_link(0, 2, True)
    net.send(0, 3, at=3)
    net.run(4)
    assert net.agents[2].gratuitous_count == 1
    assert net.route(0, 3) == [2]
    reply = net.sent(RouteReply, node=2)[-1]
    assert str(reply[3].headers[1].reply.route) == f"{net.address(2)} {net.address(3)}"
    net.send(0, 3, at=5)
    net.run(6)
    # The packets arrive once each: the overheard copy is not passed on.
    assert [tag for _, tag, _ in net.received] == [0, 1, 2]


def test_shortening_is_held_off(network):
    net = network(3, chain(3))
    net.send(0, 2, at=1)
    net.run(2)
    net.set_link(0, 2, True)
    # Replies of node 2 get lost: it is tried again after GratReplyHoldoff, 1 s.
    net.set_link(2, 0, False, both=False)
    for i in range(5):
        net.send(0, 2, at=3 + i * 0.3)
    net.run(6)
    assert net.agents[2].gratuitous_count == 2


def test_network_acknowledgements(network):
    net = network(4, chain(4), acknowledgement="network", maint_holdoff_time=0)
    for i in range(3):
        net.send(0, 3, at=1 + i)
    assert len(net.run(6)) == 3
    requests = net.sent(AckRequest)
    answers = net.sent(Acknowledgement)
    # Three hops for each packet, three for the reply; the only answer to each request.
    assert len(requests) == 3 * 3 + 3
    assert len(answers) == len(requests)
    for _, _, _, packet in answers:
        header = packet.headers[1]
        assert header.next_header == 59
        assert header.acknowledgement.destination == packet.headers[0].destination
    for agent in net.agents:
        assert len(agent.maintenance_buffer) == 0


def test_confirmed_neighbour_is_left_alone_for_a_while(network):
    net = network(2, chain(2), acknowledgement="network")
    for i in range(10):
        net.send(0, 1, at=1 + i / 10)
    assert len(net.run(5)) == 10
    times = [time for time, node, _, _ in net.sent(AckRequest) if node == 0]
    # MaintHoldoffTime 250 ms.
    assert 3 <= len(times) <= 5
    assert all(b - a >= 250 * MS for a, b in itertools.pairwise(times))


def test_network_acknowledgements_find_a_break(network):
    net = network(4, chain(4), acknowledgement="network", maint_holdoff_time=0)
    net.send(0, 3, at=1)
    net.at(2, lambda: net.set_link(2, 3, False))
    net.send(0, 3, at=3)
    net.run(6)
    requests = [time for time, node, hop, _ in net.sent(AckRequest) if time > 3 * S and hop == 4]
    # MaxMaintRexmt 2 after the first.
    assert len(requests) == 3
    assert net.agents[2].link_break_count == 1
    errors = [node for _, node, _, p in net.sent(RouteError) if not p.headers[1].request]
    assert list(dict.fromkeys(errors)) == [2, 1]


def test_passive_acknowledgements(network):
    net = network(4, chain(4), acknowledgement="passive", maint_holdoff_time=0)
    for i in range(3):
        net.send(0, 3, at=1 + i)
    assert len(net.run(6)) == 3
    # Nodes 0 and 1 hear the next one pass the data on; the last hop needs a request (8.3.2).
    assert {node for _, node, hop, p in net.sent(AckRequest) if p.headers[1].next_header == 17} == {
        2
    }
    for agent in net.agents:
        assert len(agent.maintenance_buffer) == 0
        assert len(agent.passive_buffer) == 0


def test_passive_acknowledgements_find_a_break(network):
    net = network(4, chain(4), acknowledgement="passive", maint_holdoff_time=0)
    net.send(0, 3, at=1)
    net.at(2, lambda: net.set_link(1, 2, False))
    net.send(0, 3, at=3)
    net.run(6)
    tries = [
        (time, packet.headers[1].ack_request is not None)
        for time, node, hop, packet in net.log
        if node == 1 and hop == 3 and time > 3 * S
    ]
    # TryPassiveAcks 1 more, 100 ms later; then requests.
    assert [asked for _, asked in tries] == [False, False, True, True, True]
    assert tries[1][0] - tries[0][0] == 100 * MS
    assert net.agents[1].link_break_count == 1


def test_arp_in_place_of_learning(network):
    net = network(3, chain(3), departures=("arp",))
    number = net.send(0, 2, at=1)
    net.run(5)
    assert [tag for _, tag, _ in net.received] == [number]
    assert sum(interface.arp.requests_sent for interface in net.interfaces) > 0


@pytest.mark.parametrize(
    "departure",
    [
        "timer_verdict",
        "salvage_once",
        "no_return",
        "unmaintained_control",
        "error_discovery",
        "deaf_to_errors",
        "same_identification",
        "square_backoff",
        "late_replies",
        "all_reply",
        "no_learning",
        "one_reply",
        "stale_links",
        "slow_send_buffer",
        "no_blacklist",
    ],
)
def test_departures_still_deliver_over_a_still_chain(network, departure):
    net = network(5, chain(5), departures=(departure,))
    for i in range(3):
        net.send(0, 4, at=1 + i)
    assert len(net.run(10)) == 3


def test_timer_verdict_waits(network):
    net = network(4, chain(4), departures=("timer_verdict",))
    net.send(0, 3, at=1)
    net.at(2, lambda: net.set_link(2, 3, False))
    net.send(0, 3, at=3)
    breaks = []
    net.agents[2].trace.link_break.connect(lambda hop: breaks.append(net.sim.now()))
    net.run(5)
    assert len(breaks) == 1
    assert 200 * MS <= breaks[0] - 3 * S < 210 * MS


def test_discovery_again_after_a_break(network):
    net = network(4, chain(4))
    net.send(0, 3, at=1)
    net.at(2, lambda: net.set_link(2, 3, False))
    net.send(0, 3, at=3)
    net.at(4, lambda: net.set_link(2, 3, True))
    number = net.send(0, 3, at=5)
    net.run(10)
    assert number in [tag for _, tag, _ in net.received]
    assert [time for time, node, _, _ in net.sent(RouteRequest) if node == 0 and time >= 5 * S]
