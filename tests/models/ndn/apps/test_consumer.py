from __future__ import annotations

import math
from itertools import pairwise

import pytest

from simcore import ms, seconds, us
from simcore.models.ndn import Data, Interest, NackReason
from simcore.models.ndn.apps import Consumer, ConsumerBatches, ConsumerCbr, NdnApplication, Producer
from simcore.models.network import Node


def times(consumer):
    """Times (ns) and sequence numbers of the Interests that are sent."""
    found = []
    consumer.trace.interest.connect(
        lambda interest: found.append((consumer.node.sim.now(), interest.name[-1].number))
    )
    return found


def test_data_comes_after_a_round_trip(sim, line):
    nodes = line(3).nodes
    Producer(nodes[2], "/p", payload_size=500)
    consumer = ConsumerCbr(nodes[0], "/p", 10, count=5, start="1s")
    sent = times(consumer)
    data = []
    consumer.trace.data.connect(lambda *arguments: data.append((sim.now(), *arguments)))
    sim.run(seconds(3))
    assert sent == [(seconds(1) + i * ms(100), i) for i in range(5)]
    assert [(time, number) for time, number, *_ in data] == [
        (seconds(1) + i * ms(100) + ms(40), i) for i in range(5)
    ]
    assert {delays for _, _, delays, _ in data} == {(ms(40), ms(40), 1, 0)}
    assert all(packet.payload == 500 for *_, packet in data)
    assert consumer.received == consumer.sent == 5
    assert consumer.retransmitted == consumer.timeouts == 0
    assert consumer.received_bytes == 2500
    assert consumer.mean_delay == ms(40)
    assert consumer.max_delay == ms(40)


def test_interests_have_what_was_asked_for(sim, line):
    node = line(1).nodes[0]
    consumer = ConsumerCbr(
        node, "/p", lifetime="1500ms", can_be_prefix=True, must_be_fresh=True, hop_limit=7,
        first_sequence=300, count=1,
    )  # fmt: skip
    found = []
    consumer.trace.interest.connect(found.append)
    sim.run(ms(1))
    (interest,) = found
    assert interest == Interest(
        "/p/seq=300", nonce=interest.nonce, lifetime=ms(1500), can_be_prefix=True,
        must_be_fresh=True, hop_limit=7,
    )  # fmt: skip
    assert interest.wire_size == len(interest.to_wire())


@pytest.mark.parametrize(
    ("randomize", "variance"), [("none", 0), ("uniform", 1 / 3), ("exponential", 1)]
)
def test_rate_and_spread_of_gaps(sim, line, randomize, variance):
    node = line(1).nodes[0]
    Producer(node, "/p")
    consumer = ConsumerCbr(node, "/p", 1000, randomize=randomize, count=20_000)
    sent = times(consumer)
    sim.run(seconds(60))
    gaps = [b[0] - a[0] for a, b in pairwise(sent)]
    n = len(gaps)
    mean = sum(gaps) / n
    assert n == 19_999
    # Four standard errors of the mean; and of the variance, whose kurtosis is at most 9.
    assert abs(mean / ms(1) - 1) <= 4 * math.sqrt(variance / n)
    spread = sum((gap - mean) ** 2 for gap in gaps) / n / ms(1) ** 2
    assert spread == pytest.approx(variance, abs=4 * variance * math.sqrt(8 / n))
    if randomize == "uniform":
        assert max(gaps) <= ms(2)


def test_timeouts_are_exact_and_double(sim, line):
    """The first timeout is 1 s (RFC 6298 2.1); while nothing comes, each is twice the last."""
    node = line(2)
    node.set_up(0, False)
    consumer = ConsumerCbr(node.nodes[0], "/p", 1000, count=1)
    sent = times(consumer)
    sim.run(seconds(10))
    # A retransmission takes the next place of the rate, 1 ms later.
    assert [time for time, _ in sent] == [0, 1_001 * ms(1), 3_002 * ms(1), 7_003 * ms(1)]
    assert consumer.timeouts == 3
    assert consumer.retransmitted == 3


