"""Cases collected from elsewhere; see tests/reference/ndn/README.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simcore import Simulator

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "ndn"


@pytest.fixture
def sim() -> Simulator:
    return Simulator(seed=1)


@pytest.fixture
def reference() -> Callable[[str], Any]:
    return lambda name: json.loads((REFERENCE / f"{name}.json").read_text())["cases"]
