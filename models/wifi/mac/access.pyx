"""Channel access (802.11-2020 10.3.4 DCF, 10.23.2 EDCA): IFS, slots, back-off.

A station keeps the ends of everything that makes its medium busy. From the latest of them SIFS and
AIFSN slots are counted, then the back-off slots; one timer looks when the earliest function could
be through. Becoming busy costs no event: the timer finds out and is armed again.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t

from simcore.models.wifi.mac.queue cimport WifiMacQueue
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport Simulator, TimerHandler, native_timer


@cython.final
cdef class Txop:
    """A channel access function.

    Parameters
    ----------
    queue : WifiMacQueue
    stream : RandomStream
        For the back-off.
    aifsn : int
        Slots after SIFS; 2 for DCF (DIFS = SIFS + 2 slots).
    cw_min, cw_max : int
        Bounds of the contention window (slots), 2**n - 1 (802.11-2020 10.3.3).
    qos : bool
        An EDCA function: it counts a slot at the end of AIFS already, and what becomes of it is
        decided at slot boundaries (802.11-2020 10.23.2.4).
    """

    def __init__(self, WifiMacQueue queue not None, RandomStream stream not None, *,
                 int aifsn=2, int cw_min=31, int cw_max=1023, bint qos=False):
        if aifsn < 0:
            raise ValueError(f"aifsn is {aifsn}: it must not be negative")
        if not 0 <= cw_min <= cw_max:
            raise ValueError(
                f"cw_min is {cw_min}, cw_max {cw_max}: 0 <= cw_min <= cw_max is needed"
            )
        self.queue = queue
        self.stream = stream
        self.aifsn = aifsn
        self.qos = qos
        self.cw_min = cw_min
        self.cw_max = cw_max
        self.cw = cw_min

    cdef void draw_backoff(self, int64_t now) noexcept:
        """Draw slots from [0, CW] (802.11-2020 10.3.4.3)."""
        self.start_backoff(<int32_t>self.stream.integer_c(0, self.cw), now)

    cdef void start_backoff(self, int32_t slots, int64_t now) noexcept:
        self.backoff_slots = slots
        self.backoff_start = now

    cdef void forget_backoff(self, int64_t now) noexcept:
        self.start_backoff(0, now)
        self.reset_window()
        self.requested = False

    cdef void widen_window(self, int32_t retry_limit, bint late) noexcept:
        """After a failure: double the window, or start again at the retry limit.

        The count is the station's, not the frame's (802.11-2020 10.3.3 SSRC): it goes on when a
        frame is given up for another reason. ``late``: start again one failure later.
        """
        self.retries += 1
        if self.retries >= retry_limit + late:
            self.reset_window()
        else:
            self.cw = min(2 * (self.cw + 1) - 1, self.cw_max)

    cdef void reset_window(self) noexcept:
        self.cw = self.cw_min
        self.retries = 0

    cdef bint has_frames(self) noexcept:
        return self.current is not None or not self.queue.empty()


cdef class AccessListener:

    cdef bint start(self, Txop txop) except -1:
        return False

    cdef int collided(self, Txop txop) except -1:
        return 0


cdef int time_to_look(object access) except -1:
    return (<ChannelAccess>access).look()


cdef class ChannelAccess:
    """Grants one station access to the medium.

    Parameters
    ----------
    sim : Simulator
    owner : AccessListener
        Told when a function may send.
    slot, sifs : int
        ns.
    ack_duration : int
        Of an ACK at the lowest basic rate (ns), for EIFS (802.11-2020 10.3.2.3.7).
    forget_after : int
        A suspension of the PHY longer than this (ns) forgets back-offs and contention windows.
    """

    def __init__(self, Simulator sim not None, AccessListener owner not None,
                 int64_t slot, int64_t sifs, int64_t ack_duration, int64_t forget_after=0):
        self.sim = sim
        self.owner = owner
        self.slot = slot
        self.sifs = sifs
        self.eifs_no_difs = sifs + ack_duration
        self.forget_after = forget_after
        self.txops = []
        self.rx_ok = True
        self.timer = native_timer(sim, <TimerHandler>time_to_look, self)

    def add(self, Txop txop not None):
        """Add a function, after those of higher priority."""
        self.txops.append(txop)

    # What happens on the medium

    cdef int rx_started(self, int64_t end) except -1:
        self.count_slots()
        self.rx_end = end
        self.rx_ok = True
        return 0

    cdef int rx_ended(self, bint ok) except -1:
        self.rx_end = self.sim.now_ns
        self.rx_ok = ok
        return 0

    cdef int tx_started(self, int64_t end) except -1:
        if self.rx_end > self.sim.now_ns:
            # A reception was given up for this transmission.
            self.rx_end = self.sim.now_ns
        self.rx_ok = True
        self.count_slots()
        self.tx_end = end
        return 0

    cdef int busy(self, int64_t end) except -1:
        self.count_slots()
        if end > self.busy_end:
            self.busy_end = end
        return 0

    cdef int nav_started(self, int64_t end) except -1:
        self.count_slots()
        if end > self.nav_end:
            self.nav_end = end
        return 0

    cdef int nav_reset(self, int64_t end) except -1:
        self.count_slots()
        self.nav_end = end
        self.count_slots()
        return self.watch()

    cdef void ack_timeout_started(self, int64_t end) noexcept:
        self.ack_timeout_end = end

    cdef int ack_timeout_reset(self) except -1:
        self.ack_timeout_end = self.sim.now_ns
        return self.watch()

    cdef void cts_timeout_started(self, int64_t end) noexcept:
        self.cts_timeout_end = end

    cdef int cts_timeout_reset(self) except -1:
        self.cts_timeout_end = self.sim.now_ns
        return self.watch()

    cdef int switching_started(self, int64_t end) except -1:
        """The PHY leaves for another channel: nothing known of the medium holds there."""
        cdef int64_t now = self.sim.now_ns
        cdef Txop txop
        self.rx_ok = True
        self.rx_end = min(self.rx_end, now)
        self.busy_end = min(self.busy_end, now)
        self.nav_end = min(self.nav_end, now)
        self.ack_timeout_end = min(self.ack_timeout_end, now)
        self.cts_timeout_end = min(self.cts_timeout_end, now)
        self.switching_end = end
        self.timer.disarm()
        for txop in self.txops:
            txop.forget_backoff(now)
        return 0

    cdef int suspend(self) except -1:
        """The PHY went to sleep, was switched off or taken away: no slot counts from here on."""
        if self.suspended:
            return 0
        self.count_slots()
        self.suspended = True
        self.suspended_at = self.sim.now_ns
        self.timer.disarm()
        return 0

    cdef bint resume(self) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef Txop txop
        if not self.suspended:
            return False
        self.suspended = False
        self.resumed_at = now
        if now - self.suspended_at > self.forget_after:
            for txop in self.txops:
                txop.forget_backoff(now)
            return True
        self.watch()
        return False

    cdef bint medium_busy(self) noexcept:
        cdef int64_t now = self.sim.now_ns
        return (
            self.rx_end > now or self.tx_end > now or self.nav_end > now or self.busy_end > now
        )

    # Who wants to send

    cdef int frame_arrived(self, Txop txop) except -1:
        """A frame met an empty queue: decide whether it needs a back-off, and ask for access.

        With the medium idle and no back-off left, the frame goes DIFS after its arrival if the
        medium stays idle (802.11-2020 10.3.4.2); otherwise a back-off is drawn.
        """
        if txop.requested or not txop.has_frames():
            return 0
        if self.needs_backoff(txop):
            txop.draw_backoff(self.sim.now_ns)
        return self.request(txop)

    cdef bint needs_backoff(self, Txop txop) noexcept:
        if self.suspended:
            return False
        self.count_slots()
        if txop.backoff_slots > 0:
            return False
        if self.medium_busy():
            return True
        txop.backoff_start = self.sim.now_ns
        if not txop.qos:
            txop.backoff_start += self.sifs + txop.aifsn * self.slot
        return False

    cdef int request(self, Txop txop) except -1:
        cdef int64_t first, late
        if txop.qos and not self.suspended:
            first = self.access_start() + txop.aifsn * self.slot
            late = txop.backoff_start - first
            if late > 0:
                txop.backoff_start = first + (late + self.slot - 1) // self.slot * self.slot
        self.count_slots()
        txop.requested = True
        self.grant()
        return self.watch()

    # Slots

    cdef int64_t access_start(self) noexcept:
        """When SIFS after the last busy medium ends (ns)."""
        cdef int64_t latest = self.rx_end
        if self.rx_end <= self.sim.now_ns and not self.rx_ok:
            latest += self.eifs_no_difs
        latest = max(latest, self.busy_end)
        latest = max(latest, self.tx_end)
        latest = max(latest, self.nav_end)
        latest = max(latest, self.ack_timeout_end)
        latest = max(latest, self.cts_timeout_end)
        latest = max(latest, self.switching_end)
        latest = max(latest, self.sim.now_ns if self.suspended else self.resumed_at)
        return latest + self.sifs

    cdef int64_t backoff_end(self, Txop txop, int64_t access_start) noexcept:
        return max(
            txop.backoff_start, access_start + txop.aifsn * self.slot
        ) + txop.backoff_slots * self.slot

    cdef void count_slots(self) noexcept:
        """Take off the slots that went by idle until now."""
        cdef int64_t now = self.sim.now_ns
        cdef int64_t access_start = self.access_start()
        cdef int64_t start, idle
        cdef Txop txop
        for txop in self.txops:
            start = max(txop.backoff_start, access_start + txop.aifsn * self.slot)
            if start <= now and txop.backoff_slots > 0:
                idle = (now - start) // self.slot + txop.qos
                idle = min(idle, <int64_t>txop.backoff_slots)
                txop.backoff_slots -= <int32_t>idle
                txop.backoff_start = start + idle * self.slot

    cdef int grant(self) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef int64_t access_start = self.access_start()
        cdef Py_ssize_t i, j
        cdef Py_ssize_t count = len(self.txops)
        cdef Txop txop, other
        cdef list collided = None
        if access_start > now:
            return 0
        for i in range(count):
            txop = <Txop>self.txops[i]
            if not txop.requested or self.backoff_end(txop, access_start) > now:
                continue
            # Who collides is decided before a transmission changes what is known of the medium.
            for j in range(i + 1, count):
                other = <Txop>self.txops[j]
                if other.requested and self.backoff_end(other, access_start) <= now:
                    if collided is None:
                        collided = []
                    collided.append(other)
            txop.requested = False
            if self.owner.start(txop):
                if collided is not None:
                    for other in collided:
                        self.owner.collided(other)
                return 0
            txop.requested = txop.has_frames()
            txop.backoff_start = now
            collided = None
        return 0

    cdef int watch(self) except -1:
        """Arm the timer for the earliest time at which access could be granted."""
        cdef int64_t access_start = self.access_start()
        cdef int64_t earliest = -1
        cdef int64_t end
        cdef Txop txop
        if self.suspended:
            return 0
        for txop in self.txops:
            if txop.requested:
                end = self.backoff_end(txop, access_start)
                if end > self.sim.now_ns and (earliest < 0 or end < earliest):
                    earliest = end
        if earliest >= 0 and (self.timer.slot < 0 or self.timer.time_ns > earliest):
            return self.timer.arm(earliest - self.sim.now_ns)
        return 0

    cdef int look(self) except -1:
        self.count_slots()
        self.grant()
        return self.watch()
