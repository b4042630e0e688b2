"""Things that processes compete for: resources, containers, stores, in the manner of SimPy.

A process yields a request and goes on when it is granted; what is free or there is granted at
once, without an event. Every request is a context manager: leaving it gives the resource back, or
withdraws a request that still waits.

    with resource.request() as request:
        yield request
        yield ms(5)

Requests of a plain `Resource`, of containers and of stores are served in the order in which they
were made.
"""

cimport cython
from libc.stdint cimport int64_t

from simcore.process cimport Process, Signal
from simcore.simulator cimport Simulator

from collections import deque
from heapq import heapify, heappop, heappush
from numbers import Real

from simcore.process import Interrupt

cdef enum:
    # Withdrawn requests that may stay in a queue before it is cleaned of them.
    WITHDRAWN_LIMIT = 32


class Preempted:
    """Cause of the `simcore.process.Interrupt` of a process that lost its resource.

    Attributes
    ----------
    by : Process or None
        Whose request took it.
    usage_since : int
        When the loser had received it (ns).
    resource : PreemptiveResource
    """

    __slots__ = ("by", "resource", "usage_since")

    def __init__(self, by, usage_since, resource):
        self.by = by
        self.usage_since = usage_since
        self.resource = resource

    def __repr__(self):
        return f"<Preempted by {self.by!r}, in use since {self.usage_since} ns>"


@cython.final
cdef class Request(Signal):
    """A request for a place in a resource; made by ``resource.request()``."""

    cdef readonly Resource resource
    cdef readonly Process process  # the one that asked
    cdef readonly object priority  # smaller is served earlier
    cdef readonly bint preempt     # may take the place of a less important one
    cdef int64_t since             # when it was granted (ns)
    cdef object key                # order of service, in a PriorityResource
    cdef bint queued
    cdef bint holding

    def __init__(self):
        raise TypeError("a request is made with resource.request()")

    cpdef bint cancel(self) noexcept:
        """Withdraw a request that still waits.

        Returns
        -------
        bool
            True when it waited. A granted one is to be released.
        """
        if not self.queued:
            return False
        self.queued = False
        self.resource.withdrawn()
        return True

    @property
    def usage_since(self):
        """When it was granted (int, ns), or None."""
        return self.since if self.since >= 0 else None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if self.holding:
            self.resource.give_back(self)
        else:
            self.cancel()


cdef class Resource:
    """Places that processes occupy for a while, given out in the order of the requests.

    Parameters
    ----------
    sim : Simulator
    capacity : int
        Number of places.
    """

    cdef readonly Simulator simulator
    cdef readonly int64_t capacity
    cdef int64_t used
    cdef dict holders              # requests that were granted, as keys
    cdef object waiting            # deque, or heap of [key, request]
    cdef Py_ssize_t gone           # withdrawn requests that are still in `waiting`
    cdef object __weakref__

    def __init__(self, Simulator sim not None, capacity=1):
        if self.simulator is not None:
            refuse_second_init(self)
        self.capacity = at_least_one(capacity)
        self.simulator = sim
        self.holders = {}
        self.waiting = deque()

    @property
    def count(self):
        """Places in use."""
        return self.used

    @property
    def users(self):
        """Requests that hold a place, in the order in which they were granted."""
        return list(self.holders)

    @property
    def queue(self):
        """Requests that wait, in the order in which they will be served."""
        return [request for request in self.waiting if (<Request>request).queued]

    def request(self):
        """Ask for a place.

        Returns
        -------
        Request
            Yield it to wait for the place; done at once when one is free.
        """
        cdef Request request = self.make_request()
        if self.used < self.capacity:
            self.grant(request)
        else:
            request.queued = True
            self.waiting.append(request)
        return request

    def release(self, Request request not None):
        """Give a place back, or withdraw the request; no effect when that was done before.

        Raises
        ------
        ValueError
            When the request was made to another resource.
        """
        if request.resource is not self:
            raise ValueError(f"{request!r} was made to another resource")
        if request.holding:
            self.give_back(request)
        else:
            request.cancel()

    cdef Request make_request(self):
        cdef Request request = Request.__new__(Request)
        if self.simulator is None:
            refuse_uninitialised(self)
        request.simulator = self.simulator
        request.resource = self
        request.process = self.simulator.active_process
        request.since = -1
        return request

    cdef int grant(self, Request request) except -1:
        request.queued = False
        request.holding = True
        request.since = self.simulator.now_ns
        self.used += 1
        self.holders[request] = None
        return request.settle(None)

    cdef int give_back(self, Request request) except -1:
        self.vacate(request)
        return self.serve()

    cdef int vacate(self, Request request) except -1:
        request.holding = False
        self.used -= 1
        del self.holders[request]
        return 0

    cdef int serve(self) except -1:
        """Grant what can be granted now."""
        cdef Request request
        while self.used < self.capacity and self.waiting:
            request = self.waiting.popleft()
            if request.queued:
                self.grant(request)
            else:
                self.gone -= 1
        return 0

    cdef void withdrawn(self) noexcept:
        self.gone += 1
        if self.gone > WITHDRAWN_LIMIT and 2 * self.gone > len(self.waiting):
            self.clean()

    cdef void clean(self) noexcept:
        self.waiting = deque([r for r in self.waiting if (<Request>r).queued])
        self.gone = 0

    def __repr__(self):
        return (
            f"<{type(self).__name__}, {self.used} of {self.capacity} in use, "
            f"{len(self.waiting) - self.gone} waiting>"
        )


