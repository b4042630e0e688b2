"""Faces over sockets: what a program sends and gets."""

import gc
import time
from pathlib import Path

import pytest

from simcore import Simulator, ms, seconds
from simcore.models.ndn import (
    Data,
    DigestSha256,
    Forwarder,
    Interest,
    LpFields,
    LpPacket,
    NackReason,
    Name,
)
from simcore.models.ndn.live import listen, management_of
from simcore.models.ndn.live_face import LiveFace
from simcore.models.ndn.management import ControlParameters, ControlResponse, FaceError
from simcore.models.ndn.testing import connect


@pytest.mark.parametrize("kind", ["unix", "tcp"])
def test_two_programs_exchange_a_packet(net, kind):
    producer, consumer = net.client(kind), net.client(kind)
    assert net.register(producer, "/p").code == 200
    interest = Interest("/p/1", nonce=7, lifetime=seconds(30))
    consumer.send(interest)
    net.run_until(lambda: producer.packets)
    assert producer.packets[0].network_packet().to_wire() == interest.to_wire()
    data = Data("/p/1", b"hello")
    producer.send(data)
    net.run_until(lambda: consumer.packets)
    # Bare, as it came.
    assert consumer.packets[0].to_wire() == data.to_wire()
    face = next(iter(net.unix.faces if kind == "unix" else net.tcp.faces))
    assert face.is_local
    assert face.local_uri == str((net.unix if kind == "unix" else net.tcp).address)


def test_packets_cut_anywhere_and_joined(net):
    producer, consumer = net.client(), net.client("tcp")
    net.register(producer, "/p")
    stream = b"".join(Interest(f"/p/{i}", nonce=i + 1).to_wire() for i in range(30))
    for i in range(0, len(stream), 7):
        consumer.send(stream[i : i + 7])
        if i % 3 == 0:
            net.run_for(1)
    net.run_until(lambda: len(producer.packets) == 30)
    names = [str(packet.network_packet().name) for packet in producer.packets]
    assert names == [f"/p/{i}" for i in range(30)]


def test_the_pit_token_comes_back_with_data_and_nack(net):
    producer, consumer = net.client(), net.client()
    net.register(producer, "/p")
    token = LpFields(pit_token=b"abcdef")
    consumer.send(LpPacket(Interest("/p/1", lifetime=seconds(30)), token))
    net.run_until(lambda: producer.packets)
    # The token is the consumer's: it goes no further.
    assert producer.packets[0].fields is None
    producer.send(Data("/p/1", b"x"))
    net.run_until(lambda: consumer.packets)
    assert consumer.packets[0].fields.pit_token == b"abcdef"
    consumer.packets.clear()
    consumer.send(LpPacket(Interest("/nowhere"), token))
    net.run_until(lambda: consumer.packets)
    assert consumer.packets[0].nack_reason == NackReason.NO_ROUTE
    assert consumer.packets[0].fields.pit_token == b"abcdef"


def test_nacks_pass_through(net):
    producer, consumer = net.client(), net.client()
    net.register(producer, "/p")
    consumer.send(Interest("/p/1", nonce=5))
    net.run_until(lambda: producer.packets)
    got = producer.packets[0].network_packet()
    producer.send(LpPacket(got, nack_reason=NackReason.CONGESTION))
    net.run_until(lambda: consumer.packets)
    assert consumer.packets[0].nack_reason == NackReason.CONGESTION
    assert consumer.packets[0].network_packet().to_wire() == got.to_wire()


def test_local_fields_only_where_they_are_enabled(net):
    producer, consumer = net.client(), net.client()
    net.register(producer, "/p")
    consumer_face = max(net.unix.faces, key=lambda face: face.id)
    other = min(net.unix.faces, key=lambda face: face.id)
    choose = LpFields(next_hop_face_id=other.id)
    consumer.send(LpPacket(Interest("/q/1", lifetime=seconds(30)), choose))
    net.run_until(lambda: consumer_face.in_refused)
    assert not producer.packets
    consumer_face.local_fields = True
    consumer.send(LpPacket(Interest("/q/1", lifetime=seconds(30)), choose))
    net.run_until(lambda: producer.packets)
    producer.send(Data("/q/1"))
    net.run_until(lambda: consumer.packets)
    assert consumer.packets[0].fields.incoming_face_id == other.id


