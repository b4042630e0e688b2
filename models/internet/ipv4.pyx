"""The IPv4 stack of a node (RFC 791, RFC 1122, RFC 1812)."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from simcore.models.internet.arp_header cimport ARP_LENGTH, ARP_REPLY, ARP_REQUEST, ArpHeader
from simcore.models.internet.icmp_header cimport (
    EXCEEDED_REASSEMBLY, EXCEEDED_TTL, ICMP_TIME_EXCEEDED, ICMP_UNREACHABLE,
    UNREACHABLE_FRAGMENTATION, UNREACHABLE_NETWORK, UNREACHABLE_PORT, UNREACHABLE_PROTOCOL,
    IcmpHeader,
)
from simcore.models.internet.ipv4_header cimport (
    DEFAULT_TTL, IPV4_HEADER_LENGTH, IPV4_MAX_LENGTH, LIMITED_BROADCAST, Ipv4Header,
    fragment_options, ipv4_header, ipv4_packet,
)
from simcore.models.network.address cimport (
    ipv4_address, ipv4_value, is_multicast_ipv4, mac_address, mac_value, multicast_mac, prefix_mask,
)
from simcore.models.network.node cimport (
    BROADCAST_MAC, ETHERTYPE_ARP, ETHERTYPE_IPV4, TO_HOST, LinkListener, NetDevice, Node,
)
from simcore.models.network.packet cimport Packet, join_packets, slice_packet
from simcore.models.network.packet cimport make_packet as make_payload
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport Event, TimerHandler, native_timer
from simcore.trace.source cimport TraceSet

from simcore.models.network.address import Ipv4Network
from simcore.models.network.packet import PacketError

cdef uint64_t NO_MAC = 0xFFFFFFFFFFFFFFFF     # the address is for ARP to find

include "arp_cache.pxi"
include "interface.pxi"
include "reassembly.pxi"


cdef class ProtocolHandler:
    """A protocol above IPv4; compiled protocols override `receive`."""

    cdef int receive(self, Packet packet, Ipv4Header header, Interface interface) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override receive()")

    cdef int failed(
        self, IcmpHeader icmp, Ipv4Header original, bytes data, uint32_t reporter,
    ) except -1:
        return 0


cdef class CallableHandler(ProtocolHandler):
    """A Python callable as a protocol."""

    cdef object callback

    cdef int receive(self, Packet packet, Ipv4Header header, Interface interface) except -1:
        self.callback(packet, header, interface)
        return RX_OK


cdef class ErrorReporter(ProtocolHandler):
    """Sends ICMP errors; see `simcore.models.internet.icmp`."""

    cdef int report(
        self, uint8_t type, uint8_t code, uint16_t mtu, Packet packet, Ipv4Header header,
    ) except -1:
        return 0

    cdef int report_problem(self, uint8_t pointer, Packet packet, Ipv4Header header) except -1:
        return 0


cdef class RoutingProtocol:
    """Base of routing protocols; by itself it knows no routes."""

    cdef int attach(self, Ipv4 stack) except -1:
        if self.stack is not None and self.stack is not stack:
            raise ValueError(f"{self!r} already routes for {self.stack.node!r}")
        self.stack = stack
        return 0

    cdef int route_output(self, uint32_t destination, Hop* hop) except -1:
        return ROUTE_NONE

    cdef int defer(self, Packet packet) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override defer()")

    cdef int route_input(
        self, Packet packet, Ipv4Header header, Interface interface, Hop* hop,
    ) except -1:
        return self.route_output(header.destination, hop)

    cdef int received(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
    ) except -1:
        return 0

    cdef int interface_changed(self, Interface interface) except -1:
        return 0

    def route_to(self, destination):
        """Route of a packet to an address: (next hop, interface, source address), or None."""
        cdef Hop hop
        if self.stack is None or self.route_output(ipv4_value(destination), &hop) != ROUTE_FOUND:
            return None
        return (
            ipv4_address(hop.next_hop), self.stack.interfaces[hop.interface],
            ipv4_address(hop.source),
        )


cdef class Ipv4Shim:
    """A protocol between transport and IPv4; by itself it leaves everything as it is."""

    cdef int send(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ) except -1:
        return 0

    cdef int receive(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
        int packet_type,
    ) except -1:
        return 0

    cdef int pass_on_plain(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
    ) except -1:
        return 0

    cdef uint32_t source_for(self, uint32_t destination) except? 0xFFFFFFFF:
        return 0


cdef class Ipv4(LinkListener):
    """The IPv4 stack of a node.

    Interface 0 is the loopback, 127.0.0.1; `add_interface` makes the others. A packet for any
    address of the node is delivered whichever interface it came in by (RFC 1122 3.3.4.2, weak
    model); broadcasts and multicasts are delivered to whoever listens, and never forwarded.

    Parameters
    ----------
    node : Node
    routing : RoutingProtocol

    Attributes
    ----------
    forwarding : bool
        Whether packets for others are passed on (True).
    default_ttl : int
        Hops that packets may take (64).
    reassembly_timeout : int
        How long the first fragment waits for the others (30 s; ns).

    Notes
    -----
    Trace sources, with packets that begin with the IP header: ``tx``, ``rx`` and ``forward`` with
    (packet, interface), ``deliver`` with (segment, header, interface), ``drop`` with
    (packet, reason, interface or None).
    """

    def __init__(self, Node node not None, RoutingProtocol routing not None):
        cdef TraceSet trace
        cdef Interface loopback
        if node.ipv4 is not None:
            raise ValueError(f"{node!r} has an IPv4 stack already")
        self.node = node
        self.sim = node.sim
        self.interfaces = []
        self.by_device = []
        self.handlers = [None] * 256
        self.resolution_listeners = []
        self.identifications = {}
        self.reassemblies = {}
        self.reassembly_timer = native_timer(
            node.sim, <TimerHandler>reassembly_timer_fired, self
        )
        self.reassembly_timeout = REASSEMBLY_TIMEOUT
        self.forwarding = True
        self.default_ttl = DEFAULT_TTL
        trace = TraceSet(
            self,
            tx="(packet, interface) a packet goes to the device",
            rx="(packet, interface) a packet came from the device",
            forward="(packet, interface) a packet for another node is passed on",
            deliver="(segment, header, interface) a segment goes to its protocol on this node",
            drop="(packet, reason, interface) a packet was lost here",
        )
        self.trace = trace
        self.tx_trace = trace.source("tx")
        self.rx_trace = trace.source("rx")
        self.forward_trace = trace.source("forward")
        self.deliver_trace = trace.source("deliver")
        self.drop_trace = trace.source("drop")
        self.routing = routing
        routing.attach(self)
        loopback = self.new_interface(None)
        loopback.add_address("127.0.0.1", 8)
        node.ipv4 = self
        node.add_listener(self, ETHERTYPE_IPV4)
        listener = ArpListener()
        (<ArpListener>listener).stack = self
        node.add_listener(listener, ETHERTYPE_ARP)

    # Set-up

    def new_interface(self, NetDevice device):
        cdef Interface interface = Interface.__new__(Interface)
        interface.stack = self
        interface.device = device
        interface.index = <int32_t>len(self.interfaces)
        interface.up = True
        interface.others = []
        self.interfaces.append(interface)
        if device is not None and device.needs_arp:
            interface.arp = ArpCache(
                interface, self.sim.random.stream(f"arp/{self.node.id}/{interface.index}")
            )
        return interface

    def add_interface(self, NetDevice device not None):
        """Interface of a device of the node; the one that it has already, if any."""
        cdef Interface interface = self.interface_of(device)
        if interface is not None:
            return interface
        if device.node is not self.node:
            raise ValueError(f"{device!r} belongs to {device.node!r}, not to {self.node!r}")
        interface = self.new_interface(device)
        while len(self.by_device) <= device.index:
            self.by_device.append(None)
        self.by_device[device.index] = interface
        return interface

    cdef Interface interface_of(self, NetDevice device):
        if device.index >= len(self.by_device):
            return None
        return <Interface>self.by_device[device.index]

    def interface_for(self, NetDevice device not None):
        """Interface of a device, or None."""
        return self.interface_of(device)

    def set_routing(self, RoutingProtocol routing not None):
        """Replace the routing protocol."""
        routing.attach(self)
        self.routing = routing
        for interface in self.interfaces:
            routing.interface_changed(<Interface>interface)

    def changed(self, Interface interface not None):
        """Tell the routing protocol that an interface has changed."""
        self.routing.interface_changed(interface)

    cdef int set_shim_c(self, Ipv4Shim shim) except -1:
        self.shim = shim
        return 0

    def set_shim(self, Ipv4Shim shim):
        """Put a protocol such as DSR between transport and IPv4; None takes it away."""
        self.set_shim_c(shim)

    cdef int add_handler(self, uint8_t protocol, ProtocolHandler handler) except -1:
        self.handlers[protocol] = handler
        if isinstance(handler, ErrorReporter):
            self.icmp = handler
        return 0

    def on_protocol(self, uint8_t protocol, callback):
        """Have a callable called with (segment, header, interface) for a protocol number."""
        cdef CallableHandler handler = CallableHandler()
        if not callable(callback):
            raise TypeError(f"callback is {callback!r}: it must be callable")
        handler.callback = callback
        self.add_handler(protocol, handler)

    def add_resolution_listener(self, ResolutionListener listener not None):
        """Have a protocol told of neighbours whose MAC address was not found."""
        self.resolution_listeners.append(listener)

    # Addresses

    @property
    def address(self):
        """First address of the first interface after the loopback, or None."""
        cdef uint32_t value = self.main_address()
        return ipv4_address(value) if value else None

    def main_address(self):
        cdef Py_ssize_t i
        for i in range(1, len(self.interfaces)):
            if (<Interface>self.interfaces[i]).primary:
                return (<Interface>self.interfaces[i]).primary
        return 0

    cdef bint is_local(self, uint32_t address) noexcept:
        cdef Py_ssize_t i
        cdef list interfaces = self.interfaces
        if address >> 24 == 127:
            return True
        for i in range(1, len(interfaces)):
            if (<Interface>interfaces[i]).has_address(address):
                return True
        return False

    cdef bint is_unicast(self, uint32_t address) noexcept:
        cdef Py_ssize_t i
        if address == LIMITED_BROADCAST or is_multicast_ipv4(address):
            return False
        for i in range(1, len(self.interfaces)):
            if (<Interface>self.interfaces[i]).is_broadcast(address):
                return False
        return True

    cdef bint is_for_us(self, uint32_t address, Interface interface) noexcept:
        if address == interface.primary and address:
            return True
        return is_multicast_ipv4(address) or self.is_local(address) or not self.is_unicast(address)

    cdef uint32_t source_for(self, uint32_t destination) except? 0xFFFFFFFF:
        """Address to send from; 0 when there is no way to the destination."""
        cdef Hop hop
        cdef uint32_t source
        if self.shim is not None and not self.is_local(destination):
            source = self.shim.source_for(destination)
            if source:
                return source
        if self.is_local(destination):
            return destination
        if self.routing.route_output(destination, &hop) == ROUTE_NONE:
            return 0
        return hop.source

    # Sending

    cdef uint16_t next_identification(
        self, uint32_t source, uint32_t destination, uint8_t protocol,
    ) except? 0:
        # RFC 6864 4.2: unique for source, destination and protocol.
        key = (source, destination, protocol)
        number = self.identifications.get(key, 0)
        self.identifications[key] = (number + 1) & 0xFFFF
        return number

    cdef Packet make_packet(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ):
        if transport.size > IPV4_MAX_LENGTH - IPV4_HEADER_LENGTH:
            raise ValueError(
                f"segment has {transport.size} bytes: an IPv4 datagram carries "
                f"{IPV4_MAX_LENGTH - IPV4_HEADER_LENGTH} at most"
            )
        return transport.push_c(
            ipv4_header(
                source, destination, protocol, transport.size,
                self.next_identification(source, destination, protocol), ttl, tos,
            )
        )

    cdef int send(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ) except -1:
        cdef Hop hop
        cdef Packet packet
        cdef Interface interface
        cdef int status
        if self.is_local(destination):
            packet = self.make_packet(transport, source, destination, protocol, ttl, tos)
            return (<Interface>self.interfaces[0]).transmit(packet, destination)
        if self.shim is not None:
            if self.shim.send(transport, source, destination, protocol, ttl, tos):
                return 0
        if destination == LIMITED_BROADCAST:
            return self.broadcast(transport, source, destination, protocol, ttl, tos)
        status = self.routing.route_output(destination, &hop)
        if status == ROUTE_NONE and is_multicast_ipv4(destination):
            return self.broadcast(transport, source, destination, protocol, ttl, tos)
        packet = self.make_packet(transport, source, destination, protocol, ttl, tos)
        if status == ROUTE_FOUND:
            interface = <Interface>self.interfaces[hop.interface]
            return self.send_to_next_hop(packet, hop.next_hop, interface)
        if status == ROUTE_TAKEN:
            self.routing.defer(packet)
            return 0
        self.drop(packet, "no route", None)
        return 1

    cdef int broadcast(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ) except -1:
        """Out of the interface that has the source address; with source 0, out of all."""
        cdef Packet packet = self.make_packet(transport, source, destination, protocol, ttl, tos)
        cdef Interface interface
        cdef Py_ssize_t i
        cdef int dropped = 1
        for i in range(1, len(self.interfaces)):
            interface = <Interface>self.interfaces[i]
            if interface.up and (source == 0 or interface.has_address(source)):
                self.send_to_next_hop(packet, destination, interface)
                dropped = 0
        if dropped:
            self.drop(packet, "no route", None)
        return dropped

    cdef int send_to_next_hop(
        self, Packet packet, uint32_t next_hop, Interface interface,
    ) except -1:
        if interface.device is not None and packet.size > interface.device.mtu:
            return self.send_fragments(packet, next_hop, NO_MAC, interface)
        if self.tx_trace.active:
            self.tx_trace.emit2(packet, interface)
        return interface.transmit(packet, next_hop)

    cdef int send_to_mac(self, Packet packet, uint64_t mac, Interface interface) except -1:
        if not interface.up:
            self.drop(packet, "interface down", interface)
            return 1
        if packet.size > interface.device.mtu:
            return self.send_fragments(packet, 0, mac, interface)
        if self.tx_trace.active:
            self.tx_trace.emit2(packet, interface)
        return interface.device.send(packet, mac, ETHERTYPE_IPV4)

    cdef int send_fragments(
        self, Packet packet, uint32_t next_hop, uint64_t mac, Interface interface,
    ) except -1:
        """Send a packet that is larger than the MTU in pieces (RFC 791 3.2)."""
        cdef Ipv4Header header = packet.header
        cdef Ipv4Header piece_header
        cdef Packet payload = packet.inner
        cdef Packet piece
        cdef int32_t start = 0, stop, room
        cdef int dropped = 0
        if header.dont_fragment:
            self.drop(packet, "too large, and not to be fragmented", interface)
            if self.icmp is not None and not self.is_local(header.source):
                self.icmp.report(
                    ICMP_UNREACHABLE, UNREACHABLE_FRAGMENTATION, <uint16_t>interface.device.mtu,
                    payload, header,
                )
            return 1
        while start < payload.size:
            piece_header = header.copy()
            if start and header.options is not None:
                piece_header.options = fragment_options(header.options)
                piece_header.length = IPV4_HEADER_LENGTH + (
                    len(piece_header.options) if piece_header.options is not None else 0
                )
            room = (interface.device.mtu - piece_header.length) & ~7
            stop = min(start + room, payload.size)
            piece = slice_packet(payload, start, stop)
            piece_header.payload_size = piece.size
            piece_header.offset = <uint16_t>(header.offset + start)
            piece_header.more_fragments = header.more_fragments or stop < payload.size
            piece = piece.push_c(piece_header)
            if mac == NO_MAC:
                dropped |= self.send_to_next_hop(piece, next_hop, interface)
            else:
                dropped |= self.send_to_mac(piece, mac, interface)
            start = stop
        return dropped

    def send_packet(
        self, Packet transport not None, destination, uint8_t protocol, source=None, ttl=None,
        uint8_t tos=0,
    ):
        """Send a segment to an address.

        Returns
        -------
        bool
            False when it was dropped at once.

        Raises
        ------
        ValueError
            When it does not fit into a datagram.
        """
        cdef uint32_t target = ipv4_value(destination)
        cdef uint32_t origin = self.source_for(target) if source is None else ipv4_value(source)
        return self.send(
            transport, origin, target, protocol, self.default_ttl if ttl is None else ttl, tos
        ) == 0

    # Receiving

    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1:
        cdef Interface interface = self.interface_of(device)
        cdef Ipv4Header header
        if interface is None:
            return 0
        if type(packet.header) is not Ipv4Header:
            try:
                packet = ipv4_packet(packet)
            except PacketError:
                return self.drop(packet, "malformed", interface)
        header = <Ipv4Header>packet.header
        if not interface.up:
            return self.drop(packet, "interface down", interface)
        if self.rx_trace.active:
            self.rx_trace.emit2(packet, interface)
        if not header.checksum_ok:
            return self.drop(packet, "bad checksum", interface)
        if interface.arp is not None:
            interface.arp.refresh(header.source, source)
        if self.shim is not None and header.protocol == self.shim.protocol:
            if self.shim.receive(packet, header, interface, source, packet_type):
                return 0
        if self.routing.watches:
            self.routing.received(packet, header, interface, source)
        if self.is_for_us(header.destination, interface):
            return self.deliver(packet.inner, header, interface)
        if packet_type != TO_HOST:
            # RFC 1812 5.3.4: what came as a link-layer broadcast is not forwarded.
            return self.drop(packet, "not for this node", interface)
        if self.shim is not None and self.shim.pass_on_plain(packet, header, interface, source):
            return 0
        return self.forward(packet, header, interface)

    cdef int forward(self, Packet packet, Ipv4Header header, Interface interface) except -1:
        cdef Hop hop
        cdef int status
        if not self.forwarding:
            return self.drop(packet, "not forwarding", interface)
        status = self.routing.route_input(packet, header, interface, &hop)
        if status == ROUTE_TAKEN:
            return 0
        if status == ROUTE_NONE:
            self.drop(packet, "no route", interface)
            if self.icmp is not None:
                self.icmp.report(ICMP_UNREACHABLE, UNREACHABLE_NETWORK, 0, packet.inner, header)
            return 0
        return self.forward_to(
            packet, hop.next_hop, <Interface>self.interfaces[hop.interface]
        )

    cdef int forward_to(self, Packet packet, uint32_t next_hop, Interface out) except -1:
        cdef Ipv4Header header = <Ipv4Header>packet.header
        if header.ttl <= 1:
            self.drop(packet, "TTL expired", out)
            if self.icmp is not None:
                self.icmp.report(ICMP_TIME_EXCEEDED, EXCEEDED_TTL, 0, packet.inner, header)
            return 0
        packet = packet.inner.push_c(header.with_ttl(header.ttl - 1))
        if self.forward_trace.active:
            self.forward_trace.emit2(packet, out)
        self.send_to_next_hop(packet, next_hop, out)
        return 0

    cdef int deliver(self, Packet packet, Ipv4Header header, Interface interface) except -1:
        cdef ProtocolHandler handler
        if header.more_fragments or header.offset:
            packet = self.reassemble(packet, header, interface)
            if packet is None:
                return 0
            # `reassemble` has left the whole datagram's header on it.
            header = <Ipv4Header>packet.header
            packet = packet.inner
        if self.deliver_trace.active:
            self.deliver_trace.emit3(packet, header, interface)
        handler = <ProtocolHandler>self.handlers[header.protocol]
        if handler is None:
            self.drop(packet.push_c(header), "no protocol", interface)
            if self.icmp is not None:
                self.icmp.report(ICMP_UNREACHABLE, UNREACHABLE_PROTOCOL, 0, packet, header)
            return 0
        if handler.receive(packet, header, interface) == RX_UNREACHABLE:
            self.drop(packet.push_c(header), "port unreachable", interface)
            if self.icmp is not None:
                self.icmp.report(ICMP_UNREACHABLE, UNREACHABLE_PORT, 0, packet, header)
        return 0

    cdef Packet reassemble(self, Packet packet, Ipv4Header header, Interface interface):
        """Whole datagram, header included, once its last fragment has come; None before."""
        cdef Reassembly found
        cdef Ipv4Header whole
        if (header.more_fragments and packet.size & 7) or (
            header.offset + packet.size > IPV4_MAX_LENGTH - header.length
        ):
            self.drop(packet.push_c(header), "malformed", interface)
            return None
        key = (header.source, header.destination, header.identification, header.protocol)
        found = <Reassembly>self.reassemblies.get(key)
        if found is None:
            if len(self.reassemblies) >= MAX_REASSEMBLIES:
                del self.reassemblies[next(iter(self.reassemblies))]
            found = Reassembly.__new__(Reassembly)
            found.first = header
            found.interface = interface
            found.deadline = self.sim.now_ns + self.reassembly_timeout
            found.total = -1
            found.offsets = []
            found.pieces = []
            self.reassemblies[key] = found
            if self.reassembly_timer.slot < 0:
                self.reassembly_timer.arm(self.reassembly_timeout)
        found.add(packet, header)
        if not found.complete():
            return None
        del self.reassemblies[key]
        packet = found.join()
        whole = found.first.with_protocol(header.protocol, packet.size)
        whole.offset = 0
        whole.more_fragments = False
        return packet.push_c(whole)

    cdef int expire_reassemblies(self) except -1:
        cdef Reassembly found
        for key in list(self.reassemblies):
            found = <Reassembly>self.reassemblies[key]
            if found.deadline > self.sim.now_ns:
                return self.reassembly_timer.arm(found.deadline - self.sim.now_ns)
            del self.reassemblies[key]
            self.drop(
                (<Packet>found.pieces[0]).push_c(found.first), "fragment timeout", found.interface
            )
            # RFC 1122 3.3.2: only when the first fragment is there to be quoted.
            if self.icmp is not None and <int>found.offsets[0] == 0:
                self.icmp.report(
                    ICMP_TIME_EXCEEDED, EXCEEDED_REASSEMBLY, 0, <Packet>found.pieces[0], found.first
                )
        return 0

    cdef int drop(self, Packet packet, str reason, Interface interface) except -1:
        if self.drop_trace.active:
            self.drop_trace.emit3(packet, reason, interface)
        return 0

    def __repr__(self):
        return f"<Ipv4 of node {self.node.id}, {self.address}>"
