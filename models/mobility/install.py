"""Giving movement to many nodes at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from simcore.models.mobility.allocators import PositionAllocator
from simcore.models.mobility.mobility import MobilityModel, movement_stream


def install(
    nodes: Iterable[Any],
    model: Callable[..., MobilityModel],
    positions: PositionAllocator | None = None,
    **parameters: Any,
) -> list[MobilityModel]:
    """Give each node a movement model of its own.

    Parameters
    ----------
    nodes : iterable of Node
    model : callable
        A model class, or anything that is called as ``model(node, position, **parameters)`` and
        makes one; without `positions`, as ``model(node, **parameters)``.
    positions : PositionAllocator, optional
        Gives the start of each node, in the order of the nodes; random ones draw from the stream
        ``"mobility/ID"`` of each node, so that a further node does not move the others.
    **parameters
        Handed on to `model`.

    Returns
    -------
    list of MobilityModel
        By node.

    Examples
    --------
    >>> install(nodes, ConstantPosition, Grid(delta_x=50, delta_y=50, width=7))  # doctest: +SKIP
    >>> install(
    ...     nodes,
    ...     RandomWaypoint,
    ...     waypoints=RandomRectangle("uniform(0, 300)", "uniform(0, 1500)"),
    ...     speed="uniform(0, 20)",
    ... )  # doctest: +SKIP
    """
    models = []
    for node in nodes:
        if positions is None:
            made = model(node, **parameters)
        else:
            position = positions.drawn_from(movement_stream(node)).next()
            made = model(node, position, **parameters)
        if not isinstance(made, MobilityModel):
            raise TypeError(f"model made {made!r}: it must make a MobilityModel")
        node.mobility = made
        models.append(made)
    return models
