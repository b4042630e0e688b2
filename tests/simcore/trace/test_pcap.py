"""Captures: exact bytes, round trips, snaplen, link types, and tshark's opinion."""

import io
import shutil
import struct
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator
from simcore.trace import LinkType, PcapTrace, TraceSet

MICROSECONDS = 0xA1B2C3D4
NANOSECONDS = 0xA1B23C4D


def read_pcap(data):
    """Parse a little-endian capture into its header and (time in ns, bytes, length) records."""
    magic, major, minor, zone, accuracy, snaplen, network = struct.unpack_from("<IHHiIII", data)
    assert (major, minor, zone, accuracy) == (2, 4, 0, 0)
    unit = {MICROSECONDS: 1000, NANOSECONDS: 1}[magic]
    records = []
    place = 24
    while place < len(data):
        second, fraction, kept, length = struct.unpack_from("<IIII", data, place)
        assert fraction * unit < 10**9
        place += 16
        frame = data[place:place + kept]
        assert len(frame) == kept
        records.append((second * 10**9 + fraction * unit, frame, length))
        place += kept
    return (unit, snaplen, network), records


class Device:
    """A device that emits frames of two kinds."""

    pcap_link_types = (LinkType.ETHERNET, LinkType.RAW_IP)

    def __init__(self, sim):
        self.sim = sim
        self.trace = TraceSet(self, promiscuous="frame")

    def pcap_sources(self):
        return [self.trace.promiscuous]


class Frame:
    def __init__(self, data):
        self.data = data
        self.asked = 0

    def to_bytes(self):
        self.asked += 1
        return self.data


class DoubleFrame(Frame):
    def to_pcap(self, link_type):
        self.asked += 1
        return bytes([link_type]) + self.data


def test_exact_bytes():
    sim = Simulator()
    device = Device(sim)
    target = io.BytesIO()
    PcapTrace(target).attach(device)
    sim.schedule(3_000_000_456, device.trace.promiscuous.emit, Frame(b"\x01\x02\x03"))
    sim.run()
    assert target.getvalue() == bytes.fromhex(
        "4d3cb2a1 0200 0400 00000000 00000000 00000400 01000000"
        "03000000 c8010000 03000000 03000000 010203"
    )


def test_the_header_is_written_even_without_frames(tmp_path):
    path = tmp_path / "run.pcap"
    PcapTrace(path, LinkType.PPP, nanoseconds=False, snaplen=96).close()
    assert path.read_bytes() == bytes.fromhex(
        "d4c3b2a1 0200 0400 00000000 00000000 60000000 09000000"
    )


