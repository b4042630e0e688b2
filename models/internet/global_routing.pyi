from collections.abc import Callable, Iterable

from simcore.models.internet.ipv4 import Interface, Ipv4, RoutingProtocol
from simcore.models.network.address import Ipv4Address
from simcore.models.network.node import Node
from simcore.simulator import Simulator

class Topology:
    def __init__(
        self,
        nodes: Iterable[Node] | None = None,
        *,
        sim: Simulator | None = None,
        costs: Callable[[Interface], float] | None = None,
    ) -> None: ...
    @property
    def stacks(self) -> list[Ipv4]: ...
    def recompute(self) -> None: ...
    def neighbours(self, node: Node) -> list[tuple[Node, Ipv4Address, float]]: ...

class GlobalRouting(RoutingProtocol):
    def __init__(self, topology: Topology) -> None: ...
    @property
    def topology(self) -> Topology: ...

def populate_routes(
    nodes: Iterable[Node] | None = None,
    *,
    sim: Simulator | None = None,
    costs: Callable[[Interface], float] | None = None,
) -> Topology: ...
