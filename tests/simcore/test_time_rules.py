"""docs/time.md, sentence by sentence: the rule "until now" is tested by `test_until_now`."""

import gc
import math
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

from simcore import MS, NS, US, S, Simulator, Timer, minutes, ms, ns, seconds, us

END = 2**63 - 1
DOCUMENT = Path(__file__).parents[2] / "docs" / "time.md"


@pytest.fixture(params=["heap", "radix", "sorted"])
def sim(request):
    return Simulator(scheduler=request.param)


def test_every_rule_has_its_test():
    rules = re.findall(r"^- \*\*(.+?)\*\*", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rules) > 30
    names = {"test_" + re.sub(r"\W+", "_", rule) for rule in rules}
    assert names - set(globals()) == set()


def test_unit(sim):
    event = sim.schedule_at(END, print)
    assert event.time == END
    assert type(event.time) is int
    assert (NS, US, MS, S) == (1, 10**3, 10**6, 10**9)
    assert 292 < END / S / 86400 / 365.25 < 293


def test_conversion():
    assert ns(7) == 7
    assert us(9) == 9_000
    assert ms(2**40) == 2**40 * 10**6
    assert seconds(1.5) == 1_500_000_000
    assert minutes(2) == 120 * S
    assert [ns(0.5), ns(1.5), ns(2.5)] == [0, 2, 2]
    assert seconds(0.1 + 0.2) == 300_000_000


@pytest.mark.parametrize("value", [1.0, 0.5, np.float64(2)])
def test_floats(sim, value):
    with pytest.raises(TypeError, match="whole nanoseconds"):
        sim.schedule(value, print)
    with pytest.raises(TypeError, match="time is the float"):
        sim.schedule_at(value, print)
    with pytest.raises(TypeError, match="until is the float"):
        sim.run(until=value)
    with pytest.raises(TypeError, match="whole nanoseconds"):
        Timer(sim, print).arm(value)
    assert sim.pending_events == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_not_finite(sim, value):
    with pytest.raises(ValueError, match=r"delay is (nan|inf|-inf)"):
        sim.schedule(value, print)
    with pytest.raises(ValueError, match="until is"):
        sim.run(until=value)
    assert sim.pending_events == 0


@pytest.mark.parametrize("value", [-1, -(2**63), -(2**70), np.int64(-3)])
def test_negative(sim, value):
    with pytest.raises(ValueError, match=f"delay is {value} ns: it must not be negative"):
        sim.schedule(value, print)
    with pytest.raises(ValueError, match="must not be negative"):
        Timer(sim, print).arm(value)
    sim.run(until=10)
    with pytest.raises(ValueError, match="time is 9 ns: it must not be before now, 10 ns"):
        sim.schedule_at(9, print)
    assert sim.pending_events == 0


def test_overflow(sim):
    for delay in (2**63, 2**64, 2**100):
        with pytest.raises(OverflowError, match="end of time"):
            sim.schedule(delay, print)
    sim.run(until=5)
    with pytest.raises(OverflowError, match="past the end of time"):
        sim.schedule(END - 4, print)
    assert sim.pending_events == 0
    ran = []
    sim.schedule(END - 5, lambda: ran.append(sim.now()))
    sim.run()
    assert ran == [END]
    with pytest.raises(OverflowError):
        sim.schedule(1, print)
    sim.schedule(0, ran.append, "last")
    sim.run()
    assert ran == [END, "last"]


def test_start(sim):
    assert sim.now() == 0
    assert sim.now_seconds() == 0.0


def test_clock(sim):
    seen = []

    def look():
        seen.append(sim.now())
        assert sim.now() is sim.now()

    for time_ns in (30, 10, 10**15, 20):
        sim.schedule(time_ns, look)
    assert sim.now() == 0
    sim.run()
    assert seen == [10, 20, 30, 10**15]
    assert sim.now() == 10**15
    assert sim.now_seconds() == 1e6


