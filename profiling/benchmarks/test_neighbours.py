"""Who is within 250 m: asking each node, looking at all or at cells in Cython, and in numba.

Each round asks for the neighbours of every node, at the density of the dsr example (50 nodes on
300 m x 1500 m). The numba kernels work on arrays of positions and do the whole round in one call;
that over cells only counts. The Cython ones write each answer in ascending order, as a channel
needs it.
They decide NeighbourGrid's `scan_up_to`.
"""

import math

import numpy as np
import pytest
from numba import njit

from simcore import Simulator
from simcore.models.mobility import ConstantVelocity
from simcore.models.mobility.neighbours import NeighbourGrid, count_pairs_one_by_one

RADIUS = 250.0
NODES = (50, 200, 400, 800, 3200)


def nodes_at_density(count):
    sim = Simulator()
    side = math.sqrt(count / 50 * 300 * 1500)
    stream = sim.random.stream(1)
    return sim, [
        ConstantVelocity(
            sim, (stream.uniform(0, side), stream.uniform(0, side)), (stream.uniform(-20, 20), 5)
        )
        for _ in range(count)
    ]


@njit
def numba_scan(x, y, radius):
    total = 0
    square = radius * radius
    out = np.empty(len(x) + 1, np.int32)
    for i in range(len(x)):
        found = 0
        for j in range(len(x)):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            out[found] = j
            found += dx * dx + dy * dy <= square
        total += found
    return total


@njit
def numba_cells(x, y, radius):
    cell = radius / 2
    west, south = x.min(), y.min()
    columns = int((x.max() - west) / cell) + 1
    rows = int((y.max() - south) / cell) + 1
    first = np.zeros(columns * rows + 1, np.int32)
    of = np.empty(len(x), np.int32)
    for i in range(len(x)):
        of[i] = int((y[i] - south) / cell) * columns + int((x[i] - west) / cell)
        first[of[i]] += 1
    first = np.cumsum(first)
    member = np.empty(len(x), np.int32)
    for i in range(len(x) - 1, -1, -1):
        first[of[i]] -= 1
        member[first[of[i]]] = i
    total = 0
    square = radius * radius
    for i in range(len(x)):
        left = max(0, int((x[i] - radius - west) / cell))
        right = min(columns - 1, int((x[i] + radius - west) / cell))
        for row in range(
            max(0, int((y[i] - radius - south) / cell)),
            min(rows - 1, int((y[i] + radius - south) / cell)) + 1,
        ):
            for place in range(first[row * columns + left], first[row * columns + right + 1]):
                j = member[place]
                dx = x[j] - x[i]
                dy = y[j] - y[i]
                if dx * dx + dy * dy <= square:
                    total += 1
    return total


@pytest.fixture(params=NODES)
def crowd(request, benchmark):
    benchmark.group = f"neighbours of each of {request.param} nodes"
    return nodes_at_density(request.param)


def run(benchmark, exact, function, *args):
    function(*args)
    total = benchmark(function, *args)
    # A candidate may be a millimetre too far.
    assert exact <= total <= exact + 0.01 * exact
    benchmark.extra_info["neighbours"] = total


def test_asking_each_node(benchmark, crowd):
    _, models = crowd
    run(benchmark, count_pairs_one_by_one(models, RADIUS), count_pairs_one_by_one, models, RADIUS)


@pytest.mark.parametrize("scan_up_to", [2**31 - 1, 0], ids=["all", "cells"])
def test_cython(benchmark, crowd, scan_up_to):
    sim, models = crowd
    grid = NeighbourGrid(sim, RADIUS, models, scan_up_to=scan_up_to)
    run(benchmark, count_pairs_one_by_one(models, RADIUS), grid.count_pairs, RADIUS)


@pytest.mark.parametrize("kernel", [numba_scan, numba_cells], ids=["all", "cells"])
def test_numba(benchmark, crowd, kernel):
    _, models = crowd
    x, y, _ = np.array([model.position for model in models]).T.copy()
    run(benchmark, count_pairs_one_by_one(models, RADIUS), kernel, x, y, RADIUS)
