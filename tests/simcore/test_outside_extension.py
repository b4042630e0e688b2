"""A stranger's extension, compiled against the `.pxd` files that are installed."""

import gc
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import textwrap
import threading
import time
import weakref
from pathlib import Path

import pytest

import simcore
from simcore import Simulator

SOURCE = '''
cimport cython
from libc.stdint cimport int32_t, int64_t
from simcore.simulator cimport (
    MAX_TIME, NO_CONTEXT, Event, NativeTimer, Simulator, TimerHandler, native_timer,
)


@cython.final
@cython.no_gc
cdef class Beacon(Event):
    """Runs every `period` nanoseconds, `left` times."""
    cdef Simulator simulator
    cdef int64_t period
    cdef readonly int64_t left

    cdef int fire(self) except -1:
        self.left -= 1
        if self.left == 0:
            return 0
        return self.simulator.schedule_event(self.period, self)


def start_beacon(Simulator sim, int64_t period, int64_t left, int32_t context=NO_CONTEXT):
    cdef Beacon beacon = Beacon.__new__(Beacon)
    beacon.simulator = sim
    beacon.period = period
    beacon.left = left
    sim.schedule_event_in(context, period, beacon)
    return beacon


cdef class Faulty(Event):
    cdef int fire(self) except -1:
        raise LookupError("from compiled code")

    cdef str describe(self):
        return "a faulty event"


def schedule_faulty(Simulator sim, int64_t delay, int32_t context):
    sim.schedule_event_in(context, delay, Faulty.__new__(Faulty))


def schedule_beacon_again(Beacon beacon, int64_t delay):
    beacon.simulator.schedule_event(delay, beacon)


cdef class Station:
    """Keeps a timer and refers to its simulator, as models do."""
    cdef Simulator sim
    cdef NativeTimer timer
    cdef readonly list times
    cdef object __weakref__

    def __init__(self, Simulator sim):
        self.sim = sim
        self.times = []
        self.timer = native_timer(sim, <TimerHandler>on_timer, self)

    def arm(self, int64_t delay):
        self.timer.arm(delay)

    def disarm(self):
        self.timer.disarm()

    @property
    def armed(self):
        return self.timer.pending


cdef int on_timer(Station station) except -1:
    station.times.append((station.sim.now_ns, station.sim.current_context))
    return 0


def end_of_time():
    return MAX_TIME
'''

SETUP = """
from Cython.Build import cythonize
from setuptools import Extension, setup
setup(
    name="stranger",
    ext_modules=cythonize(
        [Extension("stranger", ["stranger.pyx"], extra_compile_args=["-Wall", "-Werror"])],
        language_level=3, quiet=True, include_path=[{include!r}],
    ),
    script_args=["-q", "build_ext", "--inplace"],
)
"""


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    pytest.importorskip("Cython")
    if shutil.which(sysconfig.get_config_var("CC").split()[0]) is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("stranger")
    (folder / "stranger.pyx").write_text(SOURCE)
    # From the installed package, wherever it lies; nothing of the source tree's build is used.
    include = str(Path(simcore.__file__).parents[1])
    (folder / "setup.py").write_text(SETUP.format(include=include))
    result = subprocess.run(
        [sys.executable, "setup.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "warning" not in (result.stdout + result.stderr).lower()
    path = folder / ("stranger" + sysconfig.get_config_var("EXT_SUFFIX"))
    spec = importlib.util.spec_from_file_location("stranger", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["heap", "radix", "sorted"])
def sim(request):
    return Simulator(scheduler=request.param)


def test_native_event(stranger, sim):
    beacon = stranger.start_beacon(sim, 10, 5)
    assert beacon.pending
    assert (beacon.time, beacon.node) == (10, -1)
    summary = sim.run()
    assert (summary.events, summary.sim_time, beacon.left) == (5, 50, 0)
    assert not beacon.pending
    assert stranger.end_of_time() == 2**63 - 1


def test_native_events_and_callbacks_share_one_order(stranger, sim):
    log = []
    sim.schedule(20, log.append, "before")
    beacon = stranger.start_beacon(sim, 20, 1)
    sim.schedule(20, lambda: log.append(beacon.left))
    sim.run()
    assert log == ["before", 0]


def test_cancel_and_schedule_again(stranger, sim):
    beacon = stranger.start_beacon(sim, 10, 5)
    with pytest.raises(ValueError, match="already scheduled"):
        stranger.schedule_beacon_again(beacon, 3)
    assert beacon.cancel() is True
    assert sim.run().events == 0
    stranger.schedule_beacon_again(beacon, 3)
    assert sim.run().events == 5
    with pytest.raises(ValueError, match="delay is -1 ns: it must not be negative"):
        stranger.schedule_beacon_again(beacon, -1)
    with pytest.raises(OverflowError, match="past the end of time"):
        stranger.schedule_beacon_again(beacon, 2**63 - 1)
    assert sim.pending_events == 0


def test_failure_names_the_event(stranger, sim):
    stranger.schedule_faulty(sim, 1_000, 6)
    with pytest.raises(LookupError, match="from compiled code") as caught:
        sim.run()
    assert caught.value.__notes__ == [
        "simcore: at 0.000001000 s, node 6, in a faulty event"
    ]


def test_timer(stranger, sim):
    station = stranger.Station(sim)
    station.disarm()
    station.arm(10)
    station.arm(20)
    assert station.armed
    sim.run()
    assert station.times == [(20, -1)]
    sim.schedule_in_context(3, 5, station.arm, 7)
    sim.run()
    assert station.times == [(20, -1), (32, 3)]
    station.arm(1)
    station.disarm()
    assert sim.run().events == 0
    with pytest.raises(ValueError, match="negative"):
        station.arm(-1)
    with pytest.raises(OverflowError, match="end of time"):
        station.arm(2**63 - 1)


def test_armed_timer_does_not_keep_its_simulator(stranger, sim):
    station = stranger.Station(sim)
    watch = weakref.ref(station)
    other = Simulator()
    abandoned = stranger.Station(other)
    watch_abandoned = weakref.ref(abandoned)
    abandoned.arm(5)
    station.arm(5)
    del abandoned, other
    gc.collect()
    assert watch_abandoned() is None
    assert watch() is station


def test_interrupt_in_a_loop_of_native_events(stranger):
    program = textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {str(Path(stranger.__file__).parent)!r})
        import stranger
        from simcore import Simulator
        sim = Simulator()
        beacon = stranger.start_beacon(sim, 1, 2**62)
        print("running", flush=True)
        try:
            sim.run()
        except KeyboardInterrupt:
            print(time.time(), beacon.pending, flush=True)
            raise
    """)
    # The best of three: the machine may be busy with other tests.
    assert min(seconds_to_interrupt(program) for _ in range(3)) < 0.1


def seconds_to_interrupt(program):
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy(),
    )
    try:
        assert process.stdout.readline() == "running\n"
        time.sleep(0.1)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT
    moment, pending = output.split()
    assert pending == "True"
    return float(moment) - sent


def test_other_threads_run_during_a_loop_of_native_events(stranger):
    """The writer threads of traces must get on while no Python code runs."""
    sim = Simulator()
    stranger.start_beacon(sim, 1, 2**62)
    running = threading.Event()
    done = []

    def work():
        running.wait()
        for i in range(20_000):
            done.append(i)
        sim.stop()

    thread = threading.Thread(target=work)
    thread.start()
    sim.schedule(100, running.set)
    summary = sim.run(until=3 * 10**8)
    thread.join()
    assert summary.reason == "stopped"
    assert len(done) == 20_000
