from __future__ import annotations

import itertools

import networkx
import pytest

from simcore import Simulator, ms, seconds
from simcore.models.ndn.apps import ConsumerCbr, Producer
from simcore.models.ndn.helpers import (
    GlobalRouting,
    add_route,
    fail_link,
    remove_route,
    restore_link,
)
from simcore.models.ndn.stack import install, neighbours_of
from simcore.models.network import PointToPointLink, create_nodes


def network(sim, links):
    """Nodes by name with links between them; a link is (a, b, metric or delay in ms)."""
    names = sorted({name for a, b, _ in links for name in (a, b)})
    nodes = dict(zip(names, create_nodes(sim, len(names)), strict=True))
    for a, b, value in links:
        PointToPointLink(nodes[a], nodes[b], "10Mbps", ms(value))
    install(nodes.values())
    return nodes


def next_hops(node, prefix):
    """(neighbour, cost) of each next hop of a prefix."""
    return [(neighbours_of(hop.face)[0], hop.cost) for hop in node.ndn.fib.lookup(prefix).nexthops]


def test_ndnsim_cases(sim, reference):
    cases = reference("ndnsim_golden")["global_routing"]
    assert len(cases) == 3
    for case in cases:
        by_delay = case.get("metric") == "delay"
        links = case["links_delay_ms"] if by_delay else case["links"]
        nodes = network(sim, links)
        routing = GlobalRouting(nodes.values(), "delay" if by_delay else "metric")
        for a, b, value in links:
            routing.set_metric(nodes[a], nodes[b], value)
        origin = nodes[case["origin"]]
        routing.add_origin(origin, "/prefix")
        routing.calculate()
        (a,) = (node for name, node in nodes.items() if name.startswith("A"))
        ((neighbour, _),) = next_hops(a, "/prefix")
        assert neighbour is nodes[case["A_next_hop"]]


GRID = [
    *((f"{x}{y}", f"{x + 1}{y}", 1 + (3 * x + 5 * y) % 4) for x in range(3) for y in range(4)),
    *((f"{x}{y}", f"{x}{y + 1}", 1 + (7 * x + 2 * y) % 5) for x in range(4) for y in range(3)),
]


@pytest.fixture
def grid(sim):
    """A 4 x 4 grid with different metrics, its graph, and routing over it."""
    nodes = network(sim, GRID)
    graph = networkx.Graph()
    graph.add_weighted_edges_from(GRID)
    routing = GlobalRouting(nodes.values(), "metric")
    for a, b, value in GRID:
        routing.set_metric(nodes[a], nodes[b], value)
    for name, node in nodes.items():
        routing.add_origin(node, f"/{name}")
    return nodes, graph, routing


def test_shortest_paths_are_networkx_ones(grid):
    nodes, graph, routing = grid
    routes = routing.calculate()
    assert len(routes) == 16 * 15
    name_of = {node: name for name, node in nodes.items()}
    for start, end in itertools.permutations(nodes, 2):
        distance = networkx.shortest_path_length(graph, start, end, "weight")
        ((neighbour, cost),) = next_hops(nodes[start], f"/{end}")
        assert cost == distance
        step = graph[start][name_of[neighbour]]["weight"]
        rest = networkx.shortest_path_length(graph, name_of[neighbour], end, "weight")
        assert step + rest == distance


def test_loop_free_paths_lead_to_nearer_neighbours(grid):
    nodes, graph, routing = grid
    routing.calculate("loop-free")
    name_of = {node: name for name, node in nodes.items()}
    several = 0
    for end in nodes:
        distance = networkx.single_source_dijkstra_path_length(graph, end)
        # Of two that are as far the one with fewer links counts as nearer.
        links = networkx.single_source_dijkstra_path_length(
            graph, end, weight=lambda a, b, edge: 1000 * edge["weight"] + 1
        )
        edges = []
        for start in nodes:
            if start == end:
                continue
            hops = {name_of[node]: cost for node, cost in next_hops(nodes[start], f"/{end}")}
            nearer = {n for n in graph[start] if links[n] < links[start]}
            assert set(hops) == nearer
            for neighbour, cost in hops.items():
                assert cost == graph[start][neighbour]["weight"] + distance[neighbour]
                edges.append((start, neighbour))
            several += len(hops) > 1
        assert networkx.is_directed_acyclic_graph(networkx.DiGraph(edges))
    assert several > 50


def test_all_paths_are_those_that_do_not_come_back(grid):
    nodes, graph, routing = grid
    routing.calculate("all")
    name_of = {node: name for name, node in nodes.items()}
    for start, end in itertools.permutations(nodes, 2):
        rest = graph.copy()
        rest.remove_node(start)
        distance = networkx.single_source_dijkstra_path_length(rest, end)
        expected = {n: graph[start][n]["weight"] + distance[n] for n in graph[start]}
        found = next_hops(nodes[start], f"/{end}")
        assert {name_of[node]: cost for node, cost in found} == expected
        assert [cost for _, cost in found] == sorted(cost for _, cost in found)


