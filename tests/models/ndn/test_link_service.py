"""Fragments, retransmissions and congestion marks over a link."""

from math import sqrt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simcore import Simulator, ms, seconds
from simcore.models import ndn
from simcore.models.ndn import Data, Interest, LpPacket
from simcore.models.ndn.fragmentation import Reassembler
from simcore.models.ndn.testing import CallbackFace, RecordingFace
from simcore.models.network import (
    ListErrorModel,
    PointToPointLink,
    RateErrorModel,
    create_nodes,
)


class Ends:
    """Two nodes with a link, and the network packets that the second takes."""

    def __init__(self, link=None, **face):
        self.sim = Simulator(seed=1)
        self.nodes = create_nodes(self.sim, 2)
        link = {"data_rate": "10Mbps", "delay": "1ms", **(link or {})}
        self.link = PointToPointLink(*self.nodes, **link)
        ndn.install(self.nodes, face=face)
        self.face = ndn.face_towards(*self.nodes)
        self.peer = ndn.face_towards(*self.nodes[::-1])
        # Interests find somebody there who never answers.
        self.sink = self.nodes[1].ndn.add_face(RecordingFace(self.sim, is_local=True))
        self.nodes[1].ndn.add_route("/", self.sink)
        self.frames = []
        self.link.devices[0].trace.tx_begin.connect(
            lambda frame: self.frames.append((self.sim.now(), frame.inner))
        )
        self.back = []
        self.link.devices[1].trace.tx_begin.connect(
            lambda frame: self.back.append((self.sim.now(), frame.inner))
        )

    def lose(self, *positions, end=1):
        self.link.devices[end].error_model = ListErrorModel(positions=positions)

    def send(self, packet, at=0):
        send = self.face.send_interest if isinstance(packet, Interest) else self.face.send_data
        self.sim.schedule(at, send, packet, None)

    @property
    def times(self):
        return [time for time, _ in self.frames]


# Fragmentation


def test_fragments_fit_the_mtu_and_carry_the_packet():
    ends = Ends({"mtu": 500})
    data = Data("/a", bytes(range(250)) * 12)
    ends.send(data)
    ends.sim.run()
    assert ends.nodes[1].ndn.counters.in_data == 1
    wires = [frame.to_bytes() for _, frame in ends.frames]
    assert len(wires) == ends.face.link_counters.fragments_sent == 7
    assert [len(wire) for wire in wires] == [frame.size for _, frame in ends.frames]
    assert max(len(wire) for wire in wires) <= 500
    reassembler = Reassembler(Simulator(), 1)
    whole = [reassembler.receive(LpPacket.from_wire(wire)) for wire in wires]
    assert whole[:-1] == [None] * 6
    assert whole[-1].fragment == data.to_wire()


def test_reassembly_gives_the_same_object():
    ends = Ends({"mtu": 500})
    asker = ends.nodes[1].ndn.add_face(RecordingFace(ends.sim, is_local=True))
    ends.sim.schedule(1, asker.receive_interest, Interest("/a", lifetime=seconds(1)))
    data = Data("/a", 3000)
    ends.send(data, ms(10))
    ends.sim.run()
    assert asker.of("D")[0] is data


@pytest.mark.parametrize("mtu", [92, 100, 576, 1500])
@pytest.mark.parametrize("size", [0, 1, 29, 300, 1443, 1500, 8000])
def test_every_size_passes_every_mtu(mtu, size):
    ends = Ends({"mtu": mtu, "queue_packets": 1000})
    ends.send(Data("/a", size))
    ends.sim.run()
    assert ends.nodes[1].ndn.counters.in_data == 1
    assert all(len(frame.to_bytes()) == frame.size <= mtu for _, frame in ends.frames)


def test_a_lost_fragment_loses_the_packet_and_its_rest_is_given_up():
    ends = Ends({"mtu": 500})
    ends.lose(2)
    ends.send(Data("/a", 3000))
    ends.send(Data("/b", 3000), at=ms(100))
    reassembler = ends.peer.service.reassembler
    ends.sim.run(until=ms(400))
    assert (ends.nodes[1].ndn.counters.in_data, len(reassembler.partial)) == (1, 1)
    # 500 ms after the last fragment.
    last = ends.times[6] + ends.link.transmission_time(ends.frames[6][1].size + 2) + ms(1)
    ends.sim.run(until=last + ms(500) - 1)
    assert reassembler.timed_out == 0
    ends.sim.run(until=last + ms(500))
    assert (reassembler.timed_out, len(reassembler.partial)) == (1, 0)


def test_without_fragmentation_large_packets_are_dropped():
    ends = Ends({"mtu": 500}, fragmentation=False)
    ends.send(Data("/a", 3000))
    ends.send(Data("/b", 440))
    ends.sim.run()
    assert ends.face.link_counters.over_mtu == 1
    assert ends.nodes[1].ndn.counters.in_data == 1


