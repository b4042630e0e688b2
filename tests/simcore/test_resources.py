"""Resources, containers and stores: order, priority, preemption, withdrawal; against SimPy."""

import gc
import random
import weakref

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import simcore
from simcore import (
    Container,
    FilterStore,
    Interrupt,
    Preempted,
    PreemptiveResource,
    PriorityResource,
    Resource,
    Simulator,
    Store,
    ms,
)
from simcore.resources import Get, Put, Request


@pytest.fixture
def sim():
    return Simulator()


@pytest.fixture
def log():
    return []


class TestResource:
    @pytest.mark.parametrize("capacity", [1, 2, 3])
    def test_places_in_the_order_of_the_requests(self, sim, log, capacity):
        resource = Resource(sim, capacity)

        @sim.process
        def user(sim, name):
            with resource.request() as request:
                yield request
                log.append((sim.now(), name))
                assert request in resource.users
                assert resource.count <= capacity
                yield 10

        for name in range(6):
            user(name)
        sim.run()
        assert log == [(10 * (name // capacity), name) for name in range(6)]
        assert resource.count == 0
        assert resource.users == []

    def test_free_place_costs_no_event(self, sim):
        resource = Resource(sim)

        @sim.process
        def user(sim):
            with resource.request() as request:
                assert request.processed
                yield request
                assert request.usage_since == 0

        assert sim.run().events == 1

    def test_queue_and_users(self, sim):
        resource = Resource(sim, 1)
        first, second, third = (resource.request() for _ in range(3))
        assert resource.users == [first]
        assert resource.queue == [second, third]
        assert second.usage_since is None
        assert repr(resource) == "<Resource, 1 of 1 in use, 2 waiting>"
        resource.release(second)
        assert resource.queue == [third]
        resource.release(first)
        assert resource.users == [third]
        resource.release(first)
        assert resource.users == [third]
        resource.release(third)
        assert resource.count == 0

    def test_withdrawn_request_is_passed_over(self, sim, log):
        resource = Resource(sim)

        @sim.process
        def impatient(sim, name, patience):
            with resource.request() as request:
                done = yield request | sim.timeout(patience)
                if request in done:
                    log.append((name, sim.now()))
                    yield 10
                else:
                    log.append((name, "left"))

        impatient("a", 5)
        impatient("b", 5)
        impatient("c", 50)
        sim.run()
        assert log == [("a", 0), ("b", "left"), ("c", 10)]
        assert resource.count == 0

    def test_withdrawn_requests_do_not_pile_up(self, sim):
        resource = Resource(sim)
        holder = resource.request()
        for _ in range(10_000):
            resource.request().cancel()
        assert repr(resource).endswith("0 waiting>")
        watch = [weakref.ref(resource)]
        last = resource.request()
        assert resource.queue == [last]
        resource.release(holder)
        assert resource.users == [last]
        assert last.cancel() is False
        del resource, holder, last
        gc.collect()
        assert watch[0]() is None

    def test_interrupted_while_waiting_and_while_holding(self, sim, log):
        resource = Resource(sim)

        @sim.process
        def user(sim, name):
            try:
                with resource.request() as request:
                    yield request
                    yield 10
                    log.append(name)
            except Interrupt:
                log.append(f"{name} interrupted at {sim.now()}")

        a, b = user("a"), user("b")
        user("c")
        sim.schedule(3, b.interrupt)
        sim.schedule(5, a.interrupt)
        sim.run()
        assert log == ["b interrupted at 3", "a interrupted at 5", "c"]
        assert sim.now() == 15

    def test_wrong_use(self, sim):
        with pytest.raises(ValueError, match="capacity is 0: it must be at least 1"):
            Resource(sim, 0)
        with pytest.raises(TypeError, match=r"capacity is 1\.5"):
            Resource(sim, 1.5)
        with pytest.raises(TypeError, match=r"resource\.request"):
            Request()
        with pytest.raises(ValueError, match="another resource"):
            Resource(sim).release(Resource(sim).request())


class TestPriority:
    def test_order(self, sim, log):
        resource = PriorityResource(sim)

        @sim.process
        def user(sim, name, priority):
            yield 1
            with resource.request(priority) as request:
                yield request
                log.append(name)
                yield 10

        for name, priority in (("first", 9), ("c", 2), ("a", 0), ("d", 2.5), ("b", 0)):
            user(name, priority)
        sim.run()
        assert log == ["first", "a", "b", "c", "d"]

    def test_withdrawn(self, sim):
        resource = PriorityResource(sim)
        holder = resource.request()
        requests = [resource.request(priority=i % 3) for i in range(90)]
        for request in requests[::2]:
            assert request.cancel()
        expected = sorted(requests[1::2], key=lambda request: request.priority)
        assert resource.queue == expected
        resource.release(holder)
        for request in expected:
            assert resource.users == [request]
            resource.release(request)

    def test_nan(self, sim):
        with pytest.raises(ValueError, match="priority is NaN"):
            PriorityResource(sim).request(float("nan"))


class TestPreemption:
    def test_the_less_important_loses(self, sim, log):
        resource = PreemptiveResource(sim)

        @sim.process
        def user(sim, name, delay, priority, preempt=True):
            yield delay
            with resource.request(priority, preempt=preempt) as request:
                yield request
                log.append((sim.now(), name, "starts"))
                try:
                    yield 10
                    log.append((sim.now(), name, "done"))
                except Interrupt as interrupt:
                    cause = interrupt.cause
                    assert isinstance(cause, Preempted)
                    assert cause.resource is resource
                    assert cause.by.name == "user"
                    log.append((sim.now(), name, "lost after", sim.now() - cause.usage_since))

        user("low", 0, 5)
        user("polite", 1, 0, preempt=False)
        user("high", 3, 0)
        sim.run()
        # The polite one asked first: with equal priority it is first in the queue, and holds up
        # the one that would preempt, as in SimPy.
        assert log == [
            (0, "low", "starts"),
            (10, "low", "done"),
            (10, "polite", "starts"),
            (20, "polite", "done"),
            (20, "high", "starts"),
            (30, "high", "done"),
        ]
        log.clear()
        user("low", 0, 5)
        user("high", 4, 1)
        sim.run()
        assert [entry[1:] for entry in log] == [
            ("low", "starts"),
            ("high", "starts"),
            ("low", "lost after", 4),
            ("high", "done"),
        ]

    def test_equal_priority_does_not_preempt(self, sim):
        resource = PreemptiveResource(sim)
        first = resource.request(1)
        second = resource.request(1)
        assert resource.users == [first]
        third = resource.request(0)
        assert resource.users == [third]
        assert resource.queue == [second]
        assert second.preempt


def run_ours(kind, capacity, plan):
    sim = Simulator()
    resource = {"plain": Resource, "priority": PriorityResource, "preempt": PreemptiveResource}[
        kind
    ](sim, capacity)
    log = []

    def user(sim, name, arrival, service, priority, patience):
        yield arrival
        args = () if kind == "plain" else (priority,)
        with resource.request(*args) as request:
            try:
                done = yield request | sim.timeout(patience)
                if request not in done:
                    log.append((sim.now(), name, "left"))
                    return
                log.append((sim.now(), name, "served"))
                yield service
                log.append((sim.now(), name, "done"))
            except Interrupt as interrupt:
                log.append((sim.now(), name, "lost", interrupt.cause.usage_since))

    for name, row in enumerate(plan):
        sim.process(user, name, *row)
    sim.run()
    assert resource.count == 0
    assert resource.queue == []
    return sorted(log)


def run_simpy(kind, capacity, plan):
    env = simpy.Environment()
    resource = {
        "plain": simpy.Resource,
        "priority": simpy.PriorityResource,
        "preempt": simpy.PreemptiveResource,
    }[kind](env, capacity)
    log = []

    def user(name, arrival, service, priority, patience):
        yield env.timeout(arrival)
        args = () if kind == "plain" else (priority,)
        with resource.request(*args) as request:
            try:
                done = yield request | env.timeout(patience)
                if request not in done:
                    log.append((env.now, name, "left"))
                    return
                log.append((env.now, name, "served"))
                yield env.timeout(service)
                log.append((env.now, name, "done"))
            except simpy.Interrupt as interrupt:
                log.append((env.now, name, "lost", interrupt.cause.usage_since))

    for name, row in enumerate(plan):
        env.process(user(name, *row))
    env.run()
    return sorted(log)


@pytest.mark.parametrize("kind", ["plain", "priority", "preempt"])
@pytest.mark.parametrize("capacity", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_same_as_simpy(kind, capacity, seed):
    """Times are all different, so that the order of simultaneous events plays no part."""
    rng = random.Random(seed)
    times = rng.sample(range(1, 10**9), 600)
    plan = [
        (times.pop(), times.pop() // 10, rng.randrange(4), times.pop() // 5) for _ in range(150)
    ]
    ours = run_ours(kind, capacity, plan)
    assert ours == run_simpy(kind, capacity, plan)
    kinds = {entry[2] for entry in ours}
    assert kinds >= {"served", "done", "left"}
    assert ("lost" in kinds) == (kind == "preempt")


class TestContainer:
    def test_levels(self, sim, log):
        tank = Container(sim, capacity=10, init=4)

        @sim.process
        def driver(sim):
            got = yield tank.get(7)
            log.append(("got", got, sim.now(), tank.level))

        @sim.process
        def truck(sim):
            yield 5
            yield tank.put(4)
            log.append(("put", sim.now(), tank.level))
            yield tank.put(9)
            log.append(("full", sim.now(), tank.level))

        sim.run()
        # The put of 4 makes room for the get of 7 at once.
        assert sorted(log, key=str) == sorted(
            [("got", 7, 5, 10), ("put", 5, 1), ("full", 5, 10)], key=str
        )

    def test_the_first_in_the_queue_holds_up_the_others(self, sim):
        tank = Container(sim, 10, 1)
        large, small = tank.get(5), tank.get(1)
        assert not small.triggered
        assert tank.get_queue == [large, small]
        assert isinstance(large, Get)
        assert large.cancel() is True
        assert small.processed
        assert tank.level == 0

    def test_waiting_puts(self, sim):
        tank = Container(sim, 10, 10)
        put = tank.put(3)
        assert isinstance(put, Put)
        assert tank.put_queue == [put]
        with tank.get(2) as get:
            assert get.processed
        assert not put.triggered
        tank.get(1)
        assert put.triggered
        assert tank.level == 10

    def test_wrong_use(self, sim):
        with pytest.raises(ValueError, match="capacity is 0"):
            Container(sim, 0)
        with pytest.raises(ValueError, match="init is 5: it must be from 0 to the capacity, 4"):
            Container(sim, 4, 5)
        tank = Container(sim, 4)
        for wrong in (0, -1, 5, float("nan")):
            with pytest.raises(ValueError, match="amount is"):
                tank.put(wrong)
            with pytest.raises(ValueError, match="amount is"):
                tank.get(wrong)
        assert repr(tank) == "<Container, level 0 of 4>"
        with pytest.raises(TypeError, match="put"):
            Put()


class TestStore:
    def test_producer_and_consumer(self, sim, log):
        store = Store(sim, capacity=2)

        @sim.process
        def producer(sim):
            for item in range(5):
                yield store.put(item)
                log.append(("put", item, sim.now()))

        @sim.process
        def consumer(sim):
            while True:
                yield 10
                log.append(("got", (yield store.get()), sim.now()))

        sim.run(until=60)
        assert [entry[1:] for entry in log if entry[0] == "put"] == [
            (0, 0),
            (1, 0),
            (2, 10),
            (3, 20),
            (4, 30),
        ]
        assert [entry[1:] for entry in log if entry[0] == "got"] == [
            (i, 10 * i + 10) for i in range(5)
        ]
        assert repr(store) == "<Store, 0 of 2 items>"
        assert len(store.get_queue) == 1

    def test_consumers_are_served_in_order(self, sim, log):
        store = Store(sim)

        def consumer(sim, name):
            log.append((name, (yield store.get())))

        for name in "abc":
            sim.process(consumer, name)
        sim.schedule(5, lambda: [store.put(i) for i in range(4)])
        sim.run()
        assert log == [("a", 0), ("b", 1), ("c", 2)]
        assert list(store.items) == [3]

    def test_withdrawn_get_takes_nothing(self, sim, log):
        store = Store(sim)

        @sim.process
        def impatient(sim):
            with store.get() as get:
                done = yield get | sim.timeout(5)
                log.append(get in done)

        sim.schedule(9, store.put, "late")
        sim.run()
        assert log == [False]
        assert list(store.items) == ["late"]

    def test_wrong_capacity(self, sim):
        with pytest.raises(ValueError, match="capacity is 0"):
            Store(sim, 0)
        with pytest.raises(TypeError, match=r"capacity is 2\.5"):
            Store(sim, 2.5)


class TestFilterStore:
    def test_filters(self, sim, log):
        store = FilterStore(sim)

        def consumer(sim, name, wanted):
            item = yield store.get(lambda item: item % 3 == wanted)
            log.append((name, item, sim.now()))

        sim.process(consumer, "zero", 0)
        sim.process(consumer, "one", 1)
        sim.process(consumer, "two", 2)
        for i, item in enumerate([8, 4, 7, 3]):
            sim.schedule(i + 1, store.put, item)
        sim.run()
        assert log == [("two", 8, 1), ("one", 4, 2), ("zero", 3, 4)]
        assert list(store.items) == [7]
        assert store.get().value == 7
        with pytest.raises(TypeError, match="filter is 3"):
            store.get(3)

    def test_filter_that_raises_when_another_get_is_withdrawn_fails_the_run(self, sim):
        store = FilterStore(sim)
        store.put(1)
        moods = []

        def picky(item):
            if moods:
                raise RuntimeError("not today")
            return False

        store.get(picky)
        other = store.get(lambda item: False)
        moods.append("bad")
        assert other.cancel()
        with pytest.raises(RuntimeError, match="not today"):
            sim.run()

    def test_room_for_waiting_puts(self, sim):
        store = FilterStore(sim, 2)
        puts = [store.put(i) for i in range(4)]
        get = store.get(lambda item: item == 3)
        assert not get.triggered
        assert [put.triggered for put in puts] == [True, True, False, False]
        assert store.get(lambda item: item == 1).value == 1
        assert list(store.items) == [0, 2]
        store.get(lambda item: item == 0)
        # Now 3 came in and went to the get that waited for it.
        assert get.value == 3
        assert list(store.items) == [2]


@settings(deadline=None, max_examples=200)
@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.sampled_from(["put", "get"]), st.integers(0, 30)), max_size=40),
)
def test_store_against_simpy(capacity, plan):
    def ours():
        sim = Simulator()
        store = Store(sim, capacity)
        log = []

        def actor(sim, name, action, delay):
            yield delay * 100 + name
            if action == "put":
                yield store.put(name)
                log.append((sim.now(), name, "put"))
            else:
                item = yield store.get()
                log.append((sim.now(), name, "got", item))

        for name, row in enumerate(plan):
            sim.process(actor, name, *row)
        sim.run()
        return sorted(log), list(store.items)

    def theirs():
        env = simpy.Environment()
        store = simpy.Store(env, capacity)
        log = []

        def actor(name, action, delay):
            yield env.timeout(delay * 100 + name)
            if action == "put":
                yield store.put(name)
                log.append((env.now, name, "put"))
            else:
                item = yield store.get()
                log.append((env.now, name, "got", item))

        for name, row in enumerate(plan):
            env.process(actor(name, *row))
        env.run()
        return sorted(log), store.items

    assert ours() == theirs()


def test_exported_by_the_package():
    for name in ("Resource", "Store", "Process", "Interrupt", "Signal"):
        assert name in simcore.__all__
        assert getattr(simcore, name).__name__ == name


class TestMisuse:
    @pytest.mark.parametrize("kind", [PriorityResource, PreemptiveResource])
    @pytest.mark.parametrize(
        ("priority", "error"),
        [
            ("x", TypeError),
            (None, TypeError),
            ((1, 2), TypeError),
            (1j, TypeError),
            (float("nan"), ValueError),
        ],
    )
    def test_a_refused_request_leaves_no_trace(self, sim, kind, priority, error):
        resource = kind(sim)
        first = resource.request(1)
        with pytest.raises(error, match="priority is"):
            resource.request(priority)
        last = resource.request(2)
        assert resource.queue == [last]
        resource.release(first)
        assert resource.users == [last]

    @pytest.mark.parametrize("kind", [Resource, PriorityResource, PreemptiveResource, Store])
    def test_subclasses_that_forget_the_simulator_are_refused(self, kind):
        class Forgetful(kind):
            def __init__(self):
                pass

        with pytest.raises(RuntimeError, match="this Forgetful belongs to no simulator"):
            Forgetful().put(1) if kind is Store else Forgetful().request()

    def test_a_bare_container_is_refused(self):
        with pytest.raises(RuntimeError, match="belongs to no simulator"):
            FilterStore.__new__(FilterStore).get()

    @pytest.mark.parametrize("kind", [Resource, PriorityResource, Store, Container])
    def test_initialised_once(self, sim, kind):
        made = kind(sim)
        with pytest.raises(RuntimeError, match="was initialised before"):
            made.__init__(sim)


class TestPreemptionOfTheRunningProcess:
    def test_a_process_that_preempts_itself_is_interrupted_when_it_waits(self, sim, log):
        resource = PreemptiveResource(sim)

        @sim.process
        def greedy(sim):
            mine = resource.request(5)
            yield mine
            better = resource.request(1)
            yield better
            log.append((resource.users == [better], resource.queue))
            try:
                yield ms(1)
            except Interrupt as interrupt:
                log.append((sim.now(), interrupt.cause.by is greedy))
            resource.release(mine)
            resource.release(better)

        sim.run()
        assert log == [(True, []), (0, True)]
        assert resource.count == 0
        assert resource.request().triggered

    def test_a_release_that_lets_another_preempt_the_releaser(self, sim, log):
        resource = PreemptiveResource(sim, 2)

        @sim.process
        def holder(sim):
            one, two = resource.request(10), resource.request(10)
            yield one & two
            try:
                yield ms(1)
                resource.release(two)
                log.append((resource.count, resource.queue))
                yield ms(9)
            except Interrupt as interrupt:
                log.append((sim.now(), interrupt.cause.by is second))

        @sim.process
        def first(sim):
            yield resource.request(0, preempt=False)

        @sim.process
        def second(sim):
            yield resource.request(1)

        sim.run()
        assert log == [(2, []), (ms(1), True)]
