"""Putting DSR on many nodes at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from simcore.models.dsr.dsr import Dsr
from simcore.models.dsr.parameters import DsrParameters
from simcore.models.internet import Interface


def install_dsr(interfaces: Iterable[Interface], **parameters: Any) -> list[Dsr]:
    """Run DSR on interfaces, one of each node.

    Parameters
    ----------
    interfaces : iterable of Interface
        With addresses, as `AddressAllocator.assign` returns them.
    **parameters
        Fields of `DsrParameters`, the same for all.

    Returns
    -------
    list of Dsr
        In the order of the interfaces; also `node.dsr`.

    Raises
    ------
    ValueError
        If a parameter is wrong, or a node has DSR already.
    """
    shared = DsrParameters(**parameters)
    return [Dsr(interface, shared) for interface in interfaces]
