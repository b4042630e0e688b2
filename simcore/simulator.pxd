"""The C contract of the kernel: what compiled models cimport.

A model schedules an `Event` subclass that overrides `fire`, or arms a `NativeTimer` that it keeps:

    cdef class Beacon(Event):
        cdef int fire(self) except -1:
            ...
    sim.schedule_event(delay, event)         # nanoseconds from now, in the current context
    timer = native_timer(sim, <TimerHandler>handler, owner)
    timer.arm(delay); timer.disarm()
"""

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.schedulers.entry cimport Entry
from simcore.schedulers.heap cimport Heap
from simcore.schedulers.radix cimport Radix

cdef enum:
    NO_CONTEXT = -1                # the context outside any node, as in ns-3's NO_CONTEXT

cdef int64_t MAX_TIME              # end of time: 2**63 - 1 ns

ctypedef int (*TimerHandler)(object owner) except -1

cdef class Simulator

# A delay given from Python, checked: whole nanoseconds, not negative, before the end of time.
cdef int64_t delay_from(object value, int64_t now) except -1


cdef class Event:
    cdef int64_t time_ns           # when it runs, ran, or would have run
    cdef int32_t slot              # index into Simulator.pending while scheduled, else -1
    cdef int32_t context           # node it runs for, or NO_CONTEXT
    cdef void* sim                 # borrowed; valid only while slot >= 0

    cdef int fire(self) except -1
    cdef str describe(self)        # handler's name, for error messages
    cpdef bint cancel(self) noexcept


cdef class NativeTimer(Event):
    """Re-armable timer of a compiled model; `owner` is held strongly and handed to `handler`."""
    cdef Simulator simulator
    cdef TimerHandler handler
    cdef object owner

    cdef int arm(self, int64_t delay) except -1
    cdef void disarm(self) noexcept


cdef NativeTimer native_timer(Simulator sim, TimerHandler handler, object owner)


cdef class Simulator:
    # What models read on hot paths.
    cdef int64_t now_ns            # the clock
    cdef int32_t current_context   # node of the running event

    cdef readonly object random    # RandomManager: the random streams of this simulator
    cdef readonly dict registry    # per-simulation objects of model packages, by package name
    cdef int64_t last_uid          # packet ids handed out so far
    cdef readonly object active_process  # Process whose generator runs, or None

    # The pending-event set.
    cdef Heap heap
    cdef Radix radix
    cdef object sorted_set
    cdef int backend
    cdef PyObject** pending        # slot -> event, one reference each
    cdef int32_t* position         # slot -> place in the set; free slots form a list
    cdef int32_t slot_capacity
    cdef int32_t free_slot
    cdef uint64_t sequence         # insertion numbers given so far since the last renumbering

    # The run.
    cdef object now_object         # Python int of now_object_ns
    cdef int64_t now_object_ns
    cdef readonly int64_t event_count
    cdef bint running
    cdef bint stop_requested
    cdef readonly object failure   # EventFailure of the handler that raised, or None
    cdef list flushers
    cdef public object pacer       # keeps the run in step with something outside, or None
    cdef dict __dict__
    cdef object __weakref__

    cdef int schedule_event(self, int64_t delay, Event event) except -1
    cdef int schedule_event_in(self, int32_t context, int64_t delay, Event event) except -1
    cdef int insert(self, Event event, int64_t time, int32_t context) except -1
    cdef int rearm(self, Event event, int64_t time, int32_t context) except -1
    cdef void remove(self, Event event) noexcept
    cdef int64_t next_uid(self) noexcept

    cdef uint64_t next_key(self, int32_t slot) noexcept
    cdef int grow_slots(self) except -1
    cdef void release(self, Event event) noexcept
    cdef int renumber(self) except -1
    cdef bint peek(self, Entry* first) except -1
    cdef int take(self, Entry first) except -1
    cdef int loop(self, int64_t until, int64_t budget) except -1
    cdef void drop_pending(self) noexcept
