"""NDN over ad hoc Wi-Fi: Interests and Data are broadcast from node to node."""

from collections.abc import Sequence

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.ndn.apps import ConsumerCbr, Producer
from simcore.models.ndn.helpers import add_route
from simcore.models.ndn.stack import device_faces, install
from simcore.models.ndn.tracers import AppDelayTracer
from simcore.models.network import create_nodes
from simcore.models.propagation import ConstantSpeedDelay, RangeLoss
from simcore.models.wifi import WifiDevice, install_adhoc
from simcore.scenario import Scenario, parameter


class NdnAdhoc(Scenario):
    """A consumer and a producer at the ends of a chain of Wi-Fi nodes.

    Every node has one face over its radio, which all neighbours hear, and broadcasts each Interest
    once more; Data come back over the nodes that have the Interest pending.
    """

    nodes: int = parameter(5, min=2, max=1000, help="in a row")
    spacing: float = parameter(100.0, unit="m", min=0, max=1e6, help="between two nodes")
    tx_range: float = parameter(150.0, unit="m", min=0, max=1e6, help="who hear each other")
    frequency: float = parameter(10.0, unit="Hz", min=1e-6, max=1e6, help="Interests per second")
    payload_size: int = parameter(1024, unit="B", min=0, max=8000, help="content of the Data")
    hop_limit: int = parameter(32, min=1, max=255, help="of Interests")
    data_mode: str = parameter(
        "DsssRate2Mbps",
        choices=("DsssRate1Mbps", "DsssRate2Mbps", "DsssRate5_5Mbps", "DsssRate11Mbps"),
        help="rate of all frames",
    )
    total_time: float = parameter(20.0, unit="s", help="simulated time")

    def build(self, sim: Simulator) -> None:
        self.all = create_nodes(sim, self.nodes)
        for i, node in enumerate(self.all):
            ConstantPosition(node, (i * self.spacing, 0.0))
        self.devices = install_adhoc(
            self.all,
            standard="802.11b",
            data_mode=self.data_mode,
            group_mode=self.data_mode,
            loss=RangeLoss(self.tx_range),
            delay=ConstantSpeedDelay(),
        )
        install(self.all, strategy="multicast", face={"hop_counts": True})
        self.faces = [device_faces(node)[0] for node in self.all]
        for node, face in zip(self.all, self.faces, strict=True):
            add_route(node, "/prefix", face)
        self.producer = Producer(self.all[-1], "/prefix", payload_size=self.payload_size)
        self.consumer = ConsumerCbr(
            self.all[0], "/prefix", self.frequency, hop_limit=self.hop_limit
        )
        self.delays = AppDelayTracer([self.consumer])

    def report(self, sim: Simulator) -> dict[str, float | None]:
        consumer = self.consumer
        delay = consumer.mean_delay
        return {
            "interests": consumer.sent,
            "data": consumer.received,
            "retransmissions": consumer.retransmitted,
            "satisfied_ratio": (
                consumer.received / (consumer.sent - consumer.retransmitted)
                if consumer.sent
                else None
            ),
            "mean_delay_ms": None if delay is None else delay * 1e-6,
            "mean_hops": consumer.mean_hops,
            "interest_broadcasts": sum(face.counters.out_interests for face in self.faces),
            "data_broadcasts": sum(face.counters.out_data for face in self.faces),
            "unsolicited": sum(node.ndn.counters.unsolicited_data for node in self.all),
        }

    def tables(self, sim: Simulator) -> dict[str, object]:
        return {"delays": self.delays.table()}

    def traced(self, sim: Simulator) -> Sequence[WifiDevice]:
        return self.devices
