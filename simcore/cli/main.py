"""Entry point of the ``simcore`` command. A command's module is imported when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["COMMANDS", "main"]

#: Command, the module whose ``main(arguments)`` runs it, and a line of help.
COMMANDS = {
    "list": ("simcore.cli.listing", "bundled scenarios, one line each"),
    "run": ("simcore.cli.run", "run a scenario: a bundled one by name, or SCRIPT.py[:CLASS]"),
    "bridge": ("simcore.cli.bridge", "connect simulations with programs outside"),
    "info": ("simcore.cli.info", "versions, build flags, optional features found"),
}


def usage() -> str:
    """Return the text of ``simcore --help``."""
    lines = ["usage: simcore COMMAND ...", "", "commands:"]
    lines += [f"  {name:8} {text}" for name, (_, text) in COMMANDS.items()]
    lines += ["", "'simcore COMMAND --help' tells more."]
    lines += ["Exit codes: 0 done, 1 the simulation failed, 2 wrong usage, 130 interrupted,"]
    lines += ["128+N ended by signal N."]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    argv
        Arguments without the program's name; those of the process by default.
    """
    try:
        # Imported here, so that Ctrl-C finds this handler as soon as anything slow is loaded.
        with _signals():
            return _main(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt as error:
        print(f"simcore: {str(error) or 'interrupted'}", file=sys.stderr)
        return int(getattr(error, "code", 130))


def _main(arguments: list[str]) -> int:
    from simcore.cli.errors import FAILED, USAGE, UsageError, say

    if sys.stdout is None:
        say("standard output is closed")
        return FAILED
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except UsageError as error:
        say(str(error))
        return USAGE
    except BrokenPipeError:
        # The reader of our output has left; nothing more can be said to it.
        _drop_output()
        return FAILED
    except OSError as error:
        say(f"cannot write the output: {error.strerror or error}")
        _drop_output()
        return FAILED


def _drop_output() -> None:
    """Let what is still buffered go nowhere: the interpreter's last flush would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _signals() -> Iterator[None]:
    """Turn the first signal that ends a process into an exception; ignore those after it.

    A second Ctrl-C would otherwise throw away the partial results that the first one left.
    """
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    from simcore.cli.errors import Terminated

    ending = False

    def end(number: int, frame: object) -> None:
        nonlocal ending
        if not ending:
            ending = True
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    former = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # An ignored signal stays ignored: nohup relies on it.
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            former[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _dispatch(arguments: list[str]) -> int:
    from importlib import import_module

    from simcore.cli.errors import DONE, USAGE, UsageError, did_you_mean

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
