"""What happens between a face and its link: fragments, retransmissions, congestion marks."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.ndn.fragmentation cimport CongestionMarker, Reassembler
from simcore.models.ndn.lp cimport LpFields, LpPacket
from simcore.models.ndn.reliability cimport LpSender, Reliability
from simcore.simulator cimport Simulator


cdef class LinkCounters:
    cdef readonly int64_t down_drops            # packets either way while the face was down
    cdef readonly int64_t device_drops          # the device's queue was full, or the link down
    cdef readonly int64_t fragmentation_errors  # packets that could not be fragmented
    cdef readonly int64_t over_mtu              # packets larger than the link's MTU
    cdef readonly int64_t fragments_sent
    cdef readonly int64_t fragments_refused     # arrived, but reassembly is off
    cdef readonly int64_t lp_invalid            # malformed link packets
    cdef readonly int64_t network_invalid       # malformed network packets, impossible headers
    cdef readonly int64_t congestion_marked


cdef class LinkService(LpSender):
    cdef Simulator sim
    cdef readonly int32_t mtu                   # bytes of a link packet
    cdef readonly bint fragments                # large packets are sent in fragments
    cdef readonly bint reassembles              # fragments are put together again
    cdef readonly bint local_fields             # IncomingFaceId, NextHopFaceId and CachePolicy pass
    cdef readonly Reassembler reassembler
    cdef readonly Reliability reliability       # None: off
    cdef readonly CongestionMarker marker       # None: off
    cdef readonly LinkCounters counters
    cdef Py_ssize_t budget                      # largest packet before features add their headers
    cdef Py_ssize_t room                        # network packet and headers that go in one piece
    cdef uint64_t last_sequence

    # Subclasses say how.
    cdef int transmit(self, LpPacket packet) except -1
    cdef int64_t queued(self) except -2          # bytes in the send queue; -1: unknown

    cdef int send(self, LpPacket packet, bint is_interest) except -1
    cdef LpPacket receive(self, LpPacket packet, uint64_t source)
    cdef LpFields outgoing(self, LpFields fields)
    cdef bint acceptable(self, LpFields fields, int kind) noexcept


cdef inline bint has_local(LpFields fields) noexcept:
    """Whether there are fields that stay on a node."""
    return (
        fields.incoming_face_id >= 0 or fields.next_hop_face_id >= 0 or fields.cache_policy != 0
    )
