"""Pending Interests end at their times, whatever their lifetimes; floods of them have limits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, ms, seconds
from simcore.models.ndn import Data, Forwarder, Interest, NackReason
from simcore.models.ndn.dead_nonce_list import DeadNonceList
from simcore.models.ndn.forwarder import Strategy
from simcore.models.ndn.testing import RecordingFace


class Silent(Strategy):
    """Forwards nothing, so that entries end by time only."""

    name = "silent"

    def after_receive_interest(self, ingress, interest, entry):
        return 0


def silent(sim):
    forwarder = Forwarder(sim, 0, strategy=Silent())
    return forwarder, forwarder.add_face(RecordingFace(sim)), forwarder.add_face(RecordingFace(sim))


# What is done at a time: (gap in ms, name, lifetime in ms), or Data for the name when it is None.
steps = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 40), st.none() | st.integers(0, 50) | st.just(20)),
    max_size=80,
)


@settings(max_examples=300)
@given(steps)
def test_entries_end_at_their_times(steps):
    sim = Simulator()
    forwarder, a, b = silent(sim)
    ends = {}
    now = nonce = 0
    for gap, number, lifetime in steps:
        now += gap
        sim.run(ms(now))
        ends = {name: end for name, end in ends.items() if end > now}
        assert {str(entry.name) for entry in forwarder.pit.entries} == set(ends)
        name = f"/n/{number}"
        if lifetime is None:
            b.receive_data(Data(name))
            ends.pop(name, None)
            forwarder.cs.erase(name)
        else:
            nonce += 1
            a.receive_interest(Interest(name, nonce=nonce, lifetime=ms(lifetime)))
            # One of the same face takes the place of the earlier one.
            ends[name] = now + lifetime
    sim.run()
    assert len(forwarder.pit) == 0
    assert sim.now() <= ms(max([now, *ends.values()]))


def test_decreasing_lifetimes_fit_no_lane():
    sim = Simulator()
    forwarder, a, _ = silent(sim)
    for i in range(1000):
        a.receive_interest(Interest(f"/n/{i}", nonce=i, lifetime=ms(2000 - i)))
    assert sim.pending_events > 900
    for i in range(1000, 0, -100):
        sim.run(ms(1000 + 1000 - i))
        assert len(forwarder.pit) == i
    sim.run()
    assert len(forwarder.pit) == 0
    assert sim.now() == ms(2000)
    assert sim.pending_events == 0


def test_equal_lifetimes_need_one_event():
    sim = Simulator()
    _, a, _ = silent(sim)
    for i in range(1000):
        sim.run(ms(i))
        a.receive_interest(Interest(f"/n/{i}", nonce=i, lifetime=ms(2000)))
    assert sim.pending_events == 1


def test_an_end_comes_before_what_arrives_at_the_same_time():
    sim = Simulator()
    forwarder, a, b = silent(sim)
    a.receive_interest(Interest("/n/0", nonce=0, lifetime=ms(5)))
    sim.schedule(ms(10), b.receive_data, Data("/n/1"))
    sim.schedule(ms(12), b.receive_nack, Interest("/n/2", nonce=2), NackReason.NO_ROUTE)
    a.receive_interest(Interest("/n/1", nonce=1, lifetime=ms(10)))
    a.receive_interest(Interest("/n/2", nonce=2, lifetime=ms(12)))
    sim.run(ms(10))
    assert a.sent == []
    assert forwarder.counters.unsolicited_data == 1
    sim.run()
    assert forwarder.counters.unsatisfied == 3


def test_when_nothing_is_pending_there_is_nothing_to_wait_for():
    sim = Simulator()
    _, a, b = silent(sim)
    for i in range(3):
        a.receive_interest(Interest(f"/n/{i}", nonce=i, lifetime=seconds(4)))
        b.receive_data(Data(f"/n/{i}"))
    assert sim.pending_events == 0


def test_a_simulation_with_pending_interests_can_go_before_its_forwarder():
    sim = Simulator()
    forwarder, a, _ = silent(sim)
    for i in range(20):
        a.receive_interest(Interest(f"/n/{i}", nonce=i, lifetime=ms(100 - i)))
    entry = forwarder.pit.entries[0]
    del sim, forwarder, a, _
    assert str(entry.name) == "/n/0"


def test_the_dead_nonce_list_has_a_limit():
    nonces = DeadNonceList(ms(100), limit=2000)
    assert nonces.capacity == 2000
    for i in range(20_000):
        nonces.add(f"/n/{i}", i, ms(i) // 100)
    assert nonces.capacity <= nonces.limit == 2000
    assert len(nonces) <= 2000
    with pytest.raises(ValueError, match="limit"):
        DeadNonceList(limit=10)


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


@pytest.mark.validation
def test_a_million_unique_names_take_no_more_than_the_limits_allow():
    sim = Simulator()
    forwarder = Forwarder(sim, 0, pit_limit=100_000, dead_nonce_limit=50_000, cs_capacity=0)
    a, b = RecordingFace(sim), RecordingFace(sim)
    forwarder.add_face(a)
    forwarder.add_face(b)
    forwarder.add_route("/", b)
    peak = 0
    before = resident()
    for i in range(1_000_000):
        if i % 1000 == 0:
            sim.run(ms(i // 100))
            b.sent.clear()
            peak = max(peak, resident() - before)
        a.receive_interest(Interest(f"/flood/{i}", nonce=i))
        assert forwarder.pit.size <= 100_000
    assert forwarder.pit.peak == 100_000
    assert forwarder.counters.pit_full > 500_000
    assert len(forwarder.dead_nonces) <= forwarder.dead_nonces.capacity <= 50_000
    # An entry with its Interest and name takes less than 600 bytes, a dead nonce less than 60.
    assert peak < 100_000 * 600 + 50_000 * 60 + 10_000_000
    sim.run()
    assert len(forwarder.pit) == 0
