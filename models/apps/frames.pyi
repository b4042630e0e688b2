from simcore.models.network.address import MacAddress
from simcore.models.network.application import Application
from simcore.models.network.node import NetDevice

class FrameSource(Application):
    def __init__(
        self,
        device: NetDevice,
        destination: MacAddress | str | int,
        ethertype: int,
        packet_size: int,
        *,
        interval: int | str,
        start: int | str | None = None,
        stop: int | str | None = None,
    ) -> None: ...
    @property
    def device(self) -> NetDevice: ...
    @property
    def interval(self) -> int: ...
    @property
    def packet_size(self) -> int: ...
    @property
    def sent(self) -> int: ...
