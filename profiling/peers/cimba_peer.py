"""Run cimba as a peer: a virtual environment of its own, and the time of one M/M/1 queue.

Environment variables: ``SIMCORE_CIMBA_VENV`` names the virtual environment (default
``.venv-cimba`` in the repository root).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).resolve().parent / "cimba_mm1.py"
REQUIREMENT = "cimba>=0.9,<0.10"


def environment() -> Path:
    """Return the virtual environment that holds cimba."""
    return Path(os.environ.get("SIMCORE_CIMBA_VENV", ROOT / ".venv-cimba"))


def installed() -> bool:
    """Whether cimba is installed there."""
    return bool(list(environment().glob("lib/python3*/site-packages/cimba/__init__.py")))


def install() -> Path:
    """Create the environment and install cimba into it if that has not been done.

    Returns
    -------
    pathlib.Path
        The environment's Python.

    Raises
    ------
    RuntimeError
        If pip fails.
    """
    python = environment() / "bin" / "python"
    if not installed():
        print(f"installing cimba into {environment()}", file=sys.stderr)
        venv.create(environment(), with_pip=True)
        command = [str(python), "-m", "pip", "install", "-q", REQUIREMENT]
        done = subprocess.run(command, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 or not installed():
            lines = done.stderr.strip().splitlines() or ["pip told nothing"]
            raise RuntimeError(f"cimba could not be installed: {lines[-1]}")
    return python


def mm1(customers: int) -> dict[str, float]:
    """Run the M/M/1 queue at 80 % load.

    Returns
    -------
    dict
        ``customers_per_second`` of CPU time, the best of several runs without compilation, and
        ``mean_length``, the mean number of customers in the system.

    Raises
    ------
    RuntimeError
        If cimba fails.
    """
    command = [str(install()), str(PROGRAM), str(customers)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"cimba failed: {(done.stderr.strip().splitlines() or [''])[-1]}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result
