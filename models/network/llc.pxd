"""LLC/SNAP header: what stands between an 802.11 header and a network-layer packet."""

from libc.stdint cimport uint16_t

from simcore.models.network.packet cimport Header

cdef enum:
    LLC_LENGTH = 8         # IEEE 802.2 3.2: DSAP, SSAP, control; then the SNAP identifier (5 bytes)


cdef class LlcHeader(Header):
    cdef readonly uint16_t ethertype

# The header of an ethertype; those of IPv4 and ARP are made once.
cdef LlcHeader llc_header(uint16_t ethertype)
