import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, ms, seconds, us
from simcore.models.internet import (
    AddressAllocator,
    Ipv4Header,
    StaticRouting,
    UdpHeader,
    UdpSocket,
    install_internet,
    populate_routes,
)
from simcore.models.network import (
    Ipv4Network,
    Node,
    Packet,
    PointToPointDevice,
    PointToPointLink,
    create_nodes,
)

IPV4 = 0x0800


def listen(node, port=9):
    heard = []
    socket = UdpSocket(node)
    socket.bind(port)
    socket.on_receive(
        lambda payload, source, port: heard.append((node.sim.now(), str(source), port))
    )
    return socket, heard


def drops_of(node):
    drops = []
    node.ipv4.trace.drop.connect(lambda packet, reason, interface: drops.append(reason))
    return drops


def test_forwarding_takes_one_hop_from_the_ttl(line):
    sim, nodes, _ = line(4)
    populate_routes(nodes)
    _, heard = listen(nodes[3])
    ttls = []
    for node in nodes:
        node.ipv4.trace.rx.connect(lambda packet, interface: ttls.append(packet.header.ttl))
    passed = []
    nodes[1].ipv4.trace.forward.connect(
        lambda packet, interface: passed.append((packet.header.ttl, interface.index))
    )
    UdpSocket(nodes[0]).send_to(Packet(sim, 100), "10.1.3.2", 9)
    sim.run()
    assert len(heard) == 1
    assert heard[0][1] == "10.1.1.1"
    # 100 + 8 + 20 + 2 bytes at 10 Mb/s, three times, and 3 ms.
    assert heard[0][0] == 3 * (us(104) + ms(1))
    assert ttls == [64, 63, 62]
    assert passed == [(63, 2)]


def test_ttl_runs_out(line):
    sim, nodes, _ = line(4)
    populate_routes(nodes)
    drops = drops_of(nodes[2])
    errors = []
    socket, heard = listen(nodes[3])
    sender = UdpSocket(nodes[0])
    sender.ttl = 2
    sender.on_error(lambda icmp, to, port: errors.append((icmp.type, icmp.code, str(to), port)))
    sender.send_to(Packet(sim, 10), "10.1.3.2", 9)
    sim.run()
    assert drops == ["TTL expired"]
    assert heard == []
    assert errors == [(11, 0, "10.1.3.2", 9)]
    sender.ttl = 3
    sender.send_to(Packet(sim, 10), "10.1.3.2", 9)
    sim.run()
    assert len(heard) == 1
    socket.close()


def test_no_route(line):
    sim, nodes, _ = line(3)
    drops, errors = drops_of(nodes[0]), []
    socket = UdpSocket(nodes[0])
    assert not socket.send_to(Packet(sim, 10), "10.9.9.9", 9)
    assert drops == ["no route"]
    nodes[0].ipv4.routing.set_default_route("10.1.1.2")
    socket.on_error(lambda icmp, to, port: errors.append((icmp.type, icmp.code)))
    drops = drops_of(nodes[1])
    assert socket.send_to(Packet(sim, 10), "10.9.9.9", 9)
    sim.run()
    assert drops == ["no route"]
    assert errors == [(3, 0)]
    nodes[1].ipv4.forwarding = False
    socket.send_to(Packet(sim, 10), "10.9.9.9", 9)
    sim.run()
    assert drops == ["no route", "not forwarding"]


def test_a_node_talks_to_itself(lan):
    sim, (a, _), _ = lan(2)
    _, heard = listen(a)
    for address in ("127.0.0.1", "10.1.1.1", "127.1.2.3"):
        UdpSocket(a).send_to(Packet(sim, 10), address, 9)
    assert heard == []
    sim.run()
    assert [source for _, source, _ in heard] == ["127.0.0.1", "10.1.1.1", "127.1.2.3"]
    assert sim.now() == 0


