"""Topologies read from files: ndnSIM's annotated format, and Rocketfuel's weights."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from simcore.models.network.error_model import RateErrorModel
from simcore.models.network.node import Node
from simcore.models.network.point_to_point import PointToPointLink
from simcore.simulator import Simulator
from simcore.units import parse_rate, parse_time

DEFAULT_QUEUE = 100


class TopologyError(ValueError):
    """A topology file that does not serve; the message names the file and the line.

    Attributes
    ----------
    path
        The file.
    line
        Number of the line, from 1.
    """

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}, line {line}: {message}")
        self.path = path
        self.line = line


@dataclass(frozen=True)
class Router:
    """A node of a topology file.

    Attributes
    ----------
    name, comment
        The comment is often a city, ``NA`` for none.
    x, y
        Coordinates on a map, of any unit.
    partition
        Which process simulates the node, where a run has several.
    """

    name: str
    comment: str = "NA"
    x: float = 0.0
    y: float = 0.0
    partition: int = 0


@dataclass(frozen=True)
class Edge:
    """A link of a topology file.

    Attributes
    ----------
    a, b
        Names of the ends.
    data_rate
        bit/s.
    metric, reverse_metric
        Cost of sending from ``a`` to ``b``, and back.
    delay
        Propagation, ns.
    queue_packets
        Room in each end's queue.
    loss
        Probability that a packet is lost.
    """

    a: str
    b: str
    data_rate: float
    metric: float = 1.0
    delay: int = 0
    queue_packets: int = DEFAULT_QUEUE
    loss: float = 0.0
    reverse_metric: float = field(default=math.nan)

    def __post_init__(self) -> None:
        if math.isnan(self.reverse_metric):
            object.__setattr__(self, "reverse_metric", self.metric)


@dataclass(frozen=True)
class Topology:
    """Nodes and links that a topology file made.

    Attributes
    ----------
    nodes
        By name, in the order of the file; each has a ``name`` as well.
    links
        In the order of the file.
    edges
        What the file says about each link, in the same order.
    routers
        What it says about each node, by name.
    """

    nodes: dict[str, Node]
    links: list[PointToPointLink]
    edges: list[Edge]
    routers: dict[str, Router]

    def link(self, a: str, b: str) -> PointToPointLink:
        """Return the link between two nodes.

        Raises
        ------
        ValueError
            If there is none.
        """
        for edge, link in zip(self.edges, self.links, strict=True):
            if {edge.a, edge.b} == {a, b}:
                return link
        raise ValueError(f"there is no link between {a!r} and {b!r}")


@dataclass(frozen=True)
class TopologyFile:
    """What a topology file says.

    Attributes
    ----------
    routers, edges
        In the order of the file.
    """

    routers: list[Router]
    edges: list[Edge]

    def build(self, sim: Simulator) -> Topology:
        """Make the nodes and the point-to-point links."""
        nodes: dict[str, Node] = {}
        for router in self.routers:
            node = Node(sim)
            vars(node)["name"] = router.name
            nodes[router.name] = node
        links = []
        for edge in self.edges:
            a, b = nodes[edge.a], nodes[edge.b]
            link = PointToPointLink(a, b, edge.data_rate, edge.delay, edge.queue_packets)
            if edge.loss:
                for device in link.devices:
                    device.error_model = RateErrorModel(
                        edge.loss,
                        "packet",
                        stream=sim.random.stream(f"topology/{device.node.id}/{device.index}"),
                    )
            links.append(link)
        return Topology(nodes, links, self.edges, {router.name: router for router in self.routers})


def read_topology(path: str | os.PathLike[str]) -> TopologyFile:
    """Read a topology in ndnSIM's annotated format.

    After a line ``router`` come lines ``name comment y x [partition]``; after a line ``link`` come
    lines ``from to bandwidth metric [delay [queue [loss]]]``, such as
    ``a b 10Mbps 1 5ms 20``. Text after ``#`` is a comment.

    Raises
    ------
    OSError
        If the file cannot be read.
    TopologyError
        If a line is wrong: a column is missing or malformed, a name is unknown or used twice.
    """
    return parse_topology(_text(path), os.fsdecode(path))


def parse_topology(text: str, name: str = "topology") -> TopologyFile:
    """Read a topology from a text in ndnSIM's annotated format; see `read_topology`.

    Parameters
    ----------
    text
        Lines of the format.
    name
        What error messages call it.

    Raises
    ------
    TopologyError
        If a line is wrong.
    """
    routers: dict[str, Router] = {}
    edges: dict[frozenset[str], Edge] = {}
    section = ""
    for number, words in _lines(text):
        if words[0] in ("router", "link") and len(words) == 1:
            section = words[0]
        elif section == "router":
            router = _router(name, number, words)
            if router.name in routers:
                raise TopologyError(name, number, f"router {router.name!r} is there already")
            routers[router.name] = router
        elif section == "link":
            edge = _edge(name, number, words, routers)
            ends = frozenset((edge.a, edge.b))
            if ends in edges:
                raise TopologyError(
                    name, number, f"{edge.a!r} and {edge.b!r} have a link already"
                )
            edges[ends] = edge
        else:
            raise TopologyError(
                name, number, f"{words[0]!r} comes before a line 'router' or 'link'"
            )
    return TopologyFile(list(routers.values()), list(edges.values()))


def read_rocketfuel_weights(
    path: str | os.PathLike[str],
    *,
    data_rate: str | float = "100Mbps",
    delay_per_weight: str | int = "1ms",
    queue_packets: int = DEFAULT_QUEUE,
) -> TopologyFile:
    """Read the weights that Rocketfuel inferred: lines ``from to weight``, both ways of a link.

    Parameters
    ----------
    path
        Names must have no blanks.
    data_rate
        Of all links, which the file does not say.
    delay_per_weight
        The delay of a link is so many times its weight.
    queue_packets
        Room in each queue.

    Raises
    ------
    OSError
        If the file cannot be read.
    TopologyError
        If a line is wrong.
    """
    name = os.fsdecode(path)
    rate = parse_rate(data_rate, "data_rate")
    unit = parse_time(delay_per_weight, "ns", "delay_per_weight")
    routers: dict[str, Router] = {}
    weights: dict[tuple[str, str], float] = {}
    for number, words in _lines(_text(path)):
        if len(words) != 3:
            raise TopologyError(
                name, number, f"{len(words)} columns: there must be from, to and weight"
            )
        a, b, text = words
        if a == b:
            raise TopologyError(name, number, f"{a!r} has a link to itself")
        if (a, b) in weights:
            raise TopologyError(name, number, f"{a!r} to {b!r} is there already")
        weights[a, b] = _number(name, number, "weight", text, least=0)
        for end in (a, b):
            routers.setdefault(end, Router(end))
    edges: dict[frozenset[str], Edge] = {}
    for (a, b), weight in weights.items():
        pair = frozenset((a, b))
        if pair not in edges:
            back = weights.get((b, a), weight)
            delay = round(unit * weight)
            edges[pair] = Edge(a, b, rate, weight, delay, queue_packets, reverse_metric=back)
    return TopologyFile(list(routers.values()), list(edges.values()))


def _text(path: str | os.PathLike[str]) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        number = error.object[: error.start].count(b"\n") + 1
        raise TopologyError(os.fsdecode(path), number, "it is no UTF-8 text") from None


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        words = line.partition("#")[0].split()
        if words:
            yield number, words


def _number(
    path: str, line: int, column: str, text: str, *, least: float = -math.inf
) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < least:
        right = "a number" if least == -math.inf else f"a number from {least:g}"
        raise TopologyError(path, line, f"{column} is {text!r}: it must be {right}")
    return value


def _count(path: str, line: int, column: str, text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit()) or not least <= int(text) < 1 << 31:
        raise TopologyError(
            path, line, f"{column} is {text!r}: it must be a whole number from {least}"
        )
    return int(text)


def _router(path: str, line: int, words: list[str]) -> Router:
    if len(words) not in (1, 4, 5):
        raise TopologyError(
            path,
            line,
            f"router {words[0]!r} has {len(words)} columns: there must be name, comment, y, x "
            "and perhaps the partition",
        )
    if len(words) == 1:
        return Router(words[0])
    return Router(
        words[0],
        words[1],
        _number(path, line, "x", words[3]),
        _number(path, line, "y", words[2]),
        _count(path, line, "partition", words[4], 0) if len(words) == 5 else 0,
    )


def _edge(path: str, line: int, words: list[str], routers: dict[str, Router]) -> Edge:
    if not 4 <= len(words) <= 7:
        raise TopologyError(
            path,
            line,
            f"link has {len(words)} columns: there must be from, to, bandwidth, metric, and "
            "perhaps delay, queue and loss",
        )
    for end in words[:2]:
        if end not in routers:
            raise TopologyError(path, line, f"there is no router {end!r}")
    if words[0] == words[1]:
        raise TopologyError(path, line, f"{words[0]!r} has a link to itself")
    try:
        rate = parse_rate(words[2], "bandwidth")
        delay = parse_time(words[4], "ns", "delay") if len(words) > 4 else 0
    except (ValueError, OverflowError) as error:
        raise TopologyError(path, line, str(error)) from None
    if not 1 <= rate < math.inf:
        raise TopologyError(
            path, line, f"bandwidth is {words[2]!r}: it must be 1 bit/s or more"
        )
    if delay < 0:
        raise TopologyError(path, line, f"delay is {words[4]!r}: it must not be negative")
    queue = words[5].removesuffix("p") if len(words) > 5 else str(DEFAULT_QUEUE)
    loss = _number(path, line, "loss", words[6], least=0) if len(words) > 6 else 0.0
    if loss > 1:
        raise TopologyError(path, line, f"loss is {words[6]!r}: it must be 0 to 1")
    return Edge(
        words[0],
        words[1],
        rate,
        _number(path, line, "metric", words[3], least=0),
        delay,
        _count(path, line, "queue", queue, 1),
        loss,
    )
