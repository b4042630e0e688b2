"""Putting the internet protocols on nodes, and addresses on their devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from simcore.models.internet.icmp import Icmp
from simcore.models.internet.ipv4 import Interface, Ipv4, RoutingProtocol
from simcore.models.internet.static_routing import StaticRouting
from simcore.models.internet.udp import Udp
from simcore.models.network.address import Ipv4Address, Ipv4Network
from simcore.models.network.node import NetDevice, Node


def install_internet(
    nodes: Node | Iterable[Node], routing: Callable[[], RoutingProtocol] = StaticRouting
) -> None:
    """Put IPv4 with ARP, ICMP and UDP on nodes: ``node.ipv4`` and ``node.udp``.

    Parameters
    ----------
    nodes
        A node or several.
    routing
        Makes a routing protocol for each node, by default `StaticRouting`.

    Raises
    ------
    ValueError
        If a node has a stack already.
    """
    chosen: Iterable[Node] = [nodes] if isinstance(nodes, Node) else nodes
    for node in chosen:
        stack = Ipv4(node, routing())
        Icmp(stack)
        Udp(stack)


class AddressAllocator:
    """Gives out the addresses of a network, in order.

    Parameters
    ----------
    network
        Such as ``"10.1.1.0/24"``.
    first
        Number of the first host.
    """

    def __init__(self, network: Ipv4Network | str, first: int = 1) -> None:
        self.network = Ipv4Network(network)
        self._next = first
        # The last address of a network is its broadcast address, if it has one (RFC 3021).
        room = 2 ** (32 - self.network.prefix_length)
        self._end = room if self.network.prefix_length >= 31 else room - 1
        if not 0 <= first < self._end:
            raise ValueError(f"first is {first}: {self.network} has hosts 1 to {self._end - 1}")

    def next_address(self) -> Ipv4Address:
        """Return the next address.

        Raises
        ------
        ValueError
            If none is left.
        """
        if self._next >= self._end:
            raise ValueError(f"{self.network} has no address left")
        self._next += 1
        return self.network.host(self._next - 1)

    def assign(self, devices: NetDevice | Iterable[NetDevice]) -> list[Interface]:
        """Give each device the next address, and its interface; return the interfaces.

        Raises
        ------
        ValueError
            If a device's node has no internet stack, or no address is left.
        """
        interfaces = []
        for device in [devices] if isinstance(devices, NetDevice) else devices:
            stack = device.node.ipv4
            if stack is None:
                raise ValueError(
                    f"{device.node!r} has no internet stack: use install_internet first"
                )
            interface = stack.add_interface(device)
            interface.add_address(self.next_address(), self.network.prefix_length)
            interfaces.append(interface)
        return interfaces
