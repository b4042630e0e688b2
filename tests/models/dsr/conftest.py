"""Small networks of still nodes that route with DSR."""

import itertools

import pytest

from simcore import Simulator, seconds
from simcore.models.dsr import install_dsr
from simcore.models.internet import AddressAllocator, UdpSocket, install_internet
from simcore.models.mobility import ConstantPosition
from simcore.models.network import create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import MatrixLoss
from simcore.models.wifi import install_adhoc

DEAD = 200.0
"""Loss (dB) of a link that is not there; the others lose nothing."""


class Network:
    """Nodes 0 to n - 1 at one place; `links` says who hears whom."""

    def __init__(self, nodes, links, seed=1, **parameters):
        self.sim = Simulator(seed=seed)
        self.nodes = create_nodes(self.sim, nodes)
        for i, node in enumerate(self.nodes):
            node.mobility = ConstantPosition(node, (float(i), 0.0, 0.0))
        self.loss = MatrixLoss(default_loss=DEAD)
        for a, b in links:
            self.set_link(a, b, True)
        self.devices = install_adhoc(
            self.nodes,
            data_mode="DsssRate11Mbps",
            group_mode="DsssRate11Mbps",
            rts_mode="DsssRate11Mbps",
            loss=self.loss,
        )
        install_internet(self.nodes)
        self.interfaces = AddressAllocator("10.1.1.0/24").assign(self.devices)
        self.agents = install_dsr(self.interfaces, **parameters)
        self.sockets = []
        self.received = []
        self.log = []
        for i, node in enumerate(self.nodes):
            socket = UdpSocket(node)
            socket.bind(9)
            socket.on_receive(
                lambda payload, source, _, i=i: self.received.append(
                    (i, payload.tag, self.sim.now())
                )
            )
            self.sockets.append(socket)
        for i, agent in enumerate(self.agents):
            agent.trace.tx.connect(
                lambda packet, hop, i=i: self.log.append((self.sim.now(), i, hop & 255, packet))
            )
        self.numbers = itertools.count()

    def set_link(self, a, b, up, both=True):
        loss = 0.0 if up else DEAD
        self.loss.set_loss(self.nodes[a], self.nodes[b], loss, symmetric=both)
        # The channel keeps losses between still nodes: a step on the spot makes it look again.
        for node in (self.nodes[a], self.nodes[b]):
            node.mobility.position = node.mobility.position

    def address(self, i):
        return self.interfaces[i].address

    def send(self, source, destination, at, size=64):
        """Have a datagram sent at a time (s); returns its number."""
        number = next(self.numbers)
        self.sim.schedule_at(
            seconds(at),
            lambda: self.sockets[source].send_to(
                Packet(self.sim, size, tag=number), self.address(destination), 9
            ),
        )
        return number

    def at(self, time, action):
        self.sim.schedule_at(seconds(time), action)

    def run(self, until):
        self.sim.run(until=seconds(until))
        return [(node, tag) for node, tag, _ in self.received]

    def route(self, source, destination):
        """Nodes between two on the first one's best route, as numbers."""
        found = self.agents[source].route_to(self.address(destination))
        if found is None:
            return None
        return [address.value - self.address(0).value for address in found.addresses]

    def sent(self, kind, node=None):
        """Transmissions that carry an option of a class: (time, node, next hop's last octet)."""
        found = []
        for time, sender, hop, packet in self.log:
            header = packet.headers[1]
            carried = getattr(header, "options", ())
            if (node is None or node == sender) and any(isinstance(o, kind) for o in carried):
                found.append((time, sender, hop, packet))
        return found

    def total(self, counter):
        return sum(getattr(agent, counter) for agent in self.agents)


@pytest.fixture(scope="session")
def network():
    return Network
