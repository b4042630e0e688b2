from typing import Any

from simcore.models.mobility.draws import Quantity
from simcore.models.mobility.mobility import MobilityModel
from simcore.random import RandomStream

class RandomWalk2d(MobilityModel):
    def __init__(
        self,
        where: Any,
        position: tuple[float, ...] = ...,
        *,
        bounds: tuple[float, float, float, float] = ...,
        distance: float | None = None,
        time: int | None = None,
        speed: Quantity | None = None,
        direction: Quantity | None = None,
        stream: RandomStream | None = None,
    ) -> None: ...
    @property
    def bounds(self) -> tuple[float, float, float, float]: ...
