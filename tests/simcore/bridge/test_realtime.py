"""A run in step with the wall clock. Bounds are wide: the machine may be busy."""

import os
import signal
import socket
import threading
import time

import pytest

from simcore import Simulator, ms, seconds
from simcore.bridge import RealTime, RealTimeError


def test_an_event_waits_for_its_time():
    sim = Simulator(realtime=True)
    start = time.monotonic()
    at = []
    for delay in (20, 40, 60):
        sim.schedule(ms(delay), lambda: at.append(time.monotonic() - start))
    summary = sim.run()
    assert [a >= delay for a, delay in zip(at, (0.02, 0.04, 0.06), strict=True)] == [True] * 3
    assert summary.reason == "empty"
    assert sim.now() == ms(60)
    assert sim.pacer.lateness.count == 3


def test_waiting_costs_no_cpu_time():
    sim = Simulator(realtime=True)
    sim.schedule(ms(600), lambda: None)
    before = time.process_time()
    sim.run()
    assert time.process_time() - before < 0.2


def test_the_run_lasts_until_its_end_without_events():
    sim = Simulator(realtime=True)
    start = time.monotonic()
    assert sim.run(until=ms(50)).reason == "empty"
    assert time.monotonic() - start >= 0.05
    assert sim.now() == ms(50)


def test_speed_scales_the_clock():
    sim = Simulator(realtime=True, speed=1000)
    start = time.monotonic()
    sim.schedule(seconds(60), lambda: None)
    sim.run()
    assert 0.06 <= time.monotonic() - start < 5
    slow = Simulator(realtime=True, speed=0.5)
    start = time.monotonic()
    slow.run(until=ms(20))
    assert time.monotonic() - start >= 0.04


def test_time_between_runs_does_not_count():
    sim = Simulator(realtime=True)
    sim.run(until=ms(10))
    time.sleep(0.05)
    start = time.monotonic()
    sim.run(until=ms(40))
    assert time.monotonic() - start >= 0.03


def test_the_order_of_events_is_that_of_any_other_run():
    def order(sim):
        ran = []
        for i, delay in enumerate((3, 1, 2, 1, 3, 0)):
            sim.schedule(ms(delay), ran.append, i)
        sim.schedule(ms(1), lambda: sim.schedule(0, ran.append, "nested"))
        sim.run()
        return ran

    assert order(Simulator(realtime=True)) == order(Simulator())


def test_best_effort_catches_up_and_reports_lateness():
    sim = Simulator(realtime=True)
    sim.schedule(ms(1), time.sleep, 0.1)
    ran = []
    for delay in range(2, 50):
        sim.schedule(ms(delay), ran.append, delay)
    sim.run()
    assert ran == list(range(2, 50))
    assert sim.pacer.report()["late_max_ms"] >= 45


def test_a_hard_limit_fails_the_run():
    sim = Simulator()
    RealTime(sim, hard_limit=ms(20))
    sim.schedule(ms(1), time.sleep, 0.1)
    sim.schedule(ms(2), lambda: None)
    with pytest.raises(RealTimeError, match=r"2000000 ns is .* ms behind .* limit is 20\.000 ms"):
        sim.run()


def test_a_descriptor_wakes_the_run():
    sim = Simulator(realtime=True)
    ours, theirs = socket.socketpair()
    got = []

    def read():
        got.append((ours.recv(100), sim.now(), sim.context))
        sim.stop()

    watch = sim.pacer.watch(ours, read, context=7)
    threading.Timer(0.05, theirs.send, [b"hello"]).start()
    sim.run(until=seconds(30))
    [(data, when, context)] = got
    assert data == b"hello"
    assert ms(20) < when < seconds(30)
    assert context == 7
    watch.stop()
    watch.stop()
    ours.close()
    theirs.close()


def test_outside_bytes_never_turn_the_clock_back():
    sim = Simulator(realtime=True)
    ours, theirs = socket.socketpair()
    times = []
    sim.pacer.watch(ours, lambda: (ours.recv(1), times.append(sim.now())))
    for i in range(200):
        sim.schedule(ms(i) // 5, lambda: (theirs.send(b"x"), times.append(sim.now())))
    sim.run(until=ms(80))
    assert times == sorted(times)
    assert len(times) == 400


def test_calls_of_other_threads_keep_their_order_and_wake_the_run():
    sim = Simulator(realtime=True)
    got = []
    thread = threading.Thread(
        target=lambda: [
            time.sleep(0.02),
            *(sim.pacer.call(got.append, i) for i in range(1000)),
            sim.pacer.call(sim.stop),
        ]
    )
    thread.start()
    summary = sim.run(until=seconds(30))
    thread.join()
    assert got == list(range(1000))
    assert summary.reason == "stopped"
    assert sim.now() < seconds(30)


def test_a_callable_that_raises_fails_the_run_as_a_handler_does():
    sim = Simulator(realtime=True)
    sim.pacer.call(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sim.run(until=seconds(10))
    assert "lambda" in sim.failure.handler


def test_ctrl_c_ends_a_waiting_run():
    sim = Simulator(realtime=True)
    start = time.monotonic()
    threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            sim.run(until=seconds(60))
    finally:
        signal.signal(signal.SIGINT, old)
    assert time.monotonic() - start < 30


def test_progress_is_told_while_the_run_waits():
    sim = Simulator(realtime=True)
    told = []
    sim.run(until=ms(350), progress=lambda s: told.append(s.now()), progress_interval=0.05)
    assert told


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"speed is 0\.0: it must be positive"):
        Simulator(realtime=True, speed=0.0)
    with pytest.raises(ValueError, match="realtime=True only"):
        Simulator(speed=2.0)
    sim = Simulator(realtime=True)
    with pytest.raises(ValueError, match="has a pacer already"):
        RealTime(sim)
    with pytest.raises(ValueError, match="hard_limit is -1 ns"):
        RealTime(Simulator(), hard_limit=-1)
    with pytest.raises(TypeError, match="must be callable"):
        sim.pacer.call(3)


def test_a_pacer_of_ones_own_steps_the_run():
    class Steps:
        def __init__(self):
            self.granted = []

        def begin(self):
            self.granted.append("begin")

        def advance(self, limit):
            step = min(limit, sim.now() + ms(10))
            self.granted.append(step)
            sim.schedule_at(step, lambda: None)
            return step

    sim = Simulator()
    sim.pacer = Steps()
    ran = []
    sim.schedule(ms(15), ran.append, 15)
    sim.run(until=ms(30))
    assert ran == [15]
    assert sim.pacer.granted == ["begin", ms(10), ms(20), ms(30)]


def test_a_pacer_that_goes_back_is_refused():
    class Back:
        def begin(self): ...

        def advance(self, limit):
            return 0 if sim.now() else limit // 2

    sim = Simulator()
    sim.pacer = Back()
    sim.schedule(ms(1), lambda: None)
    with pytest.raises(ValueError, match="must not be before now"):
        sim.run(until=ms(10))
