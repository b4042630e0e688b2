from collections.abc import Iterable
from typing import Any

from simcore.models.mobility.mobility import MobilityModel

class Trajectory(MobilityModel):
    def __init__(
        self, where: Any, legs: Iterable[tuple[int, tuple[float, ...], tuple[float, ...]]]
    ) -> None: ...
    @property
    def legs_left(self) -> int: ...

class Waypoints(Trajectory):
    def __init__(self, where: Any, points: Iterable[tuple[int, tuple[float, ...]]]) -> None: ...

def leg_time(index: int, time: int) -> int: ...
def legs_between(
    points: Iterable[tuple[int, tuple[float, ...]]],
) -> list[tuple[int, tuple[float, float, float], tuple[float, ...]]]: ...