def test_broadcasts(lan):
    sim, nodes, channel = lan(3)
    heard = [listen(node)[1] for node in nodes]
    UdpSocket(nodes[0]).send_to(Packet(sim, 10), "255.255.255.255", 9)
    UdpSocket(nodes[0]).send_to(Packet(sim, 10), "10.1.1.255", 9)
    UdpSocket(nodes[0]).send_to(Packet(sim, 10), "224.0.0.5", 9)
    frames = []
    for device in channel.devices[1:]:
        device.trace.rx.connect(lambda frame: frames.append(str(frame.header.destination_address)))
    sim.run()
    assert list(map(len, heard)) == [0, 3, 3]
    assert frames[::2] == ["ff:ff:ff:ff:ff:ff", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:05"]
    # No ARP, no errors: nobody answers a broadcast for a port that is not in use.
    UdpSocket(nodes[0]).send_to(Packet(sim, 10), "255.255.255.255", 10)
    before = sim.event_count
    sim.run()
    assert sim.event_count - before == 2


def test_broadcasts_are_not_forwarded(line):
    sim, nodes, _ = line(3)
    populate_routes(nodes)
    _, heard = listen(nodes[2])
    UdpSocket(nodes[0]).send_to(Packet(sim, 10), "255.255.255.255", 9)
    UdpSocket(nodes[0]).send_to(Packet(sim, 10), "224.1.2.3", 9)
    sim.run()
    assert heard == []
    # From the middle, a broadcast leaves by every interface, with that interface's address.
    _, first = listen(nodes[0])
    UdpSocket(nodes[1]).send_to(Packet(sim, 10), "255.255.255.255", 9)
    sim.run()
    assert [first[0][1], heard[0][1]] == ["10.1.1.2", "10.1.2.1"]


def test_protocol_handlers_and_unreachable_ones(line):
    sim, (a, b), _ = line(2)
    heard, errors = [], []
    b.ipv4.on_protocol(200, lambda packet, header, interface: heard.append((packet, header.ttl)))
    a.ipv4.icmp.trace.error_received.connect(
        lambda icmp, header, reporter: errors.append((icmp.code, header.protocol, str(reporter)))
    )
    segment = Packet(sim, b"abc")
    assert a.ipv4.send_packet(segment, "10.1.1.2", 200, ttl=7)
    a.ipv4.send_packet(Packet(sim, 9), "10.1.1.2", 201)
    sim.run()
    assert heard == [(segment, 7)]
    assert errors == [(2, 201, "10.1.1.2")]
    with pytest.raises(ValueError, match="65516 bytes"):
        a.ipv4.send_packet(Packet(sim, 65516), "10.1.1.2", 200)


def test_identifications_count_by_flow(line):
    sim, (a, _), links = line(2)
    seen = []
    links[0].devices[0].trace.tx.connect(
        lambda frame: seen.append((frame.inner.header.protocol, frame.inner.header.identification))
    )
    for protocol in (200, 200, 201, 200):
        a.ipv4.send_packet(Packet(sim, 1), "10.1.1.2", protocol)
    assert seen == [(200, 0), (200, 1), (201, 0), (200, 2)]


def test_interfaces_that_are_down(line):
    sim, (a, b), _ = line(2)
    _, heard = listen(b)
    drops = drops_of(b)
    b.ipv4.interfaces[1].set_up(False)
    UdpSocket(a).send_to(Packet(sim, 10), "10.1.1.2", 9)
    sim.run()
    assert (heard, drops) == ([], ["interface down"])
    b.ipv4.interfaces[1].set_up()
    a.ipv4.interfaces[1].set_up(False)
    assert not UdpSocket(a).send_to(Packet(sim, 10), "10.1.1.2", 9)


def raw(source, destination, payload=b"abc", **fields):
    segment = UdpHeader(source, 5, destination, 9, len(payload)).serialize(payload)
    return Ipv4Header(source, destination, 17, len(segment), **fields).serialize(segment)


def test_bytes_from_outside(line):
    sim, (a, b), links = line(2)
    _, heard = listen(b)
    drops = drops_of(b)
    good = raw("10.1.1.1", "10.1.1.2")
    for data in (
        good,
        good + bytes(20),
        good[:-1],
        b"",
        good[:8] + b"\x01" + good[9:],
        good[:-1] + b"d",
        good[:24] + b"\xff\xff" + good[26:],
    ):
        links[0].devices[0].send_packet(Packet(sim, data), 0, IPV4)
    sim.run()
    assert len(heard) == 2
    assert drops == ["malformed", "malformed", "bad checksum", "bad checksum", "malformed"]
    assert a.ipv4.address in Ipv4Network("10.1.1.0/24")


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=80),
        st.builds(
            lambda data, place, byte: data[:place] + bytes([byte]) + data[place + 1 :],
            st.just(raw("10.1.1.1", "10.1.1.2")),
            st.integers(0, 30),
            st.integers(0, 255),
        ),
        st.builds(
            lambda protocol, body, offset, more: Ipv4Header(
                "10.1.1.1",
                "10.1.1.2",
                protocol,
                len(body),
                offset=offset * 8,
                more_fragments=more,
            ).serialize(body),
            st.sampled_from([1, 17, 48, 200]),
            st.binary(max_size=60),
            st.integers(0, 8191),
            st.booleans(),
        ),
    )
)
def test_hostile_datagrams_never_stop_a_run(data):
    sim = Simulator()
    nodes = create_nodes(sim, 2)
    install_internet(nodes)
    link = PointToPointLink(*nodes)
    AddressAllocator("10.1.1.0/24").assign(link.devices)
    listen(nodes[1])
    link.devices[0].send_packet(Packet(sim, data), 0, IPV4)
    link.devices[0].send_packet(Packet(sim, data), 0, 0x0806)
    sim.run(seconds(100))


