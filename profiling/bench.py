"""Compare ours with its peers and print one table: ours, theirs, ratio, limit.

    python profiling/bench.py [--full] [--only EXPRESSION] [--no-install] [--out DIRECTORY]

Every comparison is a test under profiling/ that takes the fixture ``record`` or ``compare``. This
runs them all to the end, whatever fails or is missing, prints the table and writes it to
``build/bench/``. The exit code is 1 when a limit was missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
sys.path.insert(0, str(FOLDER))

from comparison import PROPERTY, Row, lines_of  # noqa: E402


class Reporter:
    """Collects the rows, and says on stderr how far the run has come."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.count = 0
        self.done = 0
        self.titles: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            function = getattr(item, "function", None)
            text = (getattr(function, "__doc__", None) or "").strip().split("\n")[0].rstrip(".")
            self.titles[item.nodeid] = text or item.name

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.count = len(session.items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            note = f"not collected: {last_line(report)}"
            self.rows.append(Row(report.nodeid, note=note, held=False))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.done += 1
        self.say(f"{self.done}/{self.count} {self.titles[nodeid]}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        rows = [Row(**fields) for name, fields in report.user_properties if name == PROPERTY]
        if report.when == "call" and rows:
            self.rows += rows
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            note = str(reason).removeprefix("Skipped: ")
            self.rows.append(Row(self.titles[report.nodeid], note=note))
        elif report.failed:
            note = f"failed: {last_line(report)}"
            self.rows.append(Row(self.titles[report.nodeid], note=note, held=False))

    def say(self, text: str) -> None:
        """Show on stderr what is under way; on a terminal it is replaced by what comes next."""
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
        elif text:
            print(text, file=sys.stderr, flush=True)


def last_line(report: Any) -> str:
    """Return what went wrong in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr).strip().split("\n")[-1]
    return str(text).split("\n")[0]


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    import simcore

    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return {
        "simcore": simcore.__version__,
        "python": platform.python_version(),
        "processor": model,
        "cores": os.cpu_count(),
        "date": time.strftime("%Y-%m-%d"),
    }


def load() -> float:
    """Return the number of running processes on average over the last minute."""
    return round(os.getloadavg()[0], 1)


def main() -> int:
    """Run the comparisons and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--full",
        action="store_true",
        default=os.environ.get("BENCH_FULL", "0") not in ("", "0"),
        help="7 pairs of runs against ns-3's dsr in place of 2; also BENCH_FULL=1",
    )
    parser.add_argument("--only", metavar="EXPRESSION", help="comparisons by name, as pytest -k")
    parser.add_argument(
        "--no-install", action="store_true", help="do not install peers that are missing"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "bench", help="default: build/bench"
    )
    options = parser.parse_args()

    before = load()
    reporter = Reporter()
    arguments = [
        str(FOLDER), "-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}",
        "-o", "addopts=", "--import-mode=importlib",
        "-m", "comparison", "-p", "no:terminal", "-p", "no:cacheprovider", "--benchmark-quiet",
        f"--long-pairs={7 if options.full else 2}",
    ]  # fmt: skip
    if options.only:
        arguments += ["-k", options.only]
    if not options.no_install:
        arguments.append("--install-peers")
    status = pytest.main(arguments, plugins=[reporter])
    if status in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        return int(status)

    about = machine() | {"load_before": before, "load_after": load()}
    table = lines_of(reporter.rows)
    missed = [row.what for row in reporter.rows if row.held is False]
    absent = [row.what for row in reporter.rows if row.ours is None and row.held is None]
    held = sum(row.held is True for row in reporter.rows)
    table += [
        "",
        f"{held} limits hold, {len(missed)} missed, {len(absent)} not measured. CPU time unless a"
        " row says otherwise; each ratio is the median of runs in turn.",
        ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in about.items()),
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "table.txt").write_text("\n".join(table) + "\n")
    rows = [row.as_dict() for row in reporter.rows]
    (options.out / "table.json").write_text(json.dumps({"machine": about, "rows": rows}, indent=1))
    reporter.say("")
    print("\n" + "\n".join(table))
    return 1 if missed or status == pytest.ExitCode.INTERRUPTED else 0


if __name__ == "__main__":
    raise SystemExit(main())
