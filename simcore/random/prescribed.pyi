from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from simcore.random.distribution import Distribution
from simcore.random.stream import RandomStream

CDF_END_TOLERANCE: Final[float]

@final
class Constant(Distribution):
    def __init__(self, value: float = 0.0, *, stream: RandomStream | None = None) -> None: ...

@final
class Deterministic(Distribution):
    def __init__(self, values: Iterable[float], *, stream: RandomStream | None = None) -> None: ...

@final
class Sequential(Distribution):
    def __init__(
        self,
        min: float = 0.0,
        max: float = 1.0,
        increment: float | Distribution = 1.0,
        consecutive: int = 1,
        *,
        stream: RandomStream | None = None,
    ) -> None: ...

@final
class Empirical(Distribution):
    def __init__(
        self,
        points: Iterable[Sequence[float]],
        interpolate: bool = False,
        *,
        stream: RandomStream | None = None,
    ) -> None: ...
    @property
    def interpolate(self) -> bool: ...
    def pieces(self) -> Iterator[tuple[float, float, float]]: ...

def check_point(index: int, point: object) -> tuple[float, float]: ...
def check_cdf(points: Sequence[tuple[float, float]]) -> None: ...
