"""ICMP messages (RFC 792): the eight bytes that all of them begin with."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy

from simcore.models.network.packet cimport Header
from simcore.models.network.wire cimport checksum_add, checksum_finish, read_u16, write_u16

from simcore.models.network.packet import PacketError


@cython.final
cdef class IcmpHeader(Header):
    """ICMP header, 8 bytes; what an echo carries, or the packet an error is about, follows.

    Parameters
    ----------
    type, code : int
    identifier, sequence : int
        Of an echo; of an error, zero and the MTU of the next hop.
    """

    def __init__(self, uint8_t type, uint8_t code=0, uint16_t identifier=0, uint16_t sequence=0):
        self.length = ICMP_HEADER_LENGTH
        self.type = type
        self.code = code
        self.identifier = identifier
        self.sequence = sequence
        self.checksum_ok = True

    @property
    def is_error(self):
        """Whether it reports an error, which must never be answered by another (RFC 1122 3.2.2)."""
        return self.type not in (ICMP_ECHO_REPLY, ICMP_ECHO_REQUEST)

    cpdef bytes serialize(self, bytes payload):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, ICMP_HEADER_LENGTH + size)
        cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
        p[0] = self.type
        p[1] = self.code
        write_u16(p + 2, 0)
        write_u16(p + 4, self.identifier)
        write_u16(p + 6, self.sequence)
        memcpy(p + ICMP_HEADER_LENGTH, PyBytes_AS_STRING(payload), size)
        write_u16(p + 2, checksum_finish(checksum_add(0, p, ICMP_HEADER_LENGTH + size)))
        return data

    cpdef str text(self):
        text = f"ns3::Icmpv4Header (type={self.type}, code={self.code})"
        if self.type in (ICMP_ECHO_REPLY, ICMP_ECHO_REQUEST):
            text += f" ns3::Icmpv4Echo (identifier={self.identifier}, sequence={self.sequence})"
        return text

    @staticmethod
    def parse(bytes data not None):
        """Header and rest of a message. A wrong checksum is no error here: `checksum_ok` tells.

        Raises
        ------
        PacketError
            When it is shorter than eight bytes.
        """
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef IcmpHeader header
        if size < ICMP_HEADER_LENGTH:
            raise PacketError(f"ICMP header: {size} bytes, {ICMP_HEADER_LENGTH} needed")
        header = icmp_header(p[0], p[1], read_u16(p + 4), read_u16(p + 6))
        header.checksum_ok = checksum_finish(checksum_add(0, p, size)) == 0
        return header, data[ICMP_HEADER_LENGTH:]


cdef IcmpHeader icmp_header(uint8_t type, uint8_t code, uint16_t identifier, uint16_t sequence):
    cdef IcmpHeader header = IcmpHeader.__new__(IcmpHeader)
    header.length = ICMP_HEADER_LENGTH
    header.type = type
    header.code = code
    header.identifier = identifier
    header.sequence = sequence
    header.checksum_ok = True
    return header