def test_routes_of_a_closed_face_go_and_a_restarted_program_is_served(net):
    producer, consumer = net.client(), net.client()
    net.register(producer, "/p")
    producer.close()
    net.run_until(lambda: len(net.unix.faces) == 1)
    assert net.forwarder.fib.exact("/p") is None
    consumer.send(Interest("/p/1"))
    net.run_until(lambda: consumer.packets)
    assert consumer.packets[0].nack_reason == NackReason.NO_ROUTE
    again = net.client()
    net.register(again, "/p")
    consumer.send(Interest("/p/2", lifetime=seconds(30)))
    net.run_until(lambda: again.packets)


def test_a_face_closed_while_its_interest_is_pending(net):
    producer, consumer = net.client(), net.client()
    net.register(producer, "/p")
    consumer.send(Interest("/p/1", lifetime=seconds(30)))
    net.run_until(lambda: producer.packets)
    consumer.close()
    net.run_until(lambda: len(net.unix.faces) == 1)
    producer.send(Data("/p/1"))
    net.run_until(lambda: net.forwarder.counters.in_data >= 2)
    assert len(net.unix.faces) == 1


def test_a_slow_reader_loses_packets_and_nobody_else_does(net):
    producer, slow, quick = net.client(), net.client(), net.client()
    net.register(producer, "/p")
    content = bytes(8000)
    slow_face = sorted(net.unix.faces, key=lambda face: face.id)[1]
    # It never reads; its socket and then its queue fill up.
    net.clients.remove(slow)
    for i in range(400):
        name = f"/p/{i}"
        slow.send(Interest(name, lifetime=seconds(60)))
        net.run_until(lambda: producer.packets)
        producer.packets.clear()
        producer.send(Data(name, content))
    net.run_until(lambda: slow_face.counters.out_data == 400)
    assert slow_face.dropped > 0
    assert slow_face.stream.queued <= 1 << 20
    quick.send(Interest("/p/q", lifetime=seconds(60)))
    net.run_until(lambda: producer.packets)
    producer.send(Data("/p/q", b"x"))
    net.run_until(lambda: quick.packets)
    slow.close()


def test_a_program_that_is_slow_for_long_gets_marks(net):
    client = net.client()
    net.run_until(lambda: net.unix.faces)
    [face] = net.unix.faces
    # It does not read for a while, and what waits grows.
    net.clients.remove(client)
    for i in range(40):
        for j in range(3):
            face.send_data(Data(f"/x/{i}/{j}", bytes(8000)), None)
        net.run_for(10)
    assert 0 < face.congestion_marked < 60
    net.clients.append(client)
    net.run_until(lambda: len(client.packets) == 120 - face.dropped)
    marks = [packet.fields.congestion_mark for packet in client.packets if packet.fields]
    assert marks == [1] * face.congestion_marked


def test_a_face_of_a_forwarder_that_takes_time(net):
    slow = Forwarder(net.sim, 5, service_model="nfd-24.07")
    listener = listen(slow, "tcp4://127.0.0.1:0")
    producer, consumer = net.client_at(listener.address), net.client_at(listener.address)
    net.register(producer, "/p")
    consumer.send(Interest("/p/1", lifetime=seconds(30)))
    net.run_until(lambda: producer.packets)
    producer.send(Data("/p/1", b"x"))
    net.run_until(lambda: consumer.packets)
    consumer.send(*[Interest(f"/p/{i}") for i in range(50)])
    consumer.close()
    producer.close()
    net.run_until(lambda: not listener.faces)
    assert slow.fib.exact("/p") is None
    listener.close()


def test_too_large_data_of_a_simulated_producer_is_dropped(net):
    client = net.client()
    net.run_until(lambda: net.unix.faces)
    [face] = net.unix.faces
    face.send_data(Data("/big", 9000), None)
    assert face.out_too_large == 1
    face.send_data(Data("/ok", 8000), None)
    net.run_until(lambda: client.packets)
    assert client.packets[0].network_packet().content == bytes(8000)


