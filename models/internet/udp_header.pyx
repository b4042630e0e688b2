"""UDP header (RFC 768)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from simcore.models.internet.ipv4_header cimport PROTOCOL_UDP, pseudo_header_sum
from simcore.models.network.address cimport ipv4_value
from simcore.models.network.packet cimport Header
from simcore.models.network.wire cimport checksum_add, checksum_finish, read_u16, write_u16

from simcore.models.network.packet import PacketError


@cython.final
cdef class UdpHeader(Header):
    """UDP header, 8 bytes. The checksum is computed when bytes are asked for.

    Parameters
    ----------
    source : Ipv4Address, str or int
        Of the IP header around it: the checksum covers both addresses.
    source_port : int
    destination : Ipv4Address, str or int
    destination_port : int
    payload_size : int
        Bytes that follow, at most 65,507.

    Raises
    ------
    ValueError
        When the payload is too large.
    """

    def __init__(
        self, source, uint16_t source_port, destination, uint16_t destination_port,
        int32_t payload_size,
    ):
        if not 0 <= payload_size <= UDP_MAX_PAYLOAD:
            raise ValueError(f"payload_size is {payload_size} bytes: UDP carries 0 to 65507")
        self.length = UDP_HEADER_LENGTH
        self.source = ipv4_value(source)
        self.source_port = source_port
        self.destination = ipv4_value(destination)
        self.destination_port = destination_port
        self.payload_size = payload_size
        self.checksum_ok = True

    cpdef bytes serialize(self, bytes payload):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, UDP_HEADER_LENGTH + size)
        cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
        cdef uint16_t total = <uint16_t>(UDP_HEADER_LENGTH + self.payload_size)
        cdef uint16_t checksum
        write_u16(p, self.source_port)
        write_u16(p + 2, self.destination_port)
        write_u16(p + 4, total)
        write_u16(p + 6, 0)
        memcpy(p + UDP_HEADER_LENGTH, PyBytes_AS_STRING(payload), size)
        checksum = checksum_finish(
            checksum_add(
                pseudo_header_sum(self.source, self.destination, PROTOCOL_UDP, total),
                p, UDP_HEADER_LENGTH + size,
            )
        )
        # Zero would mean that there is no checksum.
        write_u16(p + 6, checksum if checksum else 0xFFFF)
        return data

    cpdef str text(self):
        return (
            f"ns3::UdpHeader (length: {UDP_HEADER_LENGTH + self.payload_size} "
            f"{self.source_port} > {self.destination_port})"
        )

    @staticmethod
    def parse(bytes data not None, source="0.0.0.0", destination="0.0.0.0"):
        """Header and payload of some bytes that came between two addresses.

        A wrong checksum is no error here: `checksum_ok` tells.

        Raises
        ------
        PacketError
            When they are too few, or fewer than the header says.
        """
        return parse_udp(data, ipv4_value(source), ipv4_value(destination))


cdef tuple parse_udp(bytes data, uint32_t source, uint32_t destination):
    cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    cdef UdpHeader header
    cdef int total
    if size < UDP_HEADER_LENGTH:
        raise PacketError(f"UDP header: {size} bytes, {UDP_HEADER_LENGTH} needed")
    total = read_u16(p + 4)
    if total < UDP_HEADER_LENGTH or total > size:
        raise PacketError(f"UDP header: datagram of {total} bytes, {size} are there")
    header = udp_header(
        source, read_u16(p), destination, read_u16(p + 2), total - UDP_HEADER_LENGTH
    )
    # Without a checksum (zero) there is nothing to be wrong.
    header.checksum_ok = read_u16(p + 6) == 0 or checksum_finish(
        checksum_add(pseudo_header_sum(source, destination, PROTOCOL_UDP, total), p, total)
    ) == 0
    return header, data[UDP_HEADER_LENGTH:total]


cdef UdpHeader udp_header(
    uint32_t source, uint16_t source_port, uint32_t destination, uint16_t destination_port,
    int32_t payload_size,
):
    cdef UdpHeader header = UdpHeader.__new__(UdpHeader)
    header.length = UDP_HEADER_LENGTH
    header.source = source
    header.source_port = source_port
    header.destination = destination
    header.destination_port = destination_port
    header.payload_size = payload_size
    header.checksum_ok = True
    return header
