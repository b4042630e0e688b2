from simcore.models.wifi.phy.txvector import TxVector

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
