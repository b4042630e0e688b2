"""``simcore list``: the bundled scenarios, one line each."""

from __future__ import annotations

from collections.abc import Sequence

from simcore.cli.discover import bundled
from simcore.cli.errors import DONE, Parser

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Print the names and what they show."""
    parser = Parser(prog="simcore list", description="Print the bundled scenarios, one line each.")
    parser.parse_args(arguments)
    scenarios = bundled()
    width = max((len(name) for name in scenarios), default=0)
    for scenario in scenarios.values():
        print(f"{scenario.name:{width}}  {scenario.summary}".rstrip())
    return DONE
