"""The kernel on all pending-event sets: against a sorted list, without leaks, in odd situations."""

import gc
import subprocess
import sys
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from simcore import Event, RunSummary, Simulator, Timer, simulator
from simcore.schedulers.sorted import SortedEventSet

SCHEDULERS = ["heap", "radix", "sorted"]
END = 2**63 - 1
# A run looks at the insertion numbers every 512 events and renumbers from here on.
RENUMBERED_FROM = 2**35


@pytest.fixture(params=SCHEDULERS)
def sim(request):
    return Simulator(scheduler=request.param)


class Model:
    """The pending events as a plain list of [time, number, label], kept in order by sorting."""

    def __init__(self):
        self.pending = []
        self.number = 0
        self.now = 0
        self.ran = []

    def insert(self, time, label):
        self.number += 1
        self.pending.append([time, self.number, label])

    def remove(self, label):
        before = len(self.pending)
        self.pending = [entry for entry in self.pending if entry[2] != label]
        return len(self.pending) < before

    def next_time(self):
        return min(self.pending)[0] if self.pending else None

    def run(self, until, spawn):
        while self.pending and min(self.pending)[0] <= until:
            entry = min(self.pending)
            self.pending.remove(entry)
            self.now, _, label = entry
            self.ran.append((self.now, label))
            for delay, child in spawn.pop(label, []):
                self.insert(self.now + delay, child)
        self.now = until


# Few distinct small delays give ties; large ones exercise the high buckets of the radix heap.
delays = st.one_of(
    st.integers(0, 3), st.integers(0, 40), st.integers(0, 10**6), st.sampled_from([2**31, 2**48])
)


class PendingSetMachine(RuleBasedStateMachine):
    scheduler = "heap"

    @initialize(start=st.sampled_from([0, 10, RENUMBERED_FROM - 3, RENUMBERED_FROM]))
    def begin(self, start):
        self.sim = Simulator(scheduler=self.scheduler)
        self.sim._set_sequence(start)
        self.model = Model()
        self.ran = []
        self.events = {}
        self.spawn = {}
        self.model_spawn = {}
        self.timers = [Timer(self.sim, self.fire, f"timer {i}") for i in range(3)]
        self.label = 0

    def fire(self, label):
        self.ran.append((self.sim.now(), label))
        for delay, child in self.spawn.pop(label, []):
            self.events[child] = self.sim.schedule(delay, self.fire, child)

    def new_label(self):
        self.label += 1
        return self.label

    @rule(delay=delays, children=st.lists(delays, max_size=3))
    def schedule(self, delay, children):
        label = self.new_label()
        spawned = [(child, self.new_label()) for child in children]
        self.spawn[label] = list(spawned)
        self.model_spawn[label] = list(spawned)
        self.events[label] = self.sim.schedule(delay, self.fire, label)
        self.model.insert(self.model.now + delay, label)

    @precondition(lambda self: self.events)
    @rule(data=st.data())
    def cancel(self, data):
        label = data.draw(st.sampled_from(sorted(self.events)))
        assert self.events[label].cancel() == self.model.remove(label)

    @rule(index=st.integers(0, 2), delay=delays)
    def arm(self, index, delay):
        label = f"timer {index}"
        self.timers[index].arm(delay)
        self.model.remove(label)
        self.model.insert(self.model.now + delay, label)
        assert self.timers[index].time == self.model.now + delay

    @rule(index=st.integers(0, 2))
    def disarm(self, index):
        assert self.timers[index].cancel() == self.model.remove(f"timer {index}")

    @rule(ahead=delays)
    def run(self, ahead):
        self.sim.run(until=self.sim.now() + ahead)
        self.model.run(self.model.now + ahead, self.model_spawn)
        assert self.ran == self.model.ran

    @rule(number=st.sampled_from([RENUMBERED_FROM - 2, RENUMBERED_FROM + 5]))
    def jump(self, number):
        # Only forwards, as in a real run.
        if not self.model.pending:
            self.sim._set_sequence(number)

    @invariant()
    def agrees(self):
        if not hasattr(self, "model"):
            return
        assert self.sim.now() == self.model.now
        assert self.sim.pending_events == len(self.model.pending)
        assert self.sim.next_event_time == self.model.next_time()

    def teardown(self):
        if hasattr(self, "model"):
            self.sim.run(until=2**60)
            self.model.run(2**60, self.model_spawn)
            assert self.ran == self.model.ran


