"""Position allocators: order, bounds, densities, errors."""

import math

import numpy as np
import pytest

from simcore.models.mobility import (
    Grid,
    PositionAllocator,
    PositionList,
    RandomBox,
    RandomDisc,
    RandomRectangle,
    UniformDisc,
)
from simcore.random import RandomStream, Uniform


def drawn(allocator, count=20_000):
    allocator = allocator.drawn_from(RandomStream(1, 5))
    return np.array([allocator.next() for _ in range(count)])


def test_grid_by_rows():
    grid = Grid(1, 2, 10, 100, width=2, z=3)
    assert [grid.next() for _ in range(5)] == [
        (1, 2, 3), (11, 2, 3), (1, 102, 3), (11, 102, 3), (1, 202, 3),
    ]  # fmt: skip


def test_grid_by_columns():
    grid = Grid(1, 2, 10, 100, width=2, row_first=False)
    assert [grid.next() for _ in range(5)] == [
        (1, 2, 0), (1, 102, 0), (11, 2, 0), (11, 102, 0), (21, 2, 0),
    ]  # fmt: skip


def test_list_starts_again():
    places = PositionList([(1, 2), (3, 4, 5)])
    assert [places.next() for _ in range(3)] == [(1, 2, 0), (3, 4, 5), (1, 2, 0)]


def test_rectangle_is_uniform_within_its_bounds():
    points = drawn(RandomRectangle.within((-10, 30, 5, 6), z=2))
    assert points[:, 0].min() >= -10
    assert points[:, 0].max() <= 30
    assert points[:, 1].min() >= 5
    assert points[:, 1].max() <= 6
    assert set(points[:, 2]) == {2.0}
    counts, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=4, range=[[-10, 30], [5, 6]])
    # Chi-square with 15 degrees of freedom: above 37.7 once in a thousand seeds.
    assert ((counts - 1250) ** 2 / 1250).sum() < 37.7


def test_rectangle_without_extent():
    assert RandomRectangle.within((3, 3, 4, 4)).drawn_from(RandomStream()).next() == (3, 4, 0)


def test_box_draws_three_coordinates():
    points = drawn(RandomBox("uniform(0, 1)", 7, "uniform(2, 4)"), 5000)
    assert set(points[:, 1]) == {7.0}
    assert points.mean(axis=0) == pytest.approx((0.5, 7, 3), abs=0.05)


def test_uniform_disc_has_equal_density():
    points = drawn(UniformDisc(50, x=10, y=-20, z=1))
    radius = np.hypot(points[:, 0] - 10, points[:, 1] + 20)
    assert radius.max() <= 50
    # Half the radius, a quarter of the area.
    assert (radius < 25).mean() == pytest.approx(0.25, abs=0.015)


def test_random_disc_is_denser_at_the_centre():
    points = drawn(RandomDisc("uniform(0, 50)", x=10, y=-20))
    radius = np.hypot(points[:, 0] - 10, points[:, 1] + 20)
    assert (radius < 25).mean() == pytest.approx(0.5, abs=0.015)
    angles = np.arctan2(points[:, 1] + 20, points[:, 0] - 10)
    assert abs(np.exp(1j * angles).mean()) < 0.03


def test_own_streams_are_kept_and_others_bound():
    x = Uniform(0, 1, stream=RandomStream(1, 1))
    area = RandomRectangle(x, "uniform(0, 1)")
    bound = area.drawn_from(RandomStream(1, 2))
    assert bound.x is x
    assert bound.y is not area.y
    expected = RandomStream(1, 1).uniform(), RandomStream(1, 2).uniform(), 0.0
    assert bound.next() == expected


def test_without_a_stream_a_draw_says_so():
    with pytest.raises(RuntimeError, match="no stream"):
        RandomRectangle("uniform(0, 1)", 0).next()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Grid(width=0), "width is 0: it must be a whole number of at least 1"),
        (lambda: Grid(delta_x=math.nan), "delta_x is nan"),
        (lambda: PositionList([]), "positions is empty"),
        (lambda: PositionList([(0, 0), (0, math.inf)]), r"positions\[1\].y is inf"),
        (lambda: RandomRectangle("uniform(2, 1)", 0), "x: uniform"),
        (lambda: RandomRectangle(0, "nonsense"), "y: distribution"),
        (lambda: RandomRectangle.within((5, 1, 0, 1)), "x_min <= x_max"),
        (lambda: UniformDisc(-1), "radius is -1: it must be a number of m of at least 0"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_an_allocator_of_ones_own_needs_next():
    with pytest.raises(NotImplementedError, match="PositionAllocator does not define next"):
        PositionAllocator().next()
