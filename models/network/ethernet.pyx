"""Ethernet II framing (IEEE 802.3)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from simcore.models.network.address cimport format_mac, mac_address, mac_value
from simcore.models.network.packet cimport Header
from simcore.models.network.wire cimport read_u16, read_u48, write_u16, write_u48

from binascii import crc32

from simcore.models.network.packet import PacketError


@cython.final
cdef class EthernetHeader(Header):
    """Ethernet II header; `length` counts the padding and the frame check sequence too.

    Parameters
    ----------
    source, destination : MacAddress, str, int or bytes
    ethertype : int
        Protocol of the payload, 0x600 or more.
    payload_size : int
        Bytes of payload; below 46 the frame is padded.
    fcs : bool
        Whether a frame check sequence ends the frame.
    """

    def __init__(self, source, destination, uint16_t ethertype, int payload_size, bint fcs=True):
        if ethertype < 0x600:
            raise ValueError(f"ethertype is {ethertype:#x}: below 0x600 it would be a length")
        if payload_size < 0:
            raise ValueError(f"payload_size is {payload_size} bytes: it must not be negative")
        self.source = mac_value(source)
        self.destination = mac_value(destination)
        self.ethertype = ethertype
        self.fcs = fcs
        self.padding = max(0, ETHERNET_MIN_PAYLOAD - payload_size)
        self.length = ETHERNET_LENGTH + self.padding + (ETHERNET_FCS if fcs else 0)

    @property
    def source_address(self):
        """Source (MacAddress)."""
        return mac_address(self.source)

    @property
    def destination_address(self):
        """Destination (MacAddress)."""
        return mac_address(self.destination)

    cpdef bytes serialize(self, bytes payload):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, ETHERNET_LENGTH + size + self.padding)
        cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
        write_u48(p, self.destination)
        write_u48(p + 6, self.source)
        write_u16(p + 12, self.ethertype)
        memcpy(p + ETHERNET_LENGTH, PyBytes_AS_STRING(payload), size)
        memset(p + ETHERNET_LENGTH + size, 0, self.padding)
        if not self.fcs:
            return data
        return data + frame_check_sequence(data).to_bytes(ETHERNET_FCS, "little")

    cpdef str text(self):
        return (
            f"ns3::EthernetHeader ( length/type=0x{self.ethertype:x}, "
            f"source={format_mac(self.source)}, destination={format_mac(self.destination)})"
        )

    @staticmethod
    def parse(bytes data not None, bint fcs=True):
        """Header and payload of a frame; padding cannot be told from payload and stays in it.

        Parameters
        ----------
        data : bytes
        fcs : bool
            Whether the frame ends with a frame check sequence; a wrong one is an error.

        Raises
        ------
        PacketError
            When the frame is too short, not Ethernet II, or damaged.
        """
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef int overhead = ETHERNET_LENGTH + (ETHERNET_FCS if fcs else 0)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef uint16_t ethertype
        if size < overhead:
            raise PacketError(f"Ethernet frame: {size} bytes, {overhead} needed")
        ethertype = read_u16(p + 12)
        if ethertype < 0x600:
            raise PacketError(f"Ethernet frame: type {ethertype:#x} is an 802.3 length")
        if fcs:
            found = int.from_bytes(data[size - ETHERNET_FCS:], "little")
            right = frame_check_sequence(data[:size - ETHERNET_FCS])
            if found != right:
                raise PacketError(f"Ethernet frame: FCS {found:#010x}, {right:#010x} computed")
        header = ethernet_header(
            read_u48(p + 6), read_u48(p), ethertype, <int>(size - overhead), fcs
        )
        return header, data[ETHERNET_LENGTH:size - (overhead - ETHERNET_LENGTH)]


cdef EthernetHeader ethernet_header(
    uint64_t source, uint64_t destination, uint16_t ethertype, int payload_size, bint fcs,
):
    cdef EthernetHeader header = EthernetHeader.__new__(EthernetHeader)
    header.source = source
    header.destination = destination
    header.ethertype = ethertype
    header.fcs = fcs
    if payload_size < ETHERNET_MIN_PAYLOAD:
        header.padding = ETHERNET_MIN_PAYLOAD - payload_size
    header.length = ETHERNET_LENGTH + header.padding + (ETHERNET_FCS if fcs else 0)
    return header


cdef uint32_t frame_check_sequence(bytes data):
    return crc32(data)
