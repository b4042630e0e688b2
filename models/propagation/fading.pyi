from simcore.models.mobility.draws import Quantity
from simcore.models.propagation.loss import PropagationLossModel
from simcore.random import Distribution, RandomStream

class NakagamiLoss(PropagationLossModel):
    def __init__(
        self,
        stream: RandomStream,
        distance1: float = 80.0,
        distance2: float = 200.0,
        m0: float = 1.5,
        m1: float = 0.75,
        m2: float = 0.75,
        *,
        erlang_stream: RandomStream | None = None,
    ) -> None: ...
    @property
    def stream(self) -> RandomStream: ...
    @property
    def erlang_stream(self) -> RandomStream: ...
    @property
    def distance1(self) -> float: ...
    @property
    def distance2(self) -> float: ...
    @property
    def m0(self) -> float: ...
    @property
    def m1(self) -> float: ...
    @property
    def m2(self) -> float: ...

class RandomLoss(PropagationLossModel):
    def __init__(self, loss: Quantity = 1.0, stream: RandomStream | None = None) -> None: ...

def bound_draws(
    field: str, value: Quantity, unit: str, stream: RandomStream | None
) -> Distribution: ...
