"""First steps: two nodes, a link, and an echo."""

from collections.abc import Sequence

from simcore import Simulator, seconds
from simcore.models.apps import UdpEchoClient, UdpEchoServer
from simcore.models.internet import AddressAllocator, install_internet
from simcore.models.network import PointToPointDevice, PointToPointLink, create_nodes
from simcore.scenario import Scenario, parameter


class First(Scenario):
    """UDP echo over a point-to-point link, ns-3's first.cc."""

    data_rate: float = parameter(5e6, unit="bit/s", min=1, max=1e15, help="of the link")
    delay: float = parameter(0.002, unit="s", min=0, max=1e9, help="of the link")
    packet_size: int = parameter(1024, unit="B", min=0, max=65507, help="UDP payload")
    packets: int = parameter(1, min=1, max=10**9, help="echo requests")
    interval: float = parameter(1.0, unit="s", min=1e-9, max=1e9, help="between two requests")
    total_time: float = parameter(10.0, unit="s", min=0, max=9e9, help="simulated time")

    def build(self, sim: Simulator) -> None:
        a, b = create_nodes(sim, 2)
        self.link = PointToPointLink(a, b, self.data_rate, seconds(self.delay))
        install_internet([a, b])
        AddressAllocator("10.1.1.0/24").assign(self.link.devices)
        self.server = UdpEchoServer(b, port=9, start="1s")
        self.client = UdpEchoClient(
            a,
            "10.1.1.2",
            port=9,
            packet_size=self.packet_size,
            count=self.packets,
            interval=seconds(self.interval),
            start="2s",
        )

    def report(self, sim: Simulator) -> dict[str, float | None]:
        rtts = self.client.rtts
        return {
            "tx_packets": self.client.sent,
            "rx_packets": self.client.received_packets,
            "rtt_ms": sum(rtts) / len(rtts) / 1e6 if rtts else None,
        }

    def traced(self, sim: Simulator) -> Sequence[PointToPointDevice]:
        return self.link.devices
