"""The dsr example against ns-3's, at 200 nodes, and with its ascii trace.

Ours and ns-3's driver (profiling/peers/ns3/dsr.cc) run as processes of their own; their CPU time
and memory are those of the whole process, start-up included. A run of ns-3 takes a minute and
more: ``--long-pairs`` says how many.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest
from comparison import judge
from peers.ns3_peer import PeerRun, measure

PROGRAM = Path(__file__).parents[1] / "run_dsr.py"
CALIBRATION = {"nodes": 50, "area": "300x1500"}
# Four times the nodes on four times the area.
LARGE = {"nodes": 200, "area": "600x3000"}


def ours(run: int, folder: Path | None = None, **parameters: object) -> PeerRun:
    """Run our dsr example; with a folder, its ascii trace is written there and removed."""
    command = [sys.executable, str(PROGRAM), f"--run={run}"]
    command += [f"--{name}={value}" for name, value in parameters.items()]
    if folder is None:
        return measure(command)
    trace = folder / "dsr.tr"
    done = measure([*command, f"--trace_file={trace}"])
    trace.unlink()
    return done


@pytest.fixture(scope="module")
def pairs(request, ns3, tmp_path_factory):
    """Runs of (ours, ns-3's), without or with the ascii trace; made once, for all rows."""
    count = request.config.getoption("--long-pairs")

    @cache
    def run(trace: bool) -> list[tuple[PeerRun, PeerRun]]:
        folder = tmp_path_factory.mktemp("dsr") if trace else None
        return [
            (ours(number, folder), ns3.run("dsr", {"run": number, "trace": trace}))
            for number in range(1, count + 1)
        ]

    return run


@pytest.mark.parametrize("trace", [False, True])
def test_cpu_time(record, pairs, trace):
    """The dsr example, CPU time against ns-3."""
    figures = [(mine.cpu_s, theirs.cpu_s) for mine, theirs in pairs(trace)]
    name = "dsr example, ascii trace" if trace else "dsr example"
    record(judge(name, figures, "ns-3 (wheel)", at_least=10))


@pytest.mark.parametrize("trace", [False, True])
def test_memory(record, pairs, trace):
    """The dsr example, peak memory against ns-3."""
    figures = [(mine.peak_rss_mb, theirs.peak_rss_mb) for mine, theirs in pairs(trace)]
    name = "dsr example, ascii trace" if trace else "dsr example"
    record(judge(f"{name}, peak memory", figures, "ns-3 (wheel)", unit="MB", at_most=1))


def test_cpu_time_per_transmission(record, pairs):
    """The dsr example, CPU time per PHY transmission against ns-3."""
    figures = [
        (mine.cpu_s / mine.output["transmissions"], theirs.cpu_s / theirs.output["phy_tx"])
        for mine, theirs in pairs(False)
    ]
    record(judge("dsr example, CPU per PHY transmission", figures, "ns-3 (wheel)", at_least=5))


def test_200_nodes(record):
    """The dsr example with 200 nodes: time per transmission and receiver."""
    figures = []
    for run in range(1, 4):
        small, large = ours(run, **CALIBRATION).output, ours(run, **LARGE).output
        figures.append(
            (large["cpu_s"] / large["receptions"], small["cpu_s"] / small["receptions"])
        )
    record(
        judge(
            "dsr, 200 nodes, CPU per transmission x audience", figures, "50 nodes", at_most=1,
            note="same density",
        )
    )  # fmt: skip


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """Runs of our dsr example (with, without its ascii trace), in turn."""
    folder = tmp_path_factory.mktemp("traced")
    return [(ours(run, folder).output, ours(run).output) for run in (1, 2, 3) for _ in range(3)]


@pytest.mark.parametrize("time", ["wall", "cpu"])
def test_trace(record, traced, time):
    """The dsr example with its ascii trace."""
    figures = [(on[f"{time}_s"], off[f"{time}_s"]) for on, off in traced]
    kind = {"wall": "wall", "cpu": "CPU of all threads"}[time]
    record(judge(f"dsr example, ascii trace on, {kind}", figures, "trace off", at_most=1.15))
