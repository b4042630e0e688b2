from typing import Literal, TypeVar

from simcore.models.propagation.loss import PropagationLossModel

Environment = Literal["urban", "suburban", "open"]
CitySize = Literal["small", "medium", "large"]

class UrbanLoss(PropagationLossModel): ...

class OkumuraHataLoss(UrbanLoss):
    def __init__(
        self,
        frequency: float = 2160e6,
        environment: Environment = "urban",
        city_size: CitySize = "large",
    ) -> None: ...
    @property
    def frequency(self) -> float: ...
    @property
    def environment(self) -> str: ...
    @property
    def city_size(self) -> str: ...

class Cost231Loss(UrbanLoss):
    def __init__(
        self,
        frequency: float = 2.3e9,
        base_height: float = 50.0,
        mobile_height: float = 3.0,
        min_distance: float = 0.5,
        shadowing: float = 10.0,
    ) -> None: ...
    @property
    def frequency(self) -> float: ...
    @property
    def base_height(self) -> float: ...
    @property
    def mobile_height(self) -> float: ...
    @property
    def min_distance(self) -> float: ...
    @property
    def shadowing(self) -> float: ...

class Kun2600MhzLoss(UrbanLoss): ...

class ItuR1411LosLoss(UrbanLoss):
    def __init__(self, frequency: float = 2160e6) -> None: ...
    @property
    def frequency(self) -> float: ...

class ItuR1411NlosOverRooftopLoss(UrbanLoss):
    def __init__(
        self,
        frequency: float = 2160e6,
        environment: Environment = "urban",
        city_size: CitySize = "large",
        rooftop_height: float = 20.0,
        street_orientation: float = 45.0,
        street_width: float = 20.0,
        buildings_extent: float = 80.0,
        building_separation: float = 50.0,
    ) -> None: ...
    @property
    def frequency(self) -> float: ...
    @property
    def environment(self) -> str: ...
    @property
    def city_size(self) -> str: ...
    @property
    def rooftop_height(self) -> float: ...
    @property
    def street_orientation(self) -> float: ...
    @property
    def street_width(self) -> float: ...
    @property
    def buildings_extent(self) -> float: ...
    @property
    def building_separation(self) -> float: ...

_Name = TypeVar("_Name")

def one_of(field: str, value: _Name, allowed: tuple[_Name, ...]) -> _Name: ...
