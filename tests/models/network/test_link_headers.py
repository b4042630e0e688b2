import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.models.network import EthernetHeader, LlcHeader, PacketError, PppHeader

ADDRESS = st.integers(0, 2**48 - 1)
PAYLOAD = st.binary(max_size=200)


@given(st.integers(0, 65535), PAYLOAD)
def test_llc_round_trip(ethertype, payload):
    data = LlcHeader(ethertype).serialize(payload)
    assert len(data) == 8 + len(payload)
    header, rest = LlcHeader.parse(data)
    assert (header.ethertype, header.length, rest) == (ethertype, 8, payload)


def test_llc_wire_format():
    assert LlcHeader(0x0800).serialize(b"") == bytes.fromhex("aaaa030000000800")
    assert LlcHeader(0x0800).text() == "ns3::LlcSnapHeader (type 0x800)"
    with pytest.raises(PacketError, match="7 bytes"):
        LlcHeader.parse(bytes(7))
    with pytest.raises(PacketError, match="begins with"):
        LlcHeader.parse(bytes.fromhex("aaaa030000010800"))


@given(st.integers(0, 65535), PAYLOAD)
def test_ppp_round_trip(ethertype, payload):
    # The numbers that PPP gives to IP and IPv6 cannot be told from ethertypes of that value.
    if ethertype in (0x0021, 0x0057):
        return
    header, rest = PppHeader.parse(PppHeader(ethertype).serialize(payload))
    assert (header.ethertype, rest) == (ethertype, payload)


def test_ppp_numbers():
    assert PppHeader(0x0800).serialize(b"x") == b"\x00\x21x"
    assert PppHeader(0x86DD).serialize(b"") == b"\x00\x57"
    assert PppHeader(0x0800).text() == "ns3::PppHeader (Point-to-Point Protocol: IP (0x0021))"


@given(ADDRESS, ADDRESS, st.integers(0x600, 65535), PAYLOAD, st.booleans())
def test_ethernet_round_trip(source, destination, ethertype, payload, fcs):
    sent = EthernetHeader(source, destination, ethertype, len(payload), fcs)
    data = sent.serialize(payload)
    assert len(data) == sent.length + len(payload)
    assert len(data) >= (64 if fcs else 60)
    header, rest = EthernetHeader.parse(data, fcs)
    assert (header.source, header.destination) == (source, destination)
    assert header.ethertype == ethertype
    assert rest == payload + bytes(max(0, 46 - len(payload)))


def test_ethernet_fcs():
    # The check value of CRC-32 over "123456789" is 0xCBF43926; here over a whole frame, by hand.
    frame = EthernetHeader(1, 2, 0x0800, 46).serialize(bytes(46))
    assert EthernetHeader.parse(frame)[1] == bytes(46)
    for place in range(len(frame)):
        broken = bytearray(frame)
        broken[place] ^= 0x10
        with pytest.raises(PacketError, match=r"FCS|length"):
            EthernetHeader.parse(bytes(broken))


@given(st.binary(max_size=80), st.booleans())
def test_hostile_bytes(data, fcs):
    for parse in (LlcHeader.parse, PppHeader.parse, lambda raw: EthernetHeader.parse(raw, fcs)):
        try:
            header, rest = parse(data)
        except PacketError:
            continue
        assert rest in data
        assert header.text()
