"""DSR's passive buffer: keyed by destination against a scan that compares the fields of each entry.

In ns-3 the scan took 44 % of the DSR module's time (issue "Performance left on the table" of its
tracker). The unit is the look-up of one overheard packet among 50 nodes; the entries belong to 10
streams, as in the dsr example. 64 entries are ns-3's limit.
"""

from __future__ import annotations

import time

import pytest

from simcore.models.dsr.passive_buffer import PassiveBuffer

NODES = 50
STREAMS = 10
LOOK_UPS = 100_000


def keyed(passive, length):
    return (
        lambda: passive.filled(PassiveBuffer, length, STREAMS),
        lambda buffer: passive.look_up_keyed(buffer, NODES, STREAMS, LOOK_UPS),
        LOOK_UPS,
    )


def scanned(passive, length):
    return (
        lambda: passive.filled(passive.ScannedBuffer, length, STREAMS),
        lambda buffer: passive.look_up_scanned(buffer, NODES, STREAMS, LOOK_UPS),
        LOOK_UPS,
    )


@pytest.mark.parametrize("length", [4, 64])
def test_both_find_the_same(passive, length):
    twins = (keyed(passive, length), scanned(passive, length))
    found = [look_up(prepare()) for prepare, look_up, _ in twins]
    assert found[0] == found[1] > 0


@pytest.mark.parametrize(("length", "at_least"), [(4, None), (16, 1), (64, 2)])
@pytest.mark.benchmark(group="ablation: passive buffer", timer=time.process_time)
def test_gain(passive, compare, length, at_least):
    """Passive buffer keyed by destination."""
    compare(
        f"passive buffer of {length}, look-up keyed", keyed(passive, length),
        "scanned", scanned(passive, length), at_least=at_least, rounds=15,
    )
