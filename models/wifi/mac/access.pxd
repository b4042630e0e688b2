"""Channel access: when may this station send (DCF, 802.11-2020 10.3; EDCA adds its functions)."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.wifi.mac.queue cimport QueueEntry, WifiMacQueue
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport NativeTimer, Simulator


cdef class Txop:
    """One channel access function: contention window, back-off, queue."""
    cdef readonly int32_t aifsn
    cdef readonly bint qos                 # EDCA: acts at slot boundaries (10.23.2.4)
    cdef readonly int32_t cw_min
    cdef readonly int32_t cw_max
    cdef readonly int32_t cw
    cdef readonly int32_t retries          # failures since the window was last reset
    cdef readonly int32_t backoff_slots    # left to count
    cdef int64_t backoff_start             # counting began no earlier, ns
    cdef bint requested                    # waits for access
    cdef WifiMacQueue queue
    cdef QueueEntry current                # its exchange is under way or to be repeated
    cdef RandomStream stream

    cdef void draw_backoff(self, int64_t now) noexcept
    cdef void start_backoff(self, int32_t slots, int64_t now) noexcept
    cdef void forget_backoff(self, int64_t now) noexcept
    cdef void widen_window(self, int32_t retry_limit, bint late) noexcept
    cdef void reset_window(self) noexcept
    cdef bint has_frames(self) noexcept


cdef class AccessListener:
    cdef bint start(self, Txop txop) except -1     # access granted; False: nothing was sent
    # A function of higher priority sent in the slot that `txop` would have sent in. It is still
    # waiting for access and needs a new back-off.
    cdef int collided(self, Txop txop) except -1


cdef class ChannelAccess:
    cdef Simulator sim
    cdef AccessListener owner
    cdef list txops                        # highest priority first
    cdef NativeTimer timer
    cdef readonly int64_t slot
    cdef readonly int64_t sifs
    cdef readonly int64_t eifs_no_difs     # SIFS + duration of an ACK at the lowest rate
    # The medium as this station knows it; ends may lie in the future.
    cdef int64_t rx_end
    cdef bint rx_ok
    cdef int64_t tx_end
    cdef int64_t busy_end
    cdef int64_t nav_end
    cdef int64_t ack_timeout_end
    cdef int64_t cts_timeout_end
    cdef int64_t switching_end             # of a change of channel
    cdef readonly bint suspended           # the PHY sleeps, is off or absent
    cdef int64_t suspended_at
    cdef int64_t resumed_at
    cdef readonly int64_t forget_after     # a longer suspension forgets back-offs

    cdef int rx_started(self, int64_t end) except -1
    cdef int rx_ended(self, bint ok) except -1
    cdef int tx_started(self, int64_t end) except -1
    cdef int busy(self, int64_t end) except -1
    cdef int nav_started(self, int64_t end) except -1
    cdef int nav_reset(self, int64_t end) except -1
    cdef void ack_timeout_started(self, int64_t end) noexcept
    cdef int ack_timeout_reset(self) except -1
    cdef void cts_timeout_started(self, int64_t end) noexcept
    cdef int cts_timeout_reset(self) except -1
    cdef int switching_started(self, int64_t end) except -1
    cdef int suspend(self) except -1
    cdef bint resume(self) except -1       # True: back-offs were forgotten, ask for access again
    cdef bint medium_busy(self) noexcept
    cdef bint needs_backoff(self, Txop txop) noexcept
    cdef int frame_arrived(self, Txop txop) except -1
    cdef int request(self, Txop txop) except -1

    cdef int64_t access_start(self) noexcept
    cdef int64_t backoff_end(self, Txop txop, int64_t access_start) noexcept
    cdef void count_slots(self) noexcept
    cdef int grant(self) except -1
    cdef int watch(self) except -1
    cdef int look(self) except -1
