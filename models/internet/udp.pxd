"""UDP (RFC 768): the protocol of a node, and sockets."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from simcore.models.internet.icmp_header cimport IcmpHeader
from simcore.models.internet.ipv4 cimport Interface, Ipv4, ProtocolHandler
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.packet cimport Packet


cdef class UdpListener:
    """What the owner of a socket overrides."""
    cdef int receive(
        self, UdpSocket socket, Packet payload, Ipv4Header header, uint16_t source_port,
    ) except -1
    # An ICMP error about a datagram that the socket sent.
    cdef int failed(
        self, UdpSocket socket, IcmpHeader icmp, uint32_t destination, uint16_t port,
    ) except -1


cdef class UdpSocket:
    cdef readonly Udp protocol
    cdef uint32_t local                # 0: any address of the node
    cdef uint32_t peer                 # 0: not connected
    cdef readonly uint16_t port        # 0: not bound
    cdef readonly uint16_t peer_port
    cdef public int ttl
    cdef public int tos
    cdef UdpListener listener

    # 0 when it went on its way, 1 when it was dropped.
    cdef int send_to_c(self, Packet payload, uint32_t destination, uint16_t port) except -1
    cdef int send_from(
        self, Packet payload, uint32_t source, uint32_t destination, uint16_t port,
    ) except -1
    cdef int bind_c(self, uint32_t address, uint16_t port) except -1
    cdef int match(self, Ipv4Header header, Interface interface, uint16_t source_port) noexcept


cdef class Udp(ProtocolHandler):
    cdef readonly Ipv4 stack
    cdef dict sockets                  # port -> list of UdpSocket
    cdef int last_port

    cdef int hand(
        self, UdpSocket socket, Packet payload, Ipv4Header header, uint16_t port,
    ) except -1
    cdef uint16_t free_port(self) except 0

# The Udp of a node; raises when the node has no internet stack.
cdef Udp udp_of(object node)
