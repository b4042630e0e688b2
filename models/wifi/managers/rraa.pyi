from simcore.models.wifi.managers.manager import AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector import TxVector
from simcore.random.stream import RandomStream

class RraaStation(RemoteStation):
    @property
    def left(self) -> int: ...
    @property
    def failures(self) -> int: ...
    @property
    def last_failed(self) -> bool: ...
    @property
    def rts(self) -> bool: ...
    @property
    def rts_window(self) -> int: ...
    @property
    def rts_left(self) -> int: ...

class WindowedManager(AdaptiveManager):
    @property
    def basic(self) -> bool: ...
    @property
    def timeout(self) -> int: ...
    @property
    def frame_length(self) -> int: ...
    @property
    def ack_length(self) -> int: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    @property
    def tau(self) -> float: ...
    @property
    def windows(self) -> list[int]: ...
    @property
    def raise_below(self) -> list[float]: ...
    @property
    def lower_above(self) -> list[float]: ...

class RraaManager(WindowedManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        basic: bool = False,
        timeout: int = 50_000_000,
        frame_length: int = 1420,
        ack_length: int = 14,
        alpha: float = 1.25,
        beta: float = 2.0,
        tau: float = 0.012,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...

class RrpaaStation(RraaStation):
    @property
    def readiness(self) -> list[list[float]]: ...

class RrpaaManager(WindowedManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        basic: bool = True,
        timeout: int = 500_000_000,
        frame_length: int = 1420,
        ack_length: int = 14,
        alpha: float = 1.25,
        beta: float = 2.0,
        tau: float = 0.015,
        gamma: float = 2.0,
        delta: float = 1.0905,
        tx_power_start: float | None = None,
        tx_power_end: float | None = None,
        tx_power_levels: int = 1,
        stream: RandomStream | None = None,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def gamma(self) -> float: ...
    @property
    def delta(self) -> float: ...
