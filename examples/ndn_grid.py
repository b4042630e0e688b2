"""NDN across a grid, over the shortest paths or over all that are loop-free."""

from collections.abc import Sequence

from simcore import Simulator, seconds
from simcore.models.ndn.apps import ConsumerCbr, Producer
from simcore.models.ndn.helpers import GlobalRouting
from simcore.models.ndn.stack import install
from simcore.models.network import PointToPointDevice, PointToPointLink, create_nodes
from simcore.scenario import Scenario, parameter


class NdnGrid(Scenario):
    """Consumer and producer in opposite corners of a 3 x 3 grid: ndnSIM's ndn-grid."""

    side: int = parameter(3, min=2, max=100, help="nodes on each side of the grid")
    frequency: float = parameter(100.0, unit="Hz", min=1e-6, max=1e9, help="Interests per second")
    payload_size: int = parameter(1024, unit="B", min=0, max=8000, help="content of the Data")
    data_rate: float = parameter(1e6, unit="bit/s", min=1, max=1e15, help="of the links")
    delay: float = parameter(0.01, unit="s", min=0, max=1e6, help="of the links")
    paths: str = parameter(
        "shortest", choices=("shortest", "loop-free", "all"), help="next hops that nodes get"
    )
    strategy: str = parameter(
        "best-route",
        choices=("best-route", "multicast", "access", "asf", "random"),
        help="of all nodes",
    )
    total_time: float = parameter(20.0, unit="s", help="simulated time")

    def build(self, sim: Simulator) -> None:
        side = self.side
        self.nodes = create_nodes(sim, side * side)
        ends = [(i, i + 1) for i in range(side * side) if (i + 1) % side]
        ends += [(i, i + side) for i in range(side * (side - 1))]
        self.links = [
            PointToPointLink(
                self.nodes[a], self.nodes[b], self.data_rate, seconds(self.delay), queue_packets=10
            )
            for a, b in ends
        ]
        install(self.nodes, strategy=self.strategy, face={"hop_counts": True})
        self.producer = Producer(self.nodes[-1], "/prefix", payload_size=self.payload_size)
        self.consumer = ConsumerCbr(self.nodes[0], "/prefix", self.frequency)
        routing = GlobalRouting(self.nodes)
        routing.add_producers()
        routing.calculate(self.paths)

    def report(self, sim: Simulator) -> dict[str, float | None]:
        consumer = self.consumer
        delay = consumer.mean_delay
        return {
            "interests": consumer.sent,
            "data": consumer.received,
            "retransmissions": consumer.retransmitted,
            "mean_delay_ms": None if delay is None else delay * 1e-6,
            "mean_hops": consumer.mean_hops,
            "interests_forwarded": sum(node.ndn.counters.out_interests for node in self.nodes),
        }

    def tables(self, sim: Simulator) -> dict[str, object]:
        counters = [node.ndn.counters.as_dict() for node in self.nodes]
        return {
            "nodes": {
                "node": [node.id for node in self.nodes],
                **{name: [values[name] for values in counters] for name in counters[0]},
            }
        }

    def traced(self, sim: Simulator) -> Sequence[PointToPointDevice]:
        return [device for link in self.links for device in link.devices]
