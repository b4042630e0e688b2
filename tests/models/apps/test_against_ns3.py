"""Times at which packets are sent and received, against ns-3.44 (tests/reference/internet)."""

import csv
from pathlib import Path

import pytest

from simcore import Simulator, ms, seconds, us
from simcore.examples.first import First
from simcore.models.apps import Cbr, OnOff, Sink, UdpEchoClient, UdpEchoServer
from simcore.models.internet import AddressAllocator, ArpHeader, install_internet
from simcore.models.network import IdealChannel, IdealDevice, PointToPointLink, create_nodes
from simcore.trace import AsciiTrace

REFERENCE = Path(__file__).parents[2] / "reference" / "internet"


def test_first_receives_when_ns3_does():
    times = []
    scenario = First()
    sim = Simulator()
    scenario.build(sim)
    scenario.server.trace.rx.connect(lambda *_: times.append(sim.now()))
    scenario.client.trace.rx.connect(lambda *_: times.append(sim.now()))
    sim.run(seconds(10))
    # 1024 + 8 + 20 + 2 bytes at 5 Mb/s, and 2 ms, each way.
    assert times == [2_003_686_400, 2_007_372_800]
    assert [f"{time / 1e9:.6g}" for time in times] == ["2.00369", "2.00737"]


def test_first_writes_the_same_trace(tmp_path):
    First(packets=2).run(out=tmp_path, trace=["ascii"])
    expected = (REFERENCE / "first_tr.txt").read_text().splitlines()
    found = (tmp_path / "first.tr").read_text().splitlines()
    assert len(found) == len(expected) == 12
    for ours, theirs in zip(found, expected, strict=True):
        letter, time, rest = ours.split(" ", 2)
        # ns-3 prints six significant digits.
        assert f"{letter} {float(time):.6g} {rest}" == theirs


CASES = {
    "residual": ({"rate": "10kbps", "packet_size": 100, "on_time": 0.35, "off_time": 0.2}, 1, 5),
    "dsr": ({"rate": "0.512kbps", "packet_size": 64, "on_time": 1, "off_time": 0}, 100, 110),
    "maxbytes": ({"rate": "500kbps", "packet_size": 512, "max_bytes": 2000}, 0, 20),
    "defaults": ({}, 0, 1.1),
}


@pytest.mark.parametrize("case", CASES)
def test_on_off_sends_when_ns3_does(case):
    parameters, start, stop = CASES[case]
    with (REFERENCE / "on_off.csv").open() as file:
        expected = [int(row["time_ns"]) for row in csv.DictReader(file) if row["case"] == case]
    sim = Simulator()
    nodes = create_nodes(sim, 2)
    install_internet(nodes)
    AddressAllocator("10.1.1.0/24").assign(PointToPointLink(*nodes, "100Mbps", "1ms").devices)
    app = OnOff(nodes[0], "10.1.1.2", 9, start=seconds(start), stop=seconds(stop), **parameters)
    times = []
    app.trace.tx.connect(lambda payload: times.append(sim.now()))
    sim.run(seconds(200))
    if case == "residual":
        # 0.03 s at 10 kb/s are 300 bits. In ns-3's fixed-point numbers 0.03 is a little less, the
        # result is rounded down to 299, and every on time begins 0.1 ms later than it should.
        times = [time + us(100) * ((time - seconds(1.2)) // ms(550)) for time in times]
    assert times == expected


def test_the_dsr_example_sends_399_packets_a_flow(pair_of_nodes):
    sim, (a, b) = pair_of_nodes
    app = OnOff(
        a,
        b.ipv4.address,
        9,
        64,
        rate="0.512kbps",
        on_time=1,
        off_time=0,
        start="100s",
        stop="500s",
    )
    sink = Sink(b, 9)
    sim.run(seconds(600))
    assert (app.sent, sink.received_packets) == (399, 399)


def test_unanswered_arp_requests_go_out_when_ns3s_do():
    with (REFERENCE / "arp_unanswered.csv").open() as file:
        expected = [float(row["request_s"]) for row in csv.DictReader(file)]
    sim = Simulator()
    nodes = create_nodes(sim, 2)
    install_internet(nodes)
    channel = IdealChannel("1us")
    AddressAllocator("10.1.1.0/24").assign([IdealDevice(node, channel) for node in nodes])
    times = []
    nodes[0].devices[0].trace.tx.connect(
        lambda frame: times.append(sim.now()) if frame.find(ArpHeader) else None
    )
    Cbr(nodes[0], "10.1.1.77", 9, 64, interval="0.5s", start="10s", stop="120s")
    sim.run(seconds(200))
    assert len(times) == len(expected)
    for ours, theirs in zip(times, expected, strict=True):
        assert 0 <= ours - seconds(theirs) < ms(10)


def test_traces_of_a_shared_medium(tmp_path):
    sim = Simulator()
    nodes = create_nodes(sim, 2)
    install_internet(nodes)
    channel = IdealChannel("1us")
    devices = [IdealDevice(node, channel) for node in nodes]
    AddressAllocator("10.1.1.0/24").assign(devices)
    UdpEchoServer(nodes[1])
    UdpEchoClient(nodes[0], "10.1.1.2", packet_size=64)
    path = tmp_path / "medium.tr"
    with AsciiTrace(path) as trace:
        trace.attach(*devices)
        sim.run()
    request = next(line for line in path.read_text().splitlines() if "ArpHeader" in line)
    assert request.split(" ", 3)[3] == (
        "ns3::EthernetHeader ( length/type=0x806, source=00:00:00:00:00:01, "
        "destination=ff:ff:ff:ff:ff:ff) "
        "ns3::ArpHeader (hardware type: Ethernet request source mac: 00-06-00:00:00:00:00:01 "
        "source ipv4: 10.1.1.1 dest ipv4: 10.1.1.2)"
    )
