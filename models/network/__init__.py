"""Packets, addresses, nodes, devices, point-to-point links and queues."""

from simcore.models.network.address import BROADCAST, Ipv4Address, Ipv4Network, MacAddress
from simcore.models.network.node import (
    LinkListener,
    NetDevice,
    Node,
    TransmitListener,
    create_nodes,
    nodes_of,
)
from simcore.models.network.packet import Header, Packet, PacketError, fragment, reassemble

__all__ = [
    "BROADCAST",
    "Header",
    "Ipv4Address",
    "Ipv4Network",
    "LinkListener",
    "MacAddress",
    "NetDevice",
    "Node",
    "Packet",
    "PacketError",
    "TransmitListener",
    "create_nodes",
    "fragment",
    "nodes_of",
    "reassemble",
]
