"""The transmit queue: order, room, lifetimes."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator, ms
from simcore.models.network.packet import Packet
from simcore.models.wifi.mac.queue import WifiMacQueue
from simcore.models.wifi.testing import QueueProbe


def make(limit: int = 4, lifetime: int = ms(10)) -> tuple[Simulator, WifiMacQueue, QueueProbe]:
    sim = Simulator()
    queue = WifiMacQueue(sim, limit, lifetime)
    return sim, queue, QueueProbe(queue)


def test_first_come_first_served() -> None:
    sim, queue, probe = make()
    packets = [Packet(sim, size) for size in range(3)]
    for packet in packets:
        assert probe.enqueue(packet) == (True, [])
    assert len(queue) == 3
    assert [probe.take() for _ in range(4)] == [(p, []) for p in packets] + [(None, [])]


def test_the_newest_is_turned_away() -> None:
    sim, queue, probe = make(limit=2)
    packets = [Packet(sim) for _ in range(3)]
    assert [probe.enqueue(packet)[0] for packet in packets] == [True, True, False]
    assert queue.overflow_count == 1
    assert probe.take()[0] is packets[0]


def test_what_is_being_sent_keeps_its_place() -> None:
    sim, _, probe = make(limit=2)
    assert probe.enqueue(Packet(sim), under_way=1)[0]
    assert not probe.enqueue(Packet(sim), under_way=1)[0]


def test_deadlines_are_fixed_at_the_entry() -> None:
    sim, queue, probe = make(lifetime=ms(10))
    for time in (0, 3, 4):
        sim.schedule_at(ms(time), lambda: probe.enqueue(Packet(sim)))
    sim.run()
    assert probe.deadlines() == [ms(10), ms(13), ms(14)]
    assert queue.enqueued_count == 3


@pytest.mark.parametrize(("late", "expired"), [(-1, False), (0, True)])
def test_a_packet_leaves_at_its_deadline(late: int, expired: bool) -> None:
    sim, queue, probe = make()
    packet = Packet(sim)
    probe.enqueue(packet)
    sim.schedule_at(ms(10) + late, lambda: None)
    sim.run()
    assert probe.take() == ((None, [packet]) if expired else (packet, []))
    assert queue.expired_count == expired


@pytest.mark.parametrize("sweep", [True, False])
def test_an_arrival_at_a_full_queue(sweep: bool) -> None:
    sim, queue, probe = make(limit=2)
    queue.sweep_when_full = sweep
    packets = [Packet(sim) for _ in range(3)]
    probe.enqueue(packets[0])
    probe.enqueue(packets[1])
    sim.schedule_at(ms(10), lambda: None)
    sim.run()
    if sweep:
        assert probe.enqueue(packets[2]) == (True, packets[:2])
    else:
        assert probe.enqueue(packets[2]) == (False, [])
        assert probe.take() == (None, packets[:2])


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["put", "take"])), min_size=1, max_size=60
    )
)
def test_like_a_plain_list(steps: list[tuple[int, str]]) -> None:
    sim, queue, probe = make(limit=3, lifetime=10)
    model: deque[tuple[int, Packet]] = deque()
    time = 0

    def swept() -> list[Packet]:
        gone = []
        while model and model[0][0] <= sim.now():
            gone.append(model.popleft()[1])
        return gone

    def put() -> None:
        packet = Packet(sim)
        gone = swept()
        room = len(model) < 3
        assert probe.enqueue(packet) == (room, gone)
        if room:
            model.append((sim.now() + 10, packet))

    def take() -> None:
        gone = swept()
        first = model.popleft()[1] if model else None
        assert probe.take() == (first, gone)

    for pause, what in steps:
        time += pause
        sim.schedule_at(time, put if what == "put" else take)
    sim.run()
    assert len(queue) == len(model)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"limit": 0}, "limit is 0 packets"), ({"lifetime": 0}, "lifetime is 0 ns")],
)
def test_bad_parameters(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WifiMacQueue(Simulator(), **options)
