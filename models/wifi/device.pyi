from typing import Any

from simcore.models.network.address import MacAddress, MacLike
from simcore.models.network.node import NetDevice, Node
from simcore.models.wifi.mac.mac import MacListener, WifiMac
from simcore.models.wifi.managers.manager import RateManager
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.ppdu import Ppdu
from simcore.trace.pcap import Encode, LinkType
from simcore.trace.source import TraceSource

class DevicePort(MacListener): ...

class WifiDevice(NetDevice):
    promiscuous: bool
    def __init__(
        self,
        node: Node,
        phy: WifiPhy,
        manager: RateManager,
        *,
        address: MacLike | None = None,
        mtu: int = 2296,
        promiscuous: bool = False,
        **mac: Any,
    ) -> None: ...
    @property
    def phy(self) -> WifiPhy: ...
    @property
    def mac_layer(self) -> WifiMac: ...
    @property
    def bssid(self) -> MacAddress: ...
    def ascii_sources(self) -> list[tuple[str, TraceSource, str]]: ...
    @property
    def pcap_link_types(self) -> tuple[LinkType, ...]: ...
    def pcap_sources(self) -> list[tuple[TraceSource, Encode]]: ...
    def encode(
        self,
        link_type: int,
        ppdu: Ppdu,
        snr_db: float | None = None,
        power_dbm: float | None = None,
    ) -> bytes: ...
