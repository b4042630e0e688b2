from simcore.models.dsr.maintenance import RouteMaintenance
from simcore.models.dsr.route import Route
from simcore.models.network.address import Ipv4Address

class Dsr(RouteMaintenance):
    @property
    def routing_tx_count(self) -> int: ...
    def route_to(self, destination: Ipv4Address | str | int) -> Route | None: ...
