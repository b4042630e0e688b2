"""Processes: delays, signals, conditions, interrupts, failures, and how they are started."""

import functools
import gc
import math
import sys
import weakref

import numpy as np
import pytest

from simcore import Interrupt, Process, Signal, Simulator, ms, us
from simcore.process import Condition, ProcessFactory, Timeout, all_of, any_of, start


@pytest.fixture
def sim():
    return Simulator()


@pytest.fixture
def log():
    return []


class TestStart:
    def test_a_function_with_the_simulator_only_starts_at_once(self, sim, log):
        @sim.process
        def clock(sim):
            log.append(sim.now())
            yield ms(5)
            log.append(sim.now())

        assert isinstance(clock, Process)
        assert clock.name == "clock"
        assert log == []
        sim.run()
        assert log == [0, ms(5)]
        assert not clock.is_alive

    def test_a_function_with_more_parameters_becomes_a_factory(self, sim, log):
        @sim.process
        def customer(sim, number, pause=3):
            """Come and go."""
            yield pause
            log.append((sim.now(), number))

        assert isinstance(customer, ProcessFactory)
        assert customer.__doc__ == "Come and go."
        first, second = customer(1), customer(sim, 2, pause=7)
        third = customer(number=3)
        assert first.is_alive
        assert second.is_alive
        assert third.is_alive
        sim.run()
        assert log == [(3, 1), (3, 3), (7, 2)]
        assert repr(customer) == "<process factory customer>"

    def test_arguments_given_with_the_function(self, sim, log):
        def customer(sim, number, pause):
            yield pause
            log.append((number, sim.now()))

        assert isinstance(sim.process(customer, 1, 5), Process)
        assert isinstance(sim.process(customer, sim, 2, 6), Process)
        assert isinstance(sim.process(customer, 3, pause=7), Process)
        factory = sim.process(customer, 4)
        assert isinstance(factory, ProcessFactory)
        factory(8)
        factory(sim, pause=9)
        sim.run()
        assert log == [(1, 5), (2, 6), (3, 7), (4, 8), (4, 9)]

    def test_generators_methods_partials_and_functions_without_parameters(self, sim, log):
        def bare():
            yield 1
            log.append("bare")

        def named(name, sim):
            yield 2
            log.append(name)

        class Thing:
            def run(self, sim):
                yield 3
                log.append("method")

            def run_with(self, sim, name):
                yield 4
                log.append(name)

        sim.process(bare)
        sim.process(functools.partial(named, "partial"))
        sim.process(Thing().run)
        sim.process(Thing().run_with)("method with argument")
        sim.process(bare())
        sim.process(lambda sim: bare())
        start(sim, lambda *args: bare())
        sim.run()
        assert sorted(log) == sorted(
            ["bare", "partial", "method", "method with argument", "bare", "bare", "bare"]
        )

    def test_what_is_no_generator(self, sim):
        def no_yield(sim):
            return 3

        with pytest.raises(TypeError, match="returned 3: a process must be a generator function"):
            sim.process(no_yield)
        with pytest.raises(TypeError, match="a process of 3"):
            sim.process(3)
        with pytest.raises(TypeError, match="already has its arguments"):
            sim.process((x for x in ()), 1)
        with pytest.raises(TypeError, match=r"sim\.process"):
            Process()
        assert sim.pending_events == 0

    def test_it_starts_after_the_events_already_due(self, sim, log):
        def process(sim):
            log.append("process")
            yield 1

        sim.schedule(0, log.append, "event")
        sim.process(process)
        sim.schedule(0, log.append, "later event")
        sim.run()
        assert log == ["event", "process", "later event"]