@given(
    frames=st.lists(st.tuples(st.integers(0, 10**12), st.binary(max_size=300)), max_size=20),
    nanoseconds=st.booleans(),
    snaplen=st.integers(1, 400),
    link_type=st.sampled_from([*LinkType, 147]),
)
def test_round_trip(frames, nanoseconds, snaplen, link_type):
    sim = Simulator()
    source = TraceSet(sim, tx="frame").tx
    target = io.BytesIO()
    trace = PcapTrace(target, link_type, nanoseconds=nanoseconds, snaplen=snaplen)
    trace.attach_source(source)
    for time, data in frames:
        sim.schedule(time, source.emit, data)
    sim.run()
    header, records = read_pcap(target.getvalue())
    unit = 1 if nanoseconds else 1000
    assert header == (unit, snaplen, int(link_type))
    expected = sorted(frames, key=lambda item: item[0])
    assert records == [
        (time // unit * unit, data[:snaplen], len(data)) for time, data in expected
    ]


def test_a_broadcast_is_encoded_once_for_all_captures_of_a_simulator():
    sim = Simulator()
    devices = [Device(sim) for _ in range(5)]
    targets = [io.BytesIO() for _ in devices]
    traces = [
        PcapTrace(target).attach(device) for target, device in zip(targets, devices, strict=True)
    ]
    frame, other = Frame(b"broadcast"), Frame(b"other")
    for sent in (frame, other, frame):
        for device in devices:
            device.trace.promiscuous.emit(sent)
    assert (frame.asked, other.asked) == (2, 1)
    for trace, target in zip(traces, targets, strict=True):
        trace.close()
        assert [data for _, data, _ in read_pcap(target.getvalue())[1]] == [
            b"broadcast", b"other", b"broadcast",
        ]


def test_to_pcap_gets_the_link_type_and_the_cache_knows_it():
    sim = Simulator()
    device = Device(sim)
    ethernet, raw = io.BytesIO(), io.BytesIO()
    traces = [
        PcapTrace(ethernet).attach(device),
        PcapTrace(raw, LinkType.RAW_IP).attach(device),
    ]
    frame = DoubleFrame(b"x")
    device.trace.promiscuous.emit(frame)
    for trace in traces:
        trace.close()
    assert read_pcap(ethernet.getvalue())[1] == [(0, b"\x01x", 2)]
    assert read_pcap(raw.getvalue())[1] == [(0, b"\x65x", 2)]
    assert frame.asked == 2


def test_a_device_can_encode_with_all_arguments_of_the_emission():
    class Radio(Device):
        pcap_link_types = (LinkType.IEEE802_11_RADIOTAP,)

        def pcap_sources(self):
            return [(self.trace.promiscuous, self.encode)]

        def encode(self, link_type, frame, signal, noise):
            assert noise is None
            return struct.pack("<Bb", link_type, signal) + frame

    sim = Simulator()
    device = Radio(sim)
    target = io.BytesIO()
    trace = PcapTrace(target).attach(device)
    assert trace.link_type is LinkType.IEEE802_11_RADIOTAP
    device.trace.promiscuous.emit(b"frame", -60)
    device.trace.promiscuous.emit(b"frame", -61)
    trace.close()
    assert [data for _, data, _ in read_pcap(target.getvalue())[1]] == [
        b"\x7f\xc4frame", b"\x7f\xc3frame",
    ]


def test_wrong_things_are_named():
    sim = Simulator()
    device = Device(sim)
    with pytest.raises(ValueError, match="snaplen is 0"):
        PcapTrace(io.BytesIO(), snaplen=0)
    with pytest.raises(ValueError, match="snaplen is 262145"):
        PcapTrace(io.BytesIO(), snaplen=262145)
    with pytest.raises(ValueError, match="link_type is -1"):
        PcapTrace(io.BytesIO(), -1)
    with pytest.raises(TypeError, match="link_type is 'ethernet'"):
        PcapTrace(io.BytesIO(), "ethernet")
    with pytest.raises(ValueError, match=r"gives <LinkType.ETHERNET: 1>, <LinkType.RAW_IP: 101>"):
        PcapTrace(io.BytesIO(), LinkType.PPP).attach(device)
    with pytest.raises(ValueError, match="no link type yet"):
        PcapTrace(io.BytesIO()).attach_source(device.trace.promiscuous)
    with pytest.raises(TypeError, match=r"no pcap_sources\(\)"):
        PcapTrace(io.BytesIO()).attach(sim)
    with pytest.raises(TypeError, match="encode is 3"):
        PcapTrace(io.BytesIO(), 1).attach_source(device.trace.promiscuous, 3)
    PcapTrace(io.BytesIO()).attach(device)
    for wrong in (3, None, "text", object()):
        with pytest.raises(TypeError, match="a capture needs bytes"):
            device.trace.promiscuous.emit(wrong)
    with pytest.raises(TypeError, match="it must be bytes"):
        device.trace.promiscuous.emit(Frame("text"))


def test_times_past_the_format_are_an_error_and_leave_a_valid_file():
    sim = Simulator()
    device = Device(sim)
    target = io.BytesIO()
    PcapTrace(target).attach(device)
    last = (2**32 - 1) * 10**9 + 999_999_999
    sim.schedule(last, device.trace.promiscuous.emit, b"last")
    sim.schedule(last + 1, device.trace.promiscuous.emit, b"late")
    with pytest.raises(OverflowError, match="4294967296 s does not fit"):
        sim.run()
    assert read_pcap(target.getvalue())[1] == [(last, b"last", 4)]


ETHERNET_HEADER = bytes.fromhex("ffffffffffff 000000000001 0800")
IP_UDP = bytes.fromhex(
    "4500 0020 0001 0000 4011 66c9 0a000001 0a000002"
    "c001 0009 000c 0000 73696d63"
)
# Data frame to the distribution system's broadcast, then LLC/SNAP (802.11-2020 9.3.2.1).
WIFI_DATA = bytes.fromhex(
    "0800 0000 ffffffffffff 000000000001 000000000002 1000 aaaa03000000 0800"
) + IP_UDP
# Version 0, length 9, only the rate (bit 2) present: 22 x 500 kb/s.
RADIOTAP = bytes.fromhex("00 00 0900 04000000 16")
FRAMES = {
    LinkType.ETHERNET: (ETHERNET_HEADER + IP_UDP, "eth:ethertype:ip:udp"),
    LinkType.PPP: (bytes.fromhex("0021") + IP_UDP, "ppp:ip:udp"),
    LinkType.RAW_IP: (IP_UDP, "raw:ip:udp"),
    LinkType.IEEE802_11: (WIFI_DATA, "wlan:llc:ip:udp"),
    LinkType.IEEE802_11_RADIOTAP: (
        RADIOTAP + WIFI_DATA, "radiotap:wlan_radio:wlan:llc:ip:udp",
    ),
}


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("link_type", list(FRAMES))
@pytest.mark.parametrize("nanoseconds", [True, False])
def test_tshark_reads_every_frame(tmp_path, link_type, nanoseconds):
    frame, protocols = FRAMES[link_type]
    path = tmp_path / "run.pcap"
    sim = Simulator()
    source = TraceSet(sim, tx="frame").tx
    trace = PcapTrace(path, link_type, nanoseconds=nanoseconds)
    trace.attach_source(source)
    for number in range(3):
        sim.schedule(number * 1_500_000_123, source.emit, frame)
    sim.run()
    trace.close()
    fields = ["frame.time_epoch", "frame.len", "frame.protocols", "_ws.malformed", "udp.dstport"]
    shown = subprocess.run(
        [
            "tshark", "-r", str(path), "-T", "fields", "-E", "separator=|",
            *(part for name in fields for part in ("-e", name)),
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )
    rows = [line.split("|") for line in shown.stdout.splitlines()]
    assert len(rows) == 3
    for number, (time, length, seen, malformed, port) in enumerate(rows):
        when = number * 1_500_000_123
        if not nanoseconds:
            when = when // 1000 * 1000
        second, _, fraction = time.partition(".")
        assert int(second) * 10**9 + int(fraction.ljust(9, "0")) == when
        assert int(length) == len(frame)
        assert seen.startswith(protocols)
        assert malformed == ""
        assert port == "9"
