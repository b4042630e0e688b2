"""Exit codes and the errors that lead to them."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterable
from typing import NoReturn

from simcore.parameters import near_matches

__all__ = [
    "DONE",
    "FAILED",
    "INTERRUPTED",
    "USAGE",
    "Parser",
    "Terminated",
    "UsageError",
    "did_you_mean",
    "say",
]

DONE = 0
FAILED = 1
USAGE = 2
INTERRUPTED = 130


class UsageError(Exception):
    """Wrong use of the command; the message names option, value and what is right."""


class Terminated(KeyboardInterrupt):
    """A signal asked the process to end; handled as Ctrl-C is, but for the exit code."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.code = 128 + number


def say(message: str) -> None:
    """Write a line to standard error."""
    print(f"simcore: {message}", file=sys.stderr)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown word: "; did you mean 'x'?" or a full stop."""
    near = near_matches(word, known)
    return f"; did you mean {' or '.join(repr(match) for match in near)}?" if near else "."


class Parser(argparse.ArgumentParser):
    """An argument parser that raises :class:`UsageError` and never guesses abbreviations."""

    def __init__(self, **kwargs: object) -> None:
        kwargs.setdefault("allow_abbrev", False)
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**kwargs)  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """Raise instead of leaving the process."""
        raise UsageError(message)
