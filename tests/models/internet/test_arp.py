import pytest

from simcore import ms, seconds, us
from simcore.models.internet import ArpHeader, UdpSocket
from simcore.models.network import Packet

ARP = 0x0806


@pytest.fixture
def pair(lan):
    """Two nodes on a medium, and the ARP messages that pass: (time, operation, sender)."""
    sim, nodes, channel = lan(2)
    seen = []
    for node in nodes:
        # Somebody listens: an ICMP error would cost an ARP exchange of its own.
        UdpSocket(node).bind(9)
    for device in channel.devices:
        device.trace.tx.connect(
            lambda frame: (
                seen.append(
                    (
                        sim.now(),
                        frame.find(ArpHeader).operation,
                        str(frame.find(ArpHeader).sender_address),
                    )
                )
                if frame.find(ArpHeader)
                else None
            )
        )
    return sim, nodes, seen


def send(sim, node, to, count=1):
    socket = UdpSocket(node)
    for _ in range(count):
        socket.send_to(Packet(sim, 10), to, 9)


def test_request_and_reply(pair):
    sim, (a, b), seen = pair
    heard = []
    b.ipv4.trace.deliver.connect(lambda packet, header, interface: heard.append(sim.now()))
    send(sim, a, "10.1.1.2", 2)
    entry = a.ipv4.interfaces[1].arp.lookup("10.1.1.2")
    assert (entry.status, entry.mac_address) == ("waiting", None)
    sim.run(seconds(1))
    (asked, *request), (answered, *reply) = seen
    # A whole number of milliseconds below ten.
    assert asked % ms(1) == 0
    assert 0 <= asked <= ms(9)
    assert request == [1, "10.1.1.1"]
    assert (answered, reply) == (asked + us(1), [2, "10.1.1.2"])
    assert heard == [asked + us(3)] * 2
    assert entry.status == "alive"
    assert str(entry.mac_address) == "00:00:00:00:00:02"
    # The one that answered has not learned the asker's address.
    assert b.ipv4.interfaces[1].arp.lookup("10.1.1.1") is None


def test_learning_from_requests_can_be_turned_on(pair):
    sim, (a, b), _ = pair
    b.ipv4.interfaces[1].arp.learn_from_requests = True
    send(sim, a, "10.1.1.2")
    sim.run(seconds(1))
    assert str(b.ipv4.interfaces[1].arp.lookup("10.1.1.1").mac_address) == "00:00:00:00:00:01"


def test_no_reply(pair):
    sim, (a, _), seen = pair
    drops = []
    a.ipv4.trace.drop.connect(lambda packet, reason, interface: drops.append((sim.now(), reason)))
    send(sim, a, "10.1.1.77", 5)
    assert drops == [(0, "ARP queue full")] * 2
    sim.run(seconds(50))
    assert [time for time, *_ in seen[1:]] == [seconds(1), seconds(2), seconds(3)]
    assert len(seen) == 4
    assert drops[2:] == [(seconds(4), "ARP unanswered")] * 3
    entry = a.ipv4.interfaces[1].arp.lookup("10.1.1.77")
    assert entry.status == "dead"
    send(sim, a, "10.1.1.77")
    assert drops[-1] == (seconds(50), "ARP entry dead")
    # 100 s after its death it is asked for again.
    sim.run(seconds(104))
    send(sim, a, "10.1.1.77")
    assert len(seen) == 4
    assert drops[-1] == (seconds(104), "ARP entry dead")
    sim.run(seconds(104) + 1)
    send(sim, a, "10.1.1.77")
    assert entry.status == "waiting"
    sim.run(seconds(105))
    assert len(seen) == 5


def test_an_entry_is_asked_for_again_after_120_s_of_silence(pair):
    sim, (a, _), seen = pair
    send(sim, a, "10.1.1.2")
    sim.run(seconds(1))
    confirmed = seen[1][0] + us(1)
    assert len(seen) == 2
    sim.run(confirmed + seconds(120))
    send(sim, a, "10.1.1.2")
    assert len(seen) == 2
    sim.run(confirmed + seconds(120) + 1)
    send(sim, a, "10.1.1.2")
    sim.run(seconds(122))
    assert len(seen) == 4


def test_traffic_from_the_neighbour_keeps_its_entry(pair):
    sim, (a, b), seen = pair
    send(sim, a, "10.1.1.2")
    sim.run(seconds(100))
    send(sim, b, "10.1.1.1")
    sim.run(seconds(101))
    assert len(seen) == 4
    sim.run(seconds(200))
    send(sim, a, "10.1.1.2")
    sim.run(seconds(201))
    assert len(seen) == 4


def test_static_entries_and_flush(pair):
    sim, (a, _), seen = pair
    cache = a.ipv4.interfaces[1].arp
    cache.add("10.1.1.2", "00:00:00:00:00:02")
    cache.add("10.1.1.3", "00:00:00:00:00:03")
    send(sim, a, "10.1.1.2")
    send(sim, a, "10.1.1.9")
    sim.run(seconds(300))
    assert all(operation == 1 for _, operation, _ in seen)
    assert [entry.status for entry in cache] == ["static", "static", "dead"]
    cache.flush()
    assert [str(entry.ip) for entry in cache] == ["10.1.1.2", "10.1.1.3"]


def test_hostile_messages(lan):
    sim, (a, b), _ = lan(2)
    cache = b.ipv4.interfaces[1].arp
    drops = []
    b.ipv4.trace.drop.connect(lambda packet, reason, interface: drops.append(reason))
    device = a.devices[0]
    for data in (b"", bytes(27), b"\0\1\x08\0\x06\x04\0\x09" + bytes(20)):
        device.send_packet(Packet(sim, data), b.devices[0].address, ARP)
    # Replies that nobody asked for, and a request for somebody else.
    for message in (
        ArpHeader(2, 9, "10.1.1.1", b.devices[0].address, "10.1.1.2"),
        ArpHeader(1, 9, "10.1.1.1", 0, "10.1.1.7"),
    ):
        device.send_packet(Packet(sim).push(message), b.devices[0].address, ARP)
    sim.run()
    assert drops == ["malformed"] * 3
    assert len(cache) == 0
    assert cache.replies_sent == 0
    # Serialised ones are understood, padding and all.
    raw = ArpHeader(1, 1, "10.1.1.1", 0, "10.1.1.2").serialize(bytes(18))
    device.send_packet(Packet(sim, raw), b.devices[0].address, ARP)
    sim.run()
    assert cache.replies_sent == 1
