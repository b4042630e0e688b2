"""First steps with NDN: a consumer, a router and a producer."""

from collections.abc import Sequence
from itertools import pairwise

from simcore import Simulator, seconds
from simcore.models.ndn.apps import ConsumerCbr, Producer
from simcore.models.ndn.helpers import add_route
from simcore.models.ndn.stack import install
from simcore.models.ndn.tracers import AppDelayTracer
from simcore.models.network import PointToPointDevice, PointToPointLink, create_nodes
from simcore.scenario import Scenario, parameter


class NdnSimple(Scenario):
    """A consumer asks a producer over one router: ndnSIM's ndn-simple."""

    frequency: float = parameter(10.0, unit="Hz", min=1e-6, max=1e9, help="Interests per second")
    payload_size: int = parameter(1024, unit="B", min=0, max=8000, help="content of the Data")
    data_rate: float = parameter(1e6, unit="bit/s", min=1, max=1e15, help="of the links")
    delay: float = parameter(0.01, unit="s", min=0, max=1e6, help="of the links")
    queue_packets: int = parameter(20, min=1, max=10**9, help="room in each queue")
    total_time: float = parameter(20.0, unit="s", help="simulated time")

    def build(self, sim: Simulator) -> None:
        nodes = create_nodes(sim, 3)
        self.links = [
            PointToPointLink(a, b, self.data_rate, seconds(self.delay), self.queue_packets)
            for a, b in pairwise(nodes)
        ]
        install(nodes, face={"hop_counts": True})
        for a, b in pairwise(nodes):
            add_route(a, "/prefix", b)
        self.producer = Producer(nodes[2], "/prefix", payload_size=self.payload_size)
        self.consumer = ConsumerCbr(nodes[0], "/prefix", self.frequency)
        self.delays = AppDelayTracer([self.consumer])

    def report(self, sim: Simulator) -> dict[str, float | None]:
        consumer = self.consumer
        delay = consumer.mean_delay
        return {
            "interests": consumer.sent,
            "data": consumer.received,
            "retransmissions": consumer.retransmitted,
            "mean_delay_ms": None if delay is None else delay * 1e-6,
            "mean_hops": consumer.mean_hops,
        }

    def tables(self, sim: Simulator) -> dict[str, object]:
        return {"delays": self.delays.table()}

    def traced(self, sim: Simulator) -> Sequence[PointToPointDevice]:
        return [device for link in self.links for device in link.devices]
