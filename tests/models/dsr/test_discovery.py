"""Route discovery end to end (RFC 4728 8.2), over 802.11."""

import itertools

import pytest

from simcore.models.dsr import RouteError, RouteReply, RouteRequest
from simcore.models.internet import Ipv4Header

MS = 1_000_000
S = 1_000_000_000


def chain(n):
    return [(i, i + 1) for i in range(n - 1)]


def test_chain_is_found_and_used(network):
    net = network(6, chain(6))
    numbers = [net.send(0, 5, at=1 + i) for i in range(3)]
    assert net.run(10) == [(5, number) for number in numbers]
    assert net.route(0, 5) == [1, 2, 3, 4]
    assert net.route(3, 0) == [2, 1]
    # One discovery: a request to the neighbours, then one that each but the target passes on.
    assert len(net.sent(RouteRequest)) == 1 + 5
    assert len(net.sent(RouteReply)) == 5
    assert net.agents[0].discovery_count == 2


def test_request_to_the_neighbours_comes_first(network):
    net = network(3, chain(3))
    net.send(0, 2, at=1)
    net.run(5)
    (first, _, _, packet), (second, _, _, flood) = net.sent(RouteRequest, node=0)
    # NonpropRequestTimeout 30 ms, DiscoveryHopLimit 255.
    assert second - first == 30 * MS
    assert packet.headers[0].ttl == 1
    assert flood.headers[0].ttl == 255
    ids = {p.headers[1].request.identification for p in (packet, flood)}
    assert len(ids) == 2


def test_neighbour_needs_no_flood_and_no_header(network):
    net = network(2, chain(2))
    net.send(0, 1, at=1)
    assert net.run(5) == [(1, 0)]
    assert len(net.sent(RouteRequest)) == 1
    data = [packet for _, node, _, packet in net.log if node == 0][-1]
    # 8.1.1: a packet to a neighbour has no DSR header.
    assert data.headers[0].protocol == 17
    assert net.agents[1].delivered_count == 0


def test_passed_on_request_waits_for_its_jitter(network):
    net = network(4, chain(4))
    net.send(0, 3, at=1)
    net.run(5)
    times = [time for time, _, _, _ in net.sent(RouteRequest)[1:]]
    for before, after in itertools.pairwise(times):
        # BroadcastJitter 10 ms, and the time on the air.
        assert 0 < after - before < 11 * MS


def test_request_is_passed_on_once_by_each(network):
    everybody = [(a, b) for a in range(7) for b in range(a) if (a, b) != (6, 0)]
    net = network(7, everybody)
    net.send(0, 6, at=1)
    net.run(5)
    flood = net.sent(RouteRequest)[1:]
    senders = [node for _, node, _, _ in flood]
    assert senders[0] == 0
    assert sorted(senders[1:]) == [1, 2, 3, 4, 5]


