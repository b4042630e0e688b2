"""Ethernet II framing, with padding and frame check sequence."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from simcore.models.network.packet cimport Header

cdef enum:
    ETHERNET_LENGTH = 14           # IEEE 802.3-2022 3.1.1: two addresses and the type
    ETHERNET_FCS = 4
    ETHERNET_MIN_PAYLOAD = 46      # IEEE 802.3-2022 3.2.8: shorter ones are padded


cdef class EthernetHeader(Header):
    cdef readonly uint64_t source
    cdef readonly uint64_t destination
    cdef readonly uint16_t ethertype
    cdef readonly bint fcs                 # a frame check sequence follows the payload
    cdef readonly int padding              # zero bytes between payload and FCS

cdef EthernetHeader ethernet_header(
    uint64_t source, uint64_t destination, uint16_t ethertype, int payload_size, bint fcs,
)
# CRC-32 of IEEE 802.3-2022 3.2.9, also the FCS of 802.11.
cdef uint32_t frame_check_sequence(bytes data)
