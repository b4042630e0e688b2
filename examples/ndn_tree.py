"""NDN in a tree, seen by the tracers."""

from collections.abc import Sequence

from simcore import Simulator
from simcore.models.ndn.apps import ConsumerCbr, Producer
from simcore.models.ndn.helpers import GlobalRouting
from simcore.models.ndn.stack import install
from simcore.models.ndn.tracers import AppDelayTracer, CsTracer, L2RateTracer, L3RateTracer
from simcore.models.network import PointToPointDevice, parse_topology, read_topology
from simcore.scenario import ParameterError, Scenario, parameter

TREE = """
router
leaf-1  NA  0  0
leaf-2  NA  0  4
leaf-3  NA  0  8
leaf-4  NA  0  12
rtr-1   NA  4  2
rtr-2   NA  4  10
root    NA  8  6
link
leaf-1  rtr-1  10Mbps  1  1ms  100
leaf-2  rtr-1  10Mbps  1  1ms  100
leaf-3  rtr-2  10Mbps  1  1ms  100
leaf-4  rtr-2  10Mbps  1  1ms  100
rtr-1   root   10Mbps  1  1ms  100
rtr-2   root   10Mbps  1  1ms  100
"""


class NdnTree(Scenario):
    """Four leaves ask the root of a tree for the same Data: ndnSIM's ndn-tree-tracers."""

    topology: str | None = parameter(
        None, help="file in ndnSIM's format: names that start with leaf ask, root answers"
    )
    frequency: float = parameter(100.0, unit="Hz", min=1e-6, max=1e9, help="of each leaf")
    payload_size: int = parameter(1024, unit="B", min=0, max=8000, help="content of the Data")
    cs_capacity: int = parameter(1000, min=0, max=10**9, help="Data that each node caches")
    trace_prefix: str | None = parameter(
        None, help="write <prefix>rates.txt, drops.txt, cache.txt and delays.txt"
    )
    total_time: float = parameter(10.0, unit="s", help="simulated time")

    def build(self, sim: Simulator) -> None:
        file = parse_topology(TREE) if self.topology is None else read_topology(self.topology)
        self.net = file.build(sim)
        nodes = list(self.net.nodes.values())
        install(nodes, cs_capacity=self.cs_capacity, face={"hop_counts": True})
        self.consumers = [
            ConsumerCbr(node, "/root", self.frequency)
            for name, node in self.net.nodes.items()
            if name.startswith("leaf")
        ]
        if "root" not in self.net.nodes or not self.consumers:
            raise ParameterError(
                f"topology {self.topology}: there must be a root and a leaf",
                "topology",
                self.topology,
            )
        Producer(self.net.nodes["root"], "/root", payload_size=self.payload_size)
        routing = GlobalRouting(nodes, "metric")
        routing.use_topology(self.net)
        routing.add_producers()
        routing.calculate()
        self.tracers = {
            "rates": L3RateTracer(nodes, self.file("rates")),
            "drops": L2RateTracer(nodes, self.file("drops")),
            "cache": CsTracer(nodes, self.file("cache")),
            "delays": AppDelayTracer(self.consumers, self.file("delays")),
        }

    def file(self, name: str) -> str | None:
        return None if self.trace_prefix is None else f"{self.trace_prefix}{name}.txt"

    def report(self, sim: Simulator) -> dict[str, float | None]:
        received = sum(consumer.received for consumer in self.consumers)
        delay = sum(consumer.total_delay for consumer in self.consumers)
        counters = [node.ndn.counters for node in self.net.nodes.values()]
        return {
            "interests": sum(consumer.sent for consumer in self.consumers),
            "data": received,
            "mean_delay_ms": delay / received * 1e-6 if received else None,
            "cache_hits": sum(node.cs_hits for node in counters),
            "cache_misses": sum(node.cs_misses for node in counters),
            "root_interests": self.net.nodes["root"].ndn.counters.in_interests,
        }

    def tables(self, sim: Simulator) -> dict[str, object]:
        return {name: tracer.table() for name, tracer in self.tracers.items()}

    def traced(self, sim: Simulator) -> Sequence[PointToPointDevice]:
        return [device for link in self.net.links for device in link.devices]
