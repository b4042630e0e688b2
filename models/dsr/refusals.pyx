"""What makes no sense to a node or is not supported, and the answers (RFC 4728 8.1.5, 8.1.6)."""

from libc.stdint cimport uint8_t

from simcore.models.dsr.flows cimport FlowRouting
from simcore.models.dsr.header cimport DSR_FIXED_LENGTH, FLOW_STATE_BIT, DsrHeader
from simcore.models.dsr.options cimport (
    ACTION_DROP, ACTION_MARK, ACTION_MASK, ACTION_REMOVE, DESTINATION_FLOW,
    FLOW_STATE_NOT_SUPPORTED, OPTION_NOT_SUPPORTED, PAD_1, PAD_N, SEND_ERROR_BIT, TIMEOUT,
    DsrOption, SourceRoute, UnknownOption, other_error,
)
from simcore.models.internet.icmp_header cimport ICMP_ECHO_REPLY, ICMP_ECHO_REQUEST
from simcore.models.internet.ipv4_header cimport PROTOCOL_ICMP, Ipv4Header
from simcore.models.network.packet cimport Packet

cdef enum:
    LAST_POINTER = 255             # RFC 792: the pointer has 8 bits


cdef int visited(SourceRoute path) noexcept:
    """Nodes of a route, as received, that come before this one."""
    return path.route.count - path.segments_left if path is not None else 0


cdef class Refusals(FlowRouting):
    """`FlowRouting` with what is said about packets that this node cannot process."""

    cdef int report_segments_left(self, Packet packet, Ipv4Header ip, int pointer) except -1:
        """ICMP Parameter Problem about Segments Left (8.1.5)."""
        cdef bytes data = packet.inner.to_bytes()
        cdef Py_ssize_t rest
        if data[1] & FLOW_STATE_BIT:
            data = data[DSR_FIXED_LENGTH:]
        rest = DSR_FIXED_LENGTH + (data[2] << 8 | data[3])
        if self.stack.icmp is None or pointer > LAST_POINTER:
            return 0
        if data[0] == PROTOCOL_ICMP and not (
            rest < len(data) and data[rest] in (ICMP_ECHO_REPLY, ICMP_ECHO_REQUEST)
        ):
            # RFC 1122 3.2.2: no error about an error.
            return 0
        return self.stack.icmp.report_problem(<uint8_t>pointer, packet.inner, ip)

    cdef int refuse_flow(self, Packet packet) except -1:
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef SourceRoute path = None
        if type(packet.inner.inner.header) is DsrHeader:
            path = (<DsrHeader>packet.inner.inner.header).source_route
        self.drop(packet, "flow state not supported")
        if self.is_own(ip.source) or not self.stack.is_unicast(ip.source):
            return 0
        return self.send_error(
            other_error(FLOW_STATE_NOT_SUPPORTED, self.own, ip.source, 0, b""), (), path,
            visited(path),
        )

    cdef DsrHeader handle_unknown(self, Packet packet, DsrHeader header):
        cdef Ipv4Header ip = <Ipv4Header>packet.header
        cdef DsrOption option
        cdef bytes data
        cdef list kept = []
        cdef int action
        for item in header.options:
            if not isinstance(item, UnknownOption) and (
                self.flow_table is not None
                or (<DsrOption>item).type not in (TIMEOUT, DESTINATION_FLOW)
            ):
                kept.append(item)
                continue
            option = <DsrOption>item
            if option.type & SEND_ERROR_BIT and header.request is None and (
                not self.is_own(ip.source)
            ):
                self.send_error(
                    other_error(
                        OPTION_NOT_SUPPORTED, self.own, ip.source,
                        header.source_route.salvage if header.source_route is not None else 0,
                        bytes((option.type,)),
                    ),
                    (), header.source_route, visited(header.source_route),
                )
            action = option.type & ACTION_MASK
            if action == ACTION_DROP:
                return None
            if action == ACTION_REMOVE:
                continue
            if action == ACTION_MARK and option.length > 2:
                data = (<UnknownOption>option).data
                kept.append(UnknownOption(option.type, bytes((data[0] | 0x80,)) + data[1:]))
            else:
                kept.append(option)
        return DsrHeader(header.next_header, [
            item for item in kept if (<DsrOption>item).type not in (PAD_N, PAD_1)
        ])
