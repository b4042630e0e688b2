"""PPP framing of point-to-point links (RFC 1661)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t

from simcore.models.network.node cimport ETHERTYPE_IPV4, ETHERTYPE_NDN
from simcore.models.network.packet cimport Header
from simcore.models.network.wire cimport read_u16

from simcore.models.network.packet import PacketError

cdef enum:
    ETHERTYPE_IPV6 = 0x86DD

# IANA "PPP DLL protocol numbers"; others keep their ethertype, so that any protocol can be carried.
cdef dict PROTOCOLS = {ETHERTYPE_IPV4: 0x0021, ETHERTYPE_IPV6: 0x0057}
cdef dict ETHERTYPES = {number: ethertype for ethertype, number in PROTOCOLS.items()}
cdef dict NAMES = {ETHERTYPE_IPV4: "IP", ETHERTYPE_IPV6: "IPv6"}


@cython.final
cdef class PppHeader(Header):
    """PPP protocol field, 2 bytes.

    Parameters
    ----------
    ethertype : int
        Protocol of what follows; it becomes PPP's own number on the wire.
    """

    def __init__(self, uint16_t ethertype):
        self.length = PPP_LENGTH
        self.ethertype = ethertype

    @property
    def protocol(self):
        """Number of the protocol on the wire."""
        return PROTOCOLS.get(self.ethertype, self.ethertype)

    cpdef bytes serialize(self, bytes payload):
        return self.protocol.to_bytes(PPP_LENGTH, "big") + payload

    cpdef str text(self):
        name = NAMES.get(self.ethertype, "Protocol")
        return f"ns3::PppHeader (Point-to-Point Protocol: {name} (0x{self.protocol:04x}))"

    @staticmethod
    def parse(bytes data not None):
        """Header and rest of some bytes.

        Raises
        ------
        PacketError
            When there are fewer than two.
        """
        cdef uint16_t protocol
        if PyBytes_GET_SIZE(data) < PPP_LENGTH:
            raise PacketError(f"PPP header: {len(data)} bytes, {PPP_LENGTH} needed")
        protocol = read_u16(<const uint8_t*>PyBytes_AS_STRING(data))
        return ppp_header(ETHERTYPES.get(protocol, protocol)), data[PPP_LENGTH:]


cdef PppHeader IPV4 = PppHeader(ETHERTYPE_IPV4)
cdef PppHeader NDN = PppHeader(ETHERTYPE_NDN)


cdef PppHeader ppp_header(uint16_t ethertype):
    if ethertype == ETHERTYPE_IPV4:
        return IPV4
    return NDN if ethertype == ETHERTYPE_NDN else PppHeader(ethertype)
