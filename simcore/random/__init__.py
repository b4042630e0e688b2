"""Random streams and distributions, reproducible and comparable with ns-3 draw by draw."""

from simcore.random.manager import RandomManager
from simcore.random.stream import RandomStream

__all__ = ["RandomManager", "RandomStream"]
