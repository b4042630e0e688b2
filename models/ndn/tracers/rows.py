"""What the tracers have in common: rows with columns, as text and as an Arrow table."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, ClassVar

from simcore.models.network.node import Node
from simcore.simulator import Simulator
from simcore.trace.block_writer import BlockWriter
from simcore.units import parse_time

# Weight of the latest period in a rate, as in ndnSIM's tracers; it starts from 0.
ALPHA = 0.8


def node_name(node: Node) -> str:
    """Name of a node in tables: its ``name`` if it has one, else its number."""
    return str(getattr(node, "name", node.id))


class Rows:
    """Rows of a tracer.

    Parameters
    ----------
    sim
        Simulator.
    path
        Where the rows go as text, as they come; nowhere when not given.
    keep
        Whether they are kept in memory, for `table` and `text`.
    """

    columns: ClassVar[tuple[str, ...]]
    # Of those columns that hold no text.
    types: ClassVar[dict[str, str]]

    def __init__(
        self, sim: Simulator, path: str | os.PathLike[str] | None = None, keep: bool = True
    ) -> None:
        self.sim = sim
        self.keep = keep
        self.rows: list[tuple[Any, ...]] = []
        self._writer: BlockWriter | None = None
        if path is not None:
            self._writer = BlockWriter(path, checksum=None)
            self._writer.write_bytes(("\t".join(self.columns) + "\n").encode())
            sim.add_flusher(self._writer)

    def add(self, *values: Any) -> None:
        """Add a row."""
        if self.keep:
            self.rows.append(values)
        if self._writer is not None:
            self._writer.write_bytes(line(values).encode())

    def text(self) -> str:
        """Return the rows as ndnSIM writes them: a header, then tab-separated values."""
        return "\t".join(self.columns) + "\n" + "".join(line(values) for values in self.rows)

    def table(self) -> Any:
        """Return the rows as a ``pyarrow.Table``; times are exact doubles in seconds."""
        import pyarrow as pa

        values = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        return pa.table(
            {
                name: pa.array(column, pa.type_for_alias(self.types.get(name, "string")))
                for name, column in zip(self.columns, values, strict=True)
            }
        )

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self.sim.remove_flusher(self._writer)
            self._writer.close()
            self._writer = None


def line(values: Iterable[Any]) -> str:
    """Row as text: numbers have six significant digits at most, as C++ streams print them."""
    return (
        "\t".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
        + "\n"
    )


class PeriodicRows(Rows):
    """Rows that come once a period, from now on until `stop`.

    A simulation with such a tracer always has an event left: give `Simulator.run` an end.
    """

    def __init__(
        self,
        sim: Simulator,
        path: str | os.PathLike[str] | None,
        keep: bool,
        period: int | str,
    ) -> None:
        self.period = parse_time(period, "ns", "period")
        if self.period <= 0:
            raise ValueError(f"period is {period!r}: it must be positive")
        super().__init__(sim, path, keep)
        self._event = sim.schedule(self.period, self._sample)

    def sample(self) -> None:
        """Add the rows of the period that ends now."""
        raise NotImplementedError(f"{type(self).__name__} has no sample()")

    def _sample(self) -> None:
        # First: what raises ends the run, and a further run goes on.
        self._event = self.sim.schedule(self.period, self._sample)
        self.sample()

    def stop(self) -> None:
        """Add no more rows."""
        self._event.cancel()


class Rate:
    """Events and bytes of one kind: how many in the period, and their smoothed rate."""

    __slots__ = ("bytes_per_second", "count", "per_second", "size")

    def __init__(self) -> None:
        self.count = 0
        self.size = 0
        self.per_second = 0.0
        self.bytes_per_second = 0.0

    def close_period(
        self, count: int, size: int, seconds: float
    ) -> tuple[float, float, int, float]:
        """Return packets and kilobytes per second, smoothed, and those of the period."""
        self.per_second = ALPHA * count / seconds + (1 - ALPHA) * self.per_second
        self.bytes_per_second = ALPHA * size / seconds + (1 - ALPHA) * self.bytes_per_second
        return self.per_second, self.bytes_per_second / 1024, count, size / 1024
