from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator
from simcore.models.network import DropTailQueue, Packet


@given(
    st.lists(st.one_of(st.integers(0, 60), st.none()), max_size=200),
    st.integers(0, 20),
    st.integers(0, 300),
)
def test_against_a_deque(operations, max_packets, max_bytes):
    sim = Simulator()
    queue, model, drops = DropTailQueue(max_packets, max_bytes), deque(), 0
    for size in operations:
        if size is None:
            assert queue.dequeue() is (model.popleft() if model else None)
            continue
        packet = Packet(sim, size)
        fits = (not max_packets or len(model) < max_packets) and (
            not max_bytes or sum(p.size for p in model) + size <= max_bytes
        )
        assert queue.enqueue(packet) == fits
        if fits:
            model.append(packet)
        else:
            drops += 1
        assert len(queue) == len(model)
        assert queue.byte_count == sum(p.size for p in model)
    assert queue.drops == drops


def test_traces():
    sim, seen = Simulator(), []
    queue = DropTailQueue(1)
    for name in ("enqueue", "dequeue", "drop"):
        queue.trace[name].connect(lambda packet, name=name: seen.append((name, packet.uid)))
    queue.enqueue(Packet(sim))
    queue.enqueue(Packet(sim))
    queue.dequeue()
    assert seen == [("enqueue", 1), ("drop", 2), ("dequeue", 1)]


def test_bad_limits():
    with pytest.raises(ValueError, match="max_packets is -1"):
        DropTailQueue(-1)
    with pytest.raises(ValueError, match="max_bytes is -2"):
        DropTailQueue(1, -2)
