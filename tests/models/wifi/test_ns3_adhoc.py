"""Frame counts, retries, drops and delays against ns-3 on the same positions and traffic.

The reference (tests/reference/ns3/adhoc_*.json) has five runs of ns-3.44 a case. Each figure is
compared as a mean of five runs: within 3 %, or within four standard errors where the runs scatter
more. docs/validation.md has the table.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PEER = Path(__file__).parents[3] / "profiling/peers/adhoc.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("peers_adhoc", PEER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


adhoc = load()
CASES = [case for group in adhoc.GROUPS for case in adhoc.cases(group)]
# Cheap ones that run with every test; the others are validation.
QUICK = {"chain-1-light", "chain-3-light", "chain-2-saturated", "hidden-rts-1000-light"}


def check(case: dict[str, Any]) -> None:
    ours = [adhoc.run_case(case["parameters"], run) for run in range(1, 6)]
    table = adhoc.compare(ours, case["runs"])
    different = {name: row for name, row in table.items() if not adhoc.agrees(row[2], row[3])}
    assert not different


@pytest.mark.parametrize("case", [c for c in CASES if c["name"] in QUICK], ids=lambda c: c["name"])
def test_quick_case(case: dict[str, Any]) -> None:
    check(case)


@pytest.mark.validation
@pytest.mark.parametrize(
    "case", [c for c in CASES if c["name"] not in QUICK], ids=lambda c: c["name"]
)
def test_case(case: dict[str, Any]) -> None:
    check(case)


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_delay_of_an_idle_chain_to_the_nanosecond(hops: int) -> None:
    case = next(c for c in CASES if c["name"] == f"chain-{hops}-light")
    ours = adhoc.run_case(case["parameters"], 1)["flows"][0]["delay_mean_s"]
    # DIFS + frame + propagation; each relay adds SIFS + ACK before it.
    assert ours == pytest.approx(
        hops * (50_000 + 966_000 + 667) / 1e9 + (hops - 1) * 213_000 / 1e9, abs=1e-12
    )
