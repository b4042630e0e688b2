"""The state of a node's DSR, and what its parts do for each other.

The protocol is built in layers: `RouteDiscovery` (discovery.pxd) adds requests and replies to
`DsrAgent`, `RouteMaintenance` (maintenance.pxd) adds errors and salvaging, and `Dsr` (dsr.pxd) ties
them to IPv4 and the device.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from simcore.models.dsr.blacklist cimport Blacklist
from simcore.models.dsr.gratuitous_reply_table cimport GratuitousReplyTable
from simcore.models.dsr.header cimport DsrHeader
from simcore.models.dsr.maintenance_buffer cimport AckMethod, MaintenanceBuffer
from simcore.models.dsr.options cimport SourceRoute
from simcore.models.dsr.passive_buffer cimport PassiveBuffer
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.route cimport Route
from simcore.models.dsr.route_cache cimport RouteCache
from simcore.models.dsr.route_request_table cimport RouteRequestTable
from simcore.models.dsr.send_buffer cimport Outgoing, SendBuffer
from simcore.models.internet.ipv4 cimport Interface, Ipv4, Ipv4Shim
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.node cimport NetDevice, Node
from simcore.models.network.packet cimport Packet
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport NativeTimer, Simulator
from simcore.trace.source cimport TraceSource


cdef struct Switches:
    # Departures of ns-3 (parameters.py), all off by default.
    bint timer_verdict
    bint one_per_stream
    bint salvage_once
    bint no_return
    bint unmaintained_control
    bint error_discovery
    bint deaf_to_errors
    bint same_identification
    bint square_backoff
    bint late_replies
    bint all_reply
    bint no_learning
    bint one_reply
    bint stale_links
    bint slow_send_buffer
    bint no_blacklist
    bint arp


cdef class DsrAgent(Ipv4Shim):
    cdef readonly Node node
    cdef readonly Ipv4 stack
    cdef readonly Interface interface
    cdef readonly NetDevice device
    cdef readonly object parameters        # DsrParameters
    cdef Simulator sim
    cdef uint32_t own                      # address of the interface: the node's in its cache
    cdef readonly Port port                # of the interface
    cdef readonly tuple ports              # of all interfaces (RFC 4728 8.4)
    cdef bint many                         # there are others
    cdef dict neighbour_ports              # neighbour -> Port by which it is reached
    cdef RandomStream stream
    cdef Switches departs

    cdef readonly RouteCache cache
    cdef readonly SendBuffer send_buffer
    cdef readonly RouteRequestTable request_table
    cdef readonly MaintenanceBuffer maintenance_buffer
    cdef readonly PassiveBuffer passive_buffer
    cdef readonly GratuitousReplyTable gratuitous_replies
    cdef readonly Blacklist blacklist
    cdef NativeTimer send_buffer_timer

    # Settings that are read on the way of a packet (ns).
    cdef AckMethod method
    cdef int64_t broadcast_jitter
    cdef int64_t send_buffer_timeout
    cdef int max_salvage_count

    # Packets, unless said otherwise. "tx" counts each hop.
    cdef readonly int64_t originated_count     # data of this node's applications
    cdef readonly int64_t delivered_count      # data for this node that came with a DSR header
    cdef readonly int64_t forwarded_count      # data of others
    cdef readonly int64_t salvaged_count
    cdef readonly int64_t request_tx_count
    cdef readonly int64_t reply_tx_count
    cdef readonly int64_t error_tx_count
    cdef readonly int64_t ack_tx_count
    cdef readonly int64_t discovery_count      # requests that this node originated
    cdef readonly int64_t reply_count          # replies that this node originated, all kinds
    cdef readonly int64_t cached_reply_count   # of these, from the cache
    cdef readonly int64_t gratuitous_count     # of these, gratuitous
    cdef readonly int64_t suppressed_count     # replies given up (RFC 4728 8.2.5)
    cdef readonly int64_t error_count          # errors that this node originated
    cdef readonly int64_t link_break_count
    cdef readonly int64_t flow_count           # flows that this node set up (flow state extension)
    cdef readonly int64_t flow_tx_count        # data of this node without a source route
    cdef readonly int64_t flow_error_count     # unknown flows met here
    cdef readonly dict drops                   # reason -> packets

    cdef readonly object trace                 # TraceSet
    cdef TraceSource tx_trace
    cdef TraceSource rx_trace
    cdef TraceSource forward_trace
    cdef TraceSource drop_trace
    cdef TraceSource discovery_trace
    cdef TraceSource reply_trace
    cdef TraceSource break_trace
    cdef TraceSource salvage_trace

    # Send a packet of this node's: along a cached route, or after a discovery (RFC 4728 8.1.1).
    cdef int originate(self, Outgoing packet) except -1
    cdef int send_along(self, Outgoing packet, Route route) except -1
    cdef int wait_for_route(self, Outgoing packet, int64_t deadline) except -1
    cdef int expire_send_buffer(self) except -1
    cdef Packet build(self, Outgoing packet, Route route)
    cdef int drop(self, Packet packet, str reason) except -1
    cdef int count(self, DsrHeader header) except -1
    # A packet goes to a neighbour or, at once, to all.
    cdef int transmit(self, Packet packet, uint32_t next_hop, bint control) except -1
    cdef int send_fragments(self, Packet packet, uint32_t next_hop, bint control) except -1
    cdef int32_t mtu(self, Port port) noexcept
    cdef int broadcast(self, Packet packet, Port port) except -1
    # To a neighbour, or out of a port to all.
    cdef int after_jitter(
        self, int64_t delay, Packet packet, uint32_t next_hop, Port port,
    ) except -1
    cdef int pump(self, Port port) except -1

    # Several interfaces (RFC 4728 8.4).
    cdef bint is_own(self, uint32_t address) except -1
    cdef Port port_for(self, uint32_t neighbour)
    cdef Port port_at(self, uint32_t address)                # with this address, or None
    cdef Port port_of(self, NetDevice device)                # or None
    # The packet's next hop did not confirm it.
    cdef int link_failed(self, uint32_t next_hop, Packet packet) except -1
    # A route is needed; a packet for the target is in the send buffer.
    cdef int discover(self, uint32_t target) except -1


# The DSR header of a packet with IP header, or None.
cdef DsrHeader dsr_header_of(Packet packet)
cdef uint32_t next_hop_of(Packet packet) noexcept
# Who sent the packet with this source route over the last hop; `source` is the IP source.
cdef uint32_t transmitter_of(SourceRoute path, uint32_t source) noexcept
# `packet` (IP header included) with other DSR options and one hop less to live.
cdef Packet with_header(Packet packet, DsrHeader header, uint8_t ttl)
cdef Outgoing outgoing(
    Packet segment, uint32_t source, uint32_t destination, uint8_t protocol, uint8_t ttl,
    uint8_t tos, tuple options,
)
