"""Links that break and come back."""

from __future__ import annotations

from simcore.models.network.node import Node
from simcore.models.network.point_to_point import PointToPointDevice, PointToPointLink


def link_between(a: Node, b: Node) -> PointToPointLink:
    """Return the point-to-point link between two nodes, the first of several.

    Raises
    ------
    ValueError
        If there is none.
    """
    for device in a.devices:
        if isinstance(device, PointToPointDevice) and device.peer.node is b:
            return device.channel
    raise ValueError(f"there is no point-to-point link between {a!r} and {b!r}")


def fail_link(a: Node, b: Node) -> None:
    """Break the link between two nodes: what is sent is lost, what is under way arrives.

    For a time to come: ``sim.schedule_at(seconds(10), fail_link, a, b)``.
    """
    link_between(a, b).up = False


def restore_link(a: Node, b: Node) -> None:
    """Mend the link between two nodes."""
    link_between(a, b).up = True
