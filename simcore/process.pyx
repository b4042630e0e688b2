"""Generator processes in the manner of SimPy, on the kernel's clock.

A process is a generator that yields what it waits for: a delay in nanoseconds, a `Signal`, another
process, a condition over several of them, or a request to a resource (`simcore.resources`).

    @sim.process
    def clock(sim):
        while True:
            yield ms(10)

A process is itself a native event: a delay costs one entry in the pending set and no object. What
is already there costs no event: a process that yields a signal which is done goes on at once.
"""

cimport cython
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF
from libc.stdint cimport int32_t, int64_t

from simcore.simulator cimport MAX_TIME, Event, Simulator, delay_from

cdef extern from *:
    """
    /* For a call that has left its exception behind, to be raised from Cython. */
    #define simcore_raise_pending() (-1)
    """
    int raise_pending "simcore_raise_pending" () except -1

cdef extern from "Python.h":
    ctypedef enum PySendResult:
        PYGEN_RETURN
        PYGEN_ERROR
        PYGEN_NEXT
    PySendResult PyIter_Send(object generator, PyObject* value, PyObject** result) noexcept
    bint PyGen_CheckExact(object value) noexcept
    bint PyLong_CheckExact(PyObject* value) noexcept
    long long PyLong_AsLongLongAndOverflow(PyObject* value, int* overflow) noexcept

cdef enum:
    CO_VARARGS = 0x04
    # Conditions inside one another are told, and freed, by recursion in C.
    MAX_DEPTH = 5000


class Interrupt(Exception):
    """Raised inside a process that another one interrupts.

    Attributes
    ----------
    cause : object
        What `Process.interrupt` was given.
    """

    @property
    def cause(self):
        """What `Process.interrupt` was given."""
        return self.args[0]


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


cdef class Timeout(Signal):
    """A signal that succeeds after a delay.

    Parameters
    ----------
    sim : Simulator
    delay : int
        Nanoseconds from now.
    value : object
        What a process that waits for it receives.
    """

    def __init__(self, Simulator sim not None, delay, value=None):
        cdef int64_t length = delay_from(delay, sim.now_ns)
        if self.simulator is not None:
            refuse_second_init(self)
        self.simulator = sim
        self.result = value
        sim.insert(self, sim.now_ns + length, sim.current_context)