cdef class PriorityResource(Resource):
    """A resource that serves its requests by priority, smaller numbers first."""

    cdef int64_t number            # requests made so far

    def __init__(self, Simulator sim not None, capacity=1):
        Resource.__init__(self, sim, capacity)
        self.waiting = []

    @property
    def queue(self):
        """Requests that wait, in the order in which they will be served."""
        return [entry[1] for entry in sorted(self.waiting) if (<Request>entry[1]).queued]

    def request(self, priority=0):
        """Ask for a place.

        Parameters
        ----------
        priority : int or float
            Smaller is served earlier; equal ones in the order of the requests. What is not a
            real number is refused.

        Returns
        -------
        Request
            Yield it to wait for the place; done at once when one is free.
        """
        return self.ask(priority, False)

    cdef Request ask(self, object priority, bint preempt):
        cdef Request request = self.make_request()
        if not isinstance(priority, (int, float, Real)):
            raise TypeError(f"priority is {priority!r}: it must be a real number")
        if priority != priority:
            raise ValueError("priority is NaN: it must be a number that can be ordered")
        request.priority = priority
        request.preempt = preempt
        # As in SimPy: of the requests of one moment, those that may preempt go first.
        request.key = (priority, self.simulator.now_ns, not preempt, self.number)
        self.number += 1
        request.queued = True
        heappush(self.waiting, (request.key, request))
        self.serve()
        return request

    cdef int serve(self) except -1:
        cdef Request request
        while self.waiting:
            request = self.waiting[0][1]
            if not request.queued:
                self.gone -= 1
            elif self.used < self.capacity or (request.preempt and self.make_room(request)):
                self.grant(request)
            else:
                break
            heappop(self.waiting)
        return 0

    cdef bint make_room(self, Request request) except -1:
        return False

    cdef void clean(self) noexcept:
        self.waiting = [entry for entry in self.waiting if (<Request>entry[1]).queued]
        heapify(self.waiting)
        self.gone = 0


cdef class PreemptiveResource(PriorityResource):
    """A priority resource whose places can be taken from less important users.

    The process that loses its place receives an `Interrupt` with a `Preempted` as its cause; one
    that takes a place from itself, when it next has to wait.
    """

    def request(self, priority=0, *, preempt=True):
        """Ask for a place.

        Parameters
        ----------
        priority : int or float
            Smaller is served earlier; equal ones in the order of the requests. What is not a
            real number is refused.
        preempt : bool
            Take the place of the least important user when none is free and it has a larger
            priority number, or the same and a later request.

        Returns
        -------
        Request
            Yield it to wait for the place; done at once when one is free or was taken.
        """
        return self.ask(priority, preempt)

    cdef bint make_room(self, Request request) except -1:
        cdef Request victim = None
        cdef Request holder
        cdef Process loser
        for holder in self.holders:
            if victim is None or holder.key > victim.key:
                victim = holder
        if victim is None or not victim.key > request.key:
            return False
        self.vacate(victim)
        loser = victim.process
        if loser is None or loser.ended:
            return True
        cause = Preempted(request.process, victim.since, self)
        if loser is self.simulator.active_process:
            # What runs cannot be interrupted; it looks at this list when it yields.
            if loser.interruptions is None:
                loser.interruptions = []
            loser.interruptions.append(Interrupt(cause))
        else:
            loser.interrupt(cause)
        return True


include "exchange.pxi"


cdef int refuse_second_init(object value) except -1:
    raise RuntimeError(f"this {type(value).__name__} was initialised before: make another one")


cdef int refuse_uninitialised(object value) except -1:
    raise RuntimeError(
        f"this {type(value).__name__} belongs to no simulator: "
        "its __init__ must call super().__init__(sim, ...)"
    )


cdef int64_t at_least_one(object capacity) except -1:
    cdef int64_t result
    if isinstance(capacity, float) or not hasattr(capacity, "__index__"):
        raise TypeError(f"capacity is {capacity!r}: it must be an int")
    if capacity < 1:
        raise ValueError(f"capacity is {capacity}: it must be at least 1")
    result = capacity
    return result
