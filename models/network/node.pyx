"""Nodes and the base of all devices."""

from libc.stdint cimport int32_t, uint16_t, uint64_t

from simcore.models.network.address cimport is_group_mac, mac_address, mac_value
from simcore.models.network.packet cimport Packet
from simcore.simulator cimport Simulator
from simcore.whole cimport whole

BROADCAST_MAC = 0xFFFFFFFFFFFF

# Largest payload of an Ethernet frame (IEEE 802.3), which is also ns-3's default.
DEFAULT_MTU = 1500


cdef class NetworkState:
    """What a simulator's nodes share: the numbers given out so far."""

    cdef list nodes
    cdef uint64_t last_mac

    def __cinit__(self):
        self.nodes = []

    def traced_devices(self):
        """Every device, for ``simcore run --trace``."""
        return [device for node in self.nodes for device in node.devices]


cdef NetworkState network_state(Simulator sim):
    state = sim.registry.get("network")
    if state is None:
        state = sim.registry["network"] = NetworkState()
    return <NetworkState?>state


cdef class LinkListener:
    """A protocol above devices; compiled protocols override `receive`."""

    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override receive()")


cdef class CallableLinkListener(LinkListener):
    """A Python callable as a listener."""

    cdef object callback

    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1:
        self.callback(
            device, packet, ethertype, mac_address(source), mac_address(destination), packet_type
        )
        return 0


cdef class TransmitListener:
    """A protocol that wants link-layer feedback; compiled ones override what they need."""

    cdef int transmitted(self, NetDevice device, Packet packet, uint64_t destination) except -1:
        return 0

    cdef int dropped(
        self, NetDevice device, Packet packet, uint64_t destination, str reason,
    ) except -1:
        return 0


cdef class CallableTransmitListener(TransmitListener):
    """Python callables as a listener; either may be None."""

    cdef object on_transmitted
    cdef object on_dropped

    cdef int transmitted(self, NetDevice device, Packet packet, uint64_t destination) except -1:
        if self.on_transmitted is not None:
            self.on_transmitted(device, packet, mac_address(destination))
        return 0

    cdef int dropped(
        self, NetDevice device, Packet packet, uint64_t destination, str reason,
    ) except -1:
        if self.on_dropped is not None:
            self.on_dropped(device, packet, mac_address(destination), reason)
        return 0


cdef class NetDevice:
    """Base of devices: an address, an MTU, and the way up to the node.

    Parameters
    ----------
    node : Node
        The node that the device is added to.
    mtu : int
        Largest packet that `send` takes (bytes).
    address : MacAddress, str or int, optional
        By default the next free one of the simulator: 00:00:00:00:00:01 and so on.

    Raises
    ------
    ValueError
        When the MTU is below 68 bytes, the least that IPv4 allows (RFC 791 3.2), or the address
        is a group address.
    """

    def __init__(self, Node node not None, mtu=DEFAULT_MTU, address=None):
        cdef NetworkState state = network_state(node.sim)
        mtu = whole("mtu", mtu)
        if mtu < 68:
            raise ValueError(f"mtu is {mtu} bytes: it must be 68 or more")
        if address is None:
            state.last_mac += 1
            self.mac = state.last_mac
        else:
            self.mac = mac_value(address)
            if is_group_mac(self.mac):
                raise ValueError(f"address is {address}: a device cannot have a group address")
        self.mtu = mtu
        self.needs_arp = True
        self.node = node
        self.index = <int32_t>len(node.devices)
        self.transmit_listeners = []
        node.devices.append(self)

    @property
    def address(self):
        """MAC address."""
        return mac_address(self.mac)

    cdef int send(self, Packet packet, uint64_t destination, uint16_t ethertype) except -1:
        """Take a network-layer packet; 0 when it was queued or sent, 1 when it was dropped."""
        raise NotImplementedError(f"{type(self).__name__} does not override send()")

    def send_packet(self, Packet packet not None, destination, uint16_t ethertype):
        """Send a packet to a MAC address.

        Returns
        -------
        bool
            False when the device dropped it at once.

        Raises
        ------
        ValueError
            When it is larger than the MTU.
        """
        if packet.size > self.mtu:
            raise ValueError(f"packet has {packet.size} bytes: the device takes {self.mtu} at most")
        return self.send(packet, mac_value(destination), ethertype) == 0

    cdef int deliver(
        self, Packet packet, uint16_t ethertype, uint64_t source, uint64_t destination,
        int packet_type,
    ) except -1:
        return self.node.receive(self, packet, ethertype, source, destination, packet_type)

    cdef int notify_transmitted(self, Packet packet, uint64_t destination) except -1:
        for listener in self.transmit_listeners:
            (<TransmitListener>listener).transmitted(self, packet, destination)
        return 0

    cdef int notify_dropped(self, Packet packet, uint64_t destination, str reason) except -1:
        for listener in self.transmit_listeners:
            (<TransmitListener>listener).dropped(self, packet, destination, reason)
        return 0

    def add_transmit_listener(self, TransmitListener listener not None):
        """Have a protocol told of the fate of unicast frames."""
        self.transmit_listeners.append(listener)

    def on_transmit(self, transmitted=None, dropped=None):
        """Have callables told of the fate of unicast frames.

        Parameters
        ----------
        transmitted : callable, optional
            Called with (device, packet, destination) when a frame was acknowledged.
        dropped : callable, optional
            Called with (device, packet, destination, reason) when one was given up.
        """
        cdef CallableTransmitListener listener = CallableTransmitListener()
        listener.on_transmitted = transmitted
        listener.on_dropped = dropped
        self.transmit_listeners.append(listener)

    def __repr__(self):
        return f"<{type(self).__name__} {self.index} of node {self.node.id}, {self.address}>"


