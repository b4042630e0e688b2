"""ARP message for IPv4 over Ethernet addresses (RFC 826)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcmp, memcpy

from simcore.models.network.address cimport (
    format_ipv4, format_mac, ipv4_address, ipv4_value, mac_address, mac_value,
)
from simcore.models.network.packet cimport Header
from simcore.models.network.wire cimport (
    read_u16, read_u32, read_u48, write_u16, write_u32, write_u48,
)

from simcore.models.network.packet import PacketError

# Hardware type Ethernet, protocol type IPv4, and the lengths of their addresses.
cdef bytes PREFIX = b"\x00\x01\x08\x00\x06\x04"


@cython.final
cdef class ArpHeader(Header):
    """ARP message, 28 bytes.

    Parameters
    ----------
    operation : int
        1 request, 2 reply.
    sender_mac, sender : MAC and IPv4 address
    target_mac, target : MAC and IPv4 address

    Raises
    ------
    ValueError
        When the operation is another.
    """

    def __init__(self, uint16_t operation, sender_mac, sender, target_mac, target):
        if operation not in (ARP_REQUEST, ARP_REPLY):
            raise ValueError(f"operation is {operation}: it must be 1 (request) or 2 (reply)")
        self.length = ARP_LENGTH
        self.operation = operation
        self.sender_mac = mac_value(sender_mac)
        self.sender = ipv4_value(sender)
        self.target_mac = mac_value(target_mac)
        self.target = ipv4_value(target)

    @property
    def sender_address(self):
        """IPv4 address of the sender."""
        return ipv4_address(self.sender)

    @property
    def target_address(self):
        """IPv4 address that is asked for, or that the reply goes to."""
        return ipv4_address(self.target)

    @property
    def sender_mac_address(self):
        """MAC address of the sender."""
        return mac_address(self.sender_mac)

    cpdef bytes serialize(self, bytes payload):
        cdef bytes data = PyBytes_FromStringAndSize(NULL, ARP_LENGTH)
        cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
        memcpy(p, PyBytes_AS_STRING(PREFIX), 6)
        write_u16(p + 6, self.operation)
        write_u48(p + 8, self.sender_mac)
        write_u32(p + 14, self.sender)
        write_u48(p + 18, self.target_mac)
        write_u32(p + 24, self.target)
        return data + payload

    cpdef str text(self):
        # ns-3 writes the kind of an address and its length, 00-06, in front of it.
        text = (
            f"ns3::ArpHeader (hardware type: Ethernet "
            f"{'request' if self.operation == ARP_REQUEST else 'reply'} "
            f"source mac: 00-06-{format_mac(self.sender_mac)} "
            f"source ipv4: {format_ipv4(self.sender)} "
        )
        if self.operation == ARP_REPLY:
            text += f"dest mac: 00-06-{format_mac(self.target_mac)} "
        return f"{text}dest ipv4: {format_ipv4(self.target)})"

    @staticmethod
    def parse(bytes data not None):
        """Message, and what follows it (padding).

        Raises
        ------
        PacketError
            When it is too short, or not about IPv4 over Ethernet addresses.
        """
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef ArpHeader header
        cdef uint16_t operation
        if PyBytes_GET_SIZE(data) < ARP_LENGTH:
            raise PacketError(f"ARP message: {len(data)} bytes, {ARP_LENGTH} needed")
        if memcmp(p, PyBytes_AS_STRING(PREFIX), 6):
            raise PacketError(f"ARP message: begins with {data[:6].hex()}, not {PREFIX.hex()}")
        operation = read_u16(p + 6)
        if operation != ARP_REQUEST and operation != ARP_REPLY:
            raise PacketError(f"ARP message: operation is {operation}")
        header = ArpHeader.__new__(ArpHeader)
        header.length = ARP_LENGTH
        header.operation = operation
        header.sender_mac = read_u48(p + 8)
        header.sender = read_u32(p + 14)
        header.target_mac = read_u48(p + 18)
        header.target = read_u32(p + 24)
        return header, data[ARP_LENGTH:]
