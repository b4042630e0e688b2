"""U(0,1) values and starting states against ns-3's table and L'Ecuyer's package."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from simcore.random import RandomManager, RandomStream

TABLE = Path(__file__).parents[2] / "reference" / "ns3" / "rng_mrg32k3a_raw.csv"

M1 = 2**32 - 209
M2 = 2**32 - 22853
A1 = [[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]]
A2 = [[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]]


def load_sequences():
    sequences = defaultdict(dict)
    with TABLE.open() as file:
        for row in csv.DictReader(file):
            key = int(row["seed"]), int(row["stream"]), int(row["run"])
            sequences[key][int(row["index"])] = float(row["u01"])
    return sequences


SEQUENCES = load_sequences()


@pytest.mark.parametrize("key", SEQUENCES, ids=str)
def test_uniform_values_equal_ns3_bit_for_bit(key):
    expected = SEQUENCES[key]
    stream = RandomStream(*key)
    drawn = [stream.random() for _ in range(max(expected) + 1)]
    assert {index: drawn[index] for index in expected} == expected


def test_the_table_is_whole():
    assert sum(map(len, SEQUENCES.values())) == 552


def test_explicit_streams_are_the_upper_half():
    key = 2, 2**63 + 1, 3
    manager = RandomManager(seed=2, run=3)
    assert manager.stream(1).random() == SEQUENCES[key][0]


def test_automatic_streams_count_up_from_zero():
    manager = RandomManager(seed=3, run=2)
    drawn = [manager.allocate().random() for _ in range(4)]
    assert drawn == [SEQUENCES[3, number, 2][0] for number in range(4)]
    assert manager.allocated == 4


# L'Ecuyer et al., RngStreams: with the default seed 12345 the second and third stream start here.
@pytest.mark.parametrize(
    ("number", "state"),
    [
        (1, (3692455944, 1366884236, 2968912127, 335948734, 4161675175, 475798818)),
        (2, (1015873554, 1310354410, 2249465273, 994084013, 2912484720, 3876682925)),
    ],
)
def test_starting_states_of_the_published_package(number, state):
    assert RandomStream(12345, number, 0).state == state


def matrix_product(a, b, modulus):
    return [
        [sum(a[i][k] * b[k][j] for k in range(3)) % modulus for j in range(3)] for i in range(3)
    ]


def matrix_power(matrix, exponent, modulus):
    result = [[int(i == j) for j in range(3)] for i in range(3)]
    while exponent:
        if exponent & 1:
            result = matrix_product(result, matrix, modulus)
        matrix = matrix_product(matrix, matrix, modulus)
        exponent >>= 1
    return result


@pytest.mark.parametrize(
    ("seed", "number", "run"),
    [
        (1, 0, 0),
        (7, 5, 9),
        (4294944442, 2**64 - 1, 2**51 - 1),
        (12345, 2**63, 1),
        (99, 2**62 + 12345678901, 2**50 + 3),
    ],
)
def test_jumps_equal_matrix_powers_over_the_integers(seed, number, run):
    steps = number * 2**127 + run * 2**76
    expected = []
    for matrix, modulus in ((A1, M1), (A2, M2)):
        power = matrix_power(matrix, steps, modulus)
        expected += [sum(row) * seed % modulus for row in power]
    assert RandomStream(seed, number, run).state == tuple(expected)


def test_a_step_equals_the_recurrence():
    stream = RandomStream(31, 4, 5)
    for _ in range(200):
        x0, x1, x2, y0, y1, y2 = stream.state
        p = (1403580 * x1 - 810728 * x0) % M1
        q = (527612 * y2 - 1370589 * y0) % M2
        drawn = stream.random()
        assert stream.state == (x1, x2, p, y1, y2, q)
        assert drawn == (p - q if p > q else p - q + M1) * (1.0 / (M1 + 1.0))
