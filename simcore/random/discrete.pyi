from typing import final

from simcore.random.distribution import Distribution
from simcore.random.stream import RandomStream

@final
class UniformInteger(Distribution):
    def __init__(
        self, min: int = 0, max: int = 1, *, stream: RandomStream | None = None
    ) -> None: ...

@final
class Bernoulli(Distribution):
    def __init__(self, probability: float = 0.5, *, stream: RandomStream | None = None) -> None: ...

@final
class Binomial(Distribution):
    def __init__(
        self, trials: int = 10, probability: float = 0.5, *, stream: RandomStream | None = None
    ) -> None: ...

@final
class Zipf(Distribution):
    def __init__(
        self, n: int = 1, alpha: float = 0.0, *, stream: RandomStream | None = None
    ) -> None: ...

@final
class Zeta(Distribution):
    def __init__(self, alpha: float = 3.14, *, stream: RandomStream | None = None) -> None: ...
