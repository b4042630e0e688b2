"""What happens between a face and its link (NFD's generic link service, NDNLPv2)."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.ndn.fragmentation cimport (
    SINGLE_OVERHEAD, CongestionMarker, Reassembler, fragment_packet,
)
from simcore.models.ndn.link_packet cimport DATA_KIND, INTEREST_KIND
from simcore.models.ndn.lp cimport (
    CONGESTION_MARK_TYPE, TX_SEQUENCE_TYPE, LpFields, LpPacket, new_fields,
)
from simcore.models.ndn.reliability cimport LpSender, Reliability
from simcore.models.ndn.tlv cimport element_size
from simcore.simulator cimport Simulator

cdef enum:
    NUMBER_SIZE = 8            # longest value of a congestion mark, only value of a TxSequence
    MIN_ROOM = 20              # of a fragment's payload


@cython.final
cdef class LinkCounters:
    """Link packets that a face could not send or take, and why."""

    def as_dict(self):
        """Counters by name."""
        return {
            "down_drops": self.down_drops,
            "device_drops": self.device_drops,
            "fragmentation_errors": self.fragmentation_errors,
            "over_mtu": self.over_mtu,
            "fragments_sent": self.fragments_sent,
            "fragments_refused": self.fragments_refused,
            "lp_invalid": self.lp_invalid,
            "network_invalid": self.network_invalid,
            "congestion_marked": self.congestion_marked,
        }


cdef class LinkService(LpSender):
    """Fragmentation, reliability and congestion marks of one face; subclasses transmit.

    Parameters
    ----------
    sim : Simulator
    mtu : int
        Largest link packet, bytes.
    fragmentation, reassembly : bool
        Whether large packets are sent in fragments, and fragments put together.
    local_fields : bool
        Whether IncomingFaceId, NextHopFaceId and CachePolicy pass.
    reliability : Reliability, optional
    marker : CongestionMarker, optional

    Raises
    ------
    ValueError
        When the MTU leaves no room beside the headers.
    """

    def __init__(
        self, Simulator sim not None, int32_t mtu, *, bint fragmentation=True, bint reassembly=True,
        bint local_fields=False, Reliability reliability=None, CongestionMarker marker=None,
    ):
        self.sim = sim
        self.mtu = mtu
        self.fragments = fragmentation
        self.reassembles = reassembly
        self.local_fields = local_fields
        self.reassembler = Reassembler(sim)
        self.reliability = reliability
        self.marker = marker
        self.counters = LinkCounters()
        # Headers that are added to each fragment later need room in it.
        self.budget = mtu
        if reliability is not None:
            self.budget -= element_size(TX_SEQUENCE_TYPE, NUMBER_SIZE)
            reliability.attach(self)
        if marker is not None:
            self.budget -= element_size(CONGESTION_MARK_TYPE, NUMBER_SIZE)
        if self.budget < 2 * SINGLE_OVERHEAD + MIN_ROOM:
            raise ValueError(
                f"mtu is {mtu} bytes: {self.budget} of them are left beside headers, "
                f"{2 * SINGLE_OVERHEAD + MIN_ROOM} are needed"
            )
        self.room = self.budget - SINGLE_OVERHEAD

    cdef int transmit(self, LpPacket packet) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not transmit")

    cdef int64_t queued(self) except -2:
        return -1

    cdef int send(self, LpPacket packet, bint is_interest) except -1:
        """Send a network packet, whose header fields are those for the wire."""
        cdef list fragments
        cdef LpPacket fragment
        cdef Py_ssize_t i
        if self.fragments:
            fragments = fragment_packet(packet, self.budget, self.last_sequence + 1)
            if not fragments:
                self.counters.fragmentation_errors += 1
                return 0
        else:
            fragments = [packet]
        if len(fragments) > 1:
            self.counters.fragments_sent += len(fragments)
            self.last_sequence += len(fragments)
        if self.reliability is not None:
            if len(fragments) == 1:
                # The receiver recognises repeated packets by their Sequence.
                self.last_sequence += 1
                packet.sequence = self.last_sequence
                packet.has_sequence = True
            self.reliability.sending(fragments, is_interest)
        for i in range(len(fragments)):
            fragment = fragments[i]
            self.send_link_packet(fragment)
        return 0

    cdef int send_link_packet(self, LpPacket packet) except -1:
        """Add acknowledgements and a congestion mark if they are due, and transmit."""
        cdef LpFields fields
        cdef int64_t queued
        if self.reliability is not None:
            packet = self.reliability.with_acks(packet, self.mtu)
        if self.marker is not None:
            queued = self.queued()
            if queued >= 0 and self.marker.observe(self.sim.now_ns, queued):
                self.counters.congestion_marked += 1
                fields = new_fields() if packet.fields is None else packet.fields.copy()
                fields.congestion_mark = 1
                packet = packet.copy()
                packet.fields = fields
        if packet.wire_size > self.mtu:
            self.counters.over_mtu += 1
            return 0
        return self.transmit(packet)

    cdef LpPacket receive(self, LpPacket packet, uint64_t source):
        """Take a link packet; the network packet that is complete with it, or None."""
        if self.reliability is not None and not self.reliability.received(packet):
            return None
        if packet.fragment is None:
            return None
        if packet.frag_count < 0 and packet.frag_index < 0:
            return packet
        if not self.reassembles:
            self.counters.fragments_refused += 1
            return None
        return self.reassembler.receive(packet, source)

    cdef LpFields outgoing(self, LpFields fields):
        """Fields for the wire: those that stay on a node are taken out."""
        if self.local_fields or not has_local(fields):
            return fields
        fields = fields.copy()
        fields.incoming_face_id = -1
        fields.next_hop_face_id = -1
        fields.cache_policy = 0
        return fields

    cdef bint acceptable(self, LpFields fields, int kind) noexcept:
        """Whether a network packet may have come with these fields; others are counted."""
        cdef bint fine
        if kind == INTEREST_KIND:
            fine = (
                (fields.next_hop_face_id < 0 or self.local_fields)
                and fields.cache_policy == 0 and fields.prefix_announcement is None
            )
        elif kind == DATA_KIND:
            fine = fields.next_hop_face_id < 0 and not fields.non_discovery
        else:
            fine = (
                fields.next_hop_face_id < 0 and fields.cache_policy == 0
                and not fields.non_discovery and fields.prefix_announcement is None
            )
        if not fine:
            self.counters.network_invalid += 1
        return fine
