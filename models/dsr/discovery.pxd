"""Route discovery (RFC 4728 8.2): requests, replies, and what is learned from passing packets."""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from simcore.models.dsr.agent cimport DsrAgent
from simcore.models.dsr.header cimport DsrHeader
from simcore.models.dsr.options cimport RouteError, RouteReply, RouteRequest, SourceRoute
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.route cimport Route
from simcore.models.dsr.route_request_table cimport Discovery
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.packet cimport Packet
from simcore.simulator cimport Event, NativeTimer


cdef class RouteDiscovery(DsrAgent):
    cdef uint16_t next_request                 # identification of the next request
    cdef list pending_replies                  # PendingReply: from the cache, still delayed
    cdef list probes                           # HeldRequest: the link they came by is questionable
    cdef list held_errors                      # (RouteError, time): to ride on the next request

    cdef int on_discovery_timer(self, Discovery discovery) except -1
    cdef int send_request(self, Discovery discovery) except -1
    cdef tuple errors_to_spread(self)
    cdef int check_send_buffer(self) except -1
    cdef int route_found(self, uint32_t target) except -1

    cdef int process_request(
        self, Packet packet, DsrHeader header, uint64_t source_mac, bint probed, Port port,
    ) except -1
    cdef int reply_as_target(
        self, RouteRequest request, uint32_t initiator, Port port,
    ) except -1
    cdef bint reply_from_cache(
        self, RouteRequest request, uint32_t initiator, Port port,
    ) except -1
    cdef int pass_on(self, Packet packet, DsrHeader header, Port port) except -1
    cdef int probe(
        self, Packet packet, DsrHeader header, uint32_t transmitter, Port port,
    ) except -1
    # A reply with `reply_route` goes back by `way_back`, the nodes between here and `initiator`.
    cdef Packet build_reply(
        self, Route reply_route, Route way_back, uint32_t initiator, Port port,
    )
    cdef int process_reply(self, RouteReply reply, Ipv4Header ip) except -1
    # The initiator was seen to use a route of `hops` hops: longer replies are not needed any more.
    cdef int suppress_replies(self, uint32_t initiator, uint32_t target, int hops) except -1

    # A packet with this header was sent by `transmitter`, and received here as the next hop or
    # overheard.
    cdef int learn_from(
        self, DsrHeader header, Ipv4Header ip, uint32_t transmitter, bint next_hop,
    ) except -1
    cdef bint learn_reply(self, RouteReply reply, Ipv4Header ip, uint32_t transmitter) except -1
    cdef int learn_address(self, uint32_t neighbour, uint64_t mac, Port port) except -1
    cdef int last_own(self, Route route) except -2
    cdef int fold(self, uint32_t* chain, int count, int* at) except -1


cdef class PendingReply(Event):
    cdef RouteDiscovery agent
    cdef Packet packet
    cdef uint32_t initiator
    cdef uint32_t target
    cdef uint32_t next_hop
    cdef int hops


cdef class HeldRequest(Event):
    cdef RouteDiscovery agent
    cdef Packet packet
    cdef uint32_t neighbour
    cdef Port port
