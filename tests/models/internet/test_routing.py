import ipaddress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator
from simcore.models.internet import (
    AddressAllocator,
    StaticRouting,
    UdpSocket,
    install_internet,
    populate_routes,
)
from simcore.models.network import (
    IdealChannel,
    IdealDevice,
    Packet,
    PointToPointLink,
    create_nodes,
)


def router(interfaces=4):
    sim = Simulator()
    node, *others = create_nodes(sim, interfaces + 1)
    install_internet([node, *others])
    for number, other in enumerate(others, 1):
        link = PointToPointLink(node, other)
        AddressAllocator(f"192.168.{number}.0/24").assign(link.devices)
    return node


PREFIXES = st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 32)).map(
    lambda pair: ipaddress.IPv4Network(pair, strict=False)
)


@given(
    st.lists(st.tuples(PREFIXES, st.integers(1, 4), st.integers(0, 2)), max_size=20),
    st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20),
)
@settings(max_examples=60, deadline=None)
def test_longest_prefix_then_metric_then_first(routes, probes):
    node = router()
    table = node.ipv4.routing
    model = [
        (network, entry.interface.index, 0)
        for entry in table.routes
        for network in [ipaddress.IPv4Network(str(entry.network))]
    ]
    for network, interface, metric in routes:
        table.add_route(str(network), interface=interface, metric=metric)
        model.append((network, interface, metric))
    probes = probes + [int(network.network_address) for network, *_ in routes]
    for probe in probes + probes[:2]:
        fitting = [row for row in model if ipaddress.IPv4Address(probe) in row[0]]
        found = table.route_to(probe)
        if not fitting:
            assert found is None
            continue
        best = min(fitting, key=lambda row: (-row[0].prefixlen, row[2]))
        assert found[1].index == best[1]
        assert int(found[0]) == probe


def test_gateways_and_changes():
    node = router()
    table = node.ipv4.routing
    assert isinstance(table, StaticRouting)
    assert table.route_to("8.8.8.8") is None
    default = table.set_default_route("192.168.2.2")
    hop, interface, source = table.route_to("8.8.8.8")
    assert (str(hop), interface.index, str(source)) == ("192.168.2.2", 2, "192.168.2.1")
    better = table.add_route("8.0.0.0/8", "192.168.3.2")
    assert table.route_to("8.8.8.8")[1].index == 3
    node.ipv4.interfaces[3].set_up(False)
    assert table.route_to("8.8.8.8")[1].index == 2
    node.ipv4.interfaces[3].set_up()
    assert table.route_to("8.8.8.8")[1].index == 3
    table.remove_route(better)
    assert table.route_to("8.8.8.8")[1].index == 2
    table.remove_route(default)
    assert table.route_to("8.8.8.8") is None
    with pytest.raises(ValueError, match="not in the table"):
        table.remove_route(default)
    assert repr(better) == "<Route 8.0.0.0/8 via 192.168.3.2, interface 3>"


def test_bad_routes():
    table = router().ipv4.routing
    with pytest.raises(ValueError, match="needs a gateway or an interface"):
        table.add_route("10.0.0.0/8")
    with pytest.raises(ValueError, match=r"gateway is 1\.2\.3\.4"):
        table.add_route("10.0.0.0/8", "1.2.3.4")
    with pytest.raises(ValueError, match="interface is 9"):
        table.add_route("10.0.0.0/8", interface=9)
    with pytest.raises(ValueError, match=r"network is '10\.0\.0\.1/8'"):
        table.add_route("10.0.0.1/8", interface=1)


