"""Sleep, off, change of channel, and the log of states."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.propagation import ConstantSpeedDelay, FixedRssLoss
from simcore.models.wifi.channel import WifiChannel
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.ppdu import Ppdu
from simcore.models.wifi.phy.txvector import TxVector
from simcore.models.wifi.testing import Air, Recorder, make_frame, make_ppdu, phy_state, transmit

US = 1_000
V = TxVector("OfdmRate6Mbps")


class Bench:
    def __init__(self, standard: str = "802.11a", **options: Any) -> None:
        self.sim = Simulator(seed=5)
        self.air = Air(self.sim)
        node = Node(self.sim)
        ConstantPosition(node, (0, 0))
        self.phy = WifiPhy(node, self.air, standard, **options)
        self.recorder = Recorder(self.phy)
        self.drops: list[tuple[int, str]] = []
        self.phy.trace.drop.connect(lambda _, why: self.drops.append((self.sim.now() // US, why)))
        self.states: list[tuple[float, float, str]] = []
        self.phy.trace.state.connect(
            lambda start, length, name: self.states.append((start / US, length / US, name))
        )

    def ppdu(self, size: int = 100, v: TxVector = V) -> Ppdu:
        frame = make_frame("DATA", receiver=1, transmitter=2, body=Packet(self.sim, size))
        return make_ppdu(self.phy, frame, v)

    def put(self, power: float, start_us: int, size: int = 100) -> Ppdu:
        ppdu: Ppdu = self.air.put(self.phy, self.ppdu(size), power, start_us * US)
        return ppdu

    def at(self, time_us: float, call: Any, *args: Any) -> None:
        self.sim.schedule_at(round(time_us * US), call, *args)

    def run(self) -> list[tuple[Any, ...]]:
        self.sim.run()
        return [(entry[0] / US, *entry[1:]) for entry in self.recorder.log]

    def told(self) -> list[tuple[float, str]]:
        return [entry[:2] for entry in self.run()]


# 100 + 28 bytes at 6 Mb/s: 20 us, 16 + 1024 + 6 bits in 44 symbols.
LENGTH = 20 + 44 * 4


def test_length_of_the_frame_used_here() -> None:
    assert Bench().ppdu().duration == LENGTH * US


def test_asleep_nothing_is_received_and_awake_the_medium_is_sensed() -> None:
    bench = Bench()
    bench.at(10, bench.phy.sleep)
    bench.put(-50, 20)
    bench.put(-50, 400, size=1000)
    bench.at(500, bench.phy.wake)
    log = bench.run()
    assert bench.drops == [(20, "asleep"), (400, "asleep")]
    assert [entry[:2] for entry in log] == [(10, "suspend"), (500, "resume"), (500, "busy")]
    assert log[-1][2] == 400 * US + bench.ppdu(1000).duration
    assert bench.states == [(0, 10, "IDLE"), (10, 490, "SLEEP")]


@pytest.mark.parametrize(("power", "sensed"), [(-61.9, True), (-62.1, False)])
def test_after_sleep_only_energy_counts(power: float, sensed: bool) -> None:
    bench = Bench()
    bench.phy.sleep()
    bench.put(power, 20)
    bench.at(100, bench.phy.wake)
    assert ((100, "busy") in bench.told()) is sensed


def test_sleep_gives_up_what_is_being_detected() -> None:
    for moment, reason in ((2, None), (10, "asleep")):
        bench = Bench()
        bench.put(-50, 0)
        bench.at(moment, bench.phy.sleep)
        bench.run()
        assert phy_state(bench.phy) == "SLEEP"
        # What was being detected is dropped when the decision would have come.
        assert bench.drops == [(moment if reason else 4, "asleep")]


def test_sleep_waits_for_the_payload_unless_forced() -> None:
    bench = Bench()
    bench.put(-50, 0)
    bench.at(50, bench.phy.sleep)
    assert bench.told()[-2:] == [(LENGTH, "rx ok"), (LENGTH, "suspend")]
    bench = Bench()
    bench.put(-50, 0)
    bench.at(50, lambda: bench.phy.sleep(force=True))
    assert bench.told()[-1] == (50, "suspend")
    assert bench.drops == [(50, "asleep")]
    assert bench.states == [(0, 4, "IDLE"), (4, 16, "CCA_BUSY"), (20, 30, "RX")]


def test_sleep_waits_for_a_transmission_and_can_be_called_off() -> None:
    bench = Bench()
    bench.at(0, transmit, bench.phy, bench.ppdu())
    bench.at(50, bench.phy.sleep)
    assert bench.told() == [(LENGTH, "tx end"), (LENGTH, "suspend")]
    bench = Bench()
    bench.at(0, transmit, bench.phy, bench.ppdu())
    bench.at(50, bench.phy.sleep)
    bench.at(60, bench.phy.wake)
    assert bench.told() == [(LENGTH, "tx end")]


def test_a_phy_that_sleeps_or_is_off_drops_what_it_should_send() -> None:
    for call, reason in (("sleep", "asleep"), ("turn_off", "switched off")):
        bench = Bench()
        getattr(bench.phy, call)()
        transmit(bench.phy, bench.ppdu())
        assert bench.drops == [(0, reason)]
        assert bench.air.sent == []
        assert bench.phy.tx_count == 0


def test_off_and_on() -> None:
    bench = Bench()
    bench.at(0, transmit, bench.phy, bench.ppdu())
    bench.at(50, bench.phy.turn_off)
    bench.put(-50, 100)
    bench.at(120, bench.phy.sleep)
    bench.at(130, bench.phy.wake)
    bench.at(200, bench.phy.turn_on)
    bench.put(-50, 400)
    assert bench.told() == [
        (50, "suspend"),
        (200, "resume"),
        (200, "busy"),
        (404, "busy"),
        (420, "rx start"),
        (400 + LENGTH, "rx ok"),
    ]
    assert bench.drops == [(100, "switched off")]
    assert bench.states[:4] == [
        (0, 50, "TX"),
        (50, 150, "OFF"),
        (200, 96, "CCA_BUSY"),
        (296, 108, "IDLE"),
    ]


def test_change_of_channel() -> None:
    bench = Bench()
    bench.put(-50, 0, size=2000)
    bench.at(100, bench.phy.switch_channel, 40)
    old = bench.ppdu(2000)
    log = bench.told()
    assert log == [(4, "busy"), (20, "rx start"), (100, "switching")]
    assert bench.drops == [(100, "changing the channel")]
    assert (bench.phy.channel_number, bench.phy.frequency_mhz) == (40, 5200)
    # What was on the air of the old channel is not even energy.
    assert old.duration > 350 * US
    assert phy_state(bench.phy) == "IDLE"
    bench.put(-50, bench.sim.now() // US + 10)
    assert [entry[1] for entry in bench.run()][-3:] == ["busy", "rx start", "rx ok"]
    assert bench.states[:4] == [
        (0, 4, "IDLE"),
        (4, 16, "CCA_BUSY"),
        (20, 80, "RX"),
        (100, 250, "SWITCHING"),
    ]


def test_what_arrives_on_the_new_channel_is_sensed_after_the_change() -> None:
    bench = Bench()
    bench.phy.switch_channel(44)
    ppdu = bench.put(-50, 100, size=1000)
    log = bench.run()
    assert bench.drops == [(100, "changing the channel")]
    assert log[-1] == (250, "busy", 100 * US + ppdu.duration)


def test_a_change_waits_for_a_transmission() -> None:
    bench = Bench(switch_delay=10 * US)
    bench.at(0, transmit, bench.phy, bench.ppdu())
    bench.at(5, bench.phy.switch_channel, 48)
    bench.at(100, lambda: bench.recorder.log.append((0, str(bench.phy.channel_number))))
    assert bench.told() == [(0, "36"), (LENGTH, "tx end"), (LENGTH, "switching")]
    assert bench.phy.channel_number == 48


def test_sleep_waits_for_a_change_of_channel() -> None:
    bench = Bench()
    bench.phy.switch_channel(48)
    bench.at(5, bench.phy.sleep)
    assert bench.told() == [(0, "switching"), (250, "suspend")]


def test_wrong_changes_of_channel() -> None:
    bench = Bench("802.11ac")
    with pytest.raises(ValueError, match=r"number=41 is no channel of 80 MHz"):
        bench.phy.switch_channel(41)
    with pytest.raises(ValueError, match=r"width_mhz=10"):
        bench.phy.switch_channel(width=10)
    with pytest.raises(ValueError, match=r"band=6 is not the band of the PHY"):
        bench.phy.switch_channel(band=6)
    with pytest.raises(ValueError, match=r"primary20=9"):
        bench.phy.switch_channel(58, primary20=9)
    assert bench.phy.channel_number == 42
    bench.phy.sleep()
    with pytest.raises(RuntimeError, match=r"node 0 is asleep: it cannot change the channel"):
        bench.phy.switch_channel(58)


def test_sending_while_changing_the_channel_is_an_error() -> None:
    bench = Bench()
    bench.phy.switch_channel(40)
    with pytest.raises(RuntimeError, match="while it changes the channel"):
        transmit(bench.phy, bench.ppdu())


def test_a_narrower_channel_after_a_change() -> None:
    bench = Bench("802.11ac")
    bench.phy.switch_channel(36, width=20)
    bench.sim.run()
    assert (bench.phy.width_mhz, bench.phy.frequency_mhz) == (20, 5180)
    assert bench.phy.noise == pytest.approx(1.3803e-23 * 290 * 20e6 * 10**0.7)


def test_phys_on_a_channel_hear_each_other_after_they_have_met() -> None:
    sim = Simulator(seed=1)
    medium = WifiChannel(sim, FixedRssLoss(-50), ConstantSpeedDelay())
    phys = []
    for number in (36, 40):
        node = Node(sim)
        ConstantPosition(node, (number, 0))
        phys.append(WifiPhy(node, medium, "802.11a", channel_number=number))
    a, b = phys
    frame = make_frame("DATA", receiver=1, transmitter=2, body=Packet(sim, 100))
    transmit(a, make_ppdu(a, frame, V))
    sim.run()
    assert (b.rx_ok_count, b.drop_count) == (0, 0)
    b.switch_channel(36)
    sim.run()
    transmit(a, make_ppdu(a, frame, V))
    sim.run()
    assert b.rx_ok_count == 1


def test_the_log_has_no_gaps() -> None:
    bench = Bench()
    for start in (0, 150, 900, 2000, 2100, 5000):
        bench.put(-50 - start / 1000, start)
    bench.at(500, transmit, bench.phy, bench.ppdu())
    bench.at(950, transmit, bench.phy, bench.ppdu())
    bench.at(3000, bench.phy.sleep)
    bench.at(3500, bench.phy.wake)
    bench.at(4000, bench.phy.switch_channel, 40)
    bench.at(4600, bench.phy.switch_channel, 36)
    bench.at(6000, bench.phy.turn_off)
    bench.run()
    for (start, length, name), (following, _, next_name) in pairwise(bench.states):
        assert start + length == following
        assert length > 0
        assert name != next_name or name == "SWITCHING"
    assert bench.states[0][0] == 0
    assert {name for _, _, name in bench.states} == {
        "IDLE", "CCA_BUSY", "RX", "TX", "SLEEP", "SWITCHING"
    }  # fmt: skip
    assert sum(length for _, length, name in bench.states if name == "TX") == 2 * LENGTH
