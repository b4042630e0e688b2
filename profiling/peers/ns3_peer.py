"""Run ns-3 as a peer: an environment of its own, compiled drivers, their output and CPU time.

ns-3 comes as the wheel ``ns3`` from PyPI, which carries headers and libraries. The drivers in
``ns3/`` are ours (GPL-2.0-only, since they link ns-3) and belong to no wheel of this project.

Environment variables: ``SIMCORE_NS3_VENV`` names the virtual environment (default ``.venv-ns3`` in
the repository root), ``SIMCORE_NS3_VERSION`` the version to install (default 3.44), ``CXX`` the
compiler (default ``g++``).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DRIVERS = Path(__file__).resolve().parent / "ns3"
LAUNCHER = Path(__file__).resolve().parent / "launch.py"
BINARIES = ROOT / "build" / "peers" / "ns3"
VERSION = "3.44"

# The wheel is a release build with logging and asserts compiled in; a driver built without these
# macros would disagree with the libraries about what a class contains.
FLAGS = (
    "-O2",
    "-std=c++20",
    "-DNS3_LOG_ENABLE",
    "-DNS3_ASSERT_ENABLE",
    "-DNS3_BUILD_PROFILE_RELEASE",
)
# These need packages that are not in the wheel.
EXCLUDED = ("visualizer", "tap-bridge", "fd-net-device", "click", "openflow", "brite")


@dataclass(frozen=True)
class PeerRun:
    """What one run of a driver gave.

    Attributes
    ----------
    output : dict
        The driver's line of JSON.
    cpu_s : float
        User plus system CPU time of the whole process, start-up included, in seconds.
    peak_rss_mb : float
        Largest resident set, in MB (10^6 bytes).
    """

    output: dict[str, Any]
    cpu_s: float
    peak_rss_mb: float


def environment() -> Path:
    """Return the virtual environment that holds ns-3."""
    return Path(os.environ.get("SIMCORE_NS3_VENV", ROOT / ".venv-ns3"))


def installed_package() -> Path | None:
    """Return the directory of the installed ``ns3`` package, or None when there is none."""
    found = sorted(environment().glob("lib/python3*/site-packages/ns3/include"))
    return found[0].parent if found else None


def installed() -> bool:
    """Whether ns-3 is installed in its environment."""
    return installed_package() is not None


def install() -> Path:
    """Create the environment and install ns-3 into it if that has not been done.

    Returns
    -------
    pathlib.Path
        The directory of the ``ns3`` package.

    Raises
    ------
    RuntimeError
        If pip fails, or the wheel does not carry the headers that drivers need.
    """
    package = installed_package()
    if package is None:
        target = environment()
        print(f"installing ns-3 (about 500 MB) into {target}", file=sys.stderr)
        venv.create(target, with_pip=True)
        wanted = os.environ.get("SIMCORE_NS3_VERSION", VERSION)
        command = [str(target / "bin" / "python"), "-m", "pip", "install", "-q", f"ns3=={wanted}.*"]
        done = subprocess.run(command, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["pip told nothing"]
            raise RuntimeError(f"ns-3 could not be installed: {lines[-1]}")
        package = installed_package()
    if package is None:
        raise RuntimeError(f"the ns3 wheel in {environment()} carries no headers (ns3/include)")
    return package


def version() -> str:
    """Return the version of the installed wheel, as its libraries name it."""
    library = next((install() / "lib64").glob("libns3.*-core.so"))
    return library.name.removeprefix("libns").removesuffix("-core.so")


def build(driver: str) -> Path:
    """Compile ``ns3/<driver>.cc`` unless a binary of the same source and ns-3 exists.

    Parameters
    ----------
    driver : str
        Name of the driver without its suffix.

    Returns
    -------
    pathlib.Path
        The binary, under ``build/peers/ns3``.

    Raises
    ------
    FileNotFoundError
        If there is no such driver.
    subprocess.CalledProcessError
        If the compiler fails; its messages are on stderr.
    """
    source = DRIVERS / f"{driver}.cc"
    if not source.exists():
        known = ", ".join(sorted(path.stem for path in DRIVERS.glob("*.cc")))
        raise FileNotFoundError(f"no ns-3 driver {driver!r}; there are {known}")
    package = install()
    compiler = os.environ.get("CXX", "g++")
    stamp = "\0".join([source.read_text(), version(), str(package), compiler, *FLAGS])
    binary = BINARIES / f"{driver}-{hashlib.sha256(stamp.encode()).hexdigest()[:12]}"
    if binary.exists():
        return binary
    BINARIES.mkdir(parents=True, exist_ok=True)
    libraries = package / "lib64"
    names = []
    for path in sorted(libraries.glob(f"libns{version()}-*.so")):
        name = path.name.removeprefix(f"libns{version()}-").removesuffix(".so")
        if name not in EXCLUDED:
            names.append("-l" + path.name.removeprefix("lib").removesuffix(".so"))
    with tempfile.TemporaryDirectory(dir=BINARIES) as scratch:
        partial = Path(scratch) / driver
        command = [compiler, *FLAGS, f"-I{package / 'include'}", str(source), "-o", str(partial)]
        command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", *names]
        # The libraries leave open some symbols of packages that the wheel does not bring.
        command += ["-Wl,--unresolved-symbols=ignore-in-shared-libs"]
        subprocess.run(command, check=True, stdout=sys.stderr)
        partial.replace(binary)
    return binary


def run(
    driver: str, arguments: Mapping[str, object], *, nice: int = 0, cwd: Path | None = None
) -> PeerRun:
    """Build a driver if need be, run it and read its result.

    Parameters
    ----------
    driver : str
        Name of the driver without its suffix.
    arguments : mapping
        Command-line options without the dashes. Booleans become 1 and 0.
    nice : int, optional
        Niceness added to the process.
    cwd : pathlib.Path, optional
        Working directory, where the driver writes its traces. Default: a temporary one.

    Returns
    -------
    PeerRun
        The driver's output, CPU time and memory.

    Raises
    ------
    RuntimeError
        If the driver fails or prints anything other than one JSON object on its last line.
    """
    command = [str(build(driver))]
    for name, value in arguments.items():
        command.append(f"--{name}={int(value) if isinstance(value, bool) else value}")
    return measure(command, nice=nice, cwd=cwd)


def measure(command: Sequence[str], *, nice: int = 0, cwd: Path | None = None) -> PeerRun:
    """Run a program whose last line of output is a JSON object, and measure what it used.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    nice : int, optional
        Niceness added to the process.
    cwd : pathlib.Path, optional
        Working directory. Default: a temporary one.

    Raises
    ------
    RuntimeError
        If the program fails or prints anything other than one JSON object on its last line.
    """
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "usage.json"
        # Isolated and without site: the launcher has to be small (see there).
        launch = [sys.executable, "-I", "-S", str(LAUNCHER), str(report)]
        done = subprocess.run(
            [*launch, *(["nice", "-n", str(nice)] if nice else []), *command],
            stdout=subprocess.PIPE,
            text=True,
            cwd=cwd or scratch,
        )
        if done.returncode != 0:
            raise RuntimeError(f"could not be started: {' '.join(command)}")
        usage = json.loads(report.read_text())
    if usage["status"] != 0:
        raise RuntimeError(f"ended with status {usage['status']}: {' '.join(command)}")
    lines = done.stdout.strip().splitlines()
    try:
        output = json.loads(lines[-1])
    except (IndexError, ValueError) as error:
        raise RuntimeError(f"no JSON but {lines[-1:]} from {' '.join(command)}") from error
    return PeerRun(output, usage["cpu_s"], usage["peak_rss"] / 1e6)


def main() -> None:
    """Run one driver: ``ns3_peer.py DRIVER [--repeat=N] [--OPTION=VALUE ...]``."""
    usage = "usage: ns3_peer.py DRIVER [--repeat=N] [--OPTION=VALUE ...]"
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(usage)
    options: dict[str, object] = {}
    for argument in sys.argv[2:]:
        name, separator, value = argument.removeprefix("--").partition("=")
        if not argument.startswith("--") or not separator:
            raise SystemExit(f"{argument!r} is not --OPTION=VALUE\n{usage}")
        options[name] = value
    repeat = int(str(options.pop("repeat", 1)))
    first = int(str(options.get("run", 1)))
    for number in range(first, first + repeat):
        done = run(sys.argv[1], options | ({"run": number} if repeat > 1 else {}))
        record = {"cpu_s": round(done.cpu_s, 3), "peak_rss_mb": round(done.peak_rss_mb, 1)}
        print(json.dumps(options | {"run": number} | done.output | record), flush=True)


if __name__ == "__main__":
    main()