@cython.final
cdef class Process(Signal):
    """A running generator; as a signal it happens when the generator ends.

    Its value is the generator's return value. An exception that leaves the generator is raised in
    the processes that wait for it, or ends the run. `KeyboardInterrupt` and `SystemExit` end the
    run in any case, and the process with it.

    Started by ``sim.process``, at the current time after the events already due.
    """

    def __init__(self):
        raise TypeError("a process is started with sim.process(generator)")

    cdef int fire(self) except -1:
        if self.ended:
            return self.deliver()
        if self.interruptions is not None and self.started:
            return self.resume(None, self.interruptions.pop(0))
        self.started = True
        return self.resume(None, None)

    cdef str describe(self):
        try:
            name = getattr(self.generator, "__qualname__", None) or type(self.generator).__name__
            return f"process {name}"
        except Exception:
            return f"process {type(self.generator).__name__}"

    cpdef bint cancel(self) noexcept:
        """Do nothing: a process cannot be taken out of time. `interrupt` it.

        Returns
        -------
        bool
            False.
        """
        return False

    cdef int resume(self, object value, object error) except -1:
        """Let the generator run to its next ``yield`` that has to wait, or to its end."""
        cdef Simulator sim = self.simulator
        cdef object previous = sim.active_process
        cdef int32_t previous_context = sim.current_context
        cdef PyObject* result = NULL
        cdef PySendResult status
        cdef int64_t delay
        cdef int overflow
        cdef Signal signal
        cdef object yielded
        sim.active_process = self
        sim.current_context = self.context
        try:
            while True:
                if error is None:
                    status = PyIter_Send(self.generator, <PyObject*>value, &result)
                    if status == PYGEN_ERROR:
                        try:
                            raise_pending()
                        except Exception as raised:
                            self.end(None, raised)
                        except BaseException as raised:
                            break_off(self, raised)
                            raise
                        break
                    if status == PYGEN_RETURN:
                        yielded = <object>result
                        Py_DECREF(yielded)
                        self.end(yielded, None)
                        break
                    if PyLong_CheckExact(result):
                        overflow = 0
                        delay = PyLong_AsLongLongAndOverflow(result, &overflow)
                        if 0 <= delay <= MAX_TIME - sim.now_ns and overflow == 0:
                            Py_DECREF(<object>result)
                            sim.insert(self, sim.now_ns + delay, self.context)
                            break
                    yielded = <object>result
                    Py_DECREF(yielded)
                else:
                    try:
                        yielded = self.generator.throw(error)
                    except StopIteration as stop:
                        self.end(stop.value, None)
                        break
                    except Exception as raised:
                        self.end(None, raised)
                        break
                    except BaseException as raised:
                        break_off(self, raised)
                        raise
                    error = None
                if isinstance(yielded, Signal):
                    signal = <Signal>yielded
                    if signal.state == DONE and signal is not self:
                        if signal.failed:
                            signal.handled = True
                            error = signal.result
                        else:
                            value = signal.result
                        continue
                try:
                    self.wait_for(yielded)
                    break
                except Exception as raised:
                    # The process made the mistake: the traceback shows its yield.
                    error = raised
                    value = None
        finally:
            sim.active_process = previous
            sim.current_context = previous_context
        if self.interruptions is not None:
            if self.ended or not self.interruptions:
                self.interruptions = None
            else:
                self.detach()
                sim.insert(self, sim.now_ns, self.context)
        return 0

    cdef int wait_for(self, object yielded) except -1:
        cdef Simulator sim = self.simulator
        cdef int64_t delay
        if isinstance(yielded, Signal):
            if yielded is self:
                raise ValueError(f"{self.describe()} yielded itself: it would wait for ever")
            if (<Signal>yielded).simulator is not sim:
                raise ValueError(
                    f"{self.describe()} yielded {yielded!r}, which belongs to another simulator"
                )
            (<Signal>yielded).add_waiter(self)
            self.waits_for = <Signal>yielded
            return 0
        if not hasattr(yielded, "__index__") and not isinstance(yielded, float):
            raise TypeError(
                f"{self.describe()} yielded {yielded!r}: it must be a delay in nanoseconds, a "
                "signal, a process, a condition or a request"
            )
        try:
            delay = delay_from(yielded, sim.now_ns)
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"{self.describe()} yielded a wrong delay: {error}") from None
        return sim.insert(self, sim.now_ns + delay, self.context)

    cdef int end(self, object value, object error) except -1:
        self.ended = True
        if error is not None:
            return self.settle_error(error)
        return self.settle(value)

    cdef int detach(self) except -1:
        """Let nothing resume the process any more."""
        if self.waits_for is not None:
            self.waits_for.remove_waiter(self)
            self.waits_for = None
        elif self.slot >= 0:
            self.simulator.remove(self)
        return 0

    def interrupt(self, cause=None):
        """Raise `Interrupt` inside the process, at the current time.

        What the process waits for no longer resumes it; it may yield it again.

        Raises
        ------
        RuntimeError
            When the process has ended, or is the one that runs.
        """
        cdef Simulator sim = self.simulator
        if sim is None:
            refuse_uninitialised(self)
        if self.ended:
            raise RuntimeError(f"{self!r} has ended: it cannot be interrupted")
        if sim.active_process is self:
            raise RuntimeError(f"{self!r} runs: it cannot interrupt itself")
        if self.interruptions is None:
            self.interruptions = []
            if self.started:
                self.detach()
                sim.insert(self, sim.now_ns, self.context)
        self.interruptions.append(Interrupt(cause))

    @property
    def is_alive(self):
        """Whether the generator has not ended."""
        return not self.ended

    @property
    def target(self):
        """The signal the process waits for; None during a delay."""
        return self.waits_for

    @property
    def name(self):
        """Name of the generator function."""
        return getattr(self.generator, "__name__", type(self.generator).__name__)

    def __repr__(self):
        if not self.ended:
            return f"<{self.describe()}, alive>"
        return f"<{self.describe()}, {'failed' if self.failed else 'ended'}>"


