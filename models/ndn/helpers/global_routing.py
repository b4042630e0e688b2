"""Routes from knowledge of the whole network, in place of a routing protocol."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import NamedTuple

from simcore.models.ndn.apps.producer import Producer
from simcore.models.ndn.device_face import NetDeviceFace
from simcore.models.ndn.face import LinkType
from simcore.models.ndn.name import Name
from simcore.models.ndn.stack import device_faces, forwarder_of, neighbours_of
from simcore.models.network.node import Node
from simcore.models.network.topology import Topology

METRICS = ("hops", "metric", "delay")
PATHS = ("shortest", "loop-free", "all")

# Cost of a path and its links: of two paths that cost the same the one with fewer links is
# shorter, so that links without a cost lead to no loops.
_Length = tuple[float, int]
_UNREACHABLE: _Length = (math.inf, 0)
_MAX_COST = (1 << 64) - 1


class _Arc(NamedTuple):
    """A way from one node to a neighbour."""

    face: NetDeviceFace
    start: int
    end: int
    cost: float


class Route(NamedTuple):
    """A route that was installed.

    Attributes
    ----------
    node, prefix, face
        Where it is, and where it leads.
    cost
        In the forwarder's table.
    """

    node: Node
    prefix: Name
    face: NetDeviceFace
    cost: int


class GlobalRouting:
    """Computes routes to the origins of prefixes over links and shared media.

    Radios are left out: who hears whom is not known. So are links that are down when routes are
    calculated.

    Parameters
    ----------
    nodes
        With NDN.
    metric
        What makes a path long: ``"hops"``; ``"metric"``, what `set_metric` or a topology says, 1
        where it says nothing; ``"delay"``, the propagation delay, for routes with a cost in us; or
        a callable of a face that gives a number.

    Examples
    --------
    >>> routing = GlobalRouting(nodes, metric="delay")    # doctest: +SKIP
    >>> routing.add_origin(nodes[5], "/video")            # doctest: +SKIP
    >>> routing.calculate()                               # doctest: +SKIP
    """

    def __init__(
        self, nodes: Iterable[Node], metric: str | Callable[[NetDeviceFace], float] = "hops"
    ) -> None:
        if not callable(metric) and metric not in METRICS:
            raise ValueError(
                f"metric is {metric!r}: it must be one of {', '.join(METRICS)}, or a callable"
            )
        self.nodes = list(nodes)
        self.metric = metric
        self.routes: list[Route] = []
        self._place = {node: i for i, node in enumerate(self.nodes)}
        self._origins: dict[Name, dict[Node, None]] = {}
        self._metrics: dict[tuple[Node, Node], float] = {}
        for node in self.nodes:
            forwarder_of(node)

    def set_metric(self, a: Node, b: Node, value: float, back: float | None = None) -> None:
        """Set the metric from a node to a neighbour and back, the same when not given."""
        for start, end, cost in ((a, b, value), (b, a, value if back is None else back)):
            if not 0 <= cost < math.inf:
                raise ValueError(f"metric is {cost}: it must be a number from 0")
            self._metrics[start, end] = cost

    def use_topology(self, topology: Topology) -> None:
        """Take the metrics of a topology file."""
        for edge in topology.edges:
            a, b = topology.nodes[edge.a], topology.nodes[edge.b]
            self.set_metric(a, b, edge.metric, edge.reverse_metric)

    def add_origin(self, node: Node, *prefixes: Name | str) -> None:
        """Say that a node has the Data of prefixes; several nodes may have it."""
        if node not in self._place:
            raise ValueError(f"{node!r} is none of the nodes")
        for prefix in prefixes:
            self._origins.setdefault(Name(prefix), {})[node] = None

    def add_producers(self) -> None:
        """Take the prefixes of all `Producer`s on the nodes."""
        for node in self.nodes:
            for application in node.applications:
                if isinstance(application, Producer):
                    self.add_origin(node, application.prefix)

    def add_names(self) -> None:
        """Make each node the origin of its name, ``/<name>``, or of ``/<number>``."""
        for node in self.nodes:
            self.add_origin(node, Name().append(getattr(node, "name", str(node.id))))

    def calculate(self, paths: str = "shortest") -> list[Route]:
        """Install routes to all origins, in place of those of the last call.

        Parameters
        ----------
        paths
            ``"shortest"``: one next hop. ``"loop-free"``: every neighbour that is nearer to the
            origin than the node itself, so that no Interest can go in a circle. ``"all"``: every
            neighbour that has a path that does not come back; an Interest may meet a node twice
            and is recognised by its nonce.

        Returns
        -------
        list of Route
            Also in `routes`.
        """
        if paths not in PATHS:
            raise ValueError(f"paths is {paths!r}: it must be one of {', '.join(PATHS)}")
        self.withdraw()
        arcs = self._arcs()
        into: list[list[_Arc]] = [[] for _ in self.nodes]
        for leaving in arcs:
            for arc in leaving:
                into[arc.end].append(arc)
        trees: dict[Node, list[_Length]] = {}
        for prefix, origins in self._origins.items():
            for origin in origins:
                root = self._place[origin]
                if origin not in trees:
                    trees[origin] = _lengths(into, root)
                for start in range(len(self.nodes)):
                    if self.nodes[start] in origins:
                        continue
                    for length, face in _next_hops(
                        paths, arcs, into, start, root, trees[origin]
                    ):
                        self._install(self.nodes[start], prefix, face, length)
        return self.routes

    def withdraw(self) -> None:
        """Remove the routes of the last call of `calculate`."""
        for route in self.routes:
            forwarder_of(route.node).fib.remove(route.prefix, route.face)
        self.routes = []

    def _install(self, node: Node, prefix: Name, face: NetDeviceFace, length: _Length) -> None:
        cost = round(length[0] / 1000 if self.metric == "delay" else length[0])
        forwarder = forwarder_of(node)
        entry = forwarder.fib.exact(prefix)
        for hop in () if entry is None else entry.nexthops:
            # Another origin is nearer over the same face.
            if hop.face is face and hop.cost <= cost:
                return
        cost = min(cost, _MAX_COST)
        forwarder.add_route(prefix, face, cost)
        self.routes.append(Route(node, prefix, face, cost))

    def _arcs(self) -> list[list[_Arc]]:
        """Ways out of each node, by the number of the face and of the neighbour."""
        found: list[list[_Arc]] = []
        for start, node in enumerate(self.nodes):
            ways = []
            for face in device_faces(node):
                channel = getattr(face.device, "channel", None)
                if face.link_type == LinkType.AD_HOC or not getattr(channel, "up", True):
                    continue
                for neighbour in neighbours_of(face):
                    if neighbour in self._place:
                        cost = self._cost(face, node, neighbour)
                        ways.append(_Arc(face, start, self._place[neighbour], cost))
            found.append(ways)
        return found

    def _cost(self, face: NetDeviceFace, node: Node, neighbour: Node) -> float:
        if callable(self.metric):
            cost = self.metric(face)
            if not 0 <= cost < math.inf:
                raise ValueError(f"metric of {face!r} is {cost}: it must be a number from 0")
            return cost
        if self.metric == "delay":
            return float(getattr(getattr(face.device, "channel", None), "delay", 0))
        if self.metric == "metric":
            return self._metrics.get((node, neighbour), 1.0)
        return 1.0


def _lengths(into: list[list[_Arc]], root: int, without: int = -1) -> list[_Length]:
    """Length of the shortest path from each node to one, as if another were not there."""
    lengths = [_UNREACHABLE] * len(into)
    lengths[root] = (0.0, 0)
    heap: list[tuple[_Length, int]] = [((0.0, 0), root)]
    while heap:
        length, end = heappop(heap)
        if length > lengths[end]:
            continue
        for arc in into[end]:
            if arc.start == without:
                continue
            longer = (length[0] + arc.cost, length[1] + 1)
            if longer < lengths[arc.start]:
                lengths[arc.start] = longer
                heappush(heap, (longer, arc.start))
    return lengths


def _next_hops(
    paths: str,
    arcs: list[list[_Arc]],
    into: list[list[_Arc]],
    start: int,
    root: int,
    lengths: list[_Length],
) -> list[tuple[_Length, NetDeviceFace]]:
    """Next hops of a node, the nearest first, each face once."""
    if paths == "all":
        lengths = _lengths(into, root, without=start)
    best: dict[NetDeviceFace, _Length] = {}
    for arc in arcs[start]:
        rest = lengths[arc.end]
        if rest == _UNREACHABLE or (paths == "loop-free" and rest >= lengths[start]):
            continue
        length = (rest[0] + arc.cost, rest[1] + 1)
        if arc.face not in best or length < best[arc.face]:
            best[arc.face] = length
    found = sorted(((length, face) for face, length in best.items()), key=_by_length)
    return found[:1] if paths == "shortest" else found


def _by_length(hop: tuple[_Length, NetDeviceFace]) -> tuple[_Length, int]:
    return hop[0], hop[1].id
