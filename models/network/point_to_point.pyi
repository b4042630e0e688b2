from typing import Any, ClassVar

from simcore.models.network.address import MacLike
from simcore.models.network.error_model import ErrorModel
from simcore.models.network.node import NetDevice, Node
from simcore.models.network.queue import DropTailQueue
from simcore.trace import LinkType, TraceSource

class PointToPointDevice(NetDevice):
    pcap_link_types: ClassVar[tuple[LinkType, ...]]
    error_model: ErrorModel | None
    def __init__(
        self,
        node: Node,
        channel: PointToPointLink,
        queue: DropTailQueue,
        mtu: int,
        address: MacLike | None,
    ) -> None: ...
    @property
    def channel(self) -> PointToPointLink: ...
    @property
    def peer(self) -> PointToPointDevice: ...
    @property
    def queue(self) -> DropTailQueue: ...
    def ascii_sources(self) -> list[tuple[str, TraceSource, str]]: ...
    def pcap_sources(self) -> list[TraceSource]: ...

class PointToPointLink:
    up: bool
    def __init__(
        self,
        a: Node,
        b: Node,
        data_rate: str | float = "5Mbps",
        delay: str | int = "2ms",
        queue_packets: int = 100,
        mtu: int = 1500,
        addresses: tuple[Any, Any] = (None, None),
    ) -> None: ...
    @property
    def devices(self) -> tuple[PointToPointDevice, PointToPointDevice]: ...
    @property
    def data_rate(self) -> int: ...
    @property
    def delay(self) -> int: ...
    def transmission_time(self, size: int) -> int: ...
