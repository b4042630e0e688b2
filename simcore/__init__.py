"""simcore: a discrete-event network simulator scripted in Python with a performance-tuned core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simcore.simulator import Event, RunSummary, Simulator, Timer
from simcore.units import (
    MINUTE,
    MS,
    NS,
    US,
    S,
    format_time,
    hours,
    minutes,
    ms,
    ns,
    parse_time,
    seconds,
    us,
)

if TYPE_CHECKING:
    from simcore.process import Interrupt, Process, Signal
    from simcore.resources import (
        Container,
        FilterStore,
        Preempted,
        PreemptiveResource,
        PriorityResource,
        Resource,
        Store,
    )
    from simcore.results import Results
    from simcore.scenario import ParameterError, Progress, Scenario, parameter

__all__ = [
    "MINUTE",
    "MS",
    "NS",
    "US",
    "Container",
    "Event",
    "FilterStore",
    "Interrupt",
    "ParameterError",
    "Preempted",
    "PreemptiveResource",
    "PriorityResource",
    "Process",
    "Progress",
    "Resource",
    "Results",
    "RunSummary",
    "S",
    "Scenario",
    "Signal",
    "Simulator",
    "Store",
    "Timer",
    "format_time",
    "hours",
    "minutes",
    "ms",
    "ns",
    "parameter",
    "parse_time",
    "seconds",
    "us",
]

# Not imported before they are asked for: a script that only schedules events starts faster.
_LAZY = {
    "Container": "simcore.resources",
    "FilterStore": "simcore.resources",
    "Interrupt": "simcore.process",
    "ParameterError": "simcore.parameters",
    "Preempted": "simcore.resources",
    "PreemptiveResource": "simcore.resources",
    "PriorityResource": "simcore.resources",
    "Process": "simcore.process",
    "Progress": "simcore.scenario",
    "Resource": "simcore.resources",
    "Results": "simcore.results",
    "Scenario": "simcore.scenario",
    "Signal": "simcore.process",
    "Store": "simcore.resources",
    "parameter": "simcore.parameters",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        value = getattr(import_module(_LAZY[name]), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("simcore")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, "__version__"})
