"""The kernel against a bare C loop, a heapq loop, SimPy, cimba and ns-3.

`make bench` prints the table; every line has a limit. One unit of work is an event, a step of a
process, or a customer of an M/M/1 queue.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from heapq import heappop, heappush

import pytest
import simpy
from comparison import cpu_time, in_turn, judge, judge_alone

from simcore import Resource, Simulator

MEAN = 1_000_000
EVENTS = {1: 1_000_000, 1_000: 1_000_000, 100_000: 500_000}
group = pytest.mark.benchmark


def uniform(count: int) -> itertools.cycle:
    """Delays of mean 1 ms, drawn beforehand: the draw is not what is compared."""
    rng = random.Random(1)
    return itertools.cycle([rng.randrange(1, 2 * MEAN) for _ in range(count)])


# Native events


def hold(kernel, pending, scheduler="heap"):
    def prepare():
        sim = Simulator(scheduler=scheduler)
        kernel.hold(sim, pending)
        return sim

    return prepare, lambda sim: sim.run(until=MEAN * EVENTS[pending] // pending), EVENTS[pending]


def timers(kernel, pending, operation):
    def prepare():
        return kernel.Timers(Simulator(), pending)

    return prepare, lambda subject: operation(subject, EVENTS[pending]), EVENTS[pending]


@pytest.mark.parametrize("pending", EVENTS)
@group(group="native events: hold model", timer=time.process_time)
def test_hold(kernel, compare, pending):
    events = EVENTS[pending]
    until = MEAN * events // pending
    compare(
        f"native event, {pending:,} pending",
        hold(kernel, pending),
        "bare C loop",
        (lambda: kernel.Bare(pending), lambda bare: bare.run(until), events),
        at_most=1.4,
        # A few nanoseconds are soon disturbed.
        rounds=20 if pending == 1 else 7,
    )


@group(group="native events: pending-event sets", timer=time.process_time)
def test_radix(kernel, compare):
    compare(
        "radix, 100,000 pending", hold(kernel, 100_000, "radix"),
        "heap", hold(kernel, 100_000), at_most=1.4,
    )


@pytest.mark.parametrize("pending", EVENTS)
@group(group="native events: re-arm", timer=time.process_time)
def test_rearm(kernel, compare, pending):
    compare(
        f"re-arm, {pending:,} pending", timers(kernel, pending, lambda t, n: t.rearm(n)),
        "schedule and run", hold(kernel, pending), at_most=1.5,
    )


@pytest.mark.parametrize("pending", EVENTS)
@group(group="native events: cancel", timer=time.process_time)
def test_cancel(kernel, compare, pending):
    compare(
        f"schedule and cancel, {pending:,} pending",
        timers(kernel, pending, lambda t, n: t.cancel(n)),
        "schedule and run", hold(kernel, pending), at_most=1.5,
    )


MEMORY = """
import importlib.util, os, sys
from simcore import Simulator
spec = importlib.util.spec_from_file_location("_kernel", sys.argv[1])
kernel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernel)
sim = Simulator()
kernel.hold(sim, 1000)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

before = resident()
kernel.hold(sim, 1_000_000)
print((resident() - before) / 1_000_000)
"""


def test_bytes_per_pending_event(kernel, record):
    """Memory of a pending native event."""
    output = subprocess.run(
        [sys.executable, "-c", MEMORY, kernel.__file__], capture_output=True, text=True, check=True
    ).stdout
    record(judge_alone("pending native event, memory", float(output), 100, unit="B"))


@pytest.mark.parametrize(("pending", "factor"), [(1, 5), (1_000, 3), (100_000, 5)])
def test_ns3(kernel, record, ns3, pending, factor):
    """Native event against ns-3's default scheduler."""

    def theirs():
        run = ns3.run("hold", {"pending": pending, "scheduler": "Map", "events": EVENTS[pending]})
        return run.output["ns_per_event"] * 1e-9

    pairs = in_turn(lambda: cpu_time(hold(kernel, pending)), theirs, 5)
    record(judge(f"native event, {pending:,} pending", pairs, "ns-3 Map", at_least=factor))


# Python callbacks


