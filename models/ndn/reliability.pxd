"""Acknowledgements and retransmission of link packets (NDNLPv2 "Reliability")."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.ndn.lp cimport LpPacket
from simcore.models.ndn.rtt cimport RttEstimator
from simcore.simulator cimport NativeTimer, Simulator


cdef class LpSender:
    """What sends link packets."""
    cdef int send_link_packet(self, LpPacket packet) except -1


cdef class SentPacket:
    """A network packet of which link packets are not acknowledged yet."""
    cdef list unacknowledged       # of UnackedFragment
    cdef bint retransmitted
    cdef bint is_interest


cdef class UnackedFragment:
    cdef LpPacket packet           # with its TxSequence, without acknowledgements
    cdef SentPacket whole
    cdef Reliability reliability
    cdef NativeTimer timer
    cdef int64_t sent_at           # ns
    cdef int32_t retransmissions
    cdef int32_t overtaken         # acknowledgements of later link packets


cdef class Reliability:
    cdef Simulator sim
    cdef LpSender sender
    cdef readonly int32_t max_retransmissions
    cdef readonly int64_t idle_ack_delay      # ns
    cdef readonly int32_t loss_threshold      # later acknowledgements that mean a loss
    cdef readonly RttEstimator rtt
    cdef readonly int64_t acknowledged        # network packets, without any retransmission
    cdef readonly int64_t retransmitted       # network packets that needed some
    cdef readonly int64_t exhausted           # network packets given up
    cdef readonly int64_t dropped_interests   # of these, Interests
    cdef readonly int64_t duplicates          # link packets received again
    cdef readonly int64_t retransmissions     # link packets sent again
    cdef uint64_t next_tx_sequence
    cdef uint64_t first_unacked               # no lower TxSequence is awaited
    cdef dict unacked                         # TxSequence -> UnackedFragment
    cdef list acks                            # TxSequences to acknowledge
    cdef set recent                           # Sequences that arrived not long ago
    cdef object recent_order                  # deque of (Sequence, time of arrival)
    cdef NativeTimer idle_timer
    cdef bint idle_armed

    cdef int attach(self, LpSender sender) except -1
    cdef int sending(self, list fragments, bint is_interest) except -1
    cdef int watch(self, LpPacket packet, SentPacket whole, int32_t retransmissions) except -1
    cdef LpPacket with_acks(self, LpPacket packet, Py_ssize_t mtu)
    cdef bint received(self, LpPacket packet) except -1
    cdef int acknowledge(self, UnackedFragment fragment) except -1
    cdef int lose(self, UnackedFragment fragment) except -1
    cdef int forget(self, UnackedFragment fragment) except -1
    cdef bint is_new(self, LpPacket packet) except -1
    cdef int answer_idle(self) except -1