def test_costs_of_two_ways_differ(sim):
    nodes = network(sim, [("A", "B", 1), ("B", "C", 1), ("A", "C", 1)])
    routing = GlobalRouting(nodes.values(), "metric")
    routing.set_metric(nodes["A"], nodes["C"], 10, 1)
    routing.add_origin(nodes["A"], "/a")
    routing.add_origin(nodes["C"], "/c")
    routing.calculate()
    assert next_hops(nodes["A"], "/c") == [(nodes["B"], 2)]
    assert next_hops(nodes["C"], "/a") == [(nodes["A"], 1)]


def test_nearest_of_several_origins(sim):
    nodes = network(sim, [("A", "B", 1), ("B", "C", 1), ("C", "D", 1), ("D", "E", 1)])
    routing = GlobalRouting(nodes.values())
    routing.add_origin(nodes["A"], "/p")
    routing.add_origin(nodes["E"], "/p")
    routing.calculate()
    assert next_hops(nodes["B"], "/p") == [(nodes["A"], 1), (nodes["C"], 3)]
    assert next_hops(nodes["C"], "/p") == [(nodes["B"], 2), (nodes["D"], 2)]
    assert next_hops(nodes["A"], "/p") == []


def test_broken_link_and_new_calculation(sim):
    nodes = network(sim, [("A", "B", 1), ("B", "C", 1), ("A", "C", 1)])
    routing = GlobalRouting(nodes.values())
    Producer(nodes["C"], "/p")
    routing.add_producers()
    routing.calculate()
    consumer = ConsumerCbr(nodes["A"], "/p", 10)
    fail, mend = (nodes["A"], nodes["C"]), (nodes["A"], nodes["C"])
    sim.schedule_at(ms(450), fail_link, *fail)
    sim.run(seconds(1))
    assert consumer.received == 5
    routing.calculate()
    assert next_hops(nodes["A"], "/p") == [(nodes["B"], 2)]
    sim.run(seconds(5))
    assert consumer.received > 40
    restore_link(*mend)
    routing.calculate()
    assert next_hops(nodes["A"], "/p") == [(nodes["C"], 1)]
    routing.withdraw()
    assert next_hops(nodes["A"], "/p") == []


def test_names_of_nodes_as_prefixes(sim):
    nodes = network(sim, [("A", "B", 1)])
    vars(nodes["B"])["name"] = "bee"
    routing = GlobalRouting(nodes.values())
    routing.add_names()
    routing.calculate()
    assert next_hops(nodes["A"], "/bee") == [(nodes["B"], 1)]
    assert next_hops(nodes["B"], "/0") == [(nodes["A"], 1)]


def test_costs_by_a_callable(sim):
    nodes = network(sim, [("A", "B", 1), ("B", "C", 1), ("A", "C", 1)])
    slow = nodes["A"].devices[1]
    routing = GlobalRouting(nodes.values(), lambda face: 7 if face.device is slow else 1)
    routing.add_origin(nodes["C"], "/c")
    routing.calculate()
    assert next_hops(nodes["A"], "/c") == [(nodes["B"], 2)]


def test_delay_is_a_cost_in_microseconds(sim):
    nodes = network(sim, [("A", "B", 3), ("B", "C", 4)])
    routing = GlobalRouting(nodes.values(), "delay")
    routing.add_origin(nodes["C"], "/c")
    routing.calculate()
    assert next_hops(nodes["A"], "/c") == [(nodes["B"], 7000)]


def test_wrong_arguments_are_named(sim):
    nodes = network(sim, [("A", "B", 1)])
    with pytest.raises(ValueError, match="metric is 'distance'"):
        GlobalRouting(nodes.values(), "distance")
    routing = GlobalRouting(nodes.values())
    with pytest.raises(ValueError, match="paths is 'some'"):
        routing.calculate("some")
    with pytest.raises(ValueError, match="metric is -1"):
        routing.set_metric(nodes["A"], nodes["B"], -1)
    other = create_nodes(Simulator(seed=1), 1)[0]
    with pytest.raises(ValueError, match="none of the nodes"):
        routing.add_origin(other, "/p")


def test_single_routes(sim):
    nodes = network(sim, [("A", "B", 1), ("B", "C", 1)])
    a, b, c = nodes.values()
    add_route(a, "/p", b, 5)
    assert next_hops(a, "/p") == [(b, 5)]
    with pytest.raises(ValueError, match="no face towards"):
        add_route(a, "/p", c)
    assert remove_route(a, "/p", b)
    assert not remove_route(a, "/p", b)
    with pytest.raises(ValueError, match="no point-to-point link"):
        fail_link(a, c)
