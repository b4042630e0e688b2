from simcore.models.network.error_model import ErrorModel
from simcore.models.network.node import NetDevice, Node
from simcore.models.network.queue import DropTailQueue
from simcore.random import RandomStream
from simcore.trace import LinkType, TraceSource

class CsmaChannel:
    devices: list[CsmaDevice]
    data_rate: int
    delay: int
    busy: bool
    def __init__(self, data_rate: str | float = "100Mbps", delay: str | int = "0ns") -> None: ...
    def transmission_time(self, size: int) -> int: ...

class CsmaDevice(NetDevice):
    pcap_link_types: tuple[LinkType, ...]
    channel: CsmaChannel
    queue: DropTailQueue
    error_model: ErrorModel | None
    promiscuous: bool
    up: bool
    slot_time: int
    min_slots: int
    max_slots: int
    ceiling: int
    max_retries: int
    def __init__(
        self,
        node: Node,
        channel: CsmaChannel,
        *,
        queue_packets: int = 100,
        mtu: int = 1500,
        address: object = None,
        promiscuous: bool = False,
        slot_time: str | int = "1us",
        min_slots: int = 1,
        max_slots: int = 1000,
        ceiling: int = 10,
        max_retries: int = 1000,
        stream: RandomStream | None = None,
    ) -> None: ...
    def ascii_sources(self) -> list[tuple[str, TraceSource, str]]: ...
    def pcap_sources(self) -> list[TraceSource]: ...
