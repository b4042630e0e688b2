"""ICMP messages (RFC 792)."""

from libc.stdint cimport uint8_t, uint16_t

from simcore.models.network.packet cimport Header

cdef enum:
    ICMP_HEADER_LENGTH = 8

cdef enum:
    # RFC 792: types.
    ICMP_ECHO_REPLY = 0
    ICMP_UNREACHABLE = 3
    ICMP_ECHO_REQUEST = 8
    ICMP_TIME_EXCEEDED = 11
    ICMP_PARAMETER_PROBLEM = 12

cdef enum:
    # RFC 792, RFC 1812 5.2.7.1: codes of "unreachable".
    UNREACHABLE_NETWORK = 0
    UNREACHABLE_HOST = 1
    UNREACHABLE_PROTOCOL = 2
    UNREACHABLE_PORT = 3
    UNREACHABLE_FRAGMENTATION = 4

cdef enum:
    # RFC 792: codes of "time exceeded".
    EXCEEDED_TTL = 0
    EXCEEDED_REASSEMBLY = 1


cdef class IcmpHeader(Header):
    cdef readonly uint8_t type
    cdef readonly uint8_t code
    # The two words after the checksum: identifier and sequence number of an echo; of an error,
    # zero and the MTU of the next hop (RFC 1191 4), or, in the upper octet of the first one, the
    # place of the parameter that is wrong (RFC 792).
    cdef readonly uint16_t identifier
    cdef readonly uint16_t sequence
    cdef readonly bint checksum_ok         # False when parsed with a wrong checksum

cdef IcmpHeader icmp_header(uint8_t type, uint8_t code, uint16_t identifier, uint16_t sequence)
