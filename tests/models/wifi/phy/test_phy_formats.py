"""Reception of HT, VHT and HE PPDUs; widths, bands, antennas, streams, channels."""

from __future__ import annotations

import math
from typing import Any

import pytest

from simcore import Simulator
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.propagation import ConstantSpeedDelay, FixedRssLoss
from simcore.models.wifi.channel import WifiChannel
from simcore.models.wifi.phy.error_rate import NistErrorRateModel
from simcore.models.wifi.phy.phy import WifiPhy
from simcore.models.wifi.phy.ppdu import Ppdu
from simcore.models.wifi.phy.txvector import TxVector
from simcore.models.wifi.testing import Air, Recorder, make_frame, make_ppdu, phy_state, transmit

US = 1_000


def noise(width_mhz: float) -> float:
    return 1.3803e-23 * 290 * width_mhz * 1e6 * 10**0.7


def watt(dbm: float) -> float:
    return 10 ** ((dbm - 30) / 10)


def dbm(power: float) -> float:
    return 10 * math.log10(power) + 30


class Bench:
    """One PHY whose signals are put on the air by hand, and what it tells its MAC."""

    def __init__(self, standard: str, **options: Any) -> None:
        self.sim = Simulator(seed=5)
        self.air = Air(self.sim)
        self.phy = self.another(standard, **options)
        self.recorder = Recorder(self.phy)
        self.drops: list[str] = []
        self.phy.trace.drop.connect(lambda _, why: self.drops.append(why))

    def another(self, standard: str, **options: Any) -> WifiPhy:
        node = Node(self.sim)
        ConstantPosition(node, (0, 0))
        return WifiPhy(node, self.air, standard, **options)

    def ppdu(self, v: TxVector, size: int = 1000, sender: WifiPhy | None = None) -> Ppdu:
        frame = make_frame("DATA", receiver=1, transmitter=2, body=Packet(self.sim, size))
        return make_ppdu(sender or self.phy, frame, v)

    def put(self, ppdu: Ppdu, power: float, start_us: float = 0.0) -> None:
        self.air.put(self.phy, ppdu, power, round(start_us * US))

    def run(self) -> list[tuple[Any, ...]]:
        self.sim.run()
        return [(entry[0] / US, *entry[1:]) for entry in self.recorder.log]


# Noise


@pytest.mark.parametrize(
    ("standard", "options", "vector", "width"),
    [
        ("802.11b", {}, TxVector("DsssRate1Mbps"), 22),
        ("802.11g", {}, TxVector("ErpOfdmRate6Mbps"), 20),
        ("802.11g", {}, TxVector("DsssRate1Mbps"), 20),
        ("802.11p-10MHz", {}, TxVector("OfdmRate3MbpsBW10MHz"), 10),
        ("802.11p-5MHz", {}, TxVector("OfdmRate1_5MbpsBW5MHz"), 5),
        ("802.11n", {"width": 40}, TxVector("HtMcs0"), 20),
        ("802.11n", {"width": 40}, TxVector("HtMcs0", width_mhz=40), 40),
        ("802.11ax", {"width": 160}, TxVector("HeMcs0", width_mhz=160), 160),
        ("802.11ax", {"width": 160}, TxVector("OfdmRate6Mbps", width_mhz=80), 80),
        ("802.11ax", {"width": 40, "band": 2.4}, TxVector("DsssRate1Mbps"), 20),
        # What is wider than the channel is heard as far as the channel goes.
        ("802.11ax", {"width": 40}, TxVector("OfdmRate6Mbps", width_mhz=80), 40),
    ],
)
def test_noise_goes_with_the_width_that_is_heard(
    standard: str, options: dict[str, Any], vector: TxVector, width: int
) -> None:
    assert Bench(standard, **options).phy.noise_in(vector) == pytest.approx(noise(width), rel=1e-12)


# Phases


