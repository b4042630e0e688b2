"""A-MPDUs: their bytes, their duration, and which of their frames are received."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.wifi.phy.duration import tx_duration
from simcore.models.wifi.phy.error_rate import NistErrorRateModel
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.ppdu import Ppdu, delimiter
from simcore.models.wifi.phy.txvector import TxVector
from simcore.models.wifi.testing import Air, Recorder, make_ampdu, make_frame, make_ppdu

US = 1_000
V = TxVector("HeMcs7", width_mhz=80, aggregation=True)
NOISE_80 = 1.3803e-23 * 290 * 80e6 * 10**0.7


class Bench:
    def __init__(self, standard: str = "802.11ax", **options: Any) -> None:
        self.sim = Simulator(seed=5)
        self.air = Air(self.sim)
        node = Node(self.sim)
        ConstantPosition(node, (0, 0))
        self.phy = WifiPhy(node, self.air, standard, **options)
        self.recorder = Recorder(self.phy)

    def ampdu(self, sizes: list[int], v: TxVector = V) -> Ppdu:
        frames = [
            make_frame("DATA", receiver=1, transmitter=2, body=Packet(self.sim, size), sequence=i)
            for i, size in enumerate(sizes)
        ]
        return make_ampdu(self.phy, frames, v)

    def run(self) -> list[tuple[Any, ...]]:
        self.sim.run()
        return [entry for entry in self.recorder.log if entry[1].startswith("rx ")]


def crc_of_delimiter(first_two: bytes) -> int:
    """802.11-2020 9.7.2 as division of polynomials, bits in the order of transmission."""
    bits = [first_two[i // 8] >> (i % 8) & 1 for i in range(16)] + [0] * 8
    for i in range(8):
        bits[i] ^= 1
    for i in range(16):
        if bits[i]:
            for power in (8, 2, 1, 0):
                bits[i + 8 - power] ^= 1
    remainder = [bit ^ 1 for bit in bits[16:]]
    # c7 is transmitted first, which makes it the least significant bit of the byte.
    return sum(bit << i for i, bit in enumerate(remainder))


@given(st.integers(0, 16383), st.booleans())
def test_a_delimiter(size: int, eof: bool) -> None:
    data = delimiter(size, eof)
    word = data[0] | data[1] << 8
    assert word & 1 == eof
    assert (word >> 4) | (word >> 2 & 3) << 12 == size
    assert data[2] == crc_of_delimiter(data[:2])
    assert data[3:] == b"N"


def test_bytes_of_an_ampdu() -> None:
    bench = Bench()
    ppdu = bench.ampdu([10, 13, 20])
    data = ppdu.to_bytes()
    assert len(data) == ppdu.psdu_size == (4 + 38 + 2) + (4 + 41 + 3) + (4 + 48)
    at = 0
    for index, frame in enumerate(ppdu.mpdus or ()):
        assert data[at : at + 4] == delimiter(frame.size)
        assert data[at + 4 : at + 4 + frame.size] == frame.to_bytes()
        at += (4 + frame.size + 3) // 4 * 4
        assert ppdu.text().count("SeqNumber=") == 3
        assert f"SeqNumber={index})" in ppdu.text()


def test_a_single_mpdu_is_marked_and_has_a_delimiter() -> None:
    bench = Bench()
    frame = make_frame("DATA", receiver=1, transmitter=2, body=Packet(bench.sim, 100))
    ppdu = make_ppdu(bench.phy, frame, V)
    assert ppdu.psdu_size == frame.size + 4
    assert ppdu.to_bytes() == delimiter(frame.size, True) + frame.to_bytes()
    bench.air.put(bench.phy, ppdu, -40, 0)
    assert [entry[1] for entry in bench.run()][-1] == "rx ok"


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(0, 2000), min_size=1, max_size=20),
    st.sampled_from(
        [
            (V, "802.11ax", 5.0),
            (TxVector("HtMcs7", aggregation=True), "802.11n", 2.4),
            (TxVector("VhtMcs9", width_mhz=80, aggregation=True), "802.11ac", 5.0),
        ]
    ),
)
def test_duration_is_that_of_the_whole_psdu(
    sizes: list[int], kind: tuple[TxVector, str, float]
) -> None:
    v, standard, band = kind
    ppdu = Bench(standard, band=band).ampdu(sizes, v)
    psdu = sum((4 + size + 28 + 3) // 4 * 4 for size in sizes[:-1]) + 4 + sizes[-1] + 28
    assert ppdu.psdu_size == psdu
    assert ppdu.duration == tx_duration(psdu, v, band)


def test_all_frames_of_an_undisturbed_ampdu_are_received() -> None:
    bench = Bench()
    flags: list[bytes] = []
    bench.phy.trace.rx_ampdu.connect(lambda _ppdu, received, _snr: flags.append(received))
    ppdu = bench.ampdu([1500] * 40)
    bench.air.put(bench.phy, ppdu, -40, 0)
    start, ampdu = bench.run()
    assert start[:3] == (ppdu.header_end, "rx start", ppdu.duration)
    assert ampdu[:4] == (ppdu.duration, "rx ampdu", ppdu, [1] * 40)
    assert ampdu[4] == pytest.approx(10 ** ((-40 - 30) / 10) / NOISE_80)
    assert flags == [b"\1" * 40]
    assert bench.phy.rx_ok_count == 1


@pytest.mark.parametrize("hit", [0, 7, 19])
def test_only_the_frame_that_was_hit_is_lost(hit: int) -> None:
    bench = Bench()
    ppdu = bench.ampdu([1500] * 20)
    # A stream of symbols: bytes before the frame, with its service and tail bits.
    symbol = 13_600
    begin = (22 + 8 * 1532 * hit) / (980 * 6 * 5 / 6) * symbol
    length = 8 * 1532 / (980 * 6 * 5 / 6) * symbol
    short = bench.ampdu([0], TxVector("HeMcs11", width_mhz=80, aggregation=True))
    # The interferer, PHY header and all, begins at a third of the frame and ends before it does.
    ends = 0.5 * length
    start = ppdu.header_end + begin + ends - short.duration
    assert short.duration > length
    others = bench.ampdu([1500] * 20)
    assert others.duration == ppdu.duration
    bench.air.put(bench.phy, ppdu, -40, 0)
    bench.air.put(bench.phy, short, -45, round(max(start, 5 * US)))
    flags = bench.run()[-1][3]
    first = max(0, math.floor((max(start, 5 * US) - ppdu.header_end) / length))
    assert flags[hit] == 0
    assert all(flags[index] for index in range(20) if index < first or index > hit)


def test_an_ampdu_with_no_frame_left_is_an_error() -> None:
    bench = Bench()
    ppdu = bench.ampdu([1500] * 5)
    bench.air.put(bench.phy, ppdu, -60, 0)
    bench.air.put(bench.phy, bench.ampdu([1500] * 10), -50, 45 * US)
    assert [entry[1] for entry in bench.run()] == ["rx start", "rx error"]
    assert bench.phy.rx_error_count == 1


def test_share_of_frames_lost_is_the_error_rate_of_their_size() -> None:
    model = NistErrorRateModel()
    bench = Bench(error_model=model)
    received: list[int] = []
    bench.phy.trace.rx_ampdu.connect(lambda _ppdu, flags, _snr: received.extend(flags))
    ppdu = bench.ampdu([1000] * 100)
    # Find the power at which a frame of 1032 bytes arrives in two cases of three.
    bits = 1032 * 8
    power = next(
        p / 100
        for p in range(-9000, -4000)
        if model.frame_success(V, 10 ** ((p / 100 - 30) / 10) / NOISE_80, bits) > 0.65
    )
    probability = model.frame_success(V, 10 ** ((power - 30) / 10) / NOISE_80, bits)
    count = 60
    for index in range(count):
        bench.air.put(bench.phy, ppdu, power, index * 10_000 * US)
    bench.sim.run()
    assert len(received) == 100 * count
    deviation = math.sqrt(probability * (1 - probability) / len(received))
    assert sum(received) / len(received) == pytest.approx(probability, abs=4 * deviation)


def test_what_is_not_an_ampdu_is_refused() -> None:
    bench = Bench()
    with pytest.raises(ValueError, match="needs aggregation=True"):
        bench.ampdu([10], V.replace(aggregation=False))
    with pytest.raises(ValueError, match="an A-MPDU of 0 frames: use 1 to 1024"):
        bench.ampdu([])
    with pytest.raises(ValueError, match="an A-MPDU of 1025 frames"):
        bench.ampdu([1] * 1025)
