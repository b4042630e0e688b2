"""A run in step with the wall clock, and the file descriptors it waits for meanwhile.

A compiled model that talks to the outside subclasses `Descriptor` and is handed to `watch`.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from simcore.simulator cimport NativeTimer, Simulator

cdef enum:
    # What one read takes, and the longest unfinished message kept from one read to the next.
    READ_SIZE = 65536
    SCRATCH_SIZE = 2 * READ_SIZE

# What a descriptor waits for: <sys/epoll.h>.
cdef enum:
    READABLE = 0x001
    WRITABLE = 0x004


cdef class Descriptor:
    """A file descriptor that a simulation watches; events run in the context of a node."""
    cdef readonly int fd            # -1 once it is closed
    cdef readonly RealTime clock    # None until it is watched
    cdef readonly int32_t context   # node, or -1
    cdef uint32_t waits_for

    # Called as events of the simulation, at the simulated time at which the clock stands.
    cdef int readable(self) except -1
    cdef int writable(self) except -1
    # Called before the clock waits, when `clock.wants_flush(self)` was called.
    cdef int flush_output(self) except -1


cdef class IoTurn(NativeTimer):
    """The event in which descriptors that have something are served."""


cdef class RealTime:
    cdef readonly Simulator sim
    cdef readonly double speed      # simulated seconds in a second of wall time
    cdef readonly int64_t hard_limit  # ns of wall time; -1: none
    cdef readonly object lateness   # HdrHistogram of ns of wall time
    cdef readonly int64_t turns     # times that descriptors were served
    cdef int64_t span               # simulated ns that one look at the clock may serve when late
    cdef int64_t origin_wall        # CLOCK_MONOTONIC at which the simulated time was origin_sim
    cdef int64_t origin_sim
    cdef int epoll_fd
    cdef int wake_fd                # eventfd that other threads write to
    cdef dict watched               # Descriptor by file descriptor
    cdef list unflushed
    cdef object calls               # of other threads: (callable, arguments)
    cdef IoTurn turn
    cdef int ready_count            # of `ready`, which are served by the pending turn
    cdef void* ready                # struct epoll_event[]
    cdef uint8_t* scratch           # SCRATCH_SIZE bytes to read into, for whoever has the turn

    cdef int64_t simulated(self, int64_t wall) noexcept
    cdef int64_t wall_of(self, int64_t simulated) noexcept
    cdef int note_lateness(self, int64_t late, int64_t due) except -1
    cdef int wait(self, int64_t timeout) except -1
    cdef int serve(self) except -1
    cdef int watch_c(self, Descriptor descriptor, uint32_t waits_for) except -1
    cdef int change(self, Descriptor descriptor, uint32_t waits_for) except -1
    cdef int forget(self, Descriptor descriptor) except -1
    cdef int wants_flush(self, Descriptor descriptor) except -1
    cdef int take_calls(self, int64_t time) except -1
