"""DSR over a medium without contention: what remains is the protocol alone."""

import pytest

from simcore import Simulator, seconds
from simcore.models.dsr import install_dsr
from simcore.models.internet import AddressAllocator, UdpSocket, install_internet
from simcore.models.network import IdealChannel, IdealDevice, create_nodes
from simcore.models.network.packet import Packet


@pytest.mark.parametrize(
    ("acknowledgement", "most_lost"),
    [
        ("link", 1),
        # Two tries of 100 ms, then three of 200, 400 and 800 ms: 1.6 s, and what a link confirmed
        # within the last 250 ms is not watched for.
        ("passive", 8),
        # Three tries of 100, 200 and 400 ms, round trips being short.
        ("network", 5),
    ],
)
def test_chain_with_a_break(acknowledgement, most_lost):
    sim = Simulator()
    nodes = create_nodes(sim, 7)
    channel = IdealChannel("1us")
    devices = [IdealDevice(node, channel) for node in nodes]
    channel.chain()
    install_internet(nodes)
    interfaces = AddressAllocator("10.1.1.0/24").assign(devices)
    agents = install_dsr(interfaces, acknowledgement=acknowledgement)
    received = []
    sink = UdpSocket(nodes[5])
    sink.bind(9)
    sink.on_receive(lambda payload, *_: received.append(payload.tag))
    source = UdpSocket(nodes[0])

    def send(number):
        source.send_to(Packet(sim, 64, tag=number), interfaces[5].address, 9)

    for i in range(40):
        sim.schedule_at(seconds(1 + i * 0.25), send, i)
    # Node 3 loses node 4, and gets node 6, which has been next to 5 all the time.
    sim.schedule_at(seconds(5.1), channel.cut, devices[3], devices[4])
    sim.schedule_at(seconds(5.1), channel.join, devices[3], devices[6])
    sim.run(until=seconds(15))
    # Nothing arrives twice, and only what met the break before it was noticed is lost.
    assert len(received) == len(set(received))
    lost = set(range(40)) - set(received)
    assert lost <= set(range(17, 17 + most_lost))
    assert sum(agent.link_break_count for agent in agents) == 1
    assert agents[3].error_count == 1
    assert [str(address) for address in agents[0].route_to(interfaces[5].address).addresses] == [
        "10.1.1.2",
        "10.1.1.3",
        "10.1.1.4",
        "10.1.1.7",
    ]
    assert all(len(agent.maintenance_buffer) == 0 for agent in agents)
