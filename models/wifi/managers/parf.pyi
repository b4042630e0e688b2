from simcore.models.wifi.managers.manager import AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector import TxVector

class PowerManager(AdaptiveManager):
    @property
    def power(self) -> tuple[float | None, ...]: ...

class ParfStation(RemoteStation):
    @property
    def attempts(self) -> int: ...
    @property
    def success(self) -> int: ...
    @property
    def retries(self) -> int: ...
    @property
    def recovering_rate(self) -> bool: ...
    @property
    def recovering_power(self) -> bool: ...

class ParfManager(PowerManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        attempt_threshold: int = 15,
        success_threshold: int = 10,
        tx_power_start: float | None = None,
        tx_power_end: float | None = None,
        tx_power_levels: int = 1,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def attempt_threshold(self) -> int: ...
    @property
    def success_threshold(self) -> int: ...

class AparfStation(RemoteStation):
    @property
    def success(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def power_changes(self) -> int: ...
    @property
    def success_threshold(self) -> int: ...
    @property
    def critical_rate(self) -> int: ...
    @property
    def estimate(self) -> str: ...

class AparfManager(PowerManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        success_threshold_1: int = 3,
        success_threshold_2: int = 10,
        fail_threshold: int = 1,
        power_threshold: int = 10,
        power_decrement: int = 1,
        power_increment: int = 1,
        rate_decrement: int = 1,
        rate_increment: int = 1,
        tx_power_start: float | None = None,
        tx_power_end: float | None = None,
        tx_power_levels: int = 1,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def success_threshold_1(self) -> int: ...
    @property
    def success_threshold_2(self) -> int: ...
    @property
    def fail_threshold(self) -> int: ...
    @property
    def power_threshold(self) -> int: ...
    @property
    def power_decrement(self) -> int: ...
    @property
    def power_increment(self) -> int: ...
    @property
    def rate_decrement(self) -> int: ...
    @property
    def rate_increment(self) -> int: ...
