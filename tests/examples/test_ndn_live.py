"""The ndn-live example: real python-ndn programs on a simulated network."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simcore import Simulator
from simcore.examples import ndn_live
from simcore.examples.ndn_live import NdnLive
from simcore.scenario import ParameterError

pytest.importorskip("ndn")
COMMAND = [sys.executable, "-m", "simcore", "run", "ndn-live"]
PROGRAMS = Path(ndn_live.__file__).parent


def test_the_two_programs_talk_over_the_simulated_network():
    done = subprocess.run(
        [*COMMAND, "--count", "5", "--json"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    metrics = json.loads(done.stdout)["metrics"]
    assert metrics["data_received"] == 5
    # Three hops there and back, at the rates of 802.11 in simulated, and so in real time.
    assert metrics["mean_rtt_ms"] > 1
    assert metrics["interests_forwarded"] >= 5 * 4


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(ndn_live, "find_spec", lambda name: None)
    with pytest.raises(ParameterError, match="pip install python-ndn"):
        NdnLive().build(Simulator())


def test_a_folder_for_the_sockets_that_does_not_exist_is_named():
    with pytest.raises(ParameterError, match="there is no folder '/no/such'"):
        NdnLive(sockets="/no/such").build(Simulator())


def test_programs_of_ones_own(tmp_path):
    simulation = subprocess.Popen(
        [*COMMAND, "--no-programs", "--sockets", str(tmp_path), "--total-time", "600", "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        lines = [simulation.stderr.readline() for _ in range(3)]
        assert f"the last node: NDN_CLIENT_TRANSPORT=unix://{tmp_path}/producer.sock\n" in lines

        def start(script, socket, *arguments):
            return subprocess.Popen(
                [sys.executable, str(PROGRAMS / script), *arguments],
                env=os.environ | {"NDN_CLIENT_TRANSPORT": f"unix://{tmp_path}/{socket}"},
                stdout=subprocess.PIPE,
                text=True,
            )

        producer = start("ndn_live_producer.py", "producer.sock")
        consumer = start("ndn_live_consumer.py", "consumer.sock", "--count", "3")
        printed, _ = consumer.communicate(timeout=240)
        assert len(json.loads(printed)["rtt_ms"]) == 3
        simulation.send_signal(signal.SIGINT)
        assert simulation.wait(timeout=60) == 130
        assert not list(tmp_path.iterdir())
        producer.communicate(timeout=60)
    finally:
        for process in (simulation, producer, consumer):
            process.kill()
            process.wait()


def test_ctrl_c_leaves_neither_programs_nor_sockets(tmp_path):
    simulation = subprocess.Popen(
        [*COMMAND, "--count", "1000000", "--sockets", str(tmp_path), "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        deadline = time.monotonic() + 60
        while len(children(simulation.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        started = children(simulation.pid)
        assert len(started) == 2
        simulation.send_signal(signal.SIGINT)
        assert simulation.wait(timeout=60) == 130, simulation.stderr.read()
        assert not list(tmp_path.iterdir())
        deadline = time.monotonic() + 60
        while any(map(lives, started)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not any(map(lives, started))
    finally:
        simulation.kill()
        simulation.communicate()


def lives(pid):
    try:
        # The state follows the name in parentheses.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return found.read_text().split() if found.exists() else []
