"""Interests and Data against the specification's and ndn-cxx's cases."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import ms, seconds
from simcore.models.ndn.component import Component
from simcore.models.ndn.data import Data
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpPacket, decode_packet
from simcore.models.ndn.name import Name
from simcore.models.ndn.security import DigestSha256, EcdsaSha256, HmacSha256
from simcore.models.ndn.tlv import TlvError, elements, encode_element

ROOT = Path(__file__).resolve().parents[2] / "reference" / "ndn"


def cases(name: str):
    return json.loads((ROOT / f"{name}.json").read_text())["cases"]


INTEREST = cases("interest_codec")
DATA = cases("data_codec")


@pytest.mark.parametrize("row", INTEREST["valid"], ids=lambda row: row["wire"][:40])
def test_interest(row):
    wire = bytes.fromhex(row["wire"])
    interest = Interest.from_wire(wire)
    assert interest.to_wire() == wire
    assert interest.wire_size == len(wire)
    if "name" in row:
        assert interest.name.to_uri() == row["name"]
    if "nonce" in row:
        expected = None if row["nonce"] is None else int(row["nonce"], 16)
        assert interest.nonce == expected
    for field in ("can_be_prefix", "must_be_fresh", "lifetime_ms", "hop_limit"):
        if field in row:
            assert getattr(interest, field) == row[field]
    if "forwarding_hint" in row:
        assert [name.to_uri() for name in interest.forwarding_hint] == row["forwarding_hint"]
    if "app_parameters" in row:
        assert interest.application_parameters == bytes.fromhex(row["app_parameters"])
    if "signature_type" in row:
        info = dict(elements(interest.signature_info))
        assert info[27] == bytes([row["signature_type"]])
        assert info[38].hex() == row["signature_nonce"]
        assert not DigestSha256().verify(interest)
    if "reencode_after_set_name_J" in row:
        assert interest.replaced(name="/J").to_wire().hex() == row["reencode_after_set_name_J"]
    if "reencode_after_set_nonce_957c6554" in row:
        expected = row["reencode_after_set_nonce_957c6554"]
        assert interest.replaced(nonce=0x957C6554).to_wire().hex() == expected


@pytest.mark.parametrize("row", INTEREST["invalid"], ids=lambda row: row[1])
def test_bad_interest(row):
    with pytest.raises(TlvError):
        Interest.from_wire(bytes.fromhex(row[0]))


@pytest.mark.parametrize("row", DATA["valid"], ids=lambda row: row["wire"][:40])
def test_data(row):
    wire = bytes.fromhex(row["wire"])
    data = Data.from_wire(wire)
    assert data.to_wire() == wire
    assert data.wire_size == len(wire)
    assert data.name.to_uri() == row["name"]
    for field in ("content_type", "freshness_ms", "signature_type"):
        if field in row:
            assert getattr(data, field) == row[field]
    if "final_block" in row:
        assert data.final_block is row["final_block"]
    if "has_content" in row:
        assert (data.content is not None) is row["has_content"]
    if "content" in row:
        assert data.content == bytes.fromhex(row["content"])
    if row.get("signature_valid_digest_sha256"):
        assert DigestSha256().verify(data)
    assert data.implicit_digest == hashlib.sha256(wire).digest()
    assert data.full_name == data.name.append(Component(data.implicit_digest, 1))
    if "reencode_after_set_name_E" in row:
        assert data.replaced(name="/E").to_wire().hex() == row["reencode_after_set_name_E"]


@pytest.mark.parametrize("row", DATA["invalid"], ids=lambda row: row[1])
def test_bad_data(row):
    with pytest.raises(TlvError):
        Data.from_wire(bytes.fromhex(row[0]))


@pytest.mark.parametrize(
    ("wire", "reason"),
    [
        ("0600", "name"),
        ("06050703080144", "signature"),
        ("060a070308014416031b0100", "signature"),
        ("06110703080144150014001603" + "1b01001700", "critical"),
        ("060f070308014414021801" + "16031b01001700", "cut off|left|length"),
        ("060e0703080144fb0016031b01001700", "critical"),
        ("06130703080144" + "14061a0408000800" + "16031b01001700", "FinalBlockId"),
    ],
)
def test_more_bad_data(wire, reason):
    data = bytes.fromhex(wire)
    with pytest.raises(TlvError, match=reason):
        Data.from_wire(bytes([6, len(data) - 2]) + data[2:])


@pytest.mark.parametrize("row", cases("interest_data_match"))
def test_match(row):
    uri, can_be_prefix, must_be_fresh, data_uri, expected = row
    data = Data(data_uri, 10)
    name = data.full_name if uri.endswith("<correct>") else Name(uri)
    if not len(name):
        # The empty name is no Interest's; as a prefix it would match everything.
        assert name.is_prefix_of(data.name)
        with pytest.raises(ValueError, match="empty"):
            Interest(name, can_be_prefix=True)
        return
    interest = Interest(name, can_be_prefix=can_be_prefix, must_be_fresh=must_be_fresh)
    assert interest.matches(data) is expected


def test_types():
    types = cases("tlv_types")["types"]
    interest = Interest(
        "/a", nonce=1, lifetime=seconds(1), can_be_prefix=True, must_be_fresh=True, hop_limit=3,
        forwarding_hint=["/h"],
    )
    packet = elements(interest.to_wire())
    assert packet[0][0] == types["Interest"]
    order = [
        "Name", "CanBePrefix", "MustBeFresh", "ForwardingHint", "Nonce", "InterestLifetime",
        "HopLimit",
    ]
    assert [kind for kind, _ in elements(packet[0][1])] == [types[name] for name in order]
    signed = Interest("/a", parameters=b"p", signer=HmacSha256(b"k", nonce=b"n", time=1))
    order = ["Name", "ApplicationParameters", "InterestSignatureInfo", "InterestSignatureValue"]
    inside = elements(elements(signed.to_wire())[0][1])
    assert [kind for kind, _ in inside] == [types[name] for name in order]
    assert [kind for kind, _ in elements(signed.signature_info)] == [
        types[name] for name in ("SignatureType", "SignatureNonce", "SignatureTime")
    ]
    data = Data("/a", b"c", content_type=2, freshness=ms(1), final_block="seg=1")
    order = ["Name", "MetaInfo", "Content", "SignatureInfo", "SignatureValue"]
    inside = elements(elements(data.to_wire())[0][1])
    assert [kind for kind, _ in inside] == [types[name] for name in order]
    order = ["ContentType", "FreshnessPeriod", "FinalBlockId"]
    assert [kind for kind, _ in elements(inside[1][1])] == [types[name] for name in order]


def test_virtual_content_costs_no_bytes():
    data = Data("/a/b", 1000, freshness=seconds(1))
    real = Data("/a/b", bytes(1000), freshness=seconds(1))
    assert not data.has_real_content
    assert data.payload == 1000
    assert data.content == bytes(1000)
    assert data.wire_size == real.wire_size == len(data.to_wire())
    assert data == real
    assert data.full_name == real.full_name
    assert DigestSha256().verify(data)


@pytest.mark.parametrize(
    "signer",
    [
        DigestSha256(key_locator="/k"),
        HmacSha256(b"secret", key_locator="/key"),
        pytest.param("ecdsa", id="ecdsa"),
    ],
    ids=lambda signer: type(signer).__name__,
)
def test_signatures(signer):
    if signer == "ecdsa":
        pytest.importorskip("cryptography")
        signer = EcdsaSha256(key_locator="/key")
    data = Data("/a", b"content", signer=signer)
    for packet in (data, Data.from_wire(data.to_wire())):
        assert packet.signature_type == signer.type
        assert packet.key_locator == signer.key_locator
        assert signer.verify(packet)
    forged = data.replaced(content=b"other", name="/a")
    assert not signer.verify(forged)
    interest = Interest("/a", parameters=b"x", signer=signer)
    assert signer.verify(interest)
    assert signer.verify(Interest.from_wire(interest.to_wire()))
    assert not signer.verify(data.replaced(name="/b"))


def test_hmac_as_python_computes_it():
    import hmac

    data = Data("/a", b"c", signer=HmacSha256(b"k"))
    assert data.signature_value == hmac.digest(b"k", data.signed_portion, "sha256")


def test_parameters_digest():
    interest = Interest("/a/b", parameters=b"hello")
    assert len(interest.name) == 3
    assert interest.name[2].value == hashlib.sha256(encode_element(36, b"hello")).digest()
    placed = Interest(
        Name("/a").append_parameters_digest_placeholder().append(b"z"), parameters=b"hello"
    )
    assert placed.name[1] == interest.name[2]
    assert placed.name[2] == Component(b"z")
    with pytest.raises(ValueError, match="no parameters"):
        Interest(interest.name)


def test_bad_fields():
    with pytest.raises(ValueError, match="whole number of ms"):
        Interest("/a", lifetime=1500)
    with pytest.raises(ValueError, match="hop_limit is 256"):
        Interest("/a", hop_limit=256)
    with pytest.raises(ValueError, match="nonce is -1"):
        Interest("/a", nonce=-1)
    with pytest.raises(ValueError, match="freshness is -1"):
        Data("/a", freshness=-1)
    with pytest.raises(ValueError, match="content has -5"):
        Data("/a", -5)


names = st.lists(st.binary(max_size=5), min_size=1, max_size=5).map(Name)
interests = st.builds(
    Interest,
    names,
    nonce=st.none() | st.integers(0, 2**32 - 1),
    lifetime=st.none() | st.integers(0, 2**40).map(ms),
    can_be_prefix=st.booleans(),
    must_be_fresh=st.booleans(),
    hop_limit=st.none() | st.integers(0, 255),
    forwarding_hint=st.lists(names, max_size=2),
    parameters=st.none() | st.binary(max_size=10),
    signer=st.none() | st.just(DigestSha256(nonce=b"12345678")),
)
datas = st.builds(
    Data,
    names,
    st.none() | st.binary(max_size=300) | st.integers(0, 300),
    freshness=st.integers(0, 2**40).map(ms),
    content_type=st.integers(0, 1000),
    final_block=st.none() | st.binary(max_size=3),
    signer=st.none() | st.just(HmacSha256(b"k")),
)


@given(interests)
def test_interests_come_back(interest):
    wire = interest.to_wire()
    assert len(wire) == interest.wire_size
    back = Interest.from_wire(wire)
    for field in (
        "name", "nonce", "lifetime", "can_be_prefix", "must_be_fresh", "hop_limit",
        "forwarding_hint", "application_parameters", "signature_info", "signature_value",
    ):
        assert getattr(back, field) == getattr(interest, field)
    assert back.replaced(nonce=interest.nonce).to_wire() == wire
    assert pickle.loads(pickle.dumps(interest)) == interest
    if interest.signature_info is not None:
        assert DigestSha256().verify(back)


@given(datas)
def test_data_comes_back(data):
    wire = data.to_wire()
    assert len(wire) == data.wire_size
    back = Data.from_wire(wire)
    for field in (
        "name", "content", "freshness", "content_type", "final_block", "signature_info",
        "signature_value", "full_name", "payload", "signed_portion",
    ):
        assert getattr(back, field) == getattr(data, field)
    assert back.replaced().to_wire() == wire


def packets_of_traces() -> list[bytes]:
    found = []
    nfd = json.loads((ROOT / "traces" / "nfd.json").read_text())
    found += [bytes.fromhex(row["hex"]) for row in nfd["log"]]
    for session in json.loads((ROOT / "traces" / "python_ndn.json").read_text()).values():
        if isinstance(session, dict):
            found += [
                bytes.fromhex(row["hex"])
                for row in session["packets"]
                if row["hex"] and session.get("mode") != "nosig"
            ]
    return found


TRACES = packets_of_traces()


def test_captured_packets():
    assert len(TRACES) > 80
    signed = 0
    for wire in TRACES:
        lp = LpPacket.from_wire(wire)
        assert lp.to_wire() == wire or lp.to_wire(bare=False) == wire
        packet = lp.network_packet()
        # Our own encoder makes the same bytes; it omits a ContentType of 0, and has a MetaInfo.
        again = packet.replaced()
        assert isinstance(packet, Data) or again == packet
        assert Data.from_wire(again.to_wire()).content == packet.content if again != packet else 1
        if isinstance(packet, Data):
            signed += DigestSha256().verify(packet)
        elif packet.signature_info is not None:
            assert DigestSha256().verify(packet)
            signed += 1
    assert signed > 40


def test_captured_session_of_ndn_cxx():
    """The hexadecimal dump is put together again from its indentation."""
    lines = (ROOT / "traces" / "ndn_cxx.txt").read_text().splitlines()
    shown = [line for line in lines if re.match(r"\s+[0-9a-f]+ ", line)]

    def build(i: int, indent: int) -> tuple[bytes, int]:
        match = re.match(r"(\s+)([0-9a-f]+) .*len=\d+ ?([0-9a-f]*)", shown[i])
        assert match
        header, value = bytes.fromhex(match[2]), bytes.fromhex(match[3])
        i += 1
        while i < len(shown) and len(shown[i]) - len(shown[i].lstrip()) > indent:
            part, i = build(i, len(shown[i]) - len(shown[i].lstrip()))
            value += part
        return header + value, i

    i, seen = 0, 0
    while i < len(shown):
        wire, i = build(i, 4)
        packet = LpPacket.from_wire(wire).network_packet()
        assert packet.wire_size <= len(wire)
        if isinstance(packet, Data) and packet.name[0].value == b"example":
            assert DigestSha256().verify(packet)
            assert packet.content == b"hello from ndn-cxx"
        seen += 1
    assert seen == 8


def mutated() -> st.SearchStrategy[bytes]:
    """Bytes of real packets with some changed, cut out or put in."""

    def change(wire: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
        for position, length, insert in edits:
            position %= len(wire) + 1
            wire = wire[:position] + insert + wire[position + length :]
        return wire

    edit = st.tuples(st.integers(0, 400), st.integers(0, 4), st.binary(max_size=4))
    return st.builds(change, st.sampled_from(TRACES), st.lists(edit, min_size=1, max_size=3))


def check(data: bytes) -> None:
    try:
        packet = decode_packet(data)
    except TlvError:
        pass
    else:
        assert packet.to_wire() == data
        again = packet.replaced()
        assert decode_packet(again.to_wire()).replaced().to_wire() == again.to_wire()
        repr(packet)
    try:
        lp = LpPacket.from_wire(data)
    except TlvError:
        return
    wire = lp.to_wire(bare=False)
    assert LpPacket.from_wire(wire).to_wire(bare=False) == wire
    assert len(lp.to_wire()) == lp.wire_size
    try:
        lp.network_packet()
    except TlvError:
        return


@given(st.binary(max_size=60) | mutated())
@settings(max_examples=300)
def test_any_bytes_decode_or_raise(data):
    check(data)


@given(
    st.sampled_from([5, 6, 100]),
    st.lists(
        st.tuples(
            st.sampled_from([7, 10, 12, 18, 20, 21, 22, 23, 30, 33, 34, 36, 44, 46, 80, 81, 82, 83,
                             98, 800, 801, 812, 816, 820, 832, 836, 840, 844, 848, 252, 804]),
            st.binary(max_size=8)
            | st.just(b"\x08\x01a")
            | st.just(b"\x1b\x01\x00")
            | st.just(bytes.fromhex("0708080161")),
        ),
        max_size=8,
    ),
    st.booleans(),
)
@settings(max_examples=300)
def test_any_elements_decode_or_raise(kind, parts, ordered):
    if ordered:
        parts.sort(key=lambda part: (part[0] == 80, part[0] != 7, part[0]))
    check(encode_element(kind, b"".join(encode_element(*part) for part in parts)))


@pytest.mark.validation
def test_a_million_inputs():
    """Mutations of captured packets, by a generator that costs little."""
    import random

    rng = random.Random(1)
    for _ in range(1_000_000):
        wire = bytearray(rng.choice(TRACES))
        for _ in range(rng.randint(1, 4)):
            i = rng.randrange(len(wire))
            choice = rng.random()
            if choice < 0.5:
                wire[i] = rng.choice((0, 1, 5, 6, 7, 8, 10, 12, 252, 253, 254, 255, wire[i] ^ 1))
            elif choice < 0.7:
                del wire[i : i + rng.randint(1, 4)]
            elif choice < 0.9:
                wire[i:i] = rng.randbytes(rng.randint(1, 4))
            if not wire:
                wire = bytearray(b"\x05")
        check(bytes(wire))