class TestYield:
    def test_delays(self, sim, log):
        @sim.process
        def sleeper(sim):
            for delay in (0, us(1), np.int64(7), True, 2**40):
                got = yield delay
                log.append((got, sim.now()))

        sim.run()
        assert log == [
            (None, 0), (None, 1000), (None, 1007), (None, 1008), (None, 1008 + 2**40)
        ]

    @pytest.mark.parametrize(
        ("wrong", "error", "message"),
        [
            (None, TypeError, "yielded None: it must be a delay in nanoseconds, a signal"),
            ("5ms", TypeError, "yielded '5ms'"),
            (0.5, TypeError, "wrong delay: delay is the float 0.5"),
            (math.nan, ValueError, "wrong delay: delay is nan"),
            (-3, ValueError, "wrong delay: delay is -3 ns"),
            (2**63, OverflowError, "wrong delay"),
        ],
    )
    def test_what_is_wrong_is_raised_at_the_yield(self, sim, log, wrong, error, message):
        @sim.process
        def careless(sim):
            yield 5
            yield wrong

        with pytest.raises(error, match=rf"process .*careless.*{message}") as caught:
            sim.run()
        frames = [entry.name for entry in caught.traceback]
        assert frames[-1] == "careless" or "careless" in frames
        assert "process" in sim.failure.handler

        other = Simulator()

        @other.process
        def forgiving(sim):
            try:
                yield wrong
            except (TypeError, ValueError, OverflowError):
                log.append((yield 7))

        other.run()
        assert log == [None]
        assert other.now() == 7

    def test_itself_and_strangers(self, sim):
        def selfish(sim):
            yield sim.active_process

        sim.process(selfish)
        with pytest.raises(ValueError, match="yielded itself"):
            sim.run()
        foreign = Simulator().event()

        def lost(sim):
            yield foreign

        sim.process(lost)
        with pytest.raises(ValueError, match="another simulator"):
            sim.run()

    def test_a_process_gives_its_return_value(self, sim, log):
        def child(sim):
            yield 5
            return "result"

        @sim.process
        def parent(sim):
            process = sim.process(child)
            log.append((yield process))
            log.append(sim.now())
            # It is done: this costs no time and no event.
            log.append((yield process))
            assert process.value == "result"

        assert parent.is_alive
        sim.run()
        assert log == ["result", 5, "result"]

    def test_yield_from(self, sim, log):
        def part(sim):
            yield 5
            return 3

        @sim.process
        def whole(sim):
            log.append((yield from part(sim)))
            yield 1

        sim.run()
        assert log == [3]
        assert sim.now() == 6

    def test_context_is_the_one_it_was_started_in(self, sim, log):
        signal = sim.event()

        def watcher(sim):
            yield signal
            log.append(sim.context)
            yield 1
            log.append(sim.context)

        sim.schedule_in_context(4, 1, sim.process, watcher)
        sim.schedule_in_context(7, 3, signal.succeed)
        sim.run()
        assert log == [4, 4]
        assert sim.context == -1


