from typing import Final, final

from simcore.random.distribution import Distribution
from simcore.random.stream import RandomStream

EULER_GAMMA: Final[float]

@final
class Uniform(Distribution):
    def __init__(
        self, min: float = 0.0, max: float = 1.0, *, stream: RandomStream | None = None
    ) -> None: ...

@final
class Exponential(Distribution):
    def __init__(
        self, mean: float = 1.0, bound: float = 0.0, *, stream: RandomStream | None = None
    ) -> None: ...

@final
class Normal(Distribution):
    def __init__(
        self,
        mean: float = 0.0,
        std: float | None = None,
        bound: float = ...,
        *,
        variance: float | None = None,
        stream: RandomStream | None = None,
    ) -> None: ...

@final
class LogNormal(Distribution):
    def __init__(
        self, mu: float = 0.0, sigma: float = 1.0, *, stream: RandomStream | None = None
    ) -> None: ...

@final
class Pareto(Distribution):
    def __init__(
        self,
        scale: float = 1.0,
        shape: float = 2.0,
        bound: float = 0.0,
        *,
        stream: RandomStream | None = None,
    ) -> None: ...

@final
class Weibull(Distribution):
    def __init__(
        self,
        scale: float = 1.0,
        shape: float = 1.0,
        bound: float = 0.0,
        *,
        stream: RandomStream | None = None,
    ) -> None: ...

@final
class Gamma(Distribution):
    def __init__(
        self, alpha: float = 1.0, beta: float = 1.0, *, stream: RandomStream | None = None
    ) -> None: ...

@final
class Erlang(Distribution):
    def __init__(
        self, k: int = 1, scale: float = 1.0, *, stream: RandomStream | None = None
    ) -> None: ...

@final
class Triangular(Distribution):
    def __init__(
        self,
        min: float = 0.0,
        max: float = 1.0,
        mode: float | None = None,
        *,
        mean: float | None = None,
        stream: RandomStream | None = None,
    ) -> None: ...

@final
class Laplacian(Distribution):
    def __init__(
        self,
        location: float = 0.0,
        scale: float = 1.0,
        bound: float = 0.0,
        *,
        stream: RandomStream | None = None,
    ) -> None: ...

@final
class LargestExtremeValue(Distribution):
    def __init__(
        self, location: float = 0.0, scale: float = 1.0, *, stream: RandomStream | None = None
    ) -> None: ...
