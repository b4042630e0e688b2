"""How long a user waits before anything happens: wall time, since that is what is felt."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from comparison import judge_alone

RUNS = 9

IMPORT = """
import time
started = time.perf_counter()
import simcore
print(time.perf_counter() - started)
"""


def test_import(record):
    """Import of simcore."""
    times = [
        float(subprocess.check_output([sys.executable, "-c", IMPORT]))
        for _ in range(RUNS)
    ]
    record(judge_alone("import simcore, wall", statistics.median(times), 0.15))


def test_first_example(record):
    """The first example from the command line."""
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "simcore", "run", "first"],
            capture_output=True, check=True,
        )
        times.append(time.perf_counter() - started)
    record(judge_alone("simcore run first, wall", statistics.median(times), 1.0))
