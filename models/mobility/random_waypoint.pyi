from typing import Any

from simcore.models.mobility.allocators import PositionAllocator
from simcore.models.mobility.draws import Quantity
from simcore.models.mobility.mobility import MobilityModel
from simcore.random import RandomStream

class RandomWaypoint(MobilityModel):
    def __init__(
        self,
        where: Any,
        position: tuple[float, ...] | None = None,
        *,
        waypoints: PositionAllocator,
        speed: Quantity,
        pause: Quantity = 0.0,
        stream: RandomStream | None = None,
    ) -> None: ...
