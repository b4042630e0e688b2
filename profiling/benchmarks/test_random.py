"""Random values: ours against numpy's Generator (PCG64), one group for each kind of draw.

The peers do not run the same algorithms: numpy's exponential and normal use the ziggurat method,
ours the inversion and polar methods that keep draws comparable with ns-3's.
"""

import numpy as np
import pytest

from simcore.random import Exponential, RandomManager, RandomStream
from simcore.random.stream import sum_of_draws

N = 100_000


@pytest.mark.benchmark(group="random: 100,000 uniform values")
class TestUniform:
    def test_compiled_loop(self, benchmark):
        assert 0 < benchmark(sum_of_draws, RandomStream(), N) < N

    def test_array(self, benchmark):
        assert len(benchmark(RandomStream().uniform_array, N)) == N

    def test_numpy_array(self, benchmark):
        assert len(benchmark(np.random.default_rng(1).random, N)) == N


@pytest.mark.benchmark(group="random: 100,000 exponential values")
class TestExponential:
    def test_array(self, benchmark):
        assert len(benchmark(RandomStream().exponential_array, N, 1.5)) == N

    def test_through_a_distribution(self, benchmark):
        assert len(benchmark(Exponential(1.5, stream=RandomStream()).draw_array, N)) == N

    def test_numpy_array(self, benchmark):
        assert len(benchmark(np.random.default_rng(1).exponential, 1.5, N)) == N


@pytest.mark.benchmark(group="random: 100,000 normal values")
class TestNormal:
    def test_array(self, benchmark):
        assert len(benchmark(RandomStream().normal_array, N)) == N

    def test_numpy_array(self, benchmark):
        assert len(benchmark(np.random.default_rng(1).normal, 0.0, 1.0, N)) == N


@pytest.mark.benchmark(group="random: one value from Python")
class TestScalar:
    def test_uniform(self, benchmark):
        benchmark(RandomStream().uniform, 0.0, 2.0)

    def test_numpy_uniform(self, benchmark):
        benchmark(np.random.default_rng(1).uniform, 0.0, 2.0)

    def test_exponential(self, benchmark):
        benchmark(RandomStream().exponential, 1.5)

    def test_numpy_exponential(self, benchmark):
        benchmark(np.random.default_rng(1).exponential, 1.5)

    def test_integer(self, benchmark):
        benchmark(RandomStream().integer, 0, 15)

    def test_numpy_integer(self, benchmark):
        benchmark(np.random.default_rng(1).integers, 0, 16)


@pytest.mark.benchmark(group="random: a new stream")
class TestNewStream:
    def test_automatic(self, benchmark):
        benchmark(RandomManager().allocate)

    def test_explicit(self, benchmark):
        benchmark(RandomStream, 1, 2**63 + 12345, 1)

    def test_numpy_generator(self, benchmark):
        benchmark(np.random.default_rng, [1, 12345])
