"""Signals and generator processes, as compiled code sees them.

A compiled model may make a `Signal` with `new_signal`, hand it to a process that yields it, and
call `signal.settle(value)` later.
"""

from simcore.simulator cimport Event, Simulator


cdef enum SignalState:
    WAITING                        # not triggered
    TRIGGERED                      # in the pending set; the waiters are told when its turn comes
    DONE                           # the waiters were told


cdef class Signal(Event):
    cdef readonly Simulator simulator
    cdef SignalState state
    cdef bint failed               # result is an exception
    cdef bint handled              # and someone took it
    cdef object result             # value, or exception
    cdef object waiters            # None, one waiter, or a list of them in order

    cdef int settle(self, object value) except -1
    cdef int settle_error(self, object error) except -1
    cdef int deliver(self) except -1
    cdef int add_waiter(self, object waiter) except -1
    cdef int remove_waiter(self, object waiter) except -1


cdef class Timeout(Signal):
    pass


cdef class Process(Signal):
    cdef object generator
    cdef Signal waits_for          # None while a delay runs or the process itself does
    cdef list interruptions        # exceptions to be thrown into it, or None
    cdef bint started
    cdef bint ended

    cdef int resume(self, object value, object error) except -1
    cdef int wait_for(self, object yielded) except -1
    cdef int end(self, object value, object error) except -1
    cdef int detach(self) except -1


cdef class Condition(Signal):
    cdef tuple parts
    cdef Py_ssize_t needed         # parts that must be done
    cdef Py_ssize_t count          # parts that are
    cdef int depth                 # conditions inside one another, itself included

    cdef int begin(self, Simulator sim, tuple parts, Py_ssize_t needed) except -1
    cdef int part_done(self, Signal part) except -1
    cdef int collect(self, dict values) except -1
    cdef int leave_parts(self) except -1


cdef Signal new_signal(Simulator sim)
