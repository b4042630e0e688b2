"""The ``simcore`` command: what it prints, its exit codes, its errors."""

import json
import os
import pty
import select
import signal
import subprocess
import sys

import pytest

from simcore.cli import discover
from simcore.cli.main import main
from simcore.results import Results

SCRIPT = '''
"""A script."""
import time

from simcore import Scenario, ms, parameter, seconds
import neighbour


class Clock(Scenario):
    """A clock that ticks.

    It ticks 100% of the time.
    """

    ticks: int = parameter(10, min=0, help="number of ticks")
    period_time: float = parameter("100ms", unit="s", help="time between two ticks")
    mode: str = parameter("slow", choices=["slow", "fast"])
    loud: bool = parameter(True, help="print the ticks")
    sleep: float = parameter(0, unit="s", help="real time per tick")
    rows: int = parameter(3)
    fail_at: int = parameter(0)
    total_time: float = parameter(2, unit="s", help="simulated time")

    def build(self, sim):
        self.seen = neighbour.NOTHING
        self.sim = sim
        sim.schedule(seconds(self.period_time), self.tick, 1)

    def tick(self, tick):
        if self.loud:
            print("tick", tick)
        if tick == self.fail_at:
            raise ZeroDivisionError("went wrong")
        time.sleep(self.sleep)
        self.seen += 1
        if tick < self.ticks:
            self.sim.schedule(seconds(self.period_time), self.tick, tick + 1)

    def report(self, sim):
        return {"seen": self.seen}

    def tables(self, sim):
        return {"rows": {"n": list(range(self.rows))}}
'''


@pytest.fixture
def script(tmp_path):
    (tmp_path / "neighbour.py").write_text("NOTHING = 0\n")
    path = tmp_path / "clock_demo.py"
    path.write_text(SCRIPT)
    return str(path)


@pytest.fixture
def run(capsys):
    """Call the command in this process; return exit code, standard output, standard error."""

    def call(*arguments):
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def command(*arguments):
    return [sys.executable, "-m", "simcore", *arguments]


class TestTopLevel:
    def test_help(self, run):
        code, out, _ = run("--help")
        assert code == 0
        for name in ("list", "run", "info"):
            assert f"\n  {name} " in out

    def test_no_command(self, run):
        code, out, err = run()
        assert (code, out) == (2, "")
        assert "usage: simcore" in err

    def test_unknown_command(self, run):
        code, _, err = run("rum")
        assert code == 2
        assert "unknown command 'rum'; did you mean 'run'?" in err

    def test_version(self, run):
        import simcore

        assert run("--version") == (0, f"simcore {simcore.__version__}\n", "")

    def test_info(self, run):
        code, out, _ = run("info")
        assert code == 0
        assert "numba" in out
        assert "profile hooks" in out
        code, out, _ = run("info", "--json")
        facts = json.loads(out)
        assert facts["packages"]["rich"]
        assert facts["kernel"].startswith("simulator.")

    def test_info_refuses_arguments(self, run):
        assert run("info", "more")[0] == 2


