import shutil
import subprocess

import pytest

from simcore import Simulator, ms, us
from simcore.models.network import ListErrorModel, Packet, PointToPointLink, create_nodes
from simcore.trace import AsciiTrace, PcapTrace

ETHERTYPE = 0x1234


@pytest.fixture
def pair():
    """Two nodes, their link (1 Mb/s, 5 ms), and what the second hears."""
    sim = Simulator()
    nodes = create_nodes(sim, 2)
    link = PointToPointLink(*nodes, "1Mbps", "5ms")
    heard = []
    nodes[1].listen(
        lambda device, packet, ethertype, source, destination, kind: heard.append(
            (sim.now(), sim.context, packet, ethertype, str(source), kind)
        ),
        ETHERTYPE,
    )
    return sim, link, heard


def test_a_packet_takes_transmission_and_delay(pair):
    sim, link, heard = pair
    packet = Packet(sim, 98)
    assert link.devices[0].send_packet(packet, link.devices[1].address, ETHERTYPE)
    sim.run()
    # 98 bytes and PPP's two at 1 Mb/s: 800 us.
    assert heard == [(us(800) + ms(5), 1, packet, ETHERTYPE, "00:00:00:00:00:01", 0)]


def test_packets_queue_behind_each_other(pair):
    sim, link, heard = pair
    for _ in range(3):
        link.devices[0].send_packet(Packet(sim, 98), link.devices[1].address, ETHERTYPE)
    sim.run()
    assert [time for time, *_ in heard] == [us(800 * n) + ms(5) for n in (1, 2, 3)]


def test_both_directions_at_once(pair):
    sim, link, heard = pair
    link.devices[0].send_packet(Packet(sim, 98), 2, ETHERTYPE)
    link.devices[1].send_packet(Packet(sim, 98), 1, ETHERTYPE)
    times = []
    link.devices[0].node.listen(lambda *_: times.append(sim.now()), ETHERTYPE)
    sim.run()
    assert times == [heard[0][0]] == [us(5800)]


def test_a_full_queue_drops():
    sim = Simulator()
    link = PointToPointLink(*create_nodes(sim, 2), "1Mbps", 0, queue_packets=2)
    device = link.devices[0]
    drops = []
    device.trace.tx_drop.connect(lambda packet, reason: drops.append(reason))
    # One is being sent, two wait.
    assert [device.send_packet(Packet(sim, 10), 2, ETHERTYPE) for _ in range(5)] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert drops == ["queue full"] * 2
    assert device.queue.drops == 2


def test_errors_and_a_broken_link(pair):
    sim, link, heard = pair
    link.devices[1].error_model = ListErrorModel(positions=[1])
    drops = []
    link.devices[1].trace.rx_drop.connect(lambda packet, reason: drops.append((sim.now(), reason)))
    for _ in range(3):
        link.devices[0].send_packet(Packet(sim, 98), 2, ETHERTYPE)
    sim.run()
    assert len(heard) == 2
    assert drops == [(us(1600) + ms(5), "error")]
    link.up = False
    assert not link.devices[0].send_packet(Packet(sim, 98), 2, ETHERTYPE)
    sim.run()
    assert len(heard) == 2


def test_bad_links():
    sim = Simulator()
    a, b = create_nodes(sim, 2)
    with pytest.raises(ValueError, match="both ends"):
        PointToPointLink(a, a)
    with pytest.raises(ValueError, match="one simulator"):
        PointToPointLink(a, create_nodes(Simulator(), 1)[0])
    with pytest.raises(ValueError, match="data_rate is '0Mbps'"):
        PointToPointLink(a, b, "0Mbps")
    with pytest.raises(ValueError, match="wrong unit"):
        PointToPointLink(a, b, "5 m")
    with pytest.raises(ValueError, match="delay is '-1ms'"):
        PointToPointLink(a, b, delay="-1ms")
    assert a.devices == []
    with pytest.raises(ValueError, match="1501 bytes"):
        PointToPointLink(a, b).devices[0].send_packet(Packet(sim, 1501), 2, ETHERTYPE)


def test_ascii_trace(pair, tmp_path):
    sim, link, _ = pair
    path = tmp_path / "link.tr"
    with AsciiTrace(path) as trace:
        trace.attach(*link.devices)
        link.devices[0].send_packet(Packet(sim, 98), 2, 0x0800)
        sim.run()
    base = "/DeviceList/0/$ns3::PointToPointNetDevice"
    text = "ns3::PppHeader (Point-to-Point Protocol: IP (0x0021)) Payload (size=98)"
    assert path.read_text().splitlines() == [
        f"+ 0.000000000 /NodeList/0{base}/TxQueue/Enqueue {text}",
        f"- 0.000000000 /NodeList/0{base}/TxQueue/Dequeue {text}",
        f"r 0.005800000 /NodeList/1{base}/MacRx {text}",
    ]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_reads_every_frame(tmp_path):
    from simcore.examples.first import First

    First(packets=4, packet_size=3000).run(out=tmp_path, trace=["pcap"])
    options = "-o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -T fields -e frame.number"
    fields = "_ws.malformed ip.checksum.status udp.checksum.status udp.length"
    command = ["tshark", "-r", str(tmp_path / "first.pcap"), *options.split()]
    for field in fields.split():
        command += ["-e", field]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in shown.splitlines()]
    # Three fragments each way, seen at both ends, for four requests.
    assert len(rows) == 3 * 2 * 2 * 4
    for _, malformed, ip_checksum, udp_checksum, udp_length in rows:
        assert malformed == ""
        assert ip_checksum == "1"
        assert udp_checksum in ("", "1")
        assert udp_length in ("", "3008")
    # Both ends of the link in one capture: tshark joins the fragments of a datagram once.
    assert sum(row[4] == "3008" for row in rows) == 2 * 4


def test_pcap_times(pair, tmp_path):
    sim, link, _ = pair
    path = tmp_path / "link.pcap"
    with PcapTrace(path) as trace:
        trace.attach(link.devices[1])
        link.devices[0].send_packet(Packet(sim, b"0123456789"), 2, 0x0800)
        sim.run()
    data = path.read_bytes()
    assert int.from_bytes(data[20:24], "little") == 9
    assert int.from_bytes(data[28:32], "little") == us(96) + ms(5)
    assert data[40:] == b"\x00\x210123456789"


def test_transmission_time_refuses_a_negative_size_and_one_too_long():
    link = PointToPointLink(*create_nodes(Simulator(), 2), 1)
    assert link.transmission_time(100) == 800_000_000_000
    with pytest.raises(ValueError, match="size is -5"):
        link.transmission_time(-5)
    with pytest.raises(OverflowError, match="out of range"):
        link.transmission_time(2**62)
