"""Draws of the distributions against ns-3's table, for the same seed, run and stream."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from simcore.random import RandomManager, parse_distribution

TABLE = Path(__file__).parents[2] / "reference" / "ns3" / "rng_distributions.csv"


def load_sequences():
    sequences = defaultdict(dict)
    with TABLE.open() as file:
        for row in csv.DictReader(file):
            key = row["dist"], row["params"], row["seed"], row["run"], row["setstream"]
            sequences[key][int(row["index"])] = float(row["value"])
    return sequences


SEQUENCES = load_sequences()


def ns3_text(name, attributes):
    """Return ns-3's own description; its integer variable is Uniform drawn with GetInteger."""
    words = attributes.split()
    if "GetInteger" in words:
        words.remove("GetInteger")
    return f"ns3::{name}RandomVariable[{'|'.join(words)}]"


@pytest.mark.parametrize("key", SEQUENCES, ids=lambda key: "-".join(key).replace(" ", ","))
def test_draws_equal_ns3(key):
    name, attributes, seed, run, stream = key
    expected = SEQUENCES[key]
    manager = RandomManager(int(seed), int(run))
    variable = parse_distribution(ns3_text(name, attributes), manager.stream(int(stream)))
    drawn = [variable.draw() for _ in range(max(expected) + 1)]
    for index, value in expected.items():
        assert drawn[index] == pytest.approx(value, rel=1e-13, abs=1e-15), index


def test_the_table_is_whole():
    assert sum(map(len, SEQUENCES.values())) == 1444
