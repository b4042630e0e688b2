from simcore.models.network.address import MacAddress
from simcore.models.wifi.phy.txvector import TxVector
from simcore.simulator import Simulator
from simcore.trace.source import TraceSet

class RateManager:
    def __init__(
        self,
        standard: str = "802.11b",
        *,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def standard(self) -> str: ...
    def response_mode(self, name: str | TxVector) -> str: ...

class ConstantRateManager(RateManager):
    def __init__(
        self,
        standard: str = "802.11b",
        data_mode: str | TxVector = "DsssRate11Mbps",
        *,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def current_rate(self) -> int: ...

class RemoteStation:
    rate: int
    power: int
    @property
    def number(self) -> int: ...
    @property
    def address(self) -> MacAddress: ...

class AdaptiveManager(RateManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def sim(self) -> Simulator: ...
    @property
    def vectors(self) -> list[TxVector]: ...
    @property
    def current_rate(self) -> int: ...
    @property
    def trace(self) -> TraceSet: ...
    def station_of(self, address: MacAddress | str | int) -> RemoteStation | None: ...

def count_of(name: str, value: int, least: int = 1) -> int: ...
def factor_of(name: str, value: float, low: float, high: float) -> float: ...
def duration_of(name: str, value: int) -> int: ...
