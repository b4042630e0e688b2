"""Comparisons against a peer in the same run: the ratio counts, never the time alone."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import simcore

FOLDER = Path(__file__).parent
BUILD = FOLDER.parents[1] / "build" / "benchmarks"

SETUP = """
from setuptools import Extension, setup
from Cython.Build import cythonize
setup(
    name="benchmarks",
    ext_modules=cythonize(
        [Extension({name!r}, [{source!r}], extra_compile_args=["-O2", "-ffp-contract=off"])],
        include_path={include!r}, build_dir="c", quiet=True,
    ),
    script_args=["-q", "build_ext", "--build-lib", "."],
)
"""


def build_extension(name: str) -> ModuleType:
    """Compile ``name.pyx`` of this folder against the ``.pxd`` files of simcore, and import it."""
    # In a development checkout the models' .pxd files stand under their import names only there.
    include = [str(FOLDER.parents[1] / "build" / "cimport"), str(Path(simcore.__file__).parents[1])]
    BUILD.mkdir(parents=True, exist_ok=True)
    program = SETUP.format(
        name=name, source=str(FOLDER / f"{name}.pyx"), include=include
    )
    subprocess.run([sys.executable, "-c", program], cwd=BUILD, check=True)
    path = BUILD / (name + sysconfig.get_config_var("EXT_SUFFIX"))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def kernel() -> ModuleType:
    """The compiled workloads of ``_kernel.pyx``."""
    return build_extension("_kernel")


@dataclass(frozen=True)
class Row:
    """One line of the table that is printed at the end."""

    what: str
    ours: float
    peer_name: str
    peer: float
    ratio: str
    limit: str
    held: bool


ROWS: list[Row] = []


class Comparison:
    """Runs ours and the peer in turn and compares the best CPU times for one unit of work."""

    def __init__(self, benchmark: Any) -> None:
        self.benchmark = benchmark

    def __call__(
        self,
        what: str,
        ours: tuple[Callable[[], Any], Callable[[Any], object], int],
        peer_name: str,
        peer: tuple[Callable[[], Any], Callable[[Any], object], int],
        *,
        at_most: float | None = None,
        at_least: float | None = None,
        rounds: int = 7,
    ) -> None:
        """Compare.

        Parameters
        ----------
        what
            Line in the table.
        ours, peer
            Preparation, what is timed, and how many units of work that is. The preparation's
            result is handed to what is timed.
        at_most
            Limit of ours / peer.
        at_least
            Limit of peer / ours.
        """
        peer_times = []

        def prepare() -> tuple[tuple[Any], dict[str, Any]]:
            subject = peer[0]()
            started = time.process_time()
            peer[1](subject)
            peer_times.append(time.process_time() - started)
            return (ours[0](),), {}

        self.benchmark.pedantic(ours[1], setup=prepare, rounds=rounds)
        self.judge(
            what, ours[2], peer_name, min(peer_times) / peer[2] * 1e9, at_most, at_least
        )

    def judge(
        self,
        what: str,
        count: int,
        peer_name: str,
        theirs: float,
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Hold the benchmark that has run, of `count` units, against a peer's ns for one."""
        mine = self.benchmark.stats.stats.min / count * 1e9
        if at_most is not None:
            ratio, limit, held = mine / theirs, f"<= {at_most}", mine / theirs <= at_most
        else:
            assert at_least is not None
            ratio, limit, held = theirs / mine, f">= {at_least}", theirs / mine >= at_least
        self.benchmark.extra_info.update(peer=peer_name, peer_ns=theirs, ratio=ratio, limit=limit)
        ROWS.append(Row(what, mine, peer_name, theirs, f"{ratio:.2f}", limit, held))
        assert held, f"{what}: {mine:.1f} ns against {theirs:.1f} ns, {ratio:.2f} is not {limit}"


@pytest.fixture
def compare(benchmark: Any) -> Comparison:
    """Compare ours with a peer; see `Comparison`."""
    return Comparison(benchmark)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not ROWS:
        return
    terminalreporter.section("ours, peer, ratio (ns of CPU for one unit of work)")
    width = max(len(row.what) for row in ROWS)
    peer_width = max(len(row.peer_name) for row in ROWS)
    for row in ROWS:
        terminalreporter.line(
            f"{row.what:{width}}  {row.ours:9.1f}  {row.peer_name:{peer_width}}  {row.peer:9.1f}"
            f"  {row.ratio:>7}  {row.limit:8}{'' if row.held else '  MISSED'}"
        )
