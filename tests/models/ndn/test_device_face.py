"""Faces over devices: what is on the wire, when it arrives, who hears it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator, ms, seconds
from simcore.models import ndn
from simcore.models.ndn import Data, Interest, LpFields, LpPacket, NackReason, NetDeviceFace
from simcore.models.ndn.testing import CallbackFace
from simcore.models.network import Node, PointToPointLink, create_nodes


def chain(sim, count, link=None, content=1000, **options):
    """Nodes in a row, routes to the last, where everything is answered with `content` bytes."""
    nodes = create_nodes(sim, count)
    links = [PointToPointLink(a, b, **(link or {})) for a, b in pairwise(nodes)]
    ndn.install(nodes, **options)
    for node, following in pairwise(nodes):
        node.ndn.add_route("/", ndn.face_towards(node, following))
    producer = CallbackFace(
        interest=lambda face, interest: face.receive_data(Data(interest.name, content))
    )
    nodes[-1].ndn.add_face(producer)
    nodes[-1].ndn.add_route("/", producer)
    return nodes, links


def consumer_on(node):
    got = []
    face = CallbackFace(
        data=lambda face, data: got.append((node.sim.now(), "D", data)),
        nack=lambda face, interest, reason: got.append((node.sim.now(), "N", reason)),
    )
    node.ndn.add_face(face)
    return face, got


def sniffed(device):
    frames = []
    device.trace.sniffer.connect(frames.append)
    return frames


def test_an_exchange_takes_the_time_of_its_bytes_and_shares_the_data():
    sim = Simulator(seed=1)
    nodes, links = chain(sim, 2, {"data_rate": "10Mbps", "delay": "10ms"})
    face, got = consumer_on(nodes[0])
    sent = []
    frames = sniffed(links[0].devices[0])
    nodes[1].ndn.trace.satisfied.connect(lambda entry, data, face: sent.append(data))
    interest = Interest("/a/b", nonce=7)
    sim.schedule(0, face.receive_interest, interest)
    sim.run()
    data = got[0][2]
    assert data is sent[0]
    size = len(interest.to_wire()) + len(data.to_wire()) + 2 * 2
    assert got[0][0] == 2 * ms(10) + size * 800
    # Bare packets: without header fields there is no LpPacket.
    assert [frame.inner.to_bytes() for frame in frames] == [interest.to_wire(), data.to_wire()]
    assert all(len(frame.to_bytes()) == frame.size for frame in frames)
    assert frames[0].to_bytes()[:2] == b"\x86\x24"


def test_a_hop_with_hop_counts_takes_what_ndnsim_measures():
    """One hop at 10 Mbit/s takes 883.2 us: 1104 bytes with LpPacket, HopCount and PPP."""
    sim = Simulator(seed=1)
    # ndnSIM's producer: 1024 bytes of content with a signature of one byte. The signature here
    # has 32, the content 31 less.
    nodes, links = chain(
        sim, 3, {"data_rate": "10Mbps", "delay": "10ms"}, content=993, face={"hop_counts": True}
    )
    face, got = consumer_on(nodes[0])
    frames = sniffed(links[0].devices[0])
    interest = Interest("/prefix/%FE%00", lifetime=seconds(2), nonce=1)
    sim.schedule(0, face.receive_interest, interest)
    sim.run()
    assert (len(interest.to_wire()), len(got[0][2].to_wire())) == (26, 1056)
    assert [frame.size for frame in frames] == [26 + 7 + 2, 1056 + 11 + 2]
    assert all(len(frame.to_bytes()) == frame.size for frame in frames)
    # LpPacket, its length, HopCount: none on the first link.
    assert frames[0].inner.to_bytes()[:5] == bytes([0x64, 26 + 5, 84, 1, 0])
    assert got[0][0] == 2 * (2 * ms(10) + 883_200)


def test_hop_counts_grow_by_one_a_link_and_survive_the_cache():
    sim = Simulator(seed=1)
    nodes, _ = chain(sim, 4, face={"hop_counts": True})
    counts = []

    class Consumer(CallbackFace):
        def send_data(self, data, fields):
            counts.append(fields.hop_count)
            return 0

    first, second = Consumer(), Consumer()
    nodes[0].ndn.add_face(first)
    nodes[1].ndn.add_face(second)
    sim.schedule(0, first.receive_interest, Interest("/a"))
    sim.schedule(seconds(1), second.receive_interest, Interest("/a"))
    sim.run()
    assert counts == [3, 2]
    assert nodes[1].ndn.counters.cs_hits == 1


def test_nack_tells_why():
    sim = Simulator(seed=1)
    nodes = create_nodes(sim, 2)
    link = PointToPointLink(*nodes)
    ndn.install(nodes)
    nodes[0].ndn.add_route("/", ndn.face_towards(nodes[0], nodes[1]))
    face, got = consumer_on(nodes[0])
    frames = sniffed(link.devices[0])
    interest = Interest("/a", nonce=3)
    sim.schedule(0, face.receive_interest, interest)
    sim.run()
    assert [what[1:] for what in got] == [("N", NackReason.NO_ROUTE)]
    nack = LpPacket.from_wire(frames[1].inner.to_bytes())
    assert nack.nack_reason == NackReason.NO_ROUTE
    assert nack.fragment == interest.to_wire()
    assert frames[1].size == 2 + len(interest.to_wire()) + 2 + 2 + (3 + 1 + 3 + 1 + 1)


def test_pit_tokens_come_back_and_are_on_the_wire():
    sim = Simulator(seed=1)
    nodes, links = chain(sim, 2)
    face = ndn.face_towards(nodes[0], nodes[1])
    frames = sniffed(links[0].devices[0])
    sim.schedule(0, face.send_interest, Interest("/a"), LpFields(pit_token=b"\1\2\3\4"))
    sim.run()
    tokens = [LpPacket.from_wire(frame.inner.to_bytes()).fields.pit_token for frame in frames]
    assert tokens == [b"\1\2\3\4", b"\1\2\3\4"]
    assert all(len(frame.to_bytes()) == frame.size for frame in frames)


def test_local_fields_stay_on_the_node_unless_allowed():
    fields = LpFields(incoming_face_id=300, no_cache=True, congestion_mark=1)
    for allowed in (False, True):
        sim = Simulator(seed=1)
        nodes, links = chain(sim, 2, face={"local_fields": allowed})
        frames = sniffed(links[0].devices[0])
        face = ndn.face_towards(nodes[0], nodes[1])
        sim.schedule(0, face.send_data, Data("/a", 10), fields)
        sim.run()
        seen = LpPacket.from_wire(frames[0].inner.to_bytes()).fields
        assert seen.congestion_mark == 1
        assert seen.no_cache == allowed
        assert seen.incoming_face_id == (300 if allowed else -1)


def test_next_hop_face_is_obeyed_only_with_local_fields():
    for allowed in (False, True):
        sim = Simulator(seed=1)
        nodes, _ = chain(sim, 3, face={"local_fields": allowed})
        away = ndn.face_towards(nodes[1], nodes[2])
        face = ndn.face_towards(nodes[1], nodes[0])
        before = away.counters.out_interests
        other = ndn.face_towards(nodes[0], nodes[1])
        fields = LpFields(next_hop_face_id=face.id)
        sim.schedule(0, other.send_interest, Interest("/a"), fields)
        sim.run()
        if allowed:
            # Back to where it came from, by order.
            assert (away.counters.out_interests - before, face.counters.out_interests) == (0, 1)
        else:
            assert (away.counters.out_interests - before, face.counters.out_interests) == (1, 0)


@pytest.mark.parametrize(
    "packet",
    [
        LpPacket(Interest("/a"), LpFields(next_hop_face_id=256)),
        LpPacket(Interest("/a"), LpFields(no_cache=True)),
        LpPacket(Data("/a", 1), LpFields(next_hop_face_id=256)),
        LpPacket(Data("/a", 1), LpFields(non_discovery=True)),
        LpPacket(Interest("/a"), LpFields(no_cache=True), nack_reason=NackReason.NO_ROUTE),
        LpPacket(Data("/a", 1), nack_reason=NackReason.NO_ROUTE),
        b"\x05\x00",
        b"\x64\x02\x50\x00",
    ],
)
def test_impossible_network_packets_are_dropped_and_counted(packet):
    sim = Simulator(seed=1)
    nodes, links = chain(sim, 2)
    face = ndn.face_towards(nodes[1], nodes[0])
    wire = packet if isinstance(packet, bytes) else packet.to_wire()
    send_bytes(links[0].devices[0], wire)
    sim.run()
    assert face.link_counters.network_invalid == 1
    assert nodes[1].ndn.counters.in_interests + nodes[1].ndn.counters.in_data == 0


def send_bytes(device, wire):
    from simcore.models.network import Packet

    assert device.send_packet(Packet(device.node.sim, wire), "ff:ff:ff:ff:ff:ff", 0x8624)


def test_bytes_from_elsewhere_are_decoded():
    sim = Simulator(seed=1)
    nodes, links = chain(sim, 2)
    frames = sniffed(links[0].devices[0])
    send_bytes(links[0].devices[0], Interest("/a/b").to_wire())
    send_bytes(links[0].devices[0], b"\x64\x01")
    sim.run()
    assert nodes[1].ndn.counters.in_interests == 1
    assert ndn.face_towards(nodes[1], nodes[0]).link_counters.lp_invalid == 1
    assert str(frames[2].inner.content.name) == "/a/b"


def test_a_face_that_is_down_drops_both_ways():
    sim = Simulator(seed=1)
    nodes, _ = chain(sim, 2)
    face, got = consumer_on(nodes[0])
    link = ndn.face_towards(nodes[0], nodes[1])
    sim.schedule(0, setattr, link, "up", False)
    sim.schedule(ms(1), face.receive_interest, Interest("/a/1"))
    sim.schedule(ms(100), setattr, link, "up", True)
    sim.schedule(ms(101), face.receive_interest, Interest("/a/2"))
    # The answer to the third meets a face that is down.
    sim.schedule(ms(200), face.receive_interest, Interest("/a/3"))
    sim.schedule(ms(201), setattr, link, "up", False)
    sim.run()
    assert [str(data.name) for _, _, data in got] == ["/a/2"]
    assert link.link_counters.down_drops == 2
    assert link.link_counters.device_drops == 0


def test_full_queue_and_broken_link_are_counted():
    sim = Simulator(seed=1)
    nodes, links = chain(sim, 2, {"queue_packets": 2})
    face, got = consumer_on(nodes[0])
    link = ndn.face_towards(nodes[0], nodes[1])
    for number in range(6):
        sim.schedule(0, face.receive_interest, Interest(f"/a/{number}"))
    sim.schedule(seconds(1), setattr, links[0], "up", False)
    sim.schedule(seconds(2), face.receive_interest, Interest("/b"))
    sim.run()
    # One on the wire and two in the queue.
    assert len(got) == 3
    assert link.link_counters.device_drops == 3 + 1


def test_faces_by_neighbour():
    sim = Simulator(seed=1)
    nodes = create_nodes(sim, 4)
    hub, *leaves = nodes
    for leaf in leaves:
        PointToPointLink(hub, leaf)
    forwarders = ndn.install(nodes, cs_capacity=10)
    assert forwarders == [node.ndn for node in nodes]
    assert [ndn.face_towards(hub, leaf).device.index for leaf in leaves] == [0, 1, 2]
    assert ndn.neighbours_of(ndn.face_towards(hub, leaves[1])) == [leaves[1]]
    assert len(ndn.device_faces(hub)) == 3
    with pytest.raises(ValueError, match="no face towards"):
        ndn.face_towards(leaves[0], leaves[1])


def test_what_cannot_be_is_refused():
    sim = Simulator(seed=1)
    a, b = create_nodes(sim, 2)
    link = PointToPointLink(a, b, mtu=200)
    with pytest.raises(ValueError, match="no NDN"):
        ndn.face_towards(a, b)
    ndn.install(a)
    with pytest.raises(ValueError, match="has NDN already"):
        ndn.install([b, a])
    assert getattr(b, "ndn", None) is None
    device = link.devices[1]
    with pytest.raises(ValueError, match="mtu is 201 bytes"):
        NetDeviceFace(device, mtu=201)
    with pytest.raises(ValueError, match="are needed"):
        NetDeviceFace(device, mtu=70)
    with pytest.raises(ValueError, match="congestion_threshold is -1"):
        NetDeviceFace(device, congestion_threshold=-1)
    with pytest.raises(ValueError, match="remote is ff:ff"):
        NetDeviceFace(device, remote="ff:ff:ff:ff:ff:ff")
    face = NetDeviceFace(device)
    with pytest.raises(ValueError, match="has a face already"):
        NetDeviceFace(device)
    face.close()
    NetDeviceFace(device)


@given(st.binary(max_size=200))
def test_no_bytes_disturb_a_face(wire):
    sim = Simulator(seed=1)
    nodes, links = chain(sim, 2)
    send_bytes(links[0].devices[0], wire)
    sim.run()
    counters = ndn.face_towards(nodes[1], nodes[0]).link_counters
    taken = nodes[1].ndn.counters.in_interests + nodes[1].ndn.counters.in_data
    assert counters.lp_invalid + counters.network_invalid + taken <= 1


def test_a_failed_installation_leaves_no_face():
    sim = Simulator(seed=1)
    hub, *leaves = create_nodes(sim, 3)
    PointToPointLink(hub, leaves[0])
    PointToPointLink(hub, leaves[1], mtu=80)
    with pytest.raises(ValueError, match="are needed"):
        ndn.install(hub)
    assert getattr(hub, "ndn", None) is None
    ndn.install(hub, face={"congestion_marking": False})
    assert len(ndn.device_faces(hub)) == 2


def test_packets_of_a_neighbour_without_a_face_are_counted():
    sim = Simulator(seed=1)
    nodes, _ = chain(sim, 2)
    late = Node(sim)
    link = PointToPointLink(nodes[0], late)
    ndn.install(late)
    face = ndn.face_towards(late, nodes[0])
    face.send_interest(Interest("/a"), None)
    sim.run()
    assert nodes[0].ndn.counters.in_interests == 0
    ndn.add_face(link.devices[0])
    face.send_interest(Interest("/b"), None)
    sim.run()
    assert nodes[0].ndn.counters.in_interests == 1
