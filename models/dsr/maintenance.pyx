"""Route maintenance (RFC 4728 8.3)."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from simcore.models.dsr.agent cimport DsrAgent, dsr_header_of, outgoing, with_header
from simcore.models.dsr.discovery cimport RouteDiscovery
from simcore.models.dsr.header cimport (
    DSR_FIXED_LENGTH, NO_NEXT_HEADER, DsrHeader, dsr_header,
)
from simcore.models.dsr.maintenance_buffer cimport (
    ACK_LINK, ACK_NETWORK, ACK_PASSIVE, Maintained,
)
from simcore.models.dsr.network_queue cimport QueuedPacket
from simcore.models.dsr.options cimport (
    ACK_REQUEST_LENGTH, DEFAULT_FLOW_UNKNOWN, NODE_UNREACHABLE, ROUTE_ERROR, UNKNOWN_FLOW,
    Acknowledgement, DsrOption, RouteError, SourceRoute, ack_request, acknowledgement,
    source_route, unreachable_error,
)
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.route cimport MAX_ROUTE_HOPS, Route, empty_route
from simcore.models.dsr.send_buffer cimport Outgoing
from simcore.models.internet.ip_in_ip cimport PROTOCOL_IP_IN_IP
from simcore.models.internet.ipv4_header cimport PROTOCOL_DSR, Ipv4Header
from simcore.models.network.packet cimport Packet, make_packet
from simcore.simulator cimport TimerHandler, native_timer

cdef enum:
    # Departure "timer_verdict", ns-3's TryLinkAcks + 1.
    LINK_TIMER_ATTEMPTS = 2
    # Errors that ride on one request at most: the latest.
    MAX_HELD_ERRORS = 4

# Departure "timer_verdict", ns-3's LinkAckTimeout.
cdef int64_t LINK_TIMER = 100_000_000

# The last kinds of round trips weigh 1/8 and 1/4 (RFC 6298 2.3), as RFC 4728 8.3.3 suggests.
cdef enum:
    SMOOTHED_SHIFT = 3
    VARIATION_SHIFT = 2


cdef int maintenance_due(object agent) except -1:
    return (<RouteMaintenance>agent).on_maintenance_timer()


@cython.final
cdef class Neighbour:
    pass


cdef class RouteMaintenance(RouteDiscovery):
    """`RouteDiscovery` with acknowledgements, errors and salvaging."""

    def __init__(self, interface, parameters=None, stream=None, others=()):
        RouteDiscovery.__init__(self, interface, parameters, stream, others)
        self.maintenance_timer = native_timer(self.sim, <TimerHandler>maintenance_due, self)
        self.neighbours = {}

    cdef bint is_maintained(self, Packet packet) noexcept:
        cdef DsrHeader header = dsr_header_of(packet)
        if header is None:
            return True
        if header.acknowledgement is not None:
            # 8.3.3.
            return False
        if self.departs.unmaintained_control and header.next_header == NO_NEXT_HEADER:
            return False
        return not (
            self.departs.salvage_once and header.source_route is not None
            and header.source_route.salvage > 0
        )

    cdef Neighbour neighbour(self, uint32_t address):
        cdef Neighbour found = <Neighbour>self.neighbours.get(address)
        if found is None:
            found = Neighbour.__new__(Neighbour)
            found.confirmed = -1
            self.neighbours[address] = found
        return found

    # Acknowledgements other than the MAC's (8.3.2, 8.3.3)

    cdef int transmit(self, Packet packet, uint32_t next_hop, bint control) except -1:
        if self.method == ACK_LINK and not self.departs.timer_verdict:
            return DsrAgent.transmit(self, packet, next_hop, control)
        if packet.size > self.mtu(self.port_for(next_hop)):
            return self.send_fragments(packet, next_hop, control)
        return self.maintain(packet, next_hop)

    cdef int32_t mtu(self, Port port) noexcept:
        cdef int32_t mtu = port.device.mtu
        if self.method == ACK_LINK:
            return mtu
        return mtu - DSR_FIXED_LENGTH - ACK_REQUEST_LENGTH

    cdef int maintain(self, Packet packet, uint32_t next_hop) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef DsrHeader header = dsr_header_of(packet)
        cdef Maintained entry, other
        cdef int64_t confirmed
        if not self.is_maintained(packet):
            if header is not None:
                self.count(header)
            self.stack.send_to_next_hop(packet, next_hop, self.port_for(next_hop).interface)
            return 0
        entry = Maintained.__new__(Maintained)
        entry.packet = packet
        entry.next_hop = next_hop
        entry.source = ip.source
        entry.destination = ip.destination
        entry.identification = ip.identification
        entry.offset = ip.offset
        entry.protocol = ip.protocol
        entry.segments_left = -1
        if header is not None and header.source_route is not None:
            entry.segments_left = header.source_route.segments_left
        entry.method = self.method
        if self.method == ACK_PASSIVE and next_hop == ip.destination:
            # 8.3.2: the last hop will not be heard passing it on.
            entry.method = ACK_NETWORK
        if self.method != ACK_LINK:
            confirmed = self.neighbour(next_hop).confirmed
            if confirmed >= 0 and (
                self.sim.now_ns - confirmed < <int64_t>self.parameters.maint_holdoff_time
            ):
                if header is not None:
                    self.count(header)
                self.stack.send_to_next_hop(packet, next_hop, self.port_for(next_hop).interface)
                return 0
        elif self.departs.one_per_stream:
            for item in self.maintenance_buffer.entries:
                other = <Maintained>item
                if (
                    other.next_hop == next_hop and other.source == entry.source
                    and other.destination == entry.destination
                    and other.segments_left == entry.segments_left
                ):
                    return self.drop(packet, "stream unconfirmed")
        if not self.maintenance_buffer.add(entry):
            return self.drop(packet, "maintenance buffer full")
        if entry.method == ACK_PASSIVE:
            self.passive_buffer.add(entry)
        self.attempt(entry)
        return self.arm_maintenance()

    cdef int attempt(self, Maintained entry) except -1:
        """Send the packet, once more if need be, and wait for its acknowledgement."""
        cdef Packet packet = entry.packet
        cdef DsrHeader header
        cdef Neighbour neighbour
        cdef int64_t wait
        entry.attempts += 1
        entry.sent = self.sim.now_ns
        if entry.method == ACK_NETWORK:
            entry.ack_id = self.next_ack_id
            self.next_ack_id += 1
            packet = self.asking(packet, entry.ack_id, entry.next_hop)
            neighbour = self.neighbour(entry.next_hop)
            if neighbour.smoothed == 0:
                wait = self.parameters.initial_ack_timeout
            else:
                # RFC 6298 2.3.
                wait = max(
                    neighbour.smoothed + 4 * neighbour.variation,
                    <int64_t>self.parameters.min_ack_timeout,
                )
            # RFC 6298 5.5: twice as long after each miss.
            wait <<= entry.attempts - entry.passive_attempts - 1
        elif entry.method == ACK_PASSIVE:
            entry.passive_attempts += 1
            wait = self.parameters.passive_ack_timeout
        else:
            wait = LINK_TIMER
        entry.deadline = self.sim.now_ns + wait
        header = dsr_header_of(packet)
        if header is not None:
            self.count(header)
        if self.tx_trace.active:
            self.tx_trace.emit2(packet, entry.next_hop)
        if self.departs.timer_verdict:
            # So that the MAC's verdict on this transmission is recognised.
            entry.packet = packet
        self.stack.send_to_next_hop(
            packet, entry.next_hop, self.port_for(entry.next_hop).interface
        )
        return 0

    cdef Packet asking(self, Packet packet, uint16_t identification, uint32_t next_hop):
        """The packet with an Acknowledgement Request."""
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef DsrHeader header = dsr_header_of(packet)
        cdef Packet body
        option = ack_request(identification, 0)
        if header is None:
            body = packet.inner.push_c(dsr_header(ip.protocol, (option,)))
            return body.push_c(ip.with_protocol(PROTOCOL_DSR, body.size))
        return with_header(
            packet,
            dsr_header(header.next_header, header.replaced(None, None).options + (option,)),
            ip.ttl,
        )

    cdef int arm_maintenance(self) except -1:
        cdef int64_t deadline = self.maintenance_buffer.next_deadline()
        if deadline < 0:
            self.maintenance_timer.disarm()
        elif self.maintenance_timer.slot < 0 or self.maintenance_timer.time_ns != deadline:
            self.maintenance_timer.arm(max(deadline - self.sim.now_ns, 0))
        return 0

    cdef int on_maintenance_timer(self) except -1:
        cdef Maintained entry
        while True:
            entry = self.maintenance_buffer.overdue(self.sim.now_ns)
            if entry is None:
                return self.arm_maintenance()
            if entry.method == ACK_LINK:
                if entry.attempts < LINK_TIMER_ATTEMPTS:
                    self.attempt(entry)
                else:
                    self.maintenance_buffer.remove(entry)
                    self.broken(entry.next_hop, [entry.packet])
                continue
            if entry.method == ACK_PASSIVE:
                if entry.passive_attempts > self.parameters.try_passive_acks:
                    self.passive_buffer.remove(entry)
                    entry.method = ACK_NETWORK
                self.attempt(entry)
            elif entry.attempts - entry.passive_attempts <= self.parameters.max_maint_rexmt:
                self.attempt(entry)
            else:
                self.link_failed(entry.next_hop, None)

    cdef int confirmed(self, Maintained entry) except -1:
        """The next hop has it: all that waits for the same one is confirmed (8.3.1 to 8.3.3)."""
        cdef Neighbour neighbour = self.neighbour(entry.next_hop)
        cdef int64_t sample
        if entry.method == ACK_NETWORK and entry.attempts == entry.passive_attempts + 1:
            # Only unambiguous samples (Karn, RFC 6298 3).
            sample = self.sim.now_ns - entry.sent
            if neighbour.smoothed == 0:
                neighbour.smoothed = max(sample, 1)
                neighbour.variation = sample >> 1
            else:
                neighbour.variation += (
                    abs(sample - neighbour.smoothed) - neighbour.variation
                ) >> VARIATION_SHIFT
                neighbour.smoothed += (sample - neighbour.smoothed) >> SMOOTHED_SHIFT
        neighbour.confirmed = self.sim.now_ns
        self.blacklist.remove(entry.next_hop)
        for other in self.maintenance_buffer.take(entry.next_hop):
            self.passive_buffer.remove(<Maintained>other)
        return self.arm_maintenance()

    cdef int acknowledge(self, DsrHeader header, Ipv4Header ip, uint32_t transmitter) except -1:
        """Answer an Acknowledgement Request (8.3.3); this node is the next hop."""
        cdef Packet packet
        cdef Port port = self.port_for(transmitter)
        if header.acknowledgement is not None and not self.is_own(ip.destination):
            return 0
        packet = make_packet(self.sim, 0, None, None).push_c(
            dsr_header(
                NO_NEXT_HEADER,
                (acknowledgement(header.ack_request.identification, port.address, transmitter),),
            )
        )
        packet = self.stack.make_packet(
            packet, port.address, transmitter, PROTOCOL_DSR, <uint8_t>self.stack.default_ttl, 0
        )
        self.count(<DsrHeader>packet.inner.header)
        if self.tx_trace.active:
            self.tx_trace.emit2(packet, transmitter)
        self.stack.send_to_next_hop(packet, transmitter, port.interface)
        return 0

    cdef int process_acknowledgement(self, Acknowledgement ack, Ipv4Header ip) except -1:
        cdef Maintained entry
        if not self.is_own(ack.destination):
            return 0
        entry = self.maintenance_buffer.find_ack(ack.source, ack.identification)
        if entry is not None:
            self.confirmed(entry)
        return 0

    # Broken links (8.3.4, 8.3.6, 3.4.2)

    cdef int link_failed(self, uint32_t next_hop, Packet packet) except -1:
        """Treat all packets that were to go by the broken link."""
        cdef list packets = [] if packet is None else [packet]
        for entry in self.port_for(next_hop).queue.take_for(next_hop):
            packets.append((<QueuedPacket>entry).packet)
        if self.method != ACK_LINK:
            for entry in self.maintenance_buffer.take(next_hop):
                self.passive_buffer.remove(<Maintained>entry)
                packets.append((<Maintained>entry).packet)
        return self.broken(next_hop, packets)

    cdef int broken(self, uint32_t next_hop, list packets) except -1:
        cdef list told = []            # at most one error for each sender: 3.4.2
        cdef Packet packet
        cdef DsrHeader header
        cdef SourceRoute path
        cdef uint32_t error_to
        self.link_break_count += 1
        if self.break_trace.active:
            self.break_trace.emit1(next_hop)
        self.cache.break_link(self.own, next_hop, self.sim.now_ns)
        for item in packets:
            packet = self.source_routed(<Packet>item)
            header = dsr_header_of(packet)
            if not self.is_maintained(packet):
                self.drop(packet, "lost without maintenance")
                continue
            path = header.source_route if header is not None else None
            if header is not None and header.reply is not None and not self.departs.no_blacklist:
                # 8.2.6: the request came by this link, the reply does not go back by it.
                self.blacklist.add(next_hop, self.sim.now_ns)
            error_to = (<Ipv4Header>packet.header).source
            if path is None and self.is_flow_error(header) and not self.is_own(error_to):
                # 8.6.3: interfaces that need links to work both ways.
                self.drop(packet, "error undeliverable")
                continue
            if path is not None and path.salvage > 0:
                error_to = path.route.hop[0]
            if self.is_own(error_to):
                # What this node salvaged itself has no one else to tell.
                # Its own fragments are no exception (8.5).
                if path is None or path.salvage == 0 or (
                    header.next_header == PROTOCOL_IP_IN_IP
                    and self.is_own((<Ipv4Header>packet.header).source)
                ):
                    self.take_back(packet, header)
                    continue
            elif header is None:
                # Of a flow that has been forgotten meanwhile: the way back is not known.
                pass
            elif error_to not in told and not self.saves_error(packet, header):
                told.append(error_to)
                self.originate_error(packet, header, error_to, next_hop)
            self.salvage(packet, header)
        return 0

    cdef Packet source_routed(self, Packet packet):
        """The packet as it would be without the flow state extension."""
        return packet

    cdef bint saves_error(self, Packet packet, DsrHeader header) except -1:
        """Whether a packet that only carries errors will be salvaged.

        To answer it with an error that carries the same errors back as well (8.3.4) would double
        them at each break.
        """
        if header is None or header.error is None or header.next_header != NO_NEXT_HEADER:
            return False
        if header.source_route is not None and (
            header.source_route.salvage >= self.max_salvage_count
        ):
            return False
        return self.cache.find(
            (<Ipv4Header>packet.header).destination, self.sim.now_ns
        ) is not None

    cdef int originate_error(
        self, Packet packet, DsrHeader header, uint32_t error_to, uint32_t unreachable,
    ) except -1:
        cdef SourceRoute path = header.source_route if header is not None else None
        cdef int salvage = path.salvage if path is not None else 0
        cdef int total = salvage + 1
        cdef list following = []
        if header is not None:
            for option in header.options:
                if isinstance(option, RouteError):
                    total += 1 + (<RouteError>option).salvage
                    if total > self.max_salvage_count:
                        break
                    following.append(option)
                elif isinstance(option, Acknowledgement):
                    following.append(option)
        return self.send_error(
            unreachable_error(
                self.port_for(unreachable).address, error_to, unreachable, <uint8_t>salvage
            ),
            tuple(following), path,
            path.route.count - path.segments_left - 1 if path is not None else 0,
        )

    cdef int send_error(
        self, RouteError error, tuple following, SourceRoute path, int before,
    ) except -1:
        """Send an error about a packet: by a cached route, or back the way the packet came.

        `path` is its source route or None, of which `before` nodes come before this one.
        """
        cdef Outgoing notice = outgoing(
            make_packet(self.sim, 0, None, None), self.own, error.destination, NO_NEXT_HEADER,
            <uint8_t>self.stack.default_ttl, 0, (error, *following),
        )
        cdef Route route = self.cache.find(error.destination, self.sim.now_ns)
        cdef int first, i
        self.error_count += 1
        if route is None and self.departs.error_discovery:
            return self.wait_for_route(notice, self.sim.now_ns + self.send_buffer_timeout)
        if route is None:
            # Nodes before this one; in a salvaged packet the first is the destination itself.
            first = 1 if path is not None and path.salvage > 0 else 0
            if self.many:
                # The address that it came to stands before the one that it was to leave by.
                while before > first and self.is_own(path.route.hop[before - 1]):
                    before -= 1
            route = empty_route(max(before - first, 0))
            for i in range(route.count):
                route.hop[i] = path.route.hop[before - 1 - i]
        return self.send_along(notice, route)

    cdef int take_back(self, Packet packet, DsrHeader header) except -1:
        """A packet of this node's own did not leave: another route, or wait for one."""
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef Packet segment = packet.inner
        cdef uint8_t protocol = ip.protocol
        cdef list options = []
        cdef Route route
        cdef Outgoing again
        cdef int64_t deadline
        if header is not None:
            segment = segment.inner
            protocol = header.next_header
            for option in header.options:
                if isinstance(option, (RouteError, Acknowledgement)):
                    options.append(option)
            if protocol == NO_NEXT_HEADER and len(options) == 0:
                # 8.3.6: a reply must not go another way.
                return self.drop(packet, "reply undeliverable")
        elif ip.offset or ip.more_fragments:
            # A fragment stays one: it goes inside another packet.
            segment = packet
            protocol = PROTOCOL_IP_IN_IP
        again = outgoing(
            segment, ip.source, ip.destination, protocol, ip.ttl, ip.tos, tuple(options)
        )
        route = self.cache.find(ip.destination, self.sim.now_ns)
        if route is not None:
            return self.send_along(again, route)
        if protocol == NO_NEXT_HEADER and not self.is_flow_error(header):
            return self.drop(packet, "error undeliverable")
        if self.departs.no_return:
            return self.drop(packet, "no other route")
        # 4.2: the time in the buffer counts from when it was first put there.
        deadline = segment.created + self.send_buffer_timeout
        if deadline <= self.sim.now_ns:
            return self.drop(segment, "no route found")
        return self.wait_for_route(again, deadline)

    cdef int salvage(self, Packet packet, DsrHeader header) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef SourceRoute path = header.source_route if header is not None else None
        cdef Route route, hops
        cdef SourceRoute again
        cdef Packet whole
        if header is None:
            header = dsr_header(ip.protocol, ())
            packet = packet.inner.push_c(header).push_c(ip)
        if header.reply is not None:
            # 8.3.6: a reply tests the way that it goes.
            header = header.replaced(header.reply, None)
            if header.next_header == NO_NEXT_HEADER and (
                header.error is None and header.acknowledgement is None
            ):
                return self.drop(packet, "reply undeliverable")
        if path is not None and path.salvage >= self.max_salvage_count:
            return self.drop(packet, "salvaged too often")
        route = self.cache.find(ip.destination, self.sim.now_ns)
        if route is None:
            return self.drop(packet, "no other route")
        if route.count + 1 > MAX_ROUTE_HOPS:
            return self.drop(packet, "route too long")
        hops = empty_route(route.count + 1)
        hops.hop[0] = self.port_for(route.hop[0] if route.count else ip.destination).address
        memcpy(hops.hop + 1, route.hop, route.count * sizeof(uint32_t))
        again = source_route(hops, route.count, path.salvage + 1 if path is not None else 1)
        if path is None:
            header = dsr_header(header.next_header, header.options + (again,))
        else:
            header = header.replaced(path, again)
        whole = with_header(packet, header, ip.ttl)
        self.cache.use(route, ip.destination, self.sim.now_ns)
        self.salvaged_count += 1
        if self.salvage_trace.active:
            self.salvage_trace.emit2(whole, route)
        return self.transmit(
            whole, route.hop[0] if route.count else ip.destination,
            header.next_header == NO_NEXT_HEADER,
        )

    cdef bint is_flow_error(self, DsrHeader header) noexcept:
        return header is not None and header.error is not None and (
            header.error.error_type in (UNKNOWN_FLOW, DEFAULT_FLOW_UNKNOWN)
        )

    cdef int process_errors(self, DsrHeader header, Ipv4Header ip, bint overheard) except -1:
        """Route Error options of a packet received or overheard (8.3.5)."""
        cdef RouteError error
        cdef object follower
        cdef uint32_t to
        cdef Outgoing notice
        cdef Py_ssize_t i, k
        cdef tuple options = header.options
        if overheard and self.departs.deaf_to_errors:
            return 0
        for i in range(len(options)):
            if (<DsrOption>options[i]).type != ROUTE_ERROR:
                continue
            error = <RouteError>options[i]
            if error.error_type == NODE_UNREACHABLE:
                self.cache.break_link(
                    self.own if self.is_own(error.source) else error.source,
                    self.own if self.is_own(error.unreachable) else error.unreachable,
                    self.sim.now_ns,
                )
            if overheard or not self.is_own(error.destination) or not self.is_own(ip.destination):
                continue
            if error.error_type == NODE_UNREACHABLE:
                self.hold_error(error)
            if i + 1 == len(options):
                continue
            # The error was about an error or acknowledgement of this node's: it goes on by itself.
            follower = options[i + 1]
            if isinstance(follower, RouteError) and self.is_own((<RouteError>follower).source):
                to = (<RouteError>follower).destination
            elif isinstance(follower, Acknowledgement) and (
                self.is_own((<Acknowledgement>follower).source)
            ):
                to = (<Acknowledgement>follower).destination
            else:
                continue
            if self.is_own(to):
                continue
            notice = outgoing(
                make_packet(self.sim, 0, None, None), self.own, to, NO_NEXT_HEADER,
                <uint8_t>self.stack.default_ttl, 0,
                tuple([options[k] for k in range(i + 1, len(options))
                       if isinstance(options[k], (RouteError, Acknowledgement))]),
            )
            notice.salvage = error.salvage
            return self.originate(notice)
        return 0

    def hold_error(self, RouteError error not None):
        """Keep an error for the next request (3.4.4): the latest, each link once."""
        cdef RouteError held
        kept = []
        for held, since in self.held_errors:
            if held.source != error.source or held.unreachable != error.unreachable:
                kept.append((held, since))
        kept.append((error, self.sim.now_ns))
        self.held_errors = kept[max(len(kept) - MAX_HELD_ERRORS, 0):]
