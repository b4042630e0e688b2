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
    try:
        module = getattr(callback, "__module__", None)
        name = getattr(callback, "__qualname__", None) or repr(callback)
        return f"{module}.{name}" if module else str(name)
    except Exception:
        # The name is for messages: a callable that cannot be named must not hide what they say.
        return type(callback).__name__


cdef int refuse_second_init(object value) except -1:
    raise RuntimeError(f"this {type(value).__name__} was initialised before: make another one")


cdef int refuse_uninitialised(object value) except -1:
    raise RuntimeError(
        f"this {type(value).__name__} belongs to no simulator: "
        "its __init__ must call super().__init__(sim, ...)"
    )


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
        if self.simulator is not None:
            refuse_second_init(self)
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
        cdef int64_t time
        if unlikely(sim is None):
            return refuse_uninitialised(self)
        time = sim.now_ns + delay_from(delay, sim.now_ns)
        if self.slot >= 0:
            sim.rearm(self, time, sim.current_context)
        else:
            insert_event(sim, self, time, sim.current_context)


ctypedef int32_t (*Handler)(int64_t now, void* data) noexcept


cdef class NativeEvent(Event):
    """A re-armable event whose handler is machine code: a numba ``cfunc``, a C function.

    The handler is called as ``int32_t handler(int64_t now, void* data)`` with the simulated time
    in nanoseconds. It returns 0; anything else ends the run with a `RuntimeError`. It arms events,
    itself included, with the functions of `simcore.native`.

    Parameters
    ----------
    sim : Simulator
    handler : object or int
        Something with an ``address`` attribute, such as a numba ``cfunc``; a ctypes function; or
        an address.
    data : object
        Writable buffer whose start the handler receives, such as a numpy array; None for NULL.
        It must keep its size: the address is taken once.
    """

    cdef Simulator simulator
    cdef Handler handler
    cdef void* data
    cdef object kept               # what the addresses belong to

    def __init__(self, Simulator sim not None, handler, data=None):
        cdef size_t address
        cdef Py_buffer view
        if self.simulator is not None:
            refuse_second_init(self)
        address = handler_address(handler)
        self.simulator = sim
        self.handler = <Handler>address
        self.kept = (handler, data)
        if data is not None:
            PyObject_GetBuffer(data, &view, PyBUF_CONTIG)
            self.data = view.buf
            self.kept = (handler, data, memoryview(data))
            PyBuffer_Release(&view)

    cdef int fire(self) except -1:
        cdef int32_t status = self.handler(self.simulator.now_ns, self.data)
        if PyErr_Occurred() != NULL:
            return raise_pending()
        if status != 0:
            raise RuntimeError(f"{self.describe()} returned {status}: it must return 0")
        return 0

    cdef str describe(self):
        if self.kept is None:
            return "native handler"
        try:
            handler = self.kept[0]
            return f"native handler {getattr(handler, '__name__', None) or repr(handler)}"
        except Exception:
            return "native handler"

    def arm(self, delay):
        """Run the handler `delay` ns from now; an earlier appointment is forgotten.

        Raises
        ------
        ValueError
            When the delay is negative or not finite.
        OverflowError
            When it ends after the end of time.
        """
        if unlikely(self.simulator is None):
            refuse_uninitialised(self)
        native_arm(<int64_t><void*>self, delay_from(delay, self.simulator.now_ns))

    @property
    def address(self):
        """What the functions of `simcore.native` know the event by; valid while it exists."""
        if self.simulator is None:
            refuse_uninitialised(self)
        return <int64_t><void*>self


cdef size_t handler_address(object handler) except? 0:
    cdef object address = getattr(handler, "address", handler)
    if not hasattr(address, "__index__"):
        import ctypes

        address = None
        # The common base of all ctypes functions, which the module does not export otherwise.
        if isinstance(handler, ctypes._CFuncPtr):
            address = ctypes.cast(handler, ctypes.c_void_p).value
    if not address:
        raise TypeError(
            f"handler is {handler!r}: it must be a numba cfunc, a ctypes function or an address"
        )
    return <size_t>address.__index__()


# Called by native handlers, through the addresses below, while they hold the GIL. An error is left
# pending; the event that runs raises it when its handler returns.

cdef int32_t native_arm(int64_t address, int64_t delay) except -1:
    cdef NativeEvent event = <NativeEvent><void*>address
    cdef Simulator sim = event.simulator
    if unlikely(<uint64_t>delay > <uint64_t>(MAX_TIME - sim.now_ns)):
        return wrong_delay(delay, sim.now_ns)
    if event.slot >= 0:
        return sim.rearm(event, sim.now_ns + delay, sim.current_context)
    return insert_event(sim, event, sim.now_ns + delay, sim.current_context)


cdef int32_t native_disarm(int64_t address) except -1:
    cdef NativeEvent event = <NativeEvent><void*>address
    if event.slot < 0:
        return 0
    remove_event(event.simulator, event)
    return 1


NATIVE_ARM = <size_t>&native_arm
NATIVE_DISARM = <size_t>&native_disarm