def test_programs_on_two_nodes_of_a_network(net):
    """Over a simulated link of 50 ms: the round trip takes twice that of wall time."""
    far = Forwarder(net.sim, 1)
    a, b = connect(net.sim, net.forwarder, far, ms(50))
    net.forwarder.add_route("/p", a)
    with_socket = str(net.unix.address).replace("n.sock", "far.sock")
    listener = listen(far, with_socket)
    producer = net.client_at(listener.address)
    consumer = net.client()
    net.register(producer, "/p")
    start = time.monotonic()
    consumer.send(Interest("/p/1", lifetime=seconds(30)))
    net.run_until(lambda: producer.packets)
    producer.send(Data("/p/1", b"x"))
    net.run_until(lambda: consumer.packets)
    assert time.monotonic() - start >= 0.1
    listener.close()
    assert b.counters.in_interests == 1


def test_management_makes_and_changes_faces(net):
    other = Forwarder(net.sim, 1)
    listener = listen(other, "tcp4://127.0.0.1:0")
    client = net.client()

    def command(what, **fields):
        net.count += 1
        name = Name(f"/localhost/nfd/{what}").append(ControlParameters(**fields).to_wire())
        signer = DigestSha256(nonce=net.count.to_bytes(8, "big"))
        client.send(Interest(name, parameters=b"", signer=signer))
        net.run_until(lambda: client.packets)
        return ControlResponse.from_wire(client.packets.pop().network_packet().content)

    made = command("faces/create", uri=str(listener.address))
    assert made.code == 200
    assert made.body.face_persistency == 0
    assert command("faces/create", uri=str(listener.address)).code == 409
    assert command("faces/create", uri="tcp4://192.0.2.1:6363").code == 403
    assert command("faces/create", uri="tcp4://127.0.0.1:6363", face_persistency=1).code == 406
    net.run_until(lambda: listener.faces)
    number = made.body.face_id
    assert command("rib/register", name=Name("/far"), face_id=number).code == 200
    client.send(Interest("/far/1", lifetime=seconds(30)))
    # The far forwarder has no route.
    net.run_until(lambda: client.packets)
    assert client.packets.pop().nack_reason == NackReason.NO_ROUTE
    assert other.counters.in_interests == 1
    changed = command("faces/update", face_id=number, face_persistency=2, flags=1, mask=1)
    assert (changed.code, changed.body.face_persistency, changed.body.flags) == (200, 2, 1 | 4)
    assert net.forwarder.faces[number].local_fields
    assert command("faces/update", face_id=number, flags=2, mask=2).code == 409
    assert command("faces/update", face_id=number, flags=4, mask=6).code == 200
    assert command("faces/destroy", face_id=number).code == 200
    net.run_until(lambda: not listener.faces)
    # A program may destroy its own face: it gets the answer first.
    own = next(iter(net.unix.faces)).id
    assert command("faces/destroy", face_id=own).code == 200
    net.run_until(lambda: client.at_end)
    listener.close()
    assert management_of(other) is not management_of(net.forwarder)


def test_an_address_where_nobody_listens_gives_a_face_that_closes(net):
    client = net.client()
    net.run_until(lambda: net.unix.faces)
    management = management_of(net.forwarder)
    try:
        face = management.faces.factories["tcp4"](ControlParameters(uri="tcp4://127.0.0.1:1"))
    except FaceError as error:
        assert "refused" in str(error)
    else:
        face.send_interest(Interest("/x"), None)
        net.run_until(lambda: not face.is_open)
    client.close()


def test_closed_faces_are_freed_without_the_collector(net):
    def faces():
        return sum(type(thing) is LiveFace for thing in gc.get_objects())

    gc.collect()
    before = faces()
    for _ in range(20):
        client = net.client()
        net.register(client, "/p")
        client.close()
    net.run_until(lambda: not net.unix.faces)
    gc.disable()
    try:
        assert faces() == before
    finally:
        gc.enable()


def test_live_faces_need_real_time(tmp_path):
    with pytest.raises(ValueError, match="need a simulation in real time"):
        listen(Forwarder(Simulator()), str(tmp_path / "a.sock"))


def test_closing_a_listener_closes_its_faces_and_removes_its_file(net):
    client = net.client()
    net.run_until(lambda: net.unix.faces)
    path = Path(net.unix.address.path)
    net.unix.close()
    net.unix.close()
    assert not path.exists()
    assert not net.unix.faces
    net.run_until(lambda: client.at_end)
    assert management_of(net.forwarder).faces.channels == [str(net.tcp.address)]
