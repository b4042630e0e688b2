"""Small networks for the tests of the internet protocols."""

import pytest

from simcore import Simulator
from simcore.models.internet import AddressAllocator, install_internet
from simcore.models.network import IdealChannel, IdealDevice, PointToPointLink, create_nodes


@pytest.fixture
def lan():
    """Builder of nodes on one ideal medium: ``lan(3)`` gives (sim, nodes, channel)."""

    def build(count, **parameters):
        sim = Simulator(**parameters)
        nodes = create_nodes(sim, count)
        channel = IdealChannel("1us")
        install_internet(nodes)
        AddressAllocator("10.1.1.0/24").assign([IdealDevice(node, channel) for node in nodes])
        return sim, nodes, channel

    return build


@pytest.fixture
def line():
    """Builder of nodes joined in a row by links: ``line(3)`` gives (sim, nodes, links)."""

    def build(count, routing=None, **parameters):
        sim = Simulator()
        nodes = create_nodes(sim, count)
        install_internet(nodes, *([] if routing is None else [routing]))
        links = []
        for i in range(count - 1):
            links.append(PointToPointLink(nodes[i], nodes[i + 1], "10Mbps", "1ms", **parameters))
            AddressAllocator(f"10.1.{i + 1}.0/24").assign(links[-1].devices)
        return sim, nodes, links

    return build