cdef int break_off(Process process, object error) except -1:
    """End a process with what also ends the run, such as Ctrl-C.

    A later run raises it in those who wait for the process, but not once more by itself.
    """
    process.ended = True
    process.handled = True
    process.interruptions = None
    if process.waiters is not None:
        return process.settle_error(error)
    process.result = error
    process.failed = True
    process.state = DONE
    return 0


@cython.final
cdef class Condition(Signal):
    """A signal that succeeds when enough of its parts have; see `any_of` and `all_of`.

    Its value is a dict from the parts that are done to their values, in the order of the parts;
    the parts of a condition inside a condition stand for it. It fails with the first part that
    fails.
    """

    def __init__(self):
        raise TypeError("a condition is made with any_of, all_of, | or &")

    cdef int begin(self, Simulator sim, tuple parts, Py_ssize_t needed) except -1:
        cdef Signal part
        self.simulator = sim
        self.parts = parts
        self.needed = needed
        self.depth = 1
        for part in parts:
            if part.simulator is None:
                refuse_uninitialised(part)
            if part.simulator is not sim:
                raise ValueError(f"{part!r} belongs to another simulator")
            if type(part) is Condition and (<Condition>part).depth >= self.depth:
                self.depth = (<Condition>part).depth + 1
        if self.depth > MAX_DEPTH:
            raise RecursionError(
                f"{self.depth} conditions inside one another, the most is {MAX_DEPTH}: "
                "make one condition of many events with any_of(*events) or all_of(*events)"
            )
        for part in parts:
            if part.state == DONE:
                self.part_done(part)
            if self.state != WAITING or self.slot >= 0:
                return 0
        if self.count >= needed:
            self.result = {}
            self.state = DONE
            return 0
        for part in parts:
            if part.state != DONE:
                part.add_waiter(self)
        return 0

    cdef int part_done(self, Signal part) except -1:
        cdef dict values
        if self.state != WAITING:
            return 0
        if part.failed:
            part.handled = True
            self.leave_parts()
            return self.settle_error(part.result)
        self.count += 1
        if self.count < self.needed:
            return 0
        values = {}
        self.collect(values)
        self.result = values
        self.leave_parts()
        # Told at once: the part that completes the condition is what the waiters wait for.
        return self.deliver()

    cdef int collect(self, dict values) except -1:
        cdef Signal part
        for part in self.parts:
            if type(part) is Condition:
                (<Condition>part).collect(values)
            elif part.state == DONE and not part.failed:
                values[part] = part.result
        return 0

    cdef int leave_parts(self) except -1:
        cdef Signal part
        for part in self.parts:
            if part.state != DONE:
                part.remove_waiter(self)
        return 0


cdef Signal part_from(Simulator sim, object value):
    if isinstance(value, Signal):
        return <Signal>value
    if hasattr(value, "__index__") or isinstance(value, float):
        return Timeout(sim, value)
    raise TypeError(
        f"a condition over {value!r}: it must be a delay in nanoseconds or a signal"
    )


cdef Condition pair(object left, object right, Py_ssize_t needed):
    cdef Simulator sim = (<Signal>(left if isinstance(left, Signal) else right)).simulator
    cdef Condition condition = Condition.__new__(Condition)
    if sim is None:
        refuse_uninitialised(left if isinstance(left, Signal) else right)
    condition.begin(sim, (part_from(sim, left), part_from(sim, right)), needed)
    return condition


cdef tuple parts_from(Simulator sim, tuple events):
    if len(events) == 1 and not isinstance(events[0], (Signal, int)):
        events = tuple(events[0])
    return tuple([part_from(sim, event) for event in events])


def any_of(Simulator sim not None, *events):
    """Make a condition that succeeds with the first of several; also ``a | b``.

    Parameters
    ----------
    sim : Simulator
    *events : Signal or int
        Signals, or delays in nanoseconds; or one iterable of them.

    Returns
    -------
    Condition
        Done at once when a part already is, or when there are none.
    """
    cdef Condition condition = Condition.__new__(Condition)
    cdef tuple parts = parts_from(sim, events)
    condition.begin(sim, parts, 1 if parts else 0)
    return condition


