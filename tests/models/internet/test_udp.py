import pytest

from simcore import Simulator
from simcore.models.internet import UdpSocket
from simcore.models.network import Node, Packet


def bound(node, port=9, address=None, peer=None):
    heard = []
    socket = UdpSocket(node)
    socket.bind(port, address)
    if peer:
        socket.connect(*peer)
    socket.on_receive(lambda payload, source, port: heard.append((str(source), port)))
    return socket, heard


def test_send_connect_and_answer(line):
    sim, (a, b), _ = line(2)
    server, heard = bound(b)
    client = UdpSocket(a)
    answers = []
    client.on_receive(lambda payload, source, port: answers.append((payload, str(source), port)))
    client.connect("10.1.1.2", 9)
    assert (client.port, client.peer_port) == (49153, 9)
    assert str(client.peer_address) == "10.1.1.2"
    payload = Packet(sim, 10)
    server.on_receive(lambda packet, source, port: server.send_to(packet, source, port))
    assert client.send(payload)
    sim.run()
    assert answers == [(payload, "10.1.1.2", 9)]
    assert heard == []


def test_dynamic_ports_and_reuse(line):
    _, (a, _), _ = line(2)
    ports = []
    for _ in range(3):
        socket = UdpSocket(a)
        socket.bind()
        ports.append(socket.port)
    assert ports == [49153, 49154, 49155]
    with pytest.raises(ValueError, match="port 49153 of <Node 0> is in use"):
        bound(a, 49153)
    with pytest.raises(ValueError, match="bound to port 49155 already"):
        socket.bind(7)
    socket.close()
    socket.close()
    bound(a, 49155)


def test_the_best_fit_gets_the_datagram(line):
    sim, (a, b), _ = line(2)
    _, any_address = bound(b, 9, "127.0.0.1")
    _, own = bound(b, 9, "10.1.1.2")
    sender = UdpSocket(a)
    sender.bind(5000)
    sender.send_to(Packet(sim), "10.1.1.2", 9)
    UdpSocket(b).send_to(Packet(sim), "127.0.0.1", 9)
    sim.run()
    assert (len(any_address), own) == (1, [("10.1.1.1", 5000)])


def test_a_connected_socket_hears_its_peer_only(line):
    sim, (a, b), _ = line(2)
    _, heard = bound(b, 9, None, ("10.1.1.1", 5000))
    errors = []
    right, wrong = UdpSocket(a), UdpSocket(a)
    right.bind(5000)
    wrong.bind(5001)
    wrong.on_error(lambda icmp, address, port: errors.append((icmp.type, icmp.code, port)))
    for socket in (right, wrong):
        socket.send_to(Packet(sim), "10.1.1.2", 9)
    sim.run()
    assert heard == [("10.1.1.1", 5000)]
    assert errors == [(3, 3, 9)]


def test_nobody_listens(line):
    sim, (a, b), _ = line(2)
    drops, errors = [], []
    b.ipv4.trace.drop.connect(lambda packet, reason, interface: drops.append(reason))
    socket = UdpSocket(a)
    socket.on_error(lambda icmp, address, port: errors.append((icmp.code, str(address), port)))
    socket.send_to(Packet(sim, 100), "10.1.1.2", 1234)
    sim.run()
    assert drops == ["port unreachable"]
    assert errors == [(3, "10.1.1.2", 1234)]


def test_groups_reach_every_socket(lan):
    sim, nodes, _ = lan(2)
    socket, first = bound(nodes[1], 9, "10.1.1.2")
    _, second = bound(nodes[1], 9, "127.0.0.1")
    UdpSocket(nodes[0]).send_to(Packet(sim), "255.255.255.255", 9)
    sim.run()
    assert (len(first), len(second)) == (1, 0)
    socket.close()
    UdpSocket(nodes[0]).send_to(Packet(sim), "255.255.255.255", 9)
    sim.run()
    assert (len(first), len(second)) == (1, 0)


def test_ttl_and_tos_are_sent(line):
    sim, (a, b), links = line(2)
    bound(b)
    seen = []
    links[0].devices[0].trace.tx.connect(
        lambda frame: seen.append((frame.inner.header.ttl, frame.inner.header.tos))
    )
    socket = UdpSocket(a)
    socket.ttl, socket.tos = 5, 0xB8
    socket.send_to(Packet(sim), "10.1.1.2", 9)
    assert seen == [(5, 0xB8)]


def test_bad_use(line):
    sim, (a, _), _ = line(2)
    socket = UdpSocket(a)
    with pytest.raises(ValueError, match="not connected"):
        socket.send(Packet(sim))
    for port in (-1, 65536, "9", 1.5):
        with pytest.raises(ValueError, match="port is"):
            socket.bind(port)
    with pytest.raises(ValueError, match="port is 0"):
        socket.connect("10.1.1.2", 0)
    with pytest.raises(ValueError, match="does not have it"):
        socket.bind(9, "10.9.9.9")
    with pytest.raises(ValueError, match="no internet stack"):
        UdpSocket(Node(Simulator()))
