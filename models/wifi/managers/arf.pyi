from simcore.models.wifi.managers.manager import AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector import TxVector

class ArfStation(RemoteStation):
    @property
    def timer(self) -> int: ...
    @property
    def success(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def recovery(self) -> bool: ...
    @property
    def success_threshold(self) -> int: ...
    @property
    def timer_threshold(self) -> int: ...

class ArfManager(AdaptiveManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        success_threshold: int = 10,
        timer_threshold: int = 15,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def success_threshold(self) -> int: ...
    @property
    def timer_threshold(self) -> int: ...

class AarfManager(ArfManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        success_factor: float = 2.0,
        timer_factor: float = 2.0,
        max_success_threshold: int = 60,
        success_threshold: int = 10,
        timer_threshold: int = 15,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def success_factor(self) -> float: ...
    @property
    def timer_factor(self) -> float: ...
    @property
    def max_success_threshold(self) -> int: ...