@pytest.mark.parametrize(
    ("standard", "vector", "ends"),
    [
        ("802.11a", TxVector("OfdmRate54Mbps"), (16, 20, 20, 20)),
        ("802.11n", TxVector("HtMcs15", nss=2), (16, 20, 28, 40)),
        ("802.11ac", TxVector("VhtMcs9", width_mhz=80, nss=4), (16, 20, 28, 48)),
        ("802.11ax", TxVector("HeMcs11", width_mhz=80), (16, 24, 32, 44)),
    ],
)
def test_a_frame_without_trouble(
    standard: str, vector: TxVector, ends: tuple[int, int, int, int]
) -> None:
    bench = Bench(standard, antennas=4)
    ppdu = bench.ppdu(vector)
    parts = (ppdu.preamble_duration, ppdu.legacy_end, ppdu.sig_end, ppdu.header_end)
    assert parts == tuple(end * US for end in ends)
    bench.put(ppdu, -40)
    log = bench.run()
    assert [entry[:2] for entry in log] == [
        (4, "busy"),
        (ends[3], "rx start"),
        (ppdu.duration / US, "rx ok"),
    ]
    assert log[0][2] == ppdu.header_end
    gain = 4 / vector.nss
    assert log[2][3] == pytest.approx(watt(-40) / noise(vector.width_mhz) * gain)
    assert bench.drops == []


@pytest.mark.parametrize(
    ("standard", "vector", "width"),
    [
        ("802.11n", TxVector("HtMcs0", width_mhz=40), 40),
        ("802.11ac", TxVector("VhtMcs0", width_mhz=160), 160),
        # HE is looked at in the primary channel of 20 MHz.
        ("802.11ax", TxVector("HeMcs0", width_mhz=160), 20),
        ("802.11ax", TxVector("HeMcs0", width_mhz=20), 20),
    ],
)
@pytest.mark.parametrize("antennas", [1, 2])
def test_least_snr_of_a_preamble_by_format(
    standard: str, vector: TxVector, width: int, antennas: int
) -> None:
    for above, heard in ((0.001, True), (-0.001, False)):
        bench = Bench(
            standard, width=vector.width_mhz, preamble_min_power=-120.0, antennas=antennas
        )
        bench.put(bench.ppdu(vector), dbm(noise(width) / antennas) + 4 + above)
        bench.sim.run(until=5 * US)
        assert (phy_state(bench.phy) == "SYNC") is heard


def test_a_primary_channel_gets_its_share_of_a_flat_spectrum() -> None:
    v = TxVector("HeMcs0", width_mhz=160)
    for power, heard in ((-82 + 9.031, True), (-82 + 9.03, False)):
        bench = Bench("802.11ax", width=160, flat_spectrum=True)
        bench.put(bench.ppdu(v), power)
        bench.sim.run(until=5 * US)
        assert (phy_state(bench.phy) == "SYNC") is heard
    bench = Bench("802.11ax", width=160)
    bench.put(bench.ppdu(v), -82)
    bench.sim.run(until=5 * US)
    assert phy_state(bench.phy) == "SYNC"


def test_a_sig_field_in_error_makes_deaf_until_the_end() -> None:
    bench = Bench("802.11ax")
    v = TxVector("HeMcs0", width_mhz=80)
    ppdu = bench.ppdu(v)
    late = bench.ppdu(v, size=100)
    bench.put(ppdu, -70)
    bench.put(late, -40, 24.5)
    log = bench.run()
    assert bench.drops == ["busy receiving", "SIG field wrong"]
    # Busy for the whole of it, and no reception error: EIFS does not follow.
    assert [entry[:2] for entry in log] == [(4, "busy"), (32, "busy")]
    assert log[1][2] == ppdu.duration


def test_a_legacy_header_in_error_frees_the_receiver() -> None:
    bench = Bench("802.11ax", cca_sensitivity=-30.0)
    v = TxVector("HeMcs0", width_mhz=80)
    bench.put(bench.ppdu(v), -70)
    bench.put(bench.ppdu(v, size=0), -40, 16.5)
    third = bench.ppdu(v, size=100)
    bench.put(third, -10, 26)
    log = bench.run()
    assert bench.drops == ["busy receiving", "PHY header wrong"]
    assert [entry[2] for entry in log if entry[1] == "rx ok"] == [third]


@pytest.mark.parametrize(
    ("vector", "sender", "reason"),
    [
        (TxVector("HeMcs0", nss=2), {"antennas": 2}, "more spatial streams than the receiver has"),
        (TxVector("HeMcs0", width_mhz=40), {"width": 40}, "wider than the channel"),
    ],
)
def test_what_the_receiver_does_not_support_is_ignored(
    vector: TxVector, sender: dict[str, Any], reason: str
) -> None:
    bench = Bench("802.11ax", width=20)
    ppdu = bench.ppdu(vector, sender=bench.another("802.11ax", **({"width": 20} | sender)))
    bench.put(ppdu, -50)
    log = bench.run()
    assert bench.drops == [reason]
    assert [entry[:3] for entry in log] == [
        (4, "busy", ppdu.header_end),
        (32, "busy", ppdu.duration),
    ]


