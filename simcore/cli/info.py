"""``simcore info``: versions, build flags, optional features found."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from simcore.cli.errors import DONE, Parser

__all__ = ["collect", "main"]

REQUIRED = ("numpy", "numba", "sortedcontainers", "pyarrow", "rich")
#: Optional packages and what they are for.
OPTIONAL = {
    "pandas": "results as pandas frames",
    "polars": "results as polars frames",
    "pyinstrument": "run --profile",
}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def has_profile_hooks() -> bool:
    """Whether compiled functions report their calls (built with SIMCORE_PROFILE=1)."""
    from simcore.simulator import Simulator

    if sys.version_info >= (3, 12):
        return _monitored(Simulator())
    calls: list[str] = []

    def watch(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    simulator = Simulator()
    previous = sys.getprofile()
    sys.setprofile(watch)
    try:
        simulator.run(0)
    finally:
        sys.setprofile(previous)
    return "run" in calls


def _monitored(simulator: Any) -> bool:
    """Ask cProfile, which uses sys.monitoring where Cython does."""
    import cProfile

    profile = cProfile.Profile()
    try:
        profile.enable()
        simulator.run(0)
        profile.disable()
    except ValueError:
        # Another profiler is active.
        return False
    return any(
        not isinstance(entry.code, str) and entry.code.co_filename.endswith(".pyx")
        for entry in profile.getstats()
    )


def collect() -> dict[str, Any]:
    """Return what the command prints, as plain values."""
    import simcore
    from simcore import simulator

    return {
        "simcore": _version("simcore"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "installed_in": str(Path(simcore.__file__).parent),
        "kernel": Path(simulator.__file__).name,
        "profile_hooks": has_profile_hooks(),
        "packages": {name: _version(name) for name in REQUIRED},
        "optional": {name: _version(name) for name in OPTIONAL},
    }


def main(arguments: Sequence[str]) -> int:
    """Print versions, build flags and optional features."""
    parser = Parser(
        prog="simcore info", description="Print versions, build flags and optional features."
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    facts = collect()
    if options.json:
        import json

        print(json.dumps(facts))
        return DONE
    for name in ("simcore", "python", "platform", "installed_in", "kernel"):
        print(f"{name.replace('_', ' '):14} {facts[name]}")
    hooks = "yes" if facts["profile_hooks"] else "no (build with SIMCORE_PROFILE=1)"
    print(f"{'profile hooks':14} {hooks}")
    for name, found in facts["packages"].items():
        print(f"{name:14} {found or 'missing'}")
    for name, found in facts["optional"].items():
        state = found or "not installed"
        print(f"{name:14} {state} (optional: {OPTIONAL[name]})")
    return DONE
