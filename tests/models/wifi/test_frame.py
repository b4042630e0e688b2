"""The wire format of 802.11 frames, and bytes that are none."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator
from simcore.models.network.llc import LlcHeader
from simcore.models.network.packet import Packet, PacketError
from simcore.models.wifi.frame import WifiFrame
from simcore.models.wifi.testing import make_frame

SIM = Simulator()
ADDRESS = st.integers(0, 2**48 - 1)


def with_fcs(data: bytes) -> bytes:
    return data + zlib.crc32(data).to_bytes(4, "little")


def fields(frame: WifiFrame) -> dict[str, Any]:
    names = (
        "type", "kind", "to_ds", "from_ds", "more_fragments", "retry", "fragment", "sequence",
        "duration_us", "receiver", "transmitter", "bssid", "size", "body_size",
    )  # fmt: skip
    return {name: getattr(frame, name) for name in names}


def test_an_acknowledgement_byte_by_byte() -> None:
    frame = make_frame("ACK", receiver=0x0102030405FF, duration=0x1234)
    # 802.11-2020 9.3.1.4: frame control, Duration, RA, FCS.
    assert frame.to_bytes() == with_fcs(bytes.fromhex("d400 3412 0102030405ff"))
    assert frame.size == 14


def test_an_rts_byte_by_byte() -> None:
    frame = make_frame("RTS", receiver=1, transmitter=2, duration=300)
    assert frame.to_bytes() == with_fcs(bytes.fromhex("b400 2c01 000000000001 000000000002"))
    assert frame.size == 20


def test_a_data_frame_byte_by_byte() -> None:
    frame = make_frame(
        "DATA",
        receiver=1,
        transmitter=2,
        bssid=3,
        body=Packet(SIM, b"data").push(LlcHeader(0x0800)),
        sequence=0xABC,
        fragment=5,
        retry=True,
        duration=213,
    )
    assert frame.to_bytes() == with_fcs(
        bytes.fromhex("0808 d500 000000000001 000000000002 000000000003 c5ab aaaa030000000800")
        + b"data"
    )
    assert frame.size == 24 + 8 + 4 + 4


def test_a_fragment_carries_its_part() -> None:
    body = Packet(SIM, bytes(range(100)))
    frame = make_frame("DATA", body=body, offset=40, size=30, fragment=1, more_fragments=True)
    parsed = WifiFrame.parse(frame.to_bytes())
    assert parsed.body.to_bytes() == bytes(range(40, 70))
    assert parsed.more_fragments


@given(
    kind=st.sampled_from(["DATA", "ACK", "CTS", "RTS"]),
    receiver=ADDRESS,
    transmitter=ADDRESS,
    bssid=ADDRESS,
    body=st.binary(max_size=100),
    sequence=st.integers(0, 4095),
    fragment=st.integers(0, 15),
    more_fragments=st.booleans(),
    retry=st.booleans(),
    duration=st.integers(0, 32767),
)
def test_round_trip(kind: str, body: bytes, transmitter: int, **rest: Any) -> None:
    frame = make_frame(
        kind,
        body=Packet(SIM, body),
        transmitter=transmitter if kind in ("DATA", "RTS") else 0,
        **rest,
    )
    data = frame.to_bytes()
    assert len(data) == frame.size
    parsed = WifiFrame.parse(data)
    assert fields(parsed) == fields(frame)
    assert parsed.to_bytes() == data
    assert parsed.text().startswith(f"ns3::WifiMacHeader ({kind} ")
    if kind == "DATA":
        assert parsed.body.to_bytes() == body


@given(st.binary(max_size=80))
def test_no_bytes_do_harm(data: bytes) -> None:
    for candidate in (data, with_fcs(data)):
        try:
            frame = WifiFrame.parse(candidate)
        except PacketError:
            continue
        assert frame.size == len(candidate)
        repr(frame)


@given(st.sampled_from([0x08, 0xB4, 0xC4, 0xD4]), st.binary(max_size=60), st.integers(0, 255))
def test_known_types_with_any_content(first: int, rest: bytes, flags: int) -> None:
    data = with_fcs(bytes((first, flags)) + rest)
    try:
        frame = WifiFrame.parse(data)
    except PacketError:
        return
    # Flags that are not kept apart, the frame is the same again.
    again = WifiFrame.parse(frame.to_bytes())
    assert fields(again) == fields(frame)


def test_any_flipped_bit_is_noticed() -> None:
    data = make_frame("DATA", receiver=1, transmitter=2, body=Packet(SIM, b"hello")).to_bytes()
    for bit in range(8 * len(data)):
        wrong = bytearray(data)
        wrong[bit // 8] ^= 1 << bit % 8
        with pytest.raises(PacketError):
            WifiFrame.parse(wrong)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes: at least 14"),
        (bytes(13), "13 bytes"),
        (b"\x01" + bytes(13), "protocol version 1"),
        (b"\x80\x00" + bytes(40), "0x80 is not known"),
        (b"\xd4\x00" + bytes(13), "ACK of 15 bytes: it has 14"),
        (b"\xb4\x00" + bytes(12), "RTS of 14 bytes: it has 20"),
        (b"\x08\x00" + bytes(20), "DATA of 22 bytes"),
        (b"\xd4\x00" + bytes(12), "frame check sequence"),
        (with_fcs(b"\x08\x03" + bytes(30)), "four addresses"),
    ],
)
def test_bad_frames(data: bytes, message: str) -> None:
    with pytest.raises(PacketError, match=message):
        WifiFrame.parse(data)


def test_text() -> None:
    frame = make_frame(
        "DATA", receiver=1, transmitter=2, bssid=3, body=Packet(SIM, 10), sequence=7, duration=213
    )
    assert frame.text() == (
        "ns3::WifiMacHeader (DATA ToDS=0, FromDS=0, MoreFrag=0, Retry=0, MoreData=0 "
        "Duration/ID=213us, DA=00:00:00:00:00:01, SA=00:00:00:00:00:02, "
        "BSSID=00:00:00:00:00:03, FragNumber=0, SeqNumber=7) Payload (size=10) "
        "ns3::WifiMacTrailer ()"
    )
    # Made once: every receiver's line uses the same object.
    assert frame.text() is frame.text()
