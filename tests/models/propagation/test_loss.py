"""Chains, ranges, drawn and prescribed losses, bad parameters."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator, seconds
from simcore.models import propagation
from simcore.models.mobility import ConstantPosition, ConstantVelocity
from simcore.models.network.node import create_nodes
from simcore.models.network.packet import Packet
from simcore.models.propagation import (
    ConstantSpeedDelay,
    Cost231Loss,
    FixedRssLoss,
    FriisLoss,
    ItuR1411LosLoss,
    ItuR1411NlosOverRooftopLoss,
    Kun2600MhzLoss,
    LogDistanceLoss,
    MatrixLoss,
    NakagamiLoss,
    OkumuraHataLoss,
    PropagationDelayModel,
    PropagationLossModel,
    RandomDelay,
    RandomLoss,
    RangeLoss,
    ThreeGppIndoorLoss,
    ThreeGppRmaLoss,
    ThreeGppUmaLoss,
    ThreeGppUmiLoss,
    ThreeLogDistanceLoss,
    TwoRayGroundLoss,
)
from simcore.random import Distribution

DISTANCE_LOSSES = [
    lambda: FriisLoss(),
    lambda: FriisLoss(2.4e9, system_loss=3, min_loss=50),
    lambda: LogDistanceLoss(),
    lambda: LogDistanceLoss(2, 10, -3),
    lambda: LogDistanceLoss(exponent=0),
    lambda: ThreeLogDistanceLoss(),
    lambda: ThreeLogDistanceLoss(exponent2=0),
    lambda: ThreeLogDistanceLoss(reference_loss=-20),
    lambda: RangeLoss(120),
    lambda: TwoRayGroundLoss(height_above_z=1.5),
    lambda: TwoRayGroundLoss(frequency=1e8, min_distance=0, height_above_z=20),
    lambda: FixedRssLoss(-70),
]


def test_without_a_loss_the_power_arrives():
    assert PropagationLossModel().received_dbm(7, (0, 0), (1e6, 0)) == 7
    assert PropagationDelayModel().delay((0, 0), (1e6, 0)) == 0


def test_a_chain_hands_the_power_on():
    chain = FriisLoss().chain(LogDistanceLoss()).chain(RangeLoss(100))
    at = (50, 0)
    expected = 16 + sum(m.received_dbm(0, (0, 0), at) for m in (FriisLoss(), LogDistanceLoss()))
    assert chain.received_dbm(16, (0, 0), at) == pytest.approx(expected)
    assert chain.received_dbm(16, (0, 0), (101, 0)) == -1000
    assert isinstance(chain.next_model.next_model, RangeLoss)
    assert chain.is_deterministic


def test_a_model_can_come_only_once():
    loss = FriisLoss()
    other = RangeLoss()
    loss.chain(other)
    for again in (loss, other):
        with pytest.raises(ValueError, match="is in the chain already"):
            loss.chain(again)
    with pytest.raises(TypeError):
        loss.chain(None)


def test_a_chain_with_draws_is_not_deterministic():
    stream = Simulator().random.stream(0)
    assert not FriisLoss().chain(NakagamiLoss(stream)).is_deterministic
    assert not RandomLoss(3).is_deterministic


@pytest.mark.parametrize("make", DISTANCE_LOSSES)
@given(tx=st.floats(-20, 40), floor=st.floats(-120, 10), factor=st.floats(1, 100))
def test_nothing_beyond_the_range_is_above_the_floor(make, tx, floor, factor):
    model = make()
    reach = model.range_above(tx, floor)
    assert reach >= 0
    if math.isfinite(reach):
        assert model.received_dbm(tx, (0, 0), (reach * factor + 1e-6, 0)) < floor + 1e-9


@given(
    st.lists(st.sampled_from(DISTANCE_LOSSES), min_size=2, max_size=4),
    st.floats(-20, 40),
    st.floats(-120, 10),
    st.floats(1, 100),
)
def test_the_range_of_a_chain_is_a_bound_too(makers, tx, floor, factor):
    model, *rest = [make() for make in makers]
    for following in rest:
        model.chain(following)
    reach = model.range_above(tx, floor)
    assert reach >= 0
    if math.isfinite(reach):
        assert model.received_dbm(tx, (0, 0), (reach * factor + 1e-6, 0)) < floor + 1e-9


def test_ranges_are_tight():
    assert RangeLoss(250).range_above(16, -96) == 250
    reach = FriisLoss().range_above(16, -96)
    assert FriisLoss().received_dbm(16, (0, 0), (reach, 0)) == pytest.approx(-96, abs=1e-6)
    reach = LogDistanceLoss().range_above(16, -96)
    assert LogDistanceLoss().received_dbm(16, (0, 0), (reach, 0)) == pytest.approx(-96, abs=1e-6)
    for floor in (-60, -80, -90, -120):
        reach = ThreeLogDistanceLoss().range_above(16, floor)
        got = ThreeLogDistanceLoss().received_dbm(16, (0, 0), (reach, 0))
        assert got == pytest.approx(floor, abs=1e-6)
    assert FriisLoss().chain(RangeLoss(100)).range_above(16, -96) == 100
    assert RangeLoss(1e9).chain(FriisLoss()).range_above(16, -96) == pytest.approx(
        FriisLoss().range_above(16, -96)
    )
    assert FriisLoss().chain(FixedRssLoss(-200)).range_above(16, -96) == 0


def test_draws_and_unknown_losses_have_no_range():
    stream = Simulator().random.stream(0)
    assert NakagamiLoss(stream).range_above(16, -96) == math.inf
    assert FriisLoss().chain(NakagamiLoss(stream)).range_above(16, -96) == math.inf
    assert NakagamiLoss(stream).chain(RangeLoss(80)).range_above(16, -96) == 80
    assert RandomLoss(1).range_above(16, -96) == math.inf


@pytest.mark.parametrize(
    "model",
    [
        OkumuraHataLoss(900e6),
        OkumuraHataLoss(2e9, city_size="small"),
        Cost231Loss(),
        Kun2600MhzLoss(),
        ItuR1411LosLoss(),
        ItuR1411NlosOverRooftopLoss(),
        ThreeGppRmaLoss(2e9),
        ThreeGppUmaLoss(2e9),
        ThreeGppUmiLoss(2e9),
        ThreeGppIndoorLoss(2e9, False),
        FriisLoss(),
        TwoRayGroundLoss(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_no_model_amplifies_at_close_quarters(model):
    for distance in (0, 1e-9, 0.1, 1):
        power = model.received_dbm(16, (0, 0, 10), (distance, 0, 10))
        assert power <= 16
        assert not math.isnan(power)


def test_city_models_receive_nothing_underground():
    for model in (OkumuraHataLoss(), ItuR1411LosLoss(), ThreeGppUmaLoss(2e9)):
        assert model.received_dbm(16, (0, 0, 30), (500, 0, 0)) == -math.inf


def test_losses_follow_moving_nodes():
    sim = Simulator()
    a = ConstantPosition(sim, (0, 0))
    b = ConstantVelocity(sim, (200, 0), (10, 0))
    loss = RangeLoss(250)
    assert loss.received_dbm(5, a, b) == 5
    sim.run(until=seconds(6))
    assert loss.received_dbm(5, a, b) == -1000


def test_matrix_by_pair_and_direction():
    sim = Simulator()
    nodes = create_nodes(sim, 3)
    # All at one place: only who they are can make the difference.
    a, b, c = (ConstantPosition(node, (0, 0)) for node in nodes)
    loss = MatrixLoss()
    loss.set_loss(nodes[0], nodes[1], 30)
    loss.set_loss(1, c, 50, symmetric=False)
    assert loss.received_dbm(16, a, b) == loss.received_dbm(16, b, a) == -14
    assert loss.received_dbm(16, b, c) == -34
    assert loss.received_dbm(16, c, b) == -math.inf
    assert loss.get_loss(1, 2) == 50
    assert loss.get_loss(a, c) == math.inf
    assert MatrixLoss(default_loss=90).received_dbm(16, a, c) == -74
    chained = FixedRssLoss(0).chain(loss)
    assert chained.received_dbm(16, a, b) == -30
    assert loss.range_above(16, -96) == math.inf
    assert MatrixLoss(200).range_above(16, -96) == 0


def test_matrix_needs_to_know_the_nodes():
    sim = Simulator()
    loss = MatrixLoss()
    with pytest.raises(TypeError, match="MatrixLoss needs MobilityModels"):
        loss.received_dbm(16, (0, 0), (1, 1))
    with pytest.raises(TypeError, match="MatrixLoss needs MobilityModels"):
        FriisLoss().chain(loss).received_dbm(16, (0, 0), (1, 1))
    with pytest.raises(ValueError, match="belongs to no node"):
        loss.set_loss(ConstantPosition(sim), 1, 3)
    for wrong in ("a", None, 1.5, -1, True, 2**31):
        with pytest.raises(TypeError, match="it must be a Node, a MobilityModel or its number"):
            loss.set_loss(0, wrong, 3)
    with pytest.raises(ValueError, match="loss is nan"):
        loss.set_loss(0, 1, math.nan)


def test_random_loss_and_delay_draw_anew():
    sim = Simulator()
    loss = RandomLoss("uniform(10, 20)", sim.random.stream(1))
    drawn = np.array([-loss.received_dbm(0, (0, 0), (1, 0)) for _ in range(2000)])
    assert 10 <= drawn.min() < 10.1
    assert 19.9 < drawn.max() <= 20
    assert drawn.mean() == pytest.approx(15, abs=0.3)
    delay = RandomDelay("uniform(0, 1e-6)", sim.random.stream(2))
    delays = [delay.delay((0, 0), (0, 0)) for _ in range(1000)]
    assert 0 <= min(delays) < max(delays) <= 1000
    assert RandomDelay(2.5e-9).delay((0, 0), (0, 0)) in (2, 3)
    assert RandomDelay("constant(-1)").delay((0, 0), (0, 0)) == 0


def test_whole_shapes_draw_from_the_erlang_stream():
    sim = Simulator()
    stream = sim.random.stream(4)
    model = NakagamiLoss(sim.random.stream(3), m0=1, erlang_stream=stream)
    power = model.received_dbm(0.0, (0, 0), (1, 0))
    stream.reset()
    # m = 1 is Rayleigh fading: exponential power.
    assert power == pytest.approx(10 * math.log10(stream.exponential(1.0)))


def test_delay_is_rounded_and_bounded():
    delay = ConstantSpeedDelay()
    assert delay.delay((0, 0), (299792.458, 0)) == 1_000_000
    assert delay.delay((0, 0), (0.4 * 0.299792458, 0)) == 0
    assert delay.delay((0, 0), (0.6 * 0.299792458, 0)) == 1
    assert delay.delay((-1e308, 0), (1e308, 0)) == 2**63 - 1
    assert delay.speed == 299792458.0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: FriisLoss(0), ValueError, "frequency is 0: it must be a number of Hz above 0"),
        (lambda: FriisLoss(math.nan), ValueError, "frequency is nan: it must be a finite number"),
        (lambda: FriisLoss("5GHz"), TypeError, "frequency is '5GHz': it must be a number of Hz"),
        (lambda: FriisLoss(system_loss=0.5), ValueError, "system_loss is 0.5: .* at least 1"),
        (lambda: FriisLoss(min_loss=-1), ValueError, "min_loss is -1"),
        (lambda: RangeLoss(-1), ValueError, "max_range is -1"),
        (lambda: RangeLoss(math.inf), ValueError, "max_range is inf"),
        (lambda: LogDistanceLoss(exponent=-2), ValueError, "exponent is -2"),
        (lambda: LogDistanceLoss(reference_distance=0), ValueError, "reference_distance is 0"),
        (lambda: LogDistanceLoss(reference_loss=None), TypeError, "reference_loss is None"),
        (lambda: ThreeLogDistanceLoss(distance1=0.5), ValueError, "distance1 is 0.5: .* least 1"),
        (lambda: ThreeLogDistanceLoss(distance2=100), ValueError, "distance2 is 100"),
        (lambda: TwoRayGroundLoss(frequency=-1), ValueError, "frequency is -1"),
        (lambda: TwoRayGroundLoss(height_above_z=math.inf), ValueError, "height_above_z is inf"),
        (lambda: NakagamiLoss(None), TypeError, "stream"),
        (lambda: FixedRssLoss(math.nan), ValueError, "rss is nan"),
        (lambda: MatrixLoss(math.nan), ValueError, "default_loss is nan"),
        (lambda: MatrixLoss("x"), TypeError, "default_loss is 'x'"),
        (lambda: RandomLoss("uniform(0, 1)"), ValueError, "stream is None: loss is 'uniform"),
        (lambda: RandomDelay("uniform(0, 1)"), ValueError, "stream is None: delay is"),
        (lambda: RandomDelay(-1), ValueError, "delay is -1"),
        (lambda: ConstantSpeedDelay(0), ValueError, "speed is 0"),
        (lambda: OkumuraHataLoss(environment="rural"), ValueError, "environment is 'rural': it"),
        (lambda: ItuR1411NlosOverRooftopLoss(street_orientation=91), ValueError, "0 to 90"),
        (lambda: ThreeGppUmaLoss(1e6), ValueError, "frequency is 1000000.0"),
        (lambda: FriisLoss().received_dbm(math.nan, (0, 0), (1, 0)), ValueError, "tx_dbm is nan"),
        (lambda: FriisLoss().received_dbm(0, (0, math.nan), (1, 0)), ValueError, r"a\.y is nan"),
        (lambda: FriisLoss().range_above(0, math.nan), ValueError, "floor_dbm is nan"),
    ],
)
def test_bad_parameters_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_nakagami_shapes_start_at_one_half():
    stream = Simulator().random.stream(0)
    with pytest.raises(ValueError, match=r"m1 is 0\.4: it must be a number of at least 0\.5"):
        NakagamiLoss(stream, m1=0.4)


def test_every_public_name_exists_and_is_documented():
    for name in propagation.__all__:
        assert getattr(propagation, name).__doc__


class Broken(Distribution):
    """A distribution of a user's, which fails at its third draw."""

    def __init__(self, *, stream=None):
        self.draws = 0
        self.bind(stream)

    @property
    def parameters(self):
        return {}

    def draw(self):
        self.draws += 1
        if self.draws == 3:
            raise RuntimeError("no third draw")
        return 1.0