def test_a_non_ht_duplicate_reaches_narrower_receivers() -> None:
    bench = Bench("802.11a")
    wide = bench.another("802.11ac", width=80, channel_number=42)
    bench.put(bench.ppdu(TxVector("OfdmRate6Mbps", width_mhz=80), sender=wide), -50)
    assert [entry[1] for entry in bench.run()] == ["busy", "rx start", "rx ok"]


@pytest.mark.parametrize(
    ("standard", "other", "vector"),
    [
        ("802.11a", "802.11n", TxVector("HtMcs0")),
        ("802.11n", "802.11ac", TxVector("VhtMcs0")),
        ("802.11ac", "802.11ax", TxVector("HeMcs0")),
        ("802.11b", "802.11g", TxVector("ErpOfdmRate6Mbps")),
        ("802.11p-5MHz", "802.11p-10MHz", TxVector("OfdmRate3MbpsBW10MHz")),
    ],
)
def test_other_formats_are_energy(standard: str, other: str, vector: TxVector) -> None:
    for power, busy in ((-61.9, True), (-62.1, False)):
        bench = Bench(standard)
        ppdu = bench.ppdu(vector, sender=bench.another(other, width=None))
        bench.phy.trace.rx_ok.connect(lambda *_: pytest.fail("received"))
        bench.put(ppdu, power)
        log = bench.run()
        assert [entry[:3] for entry in log] == ([(0, "busy", ppdu.duration)] if busy else [])


@pytest.mark.parametrize(
    ("standard", "options", "vectors"),
    [
        ("802.11g", {}, ["DsssRate1Mbps", "DsssRate11Mbps", "ErpOfdmRate54Mbps"]),
        ("802.11n", {"band": 2.4}, ["DsssRate1Mbps", "ErpOfdmRate54Mbps", "HtMcs7"]),
        ("802.11n", {}, ["OfdmRate54Mbps", "HtMcs7"]),
        ("802.11ac", {}, ["OfdmRate54Mbps", "HtMcs7", "VhtMcs8"]),
        ("802.11ax", {}, ["OfdmRate54Mbps", "HtMcs7", "VhtMcs8", "HeMcs11"]),
        ("802.11ax", {"band": 2.4}, ["DsssRate1Mbps", "ErpOfdmRate54Mbps", "HtMcs7", "HeMcs11"]),
        ("802.11ax", {"band": 6}, ["OfdmRate54Mbps", "HeMcs11"]),
        ("802.11p-10MHz", {}, ["OfdmRate27MbpsBW10MHz"]),
        ("802.11p-5MHz", {}, ["OfdmRate13_5MbpsBW5MHz"]),
    ],
)
def test_formats_of_each_standard_are_received(
    standard: str, options: dict[str, Any], vectors: list[str]
) -> None:
    for name in vectors:
        bench = Bench(standard, **options)
        bench.put(bench.ppdu(TxVector(name)), -40)
        assert [entry[1] for entry in bench.run()] == ["busy", "rx start", "rx ok"], name


# SINR


@pytest.mark.parametrize("antennas", [1, 2, 4])
@pytest.mark.parametrize("nss", [1, 2])
def test_streams_and_antennas(antennas: int, nss: int) -> None:
    if nss > antennas:
        pytest.skip("not possible")
    model = NistErrorRateModel()
    bench = Bench("802.11ax", antennas=antennas, error_model=model)
    v = TxVector("HeMcs5", width_mhz=80, nss=nss)
    ppdu = bench.ppdu(v)
    power = dbm(noise(80)) + 14.5
    success, snr = bench.air.success(bench.phy, ppdu, power, [])
    assert snr == pytest.approx(10**1.45 * antennas / nss)
    # Each stream carries its share of the bits.
    bits = v.rate_bps * (ppdu.duration - ppdu.header_end) // 10**9 // nss
    assert success == pytest.approx(model.frame_success(v, snr, bits), rel=1e-9)