class HeapMachine(PendingSetMachine):
    scheduler = "heap"


class RadixMachine(PendingSetMachine):
    scheduler = "radix"


class SortedMachine(PendingSetMachine):
    scheduler = "sorted"


for machine in (HeapMachine, RadixMachine, SortedMachine):
    machine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestHeap = HeapMachine.TestCase
TestRadix = RadixMachine.TestCase
TestSorted = SortedMachine.TestCase


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 4)), max_size=300))
def test_the_sets_agree_when_events_cancel_and_re_arm_each_other(plan):
    """Actions inside handlers meet the hole that the running event left at the root."""
    logs = []
    for scheduler in SCHEDULERS:
        sim = Simulator(scheduler=scheduler)
        log = []
        events = []
        timer = Timer(sim, lambda sim=sim, log=log: log.append((sim.now(), "timer")))

        def handle(i, action, sim=sim, log=log, events=events, timer=timer):
            log.append((sim.now(), i))
            if action == 1:
                events[(i * 7) % len(events)].cancel()
            elif action == 2:
                timer.arm(i % 9)
            elif action == 3:
                sim.schedule(i % 13, handle, i, 0)
            elif action == 4:
                events[(i * 7) % len(events)].cancel()
                timer.arm(i % 3)
                sim.schedule(0, handle, i, 0)

        for i, (delay, action) in enumerate(plan):
            events.append(sim.schedule(delay, handle, i, action))
        while sim.pending_events:
            sim.run(until=sim.next_event_time + 3)
        logs.append(log)
    assert logs[0] == logs[2]
    assert logs[1] == logs[2]


def test_renumbering_within_a_run_keeps_the_order(sim):
    ran = []
    sim._set_sequence(RENUMBERED_FROM - 1000)

    def step(i):
        ran.append((sim.now(), i))
        if i < 6000:
            sim.schedule(i * 31 % 100, step, i + 300)

    for i in range(300):
        sim.schedule(i * 17 % 40, step, i)
    events = [sim.schedule(10**6, ran.append, (10**6, i)) for i in range(50)]
    events[7].cancel()
    sim.run()
    reference = []
    other = Simulator(scheduler="sorted")

    def reference_step(i):
        reference.append((other.now(), i))
        if i < 6000:
            other.schedule(i * 31 % 100, reference_step, i + 300)

    for i in range(300):
        other.schedule(i * 17 % 40, reference_step, i)
    events = [other.schedule(10**6, reference.append, (10**6, i)) for i in range(50)]
    events[7].cancel()
    other.run()
    assert len(ran) > 6000
    assert ran == reference


def test_many_short_runs_renumber_too(sim):
    """A co-simulation never runs the 512 events after which a long run looks at the numbers."""
    ran = []
    sim._set_sequence(RENUMBERED_FROM)
    for i in range(100):
        sim.schedule(5, ran.append, i)
        sim.schedule(2, ran.append, -i)
        sim.run(until=sim.now() + 1)
        sim.schedule(4, ran.append, i + 0.5)
        sim.run(until=sim.now() + 4)
    assert len(ran) == 300
    assert ran[:6] == [0, 0, 0.5, -1, 1, 1.5]


def test_slots_are_reused_and_grow(sim):
    events = [sim.schedule(i % 7, list) for i in range(5000)]
    for event in events[::2]:
        event.cancel()
    events = [sim.schedule(i % 11, list) for i in range(5000)]
    assert sim.pending_events == 7500
    assert sim.run().events == 7500


