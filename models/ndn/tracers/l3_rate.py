"""Packets and bytes that cross faces, and what became of Interests."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import ClassVar

from simcore.models.ndn.face import Face
from simcore.models.ndn.forwarder import Forwarder
from simcore.models.ndn.stack import forwarder_of
from simcore.models.ndn.tracers.fates import FaceFates
from simcore.models.ndn.tracers.rows import PeriodicRows, Rate, node_name
from simcore.models.network.node import Node
from simcore.units import to_seconds

# Types of rows, and what counts them.
PACKETS = {
    "InInterests": ("in_interests", "in_interest_bytes"),
    "OutInterests": ("out_interests", "out_interest_bytes"),
    "InData": ("in_data", "in_data_bytes"),
    "OutData": ("out_data", "out_data_bytes"),
    "InNacks": ("in_nacks", "in_nack_bytes"),
    "OutNacks": ("out_nacks", "out_nack_bytes"),
}
FATES = (
    "InSatisfiedInterests",
    "InTimedOutInterests",
    "OutSatisfiedInterests",
    "OutTimedOutInterests",
)


class _Totals:
    """Counts of a face or a node at the end of the last period, and their rates."""

    def __init__(self, count: int) -> None:
        self.last: list[int] = [0] * (2 * count)
        self.rates = [Rate() for _ in range(count)]


class L3RateTracer(PeriodicRows):
    """What crossed each face in each period, ndnSIM's L3RateTracer.

    ``Packets`` and ``Kilobytes`` are smoothed rates per second, ``PacketRaw`` and
    ``KilobytesRaw`` what the period had; Interests and Data have the size of their wire format.
    Faces appear with their first packet. ``SatisfiedInterests`` and ``TimedOutInterests`` of the
    whole node have the face -1, ``all``.

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

    columns = (
        "Time", "Node", "FaceId", "FaceDescr", "Type", "Packets", "Kilobytes", "PacketRaw",
        "KilobytesRaw",
    )  # fmt: skip
    types: ClassVar[dict[str, str]] = {
        "Time": "float64", "FaceId": "int64", "Packets": "float64", "Kilobytes": "float64",
        "PacketRaw": "int64", "KilobytesRaw": "float64",
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
        self._nodes = [_NodeTotals(node_name(node), forwarder_of(node)) for node in nodes]
        super().__init__(nodes[0].sim, path, keep, period)

    def sample(self) -> None:
        """Add the rows of the period that ends now."""
        now = to_seconds(self.sim.now())
        period = to_seconds(self.period)
        for node in self._nodes:
            for face, totals in node.faces():
                row = (now, node.name, face.id, face.description)
                counts = _counts(face)
                for fate in node.fates.of(face):
                    counts += (fate, 0)
                self._rates((*PACKETS, *FATES), row, counts, totals, period)
            counters = node.forwarder.counters
            self._rates(
                ("SatisfiedInterests", "TimedOutInterests"),
                (now, node.name, -1, "all"),
                [counters.satisfied, 0, counters.unsatisfied, 0],
                node.totals,
                period,
            )

    def _rates(
        self,
        types: Iterable[str],
        row: tuple[float, str, int, str],
        counts: list[int],
        totals: _Totals,
        period: float,
    ) -> None:
        for i, kind in enumerate(types):
            count = counts[2 * i] - totals.last[2 * i]
            size = counts[2 * i + 1] - totals.last[2 * i + 1]
            self.add(*row, kind, *totals.rates[i].close_period(count, size, period))
        totals.last = counts


def _counts(face: Face) -> list[int]:
    """Packets and bytes of each kind."""
    return [getattr(face.counters, name) for names in PACKETS.values() for name in names]


class _NodeTotals:
    """A node's faces, and the counts of the last period."""

    def __init__(self, name: str, forwarder: Forwarder) -> None:
        self.name = name
        self.forwarder = forwarder
        self.fates = FaceFates()
        forwarder.trace.satisfied.connect(self.fates)
        forwarder.trace.timed_out.connect(self.fates)
        self.totals = _Totals(2)
        self.totals.last = [forwarder.counters.satisfied, 0, forwarder.counters.unsatisfied, 0]
        self._known: dict[int, tuple[Face, _Totals]] = {}
        forwarder.face_listeners.append(self._face_changed)
        for face in forwarder.faces.values():
            self._add(face)

    def _face_changed(self, face: Face, added: bool) -> None:
        if added:
            self._add(face)

    def _add(self, face: Face) -> None:
        totals = _Totals(len(PACKETS) + len(FATES))
        totals.last = _counts(face) + [0] * (2 * len(FATES))
        self._known[face.id] = (face, totals)

    def faces(self) -> list[tuple[Face, _Totals]]:
        """Faces that ever had a packet; those that were closed go on with what they had."""
        return [
            (face, totals)
            for _, (face, totals) in sorted(self._known.items())
            if any(getattr(face.counters, packets) for packets, _ in PACKETS.values())
        ]
