"""The table of `make bench`: its figures, and that it is printed whatever is missing."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROFILING = Path(__file__).parents[2] / "profiling"


@pytest.fixture(scope="module")
def comparison():
    spec = importlib.util.spec_from_file_location(
        "profiling_comparison", PROFILING / "comparison.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


class TestJudge:
    def test_ratio_is_the_median_of_the_pairs_ratios(self, comparison):
        row = comparison.judge("x", [(1, 2), (2, 2), (9, 3)], "peer", at_most=1.5)
        assert (row.ours, row.peer, row.ratio, row.held) == (2, 2, 1, True)

    def test_at_most_is_missed(self, comparison):
        assert comparison.judge("x", [(3, 2)], "peer", at_most=1.4).held is False

    def test_at_least_is_how_many_times_faster_ours_is(self, comparison):
        row = comparison.judge("x", [(2, 10)], "peer", at_least=5)
        assert (row.ratio, row.held) == (5, True)
        assert "5.0x faster" in row.cells()

    def test_slower_without_a_limit(self, comparison):
        row = comparison.judge("x", [(10, 2)], "peer")
        assert row.held is None
        assert "5.0x slower" in row.cells()

    def test_two_limits(self, comparison):
        with pytest.raises(ValueError, match="one limit"):
            comparison.judge("x", [(1, 1)], "peer", at_most=1, at_least=1)

    def test_no_measurements(self, comparison):
        with pytest.raises(ValueError, match="x: nothing was measured"):
            comparison.judge("x", [], "peer", at_most=1)

    def test_absolute_limit(self, comparison):
        assert comparison.judge_alone("x", 98.6, 100, unit="B").held is True
        assert comparison.judge_alone("x", 0.2, 0.15).held is False


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (12.34e-9, "s", "12.3 ns"),
        (1.5e-6, "s", "1.5 us"),
        (0.15, "s", "150 ms"),
        (70.0, "s", "70 s"),
        (1234.5, "MB", "1,234 MB"),
        (98.6, "B", "98.6 B"),
        (None, "s", "-"),
    ],
)
def test_quantity(comparison, value, unit, text):
    assert comparison.quantity(value, unit) == text


def test_rows_of_a_peer_that_is_missing_say_so(tmp_path):
    done = subprocess.run(
        [
            sys.executable, str(PROFILING / "bench.py"), "--no-install",
            "--only", "wireless and memory", "--out", str(tmp_path),
        ],
        env=os.environ | {"SIMCORE_NS3_VENV": str(tmp_path / "none")},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    assert len(rows) == 2
    for row in rows:
        assert row["ours"] is None
        assert "peer not available" in row["note"]
    assert "0 limits hold, 0 missed, 2 not measured" in done.stdout