def test_radix_does_not_keep_cancelled_events_of_the_current_time():
    """Cancelled events at the base of the radix heap once stayed until the clock moved."""
    sim = Simulator(scheduler="radix")
    for _ in range(1000):
        sim.schedule(0, list).cancel()
    kept = [sim.schedule(0, list) for _ in range(3)]
    kept[1].cancel()
    assert sim.pending_events == 2
    assert sim.run().events == 2


def test_the_reference_set():
    entries = SortedEventSet()
    entries.insert(5, 2, 0)
    entries.insert(5, 1, 1)
    entries.insert(4, 3, 2)
    assert len(entries) == 3
    assert entries.peek() == (4, 3, 2)
    entries.remove(2)
    assert entries.take() == (5, 1, 1)
    assert entries.take() == (5, 2, 0)
    assert entries.peek() is None


def test_arguments(sim):
    got = []
    sim.schedule(1, lambda *args: got.append(args))
    sim.schedule(2, lambda *args: got.append(args), None)
    sim.schedule(3, lambda *args: got.append(args), 1, (2, 3), [4])
    sim.run()
    assert got == [(), (None,), (1, (2, 3), [4])]
    with pytest.raises(TypeError, match="callback is 3: it must be callable"):
        sim.schedule(1, 3)
    with pytest.raises(TypeError, match="delay is '5ms': it must be an int of nanoseconds"):
        sim.schedule("5ms", print)
    with pytest.raises(TypeError, match="callback is None"):
        Timer(sim, None)
    assert sim.pending_events == 0


def test_event_is_described():
    sim = Simulator()
    event = sim.schedule(5, test_arguments)
    assert repr(event).startswith("<")
    assert "test_arguments at 5 ns, pending" in repr(event)
    assert repr(sim) == "<Simulator at 0 ns, 1 events pending>"
    assert isinstance(event, Event)
    with pytest.raises(TypeError):
        sim.schedule(1)


def test_wrong_scheduler():
    with pytest.raises(ValueError, match=r"scheduler is 'map': it must be one of \['heap'"):
        Simulator(scheduler="map")


def test_bare_event_cannot_be_scheduled_by_scripts():
    event = Event()
    assert not event.pending
    assert event.cancel() is False


def test_summary(sim):
    sim.schedule(5, list)
    summary = sim.run()
    assert isinstance(summary, RunSummary)
    assert summary.wall_time > 0
    assert sim.event_count == 1
    with pytest.raises(AttributeError):
        summary.events = 3


def test_progress_is_called_between_events(sim):
    seen = []

    def tick():
        sim.schedule(1, tick)

    sim.schedule(1, tick)
    sim.schedule(20_000, sim.stop)
    sim.run(progress=lambda s: seen.append(s.now()), progress_interval=0)
    assert len(seen) >= 20_000 // 512 - 1
    assert seen == sorted(seen)
    sim.clear()

    def broken(s):
        raise LookupError

    sim.schedule(1, tick)
    with pytest.raises(LookupError):
        sim.run(progress=broken, progress_interval=0)
    assert sim.failure is None
    assert sim.pending_events == 1


def test_keyboard_interrupt_raised_by_a_handler_has_no_note(sim):
    def handler():
        raise KeyboardInterrupt

    sim.schedule(1, handler)
    with pytest.raises(KeyboardInterrupt) as caught:
        sim.run()
    assert not hasattr(caught.value, "__notes__")
    assert sim.failure.handler.endswith("handler")


def test_destructor_may_schedule_while_events_are_dropped(sim):
    ran = []

    class Stubborn:
        def __del__(self):
            sim.schedule(1, ran.append, 1)

        def method(self):
            pass

    sim.schedule(1, Stubborn().method)
    sim.clear()
    sim.run()
    assert ran in ([], [1])
    assert sim.pending_events == 0


