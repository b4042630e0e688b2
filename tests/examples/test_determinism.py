"""Every bundled scenario gives the same results in any process: same seed and run, same digest."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from simcore.cli.discover import bundled

# Arguments that keep a scenario short; the others stop early.
SHORT: dict[str, tuple[str, ...]] = {
    "first": (),
}
OTHERWISE = ("--until", "20s")


def run(name: str, hash_seed: str, *arguments: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "simcore", "run", name, "--json", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
    )
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert isinstance(content, dict)
    return content


@pytest.mark.parametrize("name", list(bundled()))
def test_same_inputs_give_the_same_digest(name):
    arguments = SHORT.get(name, OTHERWISE)
    first = run(name, "1", *arguments)
    second = run(name, "2", *arguments)
    assert first["scenario"] == name
    assert first["events"] > 0
    assert first["events"] == second["events"]
    assert first["tables"] == second["tables"]
    assert first["digest"] == second["digest"]
