from simcore.models.mobility.mobility import MobilityModel

class PropagationDelayModel:
    def delay(
        self, a: MobilityModel | tuple[float, ...], b: MobilityModel | tuple[float, ...]
    ) -> int: ...

class ConstantSpeedDelay(PropagationDelayModel):
    def __init__(self, speed: float = 299792458.0) -> None: ...
    @property
    def speed(self) -> float: ...
