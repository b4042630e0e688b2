"""Nodes, their devices, and the protocols above the devices."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from simcore.models.network.packet cimport Packet
from simcore.simulator cimport Simulator

cdef enum:
    # Who a frame was for, as in ns-3's NetDevice::PacketType.
    TO_HOST = 0
    TO_BROADCAST = 1
    TO_MULTICAST = 2
    TO_OTHER = 3          # overheard in promiscuous mode

cdef enum:
    # IEEE 802 numbers (RFC 7042).
    ETHERTYPE_IPV4 = 0x0800
    ETHERTYPE_ARP = 0x0806
    ETHERTYPE_NDN = 0x8624

cdef uint64_t BROADCAST_MAC        # ff:ff:ff:ff:ff:ff as a number


cdef class LinkListener:
    """What a protocol above devices overrides to receive packets."""
    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1


cdef class TransmitListener:
    """What a protocol overrides to learn of the fate of unicast frames (link-layer feedback)."""
    cdef int transmitted(self, NetDevice device, Packet packet, uint64_t destination) except -1
    cdef int dropped(
        self, NetDevice device, Packet packet, uint64_t destination, str reason,
    ) except -1


cdef class NetDevice:
    cdef readonly Node node
    cdef readonly int32_t index            # position in Node.devices
    cdef uint64_t mac                      # 48-bit address as a number
    cdef readonly int32_t mtu              # largest packet handed to send(), bytes
    cdef readonly bint needs_arp           # neighbours are found by ARP
    cdef readonly object trace             # TraceSet
    cdef list transmit_listeners

    cdef int send(self, Packet packet, uint64_t destination, uint16_t ethertype) except -1
    cdef int deliver(
        self, Packet packet, uint16_t ethertype, uint64_t source, uint64_t destination,
        int packet_type,
    ) except -1
    # For devices that know the fate of a unicast frame: tell the transmit listeners.
    cdef int notify_transmitted(self, Packet packet, uint64_t destination) except -1
    cdef int notify_dropped(self, Packet packet, uint64_t destination, str reason) except -1


cdef class Node:
    cdef readonly Simulator sim
    cdef readonly int32_t id               # 0, 1, ... within the simulator; also its context
    cdef readonly list devices
    cdef readonly list applications
    cdef dict listeners                    # ethertype -> list of LinkListener
    cdef list promiscuous                  # LinkListener of every frame, TO_OTHER included
    cdef object where                      # MobilityModel, or None: the property `mobility`
    cdef object mobility_user              # who relies on it from now on, or None
    cdef readonly object ipv4              # Ipv4 stack, or None
    cdef dict __dict__                     # other protocols: node.dsr, node.ndn, ...
    cdef object __weakref__

    # The model that there is now is kept: replacing it would change nothing for the `user`.
    cdef int rely_on_mobility(self, str user) except -1
    cdef int add_listener(self, LinkListener listener, uint16_t ethertype) except -1
    cdef int add_promiscuous(self, LinkListener listener) except -1
    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1


# Who a frame to `destination` is for, seen from a device with the address `own`.
cdef int packet_type_of(uint64_t destination, uint64_t own) noexcept nogil
