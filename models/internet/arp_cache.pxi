# Part of ipv4.pyx: the ARP cache of an interface (RFC 826), with the states and times of ns-3.

cdef enum:
    ARP_ALIVE
    ARP_WAIT
    ARP_DEAD
    ARP_STATIC

cdef tuple ARP_STATES = ("alive", "waiting", "dead", "static")

# As in ns-3's ArpCache and ArpL3Protocol.
cdef int64_t ARP_ALIVE_TIMEOUT = 120 * 1000000000
cdef int64_t ARP_DEAD_TIMEOUT = 100 * 1000000000
cdef int64_t ARP_WAIT_TIMEOUT = 1000000000
cdef int ARP_MAX_RETRIES = 3
cdef int ARP_MAX_PENDING = 3
cdef double ARP_REQUEST_JITTER = 10.0


cdef int arp_timer_fired(object owner) except -1:
    cdef ArpEntry entry = <ArpEntry>owner
    return entry.cache.retry(entry)


@cython.final
cdef class ArpRequestEvent(Event):
    """The first request for an address, after its jitter."""

    cdef ArpCache cache
    cdef uint32_t address

    cdef int fire(self) except -1:
        return self.cache.request(self.address)


cdef class ResolutionListener:
    """A protocol that wants to know of neighbours whose MAC address was not found."""

    cdef int unresolved(self, Interface interface, Packet packet, uint32_t next_hop) except -1:
        return 0


@cython.final
cdef class ArpEntry:
    """What is known of one neighbour."""

    @property
    def ip(self):
        """IPv4 address."""
        return ipv4_address(self.address)

    @property
    def mac_address(self):
        """MAC address, or None while it is not known."""
        return mac_address(self.mac) if self.state in (ARP_ALIVE, ARP_STATIC) else None

    @property
    def status(self):
        """One of "alive", "waiting", "dead" and "static"."""
        return ARP_STATES[self.state]

    def __repr__(self):
        return f"<ArpEntry {self.ip}: {self.status}, {self.mac_address}>"


