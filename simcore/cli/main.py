"""Entry point of the ``simcore`` command. A command's module is imported when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from simcore.cli.errors import (
    DONE,
    FAILED,
    INTERRUPTED,
    USAGE,
    UsageError,
    did_you_mean,
    say,
)

__all__ = ["COMMANDS", "main"]

#: Command, the module whose ``main(arguments)`` runs it, and a line of help.
COMMANDS = {
    "list": ("simcore.cli.listing", "bundled scenarios, one line each"),
    "run": ("simcore.cli.run", "run a scenario: a bundled one by name, or SCRIPT.py[:CLASS]"),
    "info": ("simcore.cli.info", "versions, build flags, optional features found"),
}


def usage() -> str:
    """Return the text of ``simcore --help``."""
    lines = ["usage: simcore COMMAND ...", "", "commands:"]
    lines += [f"  {name:8} {text}" for name, (_, text) in COMMANDS.items()]
    lines += ["", "'simcore COMMAND --help' tells more."]
    lines += ["Exit codes: 0 done, 1 the simulation failed, 2 wrong usage, 130 interrupted."]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    argv
        Arguments without the program's name; those of the process by default.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except UsageError as error:
        say(str(error))
        return USAGE
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has left; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        print(usage(), file=sys.stderr)
        return USAGE
    name, *rest = arguments
    if name in ("-h", "--help", "help"):
        print(usage())
        return DONE
    if name in ("-V", "--version"):
        import simcore

        print(f"simcore {simcore.__version__}")
        return DONE
    if name not in COMMANDS:
        raise UsageError(
            f"unknown command {name!r}{did_you_mean(name, COMMANDS)}"
            f" Commands: {', '.join(COMMANDS)}"
        )
    code = import_module(COMMANDS[name][0]).main(rest)
    assert isinstance(code, int)
    return code
