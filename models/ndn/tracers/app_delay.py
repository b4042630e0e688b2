"""Delays that consumers see."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

from simcore.models.ndn.apps.consumer import Consumer
from simcore.models.ndn.tracers.rows import Rows, node_name
from simcore.models.network.node import Node
from simcore.units import to_seconds


class AppDelayTracer(Rows):
    """Two rows for each Data that a consumer waited for, ndnSIM's AppDelayTracer.

    ``LastDelay`` counts from the last sending of the Interest, ``FullDelay`` from the first;
    ``RetxCount`` is the number of sendings, ``HopCount`` that of links that the Data crossed since
    its producer, where the faces count them (``hop_counts``).

    Parameters
    ----------
    sources
        Consumers, or nodes, for the consumers that are on them now.
    path, keep
        See `Rows`.

    Raises
    ------
    ValueError
        If there is no consumer.
    """

    columns = (
        "Time", "Node", "AppId", "SeqNo", "Type", "DelayS", "DelayUS", "RetxCount", "HopCount",
    )  # fmt: skip
    types: ClassVar[dict[str, str]] = {
        "Time": "float64", "AppId": "int64", "SeqNo": "int64", "DelayS": "float64",
        "DelayUS": "float64", "RetxCount": "int64", "HopCount": "int64",
    }  # fmt: skip

    def __init__(
        self,
        sources: Iterable[Node | Consumer],
        path: str | os.PathLike[str] | None = None,
        *,
        keep: bool = True,
    ) -> None:
        consumers: list[Consumer] = []
        for source in sources:
            if isinstance(source, Consumer):
                consumers.append(source)
            else:
                consumers += [app for app in source.applications if isinstance(app, Consumer)]
        if not consumers:
            raise ValueError("there is no consumer to trace: make the applications first")
        super().__init__(consumers[0].node.sim, path, keep)
        for consumer in consumers:
            consumer.trace.data.connect(
                partial(self._data_came, node_name(consumer.node), consumer.index)
            )

    def _data_came(
        self, node: str, app: int, sequence: int, delays: tuple[int, int, int, int], data: Any
    ) -> None:
        last, full, transmissions, hops = delays
        now = to_seconds(self.sim.now())
        for kind, delay in (("LastDelay", last), ("FullDelay", full)):
            self.add(
                now, node, app, sequence, kind, to_seconds(delay), delay / 1000, transmissions, hops
            )
