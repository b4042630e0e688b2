"""Wire formats as tshark's dissector of DSR, written by others from RFC 4728, reads them."""

import shutil
import struct
import subprocess

import pytest

from simcore import Simulator
from simcore.models.dsr import (
    Acknowledgement,
    AckRequest,
    DestinationFlow,
    DsrHeader,
    FlowStateHeader,
    RouteError,
    RouteReply,
    RouteRequest,
    SourceRoute,
    Timeout,
)
from simcore.models.internet import Ipv4Header
from simcore.models.network.packet import Packet

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")

RAW_IP = 101
B, C, D, E = "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"

CASES = [
    (
        [RouteRequest(0x1234, E, [B, C])],
        {
            "dsr.nexthdr": "59",
            "dsr.len": "16",
            "dsr.option.type": "1",
            "dsr.option.len": "14",
            "dsr.option.rreq.id": "0x1234",
            "dsr.option.rreq.targetaddress": E,
            "dsr.option.rreq.address": f"{B},{C}",
        },
    ),
    (
        [RouteReply([B, C, D], last_external=True)],
        {
            "dsr.option.type": "2",
            "dsr.option.rrep.lasthopex": "1",
            "dsr.option.rrep.address": f"{B},{C},{D}",
        },
    ),
    (
        [RouteError(1, C, B, D, salvage=5)],
        {
            "dsr.option.type": "3",
            "dsr.option.err.type": "1",
            "dsr.option.err.salvage": "5",
            "dsr.option.err.src": C,
            "dsr.option.err.dest": B,
            "dsr.option.err.unreachablenode": D,
        },
    ),
    ([RouteError(3, C, B, information=b"\x80")], {"dsr.option.err.unsupportedoption": "128"}),
    ([AckRequest(0xABCD)], {"dsr.option.type": "160", "dsr.option.ackreq.id": "0xabcd"}),
    (
        [Acknowledgement(7, C, B)],
        {
            "dsr.option.type": "32",
            "dsr.option.ack.id": "0x0007",
            "dsr.option.ack.source": C,
            "dsr.option.ack.dest": B,
        },
    ),
    (
        [SourceRoute([B, C, D], 2, 11, first_external=True)],
        {
            "dsr.option.type": "96",
            "dsr.option.srcrt.firsthopext": "1",
            "dsr.option.srcrt.lasthopext": "0",
            "dsr.option.srcrt.salvage": "11",
            "dsr.option.srcrt.segsleft": "2",
        },
    ),
    (
        [RouteError(1, C, B, D), RouteReply([B, C]), SourceRoute([B], 1)],
        {"dsr.option.type": "3,2,96", "dsr.option.srcrt.segsleft": "1"},
    ),
    (
        [Timeout(30), SourceRoute([B], 1)],
        {"dsr.option.type": "128,96", "dsr.option.timeout.timeout": "30"},
    ),
    (
        [DestinationFlow(0x1234, E)],
        {
            "dsr.option.type": "129",
            "dsr.option.destflowid.id": "0x1234",
            "dsr.option.destflowid.dest": E,
        },
    ),
    (
        [RouteError(129, C, B, information=bytes.fromhex("0a000005 0007"))],
        {
            "dsr.option.err.type": "129",
            "dsr.option.err.unknownflow.dest": E,
            "dsr.option.err.unknownflow.id": "7",
        },
    ),
    (
        [RouteError(130, C, B, information=bytes.fromhex("0a000005"))],
        {"dsr.option.err.type": "130", "dsr.option.err.defaultflowunknown.dest": E},
    ),
    (
        [AckRequest(1, B)],
        {"dsr.option.len": "6", "dsr.option.ackreq.address": B},
    ),
]


def tshark(path, *fields):
    command = ["tshark", "-r", str(path), "-T", "fields", "-E", "separator=|", "-E", "header=n"]
    for field in fields:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("|") for line in done.stdout.splitlines()]


def plain(text):
    """Numbers as numbers: tshark shows some in hexadecimal, and flags as words in some versions."""
    text = {"True": "1", "False": "0"}.get(text, text)
    try:
        return int(text, 0)
    except ValueError:
        return text


def write(path, packets):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, RAW_IP))
        for packet in packets:
            data = packet.to_bytes()
            file.write(struct.pack("<IIII", 0, 0, len(data), len(data)) + data)


def test_fields(tmp_path):
    sim = Simulator()
    packets = []
    for options, _ in CASES:
        body = Packet(sim, 0).push(DsrHeader(59, options))
        packets.append(body.push(Ipv4Header(B, E, 48, body.size)))
    write(tmp_path / "dsr.pcap", packets)
    names = sorted({name for _, expected in CASES for name in expected})
    rows = tshark(tmp_path / "dsr.pcap", "_ws.malformed", *names)
    assert len(rows) == len(CASES)
    for (_, expected), (malformed, *values) in zip(CASES, rows, strict=True):
        assert malformed == ""
        found = dict(zip(names, values, strict=True))
        for name, value in expected.items():
            assert plain(found[name]) == plain(value), name


def test_flow_state_header(tmp_path):
    sim = Simulator()
    body = Packet(sim, 0).push(DsrHeader(59, [Timeout(9), SourceRoute([B, C], 2)]))
    body = body.push(FlowStateHeader(48, 5, 0x1234))
    write(tmp_path / "dsr.pcap", [body.push(Ipv4Header(B, E, 48, body.size))])
    fields = ("dsr.flowstate", "dsr.fs.hopcount", "dsr.fs.id", "dsr.nexthdr", "dsr.option.type")
    (row,) = tshark(tmp_path / "dsr.pcap", "_ws.malformed", *fields)
    malformed, state, hops, flow, following, *_ = row
    assert malformed == ""
    assert [plain(value) for value in (state.split(",")[0], hops)] == [1, 5]
    # tshark 4.0 reads one octet of the flow identifier's two.
    assert plain(flow) in (0x12, 0x1234)
    assert plain(following.split(",")[0]) == 48


def test_udp_behind_a_padded_header(tmp_path):
    from simcore.models.internet import UdpHeader

    sim = Simulator()
    segment = Packet(sim, b"data").push(UdpHeader(B, 1000, E, 9, 4))
    # A reply of one hop has 7 octets: one of padding brings the header to 12.
    body = segment.push(DsrHeader(17, [RouteReply([E])]))
    write(tmp_path / "dsr.pcap", [body.push(Ipv4Header(B, E, 48, body.size))])
    (row,) = tshark(tmp_path / "dsr.pcap", "_ws.malformed", "udp.dstport", "udp.length")
    assert row == ["", "9", "12"]


@pytest.mark.parametrize("flow_state", [False, True])
def test_capture_of_a_run(tmp_path, flow_state):
    from simcore.examples.dsr import Dsr

    Dsr(data_start=1, data_stop=6, total_time=8, sinks=5, flow_state=flow_state).run(
        seed=3, out=tmp_path, trace=["pcap"]
    )
    rows = tshark(tmp_path / "dsr.pcap", "_ws.malformed", "_ws.col.Protocol", "dsr.option.type")
    assert len(rows) > 100
    assert all(malformed == "" for malformed, _, _ in rows)
    assert {"DSR", "UDP", "802.11"} == {protocol for _, protocol, _ in rows}
    types = {kind for _, _, kinds in rows for kind in kinds.split(",") if kind}
    assert {"1", "2", "96"} <= types