cdef class Node:
    """A computer in the network: devices below, protocols above.

    Parameters
    ----------
    sim : Simulator
        Gives the node its number: 0, 1, and so on.
    """

    def __init__(self, Simulator sim not None):
        cdef NetworkState state = network_state(sim)
        self.sim = sim
        self.id = <int32_t>len(state.nodes)
        self.devices = []
        self.applications = []
        self.listeners = {}
        self.promiscuous = []
        state.nodes.append(self)

    @property
    def mobility(self):
        """Where the node is: a MobilityModel, or None.

        Raises
        ------
        TypeError
            If it is set to something that has no position.
        ValueError
            If it is set to the model of another simulation, or after a device has taken it.
        """
        return self.where

    @mobility.setter
    def mobility(self, model):
        if model is self.where:
            return
        if model is not None and not hasattr(model, "position"):
            raise TypeError(f"mobility of node {self.id} is {model!r}: it must be a MobilityModel")
        if model is not None and getattr(model, "sim", self.sim) is not self.sim:
            raise ValueError(f"mobility of node {self.id} is of another simulator: {model!r}")
        if self.mobility_user is not None:
            raise ValueError(
                f"mobility of node {self.id} cannot be replaced: {self.mobility_user} relies on "
                "it; set it before the device is made, or move the model that is there"
            )
        self.where = model

    cdef int rely_on_mobility(self, str user) except -1:
        self.mobility_user = user
        return 0

    cdef int add_listener(self, LinkListener listener, uint16_t ethertype) except -1:
        self.listeners.setdefault(ethertype, []).append(listener)
        return 0

    cdef int add_promiscuous(self, LinkListener listener) except -1:
        self.promiscuous.append(listener)
        return 0

    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1:
        cdef object listeners
        if packet_type != TO_OTHER:
            listeners = self.listeners.get(ethertype)
            if listeners is not None:
                for listener in <list>listeners:
                    (<LinkListener>listener).receive(
                        device, packet, ethertype, source, destination, packet_type
                    )
        for listener in self.promiscuous:
            (<LinkListener>listener).receive(
                device, packet, ethertype, source, destination, packet_type
            )
        return 0

    def listen(self, callback, ethertype=None):
        """Have a callable called with what the devices receive.

        Parameters
        ----------
        callback : callable
            Called with (device, packet, ethertype, source, destination, packet_type).
        ethertype : int, optional
            Only packets of this protocol that are for this node; by default everything that any
            device hears, frames to others included.
        """
        cdef CallableLinkListener listener = CallableLinkListener()
        if not callable(callback):
            raise TypeError(f"callback is {callback!r}: it must be callable")
        listener.callback = callback
        if ethertype is None:
            self.add_promiscuous(listener)
        else:
            self.add_listener(listener, ethertype)

    def __repr__(self):
        return f"<Node {self.id}>"


cdef int packet_type_of(uint64_t destination, uint64_t own) noexcept nogil:
    if destination == own:
        return TO_HOST
    if destination == BROADCAST_MAC:
        return TO_BROADCAST
    if is_group_mac(destination):
        return TO_MULTICAST
    return TO_OTHER


def create_nodes(Simulator sim not None, count):
    """New nodes of a simulator, as a list.

    Raises
    ------
    ValueError
        When the count is negative.
    """
    count = whole("count", count)
    if count < 0:
        raise ValueError(f"count is {count}: it must not be negative")
    return [Node(sim) for _ in range(count)]


def nodes_of(Simulator sim not None):
    """All nodes of a simulator, as a list, by number."""
    return list(network_state(sim).nodes)
