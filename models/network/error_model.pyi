from collections.abc import Iterable
from typing import Literal

from simcore.models.network.packet import Packet
from simcore.random import RandomStream

class ErrorModel:
    enabled: bool
    def is_corrupt(self, packet: Packet) -> bool: ...

class RateErrorModel(ErrorModel):
    def __init__(
        self,
        rate: float,
        unit: Literal["byte", "bit", "packet"] = "byte",
        *,
        stream: RandomStream,
    ) -> None: ...
    @property
    def rate(self) -> float: ...
    @property
    def unit(self) -> str: ...

class BurstErrorModel(ErrorModel):
    def __init__(
        self, rate: float, smallest: int = 1, largest: int = 4, *, stream: RandomStream
    ) -> None: ...
    @property
    def rate(self) -> float: ...
    @property
    def smallest(self) -> int: ...
    @property
    def largest(self) -> int: ...

class ListErrorModel(ErrorModel):
    def __init__(self, uids: Iterable[int] = (), positions: Iterable[int] = ()) -> None: ...
