"""Putting DSR on many nodes at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from simcore.models.dsr.dsr import Dsr
from simcore.models.dsr.parameters import DsrParameters
from simcore.models.internet import Interface
from simcore.models.network import Node


def install_dsr(interfaces: Iterable[Interface], **parameters: Any) -> list[Dsr]:
    """Run DSR on interfaces; those of one node share its DSR (RFC 4728 8.4).

    Parameters
    ----------
    interfaces : iterable of Interface
        With addresses, as `AddressAllocator.assign` returns them.
    **parameters
        Fields of `DsrParameters`, the same for all.

    Returns
    -------
    list of Dsr
        One for each node, in the order of their first interfaces; also `node.dsr`.

    Raises
    ------
    ValueError
        If a parameter is wrong, or a node has DSR already.
    """
    shared = DsrParameters(**parameters)
    by_node: dict[Node, list[Interface]] = {}
    for interface in interfaces:
        by_node.setdefault(interface.stack.node, []).append(interface)
    return [Dsr(first, shared, others=others) for first, *others in by_node.values()]
