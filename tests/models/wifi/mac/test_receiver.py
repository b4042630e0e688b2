"""Duplicate detection and reassembly of fragments."""

from __future__ import annotations

from typing import Any

import pytest

from simcore import Simulator
from simcore.models.network.packet import Packet
from simcore.models.wifi.frame import WifiFrame
from simcore.models.wifi.testing import ReceiverProbe, make_frame

BODY = Packet(Simulator(), bytes(range(200)))


def data(**fields: Any) -> WifiFrame:
    return make_frame("DATA", **({"receiver": 1, "transmitter": 2, "body": BODY} | fields))


def fragments(sequence: int = 5, transmitter: int = 2, retry: bool = False) -> list[WifiFrame]:
    return [
        data(
            transmitter=transmitter,
            sequence=sequence,
            fragment=number,
            offset=80 * number,
            size=min(80, 200 - 80 * number),
            more_fragments=number < 2,
            retry=retry,
        )
        for number in range(3)
    ]


def test_a_frame_is_handed_up_once() -> None:
    probe = ReceiverProbe()
    assert probe.accept(data(sequence=7)) is BODY
    assert probe.accept(data(sequence=7, retry=True)) is None
    assert probe.receiver.duplicate_count == 1


def test_without_the_retry_bit_it_is_no_duplicate() -> None:
    probe = ReceiverProbe()
    probe.accept(data(sequence=7))
    assert probe.accept(data(sequence=7)) is BODY


def test_only_the_last_sequence_number_is_remembered() -> None:
    probe = ReceiverProbe()
    probe.accept(data(sequence=7))
    probe.accept(data(sequence=8))
    assert probe.accept(data(sequence=7, retry=True)) is BODY


def test_transmitters_are_told_apart() -> None:
    probe = ReceiverProbe()
    probe.accept(data(sequence=7, transmitter=2))
    assert probe.accept(data(sequence=7, transmitter=3, retry=True)) is BODY


def test_fragments_make_the_whole() -> None:
    probe = ReceiverProbe()
    assert [probe.accept(frame) for frame in fragments()] == [None, None, BODY]


def test_repeated_fragments_do_no_harm() -> None:
    probe = ReceiverProbe()
    first, second, third = fragments()
    again = fragments(retry=True)
    assert [probe.accept(f) for f in (first, again[0], second, again[1], third, again[2])] == [
        None, None, None, None, BODY, None,
    ]  # fmt: skip


def test_fragments_of_two_stations_do_not_mix() -> None:
    probe = ReceiverProbe()
    mine, theirs = fragments(), fragments(transmitter=3)
    order = [mine[0], theirs[0], mine[1], theirs[1], theirs[2], mine[2]]
    assert [probe.accept(frame) for frame in order] == [None] * 4 + [BODY, BODY]


@pytest.mark.parametrize("missing", [0, 1])
def test_a_missing_fragment_spoils_the_whole(missing: int) -> None:
    probe = ReceiverProbe()
    frames = fragments()
    del frames[missing]
    assert [probe.accept(frame) for frame in frames] == [None, None]


def test_a_new_packet_ends_the_unfinished_one() -> None:
    probe = ReceiverProbe()
    first, second, third = fragments()
    probe.accept(first)
    probe.accept(second)
    assert [probe.accept(frame) for frame in fragments(sequence=6)] == [None, None, BODY]
    assert probe.accept(third) is None


def test_too_slow_fragments_are_dropped() -> None:
    probe = ReceiverProbe(lifetime=1_000)
    first, second, third = fragments()
    assert probe.accept(first, 0) is None
    assert probe.accept(second, 1_000) is None
    assert probe.accept(third, 1_001) is None
    for frame, time in zip(fragments(sequence=6), (2_000, 2_500, 3_000), strict=True):
        last = probe.accept(frame, time)
    assert last is BODY
