"""Protocols that use the stack's compiled hooks, as DSR and AODV do; built by test_hooks.py."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from simcore.models.internet.ipv4 cimport (
    ROUTE_FOUND, ROUTE_TAKEN, Hop, Interface, Ipv4, Ipv4Shim, ResolutionListener, RoutingProtocol,
)
from simcore.models.internet.ipv4_header cimport PROTOCOL_DSR, Ipv4Header
from simcore.models.network.address cimport format_ipv4, ipv4_value
from simcore.models.network.packet cimport Header, Packet


cdef class Inserted(Header):
    cdef readonly uint8_t carried          # protocol of what follows

    cpdef str text(self):
        return f"Inserted ({self.carried})"


cdef class SourceRoute(Ipv4Shim):
    """Hands every packet to one fixed neighbour, with a header of its own in it."""

    cdef Ipv4 stack
    cdef uint32_t neighbour
    cdef public uint64_t neighbour_mac     # 0: ARP finds it
    cdef public list log

    def __init__(self, stack, neighbour):
        self.protocol = PROTOCOL_DSR
        self.stack = stack
        self.neighbour = ipv4_value(neighbour)
        self.log = []
        self.stack.set_shim(self)

    cdef uint32_t source_for(self, uint32_t destination) except? 0xFFFFFFFF:
        return (<Interface>self.stack.interfaces[1]).primary

    cdef int hand_on(self, Packet packet) except -1:
        cdef Interface interface = <Interface>self.stack.interfaces[1]
        if self.neighbour_mac:
            return self.stack.send_to_mac(packet, self.neighbour_mac, interface)
        return self.stack.send_to_next_hop(packet, self.neighbour, interface)

    cdef int send(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ) except -1:
        cdef Inserted header
        if not self.stack.is_unicast(destination):
            return 0
        header = Inserted(4)
        header.carried = protocol
        self.log.append(("send", format_ipv4(destination), protocol, transport.size))
        self.hand_on(
            self.stack.make_packet(
                transport.push_c(header), source, destination, PROTOCOL_DSR, ttl, tos
            )
        )
        return 1

    cdef int receive(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
        int packet_type,
    ) except -1:
        cdef Inserted inserted = packet.inner.header
        cdef Packet transport = packet.inner.inner
        self.log.append(("receive", format_ipv4(header.destination), source_mac, header.ttl))
        if self.stack.is_local(header.destination):
            self.stack.deliver(
                transport, header.with_protocol(inserted.carried, transport.size), interface
            )
        else:
            self.hand_on(packet.inner.push_c(header.with_ttl(header.ttl - 1)))
        return 1


cdef class OnDemand(RoutingProtocol):
    """Keeps packets until `found` is called."""

    cdef public list kept
    cdef public list seen
    cdef uint32_t next_hop

    def __init__(self):
        self.kept = []
        self.seen = []
        self.watches = True

    cdef int route_output(self, uint32_t destination, Hop* hop) except -1:
        hop.interface = 1
        hop.source = (<Interface>self.stack.interfaces[1]).primary
        if not self.next_hop:
            return ROUTE_TAKEN
        hop.next_hop = self.next_hop
        return ROUTE_FOUND

    cdef int defer(self, Packet packet) except -1:
        self.kept.append(packet)
        return 0

    cdef int route_input(
        self, Packet packet, Ipv4Header header, Interface interface, Hop* hop,
    ) except -1:
        cdef int status = self.route_output(header.destination, hop)
        if status == ROUTE_TAKEN:
            self.kept.append(packet)
        return status

    cdef int received(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
    ) except -1:
        self.seen.append((format_ipv4(header.source), source_mac))
        return 0

    def found(self, next_hop):
        cdef Interface interface = <Interface>self.stack.interfaces[1]
        self.next_hop = ipv4_value(next_hop)
        for packet in self.kept:
            if self.stack.is_local((<Ipv4Header>(<Packet>packet).header).source):
                self.stack.send_to_next_hop(packet, self.next_hop, interface)
            else:
                self.stack.forward_to(packet, self.next_hop, interface)
        self.kept = []


cdef class Unresolved(ResolutionListener):
    cdef public list log

    def __init__(self, Ipv4 stack):
        self.log = []
        stack.add_resolution_listener(self)

    cdef int unresolved(self, Interface interface, Packet packet, uint32_t next_hop) except -1:
        self.log.append((interface.index, packet.uid, format_ipv4(next_hop)))
        return 0


def learn(Ipv4 stack, address, mac):
    (<Interface>stack.interfaces[1]).arp.learn(ipv4_value(address), mac)


def address_of(Ipv4 stack, mac):
    return format_ipv4((<Interface>stack.interfaces[1]).arp.address_of(mac))
