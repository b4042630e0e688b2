"""NDNLPv2: what links add to network packets (NDNLPv2, revision 2023 of NFD's wiki)."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t

# TLV-TYPE numbers.
cdef enum:
    FRAGMENT_TYPE = 80
    SEQUENCE_TYPE = 81
    FRAG_INDEX_TYPE = 82
    FRAG_COUNT_TYPE = 83
    HOP_COUNT_TYPE = 84        # of ndnSIM, not of NDNLPv2
    PIT_TOKEN_TYPE = 98
    LP_PACKET_TYPE = 100
    NACK_TYPE = 800
    NACK_REASON_TYPE = 801
    INCOMING_FACE_ID_TYPE = 812
    NEXT_HOP_FACE_ID_TYPE = 816
    CACHE_POLICY_TYPE = 820
    CACHE_POLICY_TYPE_TYPE = 821
    CONGESTION_MARK_TYPE = 832
    ACK_TYPE = 836
    TX_SEQUENCE_TYPE = 840
    NON_DISCOVERY_TYPE = 844
    PREFIX_ANNOUNCEMENT_TYPE = 848

# Nack reasons, by number the least severe first except for NONE.
cdef enum:
    NACK_NONE = 0
    NACK_CONGESTION = 50
    NACK_DUPLICATE = 100
    NACK_NO_ROUTE = 150

cdef enum:
    NO_CACHE = 1               # CachePolicyType


cdef class LpFields:
    """Header fields that belong to a network packet and travel with it to the next hop."""
    cdef readonly int64_t incoming_face_id    # -1: absent
    cdef readonly int64_t next_hop_face_id    # -1: absent
    cdef readonly bytes pit_token             # or None
    cdef readonly object prefix_announcement  # wire format of Data (bytes), or None
    cdef readonly int64_t congestion_mark     # 0: absent
    cdef readonly int16_t cache_policy        # 0: absent
    cdef readonly int16_t hop_count           # links crossed, simulation only: not on the wire
    cdef readonly bint non_discovery

    cdef LpFields copy(self)
    cdef Py_ssize_t size(self) noexcept       # bytes of these fields on the wire


cdef class LpPacket:
    """One link-layer packet: header fields, and a network packet or a part of one."""
    cdef readonly LpFields fields             # or None
    cdef readonly uint64_t sequence
    cdef readonly bint has_sequence
    cdef readonly int64_t frag_index          # -1: absent
    cdef readonly int64_t frag_count          # -1: absent
    cdef readonly uint64_t tx_sequence
    cdef readonly bint has_tx_sequence
    cdef readonly tuple acks                  # of unsigned 64-bit numbers
    cdef readonly int32_t nack_reason         # -1: no Nack
    cdef readonly bint carries_hops           # the hop count is on the wire, as in ndnSIM
    cdef readonly object fragment             # Interest, Data, bytes, or None
    cdef readonly int32_t start               # the part of the fragment's wire format
    cdef readonly int32_t stop

    cdef LpPacket copy(self)
    cdef Py_ssize_t value_size(self) noexcept
    cdef uint64_t hops(self) noexcept
    cdef bint is_bare(self) noexcept


cdef LpFields new_fields()
cdef Py_ssize_t nack_element_size(int reason) noexcept
cdef LpPacket new_lp_packet(object fragment, int32_t size, LpFields fields)
# Order of severity, the least severe first; unknown numbers are as severe as none at all.
cdef inline int severity(int reason) noexcept:
    return (
        0 if reason == NACK_CONGESTION else 1 if reason == NACK_DUPLICATE
        else 2 if reason == NACK_NO_ROUTE else 3
    )
