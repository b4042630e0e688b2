"""The NDN forwarder over Unix sockets beside NFD's measured figures."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from comparison import judge
from ndn_sockets import NFD, measure


@pytest.mark.parametrize("content", [True, False])
@pytest.mark.parametrize("names", ["short", "medium", "long"])
def test_forwarding_over_unix_sockets(record, names, content):
    """An NDN Interest through the forwarder over Unix sockets"""
    row = measure(names, content, pairs=64, window=4, duration=2.0)
    # CPU seconds of one Interest; NFD's best figure, of another machine of this kind.
    pair = (1 / row["interests_per_cpu_s"], 1 / NFD[names, content][1])
    what = f"NDN over Unix sockets, {names} names, {'800 B' if content else 'no'} content"
    record(judge(what, [pair], "NFD 24.07, as measured elsewhere", at_least=2))