def test_no_globals():
    one, two = Simulator(seed=3), Simulator(seed=3)
    one.schedule(5, print)
    one.registry["x"] = 1
    assert two.pending_events == 0
    assert two.registry == {}
    one.run(until=7)
    assert two.now() == 0
    assert [one.new_uid(), one.new_uid(), two.new_uid()] == [1, 2, 1]
    assert one.random.stream(1) is not two.random.stream(1)
    assert one.random.stream(1).uniform(0, 1) == two.random.stream(1).uniform(0, 1)
    # One may even run inside a handler of the other.
    one.schedule(1, two.run, 100)
    one.run()
    assert (one.now(), two.now()) == (8, 100)


def test_order(sim):
    ran = []
    for delay in (500, 3, 10**12, 4, 0, 499):
        sim.schedule(delay, ran.append, delay)
    sim.run()
    assert ran == [0, 3, 4, 499, 500, 10**12]


def test_ties(sim):
    ran = []
    for i in range(100):
        sim.schedule(7, ran.append, i)
        sim.schedule_at(7, ran.append, i + 0.5)
    sim.run()
    assert ran == [i / 2 for i in range(200)]


def test_now(sim):
    ran = []

    def first():
        sim.schedule(0, ran.append, "scheduled first")
        sim.schedule_now(ran.append, "scheduled second")
        sim.schedule_at(5, ran.append, "scheduled third")
        ran.append("first")

    sim.schedule(5, first)
    sim.schedule(5, ran.append, "already due")
    sim.schedule(6, ran.append, "later")
    sim.run()
    assert ran == [
        "first", "already due", "scheduled first", "scheduled second", "scheduled third", "later",
    ]


def test_schedulers():
    logs = []
    for scheduler in ("heap", "radix", "sorted"):
        sim = Simulator(scheduler=scheduler)
        log: list[tuple[int, int]] = []

        def step(number, sim=sim, log=log):
            log.append((sim.now(), number))
            if number < 3000:
                sim.schedule(number * 7919 % 64, step, number + 64)

        for i in range(64):
            sim.schedule(i % 5, step, i)
        sim.run()
        logs.append(log)
    assert len(logs[0]) > 3000
    assert logs[0] == logs[1] == logs[2]


def test_boundary(sim):
    ran = []
    sim.schedule(10, lambda: sim.schedule(0, ran.append, "scheduled at the boundary"))
    sim.schedule(10, ran.append, "at the boundary")
    sim.schedule(11, ran.append, "behind it")
    assert sim.run(until=10).reason == "until"
    assert ran == ["at the boundary", "scheduled at the boundary"]


def test_until(sim):
    sim.schedule(4, list)
    summary = sim.run(until=10)
    assert (summary.events, summary.sim_time, summary.reason) == (1, 10, "empty")
    assert sim.now() == 10
    sim.schedule(20, list)
    summary = sim.run(until=15)
    assert (summary.events, summary.sim_time, summary.reason) == (0, 15, "until")
    assert sim.next_event_time == 30


def test_until_now(sim):
    ran = []
    sim.run(until=10)
    sim.schedule(0, ran.append, 1)
    sim.schedule(1, ran.append, 2)
    sim.run(until=sim.now())
    assert ran == [1]
    with pytest.raises(ValueError, match="until is 9 ns: it must not be before now, 10 ns"):
        sim.run(until=9)
    sim.run(until=10)
    assert ran == [1]


def test_without_until(sim):
    sim.schedule(4, lambda: sim.schedule(4, list))
    summary = sim.run()
    assert (summary.events, summary.sim_time, summary.reason) == (2, 8, "empty")
    assert sim.now() == 8


def test_empty(sim):
    summary = sim.run()
    assert (summary.events, summary.sim_time, summary.reason) == (0, 0, "empty")
    assert sim.next_event_time is None
    assert sim.pending_events == 0


def test_stop(sim):
    ran = []

    def halt():
        sim.stop()
        ran.append("rest of the handler")

    sim.schedule(5, halt)
    sim.schedule(5, ran.append, "same time")
    summary = sim.run(until=100)
    assert ran == ["rest of the handler"]
    assert (summary.reason, summary.sim_time, sim.now()) == ("stopped", 5, 5)
    summary = sim.run(until=100)
    assert ran == ["rest of the handler", "same time"]
    assert (summary.reason, sim.now()) == ("empty", 100)


def test_stop_later(sim):
    ran = []
    sim.schedule(5, ran.append, "before the call")
    sim.stop(5)
    sim.schedule(5, ran.append, "after the call")
    assert sim.run().reason == "stopped"
    assert ran == ["before the call"]
    assert sim.now() == 5


