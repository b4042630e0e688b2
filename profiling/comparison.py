"""Rows of the table that `make bench` prints: ours, the peer's, the ratio and its limit.

Ours and the peer run in turn, in the same minute, and each pair gives one ratio; the row holds the
median of the ratios. What else runs on the machine slows both of a pair alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

#: Preparation, what is timed (it is handed what the preparation returned), units of work in it.
Workload = tuple[Callable[[], Any], Callable[[Any], object], int]

PROPERTY = "comparison"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    what
        What is measured.
    ours
        Our cost in `unit`, or None when it could not be measured.
    peer_name, peer
        Who is compared, and its cost. The peer of a row with an absolute limit is empty.
    unit
        Unit of both costs; ``"s"`` is printed in what fits.
    ratio
        Ours / peer, or peer / ours when `faster`.
    faster
        Whether the ratio tells how many times faster ours is.
    limit
        The limit as text, for instance ``<= 1.4``.
    held
        Whether the limit holds; None without one, or when there was nothing to compare.
    note
        Why there is no figure, or what one has to know to read it.
    """

    what: str
    ours: float | None = None
    peer_name: str = ""
    peer: float | None = None
    unit: str = "s"
    ratio: float | None = None
    faster: bool = False
    limit: str = ""
    held: bool | None = None
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return asdict(self)

    def cells(self) -> tuple[str, ...]:
        """Return what, ours, the peer's name and figure, ratio, limit, verdict, note."""
        ratio = ""
        if self.ratio is not None:
            ratio = factor(self.ratio) if self.faster else f"{self.ratio:.3g}"
        verdict = {True: "holds", False: "MISSED", None: ""}[self.held]
        return (
            self.what,
            quantity(self.ours, self.unit),
            self.peer_name,
            quantity(self.peer, self.unit),
            ratio,
            self.limit,
            verdict,
            self.note,
        )


HEADINGS = ("what", "ours", "peer", "theirs", "ratio", "limit", "", "")


def quantity(value: float | None, unit: str) -> str:
    """Return a figure with three significant digits and its unit; seconds as ns, us, ms or s."""
    if value is None:
        return "-"
    if unit != "s":
        return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if abs(value) >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value * 1e9:.3g} ns"


def factor(ratio: float) -> str:
    """Return how many times faster, or slower, as text with two or three digits."""
    word = "faster" if ratio >= 1 else "slower"
    value = max(ratio, 1 / ratio)
    return f"{value:,.0f}x {word}" if value >= 100 else f"{value:.1f}x {word}"


def judge(
    what: str,
    pairs: Sequence[tuple[float, float]],
    peer_name: str,
    *,
    unit: str = "s",
    at_most: float | None = None,
    at_least: float | None = None,
    note: str = "",
) -> Row:
    """Make a row from pairs of (our cost, the peer's cost).

    Parameters
    ----------
    at_most
        Limit of ours / peer.
    at_least
        Limit of peer / ours. Without either limit the row tells how many times faster ours is.

    Raises
    ------
    ValueError
        If both limits are given, or no pairs.
    """
    if at_most is not None and at_least is not None:
        raise ValueError("one limit: at_most or at_least")
    if not pairs:
        raise ValueError(f"{what}: nothing was measured")
    ours = statistics.median(a for a, _ in pairs)
    peer = statistics.median(b for _, b in pairs)
    if at_most is not None:
        ratio = statistics.median(a / b for a, b in pairs)
        limit, held = f"<= {at_most:g}", ratio <= at_most
    else:
        ratio = statistics.median(b / a for a, b in pairs)
        limit = "" if at_least is None else f">= {at_least:g}x"
        held = None if at_least is None else ratio >= at_least
    return Row(what, ours, peer_name, peer, unit, ratio, at_most is None, limit, held, note)


def judge_alone(what: str, ours: float, at_most: float, *, unit: str = "s", note: str = "") -> Row:
    """Make a row whose limit is a figure, not a ratio."""
    return Row(
        what, ours, unit=unit, limit=f"<= {quantity(at_most, unit)}", held=ours <= at_most,
        note=note,
    )


def cpu_time(workload: Workload) -> float:
    """Return the CPU time of one unit of work, in seconds; the preparation is not counted."""
    prepare, work, units = workload
    subject = prepare()
    started = time.process_time()
    work(subject)
    return (time.process_time() - started) / units


def in_turn(
    ours: Callable[[], float], peer: Callable[[], float], pairs: int
) -> list[tuple[float, float]]:
    """Measure ours and the peer one after the other, so many times."""
    return [(ours(), peer()) for _ in range(pairs)]


def lines_of(rows: Iterable[Row]) -> list[str]:
    """Return the table as lines of text."""
    table = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEADINGS))]
    right = {1, 3, 4}
    return [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    ]
