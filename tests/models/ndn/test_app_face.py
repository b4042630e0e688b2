from __future__ import annotations

import pytest

from simcore import ms
from simcore.models.ndn import Data, Forwarder, Interest, NackReason
from simcore.models.ndn.apps import NdnApplication
from simcore.models.network import Node


class Talker(NdnApplication):
    def __init__(self, node, **options):
        self.heard = []
        super().__init__(node, **options)

    def on_interest(self, interest):
        self.heard.append(("I", self.node.sim.now(), str(interest.name)))

    def on_data(self, data):
        self.heard.append(("D", self.node.sim.now(), str(data.name)))

    def on_nack(self, interest, reason):
        self.heard.append(("N", self.node.sim.now(), str(interest.name), reason))


@pytest.fixture
def node(sim):
    node = Node(sim)
    node.ndn = Forwarder(sim)
    return node


def test_packets_pass_in_no_time_and_as_they_are(sim, node):
    asking, answering = Talker(node), Talker(node)
    sim.run(0)
    answering.register("/p", cost=2)
    sim.schedule(ms(1), asking.express, Interest("/p/1", nonce=7))
    data = Data("/p/1", b"x")
    sim.schedule(ms(2), answering.put, data)
    sim.run()
    assert answering.heard == [("I", ms(1), "/p/1")]
    assert asking.heard == [("D", ms(2), "/p/1")]
    assert (asking.face.counters.in_interests, asking.face.counters.out_data) == (1, 1)
    assert asking.face.counters.in_interest_bytes == Interest("/p/1", nonce=7).wire_size
    assert asking.face.is_local
    assert node.ndn.cs.find(Interest("/p/1")) is data


def test_nacks(sim, node):
    asking, answering = Talker(node), Talker(node)
    sim.run(0)
    answering.register("/p")
    pending = Interest("/p/1", nonce=7)
    asking.express(pending)
    answering.nack(pending, NackReason.CONGESTION)
    assert asking.heard == [("N", 0, "/p/1", NackReason.CONGESTION)]
    asking.express(Interest("/elsewhere"))
    assert asking.heard[1:] == [("N", 0, "/elsewhere", NackReason.NO_ROUTE)]


class Chain(Talker):
    """Asks for two more things at once when something comes."""

    def on_data(self, data):
        super().on_data(data)
        if len(self.heard) == 1:
            self.express(Interest("/p/a"))
            self.express(Interest("/p/b"))
            assert len(self.heard) == 1


def test_interests_of_a_callback_wait_for_its_end_in_their_order(sim, node):
    chain = Chain(node)
    sim.run(0)
    for name in ("first", "a", "b"):
        node.ndn.cs.insert(Data(f"/p/{name}"))
    sim.schedule(ms(1), chain.express, Interest("/p/first"))
    sim.run()
    assert chain.heard == [("D", ms(1), f"/p/{name}") for name in ("first", "a", "b")]


def test_waiting_interests_of_a_stopped_application_are_not_sent(sim, node):
    node.ndn.cs.insert(Data("/p/first"))
    chain = Chain(node, stop=ms(1))
    sim.run(0)
    chain.express(Interest("/p/first"))
    assert len(chain.heard) == 1
    node.ndn.remove_face(chain.face)
    before = node.ndn.counters.in_interests
    sim.run()
    assert node.ndn.counters.in_interests == before
    assert chain.face is None
