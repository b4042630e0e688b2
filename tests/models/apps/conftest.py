"""Two nodes and a link, for the tests of applications."""

import pytest

from simcore import Simulator
from simcore.models.internet import AddressAllocator, install_internet
from simcore.models.network import PointToPointLink, create_nodes


@pytest.fixture
def pair_of_nodes():
    """(sim, [a, b]) with a link of 10 Mb/s and 1 ms; a is 10.1.1.1, b 10.1.1.2."""
    sim = Simulator(seed=4)
    nodes = create_nodes(sim, 2)
    install_internet(nodes)
    AddressAllocator("10.1.1.0/24").assign(PointToPointLink(*nodes, "10Mbps", "1ms").devices)
    return sim, nodes