def test_stop_outside(sim):
    ran = []
    sim.schedule(5, ran.append, 1)
    sim.stop()
    assert sim.run().reason == "empty"
    assert ran == [1]


def test_nested(sim):
    sim.schedule(5, sim.run)
    with pytest.raises(RuntimeError, match="called by a handler"):
        sim.run()
    assert sim.run().reason == "empty"


def test_cancel(sim):
    ran = []
    event = sim.schedule(5, ran.append, 1)
    assert event.pending
    assert event.cancel() is True
    assert not event.pending
    assert sim.pending_events == 0
    assert sim.next_event_time is None
    sim.run()
    assert ran == []


def test_cancel_twice(sim):
    event = sim.schedule(5, print)
    assert [event.cancel(), event.cancel()] == [True, False]
    results = []
    running = sim.schedule(5, lambda: results.append(running.cancel()))
    sim.run()
    assert results == [False]
    assert running.cancel() is False
    # The place of an event that ran may belong to another one by now.
    other = sim.schedule(5, print)
    assert running.cancel() is False
    assert other.pending
    assert event.time == 5


def test_cancel_keeps_order(sim):
    ran = []
    events = [sim.schedule(i * 37 % 50, ran.append, (i * 37 % 50, i)) for i in range(500)]
    for event in events[::3]:
        event.cancel()
    kept = [(i * 37 % 50, i) for i in range(500) if i % 3]
    sim.run()
    assert ran == sorted(kept)


def test_re_arm(sim):
    ran = []
    timer = Timer(sim, ran.append, "timer")
    timer.arm(5)
    sim.schedule(10, ran.append, "due at 10")
    timer.arm(10)
    sim.schedule(10, ran.append, "also due at 10")
    assert (timer.pending, timer.time, sim.pending_events) == (True, 10, 3)
    sim.run()
    assert ran == ["due at 10", "timer", "also due at 10"]
    timer.arm(7)
    timer.arm(3)
    sim.run()
    assert sim.now() == 13
    assert ran.count("timer") == 2


def test_re_arm_itself(sim):
    times = []

    def tick():
        times.append(sim.now())
        if len(times) < 4:
            timer.arm(10)

    timer = Timer(sim, tick)
    timer.arm(0)
    sim.run()
    assert times == [0, 10, 20, 30]
    assert timer.cancel() is False


def test_clear(sim):
    events = [sim.schedule(i, print) for i in range(10)]
    sim.clear()
    assert sim.pending_events == 0
    assert not any(event.pending for event in events)
    assert sim.run().events == 0


def fail_here():
    raise LookupError("no such thing")


def test_exception(sim):
    sim.schedule_in_context(4, ms(1.5), fail_here)
    with pytest.raises(LookupError, match="no such thing") as caught:
        sim.run()
    assert type(caught.value) is LookupError
    (note,) = caught.value.__notes__
    assert "at 0.001500000 s" in note
    assert "node 4" in note
    assert "fail_here" in note
    assert (sim.failure.time, sim.failure.context) == (1_500_000, 4)
    assert sim.failure.handler.endswith("fail_here")
    assert sim.failure.error is caught.value


def test_after_an_exception(sim):
    ran = []
    sim.schedule(5, fail_here)
    sim.schedule(5, ran.append, 1)
    with pytest.raises(LookupError):
        sim.run(until=100)
    assert (sim.now(), sim.pending_events, sim.context) == (5, 1, -1)
    assert sim.run(until=100).reason == "empty"
    assert ran == [1]
    assert sim.failure is None


PROGRAMS = {
    "python handlers": """
        def tick():
            sim.schedule(1, tick)
        sim.schedule(1, tick)
    """,
    "compiled handlers": """
        timer = Timer.__new__(Timer)
        timer.__init__(sim, timer.arm, 1)
        timer.arm(1)
    """,
    "one long handler": """
        def spin():
            while True:
                pass
        sim.schedule(1, spin)
    """,
}


def seconds_to_interrupt(program):
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy(),
    )
    try:
        assert process.stdout.readline() == "running\n"
        time.sleep(0.05)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")
    word, moment = output.split()
    assert word == "flushed"
    return float(moment) - sent


