"""Each optimisation beside its slow twin: what it gains, measured in the same run."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parent


def support() -> ModuleType:
    """The comparisons and the compiler of the benchmarks, for the extensions of this folder."""
    path = FOLDER.parent / "benchmarks" / "conftest.py"
    spec = importlib.util.spec_from_file_location("ablation_support", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.FOLDER = FOLDER
    return module


SUPPORT = support()
compare = SUPPORT.compare
pytest_terminal_summary = SUPPORT.pytest_terminal_summary


@pytest.fixture(scope="session")
def lifetimes() -> ModuleType:
    """The compiled queues of ``_lifetimes.pyx``."""
    module = SUPPORT.build_extension("_lifetimes")
    assert isinstance(module, ModuleType)
    return module
