"""Faces over a radio and over a shared wire."""

import pytest

from simcore import Simulator, ms, seconds, us
from simcore.models import ndn
from simcore.models.mobility import ConstantPosition
from simcore.models.ndn import Data, Interest, LinkType, NetDeviceFace
from simcore.models.ndn.testing import CallbackFace
from simcore.models.network import CsmaChannel, CsmaDevice, IdealChannel, IdealDevice, create_nodes
from simcore.models.propagation import RangeLoss
from simcore.models.wifi import install_adhoc


def radios(sim, count, **options):
    """Nodes in a row, each within reach of its neighbours only."""
    nodes = create_nodes(sim, count)
    for node in nodes:
        ConstantPosition(node, (200.0 * node.id, 0.0))
    install_adhoc(nodes, loss=RangeLoss(250), **options)
    return nodes


def wired(sim, count, rate="100Mbps"):
    nodes = create_nodes(sim, count)
    channel = CsmaChannel(rate, "1us")
    for node in nodes:
        CsmaDevice(node, channel)
    return nodes


def producer_on(node, size=500):
    face = CallbackFace(interest=lambda face, i: face.receive_data(Data(i.name, size)))
    node.ndn.add_face(face)
    node.ndn.add_route("/", face)


def consumer_on(node):
    got = []
    face = CallbackFace(data=lambda face, data: got.append((node.sim.now(), str(data.name))))
    node.ndn.add_face(face)
    return face, got


# Radio


def relay(link_type, count=3, interests=10, **options):
    sim = Simulator(seed=1)
    nodes = radios(sim, count)
    face = {} if link_type is None else {"link_type": link_type}
    ndn.install(nodes, face={**face, **options})
    for node in nodes[:-1]:
        (over,) = ndn.device_faces(node)
        node.ndn.add_route("/", over)
    producer_on(nodes[-1])
    consumer, got = consumer_on(nodes[0])
    for i in range(interests):
        sim.schedule(ms(20) * i, consumer.receive_interest, Interest(f"/a/{i}"))
    sim.run()
    return nodes, got


def test_an_interest_may_leave_by_the_face_it_came_from_on_a_radio():
    nodes, got = relay(None)
    assert [name for _, name in got] == [f"/a/{i}" for i in range(10)]
    (face,) = ndn.device_faces(nodes[1])
    assert face.link_type == LinkType.AD_HOC
    assert (face.counters.out_interests, face.counters.out_data) == (10, 10)
    # The first node hears its Interests come back from the relay: a loop, without a Nack.
    assert ndn.device_faces(nodes[0])[0].counters.in_interests == 10
    assert sum(ndn.device_faces(node)[0].counters.out_nacks for node in nodes) == 0


def test_where_all_hear_each_other_it_may_not():
    nodes, got = relay(LinkType.MULTI_ACCESS)
    assert got == []
    assert ndn.device_faces(nodes[1])[0].counters.out_interests == 0


def test_five_radios_in_a_row():
    nodes, got = relay(None, count=5, interests=2)
    assert len(got) == 2
    # Each packet goes over each hop once.
    assert [ndn.device_faces(node)[0].counters.out_interests for node in nodes] == [2, 2, 2, 2, 0]


def test_hop_counts_over_a_radio():
    sim = Simulator(seed=1)
    nodes = radios(sim, 4)
    ndn.install(nodes, face={"hop_counts": True})
    for node in nodes[:-1]:
        node.ndn.add_route("/", ndn.device_faces(node)[0])
    producer_on(nodes[-1])
    counts = []

    class Consumer(CallbackFace):
        def send_data(self, data, fields):
            counts.append(fields.hop_count)
            return 0

    consumer = Consumer()
    nodes[0].ndn.add_face(consumer)
    sim.schedule(0, consumer.receive_interest, Interest("/a"))
    sim.run()
    assert counts == [3]


def test_frames_on_the_air_have_the_bytes_of_the_packet():
    sim = Simulator(seed=1)
    nodes = radios(sim, 2)
    ndn.install(nodes)
    frames = []
    nodes[0].devices[0].phy.trace.tx.connect(lambda ppdu: frames.append(ppdu.to_bytes()))
    interest = Interest("/a/b", nonce=1)
    sim.schedule(0, ndn.device_faces(nodes[0])[0].send_interest, interest, None)
    sim.run()
    # 802.11 header, LLC/SNAP with the ethertype, packet, frame check sequence.
    assert frames[0][24:32] == bytes.fromhex("aaaa030000008624")
    assert frames[0][32:-4] == interest.to_wire()


