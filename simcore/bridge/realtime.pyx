"""Real time: a run in step with the wall clock that serves file descriptors while it waits."""

from collections import deque

cimport cython
from cpython.exc cimport PyErr_SetFromErrno
from libc.errno cimport EINTR, ENOENT, errno
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from simcore.schedulers.entry cimport Entry, entry_time
from simcore.simulator cimport MAX_TIME, NativeTimer, Simulator, TimerHandler

from simcore.stats import HdrHistogram

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec* time)
    enum:
        CLOCK_MONOTONIC

cdef extern from "<sys/epoll.h>" nogil:
    ctypedef union epoll_data_t:
        int fd
    struct epoll_event:
        uint32_t events
        epoll_data_t data
    int epoll_create1(int flags)
    int epoll_ctl(int epfd, int op, int fd, epoll_event* event)
    int epoll_wait(int epfd, epoll_event* events, int count, int timeout)
    enum:
        EPOLL_CLOEXEC
        EPOLL_CTL_ADD
        EPOLL_CTL_DEL
        EPOLL_CTL_MOD
        EPOLLIN
        EPOLLOUT
        EPOLLERR
        EPOLLHUP

cdef extern from "<sys/eventfd.h>" nogil:
    int eventfd(unsigned int start, int flags)
    enum:
        EFD_CLOEXEC
        EFD_NONBLOCK

cdef extern from "<poll.h>" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    enum:
        POLLIN
    # From _GNU_SOURCE, which Python.h defines.
    int ppoll(pollfd* fds, unsigned long count, timespec* timeout, void* mask)

cdef extern from "<unistd.h>" nogil:
    int close_fd "close"(int fd)
    long write_fd "write"(int fd, const void* data, size_t size)
    long read_fd "read"(int fd, void* data, size_t size)

cdef int64_t SECOND = 1000000000

cdef enum:
    MAX_READY = 256            # descriptors served in one turn
    # Longest wait at a time (ns): Ctrl-C and progress then have their turn.
    LONGEST_WAIT = 100000000
    # Events that become due within this time (ns) may share a look at the clock.
    BATCH_SPAN = 100000


class RealTimeError(RuntimeError):
    """The simulation fell behind the wall clock by more than its hard limit."""


cdef inline int64_t wall_now() noexcept nogil:
    cdef timespec time
    clock_gettime(CLOCK_MONOTONIC, &time)
    return <int64_t>time.tv_sec * SECOND + time.tv_nsec


cdef class Descriptor:
    """A file descriptor that a simulation in real time watches.

    Subclasses say in compiled code what is to be done; `Watch` calls Python.
    """

    def __cinit__(self):
        self.fd = -1
        self.context = -1

    cdef int readable(self) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not read")

    cdef int writable(self) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not write")

    cdef int flush_output(self) except -1:
        return 0

    @property
    def is_watched(self):
        """Whether a clock watches it."""
        return self.clock is not None and self.clock.watched.get(self.fd) is self

    def __repr__(self):
        return f"<{type(self).__name__} of descriptor {self.fd}>"


@cython.final
cdef class Watch(Descriptor):
    """A descriptor that belongs to somebody else, and callables for it; see `RealTime.watch`."""

    cdef object on_readable
    cdef object on_writable

    cdef int readable(self) except -1:
        if self.on_readable is not None:
            self.on_readable()
        return 0

    cdef int writable(self) except -1:
        if self.on_writable is not None:
            self.on_writable()
        return 0

    def stop(self):
        """Watch it no longer; safe to call twice. The descriptor itself stays open."""
        if self.clock is not None and self.fd >= 0:
            self.clock.forget(self)
            self.fd = -1


@cython.final
cdef class IoTurn(NativeTimer):

    cdef str describe(self):
        return "input from outside"


