"""Packets that queues of devices drop."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from simcore.models.ndn.tracers.rows import PeriodicRows, Rate, node_name
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.units import to_seconds


class L2RateTracer(PeriodicRows):
    """Drops of all queues of a node in each period, ndnSIM's L2RateTracer.

    Devices count that have a queue with a trace source ``drop``, as those of point-to-point links.
    ``Packets`` and ``Kilobytes`` are smoothed rates per second, ``PacketsRaw`` and ``KilobytesRaw``
    what the period had.

    Parameters
    ----------
    nodes
        With their devices.
    path, keep
        See `Rows`.
    period
        Time between two rows.

    Raises
    ------
    ValueError
        If there are no nodes.
    """

    columns = (
        "Time", "Node", "Interface", "Type", "Packets", "Kilobytes", "PacketsRaw", "KilobytesRaw",
    )  # fmt: skip
    types: ClassVar[dict[str, str]] = {
        "Time": "float64", "Packets": "float64", "Kilobytes": "float64", "PacketsRaw": "int64",
        "KilobytesRaw": "float64",
    }  # fmt: skip

    def __init__(
        self,
        nodes: Iterable[Node],
        path: str | os.PathLike[str] | None = None,
        *,
        period: int | str = "1s",
        keep: bool = True,
    ) -> None:
        nodes = list(nodes)
        if not nodes:
            raise ValueError("there are no nodes to trace")
        self._drops = [(node_name(node), Rate()) for node in nodes]
        super().__init__(nodes[0].sim, path, keep, period)
        for node, (_, rate) in zip(nodes, self._drops, strict=True):
            for device in node.devices:
                sources = getattr(getattr(device, "queue", None), "trace", None)
                if sources is not None and "drop" in sources:
                    sources.drop.connect(partial(_count, rate))

    def sample(self) -> None:
        """Add the rows of the period that ends now."""
        now = to_seconds(self.sim.now())
        for name, rate in self._drops:
            values = rate.close_period(rate.count, rate.size, to_seconds(self.period))
            rate.count = rate.size = 0
            self.add(now, name, "combined", "Drop", *values)


def _count(rate: Rate, packet: Packet) -> None:
    rate.count += 1
    rate.size += packet.size
