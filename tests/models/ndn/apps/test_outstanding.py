"""The records of pending Interests against a plain dictionary, through a consumer's eyes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, ms
from simcore.models.ndn import Data, Forwarder
from simcore.models.ndn.apps import ConsumerBatches, Producer
from simcore.models.network import Node


class Chosen(Producer):
    """Answers what it is told to."""

    answers: frozenset[int] = frozenset()

    def on_interest(self, interest):
        if interest.name[-1].number in self.answers:
            return Data(interest.name, 1)
        return None


@settings(max_examples=50)
@given(
    count=st.integers(1, 200),
    answered=st.sets(st.integers(0, 199)),
    later=st.sets(st.integers(0, 199)),
    first=st.integers(0, 1 << 40),
)
def test_what_is_left_is_what_was_not_answered(count, answered, later, first):
    sim = Simulator(seed=1)
    node = Node(sim)
    node.ndn = Forwarder(sim)
    producer = Chosen(node, "/p")
    producer.answers = frozenset(first + i for i in answered)
    consumer = ConsumerBatches(node, "/p", [(ms(1), count)], first_sequence=first)
    sim.run(ms(2))
    left = [first + i for i in range(count) if i not in answered]
    assert consumer.outstanding.sequences() == left
    assert consumer.outstanding.sent == len(consumer.outstanding) == len(left)
    # The first timeout at 1 s at the latest: all that are left are sent again, in order.
    producer.answers = frozenset(first + i for i in later)
    sim.run(ms(1200))
    still = [number for number in left if number - first not in later]
    assert consumer.outstanding.sequences() == still
    assert consumer.received == count - len(still)