def test_draws_that_raise_are_not_swallowed():
    sim = Simulator(seed=1)
    a, b = create_nodes(sim, 2)
    for node, x in ((a, 0.0), (b, 10.0)):
        node.mobility = ConstantPosition(node, (x, 0.0, 0.0))
    loss = RandomLoss(Broken(stream=sim.random.stream(1)))
    delay = RandomDelay(Broken(stream=sim.random.stream(1)))
    for take in (
        lambda: loss.received_dbm(16.0, a.mobility, b.mobility),
        lambda: delay.delay(a.mobility, b.mobility),
    ):
        take()
        take()
        with pytest.raises(RuntimeError, match="no third draw"):
            take()


def test_draws_that_raise_fail_the_run():
    from simcore.models.wifi import install_adhoc

    sim = Simulator(seed=1)
    nodes = create_nodes(sim, 2)
    for node in nodes:
        node.mobility = ConstantPosition(node, (0.0, 0.0, 0.0))
    devices = install_adhoc(nodes, loss=RandomLoss(Broken(stream=sim.random.stream(1))))
    for _ in range(5):
        devices[0].send_packet(Packet(sim, 100), 0xFFFFFFFFFFFF, 0x0800)
    with pytest.raises(RuntimeError, match="no third draw"):
        sim.run(until=seconds(1))