@pytest.mark.parametrize(
    ("flat", "mine", "other", "share"),
    [
        (False, 80, 20, 1.0),
        (False, 20, 80, 1.0),
        (True, 80, 20, 1.0),
        (True, 20, 80, 0.25),
        (True, 80, 80, 1.0),
        (True, 40, 80, 0.5),
    ],
)
def test_interference_between_widths(flat: bool, mine: int, other: int, share: float) -> None:
    bench = Bench("802.11ac", flat_spectrum=flat, error_model=NistErrorRateModel())
    ppdu = bench.ppdu(TxVector("VhtMcs0", width_mhz=mine))
    interferer = bench.ppdu(TxVector("VhtMcs0", width_mhz=other), size=8000)
    _, sinr = bench.air.success(bench.phy, ppdu, -70, [(interferer, -75, 0)])
    assert sinr == pytest.approx(watt(-70) / (noise(mine) + share * watt(-75)))


def test_headers_of_he_are_judged_in_20_mhz() -> None:
    bench = Bench("802.11ax", width=160, error_model=NistErrorRateModel())
    for vector, width in ((TxVector("HeMcs0", width_mhz=160), 20),
                          (TxVector("VhtMcs0", width_mhz=160), 160)):  # fmt: skip
        _, snr = bench.air.success(bench.phy, bench.ppdu(vector), -80, [], header=True)
        assert snr == pytest.approx(watt(-80) / noise(width))


# Channels of several PHYs


@pytest.mark.parametrize(
    ("number", "idle"), [(36, None), (40, 20), (44, 40), (48, 40), (52, 80), (64, 80)]
)
def test_what_is_sent_beside_the_primary_channel(number: int, idle: int | None) -> None:
    bench = Bench("802.11ac", width=160)
    sender = bench.another("802.11a", channel_number=number)
    for power, busy in ((-71.9, True), (-72.1, False)):
        ppdu = bench.ppdu(TxVector("OfdmRate6Mbps"), sender=sender)
        start = bench.sim.now() // US + 1000
        bench.put(ppdu, power, start)
        bench.sim.run(until=(start + 30) * US)
        since = (start + 30) * US - 25 * US
        if idle is None:
            assert phy_state(bench.phy) == "RX"
            assert bench.phy.idle_width(since) == 160
        else:
            assert phy_state(bench.phy) == "IDLE"
            assert bench.phy.idle_width(since) == (idle if busy else 160)
        bench.sim.run()
    end = bench.sim.now()
    assert bench.phy.idle_width(end) == 160


@pytest.mark.parametrize(
    ("number", "least", "idle"), [(40, -62.0, 20), (44, -59.0, 40), (52, -56.0, 80)]
)
def test_secondary_energy_has_higher_thresholds_in_wider_parts(
    number: int, least: float, idle: int
) -> None:
    # HE is energy for a VHT receiver, so that the threshold of its own PPDUs does not count.
    for above, width in ((0.1, idle), (-0.1, 160)):
        bench = Bench("802.11ac", width=160)
        sender = bench.another("802.11ax", width=20, channel_number=number)
        bench.put(bench.ppdu(TxVector("HeMcs0"), sender=sender), least + above, 100)
        bench.sim.run(until=130 * US)
        assert bench.phy.idle_width(105 * US) == width


def test_ht_stations_look_for_energy_alone_in_the_secondary_channel() -> None:
    for power, width in ((-61.9, 20), (-62.1, 40)):
        bench = Bench("802.11n", width=40)
        sender = bench.another("802.11a", channel_number=40)
        bench.put(bench.ppdu(TxVector("OfdmRate6Mbps"), sender=sender), power, 100)
        bench.sim.run(until=130 * US)
        assert bench.phy.idle_width(105 * US) == width
    assert Bench("802.11a").phy.idle_width(0) == 20


def channel_of(*receivers: dict[str, Any], rss: float = -50.0) -> tuple[Simulator, list[WifiPhy]]:
    sim = Simulator(seed=1)
    medium = WifiChannel(sim, FixedRssLoss(rss), ConstantSpeedDelay())
    phys = []
    for options in receivers:
        node = Node(sim)
        ConstantPosition(node, (len(phys), 0))
        phys.append(WifiPhy(node, medium, **options))
    return sim, phys


def send(sim: Simulator, phy: WifiPhy, v: TxVector) -> None:
    frame = make_frame("DATA", receiver=1, transmitter=2, body=Packet(sim, 100))
    transmit(phy, make_ppdu(phy, frame, v))


