"""How long a PHY is in which state."""

from libc.stdint cimport int64_t

from simcore.trace.source cimport TraceSource

cdef enum LoggedState:
    LOG_IDLE
    LOG_CCA_BUSY
    LOG_RX
    LOG_TX
    LOG_SWITCHING
    LOG_SLEEP
    LOG_OFF


cdef class StateLog:
    cdef TraceSource source
    cdef LoggedState state
    cdef int64_t since             # beginning of the state, ns
    cdef int64_t busy_end          # of LOG_CCA_BUSY, as known so far

    cdef int enter(self, LoggedState state, int64_t now) except -1
    cdef int busy(self, int64_t now, int64_t until) except -1
    cdef int settle(self, int64_t now) except -1
    cdef int leave(self, int64_t now) except -1
