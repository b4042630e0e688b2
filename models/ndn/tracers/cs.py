"""Hits and misses of caches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import ClassVar

from simcore.models.ndn.stack import forwarder_of
from simcore.models.ndn.tracers.rows import PeriodicRows, node_name
from simcore.models.network.node import Node
from simcore.units import to_seconds


class CsTracer(PeriodicRows):
    """Cache hits and misses of each node in each period, ndnSIM's CsTracer.

    Parameters
    ----------
    nodes
        With NDN.
    path, keep
        See `Rows`.
    period
        Time between two rows.

    Raises
    ------
    ValueError
        If there are no nodes, or one has no NDN.
    """

    columns = ("Time", "Node", "Type", "Packets")
    types: ClassVar[dict[str, str]] = {"Time": "float64", "Packets": "int64"}

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
        self._nodes = [(node_name(node), forwarder_of(node).counters) for node in nodes]
        self._last = [(counters.cs_hits, counters.cs_misses) for _, counters in self._nodes]
        super().__init__(nodes[0].sim, path, keep, period)

    def sample(self) -> None:
        """Add the rows of the period that ends now."""
        now = to_seconds(self.sim.now())
        for i, (name, counters) in enumerate(self._nodes):
            hits, misses = self._last[i]
            self._last[i] = (counters.cs_hits, counters.cs_misses)
            self.add(now, name, "CacheHits", counters.cs_hits - hits)
            self.add(now, name, "CacheMisses", counters.cs_misses - misses)
