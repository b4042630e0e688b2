"""What strangers may send: the packet is dropped, or the face closed; the simulation goes on."""

import random
import resource
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simcore import Simulator, ms, seconds
from simcore.models.ndn import Data, Forwarder, Interest, LpFields, LpPacket, decode_packet
from simcore.models.ndn.live_face import LiveFace
from simcore.models.ndn.testing import CallbackFace
from simcore.models.ndn.tlv import TlvError, encode_element, encode_var_number

BAD_PACKETS = {
    "an empty Interest": encode_element(5, b""),
    "an Interest without components": encode_element(5, encode_element(7, b"")),
    "a name that is cut off": bytes.fromhex("0504 0705 0801"),
    "a component of type 0": bytes.fromhex("0505 0703 000161"),
    "a nonce of three bytes": bytes.fromhex("050a 0703080161 0a03010203"),
    "a lifetime of three bytes": bytes.fromhex("050a 0703080161 0c03010203"),
    "a HopLimit of two bytes": bytes.fromhex("0509 0703080161 22020101"),
    "an unknown critical element": bytes.fromhex("0507 0703080161 fd0001") + b"",
    "a wrong digest of parameters": encode_element(
        5, encode_element(7, encode_element(8, b"a") + encode_element(2, bytes(32))) + b"\x24\x00"
    ),
    "an unknown packet": encode_element(4, b"abc"),
    "an unknown large type": encode_element(70000, b"abc"),
    "an LpPacket with an unknown header": encode_element(100, encode_element(81, b"\0")),
    "a PIT token of 33 bytes": encode_element(100, encode_element(98, bytes(33))),
    "an LpPacket around junk": encode_element(100, encode_element(80, b"junk")),
    "a fragment of two": LpPacket(b"x" * 40, sequence=1, frag_index=0, frag_count=2).to_wire(),
    "a Nack of Data": encode_element(
        100, bytes.fromhex("fd032000") + encode_element(80, Data("/a").to_wire())
    ),
    "Data whose name ends early": bytes.fromhex("0604 0702 0801"),
}
FRAMING = {
    "a type of 0": bytes.fromhex("0001 61"),
    "a length that is not shortest": bytes.fromhex("05fd0003 070161"),
    "a type that is not shortest": bytes.fromhex("fd0005 03 070161"),
    "a type of more than 32 bits": bytes.fromhex("ff0000000100000000 00"),
    "8801 bytes": encode_element(6, bytes(8801 - 4)),
    "4 GiB": b"\x05" + encode_var_number(1 << 32),
    "2**64 - 1 bytes": b"\x05" + encode_var_number((1 << 64) - 1),
}


@pytest.mark.parametrize("what", sorted(BAD_PACKETS))
def test_a_bad_packet_is_dropped_and_counted_and_the_face_survives(net, what):
    client = net.client()
    wire = BAD_PACKETS[what]
    good = Interest("/localhost/nfd/status/general", can_be_prefix=True)
    if what == "an unknown critical element":
        wire = encode_element(5, bytes.fromhex("0703080161 1f00"))
    client.send(wire, good)
    net.run_until(lambda: client.packets)
    [face] = net.unix.faces
    assert face.in_malformed + face.in_refused == 1
    assert face.counters.in_interests == 1
    assert not client.at_end


@pytest.mark.parametrize("what", sorted(FRAMING))
def test_a_stream_that_cannot_be_cut_closes_the_face(net, what):
    client, other = net.client(), net.client("tcp")
    client.send(Interest("/before/1"), FRAMING[what])
    net.run_until(lambda: client.at_end)
    assert net.unix.framing_lost == 1
    # What came before it was taken.
    assert net.forwarder.counters.in_interests == 1
    other.send(Interest("/localhost/nfd/status/general", can_be_prefix=True))
    net.run_until(lambda: other.packets)


def test_a_packet_of_8800_bytes_passes(net):
    client = net.client()
    data = Data("/big", bytes(8800 - len(Data("/big", bytes(8700)).to_wire()) + 8700))
    assert len(data.to_wire()) == 8800
    client.send(data)
    net.run_until(lambda: net.forwarder.counters.in_data == 1)
    [face] = net.unix.faces
    assert face.in_malformed == 0