@cython.final
cdef class RealTime:
    """Keeps a simulation in step with the wall clock.

    An event runs when the wall clock has reached its time, not before. While the simulation waits
    it sleeps in the kernel, and is woken by file descriptors that it watches and by other threads:
    what they bring becomes events at the simulated time at which the wall clock stands then.
    A run that falls behind ("best effort") goes on as fast as it can until it has caught up;
    with a hard limit it fails.

    A run without end goes on for as long as a descriptor is watched or an event is pending. The
    time between two runs does not count.

    Parameters
    ----------
    sim : Simulator
        Gets this as its `pacer`.
    speed : float
        Simulated seconds in one second of wall time.
    hard_limit : int, optional
        Fail when an event is later than this, ns of wall time. None: best effort.

    Attributes
    ----------
    lateness : HdrHistogram
        By how much events started late, ns of wall time; of those due within 0.1 ms, the
        earliest. With a hard limit each time counts.
    turns : int
        How often descriptors were served.

    Raises
    ------
    ValueError
        When the speed is not positive and finite, or the limit is negative.
    """

    def __cinit__(self):
        self.epoll_fd = -1
        self.wake_fd = -1

    def __init__(self, Simulator sim not None, *, double speed=1.0, hard_limit=None):
        cdef epoll_event event
        if self.sim is not None:
            raise RuntimeError("this RealTime was initialised before: make another one")
        if not (isfinite(speed) and speed > 0):
            raise ValueError(f"speed is {speed}: it must be positive and finite")
        if hard_limit is not None and hard_limit < 0:
            raise ValueError(f"hard_limit is {hard_limit} ns: it must not be negative")
        if sim.pacer is not None:
            raise ValueError(f"the simulator has a pacer already: {sim.pacer!r}")
        self.speed = speed
        self.hard_limit = -1 if hard_limit is None else hard_limit
        self.span = 0 if hard_limit is not None else <int64_t>(BATCH_SPAN * speed)
        self.lateness = HdrHistogram()
        self.watched = {}
        self.unflushed = []
        self.calls = deque()
        self.ready = malloc(MAX_READY * sizeof(epoll_event))
        self.scratch = <uint8_t*>malloc(SCRATCH_SIZE)
        if self.ready == NULL or self.scratch == NULL:
            raise MemoryError("no memory for a real-time clock")
        self.epoll_fd = epoll_create1(EPOLL_CLOEXEC)
        if self.epoll_fd < 0:
            PyErr_SetFromErrno(OSError)
        self.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)
        if self.wake_fd < 0:
            PyErr_SetFromErrno(OSError)
        event.events = EPOLLIN
        event.data.fd = self.wake_fd
        if epoll_ctl(self.epoll_fd, EPOLL_CTL_ADD, self.wake_fd, &event) < 0:
            PyErr_SetFromErrno(OSError)
        self.turn = IoTurn.__new__(IoTurn)
        self.turn.simulator = sim
        self.turn.handler = <TimerHandler>serve_ready
        self.turn.owner = self
        self.sim = sim
        sim.pacer = self
        self.begin()

    def __dealloc__(self):
        if self.epoll_fd >= 0:
            close_fd(self.epoll_fd)
        if self.wake_fd >= 0:
            close_fd(self.wake_fd)
        free(self.ready)
        free(self.scratch)

    # What the kernel calls

    def begin(self):
        """Start a run: the simulated time is now what the wall clock shows."""
        self.origin_sim = self.sim.now_ns
        self.origin_wall = wall_now()

    def advance(self, int64_t limit):
        """Wait for the next event, or for something from outside; the time that may be simulated.

        Raises
        ------
        RealTimeError
            When the simulation is behind by more than its hard limit.
        """
        cdef Simulator sim = self.sim
        cdef Entry first
        cdef int64_t due = limit
        cdef int64_t timeout, reached, now
        cdef bint pending = sim.peek(&first)
        if self.unflushed:
            for descriptor in self.unflushed:
                (<Descriptor>descriptor).flush_output()
            self.unflushed.clear()
        if pending and entry_time(first) < limit:
            due = entry_time(first)
        elif due == MAX_TIME and not pending and not self.watched and not self.calls:
            # Nothing can happen any more.
            return limit
        now = wall_now()
        if self.turn.slot < 0:
            timeout = self.wall_of(due) - now
            if timeout < 0 or self.calls:
                timeout = 0
            elif timeout > LONGEST_WAIT:
                timeout = LONGEST_WAIT
            self.wait(timeout)
            now = wall_now()
        reached = self.simulated(now)
        if reached < sim.now_ns:
            reached = sim.now_ns
        if reached > limit:
            reached = limit
        if self.calls:
            self.take_calls(reached)
        if self.ready_count and self.turn.slot < 0:
            self.turns += 1
            sim.insert(self.turn, reached, -1)
        if pending and due <= reached and due == entry_time(first):
            self.note_lateness(now - self.wall_of(due), due)
            # Those due much later are looked at by themselves.
            if reached - due > self.span:
                reached = due + self.span
        return reached

    cdef int note_lateness(self, int64_t late, int64_t due) except -1:
        if late < 0:
            late = 0
        self.lateness.add(late)
        if 0 <= self.hard_limit < late:
            raise RealTimeError(
                f"the event at {due} ns is {late / 1e6:.3f} ms behind the wall clock: "
                f"the hard limit is {self.hard_limit / 1e6:.3f} ms"
            )
        return 0

    cdef int64_t simulated(self, int64_t wall) noexcept:
        cdef int64_t elapsed = wall - self.origin_wall
        cdef double ahead
        if self.speed == 1.0:
            return MAX_TIME if elapsed > MAX_TIME - self.origin_sim else self.origin_sim + elapsed
        ahead = elapsed * self.speed
        if ahead >= <double>(MAX_TIME - self.origin_sim):
            return MAX_TIME
        return self.origin_sim + <int64_t>ahead

    cdef int64_t wall_of(self, int64_t simulated) noexcept:
        cdef double after = (simulated - self.origin_sim) / self.speed
        if after >= <double>(MAX_TIME - self.origin_wall):
            return MAX_TIME
        if self.speed == 1.0:
            return self.origin_wall + (simulated - self.origin_sim)
        # Up to the next nanosecond: at that time the event is due, not just before it.
        return self.origin_wall + <int64_t>after + 1

    cdef int wait(self, int64_t timeout) except -1:
        """Sleep until a descriptor is ready, at most `timeout` ns; `ready` then has them."""
        cdef pollfd polled
        cdef timespec time
        cdef uint64_t count
        cdef int n = 0
        cdef epoll_event* events = <epoll_event*>self.ready
        if timeout > 0:
            # epoll counts milliseconds; a poll of the epoll descriptor counts nanoseconds.
            polled.fd = self.epoll_fd
            polled.events = POLLIN
            time.tv_sec = timeout // SECOND
            time.tv_nsec = timeout % SECOND
            with nogil:
                n = ppoll(&polled, 1, &time, NULL)
            if n == 0:
                self.ready_count = 0
                return 0
            if n < 0 and errno != EINTR:
                PyErr_SetFromErrno(OSError)
        n = epoll_wait(self.epoll_fd, events, MAX_READY, 0)
        if n < 0:
            if errno != EINTR:
                PyErr_SetFromErrno(OSError)
            n = 0
        self.ready_count = n
        for i in range(n):
            if events[i].data.fd == self.wake_fd:
                read_fd(self.wake_fd, &count, sizeof(count))
                events[i] = events[n - 1]
                self.ready_count = n - 1
                break
        return 0

    cdef int serve(self) except -1:
        """Serve the descriptors that had something when the clock last looked."""
        cdef epoll_event* events = <epoll_event*>self.ready
        cdef int n = self.ready_count
        cdef uint32_t what
        cdef Descriptor descriptor
        self.ready_count = 0
        for i in range(n):
            what = events[i].events
            # One that was closed in this turn may have left its number to another, for which a
            # look in vain does no harm.
            descriptor = self.watched.get(events[i].data.fd)
            if descriptor is None:
                continue
            self.sim.current_context = descriptor.context
            if what & (EPOLLIN | EPOLLHUP | EPOLLERR) and descriptor.waits_for & READABLE:
                descriptor.readable()
            if what & (EPOLLOUT | EPOLLHUP | EPOLLERR) and descriptor.waits_for & WRITABLE:
                if descriptor.fd >= 0:
                    descriptor.writable()
        return 0

    # Descriptors

    def watch(self, fd, on_readable=None, on_writable=None, *, int32_t context=-1):
        """Call something whenever a descriptor can be read or written.

        Parameters
        ----------
        fd : int or an object with fileno()
        on_readable, on_writable : callable, optional
            Called without arguments, as an event.
        context : int
            Node of that event.

        Returns
        -------
        Watch
            Its `stop()` ends it, and must be called before the descriptor is closed.
        """
        cdef Watch watch = Watch()
        cdef uint32_t waits_for = 0
        watch.fd = fd if isinstance(fd, int) else fd.fileno()
        watch.context = context
        watch.on_readable = on_readable
        watch.on_writable = on_writable
        if on_readable is not None:
            waits_for |= READABLE
        if on_writable is not None:
            waits_for |= WRITABLE
        self.watch_c(watch, waits_for)
        return watch

    cdef int watch_c(self, Descriptor descriptor, uint32_t waits_for) except -1:
        cdef epoll_event event
        event.events = waits_for
        event.data.fd = descriptor.fd
        if epoll_ctl(self.epoll_fd, EPOLL_CTL_ADD, descriptor.fd, &event) < 0:
            PyErr_SetFromErrno(OSError)
        descriptor.clock = self
        descriptor.waits_for = waits_for
        self.watched[descriptor.fd] = descriptor
        return 0

    cdef int change(self, Descriptor descriptor, uint32_t waits_for) except -1:
        cdef epoll_event event
        if descriptor.waits_for == waits_for:
            return 0
        event.events = waits_for
        event.data.fd = descriptor.fd
        if epoll_ctl(self.epoll_fd, EPOLL_CTL_MOD, descriptor.fd, &event) < 0:
            PyErr_SetFromErrno(OSError)
        descriptor.waits_for = waits_for
        return 0

    cdef int forget(self, Descriptor descriptor) except -1:
        cdef epoll_event event
        if self.watched.get(descriptor.fd) is not descriptor:
            return 0
        del self.watched[descriptor.fd]
        if epoll_ctl(self.epoll_fd, EPOLL_CTL_DEL, descriptor.fd, &event) < 0 and errno != ENOENT:
            PyErr_SetFromErrno(OSError)
        return 0

    cdef int wants_flush(self, Descriptor descriptor) except -1:
        self.unflushed.append(descriptor)
        return 0

    # Other threads

    def call(self, callback, *args):
        """Have ``callback(*args)`` called as an event, as soon as possible; from any thread.

        Calls of one thread keep their order.
        """
        cdef uint64_t one = 1
        if not callable(callback):
            raise TypeError(f"callback is {callback!r}: it must be callable")
        self.calls.append((callback, args))
        # Full only when 2**64 - 2 calls wait: the clock wakes anyway then.
        write_fd(self.wake_fd, &one, sizeof(one))

    cdef int take_calls(self, int64_t time) except -1:
        # Those that come meanwhile have their turn next time.
        for _ in range(len(self.calls)):
            callback, args = self.calls.popleft()
            self.sim.schedule_at(time, callback, *args)
        return 0

    # Reports

    def report(self):
        """Lateness as a flat mapping: late_p50_ms, late_p99_ms, late_max_ms, waits."""
        empty = self.lateness.count == 0
        return {
            "late_p50_ms": 0.0 if empty else self.lateness.percentile(50) / 1e6,
            "late_p99_ms": 0.0 if empty else self.lateness.percentile(99) / 1e6,
            "late_max_ms": 0.0 if empty else self.lateness.max / 1e6,
            "waits": self.lateness.count,
        }

    def __repr__(self):
        return f"<RealTime at {self.speed:g} times, {len(self.watched)} descriptors>"


cdef int serve_ready(object clock) except -1:
    return (<RealTime>clock).serve()
