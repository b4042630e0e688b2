"""The wheel works from another folder: command, examples, models, and the contract in C."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from simcore.cli.discover import bundled

ROOT = Path(__file__).resolve().parent.parent

# One group: one worker builds the wheel, for all of them.
pytestmark = [pytest.mark.validation, pytest.mark.xdist_group("packaging")]

NOT_SOURCE = shutil.ignore_patterns(
    ".git", ".venv*", "build", "dist", "site", "*.so", "__pycache__", "*.egg-info", ".*_cache"
)

OUTSIDE_MODEL = """
from simcore.simulator cimport Event, Simulator


cdef class Beep(Event):
    cdef public int count

    cdef int fire(self) except -1:
        self.count += 1
        return 0


def start(Simulator sim, Beep beep, long delay):
    sim.schedule_event(delay, beep)
"""


def run(*command: str, **kwargs: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, **kwargs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # A copy: a build beside the tests must not touch what they are running.
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=NOT_SOURCE)
    run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation",
        "-w", str(folder), str(source),
    )  # fmt: skip
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment with the wheel; its dependencies come from the one that runs the tests."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"))
    python = folder / "venv" / "bin" / "python"
    run(
        sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps",
        "--no-index", str(wheel),
    )  # fmt: skip
    site = sysconfig.get_path("purelib")
    links = [site]
    for entry in Path(site).glob("*.pth"):
        # Environments may borrow from others by a path in such a file.
        links += [line for line in entry.read_text().splitlines() if line.startswith("/")]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(links))
    away = folder / "away"
    away.mkdir()

    def call(*command: str) -> str:
        program = folder / "venv" / "bin" / command[0]
        return run(str(program), *command[1:], cwd=away, env=environment)

    call.folder = away
    return call


def test_contents(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in (
        "simcore/py.typed",
        "simcore/simulator.pxd",
        "simcore/simulator.pyi",
        "simcore/models/network/packet.pxd",
        "simcore/examples/__init__.py",
    ):
        assert name in names
    for pyx in (*ROOT.glob("simcore/**/*.pyx"), *ROOT.glob("models/**/*.pyx")):
        place = pyx.relative_to(ROOT).with_suffix("").as_posix()
        module = place if place.startswith("simcore/") else f"simcore/{place}"
        assert any(name.startswith(f"{module}.") and name.endswith(".so") for name in names)
    assert not [name for name in names if "peers" in name or name.endswith((".c", ".cpp"))]
    assert all(name.startswith(("simcore/", "simcore-")) for name in names)


def test_source_distribution_has_every_source(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=NOT_SOURCE)
    run(
        sys.executable, "setup.py", "-q", "sdist", "-d", str(tmp_path),
        cwd=source, env=os.environ | {"SIMCORE_EXTENSIONS": "0"},
    )  # fmt: skip
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    expected = {
        path.relative_to(source).as_posix()
        for folder in ("simcore", "models", "examples")
        for path in (source / folder).rglob("*")
        if path.is_file() and path.suffix not in (".c", ".cpp", ".html")
    }
    assert expected - names == set()
    assert {"pyproject.toml", "setup.py", "README.md", "LICENSE"} <= names


def test_it_is_the_wheel_that_is_tested(installed):
    where = installed("python", "-c", "import simcore; print(simcore.__file__)")
    assert "site-packages" in where
    assert str(ROOT) not in where


def test_command(installed):
    names = [line.split()[0] for line in installed("simcore", "list").splitlines()]
    assert names == list(bundled())
    assert "profile hooks" in installed("simcore", "info")


@pytest.mark.parametrize("name", list(bundled()))
def test_bundled_scenarios_explain_themselves(installed, name):
    assert "parameters:" in installed("simcore", "run", name, "--help")


def test_a_bundled_scenario_runs(installed):
    if "first" not in bundled():
        pytest.skip("there is no example 'first'")
    assert '"status"' not in installed("simcore", "run", "first", "--json")


def test_outside_extension_compiles_against_the_contract(installed):
    (installed.folder / "outside.pyx").write_text(OUTSIDE_MODEL)
    (installed.folder / "setup.py").write_text(
        "from Cython.Build import cythonize\n"
        "from setuptools import setup\n"
        "setup(ext_modules=cythonize('outside.pyx', language_level=3))\n"
    )
    installed("python", "setup.py", "-q", "build_ext", "--inplace")
    printed = installed(
        "python",
        "-c",
        "import outside, simcore\n"
        "sim = simcore.Simulator()\n"
        "beep = outside.Beep()\n"
        "outside.start(sim, beep, 5)\n"
        "print(sim.run().events, sim.now(), beep.count)",
    )
    assert printed == "1 5 1\n"