def test_without_reassembly_fragments_are_dropped():
    ends = Ends({"mtu": 500}, reassembly=False)
    ends.send(Data("/a", 800))
    ends.sim.run()
    assert ends.peer.link_counters.fragments_refused == 2
    assert ends.nodes[1].ndn.counters.in_data == 0


def test_more_than_400_fragments_are_an_error():
    ends = Ends({"mtu": 92})
    ends.send(Data("/a", 12_100))
    ends.sim.run()
    assert ends.face.link_counters.fragmentation_errors == 1
    assert ends.frames == []


# Reliability


def test_lossy_link_with_reliability_gets_everything_through_once():
    ends = Ends(reliability=True)
    for i, device in enumerate(ends.link.devices):
        device.error_model = RateErrorModel(0.1, unit="packet", stream=ends.sim.random.stream(i))
    for i in range(500):
        ends.send(Interest(f"/a/{i}"), at=ms(2) * i)
    ends.sim.run()
    reliability = ends.face.service.reliability
    assert ends.nodes[1].ndn.counters.in_interests == 500
    assert reliability.acknowledged + reliability.retransmitted == 500
    assert reliability.outstanding == reliability.exhausted == 0
    assert reliability.retransmitted > 20
    # Acknowledgements get lost too: what comes again is not handed up again.
    assert ends.peer.service.reliability.duplicates > 0


def test_the_same_link_without_reliability_loses_some():
    ends = Ends()
    ends.link.devices[1].error_model = RateErrorModel(
        0.1, unit="packet", stream=ends.sim.random.stream(1)
    )
    for i in range(500):
        ends.send(Interest(f"/a/{i}"), at=ms(2) * i)
    ends.sim.run()
    assert 420 < ends.nodes[1].ndn.counters.in_interests < 480


def test_three_retransmissions_a_timeout_apart_then_the_end():
    ends = Ends(reliability=True)
    ends.lose(*range(20))
    ends.send(Interest("/a"))
    ends.sim.run()
    assert ends.times == [seconds(i) for i in range(4)]
    reliability = ends.face.service.reliability
    assert (reliability.exhausted, reliability.dropped_interests) == (1, 1)
    assert reliability.outstanding == 0
    assert ends.sim.now() == seconds(4)
    numbers = [
        (frame.content.sequence, frame.content.tx_sequence) for _, frame in ends.frames
    ]
    assert len({sequence for sequence, _ in numbers}) == 1
    assert [number for _, number in numbers] == [0, 1, 2, 3]


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_a_packet_gets_through_at_any_attempt(lost):
    ends = Ends(reliability=True)
    ends.lose(*range(lost))
    ends.send(Interest("/a"))
    ends.sim.run()
    reliability = ends.face.service.reliability
    assert ends.nodes[1].ndn.counters.in_interests == 1
    assert (reliability.acknowledged, reliability.retransmitted) == (0, 1)
    assert reliability.retransmissions == lost


def test_three_later_acknowledgements_mean_a_loss():
    ends = Ends(reliability=True)
    ends.lose(0)
    for i in range(4):
        ends.send(Interest(f"/a/{i}"), at=ms(1) * i)
    ends.sim.run()
    reliability = ends.face.service.reliability
    assert (reliability.acknowledged, reliability.retransmitted) == (3, 1)
    # Not the timeout of 1 s: the acknowledgements come 5 ms after the first arrival.
    assert len(ends.times) == 5
    assert ends.times[4] < ms(12)
    assert reliability.rtt.smoothed < ms(10)


def test_two_later_acknowledgements_do_not():
    ends = Ends(reliability=True)
    ends.lose(0)
    for i in range(3):
        ends.send(Interest(f"/a/{i}"), at=ms(1) * i)
    ends.sim.run()
    assert len(ends.times) == 4
    assert ends.times[3] == seconds(1)


def test_acknowledgements_ride_on_packets_or_go_alone_after_5_ms():
    ends = Ends(reliability=True)
    ends.send(Interest("/a"))
    ends.sim.schedule(ms(3), ends.peer.send_data, Data("/b"), None)
    ends.send(Interest("/c"), at=ms(50))
    ends.sim.run()
    packets = [(time, frame.content) for time, frame in ends.back]
    assert [packet.acks for _, packet in packets] == [(0,), (1,)]
    assert packets[0][1].fragment is not None
    alone = packets[1][1]
    assert alone.fragment is None
    arrival = ends.times[2] + ends.link.transmission_time(ends.frames[2][1].size + 2) + ms(1)
    assert packets[1][0] == arrival + ms(5)
    # LpPacket, its length, one Ack of 12 bytes.
    assert ends.back[1][1].size == len(alone.to_wire()) == 14


def test_of_a_fragmented_packet_only_what_is_lost_is_sent_again():
    ends = Ends({"mtu": 500}, reliability=True)
    ends.lose(1, 4)
    ends.send(Data("/a", 3000))
    ends.sim.run()
    assert ends.nodes[1].ndn.counters.in_data == 1
    assert len(ends.times) == ends.face.link_counters.fragments_sent + 2
    reliability = ends.face.service.reliability
    assert (reliability.acknowledged, reliability.retransmitted) == (0, 1)
    assert all(len(frame.to_bytes()) == frame.size <= 500 for _, frame in ends.frames)


