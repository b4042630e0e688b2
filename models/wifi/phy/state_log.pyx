"""How long a PHY is in which state: intervals without gap, each told when it has ended.

IDLE and CCA_BUSY change without an event, when the last energy that was announced has gone: the
change is noticed with the next event, but told with its own time.
"""

from libc.stdint cimport int64_t

from simcore.trace.source cimport TraceSource

cdef tuple NAMES = ("IDLE", "CCA_BUSY", "RX", "TX", "SWITCHING", "SLEEP", "OFF")


cdef class StateLog:
    """Emits (start in ns, duration in ns, name of the state).

    Parameters
    ----------
    source : TraceSource
    """

    def __init__(self, TraceSource source not None):
        self.source = source
        self.state = LOG_IDLE

    cdef int enter(self, LoggedState state, int64_t now) except -1:
        """The PHY is in another state from now on."""
        self.settle(now)
        if state != self.state:
            self.leave(now)
            self.state = state
        return 0

    cdef int busy(self, int64_t now, int64_t until) except -1:
        """CCA is busy until then; counts while the PHY neither sends nor receives."""
        self.settle(now)
        if self.state == LOG_IDLE and until > now:
            self.leave(now)
            self.state = LOG_CCA_BUSY
        self.busy_end = until
        return 0

    cdef int settle(self, int64_t now) except -1:
        """Let a busy time that has passed end."""
        if self.state == LOG_CCA_BUSY and self.busy_end <= now:
            self.leave(self.busy_end)
            self.state = LOG_IDLE
        return 0

    cdef int leave(self, int64_t now) except -1:
        if now > self.since:
            self.source.emit3(self.since, now - self.since, NAMES[<int>self.state])
            self.since = now
        return 0
