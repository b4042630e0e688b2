"""The compiled hooks of the stack, by protocols built here against the tree's ``.pxd`` files."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from simcore import seconds
from simcore.models.internet import UdpSocket
from simcore.models.network import Packet

HERE = Path(__file__).parent
CIMPORT_TREE = HERE.parents[2] / "build" / "cimport"


@pytest.fixture(scope="session")
def hooks(tmp_path_factory):
    pytest.importorskip("Cython")
    if not CIMPORT_TREE.exists():
        pytest.skip("the tree was not built here")
    folder = tmp_path_factory.mktemp("hooks")
    (folder / "hooks.pyx").write_bytes((HERE / "hooks.pyx").read_bytes())
    (folder / "setup.py").write_text(
        "from Cython.Build import cythonize\n"
        "from setuptools import Extension, setup\n"
        "module = Extension('hooks', ['hooks.pyx'], extra_compile_args=['-O0'])\n"
        f"tree = {str(CIMPORT_TREE)!r}\n"
        "setup(ext_modules=cythonize([module], include_path=[tree], language_level=3))\n"
    )
    built = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("hooks.*.so")
    spec = importlib.util.spec_from_file_location("hooks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def chain(lan):
    """Three nodes that hear only their neighbours: (sim, nodes, datagrams heard by the last)."""
    sim, nodes, channel = lan(3)
    channel.chain()
    heard = []
    socket = UdpSocket(nodes[2])
    socket.bind(9)
    socket.on_receive(lambda payload, source, port: heard.append((payload.uid, str(source))))
    return sim, nodes, heard


def test_a_shim_carries_datagrams_over_several_hops(hooks, chain):
    sim, nodes, heard = chain
    shims = [
        hooks.SourceRoute(nodes[0].ipv4, "10.1.1.2"),
        hooks.SourceRoute(nodes[1].ipv4, "10.1.1.3"),
        hooks.SourceRoute(nodes[2].ipv4, "10.1.1.2"),
    ]
    shims[1].neighbour_mac = 3
    payload = Packet(sim, 100)
    UdpSocket(nodes[0]).send_to(payload, "10.1.1.3", 9)
    sim.run(seconds(1))
    assert heard == [(payload.uid, "10.1.1.1")]
    assert shims[0].log == [("send", "10.1.1.3", 17, 108)]
    assert shims[1].log == [("receive", "10.1.1.3", 1, 64)]
    assert shims[2].log == [("receive", "10.1.1.3", 2, 63)]
    # A broadcast goes the ordinary way.
    UdpSocket(nodes[1]).send_to(Packet(sim, 1), "255.255.255.255", 9)
    sim.run(seconds(2))
    assert len(heard) == 2
    assert len(shims[1].log) == 1
    nodes[0].ipv4.set_shim(None)
    UdpSocket(nodes[0]).send_to(Packet(sim, 1), "10.1.1.2", 9)
    assert len(shims[0].log) == 1


def test_an_on_demand_protocol_keeps_packets(hooks, chain):
    sim, nodes, heard = chain
    routing = [hooks.OnDemand() for _ in nodes]
    for node, protocol in zip(nodes, routing, strict=True):
        node.ipv4.set_routing(protocol)
    payload = Packet(sim, 100)
    assert UdpSocket(nodes[0]).send_to(payload, "10.1.1.3", 9)
    sim.run(seconds(1))
    assert [packet.uid for packet in routing[0].kept] == [payload.uid]
    routing[0].found("10.1.1.2")
    sim.run(seconds(2))
    # The second node keeps what it is to forward.
    assert heard == []
    assert [packet.header.ttl for packet in routing[1].kept] == [64]
    assert routing[1].seen == [("10.1.1.1", 1)]
    ttls = []
    nodes[2].ipv4.trace.rx.connect(lambda packet, interface: ttls.append(packet.header.ttl))
    routing[1].found("10.1.1.3")
    sim.run(seconds(3))
    assert heard == [(payload.uid, "10.1.1.1")]
    assert routing[2].seen == [("10.1.1.1", 2)]
    assert ttls == [63]
    UdpSocket(nodes[0]).send_to(Packet(sim, 1), "10.1.1.3", 9)
    sim.run(seconds(4))
    assert len(heard) == 2


def test_unanswered_requests_are_reported(hooks, chain):
    sim, nodes, _ = chain
    log = hooks.Unresolved(nodes[0].ipv4).log
    payload = Packet(sim, 10)
    UdpSocket(nodes[0]).send_to(payload, "10.1.1.3", 9)
    sim.run(seconds(10))
    assert log == [(1, payload.uid, "10.1.1.3")]


def test_neighbours_that_a_protocol_has_heard(hooks, chain):
    sim, nodes, _ = chain
    cache = nodes[0].ipv4.interfaces[1].arp
    hooks.learn(nodes[0].ipv4, "10.1.1.2", 2)
    assert cache.lookup("10.1.1.2").status == "alive"
    assert hooks.address_of(nodes[0].ipv4, 2) == "10.1.1.2"
    assert hooks.address_of(nodes[0].ipv4, 7) == "0.0.0.0"
    # What waits for the reply goes out at once.
    UdpSocket(nodes[0]).send_to(Packet(sim, 10), "10.1.1.9", 9)
    hooks.learn(nodes[0].ipv4, "10.1.1.9", 2)
    rx = []
    nodes[1].ipv4.trace.rx.connect(lambda packet, interface: rx.append(sim.now()))
    sim.run()
    assert rx == [1000]
    # The neighbour got another card.
    hooks.learn(nodes[0].ipv4, "10.1.1.2", 5)
    assert str(cache.lookup("10.1.1.2").mac_address) == "00:00:00:00:00:05"
    assert hooks.address_of(nodes[0].ipv4, 2) == "10.1.1.9"
