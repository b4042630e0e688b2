from simcore.models.network.address import Ipv4Address, Ipv4Like
from simcore.models.network.application import Application
from simcore.models.network.node import Node

class Ping(Application):
    def __init__(
        self,
        node: Node,
        destination: Ipv4Like,
        *,
        interval: int | str = "1s",
        size: int = 56,
        count: int = 0,
        start: int | str | None = None,
        stop: int | str | None = None,
    ) -> None: ...
    @property
    def destination_address(self) -> Ipv4Address: ...
    @property
    def interval(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def sent(self) -> int: ...
    @property
    def received_packets(self) -> int: ...
    @property
    def rtts(self) -> list[int]: ...
    @property
    def errors(self) -> list[tuple[int, int, int, Ipv4Address]]: ...