class TestSignal:
    def test_waiters_are_told_in_order_after_what_is_due(self, sim, log):
        signal = sim.event()

        def waiter(sim, name):
            value = yield signal
            log.append((name, value, sim.now()))

        for name in "abc":
            sim.process(waiter, name)

        def trigger():
            assert signal.succeed(42) is signal
            assert signal.triggered
            assert not signal.processed
            log.append("triggered")

        sim.schedule(5, trigger)
        sim.schedule(5, log.append, "due")
        sim.run()
        assert log == ["triggered", "due", ("a", 42, 5), ("b", 42, 5), ("c", 42, 5)]
        assert signal.processed
        assert signal.ok
        assert signal.value == 42

    def test_twice(self, sim):
        signal = sim.event().succeed(1)
        for again in (signal.succeed, lambda: signal.fail(ValueError())):
            with pytest.raises(RuntimeError, match="triggered before"):
                again()
        failed = sim.event()
        failed.defuse()
        failed.fail(ValueError())
        with pytest.raises(RuntimeError, match="triggered before"):
            failed.succeed()
        timeout = sim.timeout(5)
        with pytest.raises(RuntimeError, match="triggered before"):
            timeout.succeed()
        with pytest.raises(TypeError, match="error is 3: it must be an exception"):
            sim.event().fail(3)

    def test_value_before(self, sim):
        signal = sim.event()
        assert not signal.triggered
        assert not signal.ok
        with pytest.raises(AttributeError, match="no value yet"):
            _ = signal.value

    def test_done_costs_no_event(self, sim, log):
        signal = sim.event().succeed("there")
        assert sim.pending_events == 0

        @sim.process
        def process(sim):
            log.append((yield signal))
            log.append((yield signal))

        assert sim.run().events == 1
        assert log == ["there", "there"]

    def test_failure_reaches_all_waiters(self, sim, log):
        signal = sim.event()

        def waiter(sim):
            try:
                yield signal
            except LookupError as error:
                log.append(str(error))

        sim.process(waiter)
        sim.process(waiter)
        sim.schedule(3, signal.fail, LookupError("gone"))
        sim.run()
        assert log == ["gone", "gone"]
        assert not signal.ok
        assert isinstance(signal.value, LookupError)

        # Late comers too.
        sim.process(waiter)
        sim.run()
        assert len(log) == 3

    def test_failure_nobody_waits_for_ends_the_run(self, sim):
        sim.schedule(3, sim.event().fail, LookupError("gone"))
        with pytest.raises(LookupError, match="gone") as caught:
            sim.run()
        assert "at 0.000000003 s" in caught.value.__notes__[0]

    def test_defused(self, sim):
        signal = sim.event()
        signal.defuse()
        signal.fail(LookupError())
        assert sim.run().reason == "empty"

    def test_someone_may_come_before_the_failure_is_delivered(self, sim, log):
        signal = sim.event()

        def late(sim):
            try:
                yield signal
            except LookupError:
                log.append("caught")

        sim.schedule(3, sim.process, late)
        sim.schedule(3, signal.fail, LookupError())
        sim.run()
        assert log == ["caught"]

    def test_callbacks(self, sim, log):
        class Listener:
            def hear(self, signal):
                log.append(signal.value)

        listener = Listener()
        signal = sim.event()
        signal.add_callback(listener.hear)
        signal.add_callback(lambda signal: log.append("second"))
        signal.add_callback(print)
        signal.remove_callback(print)
        signal.succeed(1)
        sim.run()
        signal.add_callback(listener.hear)
        assert log == [1, "second", 1]
        other = sim.event()
        other.remove_callback(print)
        other.add_callback(listener.hear)
        other.remove_callback(listener.hear)
        other.succeed(5)
        sim.run()
        assert log == [1, "second", 1]
        with pytest.raises(TypeError, match="callback is 3"):
            signal.add_callback(3)

    def test_timeout(self, sim, log):
        @sim.process
        def process(sim):
            timeout = sim.timeout(5, "value")
            assert isinstance(timeout, Timeout)
            assert not timeout.triggered
            log.append((yield timeout))
            assert timeout.triggered
            log.append((yield sim.timeout(2)))

        sim.run()
        assert log == ["value", None]
        assert sim.now() == 7
        with pytest.raises(ValueError, match="delay is -1"):
            sim.timeout(-1)

    def test_cancelled_timeout_does_not_happen(self, sim, log):
        timeout = sim.timeout(5)
        timeout.add_callback(log.append)
        assert timeout.cancel() is True
        assert timeout.cancel() is False
        sim.run()
        assert log == []

    def test_a_triggered_signal_can_be_taken_back(self, sim, log):
        signal = sim.event()
        signal.add_callback(lambda signal: log.append(signal.value))
        signal.succeed(1)
        assert signal.cancel() is True
        sim.run()
        assert not signal.triggered
        signal.succeed(2)
        sim.run()
        assert log == [2]

    def test_described(self, sim):
        signal = sim.event()
        assert repr(signal) == "<Signal, waiting>"
        signal.succeed()
        assert repr(signal) == "<Signal, succeeded>"
        assert repr(sim.timeout(5)) == "<Timeout, due at 5 ns>"


