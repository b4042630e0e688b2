"""NDNLPv2 packets, fragments and congestion marks against ndn-cxx's and NFD's cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator, ms
from simcore.models.ndn.data import Data
from simcore.models.ndn.fragmentation import (
    CongestionMarker,
    Reassembler,
    fragment_packet,
    fragment_sizes,
)
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields, LpPacket, NackReason, least_severe
from simcore.models.ndn.tlv import TlvError, elements

ROOT = Path(__file__).resolve().parents[2] / "reference" / "ndn"
CODEC = json.loads((ROOT / "lp_codec.json").read_text())["cases"]
FRAGMENTS = {
    row["what"]: row for row in json.loads((ROOT / "lp_fragmentation.json").read_text())["cases"]
}


def packet_of(row: dict) -> LpPacket:
    return LpPacket(
        bytes.fromhex(row["Fragment"]) if "Fragment" in row else None,
        LpFields(non_discovery=True) if row.get("NonDiscovery") else None,
        sequence=row.get("Sequence"),
        nack_reason=row.get("Nack"),
        frag_index=row.get("FragIndex"),
        frag_count=row.get("FragCount"),
        acks=row.get("Ack", ()),
    )


@pytest.mark.parametrize("row", CODEC["encode"], ids=lambda row: row[1][:30])
def test_encode(row):
    packet = packet_of(row[0])
    assert packet.to_wire().hex() == row[1]
    assert packet.wire_size == len(row[1]) // 2
    assert LpPacket.from_wire(bytes.fromhex(row[1])).to_wire().hex() == row[1]


@pytest.mark.parametrize("row", CODEC["decode_ok"], ids=lambda row: row[0][:30])
def test_decode(row):
    packet = LpPacket.from_wire(bytes.fromhex(row[0]))
    expected = row[1]
    fragment = bytes.fromhex(expected["Fragment"]) if "Fragment" in expected else None
    assert packet.fragment == fragment
    assert packet.has_sequence == ("Sequence" in expected)
    assert packet.sequence == expected.get("Sequence", 0)
    assert packet.frag_index == expected.get("FragIndex", -1)
    assert packet.frag_count == expected.get("FragCount", -1)


@pytest.mark.parametrize("row", CODEC["decode_error"], ids=lambda row: row[1])
def test_decode_error(row):
    with pytest.raises(TlvError):
        LpPacket.from_wire(bytes.fromhex(row[0]))


def test_nack_reasons():
    row = CODEC["nack_reason"]
    names = {"None": "NONE", "Congestion": "CONGESTION", "Duplicate": "DUPLICATE",
             "NoRoute": "NO_ROUTE"}
    assert {name: NackReason[names[name]].value for name in row["codes"]} == row["codes"]
    order = [row["codes"][name] for name in row["severity_order_least_to_most"]]
    for i, reason in enumerate(order):
        assert least_severe(order[i:][::-1]) == reason
    interest = Interest("/a", nonce=1)
    wire = LpPacket(interest, nack_reason=NackReason.DUPLICATE).to_wire()
    assert wire[2:].startswith(bytes.fromhex(row["wire_duplicate"]))
    wire = LpPacket(interest, nack_reason=NackReason.NONE).to_wire()
    assert wire[2:].startswith(bytes.fromhex(row["omitted_reason"]))
    assert LpPacket.from_wire(wire).nack_reason == 0
    unknown = bytes.fromhex("6409fd032005fd03210163")
    assert LpPacket.from_wire(unknown).nack_reason == row["codes"][row["unknown_code_reads_as"]]
    assert LpPacket.from_wire(wire).network_packet() == interest
    with pytest.raises(TlvError, match="no Interest"):
        LpPacket(Data("/a"), nack_reason=0).network_packet()


def test_types_and_order():
    tlv = CODEC["tlv"]
    announcement = Data("/32=PA/v=1/seg=0", b"x").to_wire()
    packet = LpPacket(
        Interest("/a"),
        LpFields(
            pit_token=b"\x01\x02", incoming_face_id=300, next_hop_face_id=5, no_cache=True,
            congestion_mark=1, non_discovery=True, prefix_announcement=announcement, hop_count=3,
        ),
        sequence=1, frag_index=0, frag_count=1, tx_sequence=2, acks=[9], nack_reason=50,
    )
    wire = packet.to_wire()
    assert len(wire) == packet.wire_size
    (kind, value), = elements(wire)
    assert kind == tlv["LpPacket"]
    assert [kind for kind, _ in elements(value)] == [
        tlv[name]
        for name in (
            "Sequence", "FragIndex", "FragCount", "PitToken", "Nack", "IncomingFaceId",
            "NextHopFaceId", "CachePolicy", "CongestionMark", "Ack", "TxSequence", "NonDiscovery",
            "PrefixAnnouncement", "Fragment",
        )
    ]
    assert len(dict(elements(value))[tlv["Sequence"]]) == 8
    back = LpPacket.from_wire(wire)
    assert back.to_wire() == wire
    fields = back.fields
    assert fields.pit_token == b"\x01\x02"
    assert fields.incoming_face_id == 300
    assert fields.next_hop_face_id == 5
    assert fields.no_cache
    assert fields.congestion_mark == 1
    assert fields.non_discovery
    assert fields.prefix_announcement == announcement
    assert back.acks == (9,)
    assert back.tx_sequence == 2


def test_bare_packet_has_no_overhead():
    interest = Interest("/a", nonce=1)
    assert LpPacket(interest).to_wire() == interest.to_wire()
    assert LpPacket(interest).wire_size == interest.wire_size
    assert LpPacket(interest, LpFields(hop_count=4)).wire_size == interest.wire_size
    assert LpPacket(interest).to_wire(bare=False)[0] == 100


def test_budget():
    row = FRAGMENTS["fragment overhead budget"]
    size = 1500 - row["single_frag_max"]
    assert fragment_sizes(size, 0, 1500) == [size]
    assert FRAGMENTS["payload sizes"]["rule"].startswith("first = mtu - 50")
    first = 1500 - row["frag_max"]
    assert fragment_sizes(size + 1, 0, 1500) == [first, size + 1 - first]
    assert fragment_sizes(4000, 20, 1500) == [first - 20, first, 4000 - 2 * first + 20]
    most = FRAGMENTS["nMaxFragments"]["value"]
    assert len(fragment_sizes(most * 50, 0, 100)) == most
    assert fragment_sizes(most * 50 + 1, 0, 100) == []
    assert fragment_sizes(100, 0, 50) == []


@given(st.integers(1, 8800), st.integers(100, 3000), st.booleans(), st.randoms())
def test_fragments_fit_and_come_back(size, mtu, encoded, random):
    data = Data("/a/b", size)
    fields = LpFields(pit_token=b"t")
    whole = LpPacket(data.to_wire() if encoded else data, fields)
    fragments = fragment_packet(whole, mtu, 77)
    assert fragments
    assert all(fragment.wire_size <= mtu for fragment in fragments)
    reassembler = Reassembler(Simulator())
    random.shuffle(fragments)
    if encoded:
        fragments = [LpPacket.from_wire(fragment.to_wire()) for fragment in fragments]
    results = [reassembler.receive(fragment) for fragment in fragments]
    assert results[:-1] == [None] * (len(fragments) - 1)
    packet = results[-1]
    assert packet.fields.pit_token == b"t"
    if encoded:
        assert packet.network_packet() == data
    else:
        assert packet.network_packet() is data
    assert not reassembler.partial


def test_reassembly_rules():
    assert FRAGMENTS["reassembly timeout ms"]["value"] == 500
    assert FRAGMENTS["reassembler key"]["duplicate"] == "ignored"
    sim = Simulator()
    reassembler = Reassembler(sim)
    data = Data("/a", 3000)
    a, b, c = fragment_packet(LpPacket(data), 1500, 10)
    # The same sequence numbers from another sender are another packet.
    assert reassembler.receive(a, "x") is None
    assert reassembler.receive(b, "y") is None
    assert reassembler.receive(a, "x") is None
    assert reassembler.receive(c, "x") is None
    assert reassembler.receive(b, "x").network_packet() is data
    assert len(reassembler.partial) == 1
    late = []
    sim.schedule(ms(499), lambda: late.append(len(reassembler.partial)))
    sim.schedule(ms(501), lambda: late.append(len(reassembler.partial)))
    sim.schedule(ms(502), lambda: late.append(reassembler.receive(a, "y")))
    sim.schedule(ms(502), lambda: late.append(reassembler.receive(c, "y")))
    sim.run()
    assert late == [1, 0, None, None]
    assert reassembler.timed_out == 2


def test_odd_fragments():
    reassembler = Reassembler(Simulator(), limit=2)
    whole = LpPacket(b"\x05\x00")
    assert reassembler.receive(whole) is whole
    single = LpPacket(b"\x05\x00", frag_index=0, frag_count=1, sequence=5)
    assert reassembler.receive(single) is single
    for bad in (
        LpPacket(b"x", frag_index=2, frag_count=2, sequence=5),
        LpPacket(b"x", frag_index=0, frag_count=401, sequence=5),
        LpPacket(b"x", frag_index=0, frag_count=2),
        LpPacket(b"x", frag_index=3, sequence=5),
    ):
        assert reassembler.receive(bad) is None
    assert reassembler.rejected == 4
    for i in range(5):
        reassembler.receive(LpPacket(b"x", frag_index=0, frag_count=2, sequence=10 * i))
    assert len(reassembler.partial) == 2


def test_congestion_marks():
    row = FRAGMENTS["congestion marking"]
    marker = CongestionMarker()
    assert marker.threshold == row["default_threshold_bytes"]
    assert marker.interval == ms(row["base_interval_ms"])
    for t, queued, marked in row["timeline"]:
        assert marker.observe(ms(t), queued) is marked
    assert not marker.observe(ms(300), row["default_threshold_bytes"])
    assert not marker.observe(ms(301), 70000)
    assert not marker.observe(ms(400), 70000)
    assert marker.observe(ms(401), 70000)