def test_one_round_trip_of_losses_doubles_the_timeout_once(sim, line):
    net = line(2)
    Producer(net.nodes[1], "/p")
    consumer = ConsumerCbr(net.nodes[0], "/p", 100, count=100)
    sim.schedule(ms(300), net.set_up, 0, False)
    sim.schedule(ms(500), net.set_up, 0, True)
    sim.run(ms(450))
    assert consumer.rtt.timeout == ms(200)
    sim.run(ms(695))
    assert consumer.timeouts > 5
    assert consumer.rtt.timeout <= ms(400)
    sim.run(seconds(5))
    assert consumer.received == 100
    assert len(consumer.outstanding) == 0
    assert consumer.retransmitted == consumer.timeouts


def test_retransmitted_interest_has_a_new_nonce_and_full_delay_from_the_first(sim, line):
    net = line(2)
    Producer(net.nodes[1], "/p")
    net.set_up(0, False)
    sim.schedule(ms(500), net.set_up, 0, True)
    consumer = ConsumerCbr(net.nodes[0], "/p", 1000, count=1)
    nonces = []
    consumer.trace.interest.connect(lambda interest: nonces.append(interest.nonce))
    delays = []
    consumer.trace.data.connect(lambda number, delay, data: delays.append(delay))
    sim.run(seconds(4))
    assert len(nonces) == len(set(nonces)) == 2
    assert delays == [(ms(20), ms(1021), 2, 0)]
    # Karn: no sample of a retransmitted Interest.
    assert consumer.rtt.smoothed == -1


def test_without_retransmission_interests_are_lost_after_their_lifetime(sim, line):
    net = line(2)
    net.set_up(0, False)
    consumer = ConsumerCbr(
        net.nodes[0], "/p", 10, count=3, lifetime="1s", retransmit=False
    )  # fmt: skip
    sim.run(ms(1199))
    assert consumer.lost == 2
    sim.run(ms(1200))
    assert consumer.lost == 3
    assert consumer.sent == 3
    assert len(consumer.outstanding) == 0


def test_batches(sim, line):
    nodes = line(2).nodes
    Producer(nodes[1], "/p")
    consumer = ConsumerBatches(nodes[0], "/p", "0s 1 2s 5 2.5s 10 4s 1", start="1s", count=16)
    sent = times(consumer)
    sim.run(seconds(10))
    by_time = {}
    for time, _ in sent:
        by_time[time] = by_time.get(time, 0) + 1
    assert by_time == {seconds(1): 1, seconds(3): 5, ms(3500): 10}
    assert [number for _, number in sent] == list(range(16))
    assert consumer.received == 16


@pytest.mark.parametrize(
    ("batches", "message"),
    [("1s 2 3s", "pairs"), ("1s x", "'x'"), ("-1s 2", "-1s"), ("1s -2", "-2"), ("1q 2", "batches")],
)
def test_malformed_batches(sim, line, batches, message):
    with pytest.raises(ValueError, match=message):
        ConsumerBatches(line(1).nodes[0], "/p", batches)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frequency": 0}, "frequency"),
        ({"frequency": math.nan}, "frequency"),
        ({"frequency": 1e10}, "frequency"),
        ({"randomize": "normal"}, "randomize"),
        ({"lifetime": "1us"}, "lifetime"),
        ({"lifetime": 0}, "lifetime"),
        ({"count": -1}, "count"),
        ({"hop_limit": 256}, "hop_limit"),
        ({"start": "2s", "stop": "1s"}, "stop"),
    ],
)
def test_wrong_parameters_are_named_and_nothing_runs(sim, line, options, message):
    node = line(1).nodes[0]
    with pytest.raises(ValueError, match=message):
        ConsumerCbr(node, "/p", **options)
    sim.run(seconds(1))
    assert sim.event_count == 0


def test_node_without_forwarder(sim):
    with pytest.raises(ValueError, match="no NDN"):
        ConsumerCbr(Node(sim), "/p")


def test_faces_exist_while_applications_run(sim, line):
    node = line(1).nodes[0]
    producer = Producer(node, "/p", start="1s", stop="2s", cost=3)
    consumer = ConsumerCbr(node, "/p", 10, start="500ms", stop="3s")
    sim.run(ms(1500))
    assert producer.face.id in node.ndn.faces
    assert [hop.cost for hop in node.ndn.fib.lookup("/p").nexthops] == [3]
    assert producer.interests > 0
    sim.run(ms(2500))
    assert producer.face is None
    assert node.ndn.fib.lookup("/p").nexthops == []
    assert consumer.nacks > 0
    sim.run(seconds(4))
    assert node.ndn.faces == {}
    count = sim.event_count
    sim.run(seconds(20))
    assert sim.event_count == count


