"""Results as tables on standard output."""

from __future__ import annotations

from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from simcore.results import Results

__all__ = ["print_results"]

#: Rows of a result table that are shown; the rest is in the files.
SHOWN_ROWS = 40


def format_value(value: Any) -> str:
    """Return a metric or cell as short text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "-" if value != value else f"{value:.6g}"
    return str(value)


def print_results(results: Results) -> None:
    """Print metrics, tables and what the run took."""
    console = Console(soft_wrap=False)
    if not console.is_terminal:
        # Not the 80 columns that rich takes for a file: names must not be cut.
        console = Console(width=120)
    state = "" if not results.partial else f", {results.status}: partial results"
    parts: list[Any] = [
        Text(f"{results.scenario} (seed {results.seed}, run {results.run}{state})", style="bold"),
        _metrics(results),
    ]
    for name in results.tables:
        parts += [Text(name, style="bold"), _table(results, name)]
    parts.append(_footer(results))
    console.print(Group(*parts))


def _metrics(results: Results) -> Table:
    table = Table()
    table.add_column("metric")
    table.add_column("value", justify="right")
    for name, value in results.metrics.items():
        table.add_row(Text(name), Text(format_value(value)))
    return table


def _table(results: Results, name: str) -> Table:
    columns = results.tables.columns(name)
    total = results.tables.num_rows(name)
    note = f"first {SHOWN_ROWS} of {total:,} rows" if total > SHOWN_ROWS else None
    table = Table(caption=note)
    for column, values in columns.items():
        first = next((value for value in values if value is not None), None)
        table.add_column(Text(column), justify="left" if isinstance(first, str) else "right")
    for row in zip(*(values[:SHOWN_ROWS] for values in columns.values()), strict=True):
        table.add_row(*(Text(format_value(value)) for value in row))
    return table


def _footer(results: Results) -> Text:
    rate = results.events / results.wall_time_s if results.wall_time_s > 0 else 0.0
    return Text(
        f"{results.sim_time_s:g} s simulated in {results.wall_time_s:.2f} s,"
        f" {results.events:,} events ({rate:,.0f}/s), {results.peak_rss_mb:.0f} MB\n"
        f"{results.digest}"
    )
