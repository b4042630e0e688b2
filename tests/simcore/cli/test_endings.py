"""How the ``simcore`` command ends: exit codes, and what is kept of a run that broke off."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from simcore.cli.main import main

SCRIPT = '''
import os, signal, sys, time
from simcore import Scenario, ms, parameter


class Odd(Scenario):
    """Ends in odd ways."""

    way: str = parameter("")
    total_time: float = parameter(1, unit="s")

    def build(self, sim):
        sim.schedule(ms(5), self.handle)

    def handle(self):
        if self.way == "exit":
            sys.exit(7)
        if self.way == "wait":
            print("waiting", file=sys.stderr, flush=True)
            time.sleep(30)

    def report(self, sim):
        if self.way == "raise":
            raise ValueError("no report")
        if self.way == "none":
            return None
        if self.way == "list":
            return {"rows": [1]}
        if self.way == "leave":
            sys.exit(0)
        if self.way == "wait":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
        return {"fine": 1}

    def tables(self, sim):
        if self.way == "tables":
            raise ValueError("no tables")
        return {}
'''


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(SCRIPT)
    return path


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("raise", "ValueError: no report"),
        ("tables", "ValueError: no tables"),
        ("none", "Odd.report() must return a mapping of metrics by name, not None"),
        ("list", "metric 'rows' must be a number"),
        ("exit", "SystemExit: 7"),
        ("leave", "SystemExit: 0"),
    ],
)
def test_a_failure_leaves_marked_results(script, tmp_path, capsys, way, told):
    out = tmp_path / "out"
    assert main(["run", str(script), "--way", way, "--out", str(out), "--json"]) == 1
    printed = capsys.readouterr()
    assert told in printed.err
    assert json.loads(printed.out)["status"] == "failed"
    assert manifest(out)["status"] == "failed"
    assert told in manifest(out)["error"]


def test_a_script_that_leaves_while_it_is_loaded_is_wrong_usage(tmp_path, capsys):
    path = tmp_path / "leaves.py"
    path.write_text("import sys\nsys.exit(0)\n")
    assert main(["run", str(path)]) == 2
    assert "leaves.py left the process while it was loaded" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals_leave_marked_results_however_many_follow(script, tmp_path, number, status):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "simcore", "run", str(script), "--way", "wait"]
    with subprocess.Popen(
        [*command, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr.readline() == "waiting\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert "Traceback" not in err
    assert manifest(out)["status"] == "interrupted"


def test_interrupt_while_loading_is_short(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text("import sys, time\nprint('loading', flush=True)\ntime.sleep(30)\n")
    with subprocess.Popen(
        [sys.executable, "-m", "simcore", "run", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:
        assert process.stdout.readline() == "loading\n"
        time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "simcore: interrupted\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("where", ["> /dev/full", ">&-"])
@pytest.mark.parametrize("arguments", ["list", "run odd.py", "run odd.py --json"])
def test_output_that_cannot_be_written(script, where, arguments):
    done = subprocess.run(
        f"{sys.executable} -m simcore {arguments} {where}",
        shell=True, cwd=script.parent, capture_output=True, text=True, check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "output" in done.stderr


def test_an_empty_folder_name_is_wrong_usage(script, capsys):
    assert main(["run", str(script), "--out", ""]) == 2
    assert "--out" in capsys.readouterr().err