def test_reliability_takes_options_and_needs_one_neighbour():
    ends = Ends(reliability={"max_retransmissions": 1})
    ends.lose(*range(20))
    ends.send(Interest("/a"))
    ends.sim.run()
    assert ends.times == [0, seconds(1)]
    for wrong in ({"max_retransmissions": -1}, {"idle_ack_delay": 0}, {"loss_threshold": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Ends(reliability=wrong)


@given(
    st.sets(st.integers(0, 40)),
    st.sets(st.integers(0, 40)),
    st.lists(st.integers(0, 299)) | st.lists(st.integers(0, 2500)),
    st.integers(0, 20),
)
@example({2}, {0}, [0, 0], 0)
def test_every_packet_arrives_at_most_once_and_its_fate_is_known(there, back, sizes, gap):
    ends = Ends({"mtu": 500}, reliability=True)
    ends.lose(*there)
    ends.lose(*back, end=0)
    for i, size in enumerate(sizes):
        ends.send(Data(f"/a/{i}", size), at=ms(gap) * i)
    ends.sim.run()
    reliability = ends.face.service.reliability
    fates = reliability.acknowledged, reliability.retransmitted, reliability.exhausted
    assert sum(fates) == len(sizes)
    assert reliability.outstanding == 0
    assert ends.nodes[1].ndn.counters.in_data <= len(sizes)
    if max(sizes, default=0) < 300:
        # What is acknowledged has arrived. Fragments may be acknowledged and their packet lost: the
        # first timeout, 1 s, is longer than that of reassembly, as in NFD.
        assert ends.nodes[1].ndn.counters.in_data >= sum(fates[:2])
    assert ends.peer.service.reassembler.partial == {}
    if not there and not back:
        assert fates == (len(sizes), 0, 0)


# Congestion marks


def marks(ends):
    """Times when marked packets were handed to the device."""
    found = []
    ends.link.devices[0].trace.tx.connect(
        lambda frame: (
            frame.inner.fields is not None
            and frame.inner.fields.congestion_mark
            and found.append(ends.sim.now())
        )
    )
    return found


def test_marks_come_after_100_ms_and_then_ever_closer():
    # 1 Mb/s: a packet of 1000 bytes takes 8 ms; twice as many are sent.
    ends = Ends({"data_rate": "1Mbps", "queue_packets": 1000})
    found = marks(ends)
    wire = len(Data("/a/0", 950).to_wire())
    for i in range(250):
        ends.send(Data("/a/0", 950), at=ms(4) * i)
    over = []
    queue = ends.link.devices[0].queue
    ends.link.devices[0].trace.tx.connect(
        lambda frame: queue.byte_count > 65536 and over.append(ends.sim.now())
    )
    ends.sim.run()
    due = over[0] + ms(100)
    expected = []
    for time in over:
        if time >= due:
            expected.append(time)
            due += int(ms(100) / sqrt(len(expected) + 1))
    assert found == expected
    assert len(found) > 5
    assert ends.face.link_counters.congestion_marked == len(found)
    # A mark costs LpPacket, Fragment and CongestionMark.
    sizes = {frame.size for _, frame in ends.frames}
    assert sizes == {wire, wire + 4 + 4 + 5}


def test_short_peaks_are_not_marked_and_marking_can_be_off():
    for options in ({}, {"congestion_marking": False}):
        ends = Ends({"data_rate": "1Mbps", "queue_packets": 1000}, **options)
        found = marks(ends)
        for i in range(70 if not options else 200):
            ends.send(Data("/a", 1000), at=i * (ms(1) if not options else ms(4)))
        ends.sim.run()
        assert found == []


def test_a_mark_reaches_the_consumer_two_links_away():
    sim = Simulator(seed=1)
    nodes = create_nodes(sim, 3)
    PointToPointLink(nodes[0], nodes[1], data_rate="100Mbps")
    PointToPointLink(nodes[1], nodes[2], data_rate="1Mbps", queue_packets=1000)
    ndn.install(nodes, face={"congestion_threshold": 3000})
    for a, b in ((0, 1), (1, 2)):
        nodes[a].ndn.add_route("/", ndn.face_towards(nodes[a], nodes[b]))
    producer = CallbackFace(
        interest=lambda face, interest: face.receive_data(Data(interest.name, 1000))
    )
    nodes[2].ndn.add_face(producer)
    nodes[2].ndn.add_route("/", producer)
    consumer = RecordingFace(sim, is_local=True)
    nodes[0].ndn.add_face(consumer)
    for i in range(100):
        sim.schedule(ms(4) * i, consumer.receive_interest, Interest(f"/a/{i}"))
    sim.run()
    got = [fields.congestion_mark for _, kind, _, fields in consumer.sent if kind == "D"]
    assert len(got) == 100
    marked = ndn.face_towards(nodes[2], nodes[1]).link_counters.congestion_marked
    assert sum(got) == marked >= 3
