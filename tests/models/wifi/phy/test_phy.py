"""The PHY at one receiver: detection, interference, capture, clear channel assessment."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.wifi.phy.error_rate import (
    NistErrorRateModel,
    TableBasedErrorRateModel,
    YansErrorRateModel,
)
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.ppdu import Ppdu
from simcore.models.wifi.phy.txvector import TxVector
from simcore.models.wifi.testing import Air, Recorder, make_frame, make_ppdu, phy_state, transmit

US = 1_000
NOISE_11B = 1.3803e-23 * 290 * 22e6 * 10**0.7
DETECTION = 4 * US


def watt(dbm: float) -> float:
    return 10 ** ((dbm - 30) / 10)


def dbm(power: float) -> float:
    return 10 * math.log10(power) + 30


class Bench:
    """One PHY whose signals are put on the air by hand, and what it tells its MAC."""

    def __init__(self, standard: str = "802.11b", **options: Any) -> None:
        self.sim = Simulator(seed=5)
        self.air = Air(self.sim)
        node = Node(self.sim)
        ConstantPosition(node, (0, 0))
        self.phy = WifiPhy(node, self.air, standard, **options)
        self.recorder = Recorder(self.phy)
        self.drops: list[tuple[int, str]] = []
        self.phy.trace.drop.connect(lambda ppdu, why: self.drops.append((ppdu.number, why)))
        self.mode = "DsssRate11Mbps" if standard == "802.11b" else "OfdmRate54Mbps"

    def ppdu(self, size: int = 1000, mode: str | None = None) -> Ppdu:
        frame = make_frame("DATA", receiver=1, transmitter=2, body=Packet(self.sim, size))
        return make_ppdu(self.phy, frame, TxVector(mode or self.mode))

    def put(self, power: float, start_us: float, size: int = 1000, mode: str | None = None) -> Ppdu:
        ppdu: Ppdu = self.air.put(self.phy, self.ppdu(size, mode), power, round(start_us * US))
        return ppdu

    def run(self) -> list[tuple[Any, ...]]:
        self.sim.run()
        return [(entry[0] / US, *entry[1:]) for entry in self.recorder.log]

    def told(self) -> list[str]:
        return [entry[1] for entry in self.run()]


def test_a_frame_without_trouble() -> None:
    bench = Bench()
    ppdu = bench.put(-60, 100)
    assert ppdu.header_end == 192 * US
    assert ppdu.duration == (192 + math.ceil(1028 * 8 / 11)) * US
    log = bench.run()
    assert [entry[:2] for entry in log] == [
        (104, "busy"),
        (292, "rx start"),
        (100 + ppdu.duration / US, "rx ok"),
    ]
    assert log[0][2] == 292 * US
    assert log[1][2] == 100 * US + ppdu.duration
    received, snr, power = log[2][2:]
    assert received is ppdu
    assert snr == pytest.approx(watt(-60) / NOISE_11B)
    assert power == -60
    assert bench.drops == []


@pytest.mark.parametrize(("power", "heard"), [(-82.0, True), (-82.001, False)])
def test_least_power_of_a_preamble(power: float, heard: bool) -> None:
    bench = Bench()
    bench.put(power, 0)
    assert ("rx ok" in bench.told()) is heard
    assert bench.drops == ([] if heard else [(1, "preamble not detected")])


@pytest.mark.parametrize(("above", "heard"), [(0.001, True), (-0.001, False)])
def test_least_snr_of_a_preamble(above: float, heard: bool) -> None:
    bench = Bench(preamble_min_power=-120.0)
    bench.put(dbm(NOISE_11B) + 4 + above, 0)
    assert ("busy" in bench.told()) is heard


def test_equal_signals_destroy_each_other() -> None:
    bench = Bench()
    bench.put(-60, 0)
    bench.put(-60, 3.999)
    log = bench.run()
    assert "rx start" not in [entry[1] for entry in log]
    assert [number for number, _ in bench.drops] == [1, 2]
    # Undetected, they are energy: the medium is busy until the last one ends, without EIFS.
    assert max(entry[2] for entry in log) == round(3.999 * US) + bench.ppdu().duration


@pytest.mark.parametrize("first_numbered_arrives_later", [False, True])
def test_a_tie_goes_to_the_one_transmitted_first(first_numbered_arrives_later: bool) -> None:
    bench = Bench(preamble_min_snr=-10.0)
    starts = (1.0, 0.0) if first_numbered_arrives_later else (0.0, 1.0)
    bench.put(-60, starts[0])
    bench.put(-60, starts[1])
    bench.sim.run(until=10 * US)
    (accepted,) = [entry for entry in bench.recorder.log if entry[0] == (starts[0] + 4) * US]
    assert accepted[1:] == ("busy", round((starts[0] + 192) * US))


def test_the_strongest_in_detection_is_accepted() -> None:
    bench = Bench()
    bench.put(-70, 0)
    strong = bench.put(-60, 2)
    log = bench.run()
    assert bench.drops == [(1, "preamble not detected")]
    (start,) = [entry for entry in log if entry[1] == "rx start"]
    assert start[2] == 2 * US + strong.duration


def test_a_stronger_one_after_detection_comes_too_late() -> None:
    bench = Bench()
    weak = bench.put(-70, 0)
    bench.put(-69, 4.001)
    log = bench.run()
    (start,) = [entry for entry in log if entry[1] == "rx start"]
    assert start[2] == weak.duration
    assert bench.drops == [(2, "busy receiving")]


@pytest.mark.parametrize(
    ("start", "heard"),
    [(3.999, False), (4.0, True)],
)
def test_interference_of_a_preamble_is_what_came_before_its_judgement(
    start: float, heard: bool
) -> None:
    bench = Bench()
    bench.put(-70, 0)
    # Weaker than the frame in detection, yet too strong for an SINR of 4 dB.
    bench.put(-71, start)
    bench.sim.run(until=4 * US)
    assert (phy_state(bench.phy) == "SYNC") is heard


def test_interference_that_ends_at_the_judgement_counts() -> None:
    for shift, heard in ((0.0, False), (-0.001, True)):
        bench = Bench(preamble_min_snr=4.0, preamble_min_power=-82.0)
        earlier = bench.ppdu(0)
        start = 1000.0
        # Undetectable itself: below the least power of a preamble.
        bench.air.put(bench.phy, earlier, -82.5, round((start + 4 + shift) * US) - earlier.duration)
        bench.put(-81, start)
        bench.sim.run(until=round((start + 4) * US))
        assert (phy_state(bench.phy) == "SYNC") is heard


def test_header_failure_is_no_reception() -> None:
    bench = Bench("802.11a")
    bench.put(-60, 0)
    long = bench.put(-30, 5, size=2000)
    log = bench.run()
    assert [entry[1] for entry in log] == ["busy", "busy"]
    # At the end of the header the energy on the air is looked at.
    assert log[1] == (20, "busy", 5 * US + long.duration)
    assert (1, "PHY header wrong") in bench.drops


def test_payload_failure_is_told_and_energy_keeps_the_medium_busy() -> None:
    bench = Bench("802.11a")
    first = bench.put(-60, 0)
    second = bench.put(-40, 25)
    log = bench.run()
    assert [entry[1] for entry in log] == ["busy", "rx start", "rx error", "busy"]
    assert log[2][0] * US == first.duration
    assert log[3][2] == 25 * US + second.duration
    assert bench.drops == [(2, "busy receiving")]
    assert bench.phy.rx_error_count == 1


def test_dsss_header_survives_an_equal_interferer() -> None:
    # 1 Mb/s in 22 MHz: the processing gain makes up for 0 dB.
    bench = Bench()
    bench.put(-60, 0)
    bench.put(-60, 10)
    assert "rx start" in bench.told()


def test_capture() -> None:
    bench = Bench(capture_margin=5.0)
    bench.put(-70, 0)
    bench.put(-65.1, 300)
    strong = bench.put(-50, 500)
    log = bench.run()
    assert [entry[2].number for entry in log if entry[1] == "rx ok"] == [strong.number]
    assert (1, "captured by a stronger frame") in bench.drops
    assert (2, "busy receiving") in bench.drops


def test_no_capture_by_default() -> None:
    bench = Bench()
    bench.put(-70, 0)
    bench.put(-30, 500)
    assert [name for name in bench.told() if name.startswith("rx")] == ["rx start", "rx error"]


@pytest.mark.parametrize("at", [2.0, 100.0, 300.0])
def test_transmission_ends_detection_and_reception(at: float) -> None:
    bench = Bench()
    bench.put(-60, 0)
    own = bench.ppdu(100)
    bench.sim.schedule_at(round(at * US), transmit, bench.phy, own)
    log = bench.run()
    told = [entry[1] for entry in log]
    assert "rx ok" not in told
    assert "rx error" not in told
    assert told[-2:] == ["tx end", "busy"]
    # What is still on the air is noticed as energy.
    assert log[-1] == (at + own.duration / US, "busy", bench.ppdu().duration)
    assert bench.air.sent == [own]
    assert own.start == round(at * US)


@pytest.mark.parametrize(("power", "busy"), [(-61.99, True), (-62.01, False)])
def test_after_a_transmission_only_energy_counts(power: float, busy: bool) -> None:
    bench = Bench()
    bench.sim.schedule_at(0, transmit, bench.phy, bench.ppdu(100))
    bench.put(power, 50)
    told = bench.told()
    assert told == (["tx end", "busy"] if busy else ["tx end"])
    assert bench.drops == [(1 if bench.air.sent[0].number == 2 else 2, "busy sending")]


def test_energies_add_up() -> None:
    bench = Bench()
    bench.sim.schedule_at(0, transmit, bench.phy, bench.ppdu(1500))
    short = bench.put(-64, 500, size=1000)
    bench.put(-64, 600, size=1400)
    # -61 dBm together until the first ends; -64 dBm alone are below -62.
    assert bench.run()[-1][1:] == ("busy", 500 * US + short.duration)


def test_undetected_frames_are_busy_above_the_sensitivity() -> None:
    bench = Bench(preamble_min_power=-60.0)
    quiet = bench.put(-81, 0)
    assert bench.run() == [(4, "busy", quiet.duration)]


def test_a_frame_that_comes_while_energy_is_on_the_air_is_received() -> None:
    bench = Bench(preamble_min_power=-70.0)
    bench.put(-81, 0, size=2000)
    frame = bench.put(-50, 300, size=100)
    assert [entry[2] for entry in bench.run() if entry[1] == "rx ok"] == [frame]


def test_sending_twice_at_once_is_an_error() -> None:
    bench = Bench()
    transmit(bench.phy, bench.ppdu())
    with pytest.raises(RuntimeError, match="while it sends"):
        transmit(bench.phy, bench.ppdu())


# Success over chunks of constant interference, against products worked out by hand.

MODELS = [NistErrorRateModel(), YansErrorRateModel(), TableBasedErrorRateModel()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("standard", "mode", "noise"),
    [
        ("802.11a", "OfdmRate6Mbps", 1.3803e-23 * 290 * 20e6 * 10**0.7),
        ("802.11a", "OfdmRate54Mbps", 1.3803e-23 * 290 * 20e6 * 10**0.7),
        ("802.11b", "DsssRate11Mbps", NOISE_11B),
        ("802.11b", "DsssRate1Mbps", NOISE_11B),
    ],
)
def test_success_is_the_product_over_chunks(
    model: Any, standard: str, mode: str, noise: float
) -> None:
    bench = Bench(standard, error_model=model)
    vector = TxVector(mode)
    ppdu = bench.ppdu(1000, mode)
    other = bench.ppdu(100, mode)
    begin, end = ppdu.header_end, ppdu.duration
    power = -70.0
    # One from before the payload, one within it, one beyond its end; two overlap.
    span = end - begin
    first = begin - other.duration + span // 4
    second = begin + span // 8
    third = end - span // 10

    def interferers(gap: float) -> list[tuple[Ppdu, float, int]]:
        return [
            (other, power - gap - 3.0, first),
            (other, power - gap, second),
            (other, power - gap + 2.0, third),
        ]

    def success_at(gap: float) -> float:
        success: float = bench.air.success(bench.phy, ppdu, power, interferers(gap))[0]
        return success

    # Strong enough to matter, weak enough not to destroy everything.
    gap = next(g / 4 for g in range(-80, 160) if success_at(g / 4) > 0.2)
    others = interferers(gap)
    cuts = sorted(
        {begin, end} | {t for _, _, s in others for t in (s, s + other.duration) if begin < t < end}
    )
    expected, weighted = 1.0, 0.0
    rate = vector.rate_bps
    for a, b in itertools.pairwise(cuts):
        interference = sum(watt(p) for _, p, s in others if s <= a and s + other.duration >= b)
        sinr = watt(power) / (noise + interference)
        expected *= model.frame_success(vector, sinr, rate * (b - a) // 10**9)
        weighted += sinr * (b - a)
    success, snr = bench.air.success(bench.phy, ppdu, power, others)
    assert len(cuts) >= 5
    assert 0.2 < success < 0.999
    assert success == pytest.approx(expected, rel=1e-12)
    assert snr == pytest.approx(weighted / span, rel=1e-12)
    alone, _ = bench.air.success(bench.phy, ppdu, power, [])
    assert alone > success


def test_header_success() -> None:
    model = NistErrorRateModel()
    bench = Bench("802.11a", error_model=model)
    ppdu = bench.ppdu()
    success, snr = bench.air.success(bench.phy, ppdu, -93, [], header=True)
    assert snr == pytest.approx(watt(-93) / (1.3803e-23 * 290 * 20e6 * 10**0.7))
    # 4 us at 6 Mb/s are 24 bits.
    vector = TxVector("OfdmRate6Mbps")
    assert success == pytest.approx(model.frame_success(vector, snr, 24), rel=1e-12)


def test_many_interferers() -> None:
    # More boundaries than are kept on the stack.
    bench = Bench("802.11a", error_model=NistErrorRateModel())
    ppdu = bench.ppdu(2000, "OfdmRate6Mbps")
    short = bench.ppdu(10)
    step = (ppdu.duration - ppdu.header_end) // 60
    others = [(short, -90.0, ppdu.header_end + i * step) for i in range(60)]
    many, _ = bench.air.success(bench.phy, ppdu, -84, others)
    half, _ = bench.air.success(bench.phy, ppdu, -84, others[:30])
    rest, _ = bench.air.success(bench.phy, ppdu, -84, others[30:])
    none, _ = bench.air.success(bench.phy, ppdu, -84, [])
    # Disjoint interferers act independently but for whole bits at the boundaries.
    assert many == pytest.approx(half * rest / none, rel=1e-2)
    assert many < half < none


def test_share_of_frames_lost_is_the_error_rate() -> None:
    bench = Bench("802.11a", error_model=NistErrorRateModel(), preamble_min_snr=-20.0)
    ppdu = bench.ppdu(1000, "OfdmRate54Mbps")
    power = next(
        p / 100
        for p in range(-8000, -6000)
        if bench.air.success(bench.phy, ppdu, p / 100, [])[0] > 0.6
    )
    probability, _ = bench.air.success(bench.phy, ppdu, power, [])
    count = 4000
    for index in range(count):
        bench.air.put(bench.phy, bench.ppdu(1000, "OfdmRate54Mbps"), power, index * 1000 * US)
    bench.sim.run()
    deviation = math.sqrt(probability * (1 - probability) / count)
    assert bench.phy.rx_ok_count + bench.phy.rx_error_count == count
    assert bench.phy.rx_ok_count / count == pytest.approx(probability, abs=4 * deviation)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tx_power": math.nan}, "tx_power is nan"),
        ({"rx_sensitivity": math.inf}, "rx_sensitivity is inf"),
        ({"capture_margin": math.nan}, "capture_margin is nan"),
        ({"standard": "802.11z"}, "unknown Wi-Fi standard"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bench(**options)


def test_a_node_needs_a_place() -> None:
    sim = Simulator()
    with pytest.raises(ValueError, match="no mobility model"):
        WifiPhy(Node(sim), Air(sim))
