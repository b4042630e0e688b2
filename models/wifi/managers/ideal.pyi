from simcore.models.wifi.managers.manager import AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector import TxVector

class IdealStation(RemoteStation): ...

class IdealManager(AdaptiveManager):
    def __init__(
        self,
        standard: str = "802.11a",
        *,
        ber_threshold: float = 1e-6,
        narrow_as_20_mhz: bool = False,
        group_mode: str | TxVector | None = None,
        rts_mode: str | TxVector | None = None,
    ) -> None: ...
    @property
    def ber_threshold(self) -> float: ...
    @property
    def narrow_as_20_mhz(self) -> bool: ...
    def threshold(self, name: str) -> float: ...
