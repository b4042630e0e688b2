from simcore.models.wifi.managers.manager import AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector import TxVector
from simcore.random.stream import RandomStream

class ThompsonStation(RemoteStation):
    @property
    def last(self) -> int: ...
    @property
    def successes(self) -> list[float]: ...
    @property
    def failures(self) -> list[float]: ...

class ThompsonSamplingManager(AdaptiveManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        decay: float = 1.0,
        stream: RandomStream | None = None,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def decay(self) -> float: ...
