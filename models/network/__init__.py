"""Packets, addresses, nodes, devices, point-to-point links, shared-bus Ethernet and queues."""

from simcore.models.network.address import BROADCAST, Ipv4Address, Ipv4Network, MacAddress
from simcore.models.network.csma import CsmaChannel, CsmaDevice
from simcore.models.network.error_model import (
    BurstErrorModel,
    ErrorModel,
    ListErrorModel,
    RateErrorModel,
)
from simcore.models.network.ethernet import EthernetHeader
from simcore.models.network.ideal import IdealChannel, IdealDevice
from simcore.models.network.llc import LlcHeader
from simcore.models.network.node import (
    LinkListener,
    NetDevice,
    Node,
    TransmitListener,
    create_nodes,
    nodes_of,
)
from simcore.models.network.packet import Header, Packet, PacketError, fragment, reassemble
from simcore.models.network.point_to_point import PointToPointDevice, PointToPointLink
from simcore.models.network.ppp import PppHeader
from simcore.models.network.queue import DropTailQueue
from simcore.models.network.topology import (
    Topology,
    TopologyError,
    TopologyFile,
    parse_topology,
    read_rocketfuel_weights,
    read_topology,
)

__all__ = [
    "BROADCAST",
    "BurstErrorModel",
    "CsmaChannel",
    "CsmaDevice",
    "DropTailQueue",
    "ErrorModel",
    "EthernetHeader",
    "Header",
    "IdealChannel",
    "IdealDevice",
    "Ipv4Address",
    "Ipv4Network",
    "LinkListener",
    "ListErrorModel",
    "LlcHeader",
    "MacAddress",
    "NetDevice",
    "Node",
    "Packet",
    "PacketError",
    "PointToPointDevice",
    "PointToPointLink",
    "PppHeader",
    "RateErrorModel",
    "Topology",
    "TopologyError",
    "TopologyFile",
    "TransmitListener",
    "create_nodes",
    "fragment",
    "nodes_of",
    "parse_topology",
    "read_rocketfuel_weights",
    "read_topology",
    "reassemble",
]
