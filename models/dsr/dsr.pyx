"""DSR (RFC 4728): what happens to each packet that is sent, received or overheard."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from simcore.models.dsr.agent cimport next_hop_of, outgoing, transmitter_of, with_header
from simcore.models.dsr.flow_maintenance cimport with_flow, without_flow
from simcore.models.dsr.flow_table cimport FlowEntry
from simcore.models.dsr.header cimport (
    DSR_FIXED_LENGTH, MAX_HOP_COUNT, NO_NEXT_HEADER, DsrHeader, FlowStateHeader,
)
from simcore.models.dsr.maintenance_buffer cimport ACK_LINK, Maintained
from simcore.models.dsr.options cimport SourceRoute, unreachable_error
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.refusals cimport Refusals
from simcore.models.dsr.route cimport Route, empty_route
from simcore.models.internet.icmp_header cimport EXCEEDED_TTL, ICMP_TIME_EXCEEDED
from simcore.models.internet.ip_in_ip cimport PROTOCOL_IP_IN_IP, IpInIp
from simcore.models.internet.ipv4 cimport Interface, ResolutionListener
from simcore.models.internet.ipv4_header cimport PROTOCOL_DSR, Ipv4Header, ipv4_packet
from simcore.models.network.address cimport is_multicast_ipv4
from simcore.models.network.node cimport (
    ETHERTYPE_IPV4, TO_HOST, TO_OTHER, LinkListener, NetDevice, TransmitListener,
)
from simcore.models.network.packet cimport Packet, new_packet

from simcore.models.dsr.options import SegmentsLeftError
from simcore.models.network.packet import PacketError


@cython.final
cdef class Feedback(TransmitListener):
    """What the MAC tells of unicast frames (RFC 4728 8.3.1)."""

    cdef int transmitted(self, NetDevice device, Packet packet, uint64_t destination) except -1:
        return self.dsr.transmitted(packet)

    cdef int dropped(
        self, NetDevice device, Packet packet, uint64_t destination, str reason,
    ) except -1:
        return self.dsr.dropped(packet)


@cython.final
cdef class Ears(LinkListener):
    """Frames for others, and those for this node that have no DSR header."""

    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1:
        cdef Port port = self.dsr.port
        if ethertype != ETHERTYPE_IPV4:
            return 0
        if device is not port.device:
            port = self.dsr.port_of(device)
            if port is None:
                return 0
        if packet_type == TO_OTHER:
            return self.dsr.overhear(packet, source, port)
        if packet_type == TO_HOST and type(packet.header) is Ipv4Header and (
            (<Ipv4Header>packet.header).protocol != PROTOCOL_DSR
        ):
            return self.dsr.hear_plain(<Ipv4Header>packet.header, source, port)
        return 0


@cython.final
cdef class Unresolved(ResolutionListener):
    """Neighbours that did not answer ARP."""

    cdef int unresolved(self, Interface interface, Packet packet, uint32_t next_hop) except -1:
        if self.dsr.port_of(interface.device) is not None:
            return self.dsr.link_failed(next_hop, packet)
        return 0


cdef Packet parsed(Packet packet):
    """A packet with IP header of protocol DSR, its DSR header as an object; raises PacketError."""
    cdef Packet body = packet.inner
    cdef Packet rest
    cdef FlowStateHeader flow = None
    cdef DsrHeader header = None
    cdef bint following = True
    if type(body.header) is DsrHeader:
        return packet
    if type(body.header) is FlowStateHeader and (
        (<FlowStateHeader>body.header).next_header != PROTOCOL_DSR
        or type(body.inner.header) is DsrHeader
    ):
        return packet
    data = body.to_bytes()
    if len(data) > 1 and data[1] & 0x80:
        flow, data = FlowStateHeader.parse(data)
        following = flow.next_header == PROTOCOL_DSR
    if following:
        try:
            header, data = DsrHeader.parse(data)
        except SegmentsLeftError as error:
            if flow is not None:
                error.offset += DSR_FIXED_LENGTH
            raise
    rest = new_packet(packet.uid, packet.created, <int>len(data), data, packet.innermost().tag)
    if header is not None:
        rest = rest.push_c(header)
    if flow is not None:
        rest = rest.push_c(flow)
    return rest.push_c(packet.header)


@cython.final
cdef class Dsr(Refusals):
    """Dynamic Source Routing on an interface of a node, or on several.

    It takes what IPv4 sends to the interfaces' networks, finds a route, and hands it to a device;
    broadcasts and other destinations are left to IPv4. `node.dsr` is the object.

    Parameters
    ----------
    interface : Interface
        With a device and an address.
    parameters : DsrParameters, optional
        The defaults of RFC 4728 by default.
    stream : RandomStream, optional
        For jitter; the stream ``dsr/<node>`` by default.
    others : iterable of Interface
        Further interfaces of the node in the same DSR network (RFC 4728 8.4).

    Raises
    ------
    ValueError
        When an interface has no device or no address or is of another node, or the node has DSR or
        another shim already.

    Notes
    -----
    With ``acknowledgement="link"`` (the default) the device must tell what becomes of unicast
    frames, as Wi-Fi does; other devices need "passive" or "network".

    Trace sources: ``tx``, ``rx``, ``forward``, ``drop``, ``route_discovery``, ``route_reply``,
    ``link_break``, ``salvage``; ``dsr.trace.NAME.doc`` tells the arguments.
    """

    def __init__(
        self, Interface interface not None, parameters=None, stream=None, others=(),
    ):
        cdef Feedback feedback = Feedback()
        cdef Ears ears = Ears()
        cdef Unresolved unresolved = Unresolved()
        Refusals.__init__(self, interface, parameters, stream, others)
        if self.stack.shim is not None:
            raise ValueError(f"{self.node!r} has {self.stack.shim!r} already")
        feedback.dsr = self
        ears.dsr = self
        unresolved.dsr = self
        self.stack.set_shim_c(self)
        if self.stack.handlers[PROTOCOL_IP_IN_IP] is None:
            IpInIp(self.stack)
        for port in self.ports:
            (<Port>port).device.add_transmit_listener(feedback)
        self.stack.add_resolution_listener(unresolved)
        if self.parameters.promiscuous:
            self.node.add_promiscuous(ears)
            for port in self.ports:
                if hasattr(port.device, "promiscuous"):
                    port.device.promiscuous = True
        self.node.dsr = self

    # From above

    cdef int send(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ) except -1:
        cdef Interface interface
        if is_multicast_ipv4(destination):
            return 0
        for port in self.ports:
            interface = (<Port>port).interface
            if interface.is_broadcast(destination):
                return 0
            if not (destination ^ interface.primary) & interface.mask:
                break
        else:
            return 0
        self.originated_count += 1
        self.originate(outgoing(transport, source, destination, protocol, ttl, tos, ()))
        return 1

    cdef uint32_t source_for(self, uint32_t destination) except? 0xFFFFFFFF:
        cdef Interface interface
        for port in self.ports:
            interface = (<Port>port).interface
            if not (destination ^ interface.primary) & interface.mask:
                return interface.primary
        return 0

    # From the device

    cdef int transmitted(self, Packet packet) except -1:
        cdef Port port
        for each in self.ports:
            port = <Port>each
            if packet is port.outstanding:
                port.outstanding = None
                self.blacklist.remove(port.outstanding_hop)
                return self.pump(port)
        if self.departs.timer_verdict:
            for entry in self.maintenance_buffer.entries:
                if (<Maintained>entry).packet is packet:
                    self.maintenance_buffer.remove(<Maintained>entry)
                    return self.arm_maintenance()
        return 0

    cdef int dropped(self, Packet packet) except -1:
        cdef Port port = self.port
        cdef bint ours
        for each in self.ports:
            if packet is (<Port>each).outstanding:
                port = <Port>each
                break
        ours = packet is port.outstanding
        if self.method != ACK_LINK or self.departs.timer_verdict:
            return 0
        if ours:
            port.outstanding = None
        elif type(packet.header) is not Ipv4Header or not self.stack.is_unicast(
            (<Ipv4Header>packet.header).destination
        ):
            return 0
        if self.is_maintained(packet):
            self.link_failed(port.outstanding_hop if ours else next_hop_of(packet), packet)
        else:
            self.drop(packet, "lost without maintenance")
        return self.pump(port)

    cdef int receive(
        self, Packet packet, Ipv4Header ip, Interface interface, uint64_t source_mac,
        int packet_type,
    ) except -1:
        cdef DsrHeader header
        cdef FlowStateHeader flow = None
        cdef SourceRoute path
        cdef uint32_t transmitter
        cdef bint next_hop
        cdef Port port = self.port_of(interface.device)
        if port is None:
            return 0
        try:
            packet = parsed(packet)
        except SegmentsLeftError as error:
            self.drop(packet, "malformed")
            if packet_type == TO_HOST:
                self.report_segments_left(packet, ip, ip.length + error.offset)
            return 1
        except PacketError:
            self.drop(packet, "malformed")
            return 1
        if self.rx_trace.active:
            self.rx_trace.emit1(packet)
        if type(packet.inner.header) is FlowStateHeader:
            if self.flow_table is None:
                self.refuse_flow(packet)
                return 1
            if packet_type != TO_HOST:
                self.drop(packet, "misrouted")
                return 1
            flow = <FlowStateHeader>packet.inner.header
            packet = without_flow(packet)
            ip = <Ipv4Header>packet.header
            if flow.flow == 0:
                # 3.5.4: as if it were not there.
                flow = None
            if ip.protocol != PROTOCOL_DSR:
                self.receive_flow(packet, None, flow, port, source_mac)
                return 1
        header = <DsrHeader>packet.inner.header
        if header.has_unknown or (header.has_flow_option and self.flow_table is None):
            header = self.handle_unknown(packet, header)
            if header is None:
                self.drop(packet, "option not supported")
                return 1
            packet = with_header(packet, header, ip.ttl)
        if self.flow_table is not None and packet_type == TO_HOST and (
            self.is_unrouted(header) or flow is not None and header.source_route is None
        ):
            self.receive_flow(packet, header, flow, port, source_mac)
            return 1
        if header.error is not None:
            self.process_errors(header, ip, False)
        if header.request is not None:
            self.process_request(packet, header, source_mac, False, port)
            return 1
        path = header.source_route
        transmitter = ip.source if path is None else transmitter_of(path, ip.source)
        if self.is_own(transmitter):
            return 1
        next_hop = self.is_own(next_hop_of(packet))
        self.learn_address(transmitter, source_mac, port)
        self.learn_from(header, ip, transmitter, next_hop)
        if header.acknowledgement is not None:
            self.process_acknowledgement(header.acknowledgement, ip)
        if not next_hop:
            self.drop(packet, "misrouted")
            return 1
        if header.ack_request is not None:
            self.acknowledge(header, ip, transmitter)
        if len(self.pending_replies) > 0 and self.begins_data(header):
            self.suppress_replies(
                ip.source, ip.destination, path.route.count + 1 if path is not None else 1
            )
        if path is not None and path.segments_left > 0:
            self.forward(packet, header, port, flow)
        else:
            if flow is not None and path is not None:
                self.note_flow(flow, header, ip, transmitter, 0)
            self.deliver_here(packet, header, port)
        return 1

    cdef bint begins_data(self, DsrHeader header) noexcept:
        """Data on a route of its source's, which tells how long that is (8.2.5)."""
        return header.next_header != NO_NEXT_HEADER and (
            header.source_route is None or header.source_route.salvage == 0
        )

    cdef int forward(
        self, Packet packet, DsrHeader header, Port port, FlowStateHeader flow,
    ) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef SourceRoute path = header.source_route.advanced()
        cdef uint32_t next_hop = ip.destination
        cdef bint data = header.next_header != NO_NEXT_HEADER
        if self.many:
            while path.segments_left > 0:
                next_hop = path.route.hop[path.route.count - path.segments_left]
                if not self.is_own(next_hop) or next_hop == port.address:
                    break
                # 8.4: on by another interface, as if it had come in there.
                port = self.port_at(next_hop)
                path = path.advanced()
            next_hop = ip.destination
            if path.segments_left == 0 and self.is_own(next_hop):
                header = header.replaced(header.source_route, path)
                return self.deliver_here(with_header(packet, header, ip.ttl), header, port)
            if not port.interface.up:
                return self.interface_gone(packet, header, path, port)
        if path.segments_left > 0:
            next_hop = path.route.hop[path.route.count - path.segments_left]
        if is_multicast_ipv4(next_hop) or is_multicast_ipv4(ip.destination) or (
            self.is_own(next_hop)
        ):
            return self.drop(packet, "misrouted")
        if self.many:
            self.neighbour_ports[next_hop] = port
        if ip.ttl <= 1:
            self.drop(packet, "TTL expired")
            if data and self.stack.icmp is not None:
                # About the packet as its source's transport made it.
                self.stack.icmp.report(
                    ICMP_TIME_EXCEEDED, EXCEEDED_TTL, 0, packet.inner.inner,
                    ip.with_protocol(header.next_header, packet.inner.inner.size),
                )
            return 0
        if header.ack_request is not None:
            # It was for this hop.
            header = header.replaced(header.ack_request, None)
        packet = with_header(packet, header.replaced(header.source_route, path), ip.ttl - 1)
        if flow is not None:
            self.note_flow(
                flow, header, ip, transmitter_of(header.source_route, ip.source), next_hop
            )
            packet = with_flow(packet, min(flow.hop_count + 1, MAX_HOP_COUNT), flow.flow)
        if data:
            self.forwarded_count += 1
        if self.forward_trace.active:
            self.forward_trace.emit2(packet, next_hop)
        return self.transmit(packet, next_hop, not data)

    cdef int interface_gone(
        self, Packet packet, DsrHeader header, SourceRoute path, Port port,
    ) except -1:
        """A source route leads over an interface that is down (8.4): its source is told."""
        cdef uint32_t error_to = (<Ipv4Header>packet.header).source
        if path.salvage > 0:
            error_to = path.route.hop[0]
        self.drop(packet, "interface down")
        if self.is_own(error_to):
            return 0
        # The link inside this node, which ends with the interface.
        return self.send_error(
            unreachable_error(
                path.route.hop[path.route.count - header.source_route.segments_left], error_to,
                port.address, path.salvage,
            ),
            (), path, path.route.count - path.segments_left - 1,
        )

    cdef int deliver_here(self, Packet packet, DsrHeader header, Port port) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef Packet segment = packet.inner.inner
        if header.reply is not None:
            for option in header.options:
                if option is header.reply:
                    self.process_reply(header.reply, ip)
        if header.next_header == NO_NEXT_HEADER:
            return 0
        self.delivered_count += 1
        return self.stack.deliver(
            segment, ip.with_protocol(header.next_header, segment.size), port.interface
        )

    cdef int overhear(self, Packet packet, uint64_t source_mac, Port port) except -1:
        """A frame for another node (3.3.1, 3.4.3, 8.2.5, 8.3.2, 8.3.5)."""
        cdef Ipv4Header ip
        cdef DsrHeader header
        cdef FlowStateHeader flow
        cdef SourceRoute path
        cdef uint32_t transmitter
        cdef Maintained entry
        if type(packet.header) is not Ipv4Header:
            try:
                packet = ipv4_packet(packet)
            except PacketError:
                return 0
        ip = <Ipv4Header>packet.header
        if ip.protocol != PROTOCOL_DSR:
            if self.flow_table is not None:
                return self.overhear_default(ip, source_mac, port)
            if len(self.pending_replies) > 0:
                self.suppress_replies(ip.source, ip.destination, 1)
            return self.hear_plain(ip, source_mac, port)
        if type(packet.inner.header) is not DsrHeader:
            try:
                packet = parsed(packet)
            except PacketError:
                return 0
            if type(packet.inner.header) is not DsrHeader:
                if self.flow_table is None:
                    return 0
                flow = <FlowStateHeader>packet.inner.header
                packet = without_flow(packet)
                ip = <Ipv4Header>packet.header
                self.overhear_flow(ip, flow)
                if ip.protocol != PROTOCOL_DSR:
                    return 0
        header = <DsrHeader>packet.inner.header
        if self.flow_table is not None and self.is_unrouted(header):
            return self.process_errors(header, ip, True) if header.error is not None else 0
        path = header.source_route
        transmitter = ip.source if path is None else transmitter_of(path, ip.source)
        if header.request is not None or transmitter == self.own or (
            self.many and self.is_own(transmitter)
        ):
            return 0
        if header.error is not None:
            self.process_errors(header, ip, True)
        self.learn_address(transmitter, source_mac, port)
        self.learn_from(header, ip, transmitter, False)
        if self.passive_buffer.count > 0:
            entry = self.passive_buffer.match(
                ip.source, ip.destination, ip.protocol, ip.identification, ip.offset,
                -1 if path is None else path.segments_left,
            )
            if entry is not None and entry.next_hop == transmitter:
                self.confirmed(entry)
        if len(self.pending_replies) > 0 and self.begins_data(header):
            self.suppress_replies(
                ip.source, ip.destination, path.route.count + 1 if path is not None else 1
            )
        if path is not None and path.segments_left > 0 and (
            header.next_header != NO_NEXT_HEADER
        ):
            return self.shorten(packet, header, transmitter, port)
        return 0

    cdef int hear_plain(self, Ipv4Header ip, uint64_t source_mac, Port port) except -1:
        cdef uint32_t[2] chain
        cdef uint32_t mask = port.interface.mask
        cdef FlowEntry entry
        if self.flow_table is not None:
            # It may have come a long way, on a default flow.
            entry = self.default_flow(ip) if self.is_own(ip.destination) else None
            if entry is not None:
                return self.shorten_flow(ip, entry, entry.hop_count, port)
            return 0
        if self.departs.no_learning or self.is_own(ip.source) or (
            (ip.source ^ port.address) & mask or (ip.destination ^ port.address) & mask
        ):
            return 0
        # 8.1.1: without a header, source and destination are neighbours.
        self.learn_address(ip.source, source_mac, port)
        chain[0] = ip.source
        chain[1] = ip.destination
        if self.is_own(ip.destination):
            chain[1] = self.own
        if self.cache.learn(
            chain, 2, 1 if chain[1] == self.own else 0, self.sim.now_ns
        ) and self.send_buffer.count > 0:
            return self.check_send_buffer()
        return 0

    cdef int shorten(
        self, Packet packet, DsrHeader header, uint32_t transmitter, Port port,
    ) except -1:
        """Automatic route shortening (3.4.3): this node comes later in the route than next."""
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef SourceRoute path = header.source_route
        cdef Route route = path.route
        cdef int visited = route.count - path.segments_left
        cdef int place = -1
        cdef int i
        cdef Route shorter, back
        cdef Packet reply
        if path.salvage > 0:
            # How the packet came to the salvaging node is not in it.
            return 0
        if ip.destination == port.address:
            place = route.count
        else:
            for i in range(visited + 1, route.count):
                if route.hop[i] == port.address:
                    place = i
                    break
        if place < 0:
            return 0
        if not self.gratuitous_replies.admit(ip.source, transmitter, self.sim.now_ns):
            return 0
        # Up to the node that was heard, then from this one to the end.
        shorter = empty_route(visited + route.count + 1 - place)
        memcpy(shorter.hop, route.hop, visited * sizeof(uint32_t))
        memcpy(shorter.hop + visited, route.hop + place, (route.count - place) * sizeof(uint32_t))
        shorter.hop[shorter.count - 1] = ip.destination
        back = empty_route(visited)
        for i in range(visited):
            back.hop[i] = route.hop[visited - 1 - i]
        reply = self.build_reply(shorter, back, ip.source, port)
        self.gratuitous_count += 1
        if self.reply_trace.active:
            self.reply_trace.emit2(reply, "gratuitous")
        return self.transmit(reply, back.hop[0] if visited else ip.source, True)

    # For scripts

    @property
    def routing_tx_count(self):
        """Transmissions of requests, replies, errors and acknowledgements, each hop counted."""
        return (
            self.request_tx_count + self.reply_tx_count + self.error_tx_count + self.ack_tx_count
        )

    def route_to(self, destination):
        """Nodes between this one and a destination on the best known route, as a Route, or None."""
        return self.cache.lookup(destination, self.sim.now_ns)

    def __repr__(self):
        return f"<Dsr of node {self.node.id}>"

    # Hook for tests: a frame that no device of the test network could carry.

    def _receive(self, Packet packet not None, uint64_t source_mac):
        return self.receive(
            packet, <Ipv4Header>packet.header, self.interface, source_mac, TO_HOST
        )

    def _forget_flow(self, FlowEntry entry not None):
        self.flow_table.remove(entry)
        self.default_flows.remove(entry.source, entry.destination)

    def _drop_flow_state(self):
        self.flow_table = None
