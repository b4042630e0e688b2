"""Scenarios: declared parameters, checks, and runs that give results."""

import math
from pathlib import Path
from typing import Literal

import pytest

from simcore import ParameterError, Scenario, ms, parameter, seconds
from simcore.results import Results


class Clock(Scenario):
    """A clock that ticks.

    It draws a number at each tick.
    """

    ticks: int = parameter(10, min=0, max=1000, help="number of ticks")
    period: float = parameter("100ms", unit="s", help="time between two ticks")
    rate: float = parameter("0.512kbps", unit="bit/s")
    data_rate: str = parameter("11Mbps", unit="bit/s")
    speed: float = parameter(20, unit="m/s", max=100)
    area: tuple[float, float] = parameter("300x1500", unit="m")
    mode: str = parameter("slow", choices=["slow", "fast"])
    kind: Literal["a", "b"] = parameter("a")
    loud: bool = parameter(False)
    file: str | None = parameter(None)
    guard: int = parameter(800, unit="ns")
    total_time: float = parameter(2, unit="s")
    fail_at: int | None = parameter(None)

    def build(self, sim):
        self.seen = 0
        self.draws = []
        self.stream = sim.random.stream(1)
        for tick in range(1, self.ticks + 1):
            sim.schedule_at(tick * seconds(self.period), self.tick, tick)

    def tick(self, tick):
        if tick == self.fail_at:
            raise ZeroDivisionError("tick went wrong")
        self.seen += 1
        self.draws.append(self.stream.uniform(0.0, 1.0))

    def report(self, sim):
        return {"seen": self.seen, "last": self.draws[-1] if self.draws else math.nan}

    def tables(self, sim):
        return {"draws": {"n": list(range(self.seen)), "u": self.draws}}


def test_defaults_are_checked_and_converted():
    clock = Clock()
    assert clock.period == 0.1
    assert clock.rate == 512.0
    assert type(clock.rate) is float
    assert clock.data_rate == "11Mbps"
    assert clock.speed == 20.0
    assert clock.area == (300.0, 1500.0)
    assert clock.parameter_values()["area"] == [300.0, 1500.0]


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("ticks", "20", 20),
        ("ticks", 20.0, 20),
        ("period", "1.5s", 1.5),
        ("period", "10ms", 0.01),
        ("period", 3, 3.0),
        ("rate", "2Mbps", 2e6),
        ("rate", "64", 64.0),
        ("speed", "36 km/h", 10.0),
        ("area", "10x20", (10.0, 20.0)),
        ("area", (1, 2), (1.0, 2.0)),
        ("area", "1,2", (1.0, 2.0)),
        ("mode", "fast", "fast"),
        ("kind", "b", "b"),
        ("loud", "yes", True),
        ("loud", "false", False),
        ("loud", 1, True),
        ("file", "x.tcl", "x.tcl"),
        ("file", "none", None),
        ("guard", "1.6us", 1600),
        ("fail_at", None, None),
        ("fail_at", "3", 3),
    ],
)
def test_accepted_values(name, given, value):
    result = getattr(Clock.from_parameters({name: given}), name)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("ticks", -1, "ticks must be at least 0, not -1"),
        ("ticks", "1001", "ticks must be at most 1000, not '1001'"),
        ("ticks", 2.5, "ticks must be a whole number, not 2.5"),
        ("ticks", "2.5", "ticks must be a whole number"),
        ("ticks", "3 kg", "ticks"),
        ("ticks", "many", "ticks has no number: 'many'"),
        ("ticks", True, "ticks must be a whole number, not bool True"),
        ("ticks", None, "ticks needs a value, not None"),
        ("period", -1, "period must be at least 0 s, not -1"),
        ("period", "3kg", "wrong unit 'kg' for period: use ns or us"),
        ("period", math.nan, "period must be a finite number, not nan"),
        ("period", "nan", "period is not a number"),
        ("period", math.inf, "period must be a finite number"),
        ("period", [1], "period must be a number, not list"),
        ("speed", "20kg", "wrong unit 'kg' for speed: use m/s or km/h"),
        ("speed", "101m/s", "speed must be at most 100 m/s"),
        ("data_rate", "11Mfoo", "wrong unit 'Mfoo' for data_rate"),
        ("area", "10", "area must be two lengths in m"),
        ("area", (1, math.nan), "area must be a finite number"),
        ("area", "1,2,3", "area must be 2 numbers, not '1,2,3'"),
        ("area", 5, "area must be a list of numbers"),
        ("mode", "fastt", r"mode cannot be 'fastt' \(did you mean 'fast'\?\); it is one of: slow"),
        ("kind", "c", "kind cannot be 'c'; it is one of: a, b"),
        ("loud", "maybe", "loud must be true or false, not 'maybe'"),
        ("file", 5, "file must be a text, not int 5"),
        ("guard", "1.5ns", "guard must be a whole number"),
        ("tickz", 1, "clock has no parameter 'tickz'; did you mean ticks?"),
        ("zzz", 1, "clock has no parameter 'zzz'$"),
    ],
)
def test_refused_values_name_parameter_value_and_what_is_right(name, given, message):
    with pytest.raises(ParameterError, match=message) as caught:
        Clock.from_parameters({name: given})
    assert caught.value.parameter == name