class Node:
    def __init__(self, sim):
        self.sim = sim
        self.events = []

    def tick(self, *args):
        pass

    def fail(self):
        raise LookupError(self)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
class TestLeaks:
    def collected(self, watch):
        gc.collect()
        return watch() is None

    def test_pending_callback_that_refers_to_the_simulator(self, scheduler):
        sim = Simulator(scheduler=scheduler)
        node = Node(sim)
        for i in range(100):
            node.events.append(sim.schedule(i, node.tick, node, sim))
        watch, watch_sim = weakref.ref(node), weakref.ref(sim)
        del node, sim
        assert self.collected(watch)
        assert watch_sim() is None

    def test_timer_that_never_fires(self, scheduler):
        sim = Simulator(scheduler=scheduler)
        node = Node(sim)
        node.timer = Timer(sim, node.tick, node)
        node.timer.arm(5)
        watch = weakref.ref(node)
        del node, sim
        assert self.collected(watch)

    def test_registry_and_flusher(self, scheduler):
        sim = Simulator(scheduler=scheduler)
        node = Node(sim)
        node.flush = node.tick
        sim.registry["node"] = node
        sim.add_flusher(node)
        watch = weakref.ref(node)
        del node, sim
        assert self.collected(watch)

    def test_failed_run(self, scheduler):
        sim = Simulator(scheduler=scheduler)
        node = Node(sim)

        sim.schedule(1, node.fail)
        with pytest.raises(LookupError):
            sim.run()
        watch = weakref.ref(node)
        del node, sim
        assert self.collected(watch)

    def test_without_cycles_no_collector_is_needed(self, scheduler):
        gc.disable()
        try:
            sim = Simulator(scheduler=scheduler)
            node = Node(None)
            for i in range(10):
                sim.schedule(i, node.tick, i)
            sim.schedule(3, sim.stop)
            watch = weakref.ref(node)
            del node
            sim.run()
            assert watch() is not None
            sim.clear()
            assert watch() is None
            del sim
        finally:
            gc.enable()

    def test_event_outlives_its_simulator(self, scheduler):
        sim = Simulator(scheduler=scheduler)
        event = sim.schedule(5, list)
        del sim
        gc.collect()
        assert not event.pending
        assert event.cancel() is False

    def test_timer_keeps_its_simulator(self, scheduler):
        timer = Timer(Simulator(scheduler=scheduler), list)
        gc.collect()
        timer.arm(7)
        assert timer.pending
        assert timer.cancel() is True

    def test_references_are_balanced(self, scheduler):
        sim = Simulator(scheduler=scheduler)

        class Marker:
            def __call__(self):
                pass

        marker = Marker()
        before = sys.getrefcount(marker)
        for i in range(50):
            event = sim.schedule(i, marker)
            if i % 3 == 0:
                event.cancel()
        event = None
        timer = Timer(sim, marker)
        timer.arm(1)
        timer.arm(2)
        sim.run()
        timer.arm(3)
        timer.cancel()
        del timer
        assert sys.getrefcount(marker) == before


def test_cyclic_garbage_is_collected_during_a_long_run():
    sim = Simulator()
    alive = weakref.WeakSet()
    peak = 0

    class Cycle:
        def __init__(self):
            self.me = self

    def tick(i):
        nonlocal peak
        thing = Cycle()
        alive.add(thing)
        peak = max(peak, len(alive))
        if i < 120_000:
            sim.schedule(1, tick, i + 1)

    sim.schedule(1, tick, 0)
    sim.run()
    assert peak < 60_000


def test_many_short_runs_leave_no_cyclic_garbage():
    """Freezing the objects at the start of each run once hid their garbage from the collector."""
    sim = Simulator()
    alive = weakref.WeakSet()

    class Cycle:
        def __init__(self):
            self.me = self

    for _ in range(20_000):
        sim.schedule(1, lambda: alive.add(Cycle()))
        sim.run(until=sim.now() + 1)
    assert len(alive) < 15_000


