"""Stream sockets of a simulation in real time: connections, listeners, addresses."""

import errno
import os
import resource
import socket
import stat
import threading

import pytest

from simcore import Simulator, ms, seconds
from simcore.bridge import Address, AddressError, StreamServer
from simcore.bridge.stream import PythonConnection
from simcore.bridge.stream_server import connect_plainly

LONG = seconds(60)


@pytest.fixture
def sim():
    return Simulator(realtime=True)


def pair(sim, on_data, on_close=None, **options):
    ours, theirs = socket.socketpair()
    return PythonConnection(sim.pacer, ours, on_data, on_close, **options), theirs


def test_what_is_not_used_comes_again_with_what_follows(sim):
    seen = []

    def take(data):
        seen.append(data)
        used = len(data) // 4 * 4
        if b"end!" in data:
            sim.stop()
        return used

    connection, theirs = pair(sim, take)
    theirs.send(b"abcdef")
    sim.schedule(ms(20), theirs.send, b"ghend!")
    sim.run(until=LONG)
    assert seen == [b"abcdef", b"efghend!"]
    assert connection.bytes_in == 12
    theirs.close()


def test_messages_of_one_turn_go_out_together(sim):
    connection, theirs = pair(sim, len)
    for i in range(10):
        assert connection.send(bytes([i]) * 100)
    assert connection.queued == 1000
    sim.run(until=ms(1))
    assert connection.queued == 0
    assert theirs.recv(5000) == b"".join(bytes([i]) * 100 for i in range(10))
    theirs.close()


def test_a_slow_reader_costs_bounded_memory_and_is_told_apart(sim):
    connection, theirs = pair(sim, len, queue_limit=10_000)
    sent = sum(connection.send(b"x" * 1000) for _ in range(10_000))
    assert connection.queued <= 10_000
    assert connection.dropped == 10_000 - sent > 0
    received = 0
    sim.schedule(ms(50), sim.stop)
    theirs.setblocking(False)

    def drain():
        nonlocal received
        try:
            while data := theirs.recv(1 << 20):
                received += len(data)
        except BlockingIOError:
            pass

    sim.pacer.watch(theirs, drain)
    sim.run()
    drain()
    # What was taken arrives, whole and once the reader reads again.
    assert received == 1000 * sent
    assert connection.bytes_out == received
    theirs.close()


def test_the_end_of_the_other_side_is_told_once(sim):
    ends = []
    connection, theirs = pair(sim, len, lambda: (ends.append(sim.now()), sim.stop()))
    theirs.close()
    sim.run(until=LONG)
    assert len(ends) == 1
    assert not connection.is_open
    assert connection.closed_because == "the other side closed it"
    assert not connection.send(b"x")
    connection.close()
    assert len(ends) == 1


def test_sending_to_one_that_has_gone_closes_within_the_simulation(sim):
    ends = []
    connection, theirs = pair(sim, len, lambda: (ends.append(1), sim.stop()))
    theirs.close()
    sim.schedule(0, connection.send, b"x" * 100)
    sim.run(until=LONG)
    assert ends == [1]


def test_closing_within_on_data(sim):
    connection, theirs = pair(sim, lambda data: (connection.close(), sim.stop(), 0)[-1])
    theirs.send(b"abc")
    sim.run(until=LONG)
    assert connection.closed_because == "closed here"
    assert theirs.recv(10) == b""
    theirs.close()


def test_a_run_without_end_ends_with_its_last_connection(sim):
    _, theirs = pair(sim, len)
    threading.Timer(0.05, theirs.close).start()
    assert sim.run().reason == "empty"


def serve(sim, address, **options):
    taken = []
    server = StreamServer(
        sim.pacer, address, lambda sock, remote: taken.append((sock, remote)), **options
    )
    return server, taken


