"""``simcore bridge``: what connects simulations with programs outside.

Models hand their commands in by name, as examples hand in scenarios: the table below names modules
whose ``main(arguments)`` is imported when it is called, so that `simcore.bridge` knows no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from simcore.cli.errors import DONE, UsageError, did_you_mean

__all__ = ["COMMANDS", "main"]

#: Command, the module whose ``main(arguments)`` runs it, and a line of help.
COMMANDS = {
    "ndn-forward": (
        "simcore.models.ndn.forward_command",
        "an NDN forwarder for real programs, on Unix sockets and TCP ports",
    ),
}


def usage() -> str:
    """Return the text of ``simcore bridge --help``."""
    lines = ["usage: simcore bridge COMMAND ...", "", "commands:"]
    lines += [f"  {name:12} {text}" for name, (_, text) in COMMANDS.items()]
    lines += ["", "'simcore bridge COMMAND --help' tells more."]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    if not arguments:
        raise UsageError(f"no bridge command named\n{usage()}")
    name, *rest = arguments
    if name in ("-h", "--help", "help"):
        print(usage())
        return DONE
    if name not in COMMANDS:
        raise UsageError(
            f"unknown bridge command {name!r}{did_you_mean(name, COMMANDS)}"
            f" Commands: {', '.join(COMMANDS)}"
        )
    code = import_module(COMMANDS[name][0]).main(rest)
    assert isinstance(code, int)
    return code
