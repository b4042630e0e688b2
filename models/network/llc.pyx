"""LLC/SNAP header (IEEE 802.2, RFC 1042)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcmp, memcpy

from simcore.models.network.node cimport ETHERTYPE_ARP, ETHERTYPE_IPV4, ETHERTYPE_NDN
from simcore.models.network.packet cimport Header
from simcore.models.network.wire cimport read_u16, write_u16

from simcore.models.network.packet import PacketError

# DSAP and SSAP of SNAP, unnumbered information, and the OUI of encapsulated Ethernet (RFC 1042).
cdef bytes PREFIX = b"\xaa\xaa\x03\x00\x00\x00"


@cython.final
cdef class LlcHeader(Header):
    """LLC/SNAP header, 8 bytes.

    Parameters
    ----------
    ethertype : int
        Protocol of what follows.
    """

    def __init__(self, uint16_t ethertype):
        self.length = LLC_LENGTH
        self.ethertype = ethertype

    cpdef bytes serialize(self, bytes payload):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, LLC_LENGTH + size)
        cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
        memcpy(p, PyBytes_AS_STRING(PREFIX), 6)
        write_u16(p + 6, self.ethertype)
        memcpy(p + LLC_LENGTH, PyBytes_AS_STRING(payload), size)
        return data

    cpdef str text(self):
        return f"ns3::LlcSnapHeader (type 0x{self.ethertype:x})"

    @staticmethod
    def parse(bytes data not None):
        """Header and rest of some bytes.

        Raises
        ------
        PacketError
            When they are too short or no SNAP header.
        """
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        if PyBytes_GET_SIZE(data) < LLC_LENGTH:
            raise PacketError(f"LLC/SNAP header: {len(data)} bytes, {LLC_LENGTH} needed")
        if memcmp(p, PyBytes_AS_STRING(PREFIX), 6):
            raise PacketError(f"LLC/SNAP header: begins with {data[:6].hex()}, not {PREFIX.hex()}")
        return llc_header(read_u16(p + 6)), data[LLC_LENGTH:]


cdef LlcHeader IPV4 = LlcHeader(ETHERTYPE_IPV4)
cdef LlcHeader NDN = LlcHeader(ETHERTYPE_NDN)
cdef LlcHeader ARP = LlcHeader(ETHERTYPE_ARP)


cdef LlcHeader llc_header(uint16_t ethertype):
    if ethertype == ETHERTYPE_IPV4:
        return IPV4
    if ethertype == ETHERTYPE_ARP:
        return ARP
    if ethertype == ETHERTYPE_NDN:
        return NDN
    return LlcHeader(ethertype)
