"""The twelve published rates of NFD, and the search for what the model bears."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: "Loss below the threshold about 0.02 %" in the reports.
MAX_LOSS = 0.0002
#: The search ends when the bounds are this close.
RESOLUTION = 0.005
#: Interests of a trial. A queue of 277 packets overflows within them at 0.5 % overload.
TRIAL_INTERESTS = 60_000
FIRST_RATE = 500.0
#: Parts of the rate found at which latency is measured. With the whole of it a queue may be on its
#: way to overflow.
LOW_LOAD = 0.1
HIGH_LOAD = 0.98
LATENCY_INTERESTS = 2_000


@dataclass(frozen=True)
class Cell:
    """One cell of the published table.

    Attributes
    ----------
    report
        Version of NFD.
    label
        The report's word for the names.
    model, names, content, pairs
        Parameters of the scenario.
    rate
        Interests/s.
    latency_ms
        As published; a range where the report gives one.
    """

    report: str
    label: str
    model: str
    names: str
    content: bool
    pairs: int
    rate: float
    latency_ms: tuple[float, float] | None = None


# "Performance evaluation of NFD" on the ONL testbed, first report (128 pairs) and second (0.2, 64).
CELLS = (
    Cell("0.1", "short", "nfd-0.1", "short", True, 128, 4_800, (0.20, 0.20)),
    Cell("0.1", "medium", "nfd-0.1", "medium", True, 128, 3_500, (0.25, 0.25)),
    Cell("0.1", "long", "nfd-0.1", "long", True, 128, 1_100, (0.6, 1.0)),
    Cell("0.1", "short", "nfd-0.1", "short", False, 128, 14_800),
    Cell("0.1", "medium", "nfd-0.1", "medium", False, 128, 10_000),
    Cell("0.1", "long", "nfd-0.1", "long", False, 128, 2_000),
    Cell("0.2", "short", "nfd-0.2", "short", True, 64, 12_000),
    Cell("0.2", "medium", "nfd-0.2", "medium-5", True, 64, 10_000),
    Cell("0.2", "long", "nfd-0.2", "long", True, 64, 4_200),
    Cell("0.2", "short", "nfd-0.2", "short", False, 64, 40_000),
    Cell("0.2", "medium", "nfd-0.2", "medium-5", False, 64, 30_000),
    Cell("0.2", "long", "nfd-0.2", "long", False, 64, 9_600),
)


@dataclass(frozen=True)
class Measured:
    """A cell and what was found.

    Attributes
    ----------
    rate
        Highest Interests/s with a loss of at most `MAX_LOSS`.
    loss_rate
        Of the trial at this rate.
    latency_ms, high_latency_ms
        Mean at 0.1 and at 0.98 of the rate; None without content.
    interests
        Sent in all trials.
    """

    cell: Cell
    rate: float
    loss_rate: float
    latency_ms: float | None
    high_latency_ms: float | None
    interests: int

    @property
    def ratio(self) -> float:
        """Our rate over the published one."""
        return self.rate / self.cell.rate

    @property
    def latency_ratio(self) -> float | None:
        """Our latency over the published one, 1 within a range."""
        if self.latency_ms is None or self.cell.latency_ms is None:
            return None
        low, high = self.cell.latency_ms
        return self.latency_ms / min(max(self.latency_ms, low), high)

    @staticmethod
    def columns(items: Sequence[Measured]) -> dict[str, list[Any]]:
        """Columns of the table."""
        ranges = [item.cell.latency_ms for item in items]
        return {
            "nfd": [item.cell.report for item in items],
            "names": [item.cell.label for item in items],
            "content": [item.cell.content for item in items],
            "pairs": [item.cell.pairs for item in items],
            "published": [item.cell.rate for item in items],
            "ours": [item.rate for item in items],
            "ratio": [item.ratio for item in items],
            "loss_rate": [item.loss_rate for item in items],
            "published_latency_ms": [None if r is None else r[0] for r in ranges],
            "published_latency_max_ms": [None if r is None else r[1] for r in ranges],
            "latency_ms": [item.latency_ms for item in items],
            "latency_ratio": [item.latency_ratio for item in items],
            "high_latency_ms": [item.high_latency_ms for item in items],
        }


def search(cell: Cell, trial: Callable[..., dict[str, Any]]) -> Measured:
    """Find the highest rate whose loss is at most `MAX_LOSS`.

    The rate doubles until the loss is too high and is then bisected. `trial(cell, rate=...,
    duration=...)` gives the metrics of a run; what the report says of the cell is not used.
    """
    interests = 0

    def run(rate: float, count: int) -> dict[str, Any]:
        nonlocal interests
        metrics = trial(cell, rate=rate, duration=count / rate)
        interests += metrics["interests_sent"]
        return metrics

    low = high = FIRST_RATE
    best = run(low, TRIAL_INTERESTS)
    while best["loss_rate"] > MAX_LOSS:
        low, high = low / 2, low
        best = run(low, TRIAL_INTERESTS)
    while low == high:
        metrics = run(2 * low, TRIAL_INTERESTS)
        high = 2 * low
        if metrics["loss_rate"] <= MAX_LOSS:
            low, best = high, metrics
    while high - low > RESOLUTION * high:
        rate = (low + high) / 2
        metrics = run(rate, TRIAL_INTERESTS)
        if metrics["loss_rate"] <= MAX_LOSS:
            low, best = rate, metrics
        else:
            high = rate
    latency = near = None
    if cell.content:
        latency = run(LOW_LOAD * low, LATENCY_INTERESTS)["mean_latency_ms"]
        near = run(HIGH_LOAD * low, LATENCY_INTERESTS)["mean_latency_ms"]
    return Measured(cell, low, best["loss_rate"], latency, near, interests)


def plot(items: Sequence[Measured], path: Path) -> None:
    """Draw published and found rates side by side; without matplotlib a warning says so."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        warnings.warn(f"no {path.name}: pip install matplotlib", stacklevel=2)
        return
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(items))
    axes.bar([x - 0.2 for x in places], [i.cell.rate for i in items], 0.4, label="published")
    axes.bar([x + 0.2 for x in places], [i.rate for i in items], 0.4, label="ours")
    axes.set_yscale("log")
    axes.set_ylabel("Interests/s with a loss of at most 0.02 %")
    labels = [
        f"{i.cell.report}\n{i.cell.label}\n{'content' if i.cell.content else 'no content'}"
        for i in items
    ]
    axes.set_xticks(list(places), labels, fontsize=8)
    axes.legend()
    figure.savefig(path, dpi=120)