@pytest.mark.parametrize(
    ("receiver", "power"),
    [
        ({"standard": "802.11ac", "width": 40, "channel_number": 38}, -50.0),
        ({"standard": "802.11ac", "width": 80, "channel_number": 42}, -50.0),
        # Half of the 40 MHz lies in 20 MHz; the PPDU is a duplicate, so it can be received.
        ({"standard": "802.11a", "channel_number": 36}, -53.0103),
        ({"standard": "802.11a", "channel_number": 44}, None),
        ({"standard": "802.11ac", "width": 40, "channel_number": 46}, None),
    ],
)
def test_a_receiver_gets_what_lies_in_its_channel(
    receiver: dict[str, Any], power: float | None
) -> None:
    sim, (sender, other) = channel_of(
        {"standard": "802.11ac", "width": 40, "channel_number": 38}, receiver
    )
    heard: list[float] = []
    other.trace.rx_ok.connect(lambda _ppdu, _snr, dbm_: heard.append(dbm_))
    send(sim, sender, TxVector("OfdmRate6Mbps", width_mhz=40))
    sim.run()
    assert heard == ([] if power is None else [pytest.approx(power, abs=1e-4)])
    if power is None:
        assert other.drop_count == 0


@pytest.mark.parametrize(
    ("standard", "vector", "least"),
    [
        ("802.11b", TxVector("DsssRate1Mbps"), -101.0),
        ("802.11a", TxVector("OfdmRate6Mbps"), -101.0),
        ("802.11p-10MHz", TxVector("OfdmRate3MbpsBW10MHz"), -101.0 - 3.0103),
        ("802.11ax", TxVector("HeMcs0", width_mhz=80), -101.0 + 6.0206),
    ],
)
def test_sensitivity_is_in_proportion_to_the_width(
    standard: str, vector: TxVector, least: float
) -> None:
    for above, noticed in ((0.001, 1), (-0.001, 0)):
        sim, (sender, other) = channel_of(
            {"standard": standard}, {"standard": standard}, rss=least + above
        )
        send(sim, sender, vector)
        sim.run()
        assert other.drop_count == noticed


# Wrong use


@pytest.mark.parametrize(
    ("standard", "options", "message"),
    [
        ("802.11n", {"width": 160}, r"width_mhz=160 .* 20, 40 MHz"),
        ("802.11n", {"antennas": 5, "max_streams": 5}, r"nss=5 .* 1, 2, 3, 4 spatial streams"),
        ("802.11ax", {"antennas": 2, "max_streams": 4}, r"antennas is 2: 4 spatial streams need"),
        ("802.11ax", {"antennas": 0}, r"nss=0"),
        ("802.11ac", {"band": 2.4}, r"band_ghz=2\.4 is not a band of 802\.11ac: use 5"),
        ("802.11ac", {"width": 80, "primary20": 4}, r"primary20=4 .* use 0 to 3"),
        ("802.11a", {"channel_number": 37}, r"number=37 is no channel of 20 MHz in 5 GHz"),
        ("802.11a", {"capture_window": -1}, r"capture_window is -1 ns"),
    ],
)
def test_bad_parameters(standard: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bench(standard, **options)


@pytest.mark.parametrize("name", ["primary20", "antennas", "max_streams", "switch_delay"])
def test_numbers_must_be_whole(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} is 1.5: it must be a whole number"):
        Bench("802.11ax", **{name: 1.5})


def test_a_ppdu_must_suit_its_sender() -> None:
    bench = Bench("802.11ax", width=20)
    with pytest.raises(ValueError, match=r"more spatial streams than the PHY of node 0.* has 1"):
        bench.ppdu(TxVector("HeMcs0", nss=2))
    with pytest.raises(ValueError, match=r"wider than the channel of node 0, which has 20 MHz"):
        bench.ppdu(TxVector("HeMcs0", width_mhz=40))


def test_power_of_a_vector_and_of_the_phy() -> None:
    bench = Bench("802.11a", tx_power=10.0)
    v = TxVector("OfdmRate6Mbps")
    assert bench.ppdu(v).tx_power_dbm == 10.0
    assert bench.ppdu(v.replace(tx_power_dbm=3.0)).tx_power_dbm == 3.0


@pytest.mark.parametrize(("start", "captured"), [(15.9, True), (16.1, False)])
def test_capture_window(start: float, captured: bool) -> None:
    bench = Bench("802.11a", capture_margin=5.0, capture_window=16 * US)
    v = TxVector("OfdmRate6Mbps")
    bench.put(bench.ppdu(v), -70)
    bench.put(bench.ppdu(v), -50, start)
    bench.sim.run(until=17 * US)
    assert ("captured by a stronger frame" in bench.drops) is captured
