# Part of process.pyx: signals, which processes wait for, and how those who wait are told.

cdef class Signal(Event):
    """Something that will happen once; processes that yield it wait for it.

    Made by ``sim.event()``. `succeed` or `fail` triggers it: those who wait are told at the
    current time, after the events already due, in the order in which they began to wait.

    Parameters
    ----------
    sim : Simulator
    """

    def __init__(self, Simulator sim not None):
        if self.simulator is not None:
            refuse_second_init(self)
        self.simulator = sim

    cdef int fire(self) except -1:
        return self.deliver()

    cdef str describe(self):
        return type(self).__name__

    cpdef bint cancel(self) noexcept:
        """Take a triggered signal back before its waiters are told, or a timeout before its time.

        Returns
        -------
        bool
            True when it was about to happen; who waits for it goes on waiting.
        """
        if self.slot < 0:
            return False
        self.simulator.remove(self)
        self.state = WAITING
        self.failed = False
        self.result = None
        return True

    cdef int settle(self, object value) except -1:
        """Trigger with a value."""
        if self.state != WAITING or self.slot >= 0:
            raise RuntimeError(f"{self!r} was triggered before")
        self.result = value
        if self.waiters is None:
            # Nobody to tell: who asks later finds it done.
            self.state = DONE
            return 0
        self.simulator.insert(self, self.simulator.now_ns, self.simulator.current_context)
        self.state = TRIGGERED
        return 0

    cdef int settle_error(self, object error) except -1:
        """Trigger with an exception. It ends the run unless someone waits or comes in time."""
        if self.state != WAITING or self.slot >= 0:
            raise RuntimeError(f"{self!r} was triggered before")
        self.simulator.insert(self, self.simulator.now_ns, self.simulator.current_context)
        self.result = error
        self.failed = True
        self.state = TRIGGERED
        return 0

    cdef int deliver(self) except -1:
        cdef object waiters = self.waiters
        self.waiters = None
        self.state = DONE
        if type(waiters) is list:
            tell_all(<list>waiters, self)
        elif waiters is not None:
            notify(waiters, self)
        if self.failed and not self.handled:
            raise self.result
        return 0

    cdef int add_waiter(self, object waiter) except -1:
        if self.waiters is None:
            self.waiters = waiter
        elif type(self.waiters) is list:
            (<list>self.waiters).append(waiter)
        else:
            self.waiters = [self.waiters, waiter]
        return 0

    cdef int remove_waiter(self, object waiter) except -1:
        if self.waiters is waiter:
            self.waiters = None
        elif type(self.waiters) is list:
            self.waiters = [known for known in self.waiters if known is not waiter] or None
        return 0

    def succeed(self, value=None):
        """Trigger the signal; a process that waits for it receives the value from its ``yield``.

        Returns
        -------
        Signal
            Itself.

        Raises
        ------
        RuntimeError
            When it was triggered before.
        """
        if self.simulator is None:
            refuse_uninitialised(self)
        self.settle(value)
        return self

    def fail(self, error):
        """Trigger the signal with an exception, which is raised in those who wait for it.

        When nobody does by the time it is delivered, the run ends with it.

        Returns
        -------
        Signal
            Itself.

        Raises
        ------
        RuntimeError
            When it was triggered before.
        TypeError
            When `error` is not an exception.
        """
        if not isinstance(error, Exception):
            raise TypeError(f"error is {error!r}: it must be an exception")
        if self.simulator is None:
            refuse_uninitialised(self)
        self.settle_error(error)
        return self

    def add_callback(self, callback):
        """Call ``callback(signal)`` when the signal happens; at once when it already has.

        A callback does not count as handling the failure of the signal; see `defuse`. An exception
        that it raises ends the run; those who come after it are told when the next one begins.
        """
        if not callable(callback):
            raise TypeError(f"callback is {callback!r}: it must be callable")
        if self.state == DONE:
            callback(self)
        else:
            self.add_waiter(callback)

    def remove_callback(self, callback):
        """Forget a callback; no error when it is not known."""
        cdef list waiters
        if self.waiters is None:
            return
        waiters = self.waiters if type(self.waiters) is list else [self.waiters]
        # Bound methods are equal without being the same object.
        self.waiters = [known for known in waiters if known != callback] or None

    def defuse(self):
        """Let a failure of this signal not end the run, although nobody waits for it."""
        self.handled = True

    @property
    def triggered(self):
        """Whether it has succeeded or failed; a timeout has when its time has come."""
        return self.state != WAITING

    @property
    def processed(self):
        """Whether those who waited have been told."""
        return self.state == DONE

    @property
    def ok(self):
        """Whether it has succeeded."""
        return self.state != WAITING and not self.failed

    @property
    def value(self):
        """The value it succeeded with, or the exception it failed with.

        Raises
        ------
        AttributeError
            When it was not triggered yet.
        """
        if self.state == WAITING:
            raise AttributeError(f"{self!r} has no value yet")
        return self.result

    def __or__(self, other):
        return pair(self, other, 1)

    def __ror__(self, other):
        return pair(other, self, 1)

    def __and__(self, other):
        return pair(self, other, 2)

    def __rand__(self, other):
        return pair(other, self, 2)

    def __repr__(self):
        if self.state == WAITING:
            state = f"due at {self.time_ns} ns" if self.slot >= 0 else "waiting"
        else:
            state = "failed" if self.failed else "succeeded"
        return f"<{self.describe()}, {state}>"


cdef inline int notify(object waiter, Signal signal) except -1:
    cdef Process process
    if type(waiter) is Process:
        process = <Process>waiter
        # It may have been interrupted by one that was told before.
        if process.waits_for is signal:
            process.waits_for = None
            if signal.failed:
                signal.handled = True
                return process.resume(None, signal.result)
            return process.resume(signal.result, None)
    elif type(waiter) is Condition:
        return (<Condition>waiter).part_done(signal)
    else:
        waiter(signal)
    return 0


@cython.final
cdef class Remainder(Event):
    """Tells those of a signal whose turn did not come, because one before them raised."""

    cdef Signal signal
    cdef list waiters

    cdef int fire(self) except -1:
        tell_all(self.waiters, self.signal)
        if self.signal.failed and not self.signal.handled:
            raise self.signal.result
        return 0

    cdef str describe(self):
        return self.signal.describe()


cdef int tell_all(list waiters, Signal signal) except -1:
    cdef Py_ssize_t told = 0
    cdef Remainder remainder
    try:
        while told < len(waiters):
            told += 1
            notify(waiters[told - 1], signal)
    except BaseException:
        if told < len(waiters):
            remainder = Remainder.__new__(Remainder)
            remainder.signal = signal
            remainder.waiters = waiters[told:]
            signal.simulator.insert(
                remainder, signal.simulator.now_ns, signal.simulator.current_context
            )
        raise
    return 0


cdef int refuse_second_init(object value) except -1:
    raise RuntimeError(f"this {type(value).__name__} was initialised before: make another one")


cdef int refuse_uninitialised(object value) except -1:
    raise RuntimeError(
        f"this {type(value).__name__} belongs to no simulator: "
        "its __init__ must call super().__init__(sim, ...)"
    )


cdef Signal new_signal(Simulator sim):
    cdef Signal signal = Signal.__new__(Signal)
    signal.simulator = sim
    return signal
