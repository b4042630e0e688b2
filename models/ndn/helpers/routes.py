"""Routes, strategies and regions by nodes instead of forwarders and faces."""

from __future__ import annotations

from collections.abc import Iterable

from simcore.models.ndn.face import Face
from simcore.models.ndn.forwarder import Strategy
from simcore.models.ndn.name import Name
from simcore.models.ndn.stack import face_towards, forwarder_of
from simcore.models.network.node import Node


def _several(nodes: Node | Iterable[Node]) -> Iterable[Node]:
    return [nodes] if isinstance(nodes, Node) else nodes


def _face(node: Node, via: Node | Face) -> Face:
    return face_towards(node, via) if isinstance(via, Node) else via


def add_route(node: Node, prefix: Name | str, via: Node | Face, cost: int = 0) -> None:
    """Have a node send Interests for a prefix to a neighbour.

    Parameters
    ----------
    node
        With NDN.
    prefix
        Of names.
    via
        The neighbour, or a face of the node.
    cost
        A lower one is preferred; a route that is there already gets it.

    Raises
    ------
    ValueError
        If the neighbour is none, or the face another node's.
    """
    forwarder_of(node).add_route(prefix, _face(node, via), cost)


def remove_route(node: Node, prefix: Name | str, via: Node | Face) -> bool:
    """Remove a route; False when it is not there."""
    found = forwarder_of(node).fib.remove(prefix, _face(node, via))
    return found != "NO_SUCH_NEXTHOP"


def choose_strategy(
    nodes: Node | Iterable[Node], prefix: Name | str, strategy: str | Name | type[Strategy]
) -> None:
    """Choose the strategy of a prefix on nodes, each of which gets an instance of its own.

    Raises
    ------
    ValueError
        If the strategy is unknown, or one instance is given.
    """
    if isinstance(strategy, Strategy):
        raise ValueError(f"strategy is {strategy!r}: give its name or its class, not one instance")
    for node in _several(nodes):
        forwarder_of(node).strategy_choice.set(prefix, strategy)


def set_regions(nodes: Node | Iterable[Node], names: Iterable[Name | str]) -> None:
    """Say which regions nodes are in: delegations of forwarding hints that end there."""
    names = list(names)
    for node in _several(nodes):
        for name in names:
            forwarder_of(node).network_region.add(name)
