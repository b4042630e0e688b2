import pytest

from simcore import Simulator
from simcore.models.network import Header, Packet, fragment, reassemble
from simcore.units import ms


class Mark(Header):
    """A header written in Python: one byte that counts what follows it."""

    def __init__(self, value):
        super().__init__(2)
        self.value = value

    def serialize(self, payload):
        return bytes([self.value, len(payload)]) + payload

    def text(self):
        return f"Mark ({self.value})"


class Other(Header):
    pass


def test_payload_bytes_and_sizes():
    sim = Simulator()
    assert Packet(sim, b"abc").to_bytes() == b"abc"
    assert Packet(sim, bytearray(b"abc")).payload == b"abc"
    empty = Packet(sim, 5)
    assert (empty.size, empty.payload, empty.to_bytes()) == (5, None, bytes(5))
    with pytest.raises(ValueError, match="payload is -1"):
        Packet(sim, -1)
    with pytest.raises(TypeError):
        Packet(sim, "text")


def test_uids_and_creation_time_come_from_the_simulator():
    first, second = Simulator(), Simulator()
    assert [Packet(first).uid, Packet(first).uid, Packet(second).uid] == [1, 2, 1]
    made = []
    first.schedule(ms(3), lambda: made.append(Packet(first, 1)))
    first.run()
    assert made[0].created == ms(3)


def test_push_wraps_and_leaves_the_inner_packet_alone():
    sim = Simulator()
    payload = Packet(sim, b"xyz", tag="mine")
    once = payload.push(Mark(7))
    twice = once.push(Mark(9))
    assert twice.size == 7
    assert twice.uid == payload.uid
    assert twice.inner is once
    assert once.inner is payload
    assert payload.header is None
    assert twice.payload_packet.tag == "mine"
    # The outer header sees the inner one's bytes.
    assert twice.to_bytes() == bytes([9, 5, 7, 3]) + b"xyz"
    assert twice.text() == "Mark (9) Mark (7) Payload (size=3)"
    assert twice.text() is twice.text()


def test_find_gives_the_outermost_of_a_class():
    sim = Simulator()
    packet = Packet(sim).push(Mark(1)).push(Mark(2)).push(Other(4))
    assert packet.find(Mark).value == 2
    assert packet.after(Mark).find(Mark).value == 1
    assert packet.find(Other).length == 4
    assert Packet(sim).find(Mark) is None
    assert [type(header) for header in packet.headers] == [Other, Mark, Mark]


def test_fragments_give_the_same_packet_back():
    sim = Simulator()
    packet = Packet(sim, bytes(range(100)), tag=3).push(Mark(1))
    parts = [fragment(packet, 0, 40), fragment(packet, 40, 80), fragment(packet, 80, 102)]
    assert b"".join(part.to_bytes() for part in parts) == packet.to_bytes()
    assert [part.uid for part in parts] == [packet.uid] * 3
    assert reassemble(parts) is packet
    halves = [fragment(parts[1], 0, 10), fragment(parts[1], 10, 40)]
    assert reassemble([parts[0], *halves, parts[2]]) is packet
    joined = reassemble(halves)
    assert joined.to_bytes() == packet.to_bytes()[40:80]


def test_foreign_fragments_are_joined_as_bytes():
    sim = Simulator()
    joined = reassemble([Packet(sim, b"ab"), Packet(sim, b"cd")])
    assert joined.to_bytes() == b"abcd"
    packet = Packet(sim, b"abcdef")
    out_of_order = reassemble([fragment(packet, 3, 6), fragment(packet, 0, 3)])
    assert out_of_order.to_bytes() == b"defabc"
    with pytest.raises(ValueError, match="no fragments"):
        reassemble([])
    with pytest.raises(ValueError, match="no part"):
        fragment(packet, 2, 9)
