"""Base of consumers that ask for a prefix and sequence numbers behind it."""

from libc.stdint cimport int16_t, int64_t

from simcore.models.ndn.apps.application cimport NdnApplication
from simcore.models.ndn.apps.outstanding cimport Outstanding
from simcore.models.ndn.name cimport Name
from simcore.models.ndn.rtt cimport RttEstimator
from simcore.simulator cimport NativeTimer
from simcore.trace.source cimport TraceSource


cdef class Consumer(NdnApplication):
    cdef readonly Name prefix
    cdef readonly int64_t lifetime_ms
    cdef readonly int64_t count            # sequence numbers to ask for; 0: no limit
    cdef readonly int64_t next_sequence    # the next new one
    cdef readonly bint can_be_prefix
    cdef readonly bint must_be_fresh
    cdef readonly bint retransmit
    cdef readonly RttEstimator rtt
    cdef readonly Outstanding outstanding
    cdef readonly int64_t sent             # Interests, retransmissions included
    cdef readonly int64_t retransmitted
    cdef readonly int64_t received         # Data that was waited for
    cdef readonly int64_t duplicates       # Data that came a second time, or too late
    cdef readonly int64_t received_bytes   # of content
    cdef readonly int64_t nacks
    cdef readonly int64_t timeouts
    cdef readonly int64_t lost             # given up, without retransmission
    cdef readonly int64_t total_delay      # from the first sending to the Data, summed, ns
    cdef readonly int64_t max_delay        # ns
    cdef readonly int64_t total_hops       # of the Data
    cdef int16_t hop_limit                 # or -1
    cdef int64_t backed_off                # when the timeout was doubled last, ns
    cdef int64_t asked                     # new Interests sent
    cdef NativeTimer timeout_timer
    cdef NativeTimer send_timer
    cdef bint wants_data                   # a subclass has its own on_data, and so on
    cdef bint wants_nack
    cdef bint wants_timeout
    cdef TraceSource interest_trace
    cdef TraceSource data_trace
    cdef TraceSource nack_trace
    cdef TraceSource timeout_trace

    # For subclasses: what to ask for next (-1: nothing), and when.
    cdef int64_t take_sequence(self) noexcept
    cdef int send_due(self) except -1              # the send timer fired
    cdef int work_waits(self) except -1            # a retransmission is due, or room is left
    # What happened, before `work_waits`: to adapt a window.
    cdef int note_data(self, int64_t sequence, bint marked) except -1
    cdef int note_timeout(self, int64_t sequence) except -1

    cdef bint send_one(self) except -1             # False: there is nothing to send
    cdef int transmit(self, int64_t sequence) except -1
    cdef int64_t timeout(self) noexcept
    cdef int check_timeouts(self) except -1
    cdef int watch(self) except -1
    cdef int64_t sequence_of(self, Name name) noexcept
