"""ARP message for IPv4 over Ethernet addresses (RFC 826)."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from simcore.models.network.packet cimport Header

cdef enum:
    ARP_LENGTH = 28

cdef enum:
    ARP_REQUEST = 1
    ARP_REPLY = 2


cdef class ArpHeader(Header):
    cdef readonly uint16_t operation
    cdef readonly uint64_t sender_mac
    cdef readonly uint32_t sender
    cdef readonly uint64_t target_mac
    cdef readonly uint32_t target