def test_half_a_packet_waits_and_a_disconnect_in_the_middle_of_one_is_harmless(net):
    client, other = net.client(), net.client()
    wire = Data("/x", bytes(5000)).to_wire()
    client.send(wire[:3000])
    net.run_for(20)
    assert len(net.unix.faces) == 2
    client.close()
    net.run_until(lambda: len(net.unix.faces) == 1)
    other.send(wire)
    net.run_until(lambda: net.forwarder.counters.in_data == 1)


def test_a_reset_connection_is_harmless(net):
    client = net.client("tcp")
    net.run_until(lambda: net.tcp.faces)
    # Close with a reset, while something is on the way to it.
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    [face] = net.tcp.faces
    for i in range(50):
        face.send_data(Data(f"/x/{i}", bytes(5000)), None)
    client.close()
    net.run_until(lambda: not net.tcp.faces)
    assert not face.is_open


def test_a_flood_of_unique_names_meets_the_limit_of_the_pit(net):
    limited = Forwarder(net.sim, 9, pit_limit=1000)
    ours, theirs = socket.socketpair()
    face = LiveFace(net.sim.pacer, ours)
    limited.add_face(face)
    upstream = socket.socketpair()
    drain = LiveFace(net.sim.pacer, upstream[0])
    limited.add_face(drain)
    limited.add_route("/", drain)
    sent = 0
    theirs.setblocking(False)
    names = (Interest(f"/flood/{i}", lifetime=seconds(60)).to_wire() for i in range(20_000))
    waiting = b""

    def pour():
        nonlocal sent, waiting
        try:
            while True:
                if not waiting:
                    waiting = b"".join(next(names, b"") for _ in range(200))
                    if not waiting:
                        return
                n = theirs.send(waiting)
                sent += n
                waiting = waiting[n:]
        except BlockingIOError:
            pass
        net.sim.schedule(100_000, pour)

    pour()
    net.run_until(lambda: face.counters.in_interests == 20_000)
    assert len(limited.pit) == 1000
    assert limited.counters.pit_full == 19_000
    assert drain.stream.queued <= 1 << 20
    theirs.close()
    upstream[1].close()


def test_a_thousand_connections_that_come_and_go(net):
    sockets = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    limit = min(1000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2 - 100)
    for _ in range(limit):
        sock = socket.socket(net.unix.address.family)
        sock.settimeout(60)
        sock.setblocking(False)
        try:
            sock.connect(net.unix.address.path)
        except BlockingIOError:
            # The backlog is full: let the forwarder accept.
            net.run_for(5)
            sock.connect(net.unix.address.path)
        sockets.append(sock)
    net.run_until(lambda: len(net.unix.faces) == limit)
    for i, sock in enumerate(sockets):
        sock.send(Interest(f"/c/{i}").to_wire()[: 5 if i % 3 == 0 else None])
    for sock in sockets[::2]:
        sock.close()
    net.run_until(lambda: len(net.unix.faces) == len(sockets[1::2]))
    for sock in sockets:
        sock.close()
    net.run_until(lambda: not net.unix.faces)
    # Management's.
    assert len(net.forwarder.faces) == 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# Anything at all, over a socket pair


PACKETS = [
    Interest("/a/b", nonce=1, can_be_prefix=True, must_be_fresh=True, hop_limit=3).to_wire(),
    Interest("/a/b", parameters=b"abc", forwarding_hint=["/h"]).to_wire(),
    Data("/a/b", b"content", freshness=1_000_000_000, final_block="x").to_wire(),
    LpPacket(Interest("/a"), LpFields(pit_token=b"abcd", congestion_mark=1)).to_wire(),
    LpPacket(Interest("/a"), nack_reason=150).to_wire(),
    LpPacket(Data("/a", b"x"), LpFields(no_cache=True), acks=[1, 2], tx_sequence=9).to_wire(),
    LpPacket(b"frag", sequence=5, frag_index=1, frag_count=2).to_wire(),
]


def mutate(rng: random.Random, wire: bytes) -> bytes:
    """Change a packet as a careless or malicious program might."""
    data = bytearray(wire)
    for _ in range(rng.randrange(1, 4)):
        kind = rng.randrange(6)
        place = rng.randrange(len(data)) if data else 0
        if kind == 0 and data:
            data[place] = rng.randrange(256)
        elif kind == 1 and data:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[place : place + rng.randrange(1, 4)]
        elif kind == 3:
            data[place:place] = rng.randbytes(rng.randrange(1, 4))
        elif kind == 4:
            data[place:] = data[place : place + rng.randrange(1, 30)]
        else:
            other = rng.choice(PACKETS)
            data[place:place] = other[: rng.randrange(len(other))]
    return bytes(data)


