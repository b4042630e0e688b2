"""Traces from the command line: files, digest, Ctrl-C, a full disk."""

import json
import signal
import subprocess
import sys

import pytest

from simcore.cli.main import main
from simcore.results import Results

SCRIPT = '''
from simcore import Scenario, ms, parameter
from simcore.trace import LinkType, TraceSet


class Device:
    pcap_link_types = (LinkType.ETHERNET,)

    def __init__(self, sim):
        self.sim = sim
        self.trace = TraceSet(self, tx="frame", raw="frame")

    def ascii_sources(self):
        return [("t", self.trace.tx, "/NodeList/0/DeviceList/0/Tx")]

    def pcap_sources(self):
        return [self.trace.raw]


class Sender(Scenario):
    """Sends frames."""

    frames: int = parameter(5)
    text: str = parameter("frame")

    def build(self, sim):
        self.sent = 0
        self.device = Device(sim)
        sim.registry["test"] = self
        sim.schedule(ms(1), self.send)

    def traced_devices(self):
        return [self.device]

    def send(self):
        self.sent += 1
        self.device.trace.tx.emit(f"{self.text} {self.sent}")
        self.device.trace.raw.emit(bytes(60))
        if self.sent < self.frames:
            self.device.sim.schedule(ms(1), self.send)
        if self.sent == 1000:
            print("a thousand", flush=True)

    def report(self, sim):
        return {"sent": self.sent}
'''


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "sender.py"
    path.write_text(SCRIPT)
    return str(path)


def run(capsys, *arguments):
    code = main(["run", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_all_kinds(capsys, script, tmp_path):
    out = tmp_path / "out"
    code, printed, err = run(
        capsys, script, "--json", "--trace", "ascii", "pcap", "--trace", "table", "--out", str(out)
    )
    assert code == 0, err
    assert json.loads(printed)["files"] == [
        str(out / name) for name in ("sender.tr", "sender.pcap", "sender.parquet")
    ]
    lines = (out / "sender.tr").read_text().splitlines()
    assert lines[0] == "t 0.001000000 /NodeList/0/DeviceList/0/Tx frame 1"
    assert len(lines) == 5
    assert (out / "sender.pcap").stat().st_size == 24 + 5 * (16 + 60)
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(out / "sender.parquet").num_rows == 5


def test_digest_covers_the_trace(capsys, script, tmp_path):
    def digest(folder, *arguments):
        _, out, _ = run(capsys, script, "--json", "--out", str(tmp_path / folder), *arguments)
        return json.loads(out)["digest"]

    for kind in ("ascii", "table"):
        first = digest("a", "--trace", kind)
        assert digest("b", "--trace", kind) == first
        assert digest("b", "--trace", kind, "--text", "other") != first
        assert digest("c") != first
    assert digest("c") == digest("c", "--text", "other")


def test_without_out_traces_go_to_the_current_folder(capsys, script, tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert run(capsys, script, "--quiet", "--trace", "ascii")[0] == 0
    assert [path.name for path in folder.iterdir()] == ["sender.tr"]


def test_interrupt_writes_out_what_was_traced(script, tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-m", "simcore", "run", script, "--json", "--trace", "ascii",
         "--frames", "1000000000", "--out", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr.readline() == "a thousand\n"
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    sent = json.loads(stdout)["metrics"]["sent"]
    lines = (out / "sender.tr").read_text().splitlines()
    # The handler that Ctrl-C met may have counted a frame that it had not emitted yet.
    assert sent - 1 <= len(lines) <= sent
    assert lines[-1].endswith(f"frame {len(lines)}")
    assert f"kept {out / 'sender.tr'}" in stderr
    assert Results.load(out).status == "interrupted"


def test_full_disk_ends_the_run_and_says_what_was_kept(script, tmp_path):
    """A limit on the size of files stands for the disk: writing fails in the same way."""
    out = tmp_path / "out"
    limited = (
        "import resource, sys; from simcore.cli.main import main;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000));"
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, "run", script, "--json", "--trace", "ascii",
         "--frames", "200000", "--out", str(out)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert "sender.tr" in done.stderr
    assert "(200,000 bytes)" in done.stderr
    assert "Traceback" not in done.stderr
    kept = (out / "sender.tr").read_text()
    assert len(kept) == 200_000
    assert kept.startswith("t 0.001000000 ")
    content = json.loads(done.stdout)
    assert content["status"] == "failed"
    assert Results.load(out).status == "failed"


def test_results_of_an_earlier_run_do_not_stand_for_a_failed_one(capsys, script, tmp_path):
    out = tmp_path / "out"
    assert run(capsys, script, "--quiet", "--out", str(out))[0] == 0
    with open(script) as file:
        text = file.read()
    with open(script, "w") as file:
        file.write(text.replace("self.sent += 1", "raise RuntimeError('broken')"))
    (out / "metrics.json").unlink()
    # Nothing can be written in its place.
    (out / "metrics.json").mkdir()
    code, _, err = run(capsys, script, "--quiet", "--out", str(out))
    assert code == 1
    assert not (out / "manifest.json").exists()
    assert "partial results are in" not in err
    assert f"partial results could not be written to {out}" in err


def test_results_that_cannot_be_saved_are_still_printed(capsys, script, tmp_path):
    out = tmp_path / "out"
    (out / "metrics.json").mkdir(parents=True)
    code, printed, err = run(capsys, script, "--json", "--out", str(out))
    assert code == 1
    assert json.loads(printed)["metrics"] == {"sent": 5}
    assert "metrics.json" in err