def test_setting_an_attribute_is_checked_too():
    clock = Clock()
    with pytest.raises(ParameterError, match="ticks"):
        clock.ticks = -1
    clock.period = "1min"
    assert clock.period == 60.0


def test_name_and_description():
    class WifiManager(Scenario):
        pass

    class NFDForwarding(Scenario):
        pass

    assert Clock.scenario_name() == "clock"
    assert WifiManager.scenario_name() == "wifi-manager"
    assert NFDForwarding.scenario_name() == "nfd-forwarding"
    assert Clock.description().splitlines()[0] == "A clock that ticks."
    assert WifiManager.description() == ""


def test_inheritance_adds_and_overrides_parameters():
    class Faster(Clock):
        period: float = parameter("1ms", unit="s")
        extra: int = 1

    assert list(Faster.parameters())[:2] == ["ticks", "period"]
    assert Faster().period == 0.001
    assert Faster.parameters()["extra"].default == 1
    assert Clock().period == 0.1
    assert "extra" not in Clock.parameters()


def test_bad_declarations():
    class NoDefault(Scenario):
        size: int

    class BadType(Scenario):
        sizes: dict = parameter(None)

    class BadDefault(Scenario):
        size: int = parameter(-1, min=0)

    with pytest.raises(TypeError, match=r"NoDefault\.size needs a default"):
        NoDefault.parameters()
    with pytest.raises(TypeError, match=r"BadType\.sizes has the type"):
        BadType.parameters()
    with pytest.raises(ParameterError, match="size must be at least 0"):
        BadDefault.parameters()


def test_help_texts():
    texts = {name: item.default_text for name, item in Clock.parameters().items()}
    assert texts["ticks"] == "10"
    assert texts["period"] == "0.1 s"
    assert texts["rate"] == "512bps"
    assert texts["data_rate"] == "11Mbps"
    assert texts["area"] == "300x1500 m"
    assert texts["loud"] == "false"
    assert texts["file"] == "none"
    assert Clock.parameters()["mode"].type_text == "slow|fast"


def test_run():
    results = Clock(ticks=5).run(seed=3, run=2)
    assert isinstance(results, Results)
    assert results.scenario == "clock"
    assert results.metrics["seen"] == results.events == 5
    assert results.sim_time_s == 2.0
    assert (results.seed, results.run) == (3, 2)
    assert results.parameters["ticks"] == 5
    assert results.tables["draws"].num_rows == 5
    assert results.status == "done"
    assert results.wall_time_s > 0


def test_same_inputs_same_digest_other_inputs_other_digest():
    digest = Clock().run(seed=1, run=1).digest
    assert Clock().run(seed=1, run=1).digest == digest
    assert Clock().run(seed=1, run=1, scheduler="sorted").digest == digest
    assert Clock().run(seed=1, run=1, progress=lambda progress: None).digest == digest
    assert Clock().run(seed=2, run=1).digest != digest
    assert Clock().run(seed=1, run=2).digest != digest


@pytest.mark.parametrize(
    ("until", "seen"),
    [("500ms", 5), (ms(499), 4), (0, 0), ("0s", 0), (None, 10)],
)
def test_until_includes_its_own_time(until, seen):
    assert Clock().run(until=until).metrics["seen"] == seen


@pytest.mark.parametrize("until", ["-1s", -1, "5kg", "5", 1.5, "nans"])
def test_bad_until(until):
    with pytest.raises(ParameterError, match="until"):
        Clock().run(until=until)


def test_without_total_time_a_run_ends_with_the_last_event():
    class Short(Scenario):
        def build(self, sim):
            sim.schedule(ms(3), lambda: None)

    results = Short().run()
    assert results.sim_time_s == 0.003
    assert Short().horizon() is None


def test_total_time_unit():
    class InMinutes(Scenario):
        total_time: float = parameter(2, unit="min")

    assert InMinutes().horizon() == seconds(120)
    assert InMinutes(total_time="30s").horizon() == seconds(30)


def test_out_folder(tmp_path):
    results = Clock().run(out=tmp_path / "new" / "out")
    loaded = Results.load(tmp_path / "new" / "out")
    assert loaded.digest == results.digest
    assert loaded.to_dict()["metrics"] == results.to_dict()["metrics"]