def random_network(seed, count=20, links=35):
    """A random connected graph of links: (nodes, matrix of costs)."""
    rng = np.random.default_rng(seed)
    nodes = create_nodes(Simulator(), count)
    install_internet(nodes)
    pairs = {(int(rng.integers(0, i)), i) for i in range(1, count)}
    while len(pairs) < links:
        a, b = sorted(int(x) for x in rng.choice(count, 2, replace=False))
        pairs.add((a, b))
    matrix = np.zeros((count, count))
    costs = {}
    for number, (a, b) in enumerate(sorted(pairs)):
        link = PointToPointLink(nodes[a], nodes[b])
        AddressAllocator(f"10.{number // 250}.{number % 250}.0/24").assign(link.devices)
        for here, there, device in ((a, b, link.devices[0]), (b, a, link.devices[1])):
            costs[device] = matrix[here, there] = float(rng.integers(1, 6))
    return nodes, matrix, costs


@pytest.mark.parametrize("seed", range(3))
def test_shortest_paths_agree_with_scipy(seed):
    from scipy.sparse.csgraph import shortest_path

    nodes, matrix, costs = random_network(seed)
    populate_routes(nodes, costs=lambda interface: costs[interface.device])
    expected = shortest_path(matrix)
    owner = {str(i.address): n for n in nodes for i in n.ipv4.interfaces[1:]}
    for a, start in enumerate(nodes):
        for b, end in enumerate(nodes):
            if a == b:
                continue
            node, cost, steps = start, 0.0, 0
            while node is not end:
                hop, interface, _ = node.ipv4.routing.route_to(end.ipv4.address)
                cost += costs[interface.device]
                node = owner[str(hop)]
                steps += 1
                assert steps < len(nodes)
            assert cost == expected[a, b]


def test_global_routes_carry_packets_and_follow_changes():
    sim = Simulator()
    nodes = create_nodes(sim, 4)
    install_internet(nodes)
    links = []
    for number, (a, b) in enumerate([(0, 1), (1, 3), (0, 2), (2, 3)]):
        links.append(PointToPointLink(nodes[a], nodes[b]))
        AddressAllocator(f"10.0.{number}.0/24").assign(links[-1].devices)
    topology = populate_routes(sim=sim)
    routing = nodes[0].ipv4.routing
    target = nodes[3].ipv4.interfaces[1].address
    assert routing.route_to(target)[1].index == 1
    links[1].up = False
    topology.recompute()
    assert routing.route_to(target)[1].index == 2
    heard = []
    socket = UdpSocket(nodes[3])
    socket.bind(9)
    socket.on_receive(lambda *_: heard.append(sim.now()))
    UdpSocket(nodes[0]).send_to(Packet(sim, 10), target, 9)
    sim.run()
    assert len(heard) == 1
    nodes[0].ipv4.interfaces[2].set_up(False)
    assert routing.route_to(target) is None
    nodes[2].ipv4.forwarding = False
    nodes[0].ipv4.interfaces[2].set_up()
    topology.recompute()
    assert routing.route_to(target) is None
    assert [(n.id, str(a), c) for n, a, c in topology.neighbours(nodes[3])] == [
        (2, "10.0.3.1", 1.0)
    ]


def test_a_shared_medium_is_one_hop():
    sim = Simulator()
    nodes = create_nodes(sim, 4)
    install_internet(nodes)
    channel = IdealChannel()
    AddressAllocator("10.1.1.0/24").assign([IdealDevice(node, channel) for node in nodes[:3]])
    link = PointToPointLink(nodes[2], nodes[3])
    AddressAllocator("10.2.2.0/24").assign(link.devices)
    populate_routes(nodes)
    hop, interface, source = nodes[0].ipv4.routing.route_to("10.2.2.2")
    assert (str(hop), interface.index, str(source)) == ("10.1.1.3", 1, "10.1.1.1")
    assert nodes[0].ipv4.routing.route_to("10.1.1.2")[0] == nodes[1].ipv4.address
    assert str(nodes[0].ipv4.routing.route_to("10.1.1.255")[0]) == "10.1.1.255"
    with pytest.raises(ValueError, match="must be positive"):
        populate_routes(nodes, costs=lambda interface: 0)
    with pytest.raises(ValueError, match="give nodes or sim"):
        populate_routes()
