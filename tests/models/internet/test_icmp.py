from simcore import Simulator, seconds, us
from simcore.models.apps import Ping
from simcore.models.internet import IcmpHeader, Ipv4Header, populate_routes
from simcore.models.network import Packet

IPV4 = 0x0800


def test_ping(line):
    sim, nodes, _ = line(3)
    populate_routes(nodes)
    ping = Ping(nodes[0], "10.1.2.2", count=3, interval="100ms", start="1s")
    seen = []
    ping.trace.rx.connect(lambda sequence, rtt: seen.append((sequence, rtt)))
    sim.run()
    # Four times 1 ms and 56 + 8 + 20 + 2 bytes at 10 Mb/s (68.8 us).
    rtt = 4 * (us(1000) + 68_800)
    assert ping.rtts == [rtt] * 3
    assert seen == [(0, rtt), (1, rtt), (2, rtt)]
    assert (ping.sent, ping.received_packets, ping.errors) == (3, 3, [])
    assert sim.now() == seconds(1.2) + rtt


def test_ping_nobody(line):
    sim, nodes, _ = line(3)
    populate_routes(nodes)
    nodes[0].ipv4.default_ttl = 1
    expired = Ping(nodes[0], "10.1.2.2", count=1)
    sim.run()
    assert [(*error[:3], str(error[3])) for error in expired.errors] == [(0, 11, 0, "10.1.1.2")]
    assert (expired.sent, expired.received_packets) == (1, 0)


def test_ping_stops(line):
    sim, nodes, _ = line(2)
    ping = Ping(nodes[0], "10.1.1.2", interval="1s", start="1s", stop="4s")
    sim.run(seconds(20))
    assert ping.sent == 3
    assert sim.pending_events == 0


def test_two_pings_do_not_mix(line):
    sim, nodes, _ = line(2)
    first = Ping(nodes[0], "10.1.1.2", count=2)
    second = Ping(nodes[0], "10.1.1.2", count=5, interval="1ms", size=0)
    sim.run()
    assert (first.received_packets, second.received_packets) == (2, 5)
    assert first.rtts[0] > second.rtts[1]


def test_broadcast_echo_is_answered_with_a_host_address(lan):
    sim, nodes, _ = lan(3)
    sources = []
    nodes[0].ipv4.trace.deliver.connect(
        lambda packet, header, interface: sources.append(str(header.source_address))
    )
    Ping(nodes[0], "10.1.1.255", count=1)
    sim.run()
    assert sorted(sources) == ["10.1.1.2", "10.1.1.3"]


def test_no_errors_about_errors_broadcasts_and_fragments(line):
    sim, (a, b), links = line(2)
    sent = []
    b.ipv4.icmp.trace.error_sent.connect(lambda icmp, header, to: sent.append(icmp.code))
    device = links[0].devices[0]

    def send(packet, destination="10.1.1.2", source="10.1.1.1", protocol=200, **fields):
        header = Ipv4Header(source, destination, protocol, packet.size, **fields)
        device.send_packet(packet.push(header), 0, IPV4)
        sim.run(sim.now() + seconds(1))

    send(Packet(sim, 8))
    assert sent == [2]
    send(Packet(sim, 8), "255.255.255.255")
    send(Packet(sim, 8), "10.1.1.255")
    send(Packet(sim, 8), "224.0.0.1")
    send(Packet(sim, 8), source="0.0.0.0")
    send(Packet(sim, 8), source="10.1.1.255")
    send(Packet(sim, 30).push(IcmpHeader(3, 1)), "10.1.1.77", ttl=1, protocol=1)
    assert sent == [2]
    # An echo request may be answered by an error.
    send(Packet(sim, 30).push(IcmpHeader(8)), "10.9.9.9", protocol=1)
    assert sent == [2, 0]
    assert a.ipv4 is not None


def test_hostile_errors(line):
    sim, (a, b), links = line(2)
    received, drops = [], []
    a.ipv4.icmp.trace.error_received.connect(lambda *arguments: received.append(arguments))
    a.ipv4.trace.drop.connect(lambda packet, reason, interface: drops.append(reason))
    device = links[0].devices[1]
    quoted = [
        b"",
        bytes(19),
        bytes(40),
        b"\x4f" + bytes(30),
        b"\x45" + bytes(19),
        Ipv4Header("10.1.1.1", "10.1.1.2", 1, 4).serialize(b"\x08\0\0\0"),
        Ipv4Header("10.1.1.1", "10.1.1.2", 17, 2).serialize(b"\0\x09"),
        Ipv4Header("10.1.1.1", "10.1.1.2", 17, 500).serialize(b"\0\x09\0\x09"),
        Ipv4Header("10.1.1.1", "10.1.1.2", 250, 0).serialize(b""),
    ]
    for data in quoted:
        packet = Packet(sim, data).push(IcmpHeader(3, 3))
        header = Ipv4Header("10.1.1.2", "10.1.1.1", 1, packet.size)
        device.send_packet(packet.push(header), 0, IPV4)
    sim.run()
    assert len(received) + len(drops) == len(quoted)
    assert len(received) == 5
    assert isinstance(sim, Simulator)
    assert b.ipv4 is not None
