"""Frame exchanges of one station; what it hears is put on the air by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from simcore import Simulator, ms, seconds
from simcore.models.mobility import ConstantPosition
from simcore.models.network.llc import LlcHeader
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.wifi.device import WifiDevice
from simcore.models.wifi.frame import WifiFrame
from simcore.models.wifi.managers.manager import ConstantRateManager
from simcore.models.wifi.phy.duration import tx_duration
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.ppdu import Ppdu
from simcore.models.wifi.phy.txvector import TxVector
from simcore.models.wifi.testing import Air, make_frame, make_ppdu, response_vector

US = 1_000
BROADCAST = 0xFFFFFFFFFFFF
ME, PEER, OTHER = 0x02_00_00_00_00_01, 0x02_00_00_00_00_02, 0x02_00_00_00_00_03
IPV4 = 0x0800
LLC_SIZE = 8
MAC_SIZE = 28
SIFS, SLOT, DIFS = 10 * US, 20 * US, 50 * US
# Preamble and header 192 us, then 14 bytes at 11 Mb/s.
ACK = 203 * US
EIFS = 364 * US


class Station:
    """A station on an air that a test controls, and what it sent, received and gave up."""

    def __init__(self, standard: str = "802.11b", mode: str = "DsssRate11Mbps", **mac: Any) -> None:
        self.sim = Simulator(seed=2)
        self.air = Air(self.sim)
        self.node = Node(self.sim)
        ConstantPosition(self.node, (0, 0))
        self.phy = WifiPhy(self.node, self.air, standard)
        manager = ConstantRateManager(
            standard, mode, rts_mode=mac.pop("rts_mode", None), group_mode=mode
        )
        self.device = WifiDevice(self.node, self.phy, manager, address=ME, **mac)
        self.mac = self.device.mac_layer
        self.mode = mode
        self.received: list[tuple[int, Packet]] = []
        self.node.listen(
            lambda device, packet, *rest: self.received.append((rest[-1], packet)), IPV4
        )
        self.fates: list[tuple[int, str]] = []
        self.device.on_transmit(
            lambda device, packet, to: self.fates.append((packet.uid, "sent")),
            lambda device, packet, to, why: self.fates.append((packet.uid, why)),
        )
        self.answers: list[Callable[[Ppdu], None]] = []
        self.phy.trace.tx.connect(self.sent_one)

    def sent_one(self, ppdu: Ppdu) -> None:
        for answer in list(self.answers):
            answer(ppdu)

    @property
    def frames(self) -> list[WifiFrame]:
        return [ppdu.frame for ppdu in self.air.sent]

    @property
    def starts(self) -> list[int]:
        return [ppdu.start for ppdu in self.air.sent]

    @property
    def kinds(self) -> list[str]:
        return [frame.kind for frame in self.frames]

    def send(self, at: int, size: int = 100, to: int = PEER) -> Packet:
        packet = Packet(self.sim, size)
        self.sim.schedule_at(at, self.device.send_packet, packet, to, IPV4)
        return packet

    def hear(
        self,
        at: int,
        kind: str,
        power: float = -50,
        mode: str | None = None,
        size: int = 100,
        **fields: Any,
    ) -> Ppdu:
        """Let a frame begin to arrive at a time (ns)."""
        if kind == "DATA" and "body" in fields:
            fields["size"] = size
        elif kind == "DATA":
            fields["body"] = Packet(self.sim, size).push(LlcHeader(IPV4))
        fields = {"transmitter": 0 if kind in ("ACK", "CTS") else PEER, "receiver": ME} | fields
        frame = make_frame(kind, **fields)
        ppdu: Ppdu = self.air.put(
            self.phy, make_ppdu(self.phy, frame, TxVector(mode or self.mode)), power, at
        )
        return ppdu

    def acknowledge(self, *, lose: tuple[int, ...] = ()) -> None:
        """Have a peer answer RTS with CTS and unicast data with ACK, but for some attempts."""
        count = -1

        def answer(ppdu: Ppdu) -> None:
            nonlocal count
            frame = ppdu.frame
            end = ppdu.start + ppdu.duration + SIFS
            if frame.kind == "RTS":
                self.hear(end, "CTS", duration=frame.duration_us - 213)
            elif frame.kind == "DATA" and frame.receiver != BROADCAST:
                count += 1
                if count not in lose:
                    self.hear(end, "ACK")

        self.answers.append(answer)

    def run(self) -> Station:
        self.sim.run(until=seconds(10))
        return self


def size_on_air(size: int) -> int:
    return size + LLC_SIZE + MAC_SIZE


def duration(size: int, mode: str = "DsssRate11Mbps") -> int:
    return tx_duration(size, TxVector(mode), 2.4)


# Sending


def test_an_idle_medium_is_taken_difs_after_the_arrival() -> None:
    station = Station()
    station.acknowledge()
    packet = station.send(ms(100), 1000)
    station.run()
    assert station.starts == [ms(100) + DIFS]
    (frame,) = station.frames
    assert (frame.kind, frame.receiver, frame.transmitter) == ("DATA", PEER, ME)
    assert frame.size == size_on_air(1000)
    assert frame.duration_us == 10 + 203
    assert not frame.retry
    assert station.fates == [(packet.uid, "sent")]
    assert station.mac.delivered_count == 1


def test_a_new_station_backs_off_first() -> None:
    station = Station()
    slots = station.mac.dcf.backoff_slots
    station.acknowledge()
    station.send(0)
    station.run()
    assert station.starts == [DIFS + slots * SLOT]


def test_a_packet_that_meets_a_busy_medium_backs_off() -> None:
    station = Station()
    busy = station.hear(ms(100), "DATA", receiver=OTHER, size=1000)
    station.send(ms(100) + 300 * US)
    slots: list[int] = []
    end = ms(100) + busy.duration
    station.sim.schedule_at(end, lambda: slots.append(station.mac.dcf.backoff_slots))
    station.run()
    assert station.starts[0] == end + DIFS + slots[0] * SLOT
    assert 0 <= slots[0] <= 31


def test_back_off_after_a_success_delays_the_next_packet() -> None:
    station = Station()
    station.acknowledge()
    station.send(ms(100))
    slots: list[int] = []

    def second(ppdu: Ppdu) -> None:
        end = ppdu.start + ppdu.duration + SIFS + ACK
        station.sim.schedule_at(end + 1, lambda: slots.append(station.mac.dcf.backoff_slots))
        station.send(end + 60 * US)
        station.answers.remove(second)

    station.answers.append(second)
    station.run()
    ack_end = station.starts[0] + duration(size_on_air(100)) + SIFS + ACK
    # The counter runs from the end of the ACK, whether or not there is a packet.
    assert slots[0] > 0
    assert station.starts[1] == ack_end + DIFS + slots[0] * SLOT


def test_counting_stops_while_the_medium_is_busy() -> None:
    station = Station()
    slots = station.mac.dcf.backoff_slots
    assert slots > 3
    station.send(0)
    # Busy from the middle of the third slot on; the signal takes 4 us to be noticed.
    busy = station.hear(DIFS + 2 * SLOT + 10 * US, "DATA", receiver=OTHER)
    station.run()
    end = DIFS + 2 * SLOT + 10 * US + busy.duration
    assert station.starts[0] == end + DIFS + (slots - 2) * SLOT


def test_retries_then_drop() -> None:
    station = Station()
    windows: list[int] = []
    station.mac.trace.retry.connect(lambda frame, retries: windows.append(station.mac.dcf.cw))
    packet = station.send(ms(100))
    station.run()
    assert station.kinds == ["DATA"] * 7
    assert [frame.retry for frame in station.frames] == [False] + [True] * 6
    assert len({frame.sequence for frame in station.frames}) == 1
    # 802.11-2020 10.3.3: doubled by each failure, at aCWmin again when the frame is given up.
    assert windows == [63, 127, 255, 511, 1023, 1023, 31]
    assert station.fates == [(packet.uid, "retry limit")]
    assert station.mac.drop_count == 1
    assert station.mac.retry_count == station.mac.ack_timeout_count == 7
    timeout = SIFS + SLOT + 192 * US
    gaps = [
        (later - earlier - duration(size_on_air(100)) - timeout - DIFS) / SLOT
        for earlier, later in zip(station.starts, station.starts[1:], strict=False)
    ]
    assert all(gap == int(gap) for gap in gaps)
    assert all(0 <= gap <= cw for gap, cw in zip(gaps, windows, strict=False))


def test_a_success_after_failures_resets_the_window() -> None:
    station = Station()
    station.acknowledge(lose=(0, 1))
    station.send(ms(100))
    station.run()
    assert station.kinds == ["DATA"] * 3
    assert station.mac.dcf.cw == 31
    assert station.mac.acked_count == 1


@pytest.mark.parametrize("limit", [1, 3])
def test_retry_limit(limit: int) -> None:
    station = Station(retry_limit=limit)
    station.send(ms(100))
    assert len(station.run().frames) == limit


def test_next_packet_gets_the_next_sequence_number() -> None:
    station = Station()
    station.acknowledge(lose=(1,))
    for _ in range(3):
        station.send(ms(100))
    station.run()
    assert [frame.sequence for frame in station.frames] == [0, 1, 1, 2]


def test_broadcast_is_sent_once() -> None:
    station = Station()
    station.send(ms(100), to=BROADCAST)
    station.run()
    assert station.kinds == ["DATA"]
    assert station.frames[0].duration_us == 0
    assert station.mac.group_tx_count == 1
    assert station.mac.dcf.cw == 31
    assert station.fates == []


def test_packets_are_dropped_when_their_time_is_up() -> None:
    station = Station(queue_lifetime=ms(20))
    packets = [station.send(ms(100) + i * US) for i in range(3)]
    # Nobody may send for 32.767 ms.
    station.hear(ms(99), "DATA", receiver=OTHER, duration=32767)
    station.run()
    assert station.frames == []
    assert station.fates == [(packet.uid, "lifetime expired") for packet in packets]
    assert station.mac.queue.expired_count == 3


def test_a_packet_between_attempts_expires_too() -> None:
    station = Station(queue_lifetime=ms(1))
    packet = station.send(ms(100), 500)
    station.run()
    assert 1 <= len(station.frames) < 7
    assert station.fates == [(packet.uid, "lifetime expired")]


def test_a_full_queue_turns_packets_away() -> None:
    station = Station(queue_limit=2)
    station.acknowledge()
    packets = [station.send(ms(100)) for _ in range(4)]
    station.run()
    assert sorted(station.fates) == sorted(
        [(packets[2].uid, "queue full"), (packets[3].uid, "queue full")]
        + [(packet.uid, "sent") for packet in packets[:2]]
    )
    assert station.mac.queue.overflow_count == 2


# RTS and CTS


def test_rts_cts_data_ack() -> None:
    station = Station(rts_threshold=500, rts_mode="DsssRate11Mbps")
    station.acknowledge()
    station.send(ms(100), 1000)
    station.run()
    assert station.kinds == ["RTS", "DATA"]
    rts, data = station.frames
    rts_air, data_air = duration(20), duration(size_on_air(1000))
    assert station.starts[1] == station.starts[0] + rts_air + SIFS + ACK + SIFS
    assert rts.duration_us == (3 * SIFS + ACK + data_air + ACK) // US
    assert data.duration_us == (SIFS + ACK) // US
    assert station.mac.delivered_count == 1


def test_small_frames_go_without_rts() -> None:
    threshold = size_on_air(100)
    station = Station(rts_threshold=threshold)
    station.acknowledge()
    station.send(ms(100), 100)
    station.send(ms(100), 101)
    assert station.run().kinds == ["DATA", "RTS", "DATA"]


def test_missing_cts_counts_as_a_failure_without_retry_bit() -> None:
    station = Station(rts_threshold=0, rts_mode="DsssRate11Mbps", retry_limit=3)
    packet = station.send(ms(100))
    station.run()
    assert station.kinds == ["RTS"] * 3
    assert station.mac.cts_timeout_count == 3
    assert station.fates == [(packet.uid, "retry limit")]


def test_cts_is_given() -> None:
    station = Station()
    rts = station.hear(ms(100), "RTS", duration=1000)
    station.run()
    assert station.kinds == ["CTS"]
    assert station.starts == [ms(100) + rts.duration + SIFS]
    assert station.frames[0].receiver == PEER
    assert station.frames[0].duration_us == 1000 - 10 - 203


def test_no_cts_while_the_nav_is_busy() -> None:
    station = Station()
    first = station.hear(ms(100), "CTS", receiver=OTHER, duration=5000)
    station.hear(ms(102), "RTS", duration=1000)
    station.hear(ms(100) + first.duration + 5000 * US, "RTS", duration=1000)
    station.run()
    assert station.kinds == ["CTS"]
    assert station.starts[0] > ms(105)


def test_nav_defers_access() -> None:
    station = Station()
    cts = station.hear(ms(100), "CTS", receiver=OTHER, duration=5000)
    station.send(ms(101))
    slots: list[int] = []
    station.sim.schedule_at(ms(104), lambda: slots.append(station.mac.dcf.backoff_slots))
    station.run()
    nav_end = ms(100) + cts.duration + 5000 * US
    assert station.starts[0] == nav_end + DIFS + slots[0] * SLOT


def test_a_shorter_reservation_does_not_shorten_the_nav() -> None:
    station = Station()
    cts = station.hear(ms(100), "CTS", receiver=OTHER, duration=5000)
    station.hear(ms(101), "CTS", receiver=OTHER, duration=100)
    station.send(ms(102))
    station.run()
    assert station.starts[0] >= ms(100) + cts.duration + 5000 * US + DIFS


def test_nav_of_an_rts_is_released_when_nothing_follows() -> None:
    station = Station()
    rts = station.hear(ms(100), "RTS", receiver=OTHER, duration=20000)
    station.send(ms(100) + rts.duration + 100 * US)
    slots: list[int] = []
    release = ms(100) + rts.duration + 2 * SIFS + ACK + 192 * US + 2 * SLOT
    station.sim.schedule_at(release, lambda: slots.append(station.mac.dcf.backoff_slots))
    station.run()
    assert station.starts[0] == release + DIFS + slots[0] * SLOT


def test_nav_of_an_rts_stays_when_the_data_follow() -> None:
    station = Station()
    rts = station.hear(ms(100), "RTS", receiver=OTHER, duration=20000)
    data = ms(100) + rts.duration + 2 * SIFS + ACK
    station.hear(data, "DATA", receiver=OTHER, size=1000)
    station.send(ms(102))
    station.run()
    assert station.starts[0] >= ms(100) + rts.duration + 20000 * US + DIFS


# Receiving


def test_ack_follows_after_sifs() -> None:
    station = Station()
    data = station.hear(ms(100), "DATA")
    station.run()
    assert station.kinds == ["ACK"]
    assert station.starts == [ms(100) + data.duration + SIFS]
    assert station.frames[0].receiver == PEER
    assert station.frames[0].duration_us == 0
    assert [packet.size for _, packet in station.received] == [100]


def test_ack_is_sent_though_the_medium_is_busy() -> None:
    station = Station()
    data = station.hear(ms(100), "DATA")
    station.hear(ms(100) + data.duration + 1 * US, "DATA", receiver=OTHER)
    station.hear(ms(100) + data.duration // 2, "CTS", receiver=OTHER, duration=9000, power=-90)
    station.run()
    assert station.starts == [ms(100) + data.duration + SIFS]


def test_ack_is_sent_though_the_nav_is_busy() -> None:
    station = Station()
    station.hear(ms(100), "CTS", receiver=OTHER, duration=9000)
    data = station.hear(ms(101), "DATA")
    station.run()
    assert station.starts == [ms(101) + data.duration + SIFS]


def test_duplicates_are_acknowledged_and_dropped() -> None:
    station = Station()
    station.hear(ms(100), "DATA", sequence=5)
    station.hear(ms(110), "DATA", sequence=5, retry=True)
    station.run()
    assert station.kinds == ["ACK", "ACK"]
    assert len(station.received) == 1


def test_group_frames_are_not_acknowledged() -> None:
    station = Station()
    station.hear(ms(100), "DATA", receiver=BROADCAST)
    station.run()
    assert station.frames == []
    assert len(station.received) == 1


def test_frames_for_others() -> None:
    for promiscuous in (False, True):
        station = Station(promiscuous=promiscuous)
        station.hear(ms(100), "DATA", receiver=OTHER)
        station.run()
        assert station.frames == []
        assert station.received == []
    # To whom it went is told to promiscuous listeners only.
    station = Station(promiscuous=True)
    heard = []
    station.node.listen(lambda device, packet, *rest: heard.append(rest[-1]), None)
    station.hear(ms(100), "DATA", receiver=OTHER)
    station.run()
    assert len(heard) == 1


def test_an_unexpected_ack_or_cts_is_nothing() -> None:
    station = Station()
    station.hear(ms(100), "ACK")
    station.hear(ms(101), "CTS")
    station.acknowledge()
    station.send(ms(110))
    assert station.run().kinds == ["DATA"]


def test_payload_error_is_followed_by_eifs() -> None:
    station = Station()
    broken = station.hear(ms(100), "DATA", receiver=OTHER, size=1000)
    # Too weak to keep the medium busy by itself, strong enough to break the payload.
    station.hear(ms(100) + 300 * US, "DATA", receiver=OTHER, power=-49, size=10)
    slots: list[int] = []
    end = ms(100) + broken.duration
    station.send(ms(100) + 500 * US)
    station.sim.schedule_at(end, lambda: slots.append(station.mac.dcf.backoff_slots))
    station.run()
    assert station.phy.rx_error_count == 1
    assert station.starts[0] == end + EIFS + slots[0] * SLOT


def test_a_good_frame_ends_eifs() -> None:
    station = Station()
    broken = station.hear(ms(100), "DATA", receiver=OTHER, size=1000)
    station.hear(ms(100) + 300 * US, "DATA", receiver=OTHER, power=-49, size=10)
    end = ms(100) + broken.duration
    good = station.hear(end + 20 * US, "ACK", receiver=OTHER)
    station.send(ms(100) + 500 * US)
    slots: list[int] = []
    station.sim.schedule_at(
        end + 20 * US + good.duration, lambda: slots.append(station.mac.dcf.backoff_slots)
    )
    station.run()
    assert station.starts[0] == end + 20 * US + good.duration + DIFS + slots[0] * SLOT


def test_a_payload_that_begins_before_the_time_out_is_awaited() -> None:
    station = Station()
    station.send(ms(100), 1000)
    begun: list[Ppdu] = []

    def late(ppdu: Ppdu) -> None:
        # Its header ends just before the time-out (SIFS + slot + preamble and header).
        at = ppdu.start + ppdu.duration + SIFS + SLOT - 1 * US
        begun.append(station.hear(at, "DATA", receiver=OTHER, size=1500))
        station.answers.clear()

    station.answers.append(late)
    failed: list[int] = []
    station.mac.trace.retry.connect(lambda frame, retries: failed.append(station.sim.now()))
    station.run()
    end = station.starts[0] + duration(size_on_air(1000)) + 29 * US + begun[0].duration
    assert failed[0] == end + 400


# Rates of responses (802.11-2020 10.6.6.5)


@pytest.mark.parametrize(
    ("standard", "mode", "answer"),
    [
        ("802.11b", "DsssRate1Mbps", "DsssRate1Mbps"),
        ("802.11b", "DsssRate2Mbps", "DsssRate2Mbps"),
        ("802.11b", "DsssRate5_5Mbps", "DsssRate5_5Mbps"),
        ("802.11b", "DsssRate11Mbps", "DsssRate11Mbps"),
        ("802.11a", "OfdmRate6Mbps", "OfdmRate6Mbps"),
        ("802.11a", "OfdmRate9Mbps", "OfdmRate6Mbps"),
        ("802.11a", "OfdmRate12Mbps", "OfdmRate12Mbps"),
        ("802.11a", "OfdmRate18Mbps", "OfdmRate12Mbps"),
        ("802.11a", "OfdmRate24Mbps", "OfdmRate24Mbps"),
        ("802.11a", "OfdmRate36Mbps", "OfdmRate24Mbps"),
        ("802.11a", "OfdmRate54Mbps", "OfdmRate24Mbps"),
    ],
)
def test_response_rates(standard: str, mode: str, answer: str) -> None:
    manager = ConstantRateManager(standard, mode)
    assert response_vector(manager, TxVector(mode)).mode.name == answer
    station = Station(standard, mode)
    station.hear(ms(100), "DATA")
    station.run()
    assert station.air.sent[0].txvector.mode.name == answer


# Fragments (802.11-2020 10.4)


def test_a_burst_of_fragments() -> None:
    station = Station(fragmentation_threshold=428)
    station.acknowledge()
    packet = station.send(ms(100), 1000)
    station.run()
    sizes = [frame.size for frame in station.frames]
    assert sizes == [428, 428, 1008 - 800 + MAC_SIZE]
    assert [frame.fragment for frame in station.frames] == [0, 1, 2]
    assert [frame.more_fragments for frame in station.frames] == [True, True, False]
    assert len({frame.sequence for frame in station.frames}) == 1
    for before, after in zip(station.air.sent, station.air.sent[1:], strict=False):
        assert after.start == before.start + before.duration + SIFS + ACK + SIFS
        # Reserves up to the end of the next fragment's ACK (9.2.5.2).
        assert before.frame.duration_us * US == 3 * SIFS + 2 * ACK + after.duration
    assert station.frames[-1].duration_us * US == SIFS + ACK
    assert station.fates == [(packet.uid, "sent")]
    assert (station.mac.acked_count, station.mac.delivered_count) == (3, 1)


def test_only_the_lost_fragment_is_repeated() -> None:
    station = Station(fragmentation_threshold=428)
    station.acknowledge(lose=(1,))
    station.send(ms(100), 1000)
    station.run()
    assert [frame.fragment for frame in station.frames] == [0, 1, 1, 2]
    assert [frame.retry for frame in station.frames] == [False, False, True, False]
    # A lost ACK ends the burst: the station contends again.
    lost, again = station.air.sent[1:3]
    assert again.start >= lost.start + lost.duration + SIFS + SLOT + 192 * US + DIFS


def test_group_frames_are_not_fragmented() -> None:
    station = Station(fragmentation_threshold=428)
    station.send(ms(100), 1000, BROADCAST)
    assert [frame.size for frame in station.run().frames] == [size_on_air(1000)]


def test_fragments_are_acknowledged_one_by_one() -> None:
    station = Station()
    body = Packet(station.sim, 792).push(LlcHeader(IPV4))
    for number in range(2):
        station.hear(
            ms(100 + number), "DATA", body=body, offset=400 * number, size=400, fragment=number,
            more_fragments=number == 0, sequence=9, duration=1000 if number == 0 else 213,
        )  # fmt: skip
    station.run()
    assert station.kinds == ["ACK", "ACK"]
    # The ACK of a fragment reserves for what follows it.
    assert [frame.duration_us for frame in station.frames] == [1000 - 213, 0]
    assert [packet.size for _, packet in station.received] == [792]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"retry_limit": 0}, "retry_limit is 0"),
        ({"rts_threshold": -1}, "rts_threshold is -1"),
        ({"fragmentation_threshold": 255}, "fragmentation_threshold is 255"),
        ({"queue_limit": 0}, "limit is 0"),
        ({"cw_min": 31, "cw_max": 7}, "cw_max 7"),
    ],
)
def test_bad_parameters(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Station(**options)