@cython.final
cdef class ArpCache:
    """Neighbours of an interface and their MAC addresses.

    A packet for an unknown neighbour waits while a broadcast request goes out after a jitter; after
    `max_retries` more requests without a reply the entry is dead, and packets to it are dropped for
    `dead_timeout`.

    Attributes
    ----------
    alive_timeout, dead_timeout, wait_timeout : int
        How long a found address holds (120 s), a neighbour counts as gone (100 s), and a reply is
        waited for (1 s); in nanoseconds.
    max_retries, max_pending : int
        Requests after the first (3), and packets that may wait for one neighbour (3).
    request_jitter : float
        The first request waits for a whole number of milliseconds below this one (10).
    learn_from_requests : bool
        Whether a request that asks for an own address also tells the asker's, as RFC 826 has it;
        False, as in ns-3.
    requests_sent, replies_sent : int
    """

    def __init__(self, Interface interface not None, RandomStream stream not None):
        self.interface = interface
        self.stream = stream
        self.sim = interface.stack.sim
        self.alive_timeout = ARP_ALIVE_TIMEOUT
        self.dead_timeout = ARP_DEAD_TIMEOUT
        self.wait_timeout = ARP_WAIT_TIMEOUT
        self.max_retries = ARP_MAX_RETRIES
        self.max_pending = ARP_MAX_PENDING
        self.request_jitter = ARP_REQUEST_JITTER
        self.entries = {}
        self.by_mac = {}

    cdef ArpEntry find(self, uint32_t address):
        cdef ArpEntry entry = self.recent
        if entry is not None and entry.address == address:
            return entry
        entry = <ArpEntry>self.entries.get(address)
        if entry is not None:
            self.recent = entry
        return entry

    cdef ArpEntry entry(self, uint32_t address):
        cdef ArpEntry entry = self.find(address)
        if entry is None:
            entry = ArpEntry.__new__(ArpEntry)
            entry.address = address
            entry.state = ARP_DEAD
            # Long enough ago that it counts as expired.
            entry.seen = -self.dead_timeout - 1
            entry.pending = []
            entry.cache = self
            self.entries[address] = entry
        return entry

    cdef int resolve(self, uint32_t next_hop, Packet packet, uint64_t* mac) except -1:
        cdef ArpEntry entry = self.entry(next_hop)
        cdef ArpRequestEvent event
        cdef int64_t age = self.sim.now_ns - entry.seen
        if entry.state == ARP_STATIC or (entry.state == ARP_ALIVE and age <= self.alive_timeout):
            mac[0] = entry.mac
            return 0
        if entry.state == ARP_WAIT:
            if len(entry.pending) < self.max_pending:
                entry.pending.append(packet)
                return 1
            self.interface.stack.drop(packet, "ARP queue full", self.interface)
            return 2
        if entry.state == ARP_DEAD and age <= self.dead_timeout:
            self.interface.stack.drop(packet, "ARP entry dead", self.interface)
            return 2
        self.wait(entry, packet)
        event = ArpRequestEvent.__new__(ArpRequestEvent)
        event.cache = self
        event.address = next_hop
        # Whole milliseconds, rounded down, as in ns-3.
        self.sim.schedule_event(
            <int64_t>self.stream.uniform_c(0.0, self.request_jitter) * 1000000, event
        )
        return 1

    cdef int wait(self, ArpEntry entry, Packet packet) except -1:
        entry.state = ARP_WAIT
        entry.seen = self.sim.now_ns
        entry.retries = 0
        entry.pending.append(packet)
        if entry.timer is None:
            entry.timer = native_timer(self.sim, <TimerHandler>arp_timer_fired, entry)
        return entry.timer.arm(self.wait_timeout)

    cdef int retry(self, ArpEntry entry) except -1:
        cdef list pending
        cdef Ipv4 stack = self.interface.stack
        if entry.state != ARP_WAIT:
            return 0
        entry.seen = self.sim.now_ns
        if entry.retries < self.max_retries:
            entry.retries += 1
            entry.timer.arm(self.wait_timeout)
            return self.request(entry.address)
        entry.state = ARP_DEAD
        pending = entry.pending
        entry.pending = []
        for packet in pending:
            stack.drop(<Packet>packet, "ARP unanswered", self.interface)
            for listener in stack.resolution_listeners:
                (<ResolutionListener>listener).unresolved(
                    self.interface, <Packet>packet, entry.address
                )
        return 0

    cdef int request(self, uint32_t address) except -1:
        cdef NetDevice device = self.interface.device
        cdef ArpHeader header = ArpHeader.__new__(ArpHeader)
        header.length = ARP_LENGTH
        header.operation = ARP_REQUEST
        header.sender_mac = device.mac
        header.sender = self.interface.source_for(address)
        header.target_mac = BROADCAST_MAC
        header.target = address
        self.requests_sent += 1
        device.send(
            make_payload(self.sim, 0, None, None).push_c(header), BROADCAST_MAC, ETHERTYPE_ARP
        )
        return 0

    cdef int receive(self, Packet packet) except -1:
        cdef NetDevice device = self.interface.device
        cdef ArpHeader header, reply
        cdef ArpEntry entry
        if isinstance(packet.header, ArpHeader):
            header = packet.header
        else:
            try:
                header = ArpHeader.parse(packet.to_bytes())[0]
            except PacketError:
                self.interface.stack.drop(packet, "malformed", self.interface)
                return 0
        if not self.interface.has_address(header.target):
            return 0
        if header.operation == ARP_REQUEST:
            if self.learn_from_requests and header.sender:
                self.learn(header.sender, header.sender_mac)
            reply = ArpHeader.__new__(ArpHeader)
            reply.length = ARP_LENGTH
            reply.operation = ARP_REPLY
            reply.sender_mac = device.mac
            reply.sender = header.target
            reply.target_mac = header.sender_mac
            reply.target = header.sender
            self.replies_sent += 1
            device.send(
                make_payload(self.sim, 0, None, None).push_c(reply),
                header.sender_mac, ETHERTYPE_ARP,
            )
            return 0
        entry = self.find(header.sender)
        # A reply that was not asked for is not believed.
        if entry is not None and entry.state == ARP_WAIT and header.target_mac == device.mac:
            self.bind_mac(entry, header.sender_mac, ARP_ALIVE)
        return 0

    cdef int bind_mac(self, ArpEntry entry, uint64_t mac, int state) except -1:
        cdef list pending
        if entry.state not in (ARP_ALIVE, ARP_STATIC) or entry.mac != mac:
            self.unbind_mac(entry)
            self.by_mac.setdefault(mac, []).append(entry)
        entry.mac = mac
        entry.state = state
        entry.seen = self.sim.now_ns
        entry.retries = 0
        if entry.timer is not None:
            entry.timer.disarm()
        if entry.pending:
            pending = entry.pending
            entry.pending = []
            for packet in pending:
                self.interface.device.send(<Packet>packet, mac, ETHERTYPE_IPV4)
        return 0

    def unbind_mac(self, ArpEntry entry):
        known = self.by_mac.get(entry.mac)
        if known is not None and entry in known:
            known.remove(entry)

    cdef int learn(self, uint32_t address, uint64_t mac) except -1:
        cdef ArpEntry entry = self.entry(address)
        if entry.state == ARP_STATIC:
            return 0
        if entry.state == ARP_ALIVE and entry.mac == mac:
            entry.seen = self.sim.now_ns
            return 0
        return self.bind_mac(entry, mac, ARP_ALIVE)

    cdef void refresh(self, uint32_t address, uint64_t mac) noexcept:
        """Confirm the entries of a neighbour that a packet came from (RFC 1122 2.3.2.1)."""
        cdef ArpEntry entry = self.find(address)
        if entry is not None:
            if entry.state == ARP_ALIVE and entry.mac == mac:
                entry.seen = self.sim.now_ns
            return
        # The source is farther away: the neighbour forwarded for it.
        known = self.by_mac.get(mac)
        if known is not None:
            for other in <list>known:
                if (<ArpEntry>other).state == ARP_ALIVE:
                    (<ArpEntry>other).seen = self.sim.now_ns

    cdef uint32_t address_of(self, uint64_t mac) noexcept:
        known = self.by_mac.get(mac)
        if known is not None:
            for entry in <list>known:
                if (<ArpEntry>entry).state in (ARP_ALIVE, ARP_STATIC):
                    return (<ArpEntry>entry).address
        return 0

    def add(self, address, mac):
        """Enter a neighbour that never has to be asked for."""
        self.bind_mac(self.entry(ipv4_value(address)), mac_value(mac), ARP_STATIC)

    def lookup(self, address):
        """Entry of an address, or None."""
        return self.find(ipv4_value(address))

    def flush(self):
        """Forget all neighbours but the static ones; packets that wait are dropped."""
        cdef ArpEntry entry
        for value in list(self.entries.values()):
            entry = value
            if entry.state == ARP_STATIC:
                continue
            if entry.timer is not None:
                entry.timer.disarm()
            for packet in entry.pending:
                self.interface.stack.drop(packet, "ARP flushed", self.interface)
            entry.pending = []
            self.unbind_mac(entry)
            del self.entries[entry.address]
        self.recent = None

    def __len__(self):
        return len(self.entries)

    def __iter__(self):
        return iter(list(self.entries.values()))


@cython.final
cdef class ArpListener(LinkListener):
    """Hands the ARP messages of a node's devices to the caches of its interfaces."""

    cdef Ipv4 stack

    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1:
        cdef Interface interface = self.stack.interface_of(device)
        if interface is None or interface.arp is None or not interface.up:
            return 0
        return interface.arp.receive(packet)
