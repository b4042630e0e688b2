from simcore.models.internet.udp import UdpSocket
from simcore.models.network.address import Ipv4Address, Ipv4Like
from simcore.models.network.application import Application
from simcore.models.network.node import Node

class UdpApplication(Application):
    @property
    def socket(self) -> UdpSocket | None: ...

class UdpSource(UdpApplication):
    def __init__(
        self,
        node: Node,
        destination: Ipv4Like,
        port: int,
        packet_size: int,
        *,
        start: int | str | None = None,
        stop: int | str | None = None,
        seq_ts: bool = False,
        content: bytes | None = None,
    ) -> None: ...
    @property
    def destination_address(self) -> Ipv4Address: ...
    @property
    def port(self) -> int: ...
    @property
    def packet_size(self) -> int: ...
    @property
    def seq_ts(self) -> bool: ...
    @property
    def sent(self) -> int: ...
    @property
    def sent_bytes(self) -> int: ...
    @property
    def dropped(self) -> int: ...