def test_unicast_faces_reach_one_neighbour_and_are_acknowledged_by_the_mac():
    sim = Simulator(seed=1)
    nodes = create_nodes(sim, 3)
    for node in nodes:
        ConstantPosition(node, (100.0 * node.id, 0.0))
    devices = install_adhoc(nodes, loss=RangeLoss(250))
    ndn.install(nodes)
    one = ndn.add_face(devices[0], remote=devices[1].address)
    back = ndn.add_face(devices[1], remote=devices[0].address)
    assert one.link_type == LinkType.POINT_TO_POINT
    assert ndn.face_towards(nodes[0], nodes[1]) is one
    assert ndn.face_towards(nodes[0], nodes[2]) is ndn.device_faces(nodes[0])[0]
    assert ndn.neighbours_of(one) == [nodes[1]]
    assert ndn.neighbours_of(ndn.device_faces(nodes[0])[0]) == nodes[1:]
    acknowledged = []
    devices[0].on_transmit(transmitted=lambda *arguments: acknowledged.append(arguments))
    producer_on(nodes[1])
    nodes[0].ndn.add_route("/", one)
    consumer, got = consumer_on(nodes[0])
    sim.schedule(0, consumer.receive_interest, Interest("/a"))
    sim.run()
    assert len(got) == len(acknowledged) == 1
    assert (back.counters.in_interests, back.counters.out_data) == (1, 1)
    # The third station is in range and takes nothing.
    assert ndn.device_faces(nodes[2])[0].counters.in_interests == 0


def test_reliability_over_a_radio_needs_a_neighbour():
    sim = Simulator(seed=1)
    nodes = radios(sim, 2)
    with pytest.raises(ValueError, match="give the face of a shared medium a remote"):
        ndn.install(nodes, face={"reliability": True})
    NetDeviceFace(nodes[0].devices[0], remote=nodes[1].devices[0].address, reliability=True)


def test_congestion_marks_follow_the_queue_of_the_mac():
    sim = Simulator(seed=1)
    nodes = radios(sim, 2, data_mode="DsssRate1Mbps")
    ndn.install(nodes, face={"congestion_threshold": 5000})
    (face,) = ndn.device_faces(nodes[0])
    for i in range(150):
        sim.schedule(ms(3) * i, face.send_data, Data(f"/a/{i}", 1000), None)
    sim.run()
    assert face.link_counters.congestion_marked >= 3


def test_large_data_is_fragmented_over_a_radio():
    sim = Simulator(seed=1)
    nodes = radios(sim, 3)
    ndn.install(nodes)
    for node in nodes[:-1]:
        node.ndn.add_route("/", ndn.device_faces(node)[0])
    producer_on(nodes[-1], 8000)
    consumer, got = consumer_on(nodes[0])
    sim.schedule(0, consumer.receive_interest, Interest("/a"))
    sim.run()
    assert len(got) == 1
    assert ndn.device_faces(nodes[2])[0].link_counters.fragments_sent == 4


# Shared wire


def test_a_shared_wire_is_multi_access_and_one_data_answers_all():
    sim = Simulator(seed=1)
    nodes = wired(sim, 4)
    ndn.install(nodes)
    (face,) = ndn.device_faces(nodes[0])
    assert face.link_type == LinkType.MULTI_ACCESS
    producer_on(nodes[3])
    consumers = []
    for node in nodes[:2]:
        node.ndn.add_route("/", ndn.device_faces(node)[0])
        consumers.append(consumer_on(node))
    for consumer, _ in consumers:
        sim.schedule(us(1), consumer.receive_interest, Interest("/a"))
    sim.run()
    assert [len(got) for _, got in consumers] == [1, 1]
    # The second Interest finds the first one's Data under way or in the cache: two at most.
    assert ndn.device_faces(nodes[3])[0].counters.out_data <= 2


def test_fragments_of_several_senders_are_kept_apart():
    sim = Simulator(seed=1)
    nodes = wired(sim, 3, rate="10Mbps")
    ndn.install(nodes)
    for node in nodes[:2]:
        (face,) = ndn.device_faces(node)
        for i in range(5):
            sim.schedule(0, face.send_data, Data(f"/{node.id}/{i}", 4000), None)
    sim.run()
    (face,) = ndn.device_faces(nodes[2])
    assert face.counters.in_data == 10
    assert face.service.reassembler.partial == {}


def test_unicast_over_a_shared_wire_with_reliability():
    sim = Simulator(seed=1)
    nodes = wired(sim, 3)
    ndn.install(nodes, face={})
    a, b = nodes[0].devices[0], nodes[1].devices[0]
    one = ndn.add_face(a, remote=b.address, reliability=True)
    other = ndn.add_face(b, remote=a.address, reliability=True)
    for i in range(3):
        sim.schedule(ms(i), one.send_data, Data(f"/{i}", 100), None)
    sim.run(until=seconds(1))
    assert other.counters.in_data == 3
    assert one.service.reliability.acknowledged == 3
    assert ndn.device_faces(nodes[2])[0].counters.in_data == 0


def test_any_device_will_do():
    sim = Simulator(seed=1)
    nodes = create_nodes(sim, 3)
    channel = IdealChannel("1ms")
    for node in nodes:
        IdealDevice(node, channel)
    channel.chain()
    ndn.install(nodes, face={"link_type": LinkType.AD_HOC})
    for node in nodes[:-1]:
        node.ndn.add_route("/", ndn.device_faces(node)[0])
    producer_on(nodes[-1])
    consumer, got = consumer_on(nodes[0])
    sim.schedule(0, consumer.receive_interest, Interest("/a"))
    sim.run()
    assert got == [(ms(4), "/a")]
