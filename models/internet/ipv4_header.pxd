"""IPv4 header (RFC 791 3.1)."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

from simcore.models.network.packet cimport Header, Packet
from simcore.simulator cimport Simulator

cdef enum:
    IPV4_HEADER_LENGTH = 20        # without options
    IPV4_MAX_LENGTH = 65535        # header and payload, by the 16-bit length field
    DEFAULT_TTL = 64               # RFC 1700
    LIMITED_BROADCAST = 0xFFFFFFFFu

cdef enum:
    # IANA protocol numbers.
    PROTOCOL_ICMP = 1
    PROTOCOL_TCP = 6
    PROTOCOL_UDP = 17
    PROTOCOL_DSR = 48


cdef class Ipv4Header(Header):
    cdef readonly uint32_t source
    cdef readonly uint32_t destination
    cdef readonly int32_t payload_size     # bytes after the header
    cdef readonly uint16_t identification
    cdef readonly uint16_t offset          # of a fragment, bytes
    cdef readonly uint8_t protocol
    cdef readonly uint8_t ttl              # hops left
    cdef readonly uint8_t tos              # DSCP and ECN (RFC 2474, RFC 3168)
    cdef readonly bint more_fragments
    cdef readonly bint dont_fragment
    cdef readonly bint checksum_ok         # False when parsed with a wrong checksum
    cdef readonly bytes options            # None, or a multiple of four bytes

    cdef Ipv4Header copy(self)             # to be changed before it is pushed
    # The same header for another protocol and payload: what DSR takes off and puts on.
    cdef Ipv4Header with_protocol(self, uint8_t protocol, int32_t payload_size)
    cdef Ipv4Header with_ttl(self, uint8_t ttl)

cdef Ipv4Header ipv4_header(
    uint32_t source, uint32_t destination, uint8_t protocol, int32_t payload_size,
    uint16_t identification, uint8_t ttl, uint8_t tos,
)
# A packet of raw bytes as header and payload; raises PacketError. The packet itself when it
# already has an Ipv4Header.
cdef Packet ipv4_packet(Packet packet)
# Sum of the pseudo-header that TCP and UDP add to their checksums (RFC 768).
cdef uint32_t pseudo_header_sum(
    uint32_t source, uint32_t destination, uint8_t protocol, uint32_t length,
) noexcept nogil
# Options of the fragments after the first: those whose copied flag is set (RFC 791 3.1).
cdef bytes fragment_options(bytes options)
