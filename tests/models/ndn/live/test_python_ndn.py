"""Real, unmodified python-ndn: both of its APIs and its nfdc, as programs of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simcore import ms
from simcore.models.ndn import Forwarder
from simcore.models.ndn.live import listen
from simcore.models.ndn.testing import connect

pytest.importorskip("ndn")
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home folder with python-ndn's key storage, made by its own tool."""
    folder = tmp_path_factory.mktemp("home")
    subprocess.run(
        [sys.executable, "-m", "ndn.bin.sec", "init-pib"],
        env=environment(folder, ""),
        check=True,
        capture_output=True,
        timeout=120,
    )
    return folder


def environment(home, transport):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NDN_")}
    return kept | {"HOME": str(home), "NDN_CLIENT_TRANSPORT": str(transport)}


@pytest.fixture
def start(home):
    """Start a program with a transport; all end with the test."""
    running = []

    def start(transport, script, *arguments):
        module = [] if str(script).endswith(".py") else ["-m"]
        place = str(PROGRAMS / script) if not module else script
        program = subprocess.Popen(
            [sys.executable, *module, place, *arguments],
            env=environment(home, transport),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(program)
        return program

    yield start
    for program in running:
        program.kill()
        program.communicate()


def finish(net, program):
    """Let the simulation run until a program has ended; what it printed."""
    net.run_until(lambda: program.poll() is not None)
    printed, complaints = program.communicate()
    assert program.returncode == 0, complaints
    return printed


def has_route(forwarder, prefix):
    return lambda: forwarder.fib.exact(prefix) is not None


@pytest.mark.parametrize("kind", ["unix", "tcp"])
@pytest.mark.parametrize("producer", ["v1", "v2"])
@pytest.mark.parametrize("consumer", ["v1", "v2"])
def test_a_producer_and_a_consumer(net, start, kind, producer, consumer):
    transport = (net.unix if kind == "unix" else net.tcp).address
    program = start(transport, f"{producer}_producer.py")
    net.run_until(has_route(net.forwarder, f"/{producer}/hello"))
    name = f"/{producer}/hello/1"
    asker = start(transport, f"{consumer}_consumer.py", f"{name} /nowhere")
    result = json.loads(finish(net, asker))
    assert result == {name: [name, f"hello from {producer}"], "/nowhere": "nack 150"}
    program.kill()
    net.run_until(lambda: not net.unix.faces and not net.tcp.faces)
    assert net.forwarder.fib.exact(f"/{producer}/hello") is None


def test_segments_over_a_simulated_link(net, start):
    far = Forwarder(net.sim, 1)
    a, _ = connect(net.sim, net.forwarder, far, ms(5))
    net.forwarder.add_route("/v1", a)
    listener = listen(far, str(net.unix.address).replace("n.sock", "far.sock"))
    start(listener.address, "v1_producer.py")
    net.run_until(has_route(far, "/v1/hello"))
    asker = start(net.tcp.address, "v1_consumer.py", "/v1/hello/x", "/v1/file")
    result = json.loads(finish(net, asker))
    assert result["/v1/hello/x"] == ["/v1/hello/x", "hello from v1"]
    assert result["segments"] == [[i, 4000] for i in range(12)]
    assert far.counters.in_interests >= 13
    listener.close()


def test_unregistering(net, start):
    transport = net.unix.address
    start(transport, "v2_producer.py")
    net.run_until(has_route(net.forwarder, "/v2/leave"))
    assert has_route(net.forwarder, "/v2/hello")()
    asker = start(transport, "v2_consumer.py", "/v2/leave/now")
    assert json.loads(finish(net, asker))["/v2/leave/now"][1] == "leaving"
    net.run_until(lambda: net.forwarder.fib.exact("/v2/hello") is None)
    assert has_route(net.forwarder, "/v2/leave")()


def test_a_restarted_producer_is_asked_again(net, start):
    for _ in range(2):
        program = start(net.unix.address, "v2_producer.py")
        net.run_until(has_route(net.forwarder, "/v2/hello"))
        asker = start(net.tcp.address, "v1_consumer.py", "/v2/hello/again")
        assert json.loads(finish(net, asker))["/v2/hello/again"][1] == "hello from v2"
        program.kill()
        net.run_until(lambda: not net.unix.faces)


def nfdc(net, start, *arguments):
    return finish(net, start(net.unix.address, "ndn.bin.nfdc", *arguments))


def test_its_nfdc_reads_and_changes_the_forwarder(net, start):
    a, _ = connect(net.sim, net.forwarder, Forwarder(net.sim, 1), ms(1))
    status = nfdc(net, start, "Get-Status")
    assert "simcore" in status
    assert "fd://" in nfdc(net, start, "Get-Face")
    assert "POINT_TO_POINT" in nfdc(net, start, "Get-Face", str(a.id))
    nfdc(net, start, "New-Route", "/n", str(a.id))
    assert has_route(net.forwarder, "/n")()
    assert "/n" in nfdc(net, start, "Get-Route")
    nfdc(net, start, "Remove-Route", "/n", str(a.id))
    assert not has_route(net.forwarder, "/n")()
    nfdc(net, start, "Set-Strategy", "/n", "/localhost/nfd/strategy/multicast")
    assert net.forwarder.strategy_choice.find("/n").name == "multicast"
    assert "multicast" in nfdc(net, start, "Get-Strategy")
    nfdc(net, start, "Remove-Strategy", "/n")
    assert net.forwarder.strategy_choice.find("/n").name == "best-route"
