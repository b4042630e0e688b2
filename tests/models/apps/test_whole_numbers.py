"""Constructors refuse numbers that C would cut."""

import re

import pytest

from simcore import Simulator
from simcore.models.apps import Cbr, OnOff, Ping, Sink, UdpEchoClient, UdpEchoServer
from simcore.models.internet import AddressAllocator, install_internet
from simcore.models.network import DropTailQueue, NetDevice, PointToPointLink, create_nodes


@pytest.fixture
def nodes():
    nodes = create_nodes(Simulator(), 2)
    link = PointToPointLink(*nodes, 5e6, "2ms")
    install_internet(nodes)
    AddressAllocator("10.1.1.0/24").assign(link.devices)
    return nodes


CASES = {
    "count of nodes": ("count", lambda nodes, n: create_nodes(nodes[0].sim, n)),
    "mtu": ("mtu", lambda nodes, n: NetDevice(nodes[0], mtu=n)),
    "max_packets": ("max_packets", lambda nodes, n: DropTailQueue(n)),
    "cbr": ("count", lambda nodes, n: Cbr(nodes[0], "10.1.1.2", 9, interval="1s", count=n)),
    "on/off": ("max_bytes", lambda nodes, n: OnOff(nodes[0], "10.1.1.2", 9, max_bytes=n)),
    "ping size": ("size", lambda nodes, n: Ping(nodes[0], "10.1.1.2", size=n)),
    "ping count": ("count", lambda nodes, n: Ping(nodes[0], "10.1.1.2", count=n)),
    "sink": ("port", lambda nodes, n: Sink(nodes[0], n)),
    "server": ("port", lambda nodes, n: UdpEchoServer(nodes[0], n)),
    "client": ("count", lambda nodes, n: UdpEchoClient(nodes[0], "10.1.1.2", count=n)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("value", [7.9, "7", None, 10**30, -(10**30)])
def test_refused(nodes, case, value):
    name, make = CASES[case]
    error = ValueError if isinstance(value, int) else TypeError
    with pytest.raises(error, match=f"{name} is {re.escape(repr(value))}: it must be"):
        make(nodes, value)
    assert all(node.applications == [] for node in nodes)
