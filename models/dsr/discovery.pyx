"""Route discovery (RFC 4728 8.2)."""

cimport cython
from libc.math cimport llrint
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from simcore.models.dsr.agent cimport DsrAgent, with_header
from simcore.models.dsr.blacklist cimport LINK_GOOD, LINK_PROBABLE, LINK_QUESTIONABLE, LinkVerdict
from simcore.models.dsr.header cimport NO_NEXT_HEADER, DsrHeader, dsr_header
from simcore.models.dsr.options cimport (
    RouteReply, RouteRequest, SourceRoute, route_reply, route_request, source_route,
)
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.route cimport (
    MAX_REQUEST_HOPS, MAX_ROUTE_HOPS, Route, empty_route, extended, prepended, reversed_route,
)
from simcore.models.dsr.route_request_table cimport Discovery
from simcore.models.dsr.send_buffer cimport Outgoing
from simcore.models.internet.ipv4 cimport ArpCache
from simcore.models.internet.ipv4_header cimport LIMITED_BROADCAST, PROTOCOL_DSR, Ipv4Header
from simcore.models.network.packet cimport Packet, make_packet
from simcore.simulator cimport Event, NativeTimer, TimerHandler, native_timer

cdef enum:
    # A chain is a route with both of its ends.
    MAX_CHAIN = MAX_ROUTE_HOPS + 2
    # Neighbours whose interface is remembered; more are forgotten all at once.
    MAX_NEIGHBOURS = 4096

# Departure "late_replies": the delay of ns-3 for each node of the route.
cdef int64_t LATE_HOP_DELAY = 80_000_000


cdef int discovery_due(object owner) except -1:
    cdef Discovery discovery = (<DiscoveryOwner>owner).discovery
    return (<DiscoveryOwner>owner).agent.on_discovery_timer(discovery)


@cython.final
cdef class DiscoveryOwner:
    """What a discovery's timer hands to its handler."""
    cdef RouteDiscovery agent
    cdef Discovery discovery


@cython.no_gc
@cython.final
cdef class PendingReply(Event):
    """A reply from the cache that waits for its time (RFC 4728 8.2.5)."""

    cdef int fire(self) except -1:
        self.agent.pending_replies.remove(self)
        return self.agent.transmit(self.packet, self.next_hop, True)


@cython.no_gc
@cython.final
cdef class HeldRequest(Event):
    """A request that came by a questionable link, until the neighbour answers or time is up."""

    cdef int fire(self) except -1:
        self.agent.probes.remove(self)
        return self.agent.drop(self.packet, "one-way link")


