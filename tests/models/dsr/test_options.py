"""Wire formats of RFC 4728 6, against octets written out by hand from its figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.models.dsr.header import DsrHeader, FlowStateHeader
from simcore.models.dsr.options import (
    Acknowledgement,
    AckRequest,
    DestinationFlow,
    DsrOption,
    DsrParseError,
    Padding,
    RouteError,
    RouteReply,
    RouteRequest,
    SourceRoute,
    Timeout,
    UnknownOption,
)
from simcore.models.dsr.route import Route
from simcore.models.network.packet import PacketError

B, C, D, E = "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"

FIGURES = [
    # 6.2: type 1, Opt Data Len 6 + 4 n, Identification, Target Address, Address[1..n].
    (RouteRequest(0x1234, E), "0106 1234 0a000005"),
    (RouteRequest(2, E, [B, C]), "010e 0002 0a000005 0a000002 0a000003"),
    # 6.3: type 2, Opt Data Len 1 + 4 n, L and Reserved in one octet, Address[1..n].
    (RouteReply([B, C]), "0209 00 0a000002 0a000003"),
    (RouteReply([E], last_external=True), "0205 80 0a000005"),
    # 6.4, 6.4.1: type 3, Opt Data Len 14, Error Type 1, Reservd 4 bits and Salvage 4 bits.
    (RouteError(1, C, B, D, salvage=5), "030e 01 05 0a000003 0a000002 0a000004"),
    # 6.4.2: nothing after the addresses.
    (RouteError(2, C, B), "030a 02 00 0a000003 0a000002"),
    # 6.4.3: one octet, the type of the option.
    (RouteError(3, C, B, information=b"\x80"), "030b 03 00 0a000003 0a000002 80"),
    # 6.5: type 160, Opt Data Len 2.
    (AckRequest(0xABCD), "a002 abcd"),
    # 6.6: type 32, Opt Data Len 10.
    (Acknowledgement(0xABCD, C, B), "200a abcd 0a000003 0a000002"),
    # 6.7: type 96, Opt Data Len 2 + 4 n; F, L, Reservd 4 bits, Salvage 4 bits, Segs Left 6 bits.
    (SourceRoute([B, C, D]), "600e 0003 0a000002 0a000003 0a000004"),
    (SourceRoute([B, C], 1, 15), "600a 03c1 0a000002 0a000003"),
    (SourceRoute([B], 0, first_external=True), "6006 8000 0a000002"),
    (SourceRoute([B], 0, last_external=True), "6006 4000 0a000002"),
    (SourceRoute([]), "6002 0000"),
    # 6.8, 6.9: Pad1 is a lone octet, PadN has zeros.
    (Padding(1), "e0"),
    (Padding(2), "0000"),
    (Padding(4), "0002 0000"),
    # 7.2.1: type 128, Opt Data Len 2, seconds.
    (Timeout(30), "8002 001e"),
    # 7.2.2: type 129, Opt Data Len 6, New Flow Identifier, New IP Destination Address.
    (DestinationFlow(0x1234, E), "8106 1234 0a000005"),
    # 7.3.1: the packet's destination and flow; 7.3.2: the destination.
    (
        RouteError(129, C, B, information=bytes.fromhex("0a000005 0007")),
        "0310 81 00 0a000003 0a000002 0a000005 0007",
    ),
    (
        RouteError(130, C, B, information=bytes.fromhex("0a000005")),
        "030e 82 00 0a000003 0a000002 0a000005",
    ),
    # 7.4.1: Opt Data Len 6, who asks.
    (AckRequest(1, B), "a006 0001 0a000002"),
    (UnknownOption(200, b"\x00\x1e"), "c802 001e"),
]


@pytest.mark.parametrize(("option", "octets"), FIGURES, ids=[octets for _, octets in FIGURES])
def test_wire_format(option, octets):
    data = bytes.fromhex(octets)
    assert option.to_bytes() == data
    assert option.length == len(data)
    parsed, rest = DsrOption.parse(data + b"tail")
    assert parsed == option
    assert type(parsed) is type(option)
    assert rest == b"tail"
    assert str(parsed) == str(option)


@pytest.mark.parametrize(
    ("octets", "message"),
    [
        ("", "no octets"),
        ("01", "length is missing"),
        ("0106 0001 0a0000", "8 octets, 7 are there"),
        ("0105 0001 0a0000", "Route Request"),
        ("0108 0001 0a000005 0000", "Route Request"),
        ("0201 00", "no addresses"),
        ("0203 00 0a00", "Route Reply"),
        ("0308 01 00 0a000003 0a00", "Route Error"),
        ("030a 01 00 0a000003 0a000002", "unreachable node is missing"),
        ("030a 03 00 0a000003 0a000002", "unsupported option is missing"),
        ("030f 81 00 0a000003 0a000002 0a000005 00", "unknown flow is missing"),
        ("030d 82 00 0a000003 0a000002 0a0000", "original destination is missing"),
        ("a001 00", "Acknowledgement Request"),
        ("2009 abcd 0a000003 0a0000", "Acknowledgement"),
        ("6001 00", "Source Route"),
        ("6006 0002 0a000002", "2 segments left of 1"),
    ],
)
def test_malformed(octets, message):
    with pytest.raises(DsrParseError, match=message) as caught:
        DsrOption.parse(bytes.fromhex(octets))
    assert isinstance(caught.value, PacketError)


def test_reserved_bits_are_ignored():
    assert DsrOption.parse(bytes.fromhex("600a 3dc1 0a000002 0a000003"))[0] == (
        SourceRoute([B, C], 1, 7)
    )
    assert DsrOption.parse(bytes.fromhex("0205 7f 0a000005"))[0] == RouteReply([E])
    assert DsrOption.parse(bytes.fromhex("030e 01 f5 0a000003 0a000002 0a000004"))[0] == (
        RouteError(1, C, B, D, salvage=5)
    )


@pytest.mark.parametrize(
    "octets", ["a004 0001 0a00", "a006 0001 00000000", "8003 001e 00", "8107 0001 0a000002 00"]
)
def test_longer_options_have_extensions_that_nobody_defined(octets):
    option, _ = DsrOption.parse(bytes.fromhex(octets))
    assert isinstance(option, UnknownOption)
    assert option.to_bytes() == bytes.fromhex(octets)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Route(range(1, 65)), "route"),
        (lambda: RouteRequest(1, E, range(1, 64)), "route"),
        (lambda: RouteReply([]), "route"),
        (lambda: RouteError(1, B, C, D, salvage=16), "salvage"),
        (lambda: RouteError(3, B, C), "information"),
        (lambda: RouteError(129, B, C, information=bytes(5)), "information"),
        (lambda: RouteError(130, B, C, information=bytes(3)), "information"),
        (lambda: SourceRoute([B], 2), "segments_left"),
        (lambda: SourceRoute([B], 1, 16), "salvage"),
        (lambda: Padding(0), "length"),
        (lambda: UnknownOption(200, bytes(256)), "data"),
        (lambda: FlowStateHeader(17, 128, 0), "hop_count"),
        (lambda: DsrHeader(17, [AckRequest(1), AckRequest(2)]), "once"),
        (lambda: DsrHeader(17, [Timeout(1), Timeout(2)]), "once"),
        (lambda: DsrHeader(17, [SourceRoute([B]), SourceRoute([C])]), "once"),
        (lambda: DsrHeader(17, [RouteRequest(1, E), RouteRequest(2, E)]), "once"),
    ],
)
def test_bad_fields_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_longest_options():
    longest = RouteRequest(1, E, range(1, 63))
    assert longest.length == 8 + 4 * 62
    assert DsrOption.parse(longest.to_bytes())[0] == longest
    assert DsrOption.parse(RouteReply(range(1, 64)).to_bytes())[0].route == Route(range(1, 64))


def test_header_fixed_part():
    header = DsrHeader(17, [SourceRoute([B, C])])
    # 6.1: Next Header, F and Reserved, Payload Length without these four octets.
    assert header.serialize(b"data") == bytes.fromhex("11 00 000c 600a 0002 0a000002 0a000003") + (
        b"data"
    )
    assert header.length == 16


@pytest.mark.parametrize("hops", range(1, 5))
def test_header_is_padded_when_something_follows(hops):
    header = DsrHeader(17, [RouteReply(range(1, hops + 1))])
    assert header.length == 4 + 3 + 4 * hops + 1
    assert header.serialize(b"")[-1] == 0xE0
    alone = DsrHeader(59, [RouteReply(range(1, hops + 1))])
    assert alone.length == 4 + 3 + 4 * hops


def test_header_finds_its_options():
    error = RouteError(1, C, B, D)
    request = RouteRequest(7, E, [B])
    header = DsrHeader(59, [error, request])
    assert header.request is request
    assert header.error is error
    assert header.reply is None
    assert header.source_route is None
    assert header.options == (error, request)


@pytest.mark.parametrize(
    "octets",
    [
        "11 00",
        "11 00 0008 6002 0000",
        "11 80 0004 6002 0000",
        "11 00 0003 e0e0e0",
        "11 00 0008 6002 0000 6002 0000",
        "3b 00 0001 60",
    ],
)
def test_malformed_header(octets):
    with pytest.raises(DsrParseError):
        DsrHeader.parse(bytes.fromhex(octets))


def test_flow_state_header():
    header = FlowStateHeader(17, 3, 0x1234)
    assert header.serialize(b"x") == bytes.fromhex("11 83 1234") + b"x"
    parsed, rest = FlowStateHeader.parse(header.serialize(b"x"))
    assert (parsed.next_header, parsed.hop_count, parsed.flow, rest) == (17, 3, 0x1234, b"x")
    with pytest.raises(DsrParseError):
        FlowStateHeader.parse(bytes.fromhex("11 03 1234"))


addresses = st.lists(st.integers(0, 0xFFFFFFFF), max_size=62)
some = st.lists(st.integers(0, 0xFFFFFFFF), min_size=1, max_size=63)
number = st.integers(0, 0xFFFF)
address = st.integers(0, 0xFFFFFFFF)
options = st.one_of(
    st.builds(RouteRequest, number, address, addresses),
    st.builds(RouteReply, some, last_external=st.booleans()),
    st.builds(RouteError, st.just(1), address, address, address, salvage=st.integers(0, 15)),
    st.builds(RouteError, st.just(3), address, address, information=st.binary(min_size=1)),
    st.builds(
        RouteError, st.just(129), address, address, information=st.binary(min_size=6, max_size=245)
    ),
    st.builds(
        RouteError, st.just(130), address, address, information=st.binary(min_size=4, max_size=245)
    ),
    st.builds(AckRequest, number, st.one_of(st.just(0), address)),
    st.builds(Timeout, number),
    st.builds(DestinationFlow, number, address),
    st.builds(Acknowledgement, number, address, address),
    st.builds(SourceRoute, some, st.just(1), st.integers(0, 15)),
    st.builds(Padding, st.integers(1, 257)),
)


@given(options, st.binary())
def test_round_trip(option, rest):
    parsed, left = DsrOption.parse(option.to_bytes() + rest)
    assert parsed == option
    assert left == rest


@given(st.lists(options, max_size=6, unique_by=type), st.sampled_from([17, 59]), st.binary())
def test_header_round_trip(chosen, next_header, payload):
    header = DsrHeader(next_header, chosen)
    assert header.length == len(header.serialize(b""))
    parsed, rest = DsrHeader.parse(header.serialize(payload))
    assert rest == payload
    assert parsed.options == header.options
    assert parsed.next_header == next_header


@given(st.binary())
def test_hostile_bytes(data):
    for parse in (DsrOption.parse, DsrHeader.parse, FlowStateHeader.parse):
        try:
            parsed, rest = parse(data)
        except DsrParseError:
            continue
        assert len(data) == len(rest) + parsed.length


@given(st.integers(0, 255), st.binary(max_size=60))
def test_hostile_option(kind, data):
    octets = bytes([kind, len(data)]) + data
    try:
        option, _ = DsrOption.parse(octets)
    except DsrParseError:
        return
    again, nothing = DsrOption.parse(option.to_bytes())
    assert again == option
    assert nothing == b""
