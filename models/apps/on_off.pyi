from simcore.models.apps.udp import UdpSource
from simcore.models.network.address import Ipv4Like
from simcore.models.network.node import Node
from simcore.random import Distribution

class OnOff(UdpSource):
    def __init__(
        self,
        node: Node,
        destination: Ipv4Like,
        port: int,
        packet_size: int = 512,
        *,
        rate: str | float = "500kbps",
        on_time: Distribution | str | float = 1.0,
        off_time: Distribution | str | float = 1.0,
        max_bytes: int = 0,
        start: int | str | None = None,
        stop: int | str | None = None,
        seq_ts: bool = False,
        content: bytes | None = None,
    ) -> None: ...
    @property
    def rate(self) -> float: ...
    @property
    def max_bytes(self) -> int: ...
    @property
    def on_time(self) -> Distribution: ...
    @property
    def off_time(self) -> Distribution: ...
    @property
    def on(self) -> bool: ...