class TestConditions:
    def test_any_of(self, sim, log):
        slow, fast = sim.timeout(9, "slow"), sim.timeout(5, "fast")

        @sim.process
        def process(sim):
            done = yield slow | fast
            log.append((sim.now(), done))
            done = yield slow | fast
            log.append((sim.now(), done))

        sim.run()
        assert log == [(5, {fast: "fast"}), (5, {fast: "fast"})]

    def test_all_of(self, sim, log):
        slow, fast = sim.timeout(9, "slow"), sim.timeout(5, "fast")

        @sim.process
        def process(sim):
            done = yield slow & fast
            log.append((sim.now(), done, list(done.values())))

        sim.run()
        assert log == [(9, {slow: "slow", fast: "fast"}, ["slow", "fast"])]

    def test_functions_take_several_or_an_iterable_and_delays(self, sim, log):
        @sim.process
        def process(sim):
            yield sim.any_of(5, sim.event())
            log.append(sim.now())
            yield sim.all_of([1, 2, sim.timeout(3)])
            log.append(sim.now())
            yield any_of(sim, (sim.timeout(i) for i in (4, 6)))
            log.append(sim.now())
            yield all_of(sim, sim.timeout(1), 2)
            log.append(sim.now())
            yield 3 | sim.event()
            log.append(sim.now())
            yield 3 & sim.timeout(1)
            log.append(sim.now())
            yield sim.event() | np.int64(1)
            log.append(sim.now())

        sim.run()
        assert log == [5, 8, 12, 14, 17, 20, 21]

    def test_empty(self, sim, log):
        @sim.process
        def process(sim):
            log.append((yield sim.any_of()))
            log.append((yield sim.all_of([])))

        sim.run()
        assert log == [{}, {}]
        assert sim.now() == 0

    def test_parts_that_are_done(self, sim):
        done = sim.event().succeed(1)
        waiting = sim.event()
        either = done | waiting
        both = done & waiting
        assert either.processed
        assert either.value == {done: 1}
        assert not both.triggered
        waiting.succeed(2)
        sim.run()
        assert both.value == {done: 1, waiting: 2}

    def test_nested(self, sim, log):
        a, b, c = sim.timeout(1, "a"), sim.timeout(2, "b"), sim.timeout(3, "c")

        @sim.process
        def process(sim):
            done = yield (a | b) & c
            log.append((sim.now(), list(done.values())))

        sim.run()
        assert log == [(3, ["a", "b", "c"])]

    def test_failing_part(self, sim, log):
        bad, good = sim.event(), sim.timeout(9)

        @sim.process
        def process(sim):
            try:
                yield bad & good
            except LookupError:
                log.append(sim.now())

        sim.schedule(4, bad.fail, LookupError())
        sim.run()
        assert log == [4]

    def test_part_that_fails_later_is_not_handled_by_the_condition(self, sim):
        bad = sim.event()

        @sim.process
        def process(sim):
            yield bad | sim.timeout(1)
            yield 10

        sim.schedule(4, bad.fail, LookupError())
        with pytest.raises(LookupError):
            sim.run()

    def test_part_that_already_failed(self, sim, log):
        bad = sim.event()
        bad.defuse()
        bad.fail(LookupError())
        sim.run()

        @sim.process
        def process(sim):
            try:
                yield bad | sim.event()
            except LookupError:
                log.append("caught")

        sim.run()
        assert log == ["caught"]

    def test_wrong_parts(self, sim):
        with pytest.raises(TypeError, match="a condition over 'x'"):
            sim.event() | "x"
        with pytest.raises(ValueError, match="another simulator"):
            sim.event() & Simulator().event()
        with pytest.raises(TypeError, match="any_of"):
            Condition()

    def test_condition_leaves_nothing_at_its_parts(self, sim):
        never = sim.event()
        before = sys.getrefcount(never)

        @sim.process
        def process(sim):
            for _ in range(100):
                yield never | sim.timeout(1)

        sim.run()
        gc.collect()
        # The closure of the process function is the one reference more.
        assert sys.getrefcount(never) <= before + 1
        assert sim.pending_events == 0


