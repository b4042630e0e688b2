"""Automatic Route Shortening Table (RFC 4728 5.2 of its flow state extension)."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from simcore.models.internet.ipv4_header cimport Ipv4Header


cdef class ShorteningTable:
    cdef readonly int capacity
    cdef readonly int packets
    cdef dict by_flow                      # (pair, flow) -> {packet: least Hop Count}

    cdef int note(
        self, uint32_t source, uint32_t destination, uint16_t flow, uint64_t packet, int hop_count,
    ) except -1
    # Least Hop Count that the packet was overheard with, taken out; -1 when it was not.
    cdef int take(
        self, uint32_t source, uint32_t destination, uint16_t flow, uint64_t packet,
    ) except -2


# What tells a packet from others of its source and destination.
cdef uint64_t packet_identity(Ipv4Header ip) noexcept
