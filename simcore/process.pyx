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


include "signal.pxi"


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


include "condition.pxi"
include "process_start.pxi"
