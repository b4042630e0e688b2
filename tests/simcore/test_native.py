"""Handlers in machine code: numba and ctypes."""

import ctypes
import gc
import weakref

import numba
import numpy as np
import pytest

from simcore import Simulator, ms, seconds
from simcore.native import NativeEvent, arm, disarm

HANDLER = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p)


@numba.cfunc("int32(int64, CPointer(int64))")
def tick(now, data):
    data[1] += 1
    data[2] = now
    return arm(data[0], 1_000_000)


@numba.cfunc("int32(int64, CPointer(int64))")
def add_one(now, data):
    data[0] += 1
    return 0


@numba.cfunc("int32(int64, CPointer(int64))")
def stop_the_other(now, data):
    data[1] = disarm(data[0])
    data[2] = disarm(data[0])
    return 0


@numba.cfunc("int32(int64, CPointer(int64))")
def wrong_delay(now, data):
    arm(data[0], data[1])
    return 0


@numba.cfunc("int32(int64, CPointer(int64))")
def give_up(now, data):
    return 7


@pytest.fixture(params=["heap", "radix", "sorted"])
def sim(request):
    return Simulator(scheduler=request.param)


def test_handler_that_arms_itself(sim):
    state = np.zeros(3, dtype=np.int64)
    event = NativeEvent(sim, tick, state)
    state[0] = event.address
    assert not event.pending
    event.arm(ms(1))
    assert event.pending
    sim.run(until=ms(10))
    assert state[1:].tolist() == [10, ms(10)]
    assert event.cancel() is True
    assert sim.run().events == 0


def test_schedule_native(sim):
    state = np.zeros(1, dtype=np.int64)
    log = []
    sim.schedule(5, lambda: log.append(int(state[0])))
    sim.schedule_native(5, add_one, state)
    sim.schedule(5, lambda: log.append(int(state[0])))
    # The event of a call needs no variable.
    gc.collect()
    sim.run()
    assert log == [0, 1]


def test_disarm(sim):
    state = np.zeros(3, dtype=np.int64)
    count = np.zeros(1, dtype=np.int64)
    other = sim.schedule_native(9, add_one, count)
    state[0] = other.address
    sim.schedule_native(5, stop_the_other, state)
    sim.run()
    assert state[1:].tolist() == [1, 0]
    assert count[0] == 0


@pytest.mark.parametrize(("delay", "error"), [(-1, ValueError), (2**63 - 1, OverflowError)])
def test_wrong_delay_ends_the_run(sim, delay, error):
    state = np.array([0, delay], dtype=np.int64)
    event = NativeEvent(sim, wrong_delay, state)
    state[0] = event.address
    event.arm(5)
    with pytest.raises(error, match="delay"):
        sim.run()
    assert sim.failure.handler == "native handler wrong_delay"
    assert sim.pending_events == 0


def test_status_that_is_not_zero(sim):
    sim.schedule_native(5, give_up, np.zeros(1, dtype=np.int64))
    with pytest.raises(RuntimeError, match="native handler give_up returned 7: it must return 0"):
        sim.run()


def test_ctypes_function_and_address(sim):
    log = []

    @HANDLER
    def handler(now, data):
        log.append((now, data))
        return 0

    sim.schedule_native(5, handler)
    sim.schedule_native(6, ctypes.cast(handler, ctypes.c_void_p).value)
    sim.run()
    assert log == [(5, None), (6, None)]


def test_called_from_python(sim):
    state = np.zeros(1, dtype=np.int64)
    event = NativeEvent(sim, add_one, state)
    assert arm(event.address, 3) == 0
    assert arm(event.address, 4) == 0
    assert event.time == 4
    assert disarm(event.address) == 1
    assert disarm(event.address) == 0


def test_wrong_handlers_and_data(sim):
    for wrong in (None, "name", print, 0):
        with pytest.raises(TypeError, match="it must be a numba cfunc"):
            NativeEvent(sim, wrong)
    with pytest.raises((TypeError, ValueError, BufferError)):
        NativeEvent(sim, add_one, b"read only")
    with pytest.raises(TypeError):
        NativeEvent(sim, add_one, 3)
    with pytest.raises(ValueError, match="negative"):
        NativeEvent(sim, add_one).arm(-1)


def test_data_is_kept_and_freed():
    class Array(np.ndarray):
        pass

    sim = Simulator()
    data = np.zeros(1, dtype=np.int64).view(Array)
    watch = weakref.ref(data)
    event = sim.schedule_native(5, add_one, data)
    del data
    gc.collect()
    assert watch() is not None
    sim.run()
    del event, sim
    gc.collect()
    assert watch() is None


def test_pending_event_does_not_keep_its_simulator():
    sim = Simulator()
    watch = weakref.ref(sim)
    sim.schedule_native(5, add_one, np.zeros(1, dtype=np.int64))
    del sim
    gc.collect()
    assert watch() is None


# M/M/1: state of the queue in one record.
MM1 = np.dtype([
    ("arrival", np.int64), ("departure", np.int64), ("random", np.uint64), ("length", np.int64),
    ("served", np.int64), ("changed", np.int64), ("area", np.float64),
])
MM1_TYPE = numba.from_dtype(MM1)
HANDLER_OF_MM1 = numba.int32(numba.int64, numba.types.CPointer(MM1_TYPE))


@numba.njit
def exponential(queue, mean):
    x = queue.random
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    queue.random = x
    return np.int64(-mean * np.log((np.float64(x >> np.uint64(11)) + 0.5) / 2.0**53))


@numba.njit
def change(queue, now, by):
    queue.area += queue.length * (now - queue.changed)
    queue.changed = now
    queue.length += by


@numba.cfunc(HANDLER_OF_MM1)
def arrive(now, data):
    queue = numba.carray(data, 1)[0]
    change(queue, now, 1)
    if queue.length == 1:
        arm(queue.departure, exponential(queue, 0.8e6))
    return arm(queue.arrival, exponential(queue, 1e6))


@numba.cfunc(HANDLER_OF_MM1)
def depart(now, data):
    queue = numba.carray(data, 1)[0]
    change(queue, now, -1)
    queue.served += 1
    if queue.length > 0:
        return arm(queue.departure, exponential(queue, 0.8e6))
    return 0


def test_mm1_in_numba():
    sim = Simulator()
    queue = np.zeros(1, dtype=MM1)
    queue["random"] = 88172645463325252
    arrival, departure = NativeEvent(sim, arrive, queue), NativeEvent(sim, depart, queue)
    queue["arrival"], queue["departure"] = arrival.address, departure.address
    arrival.arm(0)
    summary = sim.run(until=seconds(1000))
    assert queue["served"][0] == pytest.approx(1e6, rel=0.01)
    assert summary.events == pytest.approx(2e6, rel=0.01)
    # rho / (1 - rho) = 4
    assert queue["area"][0] / sim.now() == pytest.approx(4.0, rel=0.05)
