from simcore.models.dsr.maintenance import RouteMaintenance
from simcore.models.dsr.route import Route
from simcore.models.network.address import Ipv4Address
from simcore.models.network.packet import Packet

class Dsr(RouteMaintenance):
    @property
    def routing_tx_count(self) -> int: ...
    def _receive(self, packet: Packet, source_mac: int) -> int: ...
    def route_to(self, destination: Ipv4Address | str | int) -> Route | None: ...
