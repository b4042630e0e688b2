"""The IPv4 stack of a node, and what protocols above, below and beside it override."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from simcore.models.internet.icmp_header cimport IcmpHeader
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.node cimport LinkListener, NetDevice, Node
from simcore.models.network.packet cimport Packet
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport NativeTimer, Simulator
from simcore.trace.source cimport TraceSource

cdef enum:
    # What RoutingProtocol.route_output and route_input answer.
    ROUTE_NONE = 0         # the packet is dropped
    ROUTE_FOUND = 1        # `hop` says where it goes
    ROUTE_TAKEN = 2        # the protocol keeps the packet, and will send or drop it

cdef enum:
    # What ProtocolHandler.receive answers.
    RX_OK = 0
    RX_UNREACHABLE = 1     # nobody listens: an ICMP error goes back

ctypedef struct Hop:
    uint32_t next_hop      # neighbour to send to: the destination itself when it is on the link
    uint32_t source        # address to send from
    int32_t interface      # index in Ipv4.interfaces


cdef class ProtocolHandler:
    """What a protocol above IPv4 overrides."""
    cdef int receive(self, Packet packet, Ipv4Header header, Interface interface) except -1
    # An ICMP error about a packet of this protocol; `data` is the head of its payload.
    cdef int failed(
        self, IcmpHeader icmp, Ipv4Header original, bytes data, uint32_t reporter,
    ) except -1


cdef class ErrorReporter(ProtocolHandler):
    """What ICMP overrides: sends an error about a received packet, unless a rule forbids it."""
    cdef int report(
        self, uint8_t type, uint8_t code, uint16_t mtu, Packet packet, Ipv4Header header,
    ) except -1
    # A received packet has an octet that makes no sense, `pointer` octets after its start.
    cdef int report_problem(self, uint8_t pointer, Packet packet, Ipv4Header header) except -1


cdef class RoutingProtocol:
    """What a routing protocol overrides."""
    cdef readonly Ipv4 stack
    cdef bint watches              # `received` is called for every packet

    cdef int attach(self, Ipv4 stack) except -1
    # Route of a packet that this node is to send. After ROUTE_TAKEN (a route must be found first)
    # `hop.source` holds, and `defer` gets the packet.
    cdef int route_output(self, uint32_t destination, Hop* hop) except -1
    cdef int defer(self, Packet packet) except -1
    # Route of a received packet for another node. One that keeps it (ROUTE_TAKEN) sends it later by
    # Ipv4.forward_to, which takes the hop from its TTL.
    cdef int route_input(
        self, Packet packet, Ipv4Header header, Interface interface, Hop* hop,
    ) except -1
    cdef int received(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
    ) except -1
    # An interface went up or down, or an address was added.
    cdef int interface_changed(self, Interface interface) except -1


cdef class Ipv4Shim:
    """What a protocol between transport and IPv4 overrides (DSR)."""
    cdef readonly uint8_t protocol     # IP protocol number of its packets
    # A segment on its way down, before the IP header goes on; 1 when the shim took it.
    cdef int send(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ) except -1
    # A received packet of its protocol, whoever it is for, header included; 1 when it took it.
    cdef int receive(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
        int packet_type,
    ) except -1
    # A received packet of another protocol for another node, header included; 1 when it took it.
    cdef int pass_on_plain(
        self, Packet packet, Ipv4Header header, Interface interface, uint64_t source_mac,
    ) except -1
    # Address to send from.
    cdef uint32_t source_for(self, uint32_t destination) except? 0xFFFFFFFF


cdef class ResolutionListener:
    """What a protocol overrides to learn that a neighbour's MAC address was not found."""
    cdef int unresolved(self, Interface interface, Packet packet, uint32_t next_hop) except -1


cdef class ArpEntry:
    cdef readonly uint32_t address
    cdef uint64_t mac
    cdef int state
    cdef int64_t seen              # when the state was entered or confirmed, ns
    cdef int retries               # requests sent again
    cdef list pending              # packets that wait for the reply, IP headers included
    cdef NativeTimer timer         # next request
    cdef ArpCache cache


cdef class ArpCache:
    cdef readonly Interface interface
    cdef public int64_t alive_timeout          # ns
    cdef public int64_t dead_timeout           # ns
    cdef public int64_t wait_timeout           # between requests, ns
    cdef public int max_retries                # requests after the first
    cdef public int max_pending                # packets that wait, per neighbour
    cdef public double request_jitter          # largest wait before the first request, ms
    cdef public bint learn_from_requests       # RFC 826; ns-3 does not
    cdef readonly int64_t requests_sent
    cdef readonly int64_t replies_sent
    cdef dict entries                          # IPv4 address -> ArpEntry
    cdef dict by_mac                           # MAC address -> list of ArpEntry
    cdef ArpEntry recent                       # the last one looked up
    cdef RandomStream stream
    cdef Simulator sim

    # 0: `mac` holds; 1: the packet waits for a reply; 2: it was dropped.
    cdef int resolve(self, uint32_t next_hop, Packet packet, uint64_t* mac) except -1
    cdef ArpEntry find(self, uint32_t address)
    cdef ArpEntry entry(self, uint32_t address)
    # The neighbour was heard: its entry is alive from now on, made if need be.
    cdef int learn(self, uint32_t address, uint64_t mac) except -1
    cdef void refresh(self, uint32_t address, uint64_t mac) noexcept
    cdef uint32_t address_of(self, uint64_t mac) noexcept      # 0 when it is not known
    cdef int receive(self, Packet packet) except -1
    cdef int bind_mac(self, ArpEntry entry, uint64_t mac, int state) except -1
    cdef int wait(self, ArpEntry entry, Packet packet) except -1
    cdef int request(self, uint32_t address) except -1
    cdef int retry(self, ArpEntry entry) except -1