def test_out_that_cannot_be_written_is_found_before_the_run(tmp_path):
    (tmp_path / "file").write_text("")
    built = []

    class Watched(Clock):
        def build(self, sim):
            built.append(sim)

    with pytest.raises(OSError, match="file"):
        Watched().run(out=tmp_path / "file" / "out")
    assert built == []


def test_failure_keeps_partial_results(tmp_path):
    partial = []
    with pytest.raises(ZeroDivisionError, match="tick went wrong"):
        Clock(fail_at=4).run(out=tmp_path, on_partial=partial.append)
    [results] = partial
    assert results.status == "failed"
    assert results.metrics["seen"] == 3
    assert "ZeroDivisionError: tick went wrong" in results.error
    assert "at 0.4" in results.error
    assert Results.load(tmp_path).status == "failed"


def test_interrupt_keeps_partial_results(tmp_path):
    class Interrupted(Clock):
        def tick(self, tick):
            super().tick(tick)
            if tick == 6:
                raise KeyboardInterrupt

    partial = []
    with pytest.raises(KeyboardInterrupt):
        Interrupted().run(out=tmp_path, on_partial=partial.append)
    assert partial[0].status == "interrupted"
    assert partial[0].metrics["seen"] == 6
    assert Results.load(tmp_path).status == "interrupted"


def test_a_report_that_needs_the_end_does_not_hide_the_failure():
    class Fragile(Clock):
        def report(self, sim):
            raise KeyError("not yet")

    partial = []
    with pytest.raises(ZeroDivisionError):
        Fragile(fail_at=1).run(on_partial=partial.append)
    assert partial[0].metrics == {}


def test_progress_is_reported():
    class Busy(Scenario):
        total_time: float = parameter(1, unit="s")

        def build(self, sim):
            self.sim = sim
            sim.schedule(ms(0), self.step)

        def step(self):
            import time

            time.sleep(0.0002)
            self.sim.schedule(ms(1) // 2, self.step)

    seen = []
    Busy().run(progress=seen.append)
    assert seen
    for progress in seen:
        assert 0 <= progress.sim_time <= progress.until == seconds(1)
        assert progress.events > 0
        assert progress.wall_time > 0


def test_build_is_required():
    class Empty(Scenario):
        pass

    with pytest.raises(NotImplementedError, match="Empty must define build"):
        Empty().run()


@pytest.mark.parametrize("trace", [["asci"], "pdf"])
def test_unknown_trace_kind(trace):
    with pytest.raises(ParameterError, match="it is one of: ascii, pcap, table"):
        Clock().run(trace=trace)


def test_nothing_to_trace():
    with pytest.raises(ParameterError, match="clock has nothing to trace"):
        Clock().run(trace=["ascii"])


def test_two_runs_share_nothing():
    first, second = Clock(), Clock(ticks=3)
    results = [first.run(), second.run(), first.run()]
    assert results[0].digest == results[2].digest != results[1].digest


@pytest.mark.parametrize("failure", ["open", "parse"])
def test_a_file_parameter_that_does_not_serve_is_wrong_usage(tmp_path, failure):
    class FileError(ValueError):
        def __init__(self, path):
            super().__init__(f"{path}, line 3: nonsense")
            self.path = path

    class Reader(Scenario):
        file: str = parameter("")
        other: str = parameter("")

        def build(self, sim):
            if failure == "open":
                Path(self.file).read_bytes()
            raise FileError(self.file)

    missing = str(tmp_path / "missing")
    with pytest.raises(ParameterError, match=r"file: .*missing") as caught:
        Reader(file=missing).run(out=tmp_path / "out")
    assert caught.value.parameter == "file"
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_other_errors_of_build_stay_what_they_are():
    class Broken(Scenario):
        file: str = parameter("x")

        def build(self, sim):
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken") as caught:
        Broken().run()
    assert not isinstance(caught.value, ParameterError)


def test_the_file_is_blamed_and_not_a_parameter_that_looks_like_its_beginning(tmp_path):
    class Reader(Scenario):
        """Two texts, of which one is a path."""

        kind: str = parameter("short")
        prefix: str | None = parameter(None)
        file: str | None = parameter(None)

        def build(self, sim):
            Path(self.file or f"{self.prefix}rates.txt").read_text()

    folder = str(tmp_path)
    for given, name in (
        ({"kind": folder, "file": f"{folder}/none"}, "file"),
        ({"kind": "long", "prefix": f"{folder}/x"}, "prefix"),
    ):
        with pytest.raises(ParameterError) as caught:
            Reader(**given).run()
        assert caught.value.parameter == name
    with pytest.raises(FileNotFoundError):
        Reader(prefix=None, file=None, kind="long").run()
