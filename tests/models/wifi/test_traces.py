"""Traces of a Wi-Fi network: text lines, captures that tshark reads, tables."""

import re
import shutil
import subprocess

import pyarrow.parquet as pq
import pytest

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.propagation import RangeLoss
from simcore.models.wifi.adhoc import install_adhoc
from simcore.trace import AsciiTrace, LinkType, PcapTrace, TableTrace

BROADCAST = "ff:ff:ff:ff:ff:ff"
IPV4 = 0x0800
IP_UDP = bytes.fromhex(
    "4500 0020 0001 0000 4011 66c9 0a000001 0a000002 c001 0009 000c 0000 73696d63"
)


def network(standard="802.11b", data_mode="DsssRate11Mbps", **phy):
    """Three stations; the first sends a unicast and a broadcast that all of them hear."""
    sim = Simulator()
    nodes = [Node(sim) for _ in range(3)]
    for number, node in enumerate(nodes):
        ConstantPosition(node, (10.0 * number, 0.0))
    devices = install_adhoc(nodes, standard=standard, data_mode=data_mode, phy=phy)
    for time, to in ((1_000, devices[1].address), (10_000_000, BROADCAST)):
        sim.schedule(time, devices[0].send_packet, Packet(sim, IP_UDP), to, IPV4)
    return sim, devices


# Data, its acknowledgement, broadcast: each sent once and received twice.
FRAMES = 9


def test_text_lines(tmp_path):
    path = tmp_path / "run.tr"
    sim, devices = network()
    AsciiTrace(path).attach(*devices)
    sim.run()
    lines = path.read_text().splitlines()
    shape = re.compile(
        r"(t|r) (\d+\.\d{9}) /NodeList/(\d)/DeviceList/0/\$ns3::WifiNetDevice/Phy/State/(Tx|RxOk) "
        r"(Dsss\S+) ns3::WifiMacHeader \((DATA|ACK) .*ns3::WifiMacTrailer \(\)"
    )
    seen = [shape.fullmatch(line).group(1, 3, 4, 6) for line in lines]
    assert seen == [
        ("t", "0", "Tx", "DATA"), ("r", "1", "RxOk", "DATA"), ("r", "2", "RxOk", "DATA"),
        ("t", "1", "Tx", "ACK"), ("r", "0", "RxOk", "ACK"), ("r", "2", "RxOk", "ACK"),
        ("t", "0", "Tx", "DATA"), ("r", "1", "RxOk", "DATA"), ("r", "2", "RxOk", "DATA"),
    ]
    times = [float(shape.fullmatch(line)[2]) for line in lines]
    assert times == sorted(times)


