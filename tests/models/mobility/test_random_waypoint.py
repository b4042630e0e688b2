"""Random waypoint: phases, continuity, the two known statistics, errors."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, seconds
from simcore.models.mobility import (
    ConstantPosition,
    PositionList,
    RandomRectangle,
    RandomWaypoint,
    install,
)
from simcore.models.network.node import create_nodes


def square(side):
    return RandomRectangle(f"uniform(0, {side})", f"uniform(0, {side})")


def test_it_pauses_first_then_travels():
    sim = Simulator()
    places = PositionList([(30, 40), (0, 0)])
    node = RandomWaypoint(sim, (0, 0), waypoints=places, speed=5, pause=2)
    looks = {}
    for time in (0, 2, 7, 12, 13.9, 14, 19, 24, 25):
        sim.run(until=seconds(time))
        looks[time] = (node.position[:2], node.speed)
    assert looks == {
        0: ((0, 0), 0),
        2: ((0, 0), 5),
        7: ((15, 20), 5),
        12: ((30, 40), 0),
        13.9: ((30, 40), 0),
        14: ((30, 40), 5),
        19: ((15, 20), 5),
        24: ((0, 0), 0),
        25: ((0, 0), 0),
    }


def test_without_a_position_it_starts_at_the_first_waypoint():
    node = RandomWaypoint(
        Simulator(), waypoints=PositionList([(7, 8), (0, 0)]), speed=1, pause=10
    )
    assert node.position == (7, 8, 0)


def test_put_elsewhere_it_pauses_there():
    sim = Simulator()
    node = RandomWaypoint(sim, (0, 0), waypoints=PositionList([(100, 0)]), speed=1, pause=5)
    sim.run(until=seconds(8))
    node.position = (50, 50)
    assert node.speed == 0
    sim.run(until=seconds(12.9))
    assert node.position == (50, 50, 0)
    sim.run(until=seconds(13.1))
    assert node.speed == pytest.approx(1)


@settings(max_examples=25)
@given(st.integers(1, 1000), st.floats(0.1, 50), st.sampled_from([0, 0.5, "exponential(3)"]))
def test_movement_is_continuous_and_within_the_area(seed, top, pause):
    sim = Simulator(seed=seed)
    node = RandomWaypoint(sim, waypoints=square(200), speed=f"uniform(0, {top})", pause=pause)
    step = 0.25
    last = node.position
    for index in range(1, 400):
        sim.run(until=seconds(index * step))
        here = node.position
        assert math.dist(last, here) <= top * step + 1e-6
        assert min(here[:2]) >= -1e-6
        assert max(here[:2]) <= 200 + 1e-6
        last = here


def test_the_mean_speed_falls_to_the_harmonic_mean():
    sim = Simulator(seed=3)
    models = install(
        create_nodes(sim, 400), RandomWaypoint, waypoints=square(100), speed="uniform(1, 19)"
    )
    start = np.mean([m.speed for m in models])
    sim.run(until=seconds(400))
    means = []
    for index in range(40):
        sim.run(until=seconds(400 + 30 * index))
        means.append(np.mean([m.speed for m in models]))
    # Yoon, Liu, Noble 2003: (b - a) / ln(b / a) over time, (a + b) / 2 over trips.
    assert start == pytest.approx(10, abs=0.8)
    assert np.mean(means) == pytest.approx(18 / math.log(19), rel=0.025)


def test_nodes_crowd_in_the_middle():
    sim = Simulator(seed=4)
    models = install(
        create_nodes(sim, 400), RandomWaypoint, waypoints=square(100), speed="uniform(5, 15)"
    )
    inside = []
    for index in range(60):
        sim.run(until=seconds(200 + 20 * index))
        for m in models:
            x, y, _ = m.position
            inside.append(25 <= x <= 75 and 25 <= y <= 75)
    # Bettstetter, Resta, Santi 2003: density about 36 (1/4 - x^2) (1/4 - y^2) on the unit square
    # around 0, which puts 0.473 of the nodes in the middle quarter (uniform would be 0.25).
    assert np.mean(inside) == pytest.approx(0.473, abs=0.03)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"speed": 0}, ValueError, "drawn speed is 0.0: it must be a finite number of m/s above 0"),
        ({"speed": -3}, ValueError, "drawn speed is -3.0"),
        ({"speed": math.nan}, ValueError, "speed is nan"),
        ({"speed": "fast"}, ValueError, "speed: distribution"),
        ({"speed": None}, TypeError, "speed is None"),
        ({"pause": -1}, ValueError, "drawn pause is -1.0: it must be a number of s of at least 0"),
        ({"pause": math.inf}, ValueError, "pause is inf"),
        ({"waypoints": None}, TypeError, "waypoints is None: it must be a PositionAllocator"),
        ({"position": (0, math.nan)}, ValueError, "position.y is nan"),
    ],
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        RandomWaypoint(Simulator(), **({"waypoints": square(10), "speed": 1} | parameters))


def test_one_place_without_a_pause_is_an_error_and_not_a_hang():
    with pytest.raises(ValueError, match="two different points or a pause"):
        RandomWaypoint(Simulator(), waypoints=PositionList([(1, 1)]), speed=1)


def test_one_place_with_a_pause_is_fine():
    sim = Simulator()
    node = RandomWaypoint(sim, waypoints=PositionList([(1, 1)]), speed=1, pause=1)
    sim.run(until=seconds(10))
    assert node.position == (1, 1, 0)


def test_a_trip_longer_than_the_end_of_time_never_ends():
    sim = Simulator()
    node = RandomWaypoint(sim, (0, 0), waypoints=PositionList([(1e6, 0)]), speed=1e-9)
    assert sim.pending_events == 0
    assert node.speed == pytest.approx(1e-9)


def test_a_failed_construction_leaves_the_node_as_it_was():
    (node,) = create_nodes(Simulator(), 1)
    with pytest.raises(ValueError, match="speed"):
        RandomWaypoint(node, waypoints=square(10), speed=math.nan)
    assert node.mobility is None
    ConstantPosition(node)
    assert node.mobility is not None
