# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compiled workloads of test_kernel.py, built by conftest.py against the installed `.pxd` files.

Every workload draws its delays alike, so that both sides of a comparison do the same.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.math cimport log
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from simcore.random.stream cimport RandomStream
from simcore.schedulers.entry cimport SLOT_BITS, Entry, entry_slot, entry_time, make_entry
from simcore.schedulers.heap cimport (
    Heap, heap_free, heap_insert, heap_peek, heap_take,
)
from simcore.simulator cimport (
    Event, NativeTimer, Simulator, TimerHandler, native_timer,
)

cdef uint64_t state = 88172645463325252


cdef inline int64_t draw() noexcept nogil:
    """Exponential delay of mean 1 ms in nanoseconds, by xorshift64*: cheap, the same for both."""
    global state
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return 1 - <int64_t>(1e6 * log(((state * 2685821657736338717ull >> 11) + 0.5) / 2.0 ** 53))


# The hold model: a number of events is pending; each that runs schedules itself again.

@cython.final
@cython.no_gc
cdef class Hold(Event):
    cdef Simulator simulator

    cdef int fire(self) except -1:
        return self.simulator.schedule_event(draw(), self)


def hold(Simulator sim, int64_t pending):
    """Schedule the events of the hold model."""
    cdef Hold event
    for _ in range(pending):
        event = Hold.__new__(Hold)
        event.simulator = sim
        sim.schedule_event(draw(), event)


# The same with nothing but the heap, and for each event a record with a C function.

ctypedef struct Record:
    int (*handler)(void* bare, Record* record) noexcept nogil
    int32_t slot


cdef class Bare:
    cdef Heap heap
    cdef Record** records
    cdef int64_t pending
    cdef int64_t now
    cdef uint64_t sequence
    cdef readonly int64_t count

    def __cinit__(self, int32_t pending):
        cdef int32_t i
        memset(&self.heap, 0, sizeof(Heap))
        self.pending = pending
        self.heap.position = <int32_t*>malloc(<size_t>pending * sizeof(int32_t))
        self.records = <Record**>malloc(<size_t>pending * sizeof(Record*))
        for i in range(pending):
            self.records[i] = <Record*>malloc(sizeof(Record))
            self.records[i].handler = again
            self.records[i].slot = i
            self.insert(self.records[i], draw())

    def __dealloc__(self):
        cdef int64_t i
        for i in range(self.pending):
            free(self.records[i])
        heap_free(&self.heap)
        free(self.heap.position)
        free(self.records)

    cdef inline int insert(self, Record* record, int64_t delay) noexcept nogil:
        self.sequence += 1
        return heap_insert(
            &self.heap,
            make_entry(self.now + delay, (self.sequence << SLOT_BITS) | <uint64_t>record.slot),
        )

    def run(self, int64_t until):
        cdef Entry first
        cdef Record* record
        with nogil:
            while heap_peek(&self.heap, &first) and entry_time(first) <= until:
                heap_take(&self.heap)
                self.now = entry_time(first)
                self.count += 1
                record = self.records[entry_slot(first)]
                record.handler(<void*>self, record)


cdef int again(void* bare, Record* record) noexcept nogil:
    return (<Bare>bare).insert(record, draw())


# Cancel and re-arm among many pending events.

cdef enum:
    STRIDE = 7919                  # prime: visits all timers, in no order of theirs


cdef int nothing(object owner) except -1:
    return 0


cdef class Timers:
    """Timers that are pending, to be moved or cancelled in an order that is no order."""

    cdef Simulator sim
    cdef list timers

    def __init__(self, Simulator sim, int64_t pending):
        cdef NativeTimer timer
        self.sim = sim
        self.timers = []
        for _ in range(pending):
            timer = native_timer(sim, <TimerHandler>nothing, self)
            timer.arm(draw())
            self.timers.append(timer)

    def rearm(self, int64_t times):
        cdef int64_t index = 0
        cdef int64_t count = len(self.timers)
        while times > 0:
            (<NativeTimer>self.timers[index]).arm(draw())
            index = (index + STRIDE) % count
            times -= 1

    def cancel(self, int64_t times):
        """Cancel one and schedule it again."""
        cdef int64_t index = 0
        cdef int64_t count = len(self.timers)
        cdef NativeTimer timer
        while times > 0:
            timer = <NativeTimer>self.timers[index]
            timer.disarm()
            timer.arm(draw())
            index = (index + STRIDE) % count
            times -= 1


# M/M/1 as native events.

@cython.final
cdef class Queue:
    cdef Simulator sim
    cdef RandomStream arrivals
    cdef RandomStream services
    cdef double mean_gap           # ns
    cdef double mean_service       # ns
    cdef int64_t length            # customers in the system
    cdef int64_t served
    cdef int64_t changed           # when length changed last
    cdef double area               # of length over time

    def __init__(self, Simulator sim, double mean_gap, double mean_service):
        cdef Arrival arrival = Arrival.__new__(Arrival)
        cdef Departure departure = Departure.__new__(Departure)
        self.sim = sim
        self.arrivals = sim.random.stream("arrivals")
        self.services = sim.random.stream("services")
        self.mean_gap = mean_gap
        self.mean_service = mean_service
        arrival.queue = self
        departure.queue = self
        arrival.departure = departure
        sim.schedule_event(<int64_t>self.arrivals.exponential_c(mean_gap), arrival)

    cdef inline int change(self, int64_t by) noexcept:
        self.area += <double>self.length * <double>(self.sim.now_ns - self.changed)
        self.changed = self.sim.now_ns
        self.length += by
        return 0

    @property
    def customers(self):
        return self.served

    @property
    def mean_length(self):
        return self.area / self.sim.now_ns


@cython.final
cdef class Arrival(Event):
    cdef Queue queue
    cdef Departure departure

    cdef int fire(self) except -1:
        cdef Queue queue = self.queue
        queue.change(1)
        if queue.length == 1:
            queue.sim.schedule_event(
                <int64_t>queue.services.exponential_c(queue.mean_service), self.departure
            )
        return queue.sim.schedule_event(
            <int64_t>queue.arrivals.exponential_c(queue.mean_gap), self
        )


@cython.final
cdef class Departure(Event):
    cdef Queue queue

    cdef int fire(self) except -1:
        cdef Queue queue = self.queue
        queue.change(-1)
        queue.served += 1
        if queue.length > 0:
            return queue.sim.schedule_event(
                <int64_t>queue.services.exponential_c(queue.mean_service), self
            )
        return 0