def test_a_table_holds_the_same(tmp_path):
    sim, devices = network()
    AsciiTrace(tmp_path / "run.tr").attach(*devices)
    TableTrace(tmp_path / "run.parquet").attach(*devices)
    sim.run()
    rows = pq.read_table(tmp_path / "run.parquet").to_pylist()
    lines = [
        f"{row['event']} {row['time_ns'] // 10**9}.{row['time_ns'] % 10**9:09d} "
        f"{row['source']} {row['text']}"
        for row in rows
    ]
    assert lines == (tmp_path / "run.tr").read_text().splitlines()
    assert [row["node"] for row in rows] == [0, 1, 2, 1, 0, 2, 0, 1, 2]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize(
    ("standard", "mode", "phy", "radio"),
    [
        ("802.11b", "DsssRate11Mbps", {}, [("11", "2412", "0x00a0"), ("1", "2412", "0x00a0")]),
        ("802.11a", "OfdmRate54Mbps", {}, [("54", "5180", "0x0140"), ("6", "5180", "0x0140")]),
    ],
)
@pytest.mark.parametrize("link_type", [LinkType.IEEE802_11, LinkType.IEEE802_11_RADIOTAP])
def test_tshark_reads_every_frame(tmp_path, standard, mode, phy, radio, link_type):
    path = tmp_path / "run.pcap"
    sim, devices = network(standard, mode, **phy)
    with PcapTrace(path, link_type).attach(*devices):
        sim.run()
    fields = [
        "wlan.fc.type_subtype", "wlan.fcs.status", "udp.dstport", "_ws.malformed",
        "radiotap.datarate", "radiotap.channel.freq", "radiotap.channel.flags",
        "radiotap.dbm_antsignal",
    ]
    shown = subprocess.run(
        [
            "tshark", "-r", str(path), "-o", "wlan.check_checksum:TRUE",
            "-o", "wlan.check_fcs:TRUE", "-T", "fields", "-E", "separator=|",
            *(part for name in fields for part in ("-e", name)),
        ],
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert shown.returncode == 0, shown.stderr
    rows = [line.split("|") for line in shown.stdout.splitlines()]
    assert len(rows) == FRAMES
    assert [int(row[0], 0) for row in rows] == [32] * 3 + [29] * 3 + [32] * 3
    assert [row[2] for row in rows] == ["9"] * 3 + [""] * 3 + ["9"] * 3
    assert all(row[3] == "" for row in rows)
    if link_type == LinkType.IEEE802_11_RADIOTAP:
        assert all(row[1] == "1" for row in rows)  # FCS good
        data, group = radio
        assert [tuple(row[4:6]) for row in rows[:3]] == [data[:2]] * 3
        assert [tuple(row[4:6]) for row in rows[6:]] == [group[:2]] * 3
        assert {int(row[6], 0) for row in rows} == {int(data[2], 0)}


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_reads_every_kind_of_frame(tmp_path):
    """RTS, CTS, fragments, retries, acknowledgements and broadcasts of a loaded network."""
    path = tmp_path / "run.pcap"
    sim = Simulator()
    nodes = [Node(sim) for _ in range(4)]
    for number, node in enumerate(nodes):
        ConstantPosition(node, (200.0 * number, 0.0))
    devices = install_adhoc(
        nodes, loss=RangeLoss(250), rts_threshold=200, fragmentation_threshold=600
    )
    for number in range(60):
        for device, to in ((devices[0], 1), (devices[2], 1), (devices[3], 2)):
            sim.schedule(
                number * 4_000_000, device.send_packet, Packet(sim, IP_UDP + bytes(1000)),
                devices[to].address, IPV4,
            )
        group = Packet(sim, IP_UDP)
        sim.schedule(number * 4_000_000, devices[1].send_packet, group, BROADCAST, IPV4)
    with PcapTrace(path, LinkType.IEEE802_11_RADIOTAP).attach(*devices):
        sim.run(until=400_000_000)
    shown = subprocess.run(
        [
            "tshark", "-r", str(path), "-o", "wlan.check_checksum:TRUE", "-T", "fields",
            *(part for name in (
                "wlan.fc.type_subtype", "wlan.fcs.status", "_ws.malformed", "wlan.fc.retry",
                "wlan.fc.frag", "radiotap.dbm_antsignal",
            ) for part in ("-e", name)),
        ],
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert shown.returncode == 0, shown.stderr
    rows = [line.split("\t") for line in shown.stdout.splitlines()]
    sent = sum(device.phy.tx_count for device in devices)
    assert len(rows) == sent + sum(device.phy.rx_ok_count for device in devices)
    assert {int(row[0], 0) for row in rows} == {27, 28, 29, 32}
    assert all(row[1] == "1" and row[2] == "" for row in rows)
    assert {row[3] for row in rows} == {row[4] for row in rows} == {"0", "1"} or (
        {row[3] for row in rows} == {row[4] for row in rows} == {"False", "True"}
    )
    # Transmissions have no signal strength; receptions have that of the range loss.
    assert sorted({row[5] for row in rows}) == ["", "16"]
    assert sum(row[5] == "" for row in rows) == sent