class TestDiscovery:
    def test_list_has_a_line_for_each_bundled_scenario(self, run):
        code, out, _ = run("list")
        assert code == 0
        names = [line.split()[0] for line in out.splitlines()]
        assert names == sorted(names) == list(discover.bundled())

    def test_files_without_a_scenario_are_not_listed(self, tmp_path, monkeypatch):
        package = tmp_path / "shown"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "_private.py").write_text(SCRIPT)
        (package / "helper.py").write_text("x = 1\n")
        (package / "broken.py").write_text("def\n")
        (package / "two_words.py").write_text(
            '"""Module."""\nimport simcore\n\nclass Other(simcore.Scenario):\n    """Other."""\n\n'
            'class TwoWords(simcore.Scenario):\n    """First line.\n\n    More.\n    """\n'
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setattr(discover, "EXAMPLES", "shown")
        [found] = discover.bundled().values()
        assert (found.name, found.summary) == ("two-words", "First line.")
        assert discover.load("two-words").__name__ == "TwoWords"
        assert discover.load("two_words:Other").__name__ == "Other"

    def test_listing_imports_no_scenario(self):
        code = (
            "import sys; from simcore.cli.main import main; main(['list']);"
            "print([m for m in sys.modules if m.startswith(('simcore.examples.', 'simcore.models'))"
            " or m in ('numpy', 'pyarrow', 'rich', 'numba')], file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stderr.strip() == "[]"

    @pytest.mark.parametrize(
        ("content", "target", "message"),
        [
            ("", "{path}", "defines no subclass of simcore.Scenario"),
            (SCRIPT, "{path}:Clok", "no scenario class 'Clok'; did you mean 'Clock'?"),
            (
                SCRIPT + "\nclass Other(Clock): pass\n",
                "{path}",
                "several scenarios: write {path}:CLASS, CLASS being one of Clock, Other",
            ),
            (None, "{path}", "no script '{path}'"),
        ],
    )
    def test_scripts_that_do_not_fit(self, run, script, content, target, message):
        if content is None:
            os.unlink(script)
        else:
            with open(script, "w") as file:
                file.write(content)
        code, _, err = run("run", target.format(path=script))
        assert code == 2
        assert message.format(path=script) in err

    def test_script_that_raises(self, run, script):
        with open(script, "w") as file:
            file.write("raise RuntimeError('broken script')\n")
        code, _, err = run("run", script)
        assert code == 1
        assert "broken script" in err
        assert "could not be loaded" in err

    def test_script_named_like_a_standard_module(self, run, tmp_path):
        path = tmp_path / "random.py"
        path.write_text(SCRIPT.replace("neighbour.NOTHING", "0").replace("import neighbour", ""))
        assert run("run", str(path), "--quiet", "--loud=no")[0] == 0
        import random

        assert random.__file__ != str(path)


class TestRun:
    def test_result_tables(self, run, script):
        code, out, err = run("run", script, "--no-loud")
        assert code == 0
        assert "clock (seed 1, run 1)" in out
        assert "seen" in out
        assert "sha256:" in out
        assert err == ""

    def test_json_is_one_object_and_nothing_else(self, run, script):
        code, out, err = run("run", script, "--json", "--seed", "7", "--run=3")
        assert code == 0
        assert out.count("\n") == 1
        content = json.loads(out)
        assert content["scenario"] == "clock"
        assert content["metrics"] == {"seen": 10}
        assert content["tables"]["rows"] == {"columns": ["n"], "rows": [[0], [1], [2]]}
        assert (content["seed"], content["run"]) == (7, 3)
        assert "tick 1\n" in err

    def test_quiet(self, run, script):
        assert run("run", script, "--quiet", "--loud", "false") == (0, "", "")

    @pytest.mark.parametrize(
        ("arguments", "name", "value"),
        [
            (("--ticks", "3"), "ticks", 3),
            (("--ticks=3",), "ticks", 3),
            (("--period-time", "10ms"), "period_time", 0.01),
            (("--period_time", "10ms"), "period_time", 0.01),
            (("--mode", "fast"), "mode", "fast"),
            (("--loud",), "loud", True),
            (("--loud", "no"), "loud", False),
            (("--no-loud",), "loud", False),
        ],
    )
    def test_parameters(self, run, script, arguments, name, value):
        _, out, _ = run("run", script, "--json", *arguments)
        assert json.loads(out)["parameters"][name] == value

    @pytest.mark.parametrize(("until", "seen"), [("500ms", 5), ("1", 10), ("0.1", 1), ("0s", 0)])
    def test_until(self, run, script, until, seen):
        _, out, _ = run("run", script, "--json", "--until", until)
        assert json.loads(out)["metrics"]["seen"] == seen

    @pytest.mark.parametrize(
        ("arguments", "parts"),
        [
            (("--tiks", "5"), ("--tiks", "'5'", "did you mean 'ticks'?")),
            (("--tiks=5",), ("--tiks", "'5'", "did you mean 'ticks'?")),
            (("--zzz",), ("unknown option --zzz",)),
            (("--ticks", "-5"), ("--ticks", "at least 0", "'-5'")),
            (("--ticks", "2.5"), ("--ticks", "whole number", "'2.5'")),
            (("--ticks",), ("--ticks", "expected one argument")),
            (("--period-time", "-5s"), ("--period-time", "at least 0 s", "'-5s'")),
            (("--period-time", "5kg"), ("--period-time", "'kg'", "use ns or us or ms or s")),
            (("--period-time", "nan"), ("--period-time", "not a number")),
            (("--period-time", "-inf"), ("--period-time", "not finite")),
            (("--mode", "fst"), ("--mode", "'fst'", "did you mean 'fast'?", "slow, fast")),
            (("--loud", "maybe"), ("--loud", "'maybe'", "true or false")),
            (("--until", "3kg"), ("--until", "'kg'", "use ns")),
            (("--until", "-3s"), ("--until", "'-3s'", "negative")),
            (("--seed", "x"), ("--seed", "'x'", "whole number")),
            (("--seed", "0"), ("--seed", "at least 1")),
            (("--seed", str(2**70)), ("seed",)),
            (("--run", "-1"), ("--run", "at least 0")),
            (("--trace", "asci"), ("--trace", "'asci'", "did you mean 'ascii'?")),
            (("--trace", "ascii"), ("--trace", "nothing to trace")),
            (("--scheduler", "x"), ("--scheduler", "'x'", "heap, radix, sorted")),
            (("--profile", "x.txt"), ("--profile", "'x.txt'", ".html")),
            (("more",), ("unexpected argument 'more'",)),
        ],
    )
    def test_wrong_usage_names_option_value_and_what_is_right(
        self, run, script, tmp_path, monkeypatch, arguments, parts
    ):
        monkeypatch.chdir(tmp_path)
        code, out, err = run("run", script, *arguments)
        assert code == 2
        assert out == ""
        assert err.startswith("simcore: ")
        for part in parts:
            assert part in err

    def test_unknown_scenario(self, run, tmp_path, monkeypatch):
        package = tmp_path / "shown2"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "wifi_manager.py").write_text(SCRIPT)
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setattr(discover, "EXAMPLES", "shown2")
        code, _, err = run("run", "wifi-manger")
        assert code == 2
        assert "unknown scenario 'wifi-manger'; did you mean 'wifi-manager'?" in err

    def test_help(self, run, script):
        code, out, _ = run("run", script, "--help")
        assert code == 0
        for part in (
            "A clock that ticks.",
            "It ticks 100% of the time.",
            "--ticks INT",
            "number of ticks [10]",
            "[0.1 s]",
            "one of slow, fast [slow]",
            "--seed N",
        ):
            assert part in out

    def test_general_help_and_missing_name(self, run):
        code, out, _ = run("run", "--help")
        assert code == 0
        assert "--until" in out
        code, _, err = run("run")
        assert code == 2
        assert "no scenario named" in err

    def test_out(self, run, script, tmp_path):
        out = tmp_path / "a" / "b"
        assert run("run", script, "--quiet", "--no-loud", "--out", str(out))[0] == 0
        assert Results.load(out).metrics == {"seen": 10}

    def test_out_not_writable(self, run, script, tmp_path):
        (tmp_path / "file").write_text("")
        target = str(tmp_path / "file" / "out")
        code, out, err = run("run", script, "--out", target)
        assert code == 2
        assert "tick" not in out + err.replace("ticks", "")
        assert "--out" in err
        assert target in err

    def test_long_table_goes_to_a_file_only(self, run, script, tmp_path):
        code, out, err = run("run", script, "--json", "--rows", "10001")
        assert code == 0
        assert json.loads(out)["tables"] == {}
        assert "table 'rows' has 10,001 rows: give --out DIR" in err
        run("run", script, "--quiet", "--rows", "10001", "--out", str(tmp_path / "out"))
        assert Results.load(tmp_path / "out").tables["rows"].num_rows == 10_001

    def test_failure(self, run, script, tmp_path):
        out_folder = tmp_path / "out"
        code, out, err = run(
            "run", script, "--json", "--fail-at", "3", "--out", str(out_folder)
        )
        assert code == 1
        content = json.loads(out)
        assert content["status"] == "failed"
        assert content["metrics"] == {"seen": 2}
        assert "ZeroDivisionError: went wrong" in err
        assert "at 0.300000000 s" in err
        assert "Clock.tick" in err
        assert Results.load(out_folder).status == "failed"

    def test_profile(self, run, script, tmp_path):
        pytest.importorskip("pyinstrument")
        target = tmp_path / "profile.html"
        arguments = ("run", script, "--quiet", "--no-loud", "--sleep", "2ms")
        code, _, err = run(*arguments, "--profile", str(target))
        assert code == 0
        assert "<html" in target.read_text()
        code, _, err = run(*arguments, "--profile")
        assert code == 0
        assert "tick" in err


def test_interrupt_ends_with_130_and_marked_partial_results(script, tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(
        command(
            "run", script, "--json", "--ticks", "100000", "--period-time", "1ms", "--sleep", "1ms",
            "--total-time", "1000", "--out", str(out),
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    for tick in (1, 2, 3):
        assert process.stderr.readline() == f"tick {tick}\n"
    process.send_signal(signal.SIGINT)
    # Generous: the machine may be busy; if nobody looked at signals it would take 100 s.
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    content = json.loads(stdout)
    assert content["status"] == "interrupted"
    assert 0 < content["metrics"]["seen"] < 100_000
    assert "clock interrupted" in stderr
    assert Results.load(out).status == "interrupted"


def test_reader_that_leaves_is_no_traceback(script):
    process = subprocess.Popen(
        command("run", script, "--no-loud"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=30) == 1


def test_progress_bar_on_a_terminal(script):
    """On a pseudo-terminal the bar appears on stderr, and stdout stays one JSON object."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        command("run", script, "--json", "--no-loud", "--ticks", "2000",
                "--period-time", "1ms", "--sleep", "0.2ms"),
        stdout=subprocess.PIPE,
        stderr=slave,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
    )  # fmt: skip
    os.close(slave)
    shown = b""
    while True:
        ready, _, _ = select.select([master], [], [], 30)
        try:
            block = os.read(master, 65536) if ready else b""
        except OSError:
            block = b""
        if not block:
            break
        shown += block
    os.close(master)
    with process.stdout:
        assert json.loads(process.stdout.read())["metrics"] == {"seen": 2000}
    assert process.wait(timeout=30) == 0
    assert b"events/s" in shown
    assert b"of 2 s" in shown