def test_end_of_time_constant():
    assert simulator.END_OF_TIME == END


def test_import_brings_nothing_heavy():
    """What keeps it quick; profiling/benchmarks/test_startup.py measures how quick."""
    heavy = {"asyncio", "hashlib", "matplotlib", "numba", "numpy", "pyarrow", "rich", "scipy"}
    program = f"import sys, simcore; print({heavy!r} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


class Nameless:
    """A callable whose name cannot be asked for."""

    def __call__(self):
        raise ValueError("from the handler")

    def __getattr__(self, name):
        raise LookupError(name)


class TestMisuse:
    def test_a_simulator_is_initialised_once(self, sim):
        sim.schedule(5, lambda: None)
        with pytest.raises(RuntimeError, match="this Simulator was initialised before"):
            sim.__init__(scheduler="sorted")
        assert sim.pending_events == 1
        assert sim.run().events == 1

    def test_pending_events_of_a_bare_simulator_are_kept(self):
        sim = Simulator.__new__(Simulator)
        sim.schedule(5, lambda: None)
        with pytest.raises(RuntimeError, match="initialised before"):
            sim.__init__(scheduler="radix")
        assert sim.run().events == 1

    def test_a_failed_initialisation_may_be_repeated(self):
        sim = Simulator.__new__(Simulator)
        with pytest.raises(ValueError, match="seed"):
            sim.__init__(seed=0, scheduler="radix")
        sim.__init__(scheduler="sorted")
        sim.schedule(5, lambda: None)
        assert sim.run().events == 1

    def test_a_timer_is_initialised_once(self, sim):
        ran = []
        timer = Timer(sim, ran.append, 1)
        timer.arm(5)
        with pytest.raises(RuntimeError, match="this Timer was initialised before"):
            timer.__init__(Simulator(), ran.append, 2)
        sim.run()
        assert ran == [1]

    def test_a_timer_without_a_simulator_is_refused(self):
        class Forgetful(Timer):
            def __init__(self):
                pass

        timer = Forgetful()
        with pytest.raises(RuntimeError, match="this Forgetful belongs to no simulator"):
            timer.arm(5)
        assert "done or cancelled" in repr(timer)

    def test_a_native_event_without_a_simulator_is_refused(self):
        event = simulator.NativeEvent.__new__(simulator.NativeEvent)
        with pytest.raises(RuntimeError, match="belongs to no simulator"):
            event.arm(5)
        with pytest.raises(RuntimeError, match="belongs to no simulator"):
            _ = event.address
        assert "native handler" in repr(event)

    def test_a_callable_without_a_name_is_named_by_its_type(self, sim):
        event = sim.schedule(5, Nameless())
        assert repr(event) == "<Nameless at 5 ns, pending>"
        with pytest.raises(ValueError, match="from the handler"):
            sim.run()
        assert sim.failure.handler == "Nameless"


class Flusher:
    def __init__(self, log, error=None):
        self.log = log
        self.error = error

    def flush(self):
        self.log.append(self)
        if self.error is not None:
            raise self.error


class TestFlushersThatFail:
    @pytest.mark.parametrize(("errors", "raised"), [
        ([KeyboardInterrupt(), None], 0),
        ([OSError("first"), OSError("second")], 0),
        ([OSError("disk"), KeyboardInterrupt(), SystemExit()], 1),
        ([SystemExit(3), OSError("disk")], 0),
    ])
    def test_all_are_called(self, sim, errors, raised):
        log = []
        flushers = [Flusher(log, error) for error in errors]
        for flusher in flushers:
            sim.add_flusher(flusher)
        with pytest.raises(type(errors[raised])) as caught:
            sim.run()
        assert caught.value is errors[raised]
        assert log == flushers
