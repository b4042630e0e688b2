from __future__ import annotations

import pytest

from simcore import ms
from simcore.models.ndn.apps import ConsumerAimd, ConsumerWindow, Producer
from simcore.models.ndn.lp import LpFields
from simcore.models.ndn.testing import DelayFace


def test_fixed_window_fills_the_round_trip(sim, line):
    nodes = line(2).nodes
    Producer(nodes[1], "/p")
    consumer = ConsumerWindow(nodes[0], "/p", 5)
    sim.run(ms(20) * 50 - 1)
    assert consumer.received == 5 * 49
    assert consumer.outstanding.sent == 5


def test_growing_window_doubles_each_round_trip(sim, line):
    nodes = line(2).nodes
    Producer(nodes[1], "/p")
    consumer = ConsumerWindow(nodes[0], "/p", 1, grow=True)
    received = []
    for _ in range(6):
        sim.run(sim.now() + ms(20))
        received.append(consumer.received)
    assert received == [1, 3, 7, 15, 31, 63]


def test_timeout_resets_the_window(sim, line):
    net = line(2)
    Producer(net.nodes[1], "/p")
    consumer = ConsumerWindow(net.nodes[0], "/p", 2, grow=True, reset_on_timeout=True)
    sim.run(ms(85))
    assert consumer.window > 20
    net.set_up(0, False)
    sim.run(ms(700))
    assert consumer.window == 2
    # Timeouts at 280 ms and, doubled to 400 ms and 800 ms, at 680 ms and 1,480 ms.
    assert consumer.rtt.timeout == ms(800)
    net.set_up(0, True)
    # It doubles in each round trip, and nothing else limits it here.
    sim.run(ms(1479))
    assert consumer.window == 2
    sim.run(ms(1585))
    assert 20 < consumer.window < 100


def test_window_with_everything_in_the_cache_does_not_recurse(sim, line):
    node = line(1).nodes[0]
    Producer(node, "/p")
    consumer = ConsumerWindow(node, "/p", 1, count=100_000)
    sim.run(0)
    assert consumer.received == 100_000


class MarkingFace(DelayFace):
    """Marks Data while it is told to."""

    marking = False

    def send_data(self, data, fields):
        return super().send_data(data, LpFields(congestion_mark=1) if self.marking else fields)


@pytest.fixture
def delay():
    return ms(10)


@pytest.fixture
def marked(sim, line, delay):
    """The near node of a link, and its far end, which marks Data."""
    net = line(1)
    other = line(1)
    near, far = DelayFace(sim, delay), MarkingFace(sim, delay)
    near.peer, far.peer = far, near
    net.nodes[0].ndn.add_face(near)
    other.nodes[0].ndn.add_face(far)
    net.nodes[0].ndn.add_route("/", near)
    Producer(other.nodes[0], "/p")
    return net.nodes[0], far


def test_slow_start_then_halving_on_a_mark_then_one_a_round_trip(sim, marked):
    node, far = marked
    consumer = ConsumerAimd(node, "/p", 1)
    # The round trip ends at 80, 100 ms: 1, 2, 4, 8, 16.
    found = []
    consumer.trace.window.connect(found.append)
    sim.run(ms(85))
    assert consumer.window == 16
    assert found == list(range(2, 17))
    far.marking = True
    sim.run(ms(105))
    far.marking = False
    assert consumer.decreases == 1
    # Only the first of a round trip's marks counts; those after it do not let the window grow.
    assert 8 <= consumer.window < 10
    assert consumer.threshold == pytest.approx(8, abs=1)
    sim.run(ms(145))
    assert consumer.decreases == 1
    before = consumer.window
    sim.run(ms(245))
    # Five round trips.
    assert consumer.window == pytest.approx(before + 5, abs=0.6)


def test_marks_may_be_ignored(sim, marked):
    node, far = marked
    far.marking = True
    consumer = ConsumerAimd(node, "/p", 1, react_to_marks=False)
    sim.run(ms(85))
    assert consumer.window == 16
    assert consumer.marks == consumer.received


def test_timeout_shrinks_the_window(sim, line):
    net = line(2)
    Producer(net.nodes[1], "/p")
    consumer = ConsumerAimd(net.nodes[0], "/p", 2)
    sim.run(ms(65))
    assert consumer.window == 16
    net.set_up(0, False)
    sim.run(ms(300))
    assert consumer.decreases == 1
    assert consumer.window == 8


@pytest.mark.parametrize("delay", [ms(100)])
def test_cubic_returns_to_the_last_largest_window_in_time_k(sim, marked):
    """RFC 9438 4.2: W_cubic(K) is W_max, K the cube root of W_max (1 - beta) / C."""
    node, far = marked
    consumer = ConsumerAimd(node, "/p", 1, algorithm="cubic")
    sim.run(ms(1450))
    assert consumer.window == 128
    far.marking = True
    sim.run(ms(1650))
    far.marking = False
    assert consumer.decreases == 1
    largest = consumer.threshold / 0.7
    k = (largest * 0.3 / 0.4) ** (1 / 3)
    start = ms(1600)
    for elapsed in (1.0, 2.0, 3.0, k):
        sim.run(start + round(elapsed * 1e9))
        # A window grows towards where the cubic will be a round trip later (4.2).
        low = 0.4 * (elapsed - 0.2 - k) ** 3 + largest
        high = 0.4 * (elapsed + 0.2 - k) ** 3 + largest
        assert low - 1 < consumer.window < high + 1
    assert consumer.window == pytest.approx(largest, rel=0.01)


@pytest.mark.parametrize("delay", [ms(1)])
def test_cubic_is_not_slower_than_reno_at_short_round_trips(sim, marked):
    """RFC 9438 4.3: 3 (1 - beta) / (1 + beta) a round trip, from beta W_max on."""
    node, far = marked
    consumer = ConsumerAimd(node, "/p", 1, algorithm="cubic")
    sim.run(ms(11))
    far.marking = True
    sim.run(ms(13))
    far.marking = False
    sim.run(ms(14))
    assert consumer.decreases == 1
    start = consumer.window
    now = sim.now()
    sim.run(now + ms(200))
    assert consumer.window == pytest.approx(start + 3 * 0.3 / 1.7 * 100, rel=0.03)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"window": 0}, "window"),
        ({"algorithm": "bic"}, "algorithm"),
        ({"beta": 1.0}, "beta"),
        ({"suppression": -1}, "suppression"),
    ],
)
def test_wrong_parameters_are_named(sim, line, options, name):
    with pytest.raises(ValueError, match=f"^{name} is"):
        ConsumerAimd(line(1).nodes[0], "/p", **options)