class Hole:
    """A forwarder with a live face, fed through a socket pair."""

    def __init__(self) -> None:
        self.sim = Simulator(realtime=True)
        self.forwarder = Forwarder(self.sim, pit_limit=500, cs_capacity=100)
        self.faces = 0
        self.malformed = 0
        self.connect()
        self.upstream = socket.socketpair()
        back = LiveFace(self.sim.pacer, self.upstream[0])
        self.forwarder.add_face(back)
        self.forwarder.add_route("/a", back)

    def connect(self) -> None:
        ours, self.theirs = socket.socketpair()
        self.face = LiveFace(self.sim.pacer, ours)
        self.forwarder.add_face(self.face)
        self.faces += 1

    def feed(self, data: bytes) -> None:
        self.theirs.setblocking(True)
        self.theirs.sendall(data)
        self.sim.run(until=self.sim.now() + 1)
        if not self.face.is_open:
            self.disconnect()

    def taken(self) -> int:
        """Packets cut out of the stream so far."""
        counters = self.forwarder.counters
        whole = counters.in_interests + counters.in_data + counters.in_nacks
        return whole + self.malformed + self.face.in_malformed + self.face.in_refused

    def disconnect(self) -> None:
        """Start a new stream."""
        self.malformed += self.face.in_malformed + self.face.in_refused
        self.face.close()
        self.theirs.close()
        self.connect()


def test_mutated_packets_over_a_socket_pair():
    rng = random.Random(3)
    hole = Hole()
    for _ in range(3000):
        hole.feed(mutate(rng, rng.choice(PACKETS)))
    assert hole.faces > 1
    assert hole.forwarder.counters.in_interests > 0


@given(st.lists(st.binary(max_size=200), max_size=20))
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bytes_over_a_socket_pair(chunks):
    hole = Hole()
    for chunk in chunks:
        hole.feed(chunk)


@pytest.mark.validation
def test_a_million_mutated_packets_to_the_decoders():
    rng = random.Random(1)
    decoded = refused = 0
    for _ in range(1_000_000):
        wire = mutate(rng, rng.choice(PACKETS))
        try:
            packet = LpPacket.from_wire(wire).network_packet()
            again = None if packet is None else decode_packet(packet.to_wire())
        except TlvError:
            refused += 1
        else:
            decoded += 1
            assert again == packet
    assert decoded > 10_000
    assert refused > 100_000


@pytest.mark.validation
def test_a_million_mutated_packets_over_a_socket_pair():
    rng = random.Random(2)
    hole = Hole()
    taken = 0
    for _ in range(1_000_000):
        hole.feed(mutate(rng, rng.choice(PACKETS)))
        if hole.taken() == taken:
            # It announced more than it had, and would swallow those behind it.
            hole.disconnect()
        taken = hole.taken()
    assert hole.forwarder.counters.in_interests > 20_000
    assert hole.malformed > 100_000


@pytest.mark.validation
def test_a_million_unique_names_meet_the_limits_of_the_tables():
    sim = Simulator()
    forwarder = Forwarder(sim, pit_limit=50_000, cs_capacity=1000)
    downstream, upstream = CallbackFace(), CallbackFace()
    forwarder.add_face(downstream)
    forwarder.add_face(upstream)
    forwarder.add_route("/", upstream)
    for i in range(1_000_000):
        interest = Interest(f"/flood/{i}", nonce=i & 0xFFFFFFFF, lifetime=seconds(4))
        downstream.receive_interest(interest)
        if i % 100 == 0:
            # 50,000 a second, four times what fits: entries expire, and their nonces are kept.
            sim.run(until=sim.now() + ms(2))
        assert len(forwarder.pit) <= 50_000
    counters = forwarder.counters
    assert counters.pit_full > 500_000
    assert counters.unsatisfied > 100_000
    assert len(forwarder.dead_nonces) <= forwarder.dead_nonces.capacity <= 1 << 20