cdef class RouteDiscovery(DsrAgent):
    """`DsrAgent` with requests and replies."""

    def __init__(self, interface, parameters=None, stream=None, others=()):
        DsrAgent.__init__(self, interface, parameters, stream, others)
        self.pending_replies = []
        self.probes = []
        self.held_errors = []
        # RFC 4728 4.3: a node that has just started takes a random number.
        self.next_request = <uint16_t>self.stream.integer_c(0, 0xFFFF)

    # Originating requests (8.2.1)

    cdef int discover(self, uint32_t target) except -1:
        cdef Discovery discovery = self.request_table.discovery(
            target, self.parameters.request_period
        )
        cdef DiscoveryOwner owner
        cdef NativeTimer timer
        if discovery.timer is None:
            owner = DiscoveryOwner.__new__(DiscoveryOwner)
            owner.agent = self
            owner.discovery = discovery
            discovery.timer = native_timer(self.sim, <TimerHandler>discovery_due, owner)
        timer = <NativeTimer>discovery.timer
        if timer.slot >= 0:
            return 0
        if self.sim.now_ns < discovery.not_before:
            return timer.arm(discovery.not_before - self.sim.now_ns)
        return self.send_request(discovery)

    cdef int on_discovery_timer(self, Discovery discovery) except -1:
        if not self.send_buffer.holds(discovery.target):
            return 0
        if discovery.attempts > self.parameters.max_request_rexmt:
            for packet in self.send_buffer.take(discovery.target):
                self.drop((<Outgoing>packet).segment, "no route found")
            discovery.attempts = 0
            return 0
        if self.departs.slow_send_buffer and self.cache.find(
            discovery.target, self.sim.now_ns
        ) is not None:
            return self.route_found(discovery.target)
        return self.send_request(discovery)

    cdef int send_request(self, Discovery discovery) except -1:
        cdef int64_t wait
        cdef Packet packet
        cdef Port port
        cdef tuple errors
        cdef Route route = Route.__new__(Route)
        if discovery.attempts == 0 and self.parameters.nonprop_request_timeout > 0:
            # 3.3.3: the neighbours first.
            discovery.ttl = 1
            wait = self.parameters.nonprop_request_timeout
        else:
            discovery.ttl = self.parameters.discovery_hop_limit
            wait = discovery.period
            if self.departs.square_backoff:
                wait = min(
                    self.parameters.request_period * (discovery.attempts + 1) ** 2,
                    <int64_t>self.parameters.max_request_period,
                )
            discovery.period = min(
                2 * discovery.period, <int64_t>self.parameters.max_request_period
            )
        if discovery.attempts == 0 or not self.departs.same_identification:
            discovery.identification = self.next_request
            self.next_request += 1
        discovery.attempts += 1
        discovery.last = self.sim.now_ns
        discovery.not_before = self.sim.now_ns + wait
        errors = self.errors_to_spread()
        self.discovery_count += 1
        if self.discovery_trace.active:
            self.discovery_trace.emit2(discovery.target, discovery.ttl)
        for each in self.ports:
            port = <Port>each
            if port is not self.port:
                # 8.4: as if it had come in by the first interface.
                route = Route.__new__(Route)
                route = extended(route, port.address)
            # An error comes first, so that whoever answers has looked at it.
            packet = make_packet(self.sim, 0, None, None).push_c(
                dsr_header(
                    NO_NEXT_HEADER,
                    errors + (route_request(discovery.identification, discovery.target, route),),
                )
            )
            packet = self.stack.make_packet(
                packet, self.own, LIMITED_BROADCAST, PROTOCOL_DSR, <uint8_t>discovery.ttl, 0
            )
            self.broadcast(packet, port)
        return (<NativeTimer>discovery.timer).arm(wait)

    cdef tuple errors_to_spread(self):
        """Errors that this node was told of a short while ago (3.4.4)."""
        cdef int64_t oldest = self.sim.now_ns - <int64_t>self.parameters.error_hold
        if len(self.held_errors) == 0:
            return ()
        self.held_errors = [held for held in self.held_errors if <int64_t>held[1] >= oldest]
        return tuple([held[0] for held in self.held_errors])

    # Routes found

    cdef int check_send_buffer(self) except -1:
        """Send what a route has become known for (4.1)."""
        if self.departs.slow_send_buffer:
            return 0
        for target in list(self.send_buffer.by_destination):
            if self.cache.find(<uint32_t>target, self.sim.now_ns) is not None:
                self.route_found(<uint32_t>target)
        return 0

    cdef int route_found(self, uint32_t target) except -1:
        cdef Discovery discovery = self.request_table.find_discovery(target)
        if discovery is not None and discovery.timer is not None:
            (<NativeTimer>discovery.timer).disarm()
        for packet in self.send_buffer.take(target):
            self.originate(<Outgoing>packet)
        return 0

    cdef int process_reply(self, RouteReply reply, Ipv4Header ip) except -1:
        """A reply came to this node, the initiator; its route is in the cache by now."""
        cdef uint32_t target = reply.route.hop[reply.route.count - 1]
        cdef Discovery discovery = self.request_table.find_discovery(target)
        cdef HeldRequest held
        if discovery is not None:
            # 4.3: back-off counts the requests since the last reply.
            discovery.attempts = 0
            discovery.period = self.parameters.request_period
            discovery.not_before = self.sim.now_ns
            if discovery.timer is not None:
                (<NativeTimer>discovery.timer).disarm()
        if len(self.probes) > 0 and reply.route.count == 1:
            for item in list(self.probes):
                held = <HeldRequest>item
                if held.neighbour == target and held.slot >= 0:
                    held.cancel()
                    self.probes.remove(held)
                    self.blacklist.remove(target)
                    self.process_request(
                        held.packet, <DsrHeader>held.packet.inner.header, 0, True, held.port
                    )
        if self.send_buffer.holds(target) and self.cache.find(
            target, self.sim.now_ns
        ) is not None:
            self.route_found(target)
        elif self.send_buffer.holds(target):
            self.discover(target)
        return 0

    # Processing requests (8.2.2)

    cdef int process_request(
        self, Packet packet, DsrHeader header, uint64_t source_mac, bint probed, Port port,
    ) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef RouteRequest request = header.request
        cdef Route route = request.route
        cdef uint32_t initiator = ip.source
        cdef uint32_t transmitter = route.hop[route.count - 1] if route.count else initiator
        cdef LinkVerdict verdict = LINK_GOOD
        cdef bint for_us = self.is_own(request.target)
        cdef uint32_t[MAX_CHAIN] chain
        cdef int place
        if self.is_own(transmitter):
            return 0
        if not probed:
            self.learn_address(transmitter, source_mac, port)
        place = self.last_own(route)
        if place >= 0 or self.is_own(initiator):
            # A neighbour passed on what it had from us: the link works both ways.
            if place == route.count - 2:
                self.blacklist.remove(transmitter)
            return 0
        if not self.departs.no_blacklist and not probed:
            verdict = self.blacklist.verdict(transmitter, self.sim.now_ns)
        if verdict == LINK_GOOD and (not self.departs.no_learning or for_us):
            chain[0] = initiator
            memcpy(&chain[1], route.hop, route.count * sizeof(uint32_t))
            if self.cache.learn(
                chain, route.count + 1, route.count, self.sim.now_ns
            ) and self.send_buffer.count > 0:
                self.check_send_buffer()
        if for_us:
            if self.departs.one_reply and self.request_table.seen(
                initiator, request.identification, request.target
            ):
                return 0
            self.reply_as_target(request, initiator, port)
            if header.next_header != NO_NEXT_HEADER:
                ip = ip.with_protocol(header.next_header, packet.inner.inner.size)
                ip.destination = request.target
                return self.stack.deliver(packet.inner.inner, ip, port.interface)
            return 0
        if verdict == LINK_PROBABLE:
            return self.drop(packet, "one-way link")
        if verdict == LINK_QUESTIONABLE:
            return self.probe(packet, header, transmitter, port)
        # ns-3 does not note the request to neighbours, whose identification the next one repeats.
        if not (self.departs.same_identification and ip.ttl <= 1) and self.request_table.seen(
            initiator, request.identification, request.target
        ):
            return 0
        if self.reply_from_cache(request, initiator, port):
            return 0
        return self.pass_on(packet, header, port)

    cdef int pass_on(self, Packet packet, DsrHeader header, Port port) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef RouteRequest request = header.request
        cdef int64_t jitter
        cdef Route route
        cdef Port out
        if ip.ttl <= 1 or request.route.count >= MAX_REQUEST_HOPS:
            return 0
        for each in self.ports:
            out = <Port>each
            route = extended(request.route, port.address)
            if out is not port:
                # 8.4: the interface that it came by, and the one that it leaves by.
                if route.count >= MAX_REQUEST_HOPS:
                    continue
                route = extended(route, out.address)
            jitter = llrint(self.stream.uniform_c(0.0, <double>self.broadcast_jitter))
            self.after_jitter(
                jitter,
                with_header(
                    packet,
                    header.replaced(
                        request, route_request(request.identification, request.target, route)
                    ),
                    ip.ttl - 1,
                ),
                0, out,
            )
        return 0

    cdef int probe(
        self, Packet packet, DsrHeader header, uint32_t transmitter, Port port,
    ) except -1:
        """Ask the neighbour itself whether the link works both ways; the request waits."""
        cdef HeldRequest held
        cdef Packet question
        for item in self.probes:
            if (<HeldRequest>item).neighbour == transmitter:
                return self.drop(packet, "one-way link")
        held = HeldRequest.__new__(HeldRequest)
        held.agent = self
        held.packet = packet
        held.neighbour = transmitter
        held.port = port
        self.probes.append(held)
        self.sim.schedule_event(self.parameters.nonprop_request_timeout, held)
        question = make_packet(self.sim, 0, None, None).push_c(
            dsr_header(
                NO_NEXT_HEADER,
                (route_request(self.next_request, transmitter, Route.__new__(Route)),),
            )
        )
        self.next_request += 1
        self.discovery_count += 1
        return self.transmit(
            self.stack.make_packet(question, port.address, transmitter, PROTOCOL_DSR, 1, 0),
            transmitter, True,
        )

    # Replies (8.2.3, 8.2.4)

    cdef Packet build_reply(
        self, Route reply_route, Route way_back, uint32_t initiator, Port port,
    ):
        cdef tuple options = (route_reply(reply_route),)
        if way_back.count > 0:
            options += (source_route(way_back, way_back.count, 0),)
        self.reply_count += 1
        return self.stack.make_packet(
            make_packet(self.sim, 0, None, None).push_c(dsr_header(NO_NEXT_HEADER, options)),
            port.address, initiator, PROTOCOL_DSR, <uint8_t>self.stack.default_ttl, 0,
        )

    cdef int reply_as_target(
        self, RouteRequest request, uint32_t initiator, Port port,
    ) except -1:
        cdef Route back = reversed_route(request.route)
        cdef Route there = request.route
        cdef Packet reply
        cdef int64_t jitter = llrint(self.stream.uniform_c(0.0, <double>self.broadcast_jitter))
        if port.address != request.target:
            there = extended(there, port.address)
            if there.count >= MAX_ROUTE_HOPS:
                return 0
        reply = self.build_reply(extended(there, request.target), back, initiator, port)
        if self.reply_trace.active:
            self.reply_trace.emit2(reply, "target")
        return self.after_jitter(jitter, reply, back.hop[0] if back.count else initiator, port)

    cdef bint reply_from_cache(
        self, RouteRequest request, uint32_t initiator, Port port,
    ) except -1:
        cdef Route rest = self.cache.find(request.target, self.sim.now_ns)
        cdef Route asked = request.route
        cdef Route whole, back
        cdef Port out
        cdef PendingReply pending
        cdef double r
        cdef int i
        if rest is None:
            return False
        if request.target == initiator or asked.find(request.target) >= 0:
            return False
        for i in range(rest.count):
            if rest.hop[i] == initiator or asked.find(rest.hop[i]) >= 0:
                return False
        out = self.port_for(rest.hop[0] if rest.count else request.target)
        if out is not port:
            rest = prepended(out.address, rest)
        if asked.count + rest.count + 2 > MAX_ROUTE_HOPS:
            return False
        whole = empty_route(asked.count + rest.count + 2)
        memcpy(whole.hop, asked.hop, asked.count * sizeof(uint32_t))
        whole.hop[asked.count] = port.address
        memcpy(whole.hop + asked.count + 1, rest.hop, rest.count * sizeof(uint32_t))
        whole.hop[whole.count - 1] = request.target
        back = reversed_route(asked)
        pending = PendingReply.__new__(PendingReply)
        pending.agent = self
        pending.packet = self.build_reply(whole, back, initiator, port)
        pending.initiator = initiator
        pending.target = request.target
        pending.next_hop = back.hop[0] if back.count else initiator
        pending.hops = whole.count
        self.pending_replies.append(pending)
        self.cached_reply_count += 1
        if self.reply_trace.active:
            self.reply_trace.emit2(pending.packet, "cached")
        r = self.stream.next_double()
        if self.departs.late_replies:
            # ns-3 counts the nodes, both ends included.
            self.sim.schedule_event(llrint(LATE_HOP_DELAY * (whole.count + r)), pending)
        else:
            self.sim.schedule_event(
                llrint(<int64_t>self.parameters.reply_hop_delay * (whole.count - 1 + r)), pending
            )
        return True

    cdef int suppress_replies(self, uint32_t initiator, uint32_t target, int hops) except -1:
        cdef PendingReply pending
        if self.departs.all_reply:
            return 0
        for item in list(self.pending_replies):
            pending = <PendingReply>item
            if (
                pending.initiator == initiator and pending.target == target
                and hops <= pending.hops
            ):
                pending.cancel()
                self.pending_replies.remove(pending)
                self.suppressed_count += 1
        return 0

    # Learning (3.3.1)

    cdef int learn_address(self, uint32_t neighbour, uint64_t mac, Port port) except -1:
        """Every frame tells its sender's MAC address: ARP has nothing left to ask."""
        cdef ArpCache arp = port.arp
        if self.many:
            if len(self.neighbour_ports) >= MAX_NEIGHBOURS:
                self.neighbour_ports.clear()
            self.neighbour_ports[neighbour] = port
        if arp is None or self.departs.arp:
            return 0
        return arp.learn(neighbour, mac)

    cdef int last_own(self, Route route) except -2:
        """Place of the node in a route, of its last address if it has several there; or -1."""
        cdef int i
        if not self.many:
            return route.find(self.own)
        for i in range(route.count - 1, -1, -1):
            if self.is_own(route.hop[i]):
                return i
        return -1

    cdef int fold(self, uint32_t* chain, int count, int* at) except -1:
        """The addresses of this node in a chain become one, the first (8.4); the new count."""
        cdef Port port
        cdef Port before = None
        cdef int i
        cdef int kept = 0
        cdef int new_at = at[0]
        for i in range(count):
            port = self.port_at(chain[i])
            if port is not None and before is not None:
                # A link inside the node.
                if i <= at[0]:
                    new_at -= 1
                before = port
                continue
            if port is None and before is not None:
                self.neighbour_ports[chain[i]] = before
            elif port is not None and i > 0:
                self.neighbour_ports[chain[i - 1]] = port
            chain[kept] = chain[i] if port is None else self.own
            kept += 1
            before = port
        at[0] = new_at
        return kept

    cdef int learn_from(
        self, DsrHeader header, Ipv4Header ip, uint32_t transmitter, bint next_hop,
    ) except -1:
        cdef uint32_t[MAX_CHAIN] chain
        cdef SourceRoute path = header.source_route
        cdef int count = 0
        cdef int at
        cdef bint new = False
        if path is None:
            chain[0] = ip.source
            chain[1] = ip.destination
            count = 2
            at = 0
        else:
            if path.salvage == 0:
                chain[0] = ip.source
                count = 1
            memcpy(&chain[count], path.route.hop, path.route.count * sizeof(uint32_t))
            # Place of the transmitter.
            at = count + path.route.count - path.segments_left - 1
            count += path.route.count
            chain[count] = ip.destination
            count += 1
            if at < 0:
                return 0
        if header.reply is not None:
            # With a reply, the hops still to come are under test: 3.3.1.
            count = at + 2 if next_hop else at + 1
            new = self.learn_reply(header.reply, ip, transmitter)
        if not self.departs.no_learning:
            if self.many:
                count = self.fold(chain, count, &at)
            if next_hop and at + 1 < count and chain[at + 1] == self.own:
                at += 1
            new |= self.cache.learn(chain, count, at, self.sim.now_ns)
            if path is not None and path.first_external and path.salvage == 0:
                self.cache.mark_external(chain[0], chain[1])
            if path is not None and path.last_external and header.reply is None:
                self.cache.mark_external(chain[count - 2], chain[count - 1])
        if new and self.send_buffer.count > 0:
            return self.check_send_buffer()
        return 0

    cdef bint learn_reply(self, RouteReply reply, Ipv4Header ip, uint32_t transmitter) except -1:
        """The part of the route from here, or from the node that was heard, to the target."""
        cdef uint32_t[MAX_CHAIN] chain
        cdef Route route = reply.route
        cdef int first = -1
        cdef int i
        cdef bint new
        cdef int count = route.count + 1
        chain[0] = ip.destination
        memcpy(&chain[1], route.hop, route.count * sizeof(uint32_t))
        if self.many:
            count = self.fold(chain, count, &first)
            first = -1
        for i in range(count):
            if chain[i] == self.own:
                first = i
                break
        if first < 0:
            if self.departs.no_learning:
                return False
            for i in range(count):
                if chain[i] == transmitter:
                    first = i
                    break
        if first < 0 or first >= count - 1:
            return False
        new = self.cache.learn(chain + first, count - first, 0, self.sim.now_ns)
        if reply.last_external:
            self.cache.mark_external(chain[count - 2], chain[count - 1])
        return new
