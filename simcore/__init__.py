"""simcore: a discrete-event network simulator scripted in Python with a performance-tuned core."""

from simcore.simulator import Event, RunSummary, Simulator, Timer
from simcore.units import MS, NS, US, S, minutes, ms, ns, seconds, us

__all__ = [
    "MS",
    "NS",
    "US",
    "Event",
    "RunSummary",
    "S",
    "Simulator",
    "Timer",
    "minutes",
    "ms",
    "ns",
    "seconds",
    "us",
]
