"""The flow state extension (RFC 4728 3.5, 5, 7, 8.6).

The first packets of a flow carry a source route and set up a Flow Table entry at each node; those
that follow carry a Flow State header of four octets, or nothing at all on the default flow.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from simcore.models.dsr.flow_maintenance cimport FlowMaintenance, options_without, with_flow
from simcore.models.dsr.flow_table cimport FlowEntry
from simcore.models.dsr.header cimport (
    MAX_HOP_COUNT, NO_NEXT_HEADER, DsrHeader, FlowStateHeader, dsr_header, flow_header,
)
from simcore.models.dsr.maintenance cimport RouteMaintenance
from simcore.models.dsr.maintenance_buffer cimport Maintained
from simcore.models.dsr.options cimport (
    ACK_REQUEST, DEFAULT_FLOW_UNKNOWN, DESTINATION_FLOW, SOURCE_ROUTE, TIMEOUT, UNKNOWN_FLOW,
    DestinationFlow, DsrOption, Timeout, flow_information, other_error, source_route,
    timeout_option,
)
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.route cimport Route, empty_route
from simcore.models.dsr.send_buffer cimport Outgoing
from simcore.models.dsr.shortening_table cimport packet_identity
from simcore.models.internet.icmp_header cimport EXCEEDED_TTL, ICMP_TIME_EXCEEDED
from simcore.models.internet.ipv4 cimport Interface
from simcore.models.internet.ipv4_header cimport PROTOCOL_DSR, Ipv4Header
from simcore.models.network.address cimport is_multicast_ipv4
from simcore.models.network.packet cimport Packet

cdef enum:
    # 3.5.1: IDs further apart than this cannot be compared modulo 2**16.
    MAX_FLOW_SPREAD = 0x7FFF

cdef int64_t SECOND = 1_000_000_000


cdef class FlowRouting(FlowMaintenance):
    """`FlowMaintenance` with flows, when ``DsrParameters.flow_state`` is set."""

    # At the source (8.6.1)

    cdef int send_along(self, Outgoing packet, Route route) except -1:
        if self.flow_table is not None and route.count > 0 and len(packet.options) == 0 and (
            packet.salvage == 0 and packet.protocol != NO_NEXT_HEADER
        ):
            if self.send_on_flow(packet, route):
                return 0
        return RouteMaintenance.send_along(self, packet, route)

    cdef bint send_on_flow(self, Outgoing packet, Route route) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef uint32_t next_hop = route.hop[0]
        cdef Port port = self.port_for(next_hop)
        cdef FlowEntry entry
        cdef Packet whole
        cdef bint establishing
        cdef int64_t left
        if port.address != packet.source:
            return False
        entry = self.flow_table.find_route(packet.source, packet.destination, route, now)
        if entry is None:
            entry = self.new_flow(packet, route)
            if entry is None:
                return False
        left = (entry.expiry - now) // SECOND
        establishing = entry.established < self.establishment
        if establishing and left == 0:
            return False
        whole = packet.segment
        if establishing:
            whole = whole.push_c(
                dsr_header(
                    packet.protocol,
                    (timeout_option(<uint16_t>left), source_route(route, route.count, 0)),
                )
            )
        whole = self.stack.make_packet(
            whole, packet.source, packet.destination,
            <uint8_t>PROTOCOL_DSR if establishing else packet.protocol, packet.ttl, packet.tos,
        )
        if establishing and packet.ttl != entry.ttl:
            # 8.6.1: its packets must be told from each other by their TTL.
            entry.may_be_default = False
        if establishing or not entry.may_be_default or packet.ttl != entry.ttl or (
            self.default_flows.current(packet.source, packet.destination, now) != entry.flow
        ):
            whole = with_flow(whole, 0, entry.flow)
            if whole.size > self.mtu(port):
                # Pieces go inside packets of another source, which no flow has.
                return False
        if establishing:
            entry.established += 1
        else:
            self.flow_tx_count += 1
        entry.last_used = now
        self.cache.use(route, packet.destination, now)
        self.transmit(whole, next_hop, False)
        return True

    cdef FlowEntry new_flow(self, Outgoing packet, Route route):
        """A flow that may become the default one: its ID is odd (3.5.1). None when there is none.
        """
        cdef int64_t now = self.sim.now_ns
        cdef FlowEntry first = self.flow_table.first(packet.source, packet.destination, now)
        cdef FlowEntry entry
        cdef uint16_t flow
        cdef int i
        if packet.destination in self.unsupporting:
            return None
        for i in range(route.count):
            if route.hop[i] in self.unsupporting:
                return None
        key = (packet.source, packet.destination)
        flow = <uint16_t>(<int>self.next_flow.get(key, -1) + 2)
        if first is not None and <uint16_t>(flow - first.flow) >= MAX_FLOW_SPREAD:
            # 3.5.10: new ones come faster than old ones expire.
            return None
        self.next_flow[key] = flow
        entry = FlowEntry.__new__(FlowEntry)
        entry.source = packet.source
        entry.destination = packet.destination
        entry.flow = flow
        entry.next_hop = route.hop[0]
        entry.expiry = now + self.flow_timeout
        entry.ttl = packet.ttl
        entry.may_be_default = True
        entry.route = route
        self.flow_count += 1
        self.enter_flow(entry)
        return entry

    cdef int enter_flow(self, FlowEntry entry) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef uint64_t evicted
        entry.last_used = now
        self.flow_table.add(entry, now)
        evicted = self.default_flows.note(
            entry.source, entry.destination, entry.flow, entry.expiry, now
        )
        if evicted:
            # 5.3.
            self.flow_table.remove_pair(evicted)
        return 0

    # On the way (8.6.3)

    cdef int note_flow(
        self, FlowStateHeader flow, DsrHeader header, Ipv4Header ip, uint32_t transmitter,
        uint32_t next_hop,
    ) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef FlowEntry entry
        cdef Timeout timeout = None
        for option in header.options:
            if (<DsrOption>option).type == SOURCE_ROUTE:
                break
            if isinstance(option, Timeout):
                timeout = <Timeout>option
        if timeout is None or timeout.seconds == 0 or header.source_route.salvage > 0:
            return 0
        entry = self.flow_table.find(ip.source, ip.destination, flow.flow, now)
        if entry is not None and entry.route.equals(header.source_route.route):
            # The whole seconds of a repeated packet must not end it before its source does.
            entry.expiry = max(entry.expiry, now + timeout.seconds * SECOND)
            entry.next_hop = next_hop
            entry.previous_hop = transmitter
            return self.enter_flow(entry)
        entry = FlowEntry.__new__(FlowEntry)
        entry.source = ip.source
        entry.destination = ip.destination
        entry.flow = flow.flow
        entry.next_hop = next_hop
        entry.previous_hop = transmitter
        entry.expiry = now + timeout.seconds * SECOND
        entry.hop_count = flow.hop_count
        entry.ttl = ip.ttl
        entry.route = header.source_route.route
        return self.enter_flow(entry)

    cdef int receive_flow(
        self, Packet packet, DsrHeader header, FlowStateHeader flow, Port port,
        uint64_t source_mac,
    ) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef Packet segment = packet.inner
        cdef uint8_t protocol = ip.protocol
        cdef uint32_t previous = port.arp.address_of(source_mac) if port.arp is not None else 0
        cdef FlowEntry entry
        if header is not None:
            segment = segment.inner
            protocol = header.next_header
            if header.ack_request is not None and header.ack_request.previous_hop:
                previous = header.ack_request.previous_hop
            if self.pass_error_back(packet, header):
                return 0
            if header.error is not None:
                self.process_errors(header, ip, False)
            if header.acknowledgement is not None:
                self.process_acknowledgement(header.acknowledgement, ip)
            if header.ack_request is not None and previous:
                self.acknowledge(header, ip, previous)
            for option in header.options:
                if (<DsrOption>option).type == DESTINATION_FLOW and flow is not None and (
                    self.is_own(ip.destination)
                ):
                    # 7.2.2: on from here along another flow.
                    ip = ip.copy()
                    ip.destination = (<DestinationFlow>option).destination
                    flow = flow_header(
                        flow.next_header, flow.hop_count, (<DestinationFlow>option).flow
                    )
                    header = header.replaced(option, None)
            # What is left goes on with the packet; a request was for this hop.
            options = options_without(header, ACK_REQUEST, TIMEOUT)
            header = dsr_header(protocol, options) if len(options) > 0 else None
        if self.is_own(ip.destination):
            if protocol == NO_NEXT_HEADER:
                return 0
            entry = self.default_flow(ip) if flow is None else self.flow_table.find(
                ip.source, ip.destination, flow.flow, self.sim.now_ns
            )
            if entry is not None:
                self.shorten_flow(
                    ip, entry, entry.hop_count if flow is None else flow.hop_count, port
                )
            self.delivered_count += 1
            return self.stack.deliver(
                segment, ip.with_protocol(protocol, segment.size), port.interface
            )
        return self.forward_flow(segment, protocol, header, ip, flow, port, previous)

    cdef int pass_on_plain(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
    ) except -1:
        cdef Port port
        if self.flow_table is None or is_multicast_ipv4(header.destination) or (
            (header.destination ^ interface.primary) & interface.mask
            or (header.source ^ interface.primary) & interface.mask
            or self.is_own(header.source)
        ):
            return 0
        port = self.port_of(interface.device)
        if port is None:
            return 0
        self.receive_flow(packet, None, None, port, source_mac)
        return 1

    cdef int forward_flow(
        self, Packet segment, uint8_t protocol, DsrHeader header, Ipv4Header ip,
        FlowStateHeader flow, Port port, uint32_t previous,
    ) except -1:
        cdef FlowEntry entry
        cdef Packet packet
        cdef int hop_count = 0
        if is_multicast_ipv4(ip.destination) or protocol == NO_NEXT_HEADER:
            return self.drop(segment.push_c(ip), "misrouted")
        if ip.ttl <= 1:
            self.drop(segment.push_c(ip), "TTL expired")
            if self.stack.icmp is not None:
                self.stack.icmp.report(
                    ICMP_TIME_EXCEEDED, EXCEEDED_TTL, 0, segment,
                    ip.with_protocol(protocol, segment.size),
                )
            return 0
        if flow is None:
            entry = self.default_flow(ip)
        else:
            entry = self.flow_table.find(
                ip.source, ip.destination, flow.flow, self.sim.now_ns
            )
            hop_count = flow.hop_count
        if entry is None or entry.next_hop == 0:
            return self.unknown_flow(
                segment, protocol, ip, -1 if flow is None else flow.flow, port, previous
            )
        if flow is None:
            hop_count = entry.hop_count
            if ip.ttl < entry.ttl:
                # 3.5.7: it may have gone round; the Hop Count shows it from here on.
                self.send_flow_error(
                    other_error(
                        DEFAULT_FLOW_UNKNOWN, port.address, ip.source, 0,
                        flow_information(ip.destination, 0)[:4],
                    ),
                    port, previous,
                )
        if hop_count >= MAX_HOP_COUNT:
            return self.drop(segment.push_c(ip), "flow too long")
        self.shorten_flow(ip, entry, hop_count, port)
        packet = segment
        if header is not None:
            packet = packet.push_c(header)
            protocol = PROTOCOL_DSR
        ip = ip.with_protocol(protocol, packet.size)
        if flow is not None or ip.ttl != entry.ttl:
            ip.ttl -= 1
            packet = with_flow(packet.push_c(ip), <uint8_t>(hop_count + 1), entry.flow)
        else:
            ip.ttl -= 1
            packet = packet.push_c(ip)
        entry.last_used = self.sim.now_ns
        self.forwarded_count += 1
        if self.forward_trace.active:
            self.forward_trace.emit2(packet, entry.next_hop)
        return self.transmit(packet, entry.next_hop, False)

    cdef int unknown_flow(
        self, Packet segment, uint8_t protocol, Ipv4Header ip, int flow, Port port,
        uint32_t previous,
    ) except -1:
        cdef bytes information = flow_information(ip.destination, <uint16_t>max(flow, 0))
        if not self.is_own(ip.source) and self.stack.is_unicast(ip.source):
            if flow < 0:
                error = other_error(
                    DEFAULT_FLOW_UNKNOWN, port.address, ip.source, 0, information[:4]
                )
            else:
                error = other_error(UNKNOWN_FLOW, port.address, ip.source, 0, information)
            self.send_flow_error(error, port, previous)
        # 8.6.7: salvaged without the Flow State header.
        return self.salvage(segment.push_c(ip.with_protocol(protocol, segment.size)), None)

    # Shortening (3.5.6, 8.6.5)

    cdef int overhear_flow(self, Ipv4Header ip, FlowStateHeader flow) except -1:
        cdef FlowEntry entry = self.flow_table.find(
            ip.source, ip.destination, flow.flow, self.sim.now_ns
        )
        if entry is not None and flow.hop_count < entry.hop_count:
            self.shortening_table.note(
                ip.source, ip.destination, flow.flow, packet_identity(ip), flow.hop_count
            )
        return 0

    cdef int overhear_default(self, Ipv4Header ip, uint64_t source_mac, Port port) except -1:
        cdef FlowEntry entry = self.default_flow(ip)
        cdef Maintained waiting
        cdef int ahead
        if entry is not None and ip.ttl > entry.ttl:
            ahead = ip.ttl - entry.ttl
            if ahead <= entry.hop_count:
                self.shortening_table.note(
                    ip.source, ip.destination, entry.flow, packet_identity(ip),
                    entry.hop_count - ahead,
                )
        if self.passive_buffer.count > 0 and port.arp is not None:
            waiting = self.passive_buffer.match(
                ip.source, ip.destination, ip.protocol, ip.identification, ip.offset, -1
            )
            if waiting is not None and waiting.next_hop == port.arp.address_of(source_mac):
                self.confirmed(waiting)
        return 0

    cdef int shorten_flow(
        self, Ipv4Header ip, FlowEntry entry, int hop_count, Port port,
    ) except -1:
        """A packet has come that may have been overheard before: its source is told (8.6.3)."""
        cdef int heard = self.shortening_table.take(
            ip.source, ip.destination, entry.flow, packet_identity(ip)
        )
        cdef Route route = entry.route
        cdef Route shorter, back
        cdef Packet reply
        cdef int here, before, after, i
        if heard < 0 or heard >= hop_count:
            return 0
        here = route.find(port.address)
        if here < 0:
            if ip.destination != port.address:
                return 0
            here = route.count
        if here != entry.hop_count:
            # Nodes on the way have two addresses each (8.4): hops do not count addresses.
            return 0
        # Nodes before this one that stay; those in between were skipped.
        before = here - (hop_count - heard)
        after = route.count - here
        if before < 0 or not self.gratuitous_replies.admit(
            ip.source, route.hop[before - 1] if before > 0 else ip.source, self.sim.now_ns
        ):
            return 0
        shorter = empty_route(before + after + 1)
        memcpy(shorter.hop, route.hop, before * sizeof(uint32_t))
        memcpy(shorter.hop + before, route.hop + here, after * sizeof(uint32_t))
        shorter.hop[shorter.count - 1] = ip.destination
        back = empty_route(before)
        for i in range(before):
            back.hop[i] = route.hop[before - 1 - i]
        reply = self.build_reply(shorter, back, ip.source, port)
        self.gratuitous_count += 1
        if self.reply_trace.active:
            self.reply_trace.emit2(reply, "gratuitous")
        return self.transmit(reply, back.hop[0] if before else ip.source, True)
