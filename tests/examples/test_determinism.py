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
    # The data begin to flow at 100 s.
    "dsr": ("--until", "120s"),
    "nfd-forwarding": ("--rate", "20000", "--duration", "1", "--service-model", "nfd-0.2",
                       "--arrivals", "poisson", "--pairs", "16"),
}
OTHERWISE = ("--until", "20s")
# When real programs speak is not the simulation's to decide.
REAL_TIME = {"ndn-live"}


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


@pytest.mark.parametrize("name", [name for name in bundled() if name not in REAL_TIME])
def test_same_inputs_give_the_same_digest(name):
    arguments = SHORT.get(name, OTHERWISE)
    first = run(name, "1", *arguments)
    second = run(name, "2", *arguments)
    assert first["scenario"] == name
    assert first["events"] > 0
    assert first["events"] == second["events"]
    assert first["tables"] == second["tables"]
    assert first["digest"] == second["digest"]


def test_traces_are_the_same_bytes(tmp_path):
    contents = []
    for hash_seed in ("1", "2"):
        out = tmp_path / hash_seed
        run(
            "dsr", hash_seed, "--nodes", "12", "--until", "104s", "--area", "300x600",
            "--trace", "ascii", "pcap", "table", "--out", str(out),
        )  # fmt: skip
        contents.append({path.name: path.read_bytes() for path in out.glob("dsr.*")})
    assert sorted(contents[0]) == ["dsr.parquet", "dsr.pcap", "dsr.tr"]
    assert len(contents[0]["dsr.tr"]) > 100_000
    assert contents[0] == contents[1]