class TestInterrupt:
    def test_during_a_delay(self, sim, log):
        @sim.process
        def sleeper(sim):
            try:
                yield 100
            except Interrupt as interrupt:
                log.append((sim.now(), interrupt.cause))
            yield 10
            log.append(sim.now())

        sim.schedule(30, sleeper.interrupt, "wake up")
        sim.run()
        assert log == [(30, "wake up"), 40]

    def test_the_delay_that_would_end_now_is_void(self, sim, log):
        """In SimPy an interrupt overtakes a timeout of the same time, and so it does here."""

        @sim.process
        def sleeper(sim):
            try:
                yield 30
                log.append("slept")
            except Interrupt:
                log.append("interrupted")

        def alarm(sim):
            yield 30
            sleeper.interrupt()

        # Started first, so that it runs first at 30.
        other = Simulator()

        def early(sim):
            yield 30
            late.interrupt()

        def late_body(sim):
            try:
                yield 30
                log.append("slept")
            except Interrupt:
                log.append("interrupted")

        other.process(early)
        late = other.process(late_body)
        other.run()
        assert log == ["interrupted"]
        sim.process(alarm)
        with pytest.raises(RuntimeError, match="has ended"):
            sim.run()

    def test_during_a_signal_which_can_be_yielded_again(self, sim, log):
        signal = sim.event()

        @sim.process
        def waiter(sim):
            try:
                yield signal
            except Interrupt:
                log.append(sim.now())
            log.append((yield signal))

        def look():
            assert waiter.target is signal
            waiter.interrupt()
            assert waiter.target is None

        sim.schedule(5, look)
        sim.schedule(9, signal.succeed, "value")
        sim.run()
        assert log == [5, "value"]

    def test_not_handled(self, sim, log):
        @sim.process
        def sleeper(sim):
            yield 100

        sim.schedule(5, sleeper.interrupt, "why")
        with pytest.raises(Interrupt, match="why"):
            sim.run()
        assert not sleeper.is_alive

        def parent(sim):
            child = sim.process(body)
            sim.schedule(5, child.interrupt, "why")
            try:
                yield child
            except Interrupt as interrupt:
                log.append(interrupt.cause)

        def body(sim):
            yield 100

        sim.process(parent)
        sim.run()
        assert log == ["why"]

    def test_several_at_once(self, sim, log):
        @sim.process
        def sleeper(sim):
            for _ in range(4):
                try:
                    yield 100
                    log.append(("slept", sim.now()))
                except Interrupt as interrupt:
                    log.append((interrupt.cause, sim.now()))

        for cause in (1, 2, 3):
            sim.schedule(5, sleeper.interrupt, cause)
        sim.run()
        assert log == [(1, 5), (2, 5), (3, 5), ("slept", 105)]

    def test_before_it_began(self, sim, log):
        @sim.process
        def body(sim):
            log.append("began")
            try:
                yield 100
            except Interrupt:
                log.append(sim.now())

        body.interrupt()
        sim.run()
        assert log == ["began", 0]

    def test_between_trigger_and_delivery(self, sim, log):
        signal = sim.event()

        @sim.process
        def waiter(sim):
            try:
                yield signal
                log.append("value")
            except Interrupt:
                log.append("interrupted")

        def both():
            signal.succeed()
            waiter.interrupt()

        sim.schedule(5, both)
        sim.run()
        assert log == ["interrupted"]

    def test_by_one_that_waits_for_the_same_signal(self, sim, log):
        signal = sim.event()

        def first(sim):
            yield signal
            second.interrupt()

        def second_body(sim):
            try:
                yield signal
                log.append("value")
            except Interrupt:
                log.append("interrupted")

        sim.process(first)
        second = sim.process(second_body)
        sim.schedule(5, signal.succeed)
        sim.run()
        assert log == ["interrupted"]

    def test_impossible(self, sim):
        def self_harm(sim):
            sim.active_process.interrupt()
            yield 1

        sim.process(self_harm)
        with pytest.raises(RuntimeError, match="cannot interrupt itself"):
            sim.run()

        @sim.process
        def short(sim):
            yield 1

        sim.run()
        with pytest.raises(RuntimeError, match="has ended"):
            short.interrupt()

    def test_process_is_not_cancelled(self, sim, log):
        @sim.process
        def body(sim):
            yield 5
            log.append("done")

        assert body.cancel() is False
        sim.run()
        assert log == ["done"]


class TestFailure:
    def test_of_a_process_nobody_waits_for(self, sim):
        def faulty(sim):
            yield ms(2)
            raise LookupError("broken")

        sim.schedule_in_context(3, 0, sim.process, faulty)
        with pytest.raises(LookupError, match="broken") as caught:
            sim.run()
        (note,) = caught.value.__notes__
        assert "at 0.002000000 s, node 3, in process" in note
        assert "faulty" in note
        assert "faulty" in [entry.name for entry in caught.traceback]
        assert sim.failure.error is caught.value
        # The rest of the simulation may go on.
        assert sim.run().reason == "empty"

    def test_reaches_those_who_wait(self, sim, log):
        def faulty(sim):
            yield 2
            raise LookupError("broken")

        @sim.process
        def parent(sim):
            try:
                yield sim.process(faulty)
            except LookupError as error:
                log.append((sim.now(), str(error)))

        sim.run()
        assert log == [(2, "broken")]
        assert parent.ok

    def test_travels_up(self, sim):
        def faulty(sim):
            yield 2
            raise LookupError("broken")

        def parent(sim):
            yield sim.process(faulty)

        grandparent = sim.process(parent)
        with pytest.raises(LookupError, match="broken"):
            sim.run()
        assert not grandparent.ok
        assert repr(grandparent).endswith("failed>")

    def test_at_the_first_step(self, sim):
        def faulty(sim):
            raise LookupError("early")
            yield

        sim.process(faulty)
        with pytest.raises(LookupError, match="early"):
            sim.run()

    def test_keyboard_interrupt_leaves_at_once(self, sim):
        def interrupted(sim):
            yield 1
            raise KeyboardInterrupt

        sim.process(interrupted)
        with pytest.raises(KeyboardInterrupt):
            sim.run()
        assert sim.active_process is None

    def test_active_process(self, sim, log):
        def body(sim):
            log.append(sim.active_process is process)
            other = Simulator()
            other.process(inner)
            other.run()
            log.append(sim.active_process is process)
            yield 1

        def inner(sim):
            log.append(sim.active_process is not process)
            yield 1

        process = sim.process(body)
        assert sim.active_process is None
        sim.run()
        assert log == [True, True, True]
        assert sim.active_process is None


