from simcore.models.apps.udp import UdpApplication, UdpSource
from simcore.models.network.address import Ipv4Like
from simcore.models.network.node import Node

class UdpEchoServer(UdpApplication):
    def __init__(
        self,
        node: Node,
        port: int = 9,
        *,
        start: int | str | None = None,
        stop: int | str | None = None,
    ) -> None: ...
    @property
    def port(self) -> int: ...
    @property
    def received_packets(self) -> int: ...
    @property
    def received_bytes(self) -> int: ...

class UdpEchoClient(UdpSource):
    def __init__(
        self,
        node: Node,
        destination: Ipv4Like,
        port: int = 9,
        packet_size: int = 1024,
        *,
        interval: int | str = "1s",
        count: int = 1,
        start: int | str | None = None,
        stop: int | str | None = None,
        seq_ts: bool = False,
        content: bytes | None = None,
    ) -> None: ...
    @property
    def interval(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def received_packets(self) -> int: ...
    @property
    def rtts(self) -> list[int]: ...
