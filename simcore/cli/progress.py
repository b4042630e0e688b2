"""Progress bar on standard error: simulated time, events per second, time left.

rich is imported with the first report, so runs that end sooner never pay for it.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from simcore.scenario import Progress
from simcore.units import to_seconds

__all__ = ["ProgressBar"]


class ProgressBar:
    """A callable for ``Scenario.run(progress=...)``; a context manager that clears the line."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show how far the run has come."""
        if self._bar is None:
            self._start(progress)
        rate = progress.events / progress.wall_time if progress.wall_time > 0 else 0.0
        self._bar.update(
            self._task,
            completed=to_seconds(progress.sim_time),
            clock=f"{to_seconds(progress.sim_time):,.1f} s",
            rate=f"{_short(rate)} events/s",
        )
        self._bar.refresh()

    def _start(self, progress: Progress) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        end = None if progress.until is None else to_seconds(progress.until)
        of_end = "" if end is None else f" of {end:,g} s"
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[clock]}" + of_end),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            # No refreshing thread: it would take time from the simulation.
            auto_refresh=False,
            transient=True,
        )
        self._task = self._bar.add_task(self.title, total=end, clock="", rate="")
        self._bar.start()


def _short(rate: float) -> str:
    for size, suffix in ((1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.2f} {suffix}"
    return f"{rate:.0f}"
