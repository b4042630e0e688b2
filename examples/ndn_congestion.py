"""NDN over a bottleneck."""

from collections.abc import Sequence

from simcore import Simulator
from simcore.models.ndn.apps import Consumer, ConsumerAimd, ConsumerCbr, ConsumerWindow, Producer
from simcore.models.ndn.helpers import GlobalRouting
from simcore.models.ndn.stack import install
from simcore.models.ndn.tracers import L2RateTracer
from simcore.models.network import Node, PointToPointDevice, parse_topology, read_topology
from simcore.scenario import ParameterError, Scenario, parameter

SIX_NODES = """
router
Src1  NA  1   3
Src2  NA  -1  3
Rtr1  NA  0   5
Rtr2  NA  0   7
Dst1  NA  1   9
Dst2  NA  -1  9
link
Src1  Rtr1  10Mbps  1  10ms  20
Src2  Rtr1  10Mbps  1  10ms  20
Rtr1  Rtr2  1Mbps   1  10ms  20
Rtr2  Dst1  10Mbps  1  10ms  20
Rtr2  Dst2  10Mbps  1  10ms  20
"""


class NdnCongestion(Scenario):
    """Two flows share a slow link in the middle of six nodes: ndnSIM's ndn-congestion.

    A topology file needs the routers ``Src1`` and so on, which ask, ``Dst1`` and so on, which
    answer, and a link from ``Rtr1`` to ``Rtr2``.
    """

    topology: str | None = parameter(None, help="file in ndnSIM's format")
    consumer: str = parameter(
        "cbr", choices=("cbr", "window", "aimd", "cubic"), help="kind of the consumers"
    )
    frequency: float = parameter(100.0, unit="Hz", min=1e-6, max=1e9, help="of a cbr consumer")
    window: float = parameter(8.0, min=1, max=1e9, help="of a window consumer, in Interests")
    payload_size: int = parameter(1024, unit="B", min=0, max=8000, help="content of the Data")
    marking: bool = parameter(True, help="whether routers mark Data when a queue is long")
    marking_threshold: int = parameter(
        8000, unit="B", min=0, max=10**9, help="how long a queue is then"
    )
    marking_interval: float = parameter(
        0.1, unit="s", min=1e-9, max=1e6, help="for how long until the first mark"
    )
    total_time: float = parameter(20.0, unit="s", help="simulated time")

    def build(self, sim: Simulator) -> None:
        file = parse_topology(SIX_NODES) if self.topology is None else read_topology(self.topology)
        self.net = file.build(sim)
        names = self.net.nodes
        nodes = list(names.values())
        install(
            nodes,
            face={
                "congestion_marking": self.marking,
                "congestion_threshold": self.marking_threshold,
                "congestion_interval": round(self.marking_interval * 1e9),
            },
        )
        numbers = [name[3:] for name in names if name.startswith("Src")]
        for name in ["Rtr1", "Rtr2", *(f"Dst{number}" for number in numbers)]:
            if name not in names:
                raise ParameterError(
                    f"topology {self.topology}: there must be a router {name!r}",
                    "topology",
                    self.topology,
                )
        for number in numbers:
            Producer(names[f"Dst{number}"], f"/dst{number}", payload_size=self.payload_size)
        self.consumers = [self.make(names[f"Src{number}"], f"/dst{number}") for number in numbers]
        self.drops = L2RateTracer([names["Rtr2"]])
        try:
            self.bottleneck = self.net.link("Rtr1", "Rtr2")
        except ValueError as error:
            raise ParameterError(f"topology: {error}", "topology", self.topology) from None
        # Data flow from the second router to the first.
        self.queue = self.bottleneck.devices[
            0 if self.bottleneck.devices[0].node is names["Rtr2"] else 1
        ].queue
        routing = GlobalRouting(nodes, "metric")
        routing.use_topology(self.net)
        routing.add_producers()
        routing.calculate()

    def make(self, node: Node, prefix: str) -> Consumer:
        if self.consumer == "cbr":
            return ConsumerCbr(node, prefix, self.frequency)
        if self.consumer == "window":
            return ConsumerWindow(node, prefix, self.window)
        return ConsumerAimd(node, prefix, algorithm=self.consumer)

    def report(self, sim: Simulator) -> dict[str, float | None]:
        received = sum(consumer.received for consumer in self.consumers)
        delay = sum(consumer.total_delay for consumer in self.consumers)
        size = sum(consumer.received_bytes for consumer in self.consumers)
        elapsed = sim.now() * 1e-9
        shares = [consumer.received for consumer in self.consumers]
        squares = len(shares) * sum(share**2 for share in shares)
        return {
            "interests": sum(consumer.sent for consumer in self.consumers),
            "retransmissions": sum(consumer.retransmitted for consumer in self.consumers),
            "data": received,
            "goodput_kbps": size * 8e-3 / elapsed if elapsed else None,
            "bottleneck_use": (size * 8 / elapsed / self.bottleneck.data_rate if elapsed else None),
            "bottleneck_drops": self.queue.drops,
            "mean_delay_ms": delay / received * 1e-6 if received else None,
            "marks": sum(getattr(consumer, "marks", 0) for consumer in self.consumers),
            # Jain's index.
            "fairness": sum(shares) ** 2 / squares if squares else None,
        }

    def tables(self, sim: Simulator) -> dict[str, object]:
        return {
            "flows": {
                "node": [consumer.node.id for consumer in self.consumers],
                "interests": [consumer.sent for consumer in self.consumers],
                "retransmissions": [consumer.retransmitted for consumer in self.consumers],
                "data": [consumer.received for consumer in self.consumers],
            },
            "drops": self.drops.table(),
        }

    def traced(self, sim: Simulator) -> Sequence[PointToPointDevice]:
        return [device for link in self.net.links for device in link.devices]
