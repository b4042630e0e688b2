# Part of ipv4.pyx: a device as IPv4 sees it.


@cython.final
cdef class LocalArrival(Event):
    """A packet that a node sends to itself arrives, at the same time but in an event of its own."""

    cdef Interface interface
    cdef Packet packet

    cdef int fire(self) except -1:
        cdef Ipv4 stack = self.interface.stack
        if stack.rx_trace.active:
            stack.rx_trace.emit2(self.packet, self.interface)
        return stack.deliver(self.packet.inner, <Ipv4Header>self.packet.header, self.interface)


@cython.final
cdef class Interface:
    """A device with IPv4 addresses; made by `Ipv4.add_interface`."""

    def __init__(self):
        raise TypeError("interfaces are made by Ipv4.add_interface")

    @property
    def address(self):
        """First address, or None."""
        return ipv4_address(self.primary) if self.primary else None

    @property
    def network(self):
        """Network of the first address, or None."""
        if not self.primary:
            return None
        return Ipv4Network((self.primary & self.mask, prefix_length_of(self.mask)))

    @property
    def networks(self):
        """Addresses and their networks, as a list of pairs."""
        pairs = [] if not self.primary else [(self.primary, self.mask)]
        pairs += self.others
        return [
            (ipv4_address(address), Ipv4Network((address & mask, prefix_length_of(mask))))
            for address, mask in pairs
        ]

    def add_address(self, address, prefix_length=24):
        """Give the interface an address.

        Parameters
        ----------
        address : Ipv4Address, str or int
        prefix_length : int
            Length of its network's prefix.

        Raises
        ------
        ValueError
            When it is no address that a host can have, or the interface has it already.
        """
        cdef uint32_t value = ipv4_value(address)
        cdef uint32_t mask
        if not 0 <= prefix_length <= 32:
            raise ValueError(f"prefix_length is {prefix_length}: it must be 0 to 32")
        mask = prefix_mask(prefix_length)
        if value == 0 or is_multicast_ipv4(value) or value == LIMITED_BROADCAST:
            raise ValueError(f"address is {address}: a host cannot have it")
        if prefix_length < 31 and (value & ~mask) in (0, ~mask):
            raise ValueError(
                f"address is {address}: that is the network or broadcast address "
                f"of a /{prefix_length} network"
            )
        if self.has_address(value):
            raise ValueError(f"address is {address}: the interface has it already")
        if not self.primary:
            self.primary = value
            self.mask = mask
        else:
            self.others.append((value, mask))
        self.stack.changed(self)

    def set_up(self, bint up=True):
        """Take the interface up or down; down, it neither sends nor receives."""
        if self.up != up:
            self.up = up
            if not up and self.arp is not None:
                self.arp.flush()
            self.stack.changed(self)

    cdef bint has_address(self, uint32_t address) noexcept:
        if address == self.primary:
            return address != 0
        if self.others:
            for other, _ in self.others:
                if other == address:
                    return True
        return False

    cdef bint is_broadcast(self, uint32_t address) noexcept:
        if address == LIMITED_BROADCAST:
            return True
        # Networks of one or two addresses have no broadcast address (RFC 3021).
        if self.primary and self.mask < 0xFFFFFFFEu and address == (self.primary | ~self.mask):
            return True
        if self.others:
            for other, mask in self.others:
                if <uint32_t>mask < 0xFFFFFFFEu and address == (<uint32_t>other | ~<uint32_t>mask):
                    return True
        return False

    cdef uint32_t source_for(self, uint32_t destination) noexcept:
        if self.others and (self.primary ^ destination) & self.mask:
            for other, mask in self.others:
                if not (<uint32_t>other ^ destination) & <uint32_t>mask:
                    return other
        return self.primary

    cdef int transmit(self, Packet packet, uint32_t next_hop) except -1:
        cdef LocalArrival arrival
        cdef uint64_t mac
        cdef int status
        cdef NetDevice device = self.device
        if not self.up:
            self.stack.drop(packet, "interface down", self)
            return 1
        if device is None or next_hop == self.primary or self.has_address(next_hop):
            arrival = LocalArrival.__new__(LocalArrival)
            arrival.interface = self
            arrival.packet = packet
            self.stack.sim.schedule_event_in(self.stack.node.id, 0, arrival)
            return 0
        if self.arp is None or self.is_broadcast(next_hop):
            mac = BROADCAST_MAC
        elif is_multicast_ipv4(next_hop):
            mac = multicast_mac(next_hop)
        else:
            status = self.arp.resolve(next_hop, packet, &mac)
            if status:
                return status == 2
        return device.send(packet, mac, ETHERTYPE_IPV4)

    def __repr__(self):
        return f"<Interface {self.index} of node {self.stack.node.id}, {self.address}>"


cdef int prefix_length_of(uint32_t mask) noexcept:
    cdef int length = 0
    while mask:
        mask <<= 1
        length += 1
    return length
