# Part of simulator.pyx: the events, in one C unit with the loop that fires them.


@cython.no_gc
cdef class Event:
    """Something that happens at a time, for a node. Returned by `Simulator.schedule`."""

    def __cinit__(self):
        self.slot = -1
        self.context = NO_CONTEXT

    cdef int fire(self) except -1:
        raise TypeError(f"{type(self).__name__} is an event without a handler")

    cdef str describe(self):
        return type(self).__name__

    cpdef bint cancel(self) noexcept:
        """Take the event out of the pending set; O(log n), safe at any time and twice.

        Returns
        -------
        bool
            True when the event was pending and now will not run.
        """
        if self.slot < 0:
            return False
        remove_event(<Simulator>self.sim, self)
        return True

    @property
    def pending(self):
        """Whether the event still waits for its time."""
        return self.slot >= 0

    @property
    def time(self):
        """Time at which it runs, ran, or would have run (int, ns)."""
        return self.time_ns

    @property
    def node(self):
        """Context it runs in: a node id, or -1."""
        return self.context

    def __repr__(self):
        state = "pending" if self.slot >= 0 else "done or cancelled"
        return f"<{self.describe()} at {self.time_ns} ns, {state}>"


@cython.final
cdef class CallbackEvent(Event):
    """A Python callable with its arguments."""

    cdef object callback
    cdef tuple args

    cdef int fire(self) except -1:
        call_with_tuple(self.callback, self.args)
        # The event may outlive its run in a user's variable; what it held must not.
        self.callback = None
        self.args = None
        return 0

    cpdef bint cancel(self) noexcept:
        if self.slot < 0:
            return False
        remove_event(<Simulator>self.sim, self)
        self.callback = None
        self.args = None
        return True

    cdef str describe(self):
        return name_of(self.callback)


cdef inline object call_with_tuple(object callback, tuple args):
    if args is None:
        return PyObject_CallNoArgs(callback)
    return PyObject_Vectorcall(
        callback, (<PyTupleObject*>args).ob_item, <size_t>len(args), NULL
    )


cdef str name_of(object callback):
    if callback is None:
        return "Event"
    module = getattr(callback, "__module__", None)
    name = getattr(callback, "__qualname__", None) or repr(callback)
    return f"{module}.{name}" if module else str(name)


cdef class NativeTimer(Event):

    cdef int fire(self) except -1:
        return self.handler(self.owner)

    cdef str describe(self):
        return f"timer of {type(self.owner).__name__}"

    cdef int arm(self, int64_t delay) except -1:
        """Run the handler `delay` ns from now, whether or not it was already armed."""
        cdef Simulator sim = self.simulator
        if unlikely(<uint64_t>delay > <uint64_t>(MAX_TIME - sim.now_ns)):
            return wrong_delay(delay, sim.now_ns)
        if self.slot >= 0:
            return sim.rearm(self, sim.now_ns + delay, sim.current_context)
        return insert_event(sim, self, sim.now_ns + delay, sim.current_context)

    cdef void disarm(self) noexcept:
        if self.slot >= 0:
            remove_event(self.simulator, self)


cdef NativeTimer native_timer(Simulator sim, TimerHandler handler, object owner):
    cdef NativeTimer timer = NativeTimer.__new__(NativeTimer)
    timer.simulator = sim
    timer.handler = handler
    timer.owner = owner
    return timer


cdef class Timer(Event):
    """A re-armable timer for scripts: one object, one callable, armed again and again.

    Parameters
    ----------
    sim : Simulator
    callback : callable
    *args
        Handed to the callable each time.
    """

    cdef Simulator simulator
    cdef object callback
    cdef tuple args

    def __init__(self, Simulator sim not None, callback, *args):
        if not callable(callback):
            raise TypeError(f"callback is {callback!r}: it must be callable")
        self.simulator = sim
        self.callback = callback
        self.args = args if args else None

    cdef int fire(self) except -1:
        call_with_tuple(self.callback, self.args)
        return 0

    cdef str describe(self):
        return name_of(self.callback)

    def arm(self, delay):
        """Run the callable `delay` ns from now; an earlier appointment is forgotten.

        Raises
        ------
        ValueError
            When the delay is negative or not finite.
        OverflowError
            When it ends after the end of time.
        """
        cdef Simulator sim = self.simulator
        cdef int64_t time = sim.now_ns + delay_from(delay, sim.now_ns)
        if self.slot >= 0:
            sim.rearm(self, time, sim.current_context)
        else:
            insert_event(sim, self, time, sim.current_context)
