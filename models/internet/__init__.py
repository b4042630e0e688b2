"""ARP, IPv4, ICMP and UDP, static and global routing."""

from simcore.models.internet.arp_header import ArpHeader
from simcore.models.internet.global_routing import GlobalRouting, Topology, populate_routes
from simcore.models.internet.icmp import Icmp
from simcore.models.internet.icmp_header import IcmpHeader
from simcore.models.internet.ip_in_ip import IpInIp
from simcore.models.internet.ipv4 import (
    ArpCache,
    Interface,
    Ipv4,
    Ipv4Shim,
    ProtocolHandler,
    RoutingProtocol,
)
from simcore.models.internet.ipv4_header import Ipv4Header
from simcore.models.internet.stack import AddressAllocator, install_internet
from simcore.models.internet.static_routing import StaticRouting
from simcore.models.internet.udp import Udp, UdpSocket
from simcore.models.internet.udp_header import UdpHeader

__all__ = [
    "AddressAllocator",
    "ArpCache",
    "ArpHeader",
    "GlobalRouting",
    "Icmp",
    "IcmpHeader",
    "Interface",
    "IpInIp",
    "Ipv4",
    "Ipv4Header",
    "Ipv4Shim",
    "ProtocolHandler",
    "RoutingProtocol",
    "StaticRouting",
    "Topology",
    "Udp",
    "UdpHeader",
    "UdpSocket",
    "install_internet",
    "populate_routes",
]
