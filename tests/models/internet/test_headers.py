import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simcore import Simulator
from simcore.models.internet import ArpHeader, IcmpHeader, Ipv4Header, UdpHeader
from simcore.models.network import Packet, PacketError

BYTE, SHORT, WORD, MAC = (st.integers(0, 2**bits - 1) for bits in (8, 16, 32, 48))
PAYLOAD = st.binary(max_size=120)


def ones_complement_sum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@given(
    source=WORD,
    destination=WORD,
    protocol=BYTE,
    payload=PAYLOAD,
    identification=SHORT,
    ttl=BYTE,
    tos=BYTE,
    offset=st.integers(0, 8191).map(lambda unit: unit * 8),
    more=st.booleans(),
    dont=st.booleans(),
    options=st.one_of(
        st.none(), st.integers(1, 10).flatmap(lambda n: st.binary(min_size=4 * n, max_size=4 * n))
    ),
)
def test_ipv4_round_trip(
    source, destination, protocol, payload, identification, ttl, tos, offset, more, dont, options
):
    sent = Ipv4Header(
        source,
        destination,
        protocol,
        len(payload),
        identification=identification,
        ttl=ttl,
        tos=tos,
        offset=offset,
        more_fragments=more,
        dont_fragment=dont,
        options=options,
    )
    data = sent.serialize(payload)
    assert len(data) == sent.length + len(payload)
    assert ones_complement_sum(data[: sent.length]) == 0xFFFF
    header, rest = Ipv4Header.parse(data + b"padding")
    assert rest == payload
    assert header.checksum_ok
    assert (header.source, header.destination) == (source, destination)
    assert (header.protocol, header.payload_size) == (protocol, len(payload))
    assert (header.identification, header.ttl, header.tos) == (identification, ttl, tos)
    assert (header.offset, header.more_fragments, header.dont_fragment) == (offset, more, dont)
    assert (header.options, header.length) == (options, sent.length)
    assert header.serialize(rest) == data


def test_ipv4_known_bytes():
    # The header worked through in Wikipedia's "Internet checksum" article.
    data = bytes.fromhex("45000073000040004011b861c0a80001c0a800c7") + bytes(95)
    header, rest = Ipv4Header.parse(data)
    assert header.checksum_ok
    assert len(rest) == 95
    assert (str(header.source_address), str(header.destination_address)) == (
        "192.168.0.1",
        "192.168.0.199",
    )
    assert header.dont_fragment
    assert header.serialize(rest) == data
    assert header.text() == (
        "ns3::Ipv4Header (tos 0x0 DSCP Default ECN Not-ECT ttl 64 id 0 protocol 17 "
        "offset (bytes) 0 flags [DF] length: 115 192.168.0.1 > 192.168.0.199)"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes"),
        (bytes(19), "19 bytes"),
        (b"\x65" + bytes(19), "version is 6"),
        (b"\x44" + bytes(19), "length is 16"),
        (b"\x4f" + bytes(40), "length is 60 bytes, 41"),
        (b"\x45\0\0\x13" + bytes(16), "datagram of 19 bytes"),
        (b"\x45\0\0\x15" + bytes(16), "datagram of 21 bytes, 20"),
    ],
)
def test_malformed_ipv4(data, message):
    with pytest.raises(PacketError, match=message):
        Ipv4Header.parse(data)


def test_every_wrong_bit_of_an_ipv4_header_is_noticed():
    data = Ipv4Header("10.0.0.1", "10.0.0.2", 17, 8).serialize(bytes(8))
    for bit in range(160):
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        try:
            header, _ = Ipv4Header.parse(bytes(broken))
        except PacketError:
            continue
        assert not header.checksum_ok


@given(WORD, SHORT, WORD, SHORT, PAYLOAD)
def test_udp_round_trip(source, source_port, destination, destination_port, payload):
    sent = UdpHeader(source, source_port, destination, destination_port, len(payload))
    data = sent.serialize(payload)
    header, rest = UdpHeader.parse(data + b"pad", source, destination)
    assert rest == payload
    assert header.checksum_ok
    assert (header.source_port, header.destination_port) == (source_port, destination_port)
    assert header.payload_size == len(payload)
    pseudo = struct.pack(">IIBBH", source, destination, 0, 17, len(data))
    assert ones_complement_sum(pseudo + data) == 0xFFFF
    assert data[6:8] != b"\0\0"