class Pupil(ConsumerCbr):
    def __init__(self, *arguments, **options):
        self.seen = []
        super().__init__(*arguments, **options)

    def on_start(self):
        self.seen.append(("start", self.node.sim.now()))

    def on_data(self, data):
        self.seen.append(("data", str(data.name)))

    def on_nack(self, interest, reason):
        self.seen.append(("nack", str(interest.name), NackReason(reason)))

    def on_timeout(self, sequence):
        self.seen.append(("timeout", sequence))


class Teacher(Producer):
    def on_interest(self, interest):
        number = interest.name[-1].number
        if number == 1:
            self.nack(interest, NackReason.NO_ROUTE)
            return None
        if number == 2:
            return None
        return Data(interest.name, b"lesson")


class Patient(Consumer):
    """Asks for the next content 5 ms after each."""

    def on_start(self):
        self.send_next()

    def on_data(self, data):
        self.node.sim.schedule(ms(5), self.send_next)


def test_consumer_that_decides_when_to_send(sim, line):
    net = line(2)
    Producer(net.nodes[1], "/p")
    patient = Patient(net.nodes[0], "/p", count=4)
    with pytest.raises(RuntimeError, match="does not run"):
        patient.send_next()
    sent = times(patient)
    sim.schedule(ms(30), net.set_up, 0, False)
    sim.schedule(ms(100), net.set_up, 0, True)
    sim.run(seconds(5))
    # The second one's Data are lost; it is sent again after the least timeout, 200 ms.
    assert sent == [(0, 0), (ms(25), 1), (ms(225), 1), (ms(250), 2), (ms(275), 3)]
    assert patient.received == 4
    assert not patient.send_next()


def test_subclasses_in_python(sim, line):
    nodes = line(2).nodes
    Teacher(nodes[1], "/p")
    pupil = Pupil(nodes[0], "/p", 10, count=3, start="1s")
    sim.run(ms(2250))
    assert pupil.seen[:6] == [
        ("start", seconds(1)),
        ("data", "/p/seq=0"),
        ("nack", "/p/seq=1", NackReason.NO_ROUTE),
        # From the first Data on the timeout is 200 ms, the least.
        ("timeout", 1),
        ("nack", "/p/seq=1", NackReason.NO_ROUTE),
        ("timeout", 2),
    ]
    assert pupil.received_bytes == 6


class Greedy(NdnApplication):
    """Asks for the next thing as soon as one is there."""

    got = 0

    def on_start(self):
        self.express(Interest("/p/0"))

    def on_data(self, data):
        self.got += 1
        if self.got < 5000:
            self.express(Interest(f"/p/{self.got}"))


def test_application_that_asks_in_its_callback_does_not_recurse(sim, line):
    node = line(1).nodes[0]
    Producer(node, "/p")
    greedy = Greedy(node)
    sim.run(us(1))
    assert greedy.got == 5000


def test_application_that_does_not_run_is_told_so(sim, line):
    greedy = Greedy(line(1).nodes[0], start="1s")
    with pytest.raises(RuntimeError, match="does not run"):
        greedy.express(Interest("/p"))
    with pytest.raises(RuntimeError, match="does not run"):
        greedy.register("/p")


def test_producer_with_a_postfix_answers_those_that_take_a_longer_name(sim, line):
    node = line(1).nodes[0]
    Producer(node, "/p", postfix="/v=3", freshness="2s")
    consumer = ConsumerCbr(node, "/p", 10, count=2, can_be_prefix=True)
    names = []
    consumer.trace.data.connect(
        lambda number, delay, data: names.append((str(data.name), data.freshness))
    )
    sim.run(seconds(1))
    assert names == [(f"/p/seq={i}/v=3", seconds(2)) for i in range(2)]


@pytest.mark.parametrize("size", [-1, 8800])
def test_payload_that_fits_no_packet(sim, line, size):
    with pytest.raises(ValueError, match="payload_size"):
        Producer(line(1).nodes[0], "/p", payload_size=size)