def all_of(Simulator sim not None, *events):
    """Make a condition that succeeds when all of several have; also ``a & b``.

    Parameters and result as for `any_of`.
    """
    cdef Condition condition = Condition.__new__(Condition)
    cdef tuple parts = parts_from(sim, events)
    condition.begin(sim, parts, len(parts))
    return condition


class ProcessFactory:
    """What ``@sim.process`` makes of a generator function that needs more arguments.

    Each call starts a process; the simulator may be left out: ``customer(3)`` is
    ``customer(sim, 3)``.
    """

    def __init__(self, sim, function, args=(), kwargs=None):
        self.sim = sim
        self.function = function
        self.args = args
        self.kwargs = kwargs or {}
        self.__doc__ = getattr(function, "__doc__", None)
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__wrapped__ = function

    def __call__(self, *args, **kwargs):
        if args and args[0] is self.sim:
            args = args[1:]
        return start_function(self.sim, self.function, self.args + args, {**self.kwargs, **kwargs})

    def __repr__(self):
        return f"<process factory {self.__name__}>"


def start(Simulator sim not None, function, *args, **kwargs):
    """Start a process; ``sim.process(...)`` calls this, also as a decorator.

    Parameters
    ----------
    sim : Simulator
    function : generator or callable
        A generator, or a function that returns one when it is called with the simulator and the
        further arguments. A function without parameters is called without the simulator.
    *args, **kwargs
        The further arguments; the simulator may be given first.

    Returns
    -------
    Process or ProcessFactory
        A factory when the function needs arguments that were not given: calling it starts one.

    Raises
    ------
    TypeError
        When there is no generator to run.
    """
    if PyGen_CheckExact(function) or is_generator(function):
        if args or kwargs:
            raise TypeError(f"{function!r} already has its arguments: give the function instead")
        return start_generator(sim, function)
    if not callable(function):
        raise TypeError(f"a process of {function!r}: it must be a generator or generator function")
    if args and args[0] is sim:
        args = args[1:]
    if needs_more(function, 1 + len(args), kwargs):
        return ProcessFactory(sim, function, args, kwargs)
    return start_function(sim, function, args, kwargs)


cdef bint is_generator(object value) except -1:
    return not isinstance(value, type) and hasattr(value, "send") and hasattr(value, "throw")


cdef Process start_generator(Simulator sim, object generator):
    cdef Process process = Process.__new__(Process)
    process.simulator = sim
    process.generator = generator
    sim.insert(process, sim.now_ns, sim.current_context)
    return process


cdef Process start_function(Simulator sim, object function, tuple args, dict kwargs):
    cdef object generator
    if takes_arguments(function):
        args = (sim, *args)
    generator = function(*args, **kwargs)
    if not PyGen_CheckExact(generator) and not is_generator(generator):
        raise TypeError(
            f"{function!r} returned {generator!r}: a process must be a generator function, "
            "with a yield in its body"
        )
    return start_generator(sim, generator)


cdef object code_of(object function):
    """Code object and number of bound arguments of a function or method, or None."""
    cdef object inner = getattr(function, "__func__", None)
    if inner is not None:
        code = getattr(inner, "__code__", None)
        return None if code is None else (code, inner, 1)
    code = getattr(function, "__code__", None)
    return None if code is None else (code, function, 0)


cdef bint takes_arguments(object function) except -1:
    cdef object known = code_of(function)
    if known is None:
        from inspect import signature

        return len(signature(function).parameters) > 0
    code, _, bound = known
    return code.co_argcount > bound or (code.co_flags & CO_VARARGS) != 0


cdef bint needs_more(object function, Py_ssize_t given, dict kwargs) except -1:
    """Whether a positional parameter without default gets nothing."""
    cdef object known = code_of(function)
    cdef Py_ssize_t required
    if known is None:
        from inspect import Parameter, signature

        names = [
            parameter.name for parameter in signature(function).parameters.values()
            if parameter.default is Parameter.empty
            and parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        ]
    else:
        code, inner, bound = known
        required = code.co_argcount - len(inner.__defaults__ or ())
        if required - bound <= given:
            return False
        names = code.co_varnames[bound:required]
    return any(name not in kwargs for name in names[given:])