cdef class Interface:
    cdef readonly Ipv4 stack
    cdef readonly NetDevice device             # None: loopback
    cdef readonly int32_t index                # position in Ipv4.interfaces
    cdef readonly ArpCache arp                 # None where no addresses have to be found
    cdef readonly bint up
    cdef uint32_t primary                      # the first address, 0 when there is none
    cdef uint32_t mask
    cdef list others                           # (address, mask) of the further ones

    cdef bint has_address(self, uint32_t address) noexcept
    cdef bint is_broadcast(self, uint32_t address) noexcept    # limited or of one of its networks
    cdef uint32_t source_for(self, uint32_t destination) noexcept
    # Packet with IP header to a neighbour: 0 when sent or waiting for ARP, 1 when dropped.
    cdef int transmit(self, Packet packet, uint32_t next_hop) except -1


cdef class Ipv4(LinkListener):
    cdef readonly Node node
    cdef readonly list interfaces              # Interface; number 0 is the loopback
    cdef readonly RoutingProtocol routing
    cdef readonly Ipv4Shim shim                # or None
    cdef readonly ErrorReporter icmp           # or None
    cdef public bint forwarding                # whether packets for others are passed on
    cdef public int default_ttl
    cdef readonly object trace                 # TraceSet: tx, rx, forward, deliver, drop
    cdef Simulator sim
    cdef list by_device                        # device index -> Interface or None
    cdef list handlers                         # protocol number -> ProtocolHandler or None
    cdef list resolution_listeners
    cdef dict identifications                  # (source, destination, protocol) -> next
    cdef dict reassemblies                     # key -> Reassembly, oldest first
    cdef NativeTimer reassembly_timer
    cdef public int64_t reassembly_timeout     # ns
    cdef TraceSource tx_trace
    cdef TraceSource rx_trace
    cdef TraceSource forward_trace
    cdef TraceSource deliver_trace
    cdef TraceSource drop_trace

    # Transport segment to an address: through shim or routing. 0 when it went on its way (or is
    # kept until a route is found), 1 when it was dropped.
    cdef int send(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ) except -1
    # Packet with IP header to a neighbour, whose MAC address ARP finds; in fragments if too large.
    cdef int send_to_next_hop(self, Packet packet, uint32_t next_hop, Interface interface) except -1
    # The same with the MAC address known.
    cdef int send_to_mac(self, Packet packet, uint64_t mac, Interface interface) except -1
    # Header and segment joined, with the next identification number.
    cdef Packet make_packet(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    )
    # Segment to the protocol that `header` names, on this node; reassembles fragments.
    cdef int deliver(self, Packet packet, Ipv4Header header, Interface interface) except -1
    cdef int drop(self, Packet packet, str reason, Interface interface) except -1

    cdef bint is_local(self, uint32_t address) noexcept        # one of the node's own addresses
    cdef bint is_unicast(self, uint32_t address) noexcept
    cdef bint is_for_us(self, uint32_t address, Interface interface) noexcept
    cdef uint32_t source_for(self, uint32_t destination) except? 0xFFFFFFFF
    cdef Interface interface_of(self, NetDevice device)        # or None
    cdef int add_handler(self, uint8_t protocol, ProtocolHandler handler) except -1
    cdef int set_shim_c(self, Ipv4Shim shim) except -1

    cdef int broadcast(
        self, Packet transport, uint32_t source, uint32_t destination, uint8_t protocol,
        uint8_t ttl, uint8_t tos,
    ) except -1
    # Received packet for another node on its way: TTL, then send_to_next_hop.
    cdef int forward_to(self, Packet packet, uint32_t next_hop, Interface out) except -1
    cdef int forward(self, Packet packet, Ipv4Header header, Interface interface) except -1
    cdef int send_fragments(
        self, Packet packet, uint32_t next_hop, uint64_t mac, Interface interface,
    ) except -1
    cdef uint16_t next_identification(
        self, uint32_t source, uint32_t destination, uint8_t protocol,
    ) except? 0
    cdef Packet reassemble(self, Packet packet, Ipv4Header header, Interface interface)
    cdef int expire_reassemblies(self) except -1