def test_unix_listener(sim, tmp_path):
    path = tmp_path / "a.sock"
    server, taken = serve(sim, f"unix://{path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    client = connect_plainly(f"unix://{path}")
    sim.run(until=ms(50))
    [(sock, remote)] = taken
    assert remote.startswith("fd://")
    sock.send(b"hi")
    assert client.recv(10) == b"hi"
    server.close()
    server.close()
    assert not path.exists()


def test_tcp_listener_tells_its_port(sim):
    server, taken = serve(sim, "tcp4://127.0.0.1:0")
    assert server.address.port > 0
    client = connect_plainly(server.address)
    sim.run(until=ms(50))
    assert taken[0][1] == f"tcp4://127.0.0.1:{client.getsockname()[1]}"
    with pytest.raises(AddressError, match="another program uses it already"):
        serve(sim, server.address)
    server.close()


def test_a_stale_file_is_replaced_and_a_live_one_is_not(sim, tmp_path):
    path = tmp_path / "a.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    server, _ = serve(sim, str(path))
    with pytest.raises(AddressError, match="another program listens there already"):
        serve(sim, str(path))
    # Who takes the place of our file keeps it.
    path.unlink()
    path.write_text("mine")
    server.close()
    assert path.read_text() == "mine"
    with pytest.raises(AddressError, match="no socket; choose another"):
        serve(sim, str(path))
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("unix://", "names no file"),
        ("unix://" + "x" * 108, "at most 107 bytes, this one has 108"),
        ("unix:///no/such/folder/a.sock", "there is no folder '/no/such/folder'"),
        ("udp4://127.0.0.1:6363", "scheme 'udp4' is unknown"),
        ("tcp4://127.0.0.1:66000", "port '66000' is not a number"),
        ("tcp4://example.org:1", "not numeric"),
        ("tcp6://127.0.0.1:1", "is of tcp4, not tcp6"),
        ("tcp4://0.0.0.0:6363", "can be reached from other machines"),
        ("tcp4://192.0.2.77:0", "can be reached from other machines"),
    ],
)
def test_addresses_that_do_not_serve_are_explained(sim, address, message):
    with pytest.raises(AddressError, match=message):
        serve(sim, address)


def test_an_address_of_another_machine_is_explained(sim):
    with pytest.raises(AddressError, match="this machine has no such address"):
        serve(sim, "tcp4://192.0.2.77:0", insecure=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_explained(sim, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(AddressError, match="permission denied"):
        serve(sim, str(tmp_path / "a.sock"))


def test_texts_of_addresses():
    for text in ("unix:///a/b.sock", "tcp4://127.0.0.1:6363", "tcp6://[::1]:6363"):
        assert str(Address.parse(text)) == text
    assert str(Address.parse("tcp://localhost", 6363)) == "tcp4://127.0.0.1:6363"
    assert str(Address.parse("tcp6://[::1]", 6363)) == "tcp6://[::1]:6363"
    assert Address.parse("a.sock").path == "a.sock"
    assert not Address.parse("tcp4://10.0.0.1:1").is_loopback


def test_missing_and_stale_sockets_are_explained_to_clients(tmp_path):
    path = tmp_path / "a.sock"
    with pytest.raises(AddressError, match="there is no such socket; is the simulation"):
        connect_plainly(str(path))
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with pytest.raises(AddressError, match="nobody listens there; the file was left behind"):
        connect_plainly(str(path))


def test_more_connections_than_allowed_are_turned_away(sim, tmp_path):
    server, taken = serve(sim, str(tmp_path / "a.sock"), max_connections=3)
    clients = [connect_plainly(server.address) for _ in range(5)]
    sim.run(until=ms(100))
    assert server.accepted == 3
    assert server.refused == 2
    assert clients[4].recv(1) == b""
    server.released()
    clients.append(connect_plainly(server.address))
    sim.run(until=ms(200))
    assert server.accepted == 4
    server.close()
    assert len(taken) == 4


def test_running_out_of_descriptors_delays_connections_only(sim, tmp_path):
    server, taken = serve(sim, str(tmp_path / "a.sock"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    clients = [connect_plainly(server.address) for _ in range(10)]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (clients[-1].fileno() + 4, hard))
        sim.run(until=ms(150))
        assert len(taken) < 10
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    before = sim.pacer.turns
    sim.run(until=ms(600))
    assert len(taken) == 10
    # No busy loop over the connections that could not be taken.
    assert sim.pacer.turns - before < 50
    server.close()


def test_errors_keep_their_number(tmp_path):
    with pytest.raises(AddressError) as caught:
        connect_plainly("tcp4://127.0.0.1:1")
    assert caught.value.errno == errno.ECONNREFUSED
