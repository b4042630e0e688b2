"""PPP framing of point-to-point links: the protocol field alone, as in ns-3."""

from libc.stdint cimport uint16_t

from simcore.models.network.packet cimport Header

cdef enum:
    PPP_LENGTH = 2         # RFC 1661 2, without flag, address and control (RFC 1662 3.2)


cdef class PppHeader(Header):
    cdef readonly uint16_t ethertype       # of the protocol that the field stands for

cdef PppHeader ppp_header(uint16_t ethertype)
