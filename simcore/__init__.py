"""simcore: a discrete-event network simulator scripted in Python with a performance-tuned core."""

from simcore.simulator import Event, Simulator, Timer

__all__ = ["Event", "Simulator", "Timer"]
