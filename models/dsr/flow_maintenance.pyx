"""Tables, errors and route maintenance of the flow state extension (RFC 4728 3.5, 5, 8.6)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from simcore.models.dsr.agent cimport outgoing
from simcore.models.dsr.default_flow_table cimport DefaultFlowTable
from simcore.models.dsr.flow_table cimport FlowEntry, FlowTable
from simcore.models.dsr.header cimport (
    NO_NEXT_HEADER, DsrHeader, FlowStateHeader, dsr_header, flow_header,
)
from simcore.models.dsr.maintenance cimport RouteMaintenance
from simcore.models.dsr.maintenance_buffer cimport ACK_LINK
from simcore.models.dsr.options cimport (
    ACK_REQUEST, ACK_REQUEST_LENGTH, ACK_REQUEST_LONG, DEFAULT_FLOW_UNKNOWN, DESTINATION_FLOW,
    FLOW_STATE_NOT_SUPPORTED, NODE_UNREACHABLE, OPTION_NOT_SUPPORTED, PAD_1, PAD_N, ROUTE_ERROR,
    TIMEOUT, UNKNOWN_FLOW, DsrOption, RouteError, ack_request, flow_destination, flow_of_error,
    source_route,
)
from simcore.models.dsr.port cimport Port
from simcore.models.dsr.send_buffer cimport Outgoing
from simcore.models.dsr.shortening_table cimport ShorteningTable
from simcore.models.internet.ipv4_header cimport PROTOCOL_DSR, Ipv4Header
from simcore.models.network.packet cimport Packet, make_packet

cdef enum:
    # Nodes known to lack the extension; more are forgotten all at once.
    MAX_UNSUPPORTING = 4096


cdef Packet without_flow(Packet packet):
    cdef FlowStateHeader flow = <FlowStateHeader>packet.inner.header
    cdef Packet body = packet.inner.inner
    return body.push_c((<Ipv4Header>packet.header).with_protocol(flow.next_header, body.size))


cdef Packet with_flow(Packet packet, uint8_t hop_count, uint16_t flow):
    cdef Ipv4Header ip = <Ipv4Header>packet.header
    cdef Packet body = packet.inner.push_c(flow_header(ip.protocol, hop_count, flow))
    return body.push_c(ip.with_protocol(PROTOCOL_DSR, body.size))


cdef tuple options_without(DsrHeader header, int first, int second):
    """Options but for padding and two types."""
    cdef list kept = []
    cdef int kind
    for option in header.options:
        kind = (<DsrOption>option).type
        if kind != PAD_1 and kind != PAD_N and kind != first and kind != second:
            kept.append(option)
    return tuple(kept)


cdef class FlowMaintenance(RouteMaintenance):
    """`RouteMaintenance` of packets without source route, when the extension is on."""

    def __init__(self, interface, parameters=None, stream=None, others=()):
        RouteMaintenance.__init__(self, interface, parameters, stream, others)
        if not self.parameters.flow_state:
            return
        self.flow_table = FlowTable(self.parameters.flow_table_size)
        self.default_flows = DefaultFlowTable(self.parameters.flow_table_size)
        self.shortening_table = ShorteningTable()
        self.flow_timeout = self.parameters.flow_timeout
        self.establishment = self.parameters.flow_establishment
        self.next_flow = {}
        self.unsupporting = set()

    cdef bint is_unrouted(self, DsrHeader header) noexcept:
        return header.source_route is None and header.request is None and (
            header.next_header != NO_NEXT_HEADER or self.is_flow_error(header)
        )

    cdef FlowEntry default_flow(self, Ipv4Header ip):
        cdef int64_t now = self.sim.now_ns
        cdef int32_t flow = self.default_flows.current(ip.source, ip.destination, now)
        if flow < 0:
            return None
        return self.flow_table.find(ip.source, ip.destination, <uint16_t>flow, now)

    # Errors about flows (7.3, 8.6.3)

    cdef int send_flow_error(self, RouteError error, Port port, uint32_t previous) except -1:
        """To the node that the packet came from, which knows the way back (3.5.4)."""
        cdef Outgoing notice = outgoing(
            make_packet(self.sim, 0, None, None), port.address, error.destination, NO_NEXT_HEADER,
            <uint8_t>self.stack.default_ttl, 0, (error,),
        )
        self.error_count += 1
        self.flow_error_count += 1
        if not previous:
            return self.originate(notice)
        return self.transmit(
            self.stack.make_packet(
                notice.segment.push_c(dsr_header(NO_NEXT_HEADER, notice.options)),
                notice.source, notice.destination, PROTOCOL_DSR, notice.ttl, 0,
            ),
            previous, True,
        )

    cdef bint pass_error_back(self, Packet packet, DsrHeader header) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef RouteError error = header.error
        cdef FlowEntry entry
        cdef int64_t now = self.sim.now_ns
        cdef int32_t flow
        if not self.is_flow_error(header) or self.is_own(ip.destination):
            return False
        if error.error_type == UNKNOWN_FLOW:
            flow = flow_of_error(error)
        else:
            flow = self.default_flows.current(error.destination, flow_destination(error), now)
        entry = None
        if flow >= 0:
            entry = self.flow_table.find(
                error.destination, flow_destination(error), <uint16_t>flow, now
            )
        if entry is None or entry.previous_hop == 0 or ip.ttl <= 1:
            self.drop(packet, "error of a flow that is not known")
        else:
            self.transmit(
                packet.inner.push_c(ip.with_ttl(ip.ttl - 1)), entry.previous_hop, True
            )
        return True

    cdef int process_errors(self, DsrHeader header, Ipv4Header ip, bint overheard) except -1:
        if self.flow_table is not None and not overheard and self.is_own(ip.destination):
            self.process_flow_errors(header)
        return RouteMaintenance.process_errors(self, header, ip, overheard)

    cdef int process_flow_errors(self, DsrHeader header) except -1:
        cdef RouteError error
        cdef FlowEntry entry
        cdef int64_t now = self.sim.now_ns
        cdef int32_t flow
        for option in header.options:
            if (<DsrOption>option).type != ROUTE_ERROR:
                continue
            error = <RouteError>option
            if not self.is_own(error.destination):
                continue
            if error.error_type == NODE_UNREACHABLE:
                # 8.6.3: no more packets along flows over the broken link.
                self.flow_table.break_link(error.source, error.unreachable)
            elif error.error_type == FLOW_STATE_NOT_SUPPORTED or (
                error.error_type == OPTION_NOT_SUPPORTED
                and error.information[0] in (TIMEOUT, DESTINATION_FLOW)
            ):
                if len(self.unsupporting) >= MAX_UNSUPPORTING:
                    self.unsupporting.clear()
                self.unsupporting.add(error.source)
                self.flow_table.remove_through(error.source)
            elif error.error_type in (UNKNOWN_FLOW, DEFAULT_FLOW_UNKNOWN):
                if error.error_type == UNKNOWN_FLOW:
                    flow = flow_of_error(error)
                else:
                    flow = self.default_flows.current(
                        error.destination, flow_destination(error), now
                    )
                if flow < 0:
                    continue
                entry = self.flow_table.find(
                    error.destination, flow_destination(error), <uint16_t>flow, now
                )
                if entry is not None:
                    entry.established = 0
        return 0

    # Route maintenance of flows

    cdef int link_failed(self, uint32_t next_hop, Packet packet) except -1:
        RouteMaintenance.link_failed(self, next_hop, packet)
        if self.flow_table is not None:
            self.flow_table.break_link(self.port_for(next_hop).address, next_hop)
        return 0

    cdef Packet source_routed(self, Packet packet):
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef Packet body = packet.inner
        cdef FlowStateHeader flow = None
        cdef DsrHeader header = None
        cdef FlowEntry entry
        cdef uint8_t protocol = ip.protocol
        cdef tuple options = ()
        cdef int left
        if self.flow_table is None:
            return packet
        if protocol == PROTOCOL_DSR and type(body.header) is FlowStateHeader:
            flow = <FlowStateHeader>body.header
            body = body.inner
            protocol = flow.next_header
        if protocol == PROTOCOL_DSR and type(body.header) is DsrHeader:
            header = <DsrHeader>body.header
            if flow is None and not self.is_unrouted(header) or self.is_flow_error(header):
                return packet
            body = body.inner
            protocol = header.next_header
            options = options_without(header, TIMEOUT, ACK_REQUEST)
        if header is None or header.source_route is None:
            if flow is None:
                entry = self.default_flow(ip)
            else:
                entry = self.flow_table.find(
                    ip.source, ip.destination, flow.flow, self.sim.now_ns
                )
            if entry is not None and entry.next_hop and not self.is_own(ip.source):
                left = entry.route.find(entry.next_hop)
                left = entry.route.count - left if left >= 0 else 0
                options += (source_route(entry.route, left, 0),)
        if len(options) == 0:
            return body.push_c(ip.with_protocol(protocol, body.size))
        body = body.push_c(dsr_header(protocol, options))
        return body.push_c(ip.with_protocol(PROTOCOL_DSR, body.size))

    cdef int send_fragments(self, Packet packet, uint32_t next_hop, bint control) except -1:
        if type(packet.inner.header) is FlowStateHeader:
            packet = self.source_routed(packet)
        return RouteMaintenance.send_fragments(self, packet, next_hop, control)

    cdef int32_t mtu(self, Port port) noexcept:
        cdef int32_t mtu = RouteMaintenance.mtu(self, port)
        if self.flow_table is not None and self.method != ACK_LINK:
            mtu -= ACK_REQUEST_LONG - ACK_REQUEST_LENGTH
        return mtu

    cdef Packet asking(self, Packet packet, uint16_t identification, uint32_t next_hop):
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef Packet body = packet.inner
        cdef FlowStateHeader flow = None
        cdef DsrHeader header = None
        cdef uint8_t protocol = ip.protocol
        cdef tuple options = ()
        if self.flow_table is None:
            return RouteMaintenance.asking(self, packet, identification, next_hop)
        if protocol == PROTOCOL_DSR and type(body.header) is FlowStateHeader:
            flow = <FlowStateHeader>body.header
            body = body.inner
            protocol = flow.next_header
        if protocol == PROTOCOL_DSR and type(body.header) is DsrHeader:
            header = <DsrHeader>body.header
            body = body.inner
            protocol = header.next_header
            options = options_without(header, ACK_REQUEST, ACK_REQUEST)
        # 3.5.8: who asks, where no source route tells it.
        options += (
            ack_request(
                identification,
                0 if header is not None and header.source_route is not None
                else self.port_for(next_hop).address,
            ),
        )
        body = body.push_c(dsr_header(protocol, options))
        packet = body.push_c(ip.with_protocol(PROTOCOL_DSR, body.size))
        if flow is not None:
            packet = with_flow(packet, flow.hop_count, flow.flow)
        return packet
