"""Saturation throughput of n stations in one cell, beside Bianchi's model."""

import math
from collections.abc import Sequence

from simcore import Simulator, seconds
from simcore.models.mobility import ConstantPosition
from simcore.models.network.address import MacAddress
from simcore.models.network.node import NetDevice, create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import LogDistanceLoss
from simcore.models.wifi import WifiDevice, install_adhoc
from simcore.models.wifi.managers.manager import ConstantRateManager
from simcore.models.wifi.phy.duration import tx_duration
from simcore.models.wifi.phy.standards import standard_parameters
from simcore.models.wifi.phy.txvector import TxVector
from simcore.scenario import Scenario, parameter

ETHERTYPE = 0x88B5  # local experiments, IEEE 802
FRAME_OVERHEAD = 8 + 24 + 4  # LLC/SNAP, MAC header, FCS
ACK_SIZE = 14


def bianchi_throughput(
    stations: int, packet_size: int, standard: str, data_mode: str, ack_mode: str, eifs: bool
) -> float:
    """Saturation throughput in bit/s; after a collision stations wait DIFS, or EIFS.

    G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function",
    IEEE JSAC 18(3), 2000, equations 7, 9 and 13, with the slot that only the last sender can
    use: I. Tinnirello, G. Bianchi, Y. Xiao, "Refinements on IEEE 802.11 distributed coordination
    function modeling approaches", IEEE Trans. Vehicular Technology 59(3), 2010.
    """
    constants = standard_parameters(standard)
    window = constants.cw_min + 1
    stages = round(math.log2((constants.cw_max + 1) / window))
    band = constants.band_ghz
    data = tx_duration(packet_size + FRAME_OVERHEAD, TxVector(data_mode), band)
    ack = tx_duration(ACK_SIZE, TxVector(ack_mode), band)
    exchange = data + constants.sifs_ns + ack + constants.difs_ns
    if stations == 1:
        # Nobody to collide with: the mean back-off of the smallest window before each exchange.
        return packet_size * 8 / (exchange + constants.slot_ns * (window - 1) / 2) * 1e9

    def transmission_probability(collision: float) -> float:
        doubling = sum((2 * collision) ** stage for stage in range(stages))
        return 2 / (1 + window + collision * window * doubling)

    low, high = 0.0, 1.0
    for _ in range(100):
        tau = (low + high) / 2
        if transmission_probability(1 - (1 - tau) ** (stations - 1)) > tau:
            low = tau
        else:
            high = tau
    some = 1 - (1 - tau) ** stations
    success = stations * tau * (1 - tau) ** (stations - 1)
    # Who succeeded draws zero with probability 1/W and then goes on before anybody counts.
    repeated = 1 / (1 - 1 / window)
    good = exchange * repeated + constants.slot_ns
    collided = data + (constants.eifs_ns if eifs else constants.difs_ns)
    mean = (1 - some) * constants.slot_ns + success * good + (some - success) * collided
    return success * repeated * packet_size * 8 / mean * 1e9


class WifiBianchi(Scenario):
    """Stations of one ad hoc cell that always have a packet for their neighbour in a ring."""

    nodes: int = parameter(10, min=1, max=1000, help="stations")
    standard: str = parameter("802.11b", choices=("802.11a", "802.11b"), help="of the stations")
    data_mode: str = parameter("DsssRate11Mbps", help="rate of data frames")
    packet_size: int = parameter(1500, unit="B", min=1, max=2296, help="MSDU without LLC/SNAP")
    warm_up: float = parameter(1.0, unit="s", help="time that is not measured")
    total_time: float = parameter(11.0, unit="s", help="simulated time")

    def build(self, sim: Simulator) -> None:
        # A single sender needs somebody who answers.
        nodes = create_nodes(sim, max(self.nodes, 2))
        for index, node in enumerate(nodes):
            angle = 2 * math.pi * index / len(nodes)
            ConstantPosition(node, (0.001 * math.cos(angle), 0.001 * math.sin(angle)))
        self.devices = install_adhoc(
            nodes,
            standard=self.standard,
            data_mode=self.data_mode,
            loss=LogDistanceLoss(2.0, 1.0, 40.046),
            retry_limit=65535,  # the model's stations never give up
            queue_lifetime=seconds(1e6),
        )
        self.received = 0
        for device in self.devices:
            device.node.listen(self.count, ETHERTYPE)
        for index, device in enumerate(self.devices[: self.nodes]):
            peer = self.devices[(index + 1) % len(nodes)].address
            device.on_transmit(self.refill, self.refill)
            for _ in range(2):
                device.send_packet(Packet(sim, self.packet_size), peer, ETHERTYPE)
        sim.schedule(seconds(self.warm_up), self.begin)

    def begin(self) -> None:
        self.received = 0

    def refill(self, device: NetDevice, packet: Packet, peer: MacAddress, *why: str) -> None:
        device.send_packet(Packet(device.node.sim, self.packet_size), peer, ETHERTYPE)

    def count(self, *arrival: object) -> None:
        self.received += 1

    def report(self, sim: Simulator) -> dict[str, float]:
        measured = sim.now_seconds() - self.warm_up
        throughput = self.received * self.packet_size * 8 / measured
        ack_mode = ConstantRateManager(self.standard, self.data_mode).response_mode(self.data_mode)
        macs = [device.mac_layer for device in self.devices]
        model = {
            eifs: bianchi_throughput(
                self.nodes, self.packet_size, self.standard, self.data_mode, ack_mode, eifs
            )
            for eifs in (False, True)
        }
        return {
            "throughput_mbps": throughput / 1e6,
            "model_difs_mbps": model[False] / 1e6,
            "model_eifs_mbps": model[True] / 1e6,
            "error_difs": throughput / model[False] - 1,
            "tx_frames": sum(mac.data_tx_count for mac in macs),
            "retries": sum(mac.retry_count for mac in macs),
        }

    def traced(self, sim: Simulator) -> Sequence[WifiDevice]:
        return self.devices
