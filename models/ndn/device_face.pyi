from simcore.models.ndn.face import Face
from simcore.models.ndn.link_service import LinkCounters, LinkService
from simcore.models.network.address import MacAddress
from simcore.models.network.node import LinkListener, NetDevice

class DeviceLinkService(LinkService): ...

class NetDeviceFace(Face):
    device: NetDevice
    service: DeviceLinkService
    up: bool
    hop_counts: bool
    is_unicast: bool
    def __init__(
        self,
        device: NetDevice,
        *,
        link_type: int | None = None,
        remote: MacAddress | str | int | None = None,
        mtu: int | None = None,
        fragmentation: bool = True,
        reassembly: bool = True,
        reliability: bool | dict[str, int] = False,
        congestion_marking: bool = True,
        congestion_threshold: int = 65536,
        congestion_interval: int = ...,
        local_fields: bool = False,
        hop_counts: bool = False,
    ) -> None: ...
    @property
    def remote(self) -> MacAddress | None: ...
    @property
    def link_counters(self) -> LinkCounters: ...
    def close(self) -> None: ...

class NdnPort(LinkListener):
    unclaimed: int
