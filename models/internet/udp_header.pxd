"""UDP header (RFC 768)."""

from libc.stdint cimport int32_t, uint16_t, uint32_t

from simcore.models.network.packet cimport Header

cdef enum:
    UDP_HEADER_LENGTH = 8
    UDP_MAX_PAYLOAD = 65507        # what an IPv4 datagram holds beside both headers


cdef class UdpHeader(Header):
    cdef readonly uint16_t source_port
    cdef readonly uint16_t destination_port
    cdef readonly int32_t payload_size
    # Addresses of the IP header around it, for the checksum.
    cdef readonly uint32_t source
    cdef readonly uint32_t destination
    cdef readonly bint checksum_ok         # False when parsed with a wrong checksum

cdef UdpHeader udp_header(
    uint32_t source, uint16_t source_port, uint32_t destination, uint16_t destination_port,
    int32_t payload_size,
)
# Header from bytes that come from between these addresses; raises PacketError.
cdef tuple parse_udp(bytes data, uint32_t source, uint32_t destination)
