"""Random walk: legs by distance and time, walls, statistics, errors."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, ms, seconds
from simcore.models.mobility import RandomWalk2d, install
from simcore.models.network.node import create_nodes


def test_a_wall_reflects_and_the_leg_goes_on():
    sim = Simulator()
    node = RandomWalk2d(
        sim, (50, 50), bounds=(0, 100, 0, 100), distance=200, speed=10, direction=math.pi / 4
    )
    sim.run(until=seconds(100 / 10))
    # 70.7 m in each direction: the corner after 50, then back 20.7.
    assert node.position[:2] == pytest.approx((79.289322, 79.289322), abs=1e-5)


def test_each_wall_turns_only_its_own_component():
    sim = Simulator()
    node = RandomWalk2d(sim, (95, 50), time=seconds(4), speed=5, direction=math.atan2(3, 4))
    sim.run(until=seconds(1))
    assert node.velocity == pytest.approx((4, 3, 0))
    sim.run(until=seconds(2))
    assert node.velocity == pytest.approx((-4, 3, 0))
    assert node.position == pytest.approx((97, 56, 0))


def test_legs_by_distance_and_by_time():
    sim = Simulator()
    by_distance = RandomWalk2d(sim, (50, 50), distance=10, speed=2)
    by_time = RandomWalk2d(sim, (50, 50), time=seconds(3), speed=0.1)
    turns = {by_distance: [], by_time: []}
    for node in turns:
        node.trace.course_change.connect(lambda m: turns[m].append(sim.now()))
    sim.run(until=seconds(15))
    assert turns == {
        by_distance: [seconds(5), seconds(10), seconds(15)],
        by_time: [seconds(3), seconds(6), seconds(9), seconds(12), seconds(15)],
    }


@settings(max_examples=40)
@given(
    st.integers(1, 1000),
    st.floats(0, 30),
    st.floats(0, 30),
    st.sampled_from([{"distance": 7.0}, {"distance": 0.03}, {"time": seconds(2)}]),
    st.floats(0.1, 40),
)
def test_it_stays_within_its_bounds_and_makes_no_jumps(seed, width, height, leg, speed):
    sim = Simulator(seed=seed)
    bounds = (5.0, 5.0 + width, -3.0, -3.0 + height)
    node = RandomWalk2d(sim, (5.0, -3.0 + height), bounds=bounds, speed=speed, **leg)
    last = node.position
    for step in range(1, 200):
        sim.run(until=ms(10 * step))
        x, y, _ = here = node.position
        assert bounds[0] <= x <= bounds[1]
        assert bounds[2] <= y <= bounds[3]
        assert math.dist(last, here) <= speed * 0.01 + 1e-6
        last = here


def test_the_walk_fills_its_area_evenly():
    sim = Simulator(seed=2)
    models = install(
        create_nodes(sim, 300), RandomWalk2d, bounds=(0, 20, 0, 20), time=seconds(5),
        position=(3, 17),
    )  # fmt: skip
    counts = np.zeros((2, 2))
    for index in range(50):
        sim.run(until=seconds(200 + 20 * index))
        for m in models:
            x, y, _ = m.position
            counts[int(x >= 10), int(y >= 10)] += 1
    assert counts / counts.sum() == pytest.approx(np.full((2, 2), 0.25), abs=0.015)


def test_put_elsewhere_it_walks_on_from_there():
    sim = Simulator()
    node = RandomWalk2d(sim, (50, 50), time=seconds(100), speed=1)
    sim.run(until=seconds(10))
    node.position = (90, 90, 2)
    sim.run(until=seconds(11))
    assert math.dist(node.position, (90, 90, 2)) == pytest.approx(1)
    with pytest.raises(ValueError, match=r"position is \(101.0, 0.0\): it must be within the bou"):
        node.position = (101, 0)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"position": (-1, 0)}, ValueError, "within the bounds"),
        ({"bounds": (0, -1, 0, 1)}, ValueError, "x_min <= x_max"),
        ({"bounds": (0, 1, 0)}, ValueError, "bounds is"),
        ({"bounds": (0, math.nan, 0, 1)}, ValueError, "bounds.x_max is nan"),
        ({"distance": 0}, ValueError, "distance is 0: it must be a number of m above 0"),
        ({"distance": 1, "time": 1}, ValueError, "give only one"),
        ({"time": 0}, ValueError, "time is 0"),
        ({"time": 1.5}, TypeError, "time is 1.5: it must be an int of nanoseconds"),
        ({"speed": 0}, ValueError, "drawn speed is 0.0"),
        ({"speed": -1, "time": 1}, ValueError, "drawn speed is -1.0"),
        ({"direction": math.inf}, ValueError, "direction is inf"),
    ],
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        RandomWalk2d(Simulator(), **({"position": (0, 0)} | parameters))


def test_a_timed_leg_may_stand_still():
    sim = Simulator()
    node = RandomWalk2d(sim, (1, 1), time=seconds(1), speed=0)
    sim.run(until=seconds(5.5))
    assert node.position == (1, 1, 0)
    assert node.course_changes == 6