def test_target_answers_every_copy(network):
    net = network(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    net.send(0, 3, at=1)
    net.run(5)
    replies = {str(p.headers[1].reply.route) for _, _, _, p in net.sent(RouteReply, node=3)}
    assert replies == {"10.1.1.2 10.1.1.4", "10.1.1.3 10.1.1.4"}


def test_reply_goes_back_the_way_the_request_came(network):
    net = network(4, chain(4))
    net.send(0, 3, at=1)
    net.run(5)
    reply = net.sent(RouteReply, node=3)[0][3].headers[1]
    assert str(reply.source_route.route) == "10.1.1.3 10.1.1.2"
    assert [node for _, node, _, _ in net.sent(RouteReply)] == [3, 2, 1]


def test_back_off_doubles(network):
    net = network(2, [])
    net.send(0, 1, at=0)
    net.run(40)
    times = [time for time, _, _, _ in net.sent(RouteRequest)]
    waits = [(b - a) // MS for a, b in itertools.pairwise(times)]
    # 30 ms, then RequestPeriod 500 ms doubled up to MaxRequestPeriod 10 s.
    assert waits == [30, 500, 1000, 2000, 4000, 8000, 10000]
    # SendBufferTimeout 30 s: then nothing needs a route any more.
    assert net.agents[0].drops == {"no route found": 1}
    assert len(net.agents[0].send_buffer) == 0


def test_back_off_outlives_the_packet(network):
    net = network(2, [])
    net.send(0, 1, at=0)
    net.send(0, 1, at=31)
    net.run(36)
    times = [time for time, _, _, _ in net.sent(RouteRequest)]
    assert times[-2] < 30 * S
    # The last request was at 25.53 s and 10 s have to pass.
    assert times[-1] - times[-2] == 10 * S


def test_reply_resets_the_back_off(network):
    net = network(3, [(0, 1)])
    net.send(0, 2, at=0)
    net.at(1.6, lambda: net.set_link(1, 2, True))
    net.at(6, lambda: net.set_link(1, 2, False))
    net.send(0, 2, at=6.5)
    net.send(0, 2, at=7)
    net.run(9)
    assert (2, 0) in [(node, tag) for node, tag, _ in net.received]
    times = [time for time, _, _, _ in net.sent(RouteRequest, node=0)]
    late = [time for time in times if time >= 6 * S]
    assert late[1] - late[0] == 30 * MS
    assert late[2] - late[1] == 500 * MS


def test_gives_up_after_the_last_request(network):
    net = network(2, [], request_period=10 * MS, max_request_period=10 * MS)
    net.send(0, 1, at=0)
    net.run(5)
    # MaxRequestRexmt 16 after the first.
    assert len(net.sent(RouteRequest)) == 17
    assert net.agents[0].drops == {"no route found": 1}


def test_neighbour_answers_from_its_cache(network):
    net = network(5, chain(4))
    net.send(0, 3, at=1)
    net.at(4, lambda: net.set_link(1, 4, True))
    net.send(4, 3, at=5)
    net.run(10)
    requests = [time for time, _, _, _ in net.sent(RouteRequest) if time > 4 * S]
    # Node 1 knows the way: the request to the neighbours is enough.
    assert len(requests) == 1
    assert net.total("cached_reply_count") == 1
    assert net.route(4, 3) == [1, 2]
    assert (3, 1) in [(node, tag) for node, tag, _ in net.received]


def test_reply_with_a_node_twice_is_not_given(network):
    # RFC 4728 3.3.2: F must not answer with a route back through C, where the request came from.
    a, b, c, d, e, f = range(6)
    net = network(6, [(a, b), (b, c), (c, d), (d, e), (c, f)])
    net.send(f, e, at=1)
    net.at(4, lambda: net.agents[c].cache.remove_link(net.address(c), net.address(d)))
    net.send(a, e, at=5)
    net.run(10)
    for _, _, _, packet in net.sent(RouteReply):
        route = packet.headers[1].reply.route.addresses
        assert len(set(route)) == len(route)
    assert (e, 1) in [(node, tag) for node, tag, _ in net.received]


def test_cached_replies_wait_by_their_length(network):
    # Neighbours 1, 2, 3 of node 0 know routes to 9 of 2, 3 and 4 hops from node 0.
    links = [(1, 9), (2, 4), (4, 9), (3, 5), (5, 6), (6, 9)]
    net = network(10, links, reply_hop_delay=5 * MS)
    for i, source in enumerate((1, 2, 3)):
        net.send(source, 9, at=1 + i)
    replies = []
    for agent in net.agents:
        agent.trace.route_reply.connect(
            lambda packet, kind, agent=agent: replies.append(
                (agent.node.id, kind, net.sim.now(), packet)
            )
        )
    for neighbour in (1, 2, 3):
        net.at(9, lambda neighbour=neighbour: net.set_link(0, neighbour, True))
    net.at(9.5, lambda: net.log.clear())
    net.send(0, 9, at=10)
    net.run(12)
    made = {
        node: (time, len(packet.headers[1].reply.route))
        for node, kind, time, packet in replies
        if kind == "cached" and time >= 10 * S
    }
    assert {node: hops for node, (_, hops) in made.items()} == {1: 2, 2: 3, 3: 4}
    sent = {node: time for time, node, _, _ in net.sent(RouteReply)}
    # d = H (h - 1 + r): node 1 answers after 5 to 10 ms ...
    assert 5 * MS <= sent[1] - made[1][0] <= 10 * MS
    # ... and the others have seen its route in use by then: 8.2.5.
    assert set(sent) == {1}
    assert net.total("suppressed_count") == 2


def test_error_rides_on_the_next_request(network):
    net = network(4, chain(4))
    net.send(0, 3, at=1)
    net.at(2, lambda: net.set_link(2, 3, False))
    net.send(0, 3, at=3)
    net.send(0, 3, at=4)
    net.run(6)
    late = [packet for time, _, _, packet in net.sent(RouteRequest) if time > 3 * S]
    assert late
    for packet in late:
        # In front of the request, so that it is looked at first: 3.4.4.
        error, request = packet.headers[1].options
        assert isinstance(error, RouteError)
        assert isinstance(request, RouteRequest)
        assert str(packet.headers[1]).count("unreachable 10.1.1.4") == 1
    assert net.route(1, 3) is None


def test_send_buffer_drops_the_oldest(network):
    net = network(2, [], send_buffer_size=3)
    for i in range(5):
        net.send(0, 1, at=1 + i / 100)
    net.at(2, lambda: net.set_link(0, 1, True))
    assert net.run(10) == [(1, 2), (1, 3), (1, 4)]
    assert net.agents[0].drops == {"send buffer full": 2}


def test_broadcast_is_left_to_ip(network):
    net = network(3, [(0, 1), (0, 2)])
    from simcore.models.network.packet import Packet

    net.sockets[0].send_to(Packet(net.sim, 10, tag="all"), "10.1.1.255", 9)
    assert sorted(net.run(1)) == [(1, "all"), (2, "all")]
    assert net.total("discovery_count") == 0


def test_one_way_link(network):
    # 0 - 1 - 2 both ways; 2 hears 0, but 0 does not hear 2.
    net = network(3, chain(3))
    net.set_link(0, 2, True, both=False)
    number = net.send(0, 2, at=1)
    net.run(5)
    assert [(node, tag) for node, tag, _ in net.received] == [(2, number)]
    assert net.route(0, 2) == [1]
    assert net.agents[2].blacklist.state(net.address(0), 2 * S) == "probable"
    assert net.agents[2].drops["reply undeliverable"] >= 1


def test_request_over_a_one_way_link_is_not_passed_on(network):
    # Node 2 hears 0, but not the other way; it alone is connected with 3.
    net = network(4, [(0, 1), (1, 2), (2, 3)])
    net.set_link(0, 2, True, both=False)
    net.agents[2].blacklist.enter(net.address(0), 1 * S)
    net.send(0, 3, at=1)
    net.run(5)
    for _, _, _, packet in net.sent(RouteRequest, node=2):
        assert "10.1.1.2" in str(packet.headers[1].request.route)
    assert net.route(0, 3) == [1, 2]
    assert net.agents[2].drops["one-way link"] >= 1


def test_questionable_link_is_asked(network):
    net = network(3, chain(3), blacklist_timeout=1 * S)
    # The link works, but 1 believes otherwise: after 1 s only half so.
    net.agents[1].blacklist.enter(net.address(0), 0)
    number = net.send(0, 2, at=2)
    net.run(5)
    asked = [p for _, _, hop, p in net.sent(RouteRequest, node=1) if hop != 0]
    assert len(asked) == 1
    assert asked[0].headers[0].ttl == 1
    assert net.agents[1].blacklist.state(net.address(0), 3 * S) is None
    assert [(node, tag) for node, tag, _ in net.received] == [(2, number)]


def test_blacklist_clears_when_the_neighbour_is_heard_passing_on(network):
    net = network(3, chain(3))
    net.agents[0].blacklist.enter(net.address(1), 1 * S)
    net.send(0, 2, at=1)
    net.run(1.045)
    assert net.agents[0].blacklist.state(net.address(1), 1 * S) is None


def test_addresses_are_learned_without_arp(network):
    net = network(5, chain(5))
    net.send(0, 4, at=1)
    net.run(5)
    assert sum(interface.arp.requests_sent for interface in net.interfaces) == 0


def test_same_seed_same_run(network):
    def log(seed):
        net = network(6, [*chain(6), (0, 3), (1, 4)], seed=seed)
        for i in range(5):
            net.send(0, 5, at=1 + i)
            net.send(4, 1, at=1.001 + i)
        net.at(3.5, lambda: net.set_link(3, 4, False))
        net.run(10)
        return [(time, node, hop, packet.text()) for time, node, hop, packet in net.log]

    assert log(1) == log(1)
    assert log(1) != log(2)


@pytest.mark.parametrize("cache", ["link", "path"])
def test_both_caches(network, cache):
    net = network(5, chain(5), cache=cache)
    for i in range(3):
        net.send(0, 4, at=1 + i)
        net.send(4, 0, at=1.5 + i)
    assert len(net.run(10)) == 6
    assert net.route(4, 0) == [3, 2, 1]
    # The way back was learned from the discovery of the way there.
    assert net.total("discovery_count") == 2


def test_ttl_runs_out(network):
    net = network(4, chain(4))
    net.sockets[0].ttl = 2
    net.send(0, 3, at=1)
    assert net.run(5) == []
    assert net.agents[2].drops == {"TTL expired": 1}
    assert isinstance(net.log[-1][3].headers[0], Ipv4Header)
