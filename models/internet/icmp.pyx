"""ICMP: echo, and errors about packets that could not be delivered."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

from simcore.models.internet.icmp_header cimport (
    ICMP_ECHO_REPLY, ICMP_ECHO_REQUEST, ICMP_PARAMETER_PROBLEM, ICMP_TIME_EXCEEDED,
    ICMP_UNREACHABLE, IcmpHeader, icmp_header,
)
from simcore.models.internet.ipv4 cimport RX_OK, Interface, Ipv4, ProtocolHandler
from simcore.models.internet.ipv4_header cimport PROTOCOL_ICMP, Ipv4Header
from simcore.models.network.address cimport ipv4_address
from simcore.models.network.packet cimport Packet, make_packet, new_packet
from simcore.models.network.wire cimport read_u16
from simcore.trace.source cimport TraceSet

from simcore.models.network.packet import PacketError

cdef enum:
    # RFC 792: an error quotes the IP header and this much of what follows (bytes).
    QUOTED_BYTES = 8


cdef class EchoListener:
    """An application that sends echo requests."""

    cdef int echoed(self, IcmpHeader icmp, Packet payload, Ipv4Header header) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override echoed()")

    cdef int failed(self, IcmpHeader icmp, uint16_t sequence, uint32_t reporter) except -1:
        return 0


cdef class Icmp(ErrorReporter):
    """ICMP of a node: answers echo requests, sends errors and hands on those that come.

    Notes
    -----
    Trace sources: ``error_sent`` and ``error_received`` with (icmp header, IP header of the packet
    that it is about, address at the other end).
    """

    def __init__(self, Ipv4 stack not None):
        cdef TraceSet trace
        self.stack = stack
        self.echo_listeners = {}
        trace = TraceSet(
            self,
            error_sent="(icmp, header, destination) an error goes back to the sender of a packet",
            error_received="(icmp, header, reporter) an error about a packet of this node came",
        )
        self.trace = trace
        self.error_sent_trace = trace.source("error_sent")
        self.error_received_trace = trace.source("error_received")
        stack.add_handler(PROTOCOL_ICMP, self)

    cdef uint16_t add_echo_listener(self, EchoListener listener) except? 0:
        """Identifier for the echo requests of an application."""
        cdef int identifier
        for identifier in range(65536):
            if identifier not in self.echo_listeners:
                self.echo_listeners[identifier] = listener
                return <uint16_t>identifier
        raise OverflowError("all 65,536 echo identifiers of the node are in use")

    cdef int send_echo(
        self, uint32_t destination, uint16_t identifier, uint16_t sequence, Packet payload,
    ) except -1:
        return self.stack.send(
            payload.push_c(icmp_header(ICMP_ECHO_REQUEST, 0, identifier, sequence)),
            self.stack.source_for(destination), destination, PROTOCOL_ICMP,
            <uint8_t>self.stack.default_ttl, 0,
        )

    cdef int receive(self, Packet packet, Ipv4Header header, Interface interface) except -1:
        cdef IcmpHeader icmp
        cdef Packet payload
        if isinstance(packet.header, IcmpHeader):
            icmp = packet.header
            payload = packet.inner
        else:
            try:
                icmp, data = IcmpHeader.parse(packet.to_bytes())
            except PacketError:
                self.stack.drop(packet.push_c(header), "malformed", interface)
                return RX_OK
            payload = new_packet(
                packet.uid, packet.created, <int32_t>len(data), data, packet.innermost().tag
            )
        if not icmp.checksum_ok:
            self.stack.drop(packet.push_c(header), "bad checksum", interface)
            return RX_OK
        if icmp.type == ICMP_ECHO_REQUEST:
            self.answer(icmp, payload, header)
        elif icmp.type == ICMP_ECHO_REPLY:
            listener = self.echo_listeners.get(icmp.identifier)
            if listener is not None:
                (<EchoListener>listener).echoed(icmp, payload, header)
        elif icmp.type in (ICMP_UNREACHABLE, ICMP_TIME_EXCEEDED, ICMP_PARAMETER_PROBLEM):
            self.hand_error(icmp, payload, header)
        return RX_OK

    cdef int answer(self, IcmpHeader icmp, Packet payload, Ipv4Header header) except -1:
        cdef uint32_t source = header.destination
        if not self.stack.is_local(source):
            # RFC 1122 3.2.2.6: a request to a group may be ignored, and is when to a multicast.
            if self.stack.is_unicast(source) or source >> 28 == 0xE:
                return 0
            source = self.stack.source_for(header.source)
        return self.stack.send(
            payload.push_c(icmp_header(ICMP_ECHO_REPLY, 0, icmp.identifier, icmp.sequence)),
            source, header.source, PROTOCOL_ICMP, <uint8_t>self.stack.default_ttl, header.tos,
        )

    cdef int hand_error(self, IcmpHeader icmp, Packet payload, Ipv4Header header) except -1:
        """Hand an error to the protocol that sent the packet it quotes."""
        cdef Ipv4Header original
        cdef bytes quoted = payload.to_bytes()
        cdef bytes data
        cdef const uint8_t* p
        cdef object listener
        cdef int length
        # The quoted packet is cut off, so that its length field is too large to be parsed.
        if PyBytes_GET_SIZE(quoted) < 20:
            return self.stack.drop(payload, "malformed", None)
        p = <const uint8_t*>PyBytes_AS_STRING(quoted)
        length = (p[0] & 15) << 2
        if length > PyBytes_GET_SIZE(quoted):
            return self.stack.drop(payload, "malformed", None)
        data = quoted[length:]
        quoted = quoted[:2] + len(quoted).to_bytes(2, "big") + quoted[4:]
        try:
            original = Ipv4Header.parse(quoted)[0]
        except PacketError:
            return self.stack.drop(payload, "malformed", None)
        if self.error_received_trace.active:
            self.error_received_trace.emit3(icmp, original, ipv4_address(header.source))
        if original.protocol == PROTOCOL_ICMP:
            if PyBytes_GET_SIZE(data) >= QUOTED_BYTES and data[0] == ICMP_ECHO_REQUEST:
                p = <const uint8_t*>PyBytes_AS_STRING(data)
                listener = self.echo_listeners.get(read_u16(p + 4))
                if listener is not None:
                    (<EchoListener>listener).failed(icmp, read_u16(p + 6), header.source)
            return 0
        listener = self.stack.handlers[original.protocol]
        if listener is not None:
            (<ProtocolHandler>listener).failed(icmp, original, data, header.source)
        return 0

    cdef int report(
        self, uint8_t type, uint8_t code, uint16_t mtu, Packet packet, Ipv4Header header,
    ) except -1:
        return self.send_error(icmp_header(type, code, 0, mtu), packet, header)

    cdef int report_problem(self, uint8_t pointer, Packet packet, Ipv4Header header) except -1:
        return self.send_error(
            icmp_header(ICMP_PARAMETER_PROBLEM, 0, <uint16_t>(pointer << 8), 0), packet, header
        )

    cdef int send_error(self, IcmpHeader icmp, Packet packet, Ipv4Header header) except -1:
        """Send an error about a packet to its source."""
        cdef uint32_t source
        cdef bytes quoted
        # RFC 1122 3.2.2: never about an error, a broadcast or multicast, or a later fragment.
        if header.protocol == PROTOCOL_ICMP:
            if not isinstance(packet.header, IcmpHeader) or packet.header.is_error:
                return 0
        if header.offset or not header.source or not self.stack.is_unicast(header.destination):
            return 0
        if not self.stack.is_unicast(header.source):
            return 0
        source = header.destination
        if not self.stack.is_local(source):
            source = self.stack.source_for(header.source)
            if not source:
                return 0
        quoted = packet.push_c(header).to_bytes()[:header.length + QUOTED_BYTES]
        if self.error_sent_trace.active:
            self.error_sent_trace.emit3(icmp, header, ipv4_address(header.source))
        return self.stack.send(
            make_packet(self.stack.sim, <int32_t>len(quoted), quoted, None).push_c(icmp),
            source, header.source, PROTOCOL_ICMP, <uint8_t>self.stack.default_ttl, 0,
        )

    def __repr__(self):
        return f"<Icmp of node {self.stack.node.id}>"
