"""IP within IP (RFC 2003): takes packets for this node out of those that they came in."""

from simcore.models.internet.ipv4 cimport RX_OK, Interface, Ipv4
from simcore.models.internet.ipv4_header cimport Ipv4Header, ipv4_packet
from simcore.models.network.packet cimport Packet

from simcore.models.network.packet import PacketError

cdef enum:
    # Bounds the C stack against hostile packets.
    MAX_DEPTH = 8


cdef class IpInIp(ProtocolHandler):
    """Protocol 4 of a node.

    Packets inside for other nodes are dropped: the node is the end of tunnels, no router behind
    one.

    Parameters
    ----------
    stack : Ipv4
        Without a handler for protocol 4.
    """

    def __init__(self, Ipv4 stack not None):
        self.stack = stack
        stack.add_handler(PROTOCOL_IP_IN_IP, self)

    cdef int receive(self, Packet packet, Ipv4Header header, Interface interface) except -1:
        cdef Packet inner
        cdef Ipv4Header ip
        try:
            inner = ipv4_packet(packet)
        except PacketError:
            self.stack.drop(packet.push_c(header), "malformed", interface)
            return RX_OK
        ip = <Ipv4Header>inner.header
        if not ip.checksum_ok:
            self.stack.drop(inner, "bad checksum", interface)
        elif not self.stack.is_local(ip.destination):
            self.stack.drop(inner, "not for this node", interface)
        elif self.depth >= MAX_DEPTH:
            self.stack.drop(inner, "nested too deeply", interface)
        else:
            self.depth += 1
            try:
                self.stack.deliver(inner.inner, ip, interface)
            finally:
                self.depth -= 1
        return RX_OK

    def __repr__(self):
        return f"<IpInIp of node {self.stack.node.id}>"
