"""What runs on a node from a start to a stop time."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from simcore.models.network.node cimport Node
from simcore.simulator cimport MAX_TIME, Event

from simcore.units import parse_time


@cython.final
cdef class StartStop(Event):
    """An application starts or stops."""

    cdef Application application
    cdef bint start

    cdef int fire(self) except -1:
        cdef Application application = self.application
        if self.start:
            application.running = True
            return application.begin()
        if application.running:
            application.running = False
            application.end()
        return 0


cdef int64_t time_of(object value, str name) except -1:
    time = parse_time(value, "ns", name)
    if time < 0:
        raise ValueError(f"{name} is {value!r}: it must not be negative")
    if time > MAX_TIME:
        raise ValueError(f"{name} is {value!r}: it must be at most {MAX_TIME} ns")
    return time


cdef class Application:
    """Base of applications. In Python, override `on_start` and `on_stop`.

    Parameters
    ----------
    node : Node
    start, stop : int or str, optional
        When it runs: simulated time in nanoseconds, or a text such as ``"2s"``. By default from
        now on, without an end. Both events are scheduled at once, so that the stop comes before
        whatever the application schedules for the same time.

    Raises
    ------
    ValueError
        When the start lies in the past or the stop before the start.
    """

    def __init__(self, Node node not None, start=None, stop=None):
        cdef Simulator sim = node.sim
        self.node = node
        self.sim = sim
        self.start_time = sim.now_ns if start is None else time_of(start, "start")
        self.stop_time = MAX_TIME if stop is None else time_of(stop, "stop")
        if self.start_time < sim.now_ns:
            raise ValueError(f"start is {start!r}: it must not be before now, {sim.now_ns} ns")
        if self.stop_time < self.start_time:
            raise ValueError(f"stop is {stop!r}: it must not be before the start")
        self.index = <int32_t>len(node.applications)
        node.applications.append(self)
        self.schedule(self.start_time, True)
        if stop is not None:
            self.schedule(self.stop_time, False)

    def schedule(self, int64_t time, bint start):
        cdef StartStop event = StartStop()
        event.application = self
        event.start = start
        self.sim.schedule_event_in(self.node.id, time - self.sim.now_ns, event)

    cdef int begin(self) except -1:
        self.on_start()
        return 0

    cdef int end(self) except -1:
        self.on_stop()
        return 0

    def on_start(self):
        """Begin; for applications written in Python."""

    def on_stop(self):
        """End; for applications written in Python."""

    def __repr__(self):
        return f"<{type(self).__name__} {self.index} of node {self.node.id}>"
