from simcore.models.apps.udp import UdpSource
from simcore.models.network.address import Ipv4Like
from simcore.models.network.node import Node

class Cbr(UdpSource):
    def __init__(
        self,
        node: Node,
        destination: Ipv4Like,
        port: int,
        packet_size: int = 512,
        *,
        interval: int | str | None = None,
        rate: str | float | None = None,
        count: int = 0,
        start: int | str | None = None,
        stop: int | str | None = None,
        seq_ts: bool = False,
        content: bytes | None = None,
    ) -> None: ...
    @property
    def interval(self) -> int: ...
    @property
    def count(self) -> int: ...