def callbacks(pending, total):
    def prepare():
        sim = Simulator()
        delay = uniform(10_007).__next__
        schedule = sim.schedule

        def tick():
            schedule(delay(), tick)

        for _ in range(pending):
            tick()
        return sim

    return prepare, lambda sim: sim.run(until=MEAN * total // pending), total


def heapq_loop(pending, total):
    def prepare():
        heap = []
        now = 0
        delay = uniform(10_007).__next__
        number = itertools.count().__next__

        def schedule(delay, callback):
            heappush(heap, (now + delay, number(), callback))

        def tick():
            schedule(delay(), tick)

        def run(until):
            nonlocal now
            while heap and heap[0][0] <= until:
                now, _, callback = heappop(heap)
                callback()

        for _ in range(pending):
            tick()
        return run

    return prepare, lambda run: run(MEAN * total // pending), total


def simpy_timeouts(pending, total):
    def prepare():
        env = simpy.Environment()
        delay = uniform(10_007).__next__

        def tick(event):
            env.timeout(delay()).callbacks.append(tick)

        for _ in range(pending):
            tick(None)
        return env

    return prepare, lambda env: env.run(until=MEAN * total // pending), total


@pytest.mark.parametrize("pending", [1, 1_000, 100_000])
@group(group="Python callbacks: heapq", timer=time.process_time)
def test_callback_against_heapq(compare, pending):
    compare(
        f"Python callback, {pending:,} pending", callbacks(pending, 200_000),
        "heapq loop", heapq_loop(pending, 200_000), at_most=0.65,
    )


@pytest.mark.parametrize("pending", [1, 1_000])
@group(group="Python callbacks: SimPy", timer=time.process_time)
def test_callback_against_simpy(compare, pending):
    compare(
        f"Python callback, {pending:,} pending", callbacks(pending, 200_000),
        "SimPy timeout", simpy_timeouts(pending, 100_000), at_least=3,
    )


# Processes


def processes(pending, total):
    def prepare():
        sim = Simulator()
        delay = uniform(10_007).__next__

        def clock(sim):
            while True:
                yield delay()

        for _ in range(pending):
            sim.process(clock)
        sim.run(until=0)
        return sim

    return prepare, lambda sim: sim.run(until=MEAN * total // pending), total


def simpy_processes(pending, total):
    def prepare():
        env = simpy.Environment()
        delay = uniform(10_007).__next__

        def clock():
            while True:
                yield env.timeout(delay())

        for _ in range(pending):
            env.process(clock())
        return env

    return prepare, lambda env: env.run(until=MEAN * total // pending), total


@pytest.mark.parametrize("pending", [1, 1_000])
@group(group="process steps", timer=time.process_time)
def test_process_step(compare, pending):
    compare(
        f"process step, {pending:,} pending", processes(pending, 200_000),
        "SimPy process", simpy_processes(pending, 100_000), at_least=5,
    )


# M/M/1, 80 % load


def mm1(customers):
    def prepare():
        sim = Simulator()
        exponential = sim.random.stream("customers").exponential
        server = Resource(sim)

        def customer(sim):
            with server.request() as request:
                yield request
                yield int(exponential(0.8 * MEAN))

        def source(sim):
            for _ in range(customers):
                yield int(exponential(MEAN))
                sim.process(customer(sim))

        sim.process(source)
        return sim

    return prepare, lambda sim: sim.run(), customers


def simpy_mm1(customers):
    def prepare():
        env = simpy.Environment()
        exponential = random.Random(1).expovariate
        server = simpy.Resource(env)

        def customer():
            with server.request() as request:
                yield request
                yield env.timeout(exponential(1 / (0.8 * MEAN)))

        def source():
            for _ in range(customers):
                yield env.timeout(exponential(1 / MEAN))
                env.process(customer())

        env.process(source())
        return env

    return prepare, lambda env: env.run(), customers


@group(group="M/M/1: Python", timer=time.process_time)
def test_mm1_in_python(compare):
    compare(
        "M/M/1 customer, processes", mm1(50_000), "SimPy", simpy_mm1(30_000), at_least=5,
    )


def test_mm1_native_against_cimba(kernel, record, cimba):
    """M/M/1 as native events against cimba."""
    customers = 1_000_000

    def prepare():
        sim = Simulator()
        return sim, kernel.Queue(sim, MEAN, 0.8 * MEAN)

    def run(subject):
        sim, queue = subject
        sim.run(until=MEAN * customers)
        assert 3 < queue.mean_length < 5
        assert abs(queue.customers - customers) < 0.01 * customers

    def theirs():
        result = cimba.mm1(customers)
        assert 3 < result["mean_length"] < 5
        return 1 / result["customers_per_second"]

    pairs = in_turn(lambda: cpu_time((prepare, run, customers)), theirs, 3)
    record(judge("M/M/1 customer, native events", pairs, "cimba", at_least=1))
