"""Legs and waypoints: exact places, order, jumps, errors."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator, seconds
from simcore.models.mobility import Trajectory, Waypoints

COORDINATE = st.floats(-1e4, 1e4)
POINTS = st.lists(
    st.tuples(st.integers(0, 10**12), st.tuples(COORDINATE, COORDINATE, COORDINATE)),
    min_size=1,
    max_size=8,
    unique_by=lambda point: point[0],
).map(sorted)


@given(POINTS)
def test_a_node_is_at_each_point_at_its_time(points):
    sim = Simulator()
    node = Waypoints(sim, points)
    assert node.position == points[0][1]
    for time, position in points:
        sim.run(until=time)
        assert node.position == position
    sim.run(until=points[-1][0] + seconds(100))
    assert node.position == points[-1][1]
    assert node.legs_left == 0


@given(POINTS, st.lists(st.integers(0, 10**12), max_size=10).map(sorted))
def test_between_points_it_moves_in_a_straight_line(points, times):
    sim = Simulator()
    node = Waypoints(sim, points)
    for time in times:
        sim.run(until=time)
        before = [p for p in points if p[0] <= time]
        after = [p for p in points if p[0] > time]
        if not before or not after:
            expected = (before or after)[-1 if before else 0][1]
        else:
            (start, here), (end, there) = before[-1], after[0]
            part = (time - start) / (end - start)
            expected = tuple(a + (b - a) * part for a, b in zip(here, there, strict=True))
        assert node.position == pytest.approx(expected, abs=1e-6)


def test_legs_may_jump_and_the_last_goes_on():
    sim = Simulator()
    node = Trajectory(
        sim,
        [(seconds(1), (0, 0), (1, 0)), (seconds(2), (50, 0), (0, 0)), (seconds(4), (9, 9), (0, 2))],
    )
    looks = []
    for time in (0, 1, 1.5, 2, 3, 4, 10):
        sim.run(until=seconds(time))
        looks.append(node.position[:2])
    assert looks == [(0, 0), (0, 0), (0.5, 0), (50, 0), (50, 0), (9, 9), (9, 21)]


def test_of_legs_at_one_time_the_last_counts():
    sim = Simulator()
    node = Trajectory(sim, [(0, (0, 0), (1, 0)), (0, (5, 5), (0, 1))])
    assert node.position == (5, 5, 0)
    sim.run(until=seconds(1))
    assert node.position == (5, 6, 0)


def test_a_node_put_elsewhere_waits_for_its_next_leg():
    sim = Simulator()
    node = Waypoints(sim, [(0, (0, 0)), (seconds(10), (10, 0)), (seconds(20), (10, 10))])
    sim.run(until=seconds(5))
    node.position = (100, 100)
    sim.run(until=seconds(9))
    assert node.position == (100, 100, 0)
    sim.run(until=seconds(15))
    assert node.position == (10, 5, 0)


@pytest.mark.parametrize(
    ("points", "error", "message"),
    [
        ([], ValueError, "points is empty"),
        ([(5, (0, 0)), (5, (1, 1))], ValueError, r"points\[1\] has time 5 ns: times must ascend"),
        ([(5, (0, 0)), (3, (1, 1))], ValueError, "times must ascend"),
        ([(-1, (0, 0))], ValueError, "time is -1 ns"),
        ([(2**63, (0, 0))], ValueError, "time is"),
        ([(1.5, (0, 0))], TypeError, "must be an int of nanoseconds"),
        ([(0, (0, math.nan))], ValueError, r"points\[0\].position.y is nan"),
        ([(0, (-1e308, 0)), (1, (1e308, 0))], ValueError, r"speed to points\[1\] is inf"),
    ],
)
def test_bad_points_are_named(points, error, message):
    with pytest.raises(error, match=message):
        Waypoints(Simulator(), points)


def test_bad_legs_are_named():
    sim = Simulator()
    with pytest.raises(ValueError, match="legs is empty"):
        Trajectory(sim, [])
    with pytest.raises(ValueError, match=r"legs\[1\] starts at 3 ns: it must not start before"):
        Trajectory(sim, [(5, (0, 0), (0, 0)), (3, (0, 0), (0, 0))])
    with pytest.raises(ValueError, match=r"legs\[0\].velocity.x is inf"):
        Trajectory(sim, [(5, (0, 0), (math.inf, 0))])
    sim.run(until=100)
    with pytest.raises(ValueError, match="it must not start before now, 100 ns"):
        Trajectory(sim, [(5, (0, 0), (0, 0))])