def test_set_up_errors():
    sim = Simulator()
    a, b = create_nodes(sim, 2)
    link = PointToPointLink(a, b)
    with pytest.raises(ValueError, match="no internet stack"):
        AddressAllocator("10.1.1.0/24").assign(link.devices)
    with pytest.raises(ValueError, match="no internet stack"):
        UdpSocket(a)
    install_internet(a)
    with pytest.raises(ValueError, match="has an IPv4 stack already"):
        install_internet([a])
    with pytest.raises(ValueError, match="belongs to"):
        a.ipv4.add_interface(link.devices[1])
    interface = a.ipv4.add_interface(link.devices[0])
    assert a.ipv4.add_interface(link.devices[0]) is interface
    for bad in ("0.0.0.0", "224.0.0.1", "255.255.255.255", "10.1.1.0", "10.1.1.255", "nonsense"):
        with pytest.raises(ValueError, match=bad):
            interface.add_address(bad, 24)
    interface.add_address("10.1.1.1", 24)
    with pytest.raises(ValueError, match="has it already"):
        interface.add_address("10.1.1.1", 24)
    interface.add_address("192.168.0.1", 16)
    assert [str(network) for _, network in interface.networks] == [
        "10.1.1.0/24",
        "192.168.0.0/16",
    ]
    taken = a.ipv4.routing
    with pytest.raises(ValueError, match="already routes"):
        install_internet(b, lambda: taken)


def test_allocator_runs_out():
    allocator = AddressAllocator("10.0.0.0/30")
    assert [str(allocator.next_address()) for _ in range(2)] == ["10.0.0.1", "10.0.0.2"]
    with pytest.raises(ValueError, match="no address left"):
        allocator.next_address()
    assert str(AddressAllocator("10.0.0.0/31", first=0).next_address()) == "10.0.0.0"
    with pytest.raises(ValueError, match="first is 9"):
        AddressAllocator("10.0.0.0/30", first=9)


def test_source_address_is_chosen_by_the_network():
    sim = Simulator()
    a, b = create_nodes(sim, 2)
    link = PointToPointLink(a, b)
    install_internet([a, b])
    first, second = (
        node.ipv4.add_interface(device) for node, device in zip((a, b), link.devices, strict=True)
    )
    for number, interface in ((1, first), (2, second)):
        interface.add_address(f"10.1.1.{number}", 24)
        interface.add_address(f"10.2.2.{number}", 24)
    _, heard = listen(b)
    for address in ("10.1.1.2", "10.2.2.2"):
        UdpSocket(a).send_to(Packet(sim, 1), address, 9)
    sim.run()
    assert [source for _, source, _ in heard] == ["10.1.1.1", "10.2.2.1"]
    assert isinstance(a.devices[0], PointToPointDevice)
    assert isinstance(a.ipv4.routing, StaticRouting)
    assert isinstance(a, Node)
