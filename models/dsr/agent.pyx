"""The state of a node's DSR, and the way of packets to the device."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from simcore.models.dsr.blacklist cimport Blacklist
from simcore.models.dsr.gratuitous_reply_table cimport GratuitousReplyTable
from simcore.models.dsr.header cimport NO_NEXT_HEADER, DsrHeader, dsr_header
from simcore.models.dsr.link_cache cimport LinkCache
from simcore.models.dsr.maintenance_buffer cimport (
    ACK_LINK, ACK_NETWORK, ACK_PASSIVE, MaintenanceBuffer,
)
from simcore.models.dsr.network_queue cimport NetworkQueue, QueuedPacket
from simcore.models.dsr.options cimport SourceRoute, source_route
from simcore.models.dsr.passive_buffer cimport PassiveBuffer
from simcore.models.dsr.path_cache cimport PathCache
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.route cimport MAX_ROUTE_HOPS, Route, empty_route, prepended
from simcore.models.dsr.route_request_table cimport RouteRequestTable
from simcore.models.dsr.send_buffer cimport Outgoing, SendBuffer
from simcore.models.internet.icmp_header cimport ICMP_UNREACHABLE, UNREACHABLE_FRAGMENTATION
from simcore.models.internet.ip_in_ip cimport PROTOCOL_IP_IN_IP
from simcore.models.internet.ipv4 cimport Interface, Ipv4Shim
from simcore.models.internet.ipv4_header cimport (
    IPV4_HEADER_LENGTH, PROTOCOL_DSR, Ipv4Header, fragment_options,
)
from simcore.models.network.node cimport BROADCAST_MAC, NetDevice
from simcore.models.network.packet cimport Packet, slice_packet
from simcore.simulator cimport Event, TimerHandler, native_timer
from simcore.trace.source cimport TraceSet

from simcore.models.dsr.parameters import DEPARTURES, DsrParameters


cdef int send_buffer_due(object agent) except -1:
    return (<DsrAgent>agent).expire_send_buffer()


@cython.no_gc
@cython.final
cdef class JitteredPacket(Event):
    """A packet that waits out its jitter; to all neighbours when `next_hop` is 0."""

    cdef DsrAgent agent
    cdef Packet packet
    cdef uint32_t next_hop
    cdef Port port

    cdef int fire(self) except -1:
        if self.next_hop == 0:
            return self.agent.broadcast(self.packet, self.port)
        return self.agent.transmit(self.packet, self.next_hop, True)


cdef class DsrAgent(Ipv4Shim):
    """Base of `Dsr`: parameters, tables, and the way of packets to the device."""

    def __init__(
        self, Interface interface not None, parameters=None, stream=None, others=(),
    ):
        cdef TraceSet trace
        cdef list ports = []
        if parameters is None:
            parameters = DsrParameters()
        for each in (interface, *others):
            if (<Interface?>each).stack is not interface.stack:
                raise ValueError(f"{each!r} is not of {interface.stack.node!r}")
            if any([(<Port>port).interface is each for port in ports]):
                raise ValueError(f"{each!r} is given twice")
            ports.append(Port(each, NetworkQueue(parameters.queue_size, parameters.queue_delay)))
        self.ports = tuple(ports)
        self.port = <Port>ports[0]
        self.many = len(ports) > 1
        self.neighbour_ports = {}
        self.protocol = PROTOCOL_DSR
        self.interface = interface
        self.stack = interface.stack
        self.node = interface.stack.node
        self.device = interface.device
        self.sim = self.node.sim
        self.own = interface.primary
        self.parameters = parameters
        self.stream = stream or self.sim.random.stream(f"dsr/{self.node.id}")
        for name in DEPARTURES:
            self.set_switch(name, name in parameters.departures)
        if parameters.cache == "link":
            self.cache = LinkCache(
                self.own, capacity=parameters.link_cache_size,
                init_stability=parameters.init_stability, min_lifetime=parameters.min_lifetime,
                use_extends=parameters.use_extends,
                stability_incr_factor=parameters.stability_incr_factor,
                stability_decr_factor=parameters.stability_decr_factor,
                keep_expired=self.departs.stale_links,
            )
        else:
            self.cache = PathCache(
                self.own, capacity=parameters.path_cache_size,
                timeout=parameters.route_cache_timeout, keep_expired=self.departs.stale_links,
            )
        self.send_buffer = SendBuffer(parameters.send_buffer_size)
        self.request_table = RouteRequestTable(
            parameters.request_table_size, parameters.request_table_ids
        )
        self.maintenance_buffer = MaintenanceBuffer(parameters.rexmt_buffer_size)
        self.passive_buffer = PassiveBuffer()
        self.gratuitous_replies = GratuitousReplyTable(
            parameters.grat_reply_holdoff, parameters.gratuitous_table_size
        )
        self.blacklist = Blacklist(parameters.blacklist_timeout)
        self.send_buffer_timer = native_timer(self.sim, <TimerHandler>send_buffer_due, self)
        self.method = {"link": ACK_LINK, "passive": ACK_PASSIVE, "network": ACK_NETWORK}[
            parameters.acknowledgement
        ]
        self.broadcast_jitter = parameters.broadcast_jitter
        self.send_buffer_timeout = parameters.send_buffer_timeout
        self.max_salvage_count = parameters.max_salvage_count
        self.drops = {}
        trace = TraceSet(
            self,
            tx="a packet goes to the device: (packet, next hop as a number, 0 for all)",
            rx="a packet with a DSR header was received for this node: (packet)",
            forward="a packet for another node is passed on: (packet, next hop as a number)",
            drop="a packet was lost here: (packet, reason)",
            route_discovery="a request was originated: (target as a number, TTL)",
            route_reply="a reply was originated: (packet, kind: target, cached or gratuitous)",
            link_break="the next hop did not confirm a packet: (next hop as a number)",
            salvage="a packet got another route: (packet, route)",
        )
        self.trace = trace
        self.tx_trace = trace.source("tx")
        self.rx_trace = trace.source("rx")
        self.forward_trace = trace.source("forward")
        self.drop_trace = trace.source("drop")
        self.discovery_trace = trace.source("route_discovery")
        self.reply_trace = trace.source("route_reply")
        self.break_trace = trace.source("link_break")
        self.salvage_trace = trace.source("salvage")

    def set_switch(self, str name, bint on):
        if name == "timer_verdict":
            self.departs.timer_verdict = on
        elif name == "one_per_stream":
            self.departs.one_per_stream = on
        elif name == "salvage_once":
            self.departs.salvage_once = on
        elif name == "no_return":
            self.departs.no_return = on
        elif name == "unmaintained_control":
            self.departs.unmaintained_control = on
        elif name == "error_discovery":
            self.departs.error_discovery = on
        elif name == "deaf_to_errors":
            self.departs.deaf_to_errors = on
        elif name == "same_identification":
            self.departs.same_identification = on
        elif name == "square_backoff":
            self.departs.square_backoff = on
        elif name == "late_replies":
            self.departs.late_replies = on
        elif name == "all_reply":
            self.departs.all_reply = on
        elif name == "no_learning":
            self.departs.no_learning = on
        elif name == "one_reply":
            self.departs.one_reply = on
        elif name == "stale_links":
            self.departs.stale_links = on
        elif name == "slow_send_buffer":
            self.departs.slow_send_buffer = on
        elif name == "no_blacklist":
            self.departs.no_blacklist = on
        elif name == "arp":
            self.departs.arp = on
        else:
            raise KeyError(name)

    # Packets of this node

    cdef int originate(self, Outgoing packet) except -1:
        cdef Route route = self.cache.find(packet.destination, self.sim.now_ns)
        if route is not None:
            return self.send_along(packet, route)
        return self.wait_for_route(packet, self.sim.now_ns + self.send_buffer_timeout)

    cdef int wait_for_route(self, Outgoing packet, int64_t deadline) except -1:
        cdef Outgoing evicted = self.send_buffer.add(packet, deadline)
        if evicted is not None:
            self.drop(evicted.segment, "send buffer full")
        if self.send_buffer_timer.slot < 0:
            self.send_buffer_timer.arm(max(deadline - self.sim.now_ns, 0))
        return self.discover(packet.destination)

    cdef int expire_send_buffer(self) except -1:
        cdef int64_t next_deadline
        for packet in self.send_buffer.expire(self.sim.now_ns):
            self.drop((<Outgoing>packet).segment, "no route found")
        next_deadline = self.send_buffer.next_deadline()
        if next_deadline >= 0:
            self.send_buffer_timer.arm(next_deadline - self.sim.now_ns)
        return 0

    cdef int send_along(self, Outgoing packet, Route route) except -1:
        cdef Packet whole
        cdef uint32_t next_hop = route.hop[0] if route.count else packet.destination
        if len(packet.options) == 0:
            self.cache.use(route, packet.destination, self.sim.now_ns)
        if self.many and route.count >= MAX_ROUTE_HOPS:
            return self.drop(packet.segment, "route too long")
        whole = self.build(packet, route)
        return self.transmit(whole, next_hop, len(packet.options) > 0)

    cdef Packet build(self, Outgoing packet, Route route):
        cdef Packet body = packet.segment
        cdef tuple options = packet.options
        cdef uint8_t protocol = packet.protocol
        cdef int left = route.count
        cdef Port port
        if self.many:
            port = self.port_for(route.hop[0] if left else packet.destination)
            if port.address != packet.source:
                # 8.4: as if it had come in by the source's interface, and goes on by another.
                route = prepended(port.address, route)
        if route.count > 0:
            options = options + (source_route(route, left, packet.salvage),)
        if len(options) > 0:
            # RFC 4728 8.1.1: a packet to a neighbour needs no header for its route.
            body = body.push_c(dsr_header(protocol, options))
            protocol = PROTOCOL_DSR
        return self.stack.make_packet(
            body, packet.source, packet.destination, protocol, packet.ttl, packet.tos
        )

    # To the device

    cdef int count(self, DsrHeader header) except -1:
        """Count a transmission by what it carries."""
        if header.request is not None:
            self.request_tx_count += 1
        elif header.reply is not None:
            self.reply_tx_count += 1
        elif header.error is not None:
            self.error_tx_count += 1
        elif header.acknowledgement is not None:
            self.ack_tx_count += 1
        return 0

    cdef int broadcast(self, Packet packet, Port port) except -1:
        self.count(<DsrHeader>packet.inner.header)
        if self.tx_trace.active:
            self.tx_trace.emit2(packet, 0)
        return self.stack.send_to_mac(packet, BROADCAST_MAC, port.interface)

    cdef int after_jitter(
        self, int64_t delay, Packet packet, uint32_t next_hop, Port port,
    ) except -1:
        cdef JitteredPacket event = JitteredPacket.__new__(JitteredPacket)
        event.agent = self
        event.packet = packet
        event.next_hop = next_hop
        event.port = port
        return self.sim.schedule_event(delay, event)

    cdef int transmit(self, Packet packet, uint32_t next_hop, bint control) except -1:
        """Queue a packet for a neighbour whose MAC tells what becomes of it."""
        cdef QueuedPacket entry
        cdef Port port = self.port_for(next_hop)
        if packet.size > port.device.mtu:
            return self.send_fragments(packet, next_hop, control)
        entry = QueuedPacket.__new__(QueuedPacket)
        entry.packet = packet
        entry.next_hop = next_hop
        if not port.queue.add(entry, control, self.sim.now_ns):
            return self.drop(packet, "network queue full")
        if port.outstanding is None:
            self.pump(port)
        return 0

    cdef int send_fragments(self, Packet packet, uint32_t next_hop, bint control) except -1:
        """Send a packet that is too large in pieces (RFC 4728 8.5).

        A piece of a packet with DSR header travels inside another IP packet, which has the header.
        It goes on as salvaged packets do, with this node as the first address of its route: the IP
        source of the outer packet is this node too, and errors about it are for this node.
        """
        cdef Ipv4Header whole_ip = <Ipv4Header>packet.header
        cdef Ipv4Header ip = whole_ip  # of what is cut
        cdef DsrHeader header = dsr_header_of(packet)
        cdef Packet body = packet.inner
        cdef Packet piece
        cdef Port port = self.port_for(next_hop)
        cdef SourceRoute path
        cdef Ipv4Header piece_ip
        cdef Route hops
        cdef int32_t around = 0        # octets that each piece gets before its own IP header
        cdef int32_t start = 0
        cdef int32_t room, stop
        if header is not None:
            path = header.source_route
            body = body.inner
            if header.next_header == PROTOCOL_IP_IN_IP and type(body.header) is Ipv4Header:
                # A piece already: smaller ones of the same packet.
                ip = <Ipv4Header>body.header
                body = body.inner
            else:
                ip = ip.with_protocol(header.next_header, body.size)
            if header.next_header == NO_NEXT_HEADER:
                return self.drop(packet, "larger than the MTU")
            if path is not None:
                if path.salvage >= self.max_salvage_count:
                    return self.drop(packet, "salvaged too often")
                if path.segments_left + 1 > MAX_ROUTE_HOPS:
                    return self.drop(packet, "route too long")
                hops = empty_route(path.segments_left + 1)
                hops.hop[0] = port.address
                memcpy(
                    hops.hop + 1, path.route.hop + path.route.count - path.segments_left,
                    path.segments_left * sizeof(uint32_t),
                )
                header = header.replaced(
                    path, source_route(hops, path.segments_left, path.salvage + 1)
                )
            header = dsr_header(PROTOCOL_IP_IN_IP, header.replaced(None, None).options)
            around = IPV4_HEADER_LENGTH + header.length
        room = (self.mtu(port) - around - ip.length) & ~7
        if ip.dont_fragment or room <= 0:
            self.drop(packet, "larger than the MTU")
            if ip.dont_fragment and self.stack.icmp is not None and (
                not self.is_own(whole_ip.source)
            ):
                self.stack.icmp.report(
                    ICMP_UNREACHABLE, UNREACHABLE_FRAGMENTATION,
                    <uint16_t>max(self.mtu(port) - around, 0), body, ip,
                )
            return 0
        while start < body.size:
            stop = min(start + room, body.size)
            piece_ip = ip.copy()
            if start > 0 and ip.options is not None:
                piece_ip.options = fragment_options(ip.options)
                piece_ip.length = IPV4_HEADER_LENGTH + (
                    <int>len(piece_ip.options) if piece_ip.options is not None else 0
                )
            piece_ip.payload_size = stop - start
            piece_ip.offset = <uint16_t>(ip.offset + start)
            piece_ip.more_fragments = ip.more_fragments or stop < body.size
            piece = slice_packet(body, start, stop).push_c(piece_ip)
            if header is not None:
                piece = self.stack.make_packet(
                    piece.push_c(header), port.address, whole_ip.destination, PROTOCOL_DSR,
                    whole_ip.ttl, whole_ip.tos,
                )
            self.transmit(piece, next_hop, control)
            start = stop
        return 0

    cdef int32_t mtu(self, Port port) noexcept:
        """Octets of a packet to a neighbour, an acknowledgement request apart."""
        return port.device.mtu

    cdef int pump(self, Port port) except -1:
        """Give the device the next packet, once it is done with the last one."""
        cdef QueuedPacket entry
        cdef DsrHeader header
        cdef list expired
        cdef uint64_t mac
        cdef int status
        while port.outstanding is None:
            expired = []
            entry = port.queue.take(self.sim.now_ns, expired)
            for late in expired:
                self.drop((<QueuedPacket>late).packet, "network queue timeout")
            if entry is None:
                return 0
            header = dsr_header_of(entry.packet)
            if header is not None:
                self.count(header)
            if self.tx_trace.active:
                self.tx_trace.emit2(entry.packet, entry.next_hop)
            if port.arp is None:
                self.stack.send_to_next_hop(entry.packet, entry.next_hop, port.interface)
                continue
            status = port.arp.resolve(entry.next_hop, entry.packet, &mac)
            if status == 2:
                self.link_failed(entry.next_hop, entry.packet)
            elif status == 0:
                # With status 1 ARP keeps it; then nothing of ours is in the device.
                port.outstanding = entry.packet
                port.outstanding_hop = entry.next_hop
                if self.stack.send_to_mac(entry.packet, mac, port.interface):
                    port.outstanding = None
                    self.drop(entry.packet, "device queue full")
        return 0

    # Several interfaces (8.4)

    cdef bint is_own(self, uint32_t address) except -1:
        if not self.many:
            return address == self.own
        return self.port_at(address) is not None

    cdef Port port_at(self, uint32_t address):
        for port in self.ports:
            if (<Port>port).address == address:
                return <Port>port
        return None

    cdef Port port_of(self, NetDevice device):
        if self.port.device is device:
            return self.port
        for port in self.ports:
            if (<Port>port).device is device:
                return <Port>port
        return None

    cdef Port port_for(self, uint32_t neighbour):
        """Port by which a neighbour is reached: where it was heard last."""
        if not self.many:
            return self.port
        return <Port>self.neighbour_ports.get(neighbour, self.port)

    @property
    def queue(self):
        """Network interface queue of the first interface (4.5)."""
        return self.port.queue

    cdef int drop(self, Packet packet, str reason) except -1:
        self.drops[reason] = self.drops.get(reason, 0) + 1
        if self.drop_trace.active:
            self.drop_trace.emit2(packet, reason)
        return 0

    cdef int link_failed(self, uint32_t next_hop, Packet packet) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override link_failed()")

    cdef int discover(self, uint32_t target) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override discover()")


cdef DsrHeader dsr_header_of(Packet packet):
    if (<Ipv4Header>packet.header).protocol == PROTOCOL_DSR and (
        type(packet.inner.header) is DsrHeader
    ):
        return <DsrHeader>packet.inner.header
    return None


cdef uint32_t next_hop_of(Packet packet) noexcept:
    cdef DsrHeader header = dsr_header_of(packet)
    cdef SourceRoute path
    if header is not None and header.source_route is not None:
        path = header.source_route
        if path.segments_left > 0:
            return path.route.hop[path.route.count - path.segments_left]
    return (<Ipv4Header>packet.header).destination


cdef uint32_t transmitter_of(SourceRoute path, uint32_t source) noexcept:
    cdef int visited = path.route.count - path.segments_left
    return path.route.hop[visited - 1] if visited > 0 else source


cdef Packet with_header(Packet packet, DsrHeader header, uint8_t ttl):
    cdef Packet body = packet.inner.inner.push_c(header)
    cdef Ipv4Header ip = (<Ipv4Header>packet.header).with_protocol(PROTOCOL_DSR, body.size)
    ip.ttl = ttl
    return body.push_c(ip)


cdef Outgoing outgoing(
    Packet segment, uint32_t source, uint32_t destination, uint8_t protocol, uint8_t ttl,
    uint8_t tos, tuple options,
):
    cdef Outgoing packet = Outgoing.__new__(Outgoing)
    packet.segment = segment
    packet.source = source
    packet.destination = destination
    packet.protocol = protocol
    packet.ttl = ttl
    packet.tos = tos
    packet.options = options
    return packet
