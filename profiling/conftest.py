"""Fixtures of benchmarks that compare ours with a peer; see README.md."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parent
BUILD = FOLDER.parent / "build" / "benchmarks"

# Benchmarks share comparison.py and peers/, and are no package.
sys.path.insert(0, str(FOLDER))

from comparison import PROPERTY, Row, Workload, cpu_time, judge, lines_of  # noqa: E402
from peers import cimba_peer, ns3_peer  # noqa: E402

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--install-peers",
        action="store_true",
        help="install ns-3 and cimba in virtual environments of their own where they are missing",
    )
    parser.addoption(
        "--long-pairs", type=int, default=2, help="pairs of runs against ns-3's dsr (a minute each)"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "comparison: gives rows of the table of `make bench`")


def build_extension(source: Path) -> ModuleType:
    """Compile a ``.pyx`` file against the ``.pxd`` files of simcore, and import it."""
    import simcore

    name = source.stem
    # In a development checkout the models' .pxd files stand under their import names only there.
    include = [str(FOLDER.parent / "build" / "cimport"), str(Path(simcore.__file__).parents[1])]
    BUILD.mkdir(parents=True, exist_ok=True)
    program = SETUP.format(name=name, source=str(source), include=include)
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
    """The compiled workloads of ``benchmarks/_kernel.pyx``."""
    return build_extension(FOLDER / "benchmarks" / "_kernel.pyx")


@pytest.fixture(scope="session")
def lifetimes() -> ModuleType:
    """The compiled queues of ``ablations/_lifetimes.pyx``."""
    return build_extension(FOLDER / "ablations" / "_lifetimes.pyx")


@pytest.fixture(scope="session")
def passive() -> ModuleType:
    """The compiled buffers of ``ablations/_passive.pyx``."""
    return build_extension(FOLDER / "ablations" / "_passive.pyx")


@pytest.fixture(scope="session")
def ns3(request: pytest.FixtureRequest) -> ModuleType:
    """The module that runs ns-3's drivers; the test is skipped where ns-3 is not installed."""
    return peer(request, ns3_peer)


@pytest.fixture(scope="session")
def cimba(request: pytest.FixtureRequest) -> ModuleType:
    """The module that runs cimba; the test is skipped where cimba is not installed."""
    return peer(request, cimba_peer)


def peer(request: pytest.FixtureRequest, module: ModuleType) -> ModuleType:
    if request.config.getoption("--install-peers"):
        try:
            module.install()
        except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
            pytest.skip(f"peer not available: {error}")
    elif not module.installed():
        pytest.skip(f"peer not available: nothing in {module.environment()} (--install-peers)")
    return module


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Callable[[Row], None]:
    """Add a row to the table. The test fails when its limit does not hold."""

    def add(row: Row) -> None:
        request.node.user_properties.append((PROPERTY, row.as_dict()))
        assert row.held is not False, "  ".join(row.cells())

    return add


class Comparison:
    """Runs ours and the peer in turn and compares the CPU time of one unit of work."""

    def __init__(self, benchmark: Any, record: Callable[[Row], None]) -> None:
        self.benchmark = benchmark
        self.record = record

    def __call__(
        self,
        what: str,
        ours: Workload,
        peer_name: str,
        peer: Workload,
        *,
        at_most: float | None = None,
        at_least: float | None = None,
        rounds: int = 7,
    ) -> None:
        """Compare; `at_most` limits ours / peer, `at_least` peer / ours."""
        theirs = []

        def prepare() -> tuple[tuple[Any], dict[str, Any]]:
            theirs.append(cpu_time(peer))
            return (ours[0](),), {}

        self.benchmark.pedantic(ours[1], setup=prepare, rounds=rounds)
        mine = [seconds / ours[2] for seconds in self.benchmark.stats.stats.data]
        pairs = list(zip(mine, theirs, strict=True))
        row = judge(what, pairs, peer_name, at_most=at_most, at_least=at_least)
        self.benchmark.extra_info.update(row.as_dict())
        self.record(row)


@pytest.fixture
def compare(benchmark: Any, record: Callable[[Row], None]) -> Comparison:
    """Compare ours with a peer in the same process; see `Comparison`."""
    return Comparison(benchmark, record)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "record" in getattr(item, "fixturenames", ()):
            item.add_marker("comparison")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    rows = [
        Row(**fields)
        for report in reports
        if report.when == "call"
        for name, fields in report.user_properties
        if name == PROPERTY
    ]
    if rows:
        terminalreporter.section("ours, peer, ratio")
        for line in lines_of(rows):
            terminalreporter.line(line)
