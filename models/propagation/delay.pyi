from simcore.models.mobility.draws import Quantity
from simcore.models.mobility.mobility import MobilityModel
from simcore.random import RandomStream

class PropagationDelayModel:
    def delay(
        self, a: MobilityModel | tuple[float, ...], b: MobilityModel | tuple[float, ...]
    ) -> int: ...

class ConstantSpeedDelay(PropagationDelayModel):
    def __init__(self, speed: float = 299792458.0) -> None: ...
    @property
    def speed(self) -> float: ...

class RandomDelay(PropagationDelayModel):
    def __init__(self, delay: Quantity = 1.0, stream: RandomStream | None = None) -> None: ...