class TestLeaks:
    def run_and_forget(self, build):
        class Marker:
            pass

        sim = Simulator()
        marker = Marker()
        watch, watch_sim = weakref.ref(marker), weakref.ref(sim)
        build(sim, marker)
        sim.run(until=10)
        del sim, marker
        gc.collect()
        return watch() is None and watch_sim() is None

    def test_sleeping_for_ever(self):
        def build(sim, marker):
            def body(sim):
                kept = marker
                while True:
                    yield 1000
                    del kept

            sim.process(body)

        assert self.run_and_forget(build)

    def test_signal_that_never_happens(self):
        def build(sim, marker):
            def body(sim):
                kept = (marker, sim)
                signal = sim.event()
                yield signal | sim.event()
                del kept

            sim.process(body)

        assert self.run_and_forget(build)

    def test_finished(self):
        def build(sim, marker):
            def body(sim):
                kept = marker
                yield 3
                return kept

            def parent(sim):
                yield sim.process(body)

            sim.process(parent)

        assert self.run_and_forget(build)

    def test_finished_processes_are_freed_without_the_collector(self):
        sim = Simulator()

        def body(sim):
            yield 1

        process = sim.process(body)
        # A signal has no weak references: watch the generator's frame through a local.
        watch = None

        class Marker:
            pass

        def holder(sim):
            nonlocal watch
            marker = Marker()
            watch = weakref.ref(marker)
            yield 1

        gc.disable()
        try:
            sim.process(holder)
            sim.run()
            assert watch() is None
        finally:
            gc.enable()
        assert not process.is_alive


def test_signals_of_the_public_face(sim):
    assert isinstance(sim.event(), Signal)
    assert isinstance(sim.any_of(), Condition)


def test_one_step_is_one_event(sim):
    @sim.process
    def body(sim):
        for _ in range(100):
            yield 1

    # One to start, one for each delay.
    assert sim.run().events == 101


class TestWhatEndsTheRun:
    @pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit])
    @pytest.mark.parametrize("by_throw", [False, True])
    def test_ends_its_process(self, sim, ending, by_throw):
        @sim.process
        def dies(sim):
            try:
                yield ms(1)
            except Interrupt:
                raise ending from None
            raise ending

        if by_throw:
            sim.schedule(0, dies.interrupt)
        with pytest.raises(ending):
            sim.run()
        assert not dies.is_alive
        assert dies.triggered
        assert not dies.ok
        assert isinstance(dies.value, ending)
        assert sim.run().events == 0

    def test_reaches_those_who_wait_for_the_process(self, sim, log):
        def dies(sim):
            yield ms(1)
            raise SystemExit(3)

        def waits(sim, process):
            try:
                yield process
            except SystemExit as error:
                log.append(error.code)

        process = sim.process(dies)
        sim.process(waits, process)
        with pytest.raises(SystemExit):
            sim.run()
        sim.run()
        assert log == [3]


