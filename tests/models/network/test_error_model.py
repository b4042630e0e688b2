import pytest

from simcore import Simulator
from simcore.models.network import BurstErrorModel, ListErrorModel, Packet, RateErrorModel


def losses(model, sim, count, size):
    packet = Packet(sim, size)
    return [model.is_corrupt(packet) for _ in range(count)]


@pytest.mark.parametrize(
    ("unit", "rate", "size", "expected"),
    [
        ("packet", 0.25, 1000, 0.25),
        ("byte", 0.001, 500, 1 - 0.999**500),
        ("bit", 1e-5, 1000, 1 - (1 - 1e-5) ** 8000),
    ],
)
def test_rate_gives_the_packet_error_rate(unit, rate, size, expected):
    sim = Simulator(seed=7)
    model = RateErrorModel(rate, unit, stream=sim.random.stream(1))
    count = 20_000
    found = sum(losses(model, sim, count, size)) / count
    # Four standard deviations of a binomial proportion.
    assert found == pytest.approx(expected, abs=4 * (expected * (1 - expected) / count) ** 0.5)


def test_certain_and_impossible_errors():
    sim = Simulator()
    stream = sim.random.stream(1)
    for unit in ("bit", "byte", "packet"):
        assert all(losses(RateErrorModel(1.0, unit, stream=stream), sim, 10, 10))
        assert not any(losses(RateErrorModel(0.0, unit, stream=stream), sim, 10, 10))
    model = RateErrorModel(1.0, stream=stream)
    model.enabled = False
    assert not any(losses(model, sim, 10, 10))


def test_bursts_have_the_given_length():
    sim = Simulator(seed=3)
    model = BurstErrorModel(0.001, 3, 3, stream=sim.random.stream(1))
    lost = losses(model, sim, 50_000, 100)
    runs = "".join("x" if bad else " " for bad in lost).split()
    assert len(runs) > 20
    # A burst inside a burst makes a longer run; none is shorter.
    assert min(map(len, runs)) == 3
    assert sorted(map(len, runs))[len(runs) // 2] == 3


def test_list():
    sim = Simulator()
    packets = [Packet(sim) for _ in range(6)]
    model = ListErrorModel(uids=[2], positions=[4])
    assert [model.is_corrupt(packet) for packet in packets] == [
        packet.uid == 2 or place == 4 for place, packet in enumerate(packets)
    ]


def test_bad_parameters():
    stream = Simulator().random.stream(1)
    with pytest.raises(ValueError, match=r"rate is 1\.5"):
        RateErrorModel(1.5, stream=stream)
    with pytest.raises(ValueError, match="rate is nan"):
        RateErrorModel(float("nan"), stream=stream)
    with pytest.raises(ValueError, match="unit is 'word'"):
        RateErrorModel(0.5, "word", stream=stream)
    with pytest.raises(ValueError, match="burst length is 4 to 2"):
        BurstErrorModel(0.5, 4, 2, stream=stream)
