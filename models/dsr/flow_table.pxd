"""Flow Table (RFC 4728 5.1 of its flow state extension); times in ns."""

from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from simcore.models.dsr.route cimport Route


cdef class FlowEntry:
    cdef readonly uint32_t source
    cdef readonly uint32_t destination
    cdef readonly uint16_t flow
    cdef readonly uint32_t next_hop        # 0 at the destination
    cdef readonly uint32_t previous_hop    # 0 at the source
    cdef readonly int64_t expiry
    cdef readonly int64_t last_used
    cdef readonly uint8_t hop_count        # Hop Count of packets that come here
    cdef readonly uint8_t ttl              # TTL of the establishing packet, here
    cdef readonly bint may_be_default      # at the source: no packet had another TTL
    cdef readonly int established          # at the source: establishing packets sent
    cdef readonly Route route              # nodes between source and destination


cdef class FlowTable:
    cdef readonly int capacity
    cdef readonly int count
    cdef dict by_pair                      # source << 32 | destination -> list of FlowEntry

    # What has not expired, or None.
    cdef FlowEntry find(self, uint32_t source, uint32_t destination, uint16_t flow, int64_t now)
    cdef FlowEntry find_route(
        self, uint32_t source, uint32_t destination, Route route, int64_t now,
    )
    # The unexpired flow with the smallest ID: the one that a new ID must not be taken for.
    cdef FlowEntry first(self, uint32_t source, uint32_t destination, int64_t now)
    cdef int add(self, FlowEntry entry, int64_t now) except -1
    cdef int remove(self, FlowEntry entry) except -1
    # Take out the flows over a link, either way; how many there were.
    cdef int break_link(self, uint32_t a, uint32_t b) except -1
    cdef int remove_through(self, uint32_t node) except -1
    cdef int remove_pair(self, uint64_t pair) except -1
    cdef int purge(self, int64_t now) except -1


cdef inline uint64_t pair_of(uint32_t source, uint32_t destination) noexcept nogil:
    return <uint64_t>source << 32 | destination


cdef inline bint flow_greater(uint16_t a, uint16_t b) noexcept nogil:
    # 3.5.1: modulo 2**16.
    return <int16_t>(a - b) > 0
