"""The kernel: clock, pending events, event loop, contexts. docs/time.md states its rules."""

cimport cython
from cpython.buffer cimport PyBUF_CONTIG, PyBuffer_Release, PyObject_GetBuffer
from cpython.exc cimport PyErr_CheckSignals, PyErr_Occurred
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from simcore.schedulers.entry cimport (
    MAX_SLOTS, SEQUENCE_LIMIT_BITS, SLOT_BITS, Entry, entry_key, entry_slot, entry_time, make_entry,
)
from simcore.schedulers.heap cimport (
    CACHE_LINE, Heap, heap_fill_hole, heap_free, heap_insert, heap_peek, heap_remove, heap_second,
    heap_sift_down, heap_take, heap_update,
)
from simcore.schedulers.radix cimport (
    Radix, radix_free, radix_insert, radix_peek, radix_remove, radix_take,
)

import gc
import time as wall
from dataclasses import dataclass

cdef extern from "Python.h":
    ctypedef struct PyTupleObject:
        PyObject** ob_item
    bint PyCallable_Check(object value) noexcept
    long long PyLong_AsLongLongAndOverflow(object value, int* overflow) except? -1
    object PyObject_CallNoArgs(object callable)
    object PyObject_Vectorcall(object callable, PyObject** args, size_t count, PyObject* names)
    ctypedef int (*visitproc)(PyObject*, void*) noexcept
    ctypedef int (*traverseproc)(PyObject*, visitproc, void*) noexcept
    ctypedef int (*inquiry)(PyObject*) noexcept
    ctypedef struct PyTypeObject:
        traverseproc tp_traverse
        inquiry tp_clear
    void drop_reference "Py_DECREF" (PyObject* pointer)

cdef enum Backend:
    HEAP
    RADIX
    SORTED

cdef extern from *:
    """
    #define simcore_prefetch(p) __builtin_prefetch(p)
    #define simcore_unlikely(x) __builtin_expect(!!(x), 0)
    /* For a call that has left its exception behind, to be raised from Cython. */
    #define simcore_raise_pending() (-1)
    """
    void prefetch "simcore_prefetch" (const void* p) noexcept nogil
    bint unlikely "simcore_unlikely" (bint x) noexcept nogil
    int raise_pending "simcore_raise_pending" () except -1

cdef enum:
    # Events between two looks at signals and progress: often enough for Ctrl-C within a tenth of
    # a second with 100 us handlers, too rare to cost.
    EVENTS_BETWEEN_CHORES = 512
    # Every so many looks, other threads and the garbage collector have their turn.
    LOOKS_BETWEEN_TURNS = 4
    # Net new tracked objects that make the loop collect the young generations.
    COLLECT_AFTER = 50000
    # Young collections before one of everything; doubled while that finds little, up to the limit.
    FULL_COLLECTION_AFTER = 16
    FULL_COLLECTION_LIMIT = 1024
    # Pending events from which on the next one is fetched while the present one runs: fewer are
    # in the cache anyway.
    PREFETCH_FROM = 4096