class TestCallbackThatRaises:
    @pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
    def test_those_after_it_are_told_later(self, sim, log, kind):
        signal = sim.event()

        def raises(_):
            raise kind("callback")

        def waits(sim, name):
            log.append((name, (yield signal), sim.now()))

        signal.add_callback(lambda _: log.append("before"))
        signal.add_callback(raises)
        signal.add_callback(raises)
        sim.process(waits, "a")
        sim.process(waits, "b")
        sim.schedule(5, signal.succeed, 7)
        for _ in range(2):
            with pytest.raises(kind):
                sim.run()
            assert log == ["before"]
        sim.run()
        assert log == ["before", ("a", 7, 5), ("b", 7, 5)]

    def test_a_failure_is_still_raised_in_those_after_it(self, sim, log):
        signal = sim.event()

        def raises(_):
            raise ValueError("callback")

        def waits(sim):
            try:
                yield signal
            except LookupError:
                log.append("handled")

        signal.add_callback(raises)
        sim.process(waits)
        sim.schedule(5, signal.fail, LookupError())
        with pytest.raises(ValueError, match="callback"):
            sim.run()
        sim.run()
        assert log == ["handled"]

    def test_a_process_interrupted_meanwhile_is_not_told(self, sim, log):
        signal = sim.event()

        def raises(_):
            raise ValueError("callback")

        @sim.process
        def waits(sim):
            try:
                yield signal
            except Interrupt:
                log.append("interrupted")
                yield ms(1)
                log.append(sim.now())

        signal.add_callback(raises)
        sim.schedule(5, signal.succeed)
        with pytest.raises(ValueError, match="callback"):
            sim.run()
        waits.interrupt()
        sim.run()
        assert log == ["interrupted", ms(1) + 5]


class TestMisuse:
    def test_a_signal_is_initialised_once(self, sim):
        signal = sim.event()
        with pytest.raises(RuntimeError, match="this Signal was initialised before"):
            signal.__init__(Simulator())
        timeout = sim.timeout(5)
        with pytest.raises(RuntimeError, match="this Timeout was initialised before"):
            timeout.__init__(sim, 5)
        assert sim.run().events == 1
        with pytest.raises(RuntimeError, match="this Timeout was initialised before"):
            timeout.__init__(sim, 5)

    def test_a_signal_without_a_simulator_is_refused(self, sim):
        class Forgetful(Signal):
            def __init__(self):
                pass

        def waits(sim):
            yield signal

        signal = Forgetful()
        signal.add_callback(print)
        for use in (
            signal.succeed, lambda: signal.fail(ValueError()), lambda: signal | signal,
            lambda: signal & 5, lambda: sim.any_of(signal), lambda: sim.event() | signal,
        ):
            with pytest.raises(RuntimeError, match="this Forgetful belongs to no simulator"):
                use()
        sim.process(waits)
        with pytest.raises(ValueError, match="belongs to another simulator"):
            sim.run()

    @pytest.mark.parametrize("kind", [Condition, Timeout, Process])
    def test_bare_objects_are_refused(self, kind):
        bare = kind.__new__(kind)
        bare.add_callback(print)
        with pytest.raises(RuntimeError, match="belongs to no simulator"):
            bare.succeed()
        if kind is Process:
            with pytest.raises(RuntimeError, match="belongs to no simulator"):
                bare.interrupt()

    def test_a_process_whose_generator_has_no_name_is_named_by_its_type(self, sim):
        class Generator:
            def send(self, value):
                raise StopIteration(3)

            def throw(self, error):
                raise error

            def __iter__(self):
                return self

            def __next__(self):
                raise StopIteration(3)

            def __getattr__(self, name):
                if name == "__qualname__":
                    raise LookupError(name)
                raise AttributeError(name)

        process = sim.process(Generator())
        assert repr(process) == "<process Generator, alive>"


class TestDepth:
    def nested(self, sim, depth):
        first = condition = sim.event()
        for _ in range(depth):
            condition = condition | sim.event()
        return first, condition

    def test_conditions_inside_one_another(self, sim, log):
        first, condition = self.nested(sim, 5000)
        condition.add_callback(log.append)
        first.succeed()
        sim.run()
        assert log == [condition]

    def test_too_many_are_refused(self, sim):
        with pytest.raises(RecursionError, match=r"the most is 5000: .* any_of\(\*events\)"):
            self.nested(sim, 5001)

    def test_one_condition_takes_many_events(self, sim, log):
        events = [sim.event() for _ in range(40_000)]
        sim.any_of(*events).add_callback(lambda condition: log.append(condition.value))
        events[-1].succeed("last")
        sim.run()
        assert log == [{events[-1]: "last"}]