@pytest.mark.parametrize("scheduler", ["heap", "radix"])
@pytest.mark.parametrize("kind", PROGRAMS)
def test_interrupt(kind, scheduler):
    program = (
        textwrap.dedent(f"""
        import sys, time
        sys.stdout.reconfigure(line_buffering=True)
        from simcore import Simulator, Timer

        class Writer:
            def flush(self):
                print("flushed", time.time())

        sim = Simulator(scheduler={scheduler!r})
        sim.add_flusher(Writer())
        sim.schedule(1, print, "running")
        """)
        + textwrap.dedent(PROGRAMS[kind])
        + "sim.run()\n"
    )
    # The best of three: the machine may be busy with other tests.
    assert min(seconds_to_interrupt(program) for _ in range(3)) < 0.1


class Writer:
    def __init__(self, log, name, error=None):
        self.log, self.name, self.error = log, name, error

    def flush(self):
        self.log.append(self.name)
        if self.error:
            raise self.error


def test_flush(sim):
    log = []
    first, second = Writer(log, "first"), Writer(log, "second")
    sim.add_flusher(first)
    sim.add_flusher(second)
    sim.add_flusher(first)
    sim.run()
    assert log == ["first", "second"]
    sim.schedule(1, sim.stop)
    sim.run()
    sim.schedule(1, fail_here)
    with pytest.raises(LookupError):
        sim.run()
    assert log == ["first", "second"] * 3
    sim.remove_flusher(first)
    sim.remove_flusher(first)
    sim.run()
    assert log[6:] == ["second"]
    with pytest.raises(TypeError, match="flush"):
        sim.add_flusher(3)


def test_flush_errors(sim):
    log = []
    sim.add_flusher(Writer(log, "full", OSError("disk full")))
    sim.add_flusher(Writer(log, "good"))
    with pytest.raises(OSError, match="disk full"):
        sim.run()
    assert log == ["full", "good"]
    sim.schedule(1, fail_here)
    with pytest.raises(LookupError) as caught:
        sim.run()
    assert log == ["full", "good"] * 2
    assert any("disk full" in note for note in caught.value.__notes__)


def test_context(sim):
    seen = []

    def look(name):
        seen.append((name, sim.context))

    def sender():
        sim.schedule(1, look, "inherited")
        sim.schedule_in_context(9, 1, look, "other")
        timer.arm(2)

    timer = Timer(sim, look, "timer")
    assert sim.context == -1
    event = sim.schedule_in_context(3, 1, sender)
    assert event.node == 3
    sim.schedule(1, look, "outside")
    sim.run()
    assert sim.context == -1
    assert seen == [("outside", -1), ("inherited", 3), ("other", 9), ("timer", 3)]
    with pytest.raises(ValueError, match="context is -2"):
        sim.schedule_in_context(-2, 1, look, "x")


class Thing:
    def method(self, *args):
        pass


def test_release(sim):
    thing, argument = Thing(), Thing()
    watch, watch_argument = weakref.ref(thing), weakref.ref(argument)
    event = sim.schedule(1, thing.method, argument)
    other = Thing()
    watch_cancelled = weakref.ref(other)
    cancelled = sim.schedule(1, other.method)
    cancelled.cancel()
    del thing, argument, other
    assert watch_cancelled() is None
    sim.run()
    assert watch() is None
    assert watch_argument() is None
    assert (event.time, cancelled.time) == (1, 1)


def test_garbage(sim):
    states = []
    assert gc.isenabled()
    sim.schedule(1, lambda: states.append(gc.isenabled()))
    sim.run()
    assert states == [False]
    assert gc.isenabled()
    sim.schedule(1, fail_here)
    with pytest.raises(LookupError):
        sim.run()
    assert gc.isenabled()
    gc.disable()
    try:
        sim.run()
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("scheduler", ["heap", "radix", "sorted"])
def test_never_fires(scheduler):
    sim = Simulator(scheduler=scheduler)
    thing = Thing()
    watch = weakref.ref(thing)
    thing.sim = sim
    thing.event = sim.schedule(10, thing.method, thing)
    thing.timer = Timer(sim, thing.method)
    thing.timer.arm(10)
    sim.run(until=5)
    del thing, sim
    gc.collect()
    assert watch() is None
