"""Neighbour search: nobody is missed, order, slack, jumps, errors."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, seconds
from simcore.models.mobility import (
    ConstantPosition,
    ConstantVelocity,
    RandomRectangle,
    RandomWaypoint,
    install,
)
from simcore.models.mobility.neighbours import NeighbourGrid, count_pairs_one_by_one
from simcore.models.network.node import create_nodes


def check(grid, models, place, radius):
    """Everyone within the radius is found, nobody far beyond, in ascending order."""
    found = grid.candidates(place, radius)
    assert found == sorted(set(found))
    for index, model in enumerate(models):
        distance = math.dist(model.position[:2], place)
        if distance <= radius:
            assert index in found
        elif distance > radius + 0.2 * grid.radius + 0.01:
            assert index not in found


@settings(max_examples=100)
@given(
    st.integers(1, 10_000),
    st.integers(0, 150),
    st.sampled_from([0, 1000]),
    st.floats(1, 3000),
    st.floats(0, 60),
    st.lists(st.tuples(st.floats(0, 20), st.floats(-500, 1500), st.floats(0, 800)), max_size=8),
)
def test_nobody_is_missed(seed, count, scan_up_to, side, speed, queries):
    sim = Simulator(seed=seed)
    stream = sim.random.stream(0)
    models = [
        ConstantVelocity(
            sim,
            (stream.uniform(0, side), stream.uniform(0, side)),
            (stream.uniform(-speed, speed + 1e-9), stream.uniform(-speed, speed + 1e-9)),
        )
        for _ in range(count)
    ]
    grid = NeighbourGrid(sim, 250, models, scan_up_to=scan_up_to)
    now = 0.0
    for delay, at, radius in queries:
        now += delay
        sim.run(until=seconds(now))
        if models:
            # A jump and a change of speed between snapshots.
            models[int(at) % count].position = (at, 0)
            models[int(at) % count].velocity = (0, 2 * speed)
        check(grid, models, (at, at / 2), radius)


def test_random_waypoints_at_scale():
    sim = Simulator(seed=8)
    models = install(
        create_nodes(sim, 600),
        RandomWaypoint,
        waypoints=RandomRectangle.within((0, 5000, 0, 3000)),
        speed="uniform(1, 20)",
        pause=0.5,
    )
    grid = NeighbourGrid(sim, 250, models)
    assert len(grid) == 600
    for index in range(40):
        sim.run(until=seconds(1.7 * index))
        check(grid, models, models[index].position[:2], 250)
    exact = count_pairs_one_by_one(models, 250)
    assert exact <= grid.count_pairs(250) <= 1.3 * exact
    # 12.5 m of slack last 1.25 s at 20 m/s.
    assert grid.builds == pytest.approx(40, abs=3)


def test_still_nodes_need_one_snapshot():
    sim = Simulator()
    models = [ConstantPosition(sim, (10 * i, 0)) for i in range(500)]
    grid = NeighbourGrid(sim, 95, models)
    for index in range(20):
        sim.run(until=seconds(1000 * index))
        assert grid.candidates((2000, 0), 95) == list(range(191, 210))
    assert grid.builds == 1
    models[0].position = (2000, 5)
    assert grid.candidates((2000, 0), 95) == [0, *range(191, 210)]
    assert grid.builds == 2


def test_nodes_added_later_are_found():
    sim = Simulator()
    grid = NeighbourGrid(sim, 10)
    assert grid.candidates((0, 0), 10) == []
    for index in range(200):
        grid.add(ConstantPosition(sim, (index, 0)))
        assert grid.candidates((index, 0), 0.5) == [index]


@pytest.mark.parametrize("scan_up_to", [0, 1000])
def test_all_at_one_place_and_far_apart(scan_up_to):
    sim = Simulator()
    models = [ConstantPosition(sim, (3, 4)) for _ in range(70)]
    models += [ConstantPosition(sim, (1e9, -1e9)), ConstantPosition(sim, (-1e12, 1e12))]
    grid = NeighbourGrid(sim, 1, models, scan_up_to=scan_up_to)
    assert grid.candidates((3, 4), 0) == list(range(70))
    assert grid.candidates((1e9, -1e9), 5) == [70]
    assert grid.candidates((-1e15, 0), 1) == []
    assert grid.candidates((0, 0), 1e13) == list(range(72))


def test_bad_parameters_are_named():
    sim = Simulator()
    with pytest.raises(ValueError, match="radius is 0: it must be a number of m above 0"):
        NeighbourGrid(sim, 0)
    with pytest.raises(ValueError, match="belongs to another simulator than the grid"):
        NeighbourGrid(sim, 1, [ConstantPosition(Simulator())])
    grid = NeighbourGrid(sim, 1)
    with pytest.raises(ValueError, match="radius is -1"):
        grid.candidates((0, 0), -1)
    with pytest.raises(ValueError, match=r"position\.x is nan"):
        grid.candidates((math.nan, 0), 1)
    with pytest.raises(TypeError):
        grid.add(None)