MAX_TIME = 0x7FFFFFFFFFFFFFFF
END_OF_TIME = MAX_TIME
cdef dict BACKENDS = {"heap": HEAP, "radix": RADIX, "sorted": SORTED}


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What one call of `Simulator.run` did.

    Attributes
    ----------
    events : int
        Events run by this call.
    sim_time : int
        The clock at its end (ns).
    wall_time : float
        Seconds it took.
    reason : str
        ``"until"``, ``"empty"`` (nothing left to run) or ``"stopped"``.
    """

    events: int
    sim_time: int
    wall_time: float
    reason: str


@dataclass(frozen=True, slots=True)
class EventFailure:
    """Where a handler raised.

    Attributes
    ----------
    time : int
        Simulated time (ns).
    context : int
        Node, or -1.
    handler : str
        Name of the callable or kind of event.
    error : BaseException
        What it raised.
    """

    time: int
    context: int
    handler: str
    error: BaseException

    def __str__(self) -> str:
        place = "outside any node" if self.context < 0 else f"node {self.context}"
        return f"at {self.time / 1e9:.9f} s, {place}, in {self.handler}"


cdef int64_t delay_from(object value, int64_t now) except -1:
    """Check a delay given from Python: whole nanoseconds, not negative, before the end of time."""
    cdef int64_t delay = time_from(value, "delay")
    if delay > MAX_TIME - now:
        raise OverflowError(
            f"delay of {delay} ns from {now} ns is past the end of time ({MAX_TIME} ns)"
        )
    return delay


cdef int64_t time_from(object value, str name) except -1:
    cdef int64_t result
    cdef int overflow = 0
    if type(value) is not int:
        if isinstance(value, float):
            if not isfinite(value):
                raise ValueError(f"{name} is {value}: it must be a finite number of nanoseconds")
            raise TypeError(
                f"{name} is the float {value!r}: times are whole nanoseconds, "
                "as made by ns(), us(), ms() and seconds()"
            )
        try:
            value = value.__index__()
        except AttributeError:
            raise TypeError(
                f"{name} is {value!r}: it must be an int of nanoseconds, "
                "as made by ns(), us(), ms() and seconds()"
            ) from None
    result = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow > 0:
        raise OverflowError(f"{name} is {value} ns: the end of time is {MAX_TIME} ns")
    if overflow < 0 or result < 0:
        raise ValueError(f"{name} is {value} ns: it must not be negative")
    return result


cdef int wrong_delay(int64_t delay, int64_t now) except -1:
    if delay < 0:
        raise ValueError(f"delay is {delay} ns: it must not be negative")
    raise OverflowError(f"delay of {delay} ns from {now} ns is past the end of time")


include "pending.pxi"
include "event.pxi"


cdef class Simulator:
    """A discrete-event simulation: one clock, one set of pending events.

    Two simulators in one process share nothing.

    Parameters
    ----------
    seed : int
        Seed of the random streams.
    run : int
        Replication: another run of the same seed draws independent numbers.
    scheduler : {"heap", "radix", "sorted"}
        The pending-event set. All run events in the same order; ``radix`` is faster from some
        50,000 pending events on, ``sorted`` is the slow reference.
    realtime : bool
        Keep step with the wall clock: see `simcore.bridge.RealTime`, which this makes.
    speed : float
        Simulated seconds in one second of wall time, when `realtime`.

    Attributes
    ----------
    pacer : object or None
        Says how far a run may go. ``begin()`` is called when a run starts; then, before each batch
        of events, ``advance(limit)``, which may wait and schedule events, and returns the time
        (ns, not before now) up to which events may run. The run is over when it has returned
        ``limit`` and nothing is left up to there.
    """

    def __cinit__(self, *args, **kwargs):
        memset(&self.heap, 0, sizeof(Heap))
        memset(&self.radix, 0, sizeof(Radix))
        self.free_slot = -1
        self.current_context = NO_CONTEXT
        self.now_object = 0
        self.registry = {}
        self.flushers = []

    def __init__(self, seed=1, run=1, scheduler="heap", *, bint realtime=False, speed=1.0):
        # The pending events would be lost in a set of another kind.
        if self.random is not None or pending_in(self) > 0:
            refuse_second_init(self)
        if scheduler not in BACKENDS:
            raise ValueError(f"scheduler is {scheduler!r}: it must be one of {sorted(BACKENDS)}")
        from simcore.random import RandomManager

        random = RandomManager(seed, run)
        self.backend = BACKENDS[scheduler]
        if self.backend == SORTED:
            from simcore.schedulers.sorted import SortedEventSet

            self.sorted_set = SortedEventSet()
        self.random = random
        if realtime:
            from simcore.bridge.realtime import RealTime

            RealTime(self, speed=speed)
        elif speed != 1.0:
            raise ValueError(f"speed is {speed}: it has a meaning with realtime=True only")

    def __dealloc__(self):
        self.drop_pending()
        heap_free(&self.heap)
        radix_free(&self.radix)
        free(self.pending)
        free(self.position)

    # Clock and context

    def now(self):
        """Current simulated time (int, ns)."""
        if self.now_object_ns != self.now_ns:
            self.now_object = self.now_ns
            self.now_object_ns = self.now_ns
        return self.now_object

    def now_seconds(self):
        """Current simulated time (float, s)."""
        return self.now_ns / 1e9

    @property
    def context(self):
        """Node of the running event, or -1."""
        return self.current_context

    @property
    def pending_events(self):
        """Events that wait for their time."""
        return pending_in(self)

    @property
    def next_event_time(self):
        """Time of the earliest pending event (int, ns), or None."""
        cdef Entry first
        if not self.peek(&first):
            return None
        return entry_time(first)

    def new_uid(self):
        """A number that no other packet of this simulation has."""
        return self.next_uid()

    cdef int64_t next_uid(self) noexcept:
        self.last_uid += 1
        return self.last_uid

    # Scheduling from Python

    def schedule(self, delay, callback, *args):
        """Call ``callback(*args)`` after a delay, in the current context.

        Parameters
        ----------
        delay : int
            Nanoseconds from now; ``ms(10)`` and its like build it.
        callback : callable
        *args

        Returns
        -------
        Event

        Raises
        ------
        ValueError
            When the delay is negative or not finite.
        OverflowError
            When it ends after the end of time (2**63 - 1 ns).
        """
        return schedule_callback(
            self, self.now_ns + delay_from(delay, self.now_ns), self.current_context, callback, args
        )

    def schedule_at(self, time, callback, *args):
        """Call ``callback(*args)`` at an absolute time (ns), which must not be in the past."""
        cdef int64_t when = time_from(time, "time")
        if when < self.now_ns:
            raise ValueError(f"time is {when} ns: it must not be before now, {self.now_ns} ns")
        return schedule_callback(self, when, self.current_context, callback, args)

    def schedule_now(self, callback, *args):
        """Call ``callback(*args)`` at the current time, after the events already due now."""
        return schedule_callback(self, self.now_ns, self.current_context, callback, args)

    def schedule_in_context(self, context, delay, callback, *args):
        """Call ``callback(*args)`` after a delay, in the context of a node."""
        cdef int32_t node = context
        if node < NO_CONTEXT:
            raise ValueError(f"context is {node}: it must be a node id or -1")
        return schedule_callback(
            self, self.now_ns + delay_from(delay, self.now_ns), node, callback, args
        )

    def schedule_native(self, delay, handler, data=None):
        """Call machine code after a delay: a `NativeEvent`, made and armed.

        Parameters
        ----------
        delay : int
            Nanoseconds from now.
        handler, data
            See `NativeEvent`.

        Returns
        -------
        NativeEvent
        """
        event = NativeEvent(self, handler, data)
        event.arm(delay)
        return event

    # Scheduling from compiled code

    cdef int schedule_event(self, int64_t delay, Event event) except -1:
        if unlikely(<uint64_t>delay > <uint64_t>(MAX_TIME - self.now_ns)):
            return wrong_delay(delay, self.now_ns)
        return insert_event(self, event, self.now_ns + delay, self.current_context)

    cdef int schedule_event_in(self, int32_t context, int64_t delay, Event event) except -1:
        if unlikely(<uint64_t>delay > <uint64_t>(MAX_TIME - self.now_ns)):
            return wrong_delay(delay, self.now_ns)
        return insert_event(self, event, self.now_ns + delay, context)

    cdef int insert(self, Event event, int64_t time, int32_t context) except -1:
        return insert_event(self, event, time, context)

    cdef int rearm(self, Event event, int64_t time, int32_t context) except -1:
        """Move a pending event to another time; it goes behind the events already due then."""
        cdef Entry entry = make_entry(time, take_key(self, event.slot))
        if self.backend == HEAP:
            heap_update(&self.heap, entry)
        elif self.backend == RADIX:
            radix_remove(&self.radix, event.slot, event.time_ns)
            if radix_insert(&self.radix, entry) < 0:
                return no_room(self, event)
        else:
            self.sorted_set.remove(event.slot)
            self.sorted_set.insert(time, entry_key(entry) >> SLOT_BITS, event.slot)
        event.time_ns = time
        event.context = context
        return 0

    cdef void remove(self, Event event) noexcept:
        remove_event(self, event)

    cdef void release(self, Event event) noexcept:
        release_slot(self, event)

    cdef uint64_t next_key(self, int32_t slot) noexcept:
        return take_key(self, slot)

    cdef int grow_slots(self) except -1:
        cdef int32_t old = self.slot_capacity
        cdef int64_t capacity = 64 if old < 64 else <int64_t>old + (old >> 2)
        cdef int32_t slot
        cdef PyObject** pending
        cdef int32_t* position
        if capacity > MAX_SLOTS:
            capacity = MAX_SLOTS
        if old == capacity:
            raise OverflowError(f"{old} events are pending: no more fit")
        pending = <PyObject**>realloc(self.pending, capacity * sizeof(PyObject*))
        if pending == NULL:
            raise MemoryError("no memory for another pending event")
        self.pending = pending
        position = <int32_t*>realloc(self.position, capacity * sizeof(int32_t))
        if position == NULL:
            raise MemoryError("no memory for another pending event")
        self.position = position
        self.heap.position = position
        self.radix.position = position
        for slot in range(<int32_t>capacity - 1, old - 1, -1):
            pending[slot] = NULL
            position[slot] = self.free_slot
            self.free_slot = slot
        self.slot_capacity = <int32_t>capacity
        return 0

    cdef int renumber(self) except -1:
        """Give the pending entries the lowest insertion numbers, in their order.

        An entry has room for 2**36 of them; a run of more events comes here once in so many.
        """
        cdef list entries = []
        cdef Entry first
        cdef int32_t slot
        while self.peek(&first):
            slot = entry_slot(first)
            self.take(first)
            entries.append((entry_time(first), slot))
        self.sequence = 0
        # The radix heap went forward to the last entry; nothing is pending before the clock.
        self.radix.base = self.now_ns
        for time, slot in entries:
            insert_entry(self, make_entry(time, take_key(self, slot)))
        return 0

    # The run

    cdef bint peek(self, Entry* first) except -1:
        if self.backend == HEAP:
            return heap_peek(&self.heap, first)
        if self.backend == RADIX:
            return radix_peek(&self.radix, first)
        found = self.sorted_set.peek()
        if found is None:
            return False
        first[0] = make_entry(found[0], (<uint64_t>found[1] << SLOT_BITS) | <uint64_t>found[2])
        return True

    cdef int take(self, Entry first) except -1:
        if self.backend == HEAP:
            heap_take(&self.heap)
        elif self.backend == RADIX:
            if radix_take(&self.radix, first) < 0:
                raise MemoryError("no memory to sort the pending events")
        else:
            self.sorted_set.take()
        return 0

    cdef int loop(self, int64_t until, int64_t budget) except -1:
        """Run events until the time, the budget or a stop; 1 when events may remain before it."""
        cdef PyObject* event = NULL
        try:
            if self.backend == HEAP:
                return run_heap(self, until, budget, &event)
            return run_set(self, until, budget, &event)
        except BaseException as error:
            if event != NULL:
                self.failure = EventFailure(
                    self.now_ns, (<Event>event).context, (<Event>event).describe(), error
                )
                drop_reference(event)
                if isinstance(error, Exception):
                    error.add_note(f"simcore: {self.failure}")
            raise

    def run(self, until=None, *, progress=None, double progress_interval=0.1):
        """Run events in the order of (time, insertion), those at ``until`` included.

        Parameters
        ----------
        until : int, optional
            Last time to run (ns). The clock then stands there, even when the events ended
            earlier. None runs until no event is left.
        progress : callable, optional
            Called as ``progress(sim)`` about every ``progress_interval`` seconds of wall time,
            between two events.

        Returns
        -------
        RunSummary

        Raises
        ------
        Exception
            What a handler raised, with a note that names time, context and handler;
            `failure` keeps them.
        KeyboardInterrupt
            On Ctrl-C, between two events.
        """
        cdef int64_t limit = MAX_TIME
        cdef int64_t reached
        cdef int64_t events_before = self.event_count
        cdef double started, now, due
        cdef bint collector
        cdef int64_t looks = 0, young = 0, full_after = FULL_COLLECTION_AFTER
        if self.running:
            raise RuntimeError("run() was called by a handler of the same simulator")
        if until is not None:
            limit = time_from(until, "until")
            if limit < self.now_ns:
                raise ValueError(
                    f"until is {limit} ns: it must not be before now, {self.now_ns} ns"
                )
        started = wall.perf_counter()
        due = started + progress_interval
        self.running = True
        self.stop_requested = False
        self.failure = None
        # Collection is this loop's decision. What existed before the run is old soon, and looked
        # at again only when a full collection pays.
        collector = gc.isenabled()
        if collector:
            gc.disable()
        try:
            if self.sequence >> (SEQUENCE_LIMIT_BITS - 1):
                self.renumber()
            if self.pacer is not None:
                self.pacer.begin()
            while True:
                reached = limit
                if self.pacer is not None:
                    reached = time_from(self.pacer.advance(limit), "time that the pacer allows")
                    if reached < self.now_ns:
                        raise ValueError(
                            f"the pacer allows {reached} ns: it must not be before now, "
                            f"{self.now_ns} ns"
                        )
                    if self.stop_requested:
                        break
                    if reached > limit:
                        reached = limit
                if not self.loop(reached, EVENTS_BETWEEN_CHORES):
                    if reached == limit or self.stop_requested:
                        break
                PyErr_CheckSignals()
                looks += 1
                if looks == LOOKS_BETWEEN_TURNS:
                    looks = 0
                    let_other_threads_run()
                    if collector and gc.get_count()[0] > COLLECT_AFTER:
                        young += 1
                        if young < full_after:
                            gc.collect(1)
                        else:
                            young = 0
                            if gc.collect() > COLLECT_AFTER:
                                full_after = FULL_COLLECTION_AFTER
                            elif full_after < FULL_COLLECTION_LIMIT:
                                full_after *= 2
                if self.sequence >> (SEQUENCE_LIMIT_BITS - 1):
                    self.renumber()
                if progress is not None:
                    now = wall.perf_counter()
                    if now >= due:
                        due = now + progress_interval
                        progress(self)
        except BaseException as error:
            try:
                self.flush()
            except Exception as unwritten:
                error.add_note(f"simcore: not everything could be written: {unwritten}")
            raise
        else:
            self.flush()
        finally:
            self.running = False
            self.current_context = NO_CONTEXT
            if collector:
                gc.enable()
        if self.stop_requested:
            reason = "stopped"
        else:
            reason = "empty" if pending_in(self) == 0 else "until"
            if until is not None:
                self.now_ns = limit
        return RunSummary(
            self.event_count - events_before, self.now(), wall.perf_counter() - started, reason
        )

    def stop(self, delay=None):
        """End the run after the running event, or after a delay (ns).

        With a delay, the events due at that time that were scheduled before this call still run.
        """
        if delay is None:
            self.stop_requested = True
        else:
            self.schedule(delay, self.stop)

    def add_flusher(self, flusher):
        """Have ``flusher.flush()`` called whenever a run ends, by success, error or Ctrl-C."""
        if not callable(getattr(flusher, "flush", None)):
            raise TypeError(f"flusher is {flusher!r}: it must have a flush() method")
        if not any(known is flusher for known in self.flushers):
            self.flushers.append(flusher)

    def remove_flusher(self, flusher):
        """Forget a flusher; no error when it is not known."""
        self.flushers = [known for known in self.flushers if known is not flusher]

    def process(self, function, *args, **kwargs):
        """Start a generator process; also a decorator. See `simcore.process.start`."""
        if process_module is None:
            load_process_module()
        return process_module.start(self, function, *args, **kwargs)

    def event(self):
        """Make a `simcore.process.Signal`, for which processes wait until it succeeds or fails."""
        if process_module is None:
            load_process_module()
        return process_module.Signal(self)

    def timeout(self, delay, value=None):
        """Make a `simcore.process.Timeout`: a signal that succeeds after a delay (ns)."""
        if process_module is None:
            load_process_module()
        return process_module.Timeout(self, delay, value)

    def any_of(self, *events):
        """Make a signal that succeeds with the first of several; see `simcore.process.any_of`."""
        if process_module is None:
            load_process_module()
        return process_module.any_of(self, *events)

    def all_of(self, *events):
        """Make a signal that succeeds when all others have; see `simcore.process.all_of`."""
        if process_module is None:
            load_process_module()
        return process_module.all_of(self, *events)

    def flush(self):
        """Write out what the registered writers hold.

        All are called. Of their errors one is raised at the end: the first Ctrl-C or exit, or
        else the first.
        """
        failed = None
        for flusher in list(self.flushers):
            try:
                flusher.flush()
            except BaseException as error:
                if failed is None or (
                    isinstance(failed, Exception) and not isinstance(error, Exception)
                ):
                    failed = error
        if failed is not None:
            raise failed

    def clear(self):
        """Cancel every pending event."""
        self.drop_pending()

    cdef void drop_pending(self) noexcept:
        cdef int32_t slot
        cdef PyObject* event
        for slot in range(self.slot_capacity):
            event = self.pending[slot]
            if event != NULL:
                remove_event(self, <Event>event)

    def _set_sequence(self, uint64_t number):
        """For tests of renumbering only: insertion numbers go on from here."""
        self.sequence = number

    def __repr__(self):
        return f"<Simulator at {self.now_ns} ns, {pending_in(self)} events pending>"


include "loop.pxi"


# Processes build on the kernel and are loaded when a script first asks for one.
cdef object process_module = None


cdef int load_process_module() except -1:
    global process_module
    import simcore.process

    process_module = simcore.process
    return 0


cdef CallbackEvent schedule_callback(
    Simulator sim, int64_t time, int32_t context, object callback, tuple args
):
    if not PyCallable_Check(callback):
        raise TypeError(f"callback is {callback!r}: it must be callable")
    cdef CallbackEvent event = CallbackEvent.__new__(CallbackEvent)
    event.callback = callback
    event.args = args if len(args) > 0 else None
    insert_event(sim, event, time, context)
    return event


cdef int let_other_threads_run() noexcept:
    """Hand over the GIL: a loop of native events never returns to the interpreter by itself."""
    with nogil:
        pass
    return 0


include "collection.pxi"