def test_udp_without_and_with_wrong_checksum():
    data = UdpHeader("10.0.0.1", 5, "10.0.0.2", 6, 3).serialize(b"abc")
    assert UdpHeader.parse(data, "10.0.0.1", "10.0.0.2")[0].checksum_ok
    assert not UdpHeader.parse(data, "10.0.0.1", "10.0.0.3")[0].checksum_ok
    assert not UdpHeader.parse(data[:-1] + b"d", "10.0.0.1", "10.0.0.2")[0].checksum_ok
    unchecked = data[:6] + b"\0\0" + data[8:]
    assert UdpHeader.parse(unchecked, "1.1.1.1", "2.2.2.2")[0].checksum_ok
    assert UdpHeader("0.0.0.0", 49153, "0.0.0.0", 9, 1024).text() == (
        "ns3::UdpHeader (length: 1032 49153 > 9)"
    )
    with pytest.raises(PacketError, match="7 bytes"):
        UdpHeader.parse(bytes(7))
    with pytest.raises(PacketError, match="datagram of 7 bytes"):
        UdpHeader.parse(b"\0\0\0\0\0\x07\0\0")
    with pytest.raises(PacketError, match="datagram of 9 bytes, 8"):
        UdpHeader.parse(b"\0\0\0\0\0\x09\0\0")


@given(BYTE, BYTE, SHORT, SHORT, PAYLOAD)
def test_icmp_round_trip(kind, code, identifier, sequence, payload):
    data = IcmpHeader(kind, code, identifier, sequence).serialize(payload)
    assert ones_complement_sum(data) == 0xFFFF
    header, rest = IcmpHeader.parse(data)
    assert header.checksum_ok
    assert (header.type, header.code, header.identifier, header.sequence, rest) == (
        kind,
        code,
        identifier,
        sequence,
        payload,
    )


def test_malformed_icmp():
    with pytest.raises(PacketError, match="7 bytes"):
        IcmpHeader.parse(bytes(7))
    data = IcmpHeader(8, 0, 1, 2).serialize(b"abc")
    assert not IcmpHeader.parse(data[:-1] + b"d")[0].checksum_ok


@given(st.sampled_from([1, 2]), MAC, WORD, MAC, WORD, PAYLOAD)
def test_arp_round_trip(operation, sender_mac, sender, target_mac, target, padding):
    data = ArpHeader(operation, sender_mac, sender, target_mac, target).serialize(padding)
    header, rest = ArpHeader.parse(data)
    assert len(data) == 28 + len(padding)
    assert (header.operation, header.sender_mac, header.sender) == (operation, sender_mac, sender)
    assert (header.target_mac, header.target, rest) == (target_mac, target, padding)


def test_malformed_arp():
    good = ArpHeader(1, 1, "10.0.0.1", 0, "10.0.0.2").serialize(b"")
    with pytest.raises(PacketError, match="27 bytes"):
        ArpHeader.parse(good[:-1])
    with pytest.raises(PacketError, match="begins with"):
        ArpHeader.parse(b"\0\x06" + good[2:])
    with pytest.raises(PacketError, match="operation is 3"):
        ArpHeader.parse(good[:7] + b"\x03" + good[8:])
    with pytest.raises(ValueError, match="operation is 3"):
        ArpHeader(3, 1, "10.0.0.1", 0, "10.0.0.2")


@given(st.binary(max_size=100))
@example(b"\x4f\0\0\x3c" + bytes(56))
@example(b"\x45\0\0\x14" + bytes(16))
def test_hostile_bytes_parse_or_raise(data):
    for parse in (Ipv4Header.parse, UdpHeader.parse, IcmpHeader.parse, ArpHeader.parse):
        try:
            header, rest = parse(data)
        except PacketError:
            continue
        assert rest in data
        assert isinstance(header.text(), str)
        assert header.length + len(rest) <= len(data)
        # What was understood can be written again.
        again, same = parse(header.serialize(rest))
        assert same == rest
        assert again.text() == header.text()


def test_fields_that_do_not_fit():
    with pytest.raises(ValueError, match="payload_size is 65516"):
        Ipv4Header("1.1.1.1", "2.2.2.2", 17, 65516)
    with pytest.raises(ValueError, match="payload_size is 65508"):
        UdpHeader("1.1.1.1", 1, "2.2.2.2", 2, 65508)
    with pytest.raises(ValueError, match="offset is 4"):
        Ipv4Header("1.1.1.1", "2.2.2.2", 17, 8, offset=4)
    with pytest.raises(ValueError, match="options have 3"):
        Ipv4Header("1.1.1.1", "2.2.2.2", 17, 8, options=b"abc")
    with pytest.raises(OverflowError):
        UdpHeader("1.1.1.1", 65536, "2.2.2.2", 2, 8)


def test_a_whole_packet_serialises_inside_out():
    packet = Packet(Simulator(), b"hello")
    packet = packet.push(UdpHeader("10.0.0.1", 5, "10.0.0.2", 6, 5))
    packet = packet.push(Ipv4Header("10.0.0.1", "10.0.0.2", 17, packet.size))
    data = packet.to_bytes()
    header, segment = Ipv4Header.parse(data)
    udp, payload = UdpHeader.parse(segment, header.source_address, header.destination_address)
    assert payload == b"hello"
    assert udp.checksum_ok
    assert len(data) == packet.size == 33
