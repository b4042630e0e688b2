"""IPv4 header (RFC 791 3.1)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from simcore.models.network.address cimport ipv4_address, ipv4_value, put_ipv4
from simcore.models.network.packet cimport Header, Packet, new_packet
from simcore.models.network.wire cimport (
    checksum_add, checksum_finish, read_u16, read_u32, write_u16, write_u32,
)
from simcore.trace.number_text cimport put_int64, put_uint64, put_word

from simcore.models.network.packet import PacketError

cdef enum:
    DONT_FRAGMENT_BIT = 0x4000
    MORE_FRAGMENTS_BIT = 0x2000
    OFFSET_MASK = 0x1FFF           # in units of eight bytes

# RFC 2474, RFC 2597, RFC 3246.
cdef dict DSCP_NAMES = {
    0: b"Default", 8: b"CS1", 10: b"AF11", 12: b"AF12", 14: b"AF13", 16: b"CS2", 18: b"AF21",
    20: b"AF22", 22: b"AF23", 24: b"CS3", 26: b"AF31", 28: b"AF32", 30: b"AF33", 32: b"CS4",
    34: b"AF41", 36: b"AF42", 38: b"AF43", 40: b"CS5", 46: b"EF", 48: b"CS6", 56: b"CS7",
}
# RFC 3168 5.
cdef const char** ECN_NAMES = [b"Not-ECT", b"ECT (1)", b"ECT (0)", b"CE"]

cdef const char* HEX_DIGITS = b"0123456789abcdef"


@cython.final
cdef class Ipv4Header(Header):
    """IPv4 header.

    Parameters
    ----------
    source, destination : Ipv4Address, str or int
    protocol : int
        IANA number of what follows.
    payload_size : int
        Bytes that follow.
    identification : int
        Number of the datagram, which its fragments share.
    ttl, tos : int
    offset : int
        Place of a fragment in its datagram (bytes, a multiple of eight).
    more_fragments, dont_fragment : bool
    options : bytes, optional
        At most 40, a multiple of four.

    Raises
    ------
    ValueError
        When a field does not fit.
    """

    def __init__(
        self, source, destination, uint8_t protocol, int32_t payload_size, *,
        uint16_t identification=0, uint8_t ttl=DEFAULT_TTL, uint8_t tos=0, uint16_t offset=0,
        bint more_fragments=False, bint dont_fragment=False, bytes options=None,
    ):
        if options is not None:
            if len(options) > 40 or len(options) % 4:
                raise ValueError(
                    f"options have {len(options)} bytes: it must be a multiple of four, at most 40"
                )
            self.options = options or None
        self.length = IPV4_HEADER_LENGTH + (len(options) if options else 0)
        if not 0 <= payload_size <= IPV4_MAX_LENGTH - self.length:
            raise ValueError(
                f"payload_size is {payload_size} bytes: "
                f"it must be 0 to {IPV4_MAX_LENGTH - self.length}"
            )
        if offset % 8:
            raise ValueError(f"offset is {offset} bytes: it must be a multiple of eight")
        self.source = ipv4_value(source)
        self.destination = ipv4_value(destination)
        self.protocol = protocol
        self.payload_size = payload_size
        self.identification = identification
        self.ttl = ttl
        self.tos = tos
        self.offset = offset
        self.more_fragments = more_fragments
        self.dont_fragment = dont_fragment
        self.checksum_ok = True

    @property
    def source_address(self):
        """Source (Ipv4Address)."""
        return ipv4_address(self.source)

    @property
    def destination_address(self):
        """Destination (Ipv4Address)."""
        return ipv4_address(self.destination)

    cdef Ipv4Header copy(self):
        cdef Ipv4Header header = Ipv4Header.__new__(Ipv4Header)
        header.length = self.length
        header.source = self.source
        header.destination = self.destination
        header.payload_size = self.payload_size
        header.identification = self.identification
        header.offset = self.offset
        header.protocol = self.protocol
        header.ttl = self.ttl
        header.tos = self.tos
        header.more_fragments = self.more_fragments
        header.dont_fragment = self.dont_fragment
        header.checksum_ok = True
        header.options = self.options
        return header

    cdef Ipv4Header with_protocol(self, uint8_t protocol, int32_t payload_size):
        cdef Ipv4Header header = self.copy()
        header.protocol = protocol
        header.payload_size = payload_size
        return header

    cdef Ipv4Header with_ttl(self, uint8_t ttl):
        cdef Ipv4Header header = self.copy()
        header.ttl = ttl
        return header

    cpdef bytes serialize(self, bytes payload):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, self.length + size)
        cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
        cdef uint16_t fragment = self.offset >> 3
        if self.dont_fragment:
            fragment |= DONT_FRAGMENT_BIT
        if self.more_fragments:
            fragment |= MORE_FRAGMENTS_BIT
        p[0] = <uint8_t>(0x40 | self.length >> 2)
        p[1] = self.tos
        write_u16(p + 2, <uint16_t>(self.length + self.payload_size))
        write_u16(p + 4, self.identification)
        write_u16(p + 6, fragment)
        p[8] = self.ttl
        p[9] = self.protocol
        write_u16(p + 10, 0)
        write_u32(p + 12, self.source)
        write_u32(p + 16, self.destination)
        if self.options is not None:
            memcpy(p + IPV4_HEADER_LENGTH, PyBytes_AS_STRING(self.options), len(self.options))
        write_u16(p + 10, checksum_finish(checksum_add(0, p, self.length)))
        memcpy(p + self.length, PyBytes_AS_STRING(payload), size)
        return data

    cpdef str text(self):
        cdef char text[320]
        cdef char* at = text
        dscp = DSCP_NAMES.get(self.tos >> 2, b"Unrecognized DSCP") if self.tos >> 2 else b"Default"
        at += put_word(at, b"ns3::Ipv4Header (tos 0x")
        if self.tos >= 16:
            at[0] = HEX_DIGITS[self.tos >> 4]
            at += 1
        at[0] = HEX_DIGITS[self.tos & 15]
        at += 1
        at += put_word(at, b" DSCP ")
        at += put_word(at, PyBytes_AS_STRING(dscp))
        at += put_word(at, b" ECN ")
        at += put_word(at, ECN_NAMES[self.tos & 3])
        at += put_word(at, b" ttl ")
        at += put_uint64(at, self.ttl)
        at += put_word(at, b" id ")
        at += put_uint64(at, self.identification)
        at += put_word(at, b" protocol ")
        at += put_uint64(at, self.protocol)
        at += put_word(at, b" offset (bytes) ")
        at += put_uint64(at, self.offset)
        at += put_word(at, b" flags [")
        if self.more_fragments:
            at += put_word(at, b"MF|DF" if self.dont_fragment else b"MF")
        else:
            at += put_word(at, b"DF" if self.dont_fragment else b"none")
        at += put_word(at, b"] length: ")
        at += put_int64(at, self.length + self.payload_size)
        at[0] = 32  # " "
        at += 1
        at += put_ipv4(at, self.source)
        at += put_word(at, b" > ")
        at += put_ipv4(at, self.destination)
        at += put_word(at, b")")
        return PyUnicode_DecodeASCII(text, at - text, NULL)

    @staticmethod
    def parse(bytes data not None):
        """Header and payload of some bytes; what follows the datagram (padding) is left out.

        A wrong checksum is no error here: `checksum_ok` tells.

        Raises
        ------
        PacketError
            When they are no IPv4 datagram, or not all of one.
        """
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef Ipv4Header header
        cdef int length
        cdef int total
        cdef uint16_t fragment
        if size < IPV4_HEADER_LENGTH:
            raise PacketError(f"IPv4 header: {size} bytes, {IPV4_HEADER_LENGTH} needed")
        if p[0] >> 4 != 4:
            raise PacketError(f"IPv4 header: version is {p[0] >> 4}")
        length = (p[0] & 15) << 2
        if length < IPV4_HEADER_LENGTH or length > size:
            raise PacketError(f"IPv4 header: its length is {length} bytes, {size} are there")
        total = read_u16(p + 2)
        if total < length or total > size:
            raise PacketError(f"IPv4 header: datagram of {total} bytes, {size} are there")
        fragment = read_u16(p + 6)
        header = Ipv4Header.__new__(Ipv4Header)
        header.length = length
        header.tos = p[1]
        header.payload_size = total - length
        header.identification = read_u16(p + 4)
        header.dont_fragment = (fragment & DONT_FRAGMENT_BIT) != 0
        header.more_fragments = (fragment & MORE_FRAGMENTS_BIT) != 0
        header.offset = <uint16_t>((fragment & OFFSET_MASK) << 3)
        header.ttl = p[8]
        header.protocol = p[9]
        header.source = read_u32(p + 12)
        header.destination = read_u32(p + 16)
        header.options = data[IPV4_HEADER_LENGTH:length] or None
        header.checksum_ok = checksum_finish(checksum_add(0, p, length)) == 0
        return header, data[length:total]


cdef Ipv4Header ipv4_header(
    uint32_t source, uint32_t destination, uint8_t protocol, int32_t payload_size,
    uint16_t identification, uint8_t ttl, uint8_t tos,
):
    cdef Ipv4Header header = Ipv4Header.__new__(Ipv4Header)
    header.length = IPV4_HEADER_LENGTH
    header.source = source
    header.destination = destination
    header.protocol = protocol
    header.payload_size = payload_size
    header.identification = identification
    header.ttl = ttl
    header.tos = tos
    header.checksum_ok = True
    return header


cdef Packet ipv4_packet(Packet packet):
    cdef Packet inner
    if type(packet.header) is Ipv4Header:
        return packet
    header, payload = Ipv4Header.parse(packet.to_bytes())
    inner = new_packet(
        packet.uid, packet.created, <int32_t>len(payload), payload, packet.innermost().tag
    )
    return inner.push_c(header)


cdef uint32_t pseudo_header_sum(
    uint32_t source, uint32_t destination, uint8_t protocol, uint32_t length,
) noexcept nogil:
    return (
        (source >> 16) + (source & 0xFFFF) + (destination >> 16) + (destination & 0xFFFF)
        + protocol + length
    )


cdef bytes fragment_options(bytes options):
    cdef list kept = []
    cdef int i = 0, size
    cdef int length = <int>len(options)
    cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(options)
    while i < length and p[i] != 0:
        # "No operation" is the only option of one byte; the others carry their length.
        size = 1 if p[i] == 1 else (p[i + 1] if i + 1 < length else 0)
        if size < 1 or i + size > length or (p[i] != 1 and size < 2):
            break
        if p[i] & 0x80:
            kept.append(options[i:i + size])
        i += size
    joined = b"".join(kept)
    return joined + bytes((4 - len(joined) % 4) % 4) or None
