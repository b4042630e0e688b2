"""UDP: the protocol of a node, and sockets."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

from simcore.models.internet.icmp_header cimport IcmpHeader
from simcore.models.internet.ipv4 cimport RX_OK, RX_UNREACHABLE, Interface, Ipv4
from simcore.models.internet.ipv4_header cimport LIMITED_BROADCAST, PROTOCOL_UDP, Ipv4Header
from simcore.models.internet.udp_header cimport UDP_MAX_PAYLOAD, UdpHeader, parse_udp, udp_header
from simcore.models.network.address cimport ipv4_address, ipv4_value, is_multicast_ipv4
from simcore.models.network.packet cimport Packet, new_packet
from simcore.models.network.wire cimport read_u16

from simcore.models.network.packet import PacketError

cdef enum:
    # RFC 6335 6: dynamic ports; ns-3 begins at the same one.
    FIRST_DYNAMIC_PORT = 49153
    LAST_PORT = 65535


cdef class UdpListener:
    """The owner of a socket."""

    cdef int receive(
        self, UdpSocket socket, Packet payload, Ipv4Header header, uint16_t source_port,
    ) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override receive()")

    cdef int failed(
        self, UdpSocket socket, IcmpHeader icmp, uint32_t destination, uint16_t port,
    ) except -1:
        return 0


cdef class CallableUdpListener(UdpListener):
    """Python callables as the owner of a socket."""

    cdef object on_receive
    cdef object on_error

    cdef int receive(
        self, UdpSocket socket, Packet payload, Ipv4Header header, uint16_t source_port,
    ) except -1:
        if self.on_receive is not None:
            self.on_receive(payload, ipv4_address(header.source), source_port)
        return 0

    cdef int failed(
        self, UdpSocket socket, IcmpHeader icmp, uint32_t destination, uint16_t port,
    ) except -1:
        if self.on_error is not None:
            self.on_error(icmp, ipv4_address(destination), port)
        return 0


cdef uint16_t port_number(object port, str name) except? 0:
    if not isinstance(port, int) or not 0 <= port <= LAST_PORT:
        raise ValueError(f"{name} is {port!r}: it must be a number from 0 to {LAST_PORT}")
    return port


cdef class UdpSocket:
    """A UDP socket.

    Parameters
    ----------
    node : Node
        A node with an internet stack.

    Attributes
    ----------
    port, peer_port : int
        0 until the socket is bound, or connected.
    ttl, tos : int
        Of the datagrams it sends.
    """

    def __init__(self, node):
        self.protocol = udp_of(node)
        self.ttl = self.protocol.stack.default_ttl

    @property
    def address(self):
        """Local address, or None when it takes what comes for any."""
        return ipv4_address(self.local) if self.local else None

    @property
    def peer_address(self):
        """Address that it is connected to, or None."""
        return ipv4_address(self.peer) if self.peer else None

    cdef int bind_c(self, uint32_t address, uint16_t port) except -1:
        cdef list others
        cdef UdpSocket other
        if self.port:
            raise ValueError(f"socket is bound to port {self.port} already")
        if port == 0:
            port = self.protocol.free_port()
        others = self.protocol.sockets.setdefault(port, [])
        for bound in others:
            other = bound
            if not other.peer and (other.local == address or not other.local or not address):
                raise ValueError(f"port {port} of {self.protocol.stack.node!r} is in use")
        others.append(self)
        self.local = address
        self.port = port
        return 0

    def bind(self, port=0, address=None):
        """Take datagrams that come for a port.

        Parameters
        ----------
        port : int
            0 for the next free one from 49153 on.
        address : Ipv4Address, str or int, optional
            Only datagrams for this address of the node.

        Raises
        ------
        ValueError
            When the socket is bound, the port in use, or the address not the node's.
        """
        cdef uint32_t local = 0 if address is None else ipv4_value(address)
        if local and not self.protocol.stack.is_local(local):
            raise ValueError(f"address is {address}: {self.protocol.stack.node!r} does not have it")
        self.bind_c(local, port_number(port, "port"))

    def connect(self, address, port):
        """Send to, and take datagrams from, one peer only; binds the socket if need be.

        Raises
        ------
        ValueError
            When the port is 0.
        """
        cdef uint16_t number = port_number(port, "port")
        if number == 0:
            raise ValueError("port is 0: a peer has a port from 1 to 65535")
        if not self.port:
            self.bind_c(0, 0)
        self.peer = ipv4_value(address)
        self.peer_port = number

    def close(self):
        """Give the port back; nothing is received any more."""
        cdef list sockets
        if self.port:
            sockets = self.protocol.sockets[self.port]
            sockets.remove(self)
            if not sockets:
                del self.protocol.sockets[self.port]
            self.port = 0
            self.peer = 0
            self.peer_port = 0

    def on_receive(self, callback):
        """Have a callable called with (payload, source address, source port) for each datagram."""
        (<CallableUdpListener>self.callable_listener()).on_receive = callback

    def on_error(self, callback):
        """Have a callable called with (icmp header, destination, port) for each ICMP error."""
        (<CallableUdpListener>self.callable_listener()).on_error = callback

    def callable_listener(self):
        if not isinstance(self.listener, CallableUdpListener):
            self.listener = CallableUdpListener()
        return self.listener

    def set_listener(self, UdpListener listener):
        """Hand what comes to a compiled listener, or to nobody (None)."""
        self.listener = listener

    def send(self, Packet payload not None):
        """Send to the connected peer; False when the datagram was dropped at once.

        Raises
        ------
        ValueError
            When the socket is not connected, or the payload too large.
        """
        if not self.peer_port:
            raise ValueError("socket is not connected: use connect or send_to")
        return self.send_to_c(payload, self.peer, self.peer_port) == 0

    def send_to(self, Packet payload not None, address, port):
        """Send to an address and port; False when the datagram was dropped at once.

        Raises
        ------
        ValueError
            When the payload is larger than 65,507 bytes.
        """
        return self.send_to_c(payload, ipv4_value(address), port_number(port, "port")) == 0

    cdef int send_to_c(self, Packet payload, uint32_t destination, uint16_t port) except -1:
        cdef Ipv4 stack = self.protocol.stack
        cdef Interface interface
        cdef uint32_t source = self.local
        cdef Py_ssize_t i
        cdef int dropped = 1
        if payload.size > UDP_MAX_PAYLOAD:
            raise ValueError(
                f"payload has {payload.size} bytes: UDP carries {UDP_MAX_PAYLOAD} at most"
            )
        if not self.port:
            self.bind_c(0, 0)
        if not source:
            if destination == LIMITED_BROADCAST or is_multicast_ipv4(destination):
                # A datagram of its own for each interface, from that interface's address.
                for i in range(1, len(stack.interfaces)):
                    interface = <Interface>stack.interfaces[i]
                    if interface.up and interface.primary:
                        dropped &= self.send_from(payload, interface.primary, destination, port)
                return dropped
            source = stack.source_for(destination)
        return self.send_from(payload, source, destination, port)

    cdef int send_from(
        self, Packet payload, uint32_t source, uint32_t destination, uint16_t port,
    ) except -1:
        return self.protocol.stack.send(
            payload.push_c(udp_header(source, self.port, destination, port, payload.size)),
            source, destination, PROTOCOL_UDP, <uint8_t>self.ttl, <uint8_t>self.tos,
        )

    cdef int match(self, Ipv4Header header, Interface interface, uint16_t source_port) noexcept:
        """How well a datagram fits: 0 not at all, 1 any address, 2 its own, 4 more for its peer."""
        cdef int score = 1
        if self.local:
            if self.local == header.destination:
                score = 2
            elif self.protocol.stack.is_local(header.destination):
                return 0
            elif not interface.has_address(self.local):
                # Groups are heard where they come in.
                return 0
        if self.peer_port:
            if self.peer_port != source_port:
                return 0
            if self.peer == header.source:
                score += 4
            elif self.protocol.stack.is_unicast(self.peer):
                return 0
        return score

    def __repr__(self):
        return f"<UdpSocket of node {self.protocol.stack.node.id}, port {self.port}>"


cdef class Udp(ProtocolHandler):
    """UDP of a node: hands datagrams to its sockets."""

    def __init__(self, Ipv4 stack not None):
        self.stack = stack
        self.sockets = {}
        self.last_port = FIRST_DYNAMIC_PORT - 1
        stack.node.udp = self
        stack.add_handler(PROTOCOL_UDP, self)

    cdef uint16_t free_port(self) except 0:
        cdef int _
        for _ in range(LAST_PORT - FIRST_DYNAMIC_PORT + 1):
            self.last_port += 1
            if self.last_port > LAST_PORT:
                self.last_port = FIRST_DYNAMIC_PORT
            if self.last_port not in self.sockets:
                return <uint16_t>self.last_port
        raise OverflowError(f"all dynamic UDP ports of {self.stack.node!r} are in use")

    cdef int receive(self, Packet packet, Ipv4Header header, Interface interface) except -1:
        cdef UdpHeader udp
        cdef UdpSocket socket, best = None
        cdef Packet payload
        cdef int score, best_score = 0
        cdef object sockets
        if type(packet.header) is UdpHeader:
            udp = <UdpHeader>packet.header
            payload = packet.inner
        else:
            try:
                udp, data = parse_udp(packet.to_bytes(), header.source, header.destination)
            except PacketError:
                self.stack.drop(packet.push_c(header), "malformed", interface)
                return RX_OK
            if not udp.checksum_ok:
                self.stack.drop(packet.push_c(header), "bad checksum", interface)
                return RX_OK
            payload = new_packet(
                packet.uid, packet.created, <int32_t>len(data), data, packet.innermost().tag
            )
        sockets = self.sockets.get(udp.destination_port)
        if sockets is None:
            return RX_UNREACHABLE
        if len(<list>sockets) == 1:
            # The common case; what does not match it is for nobody.
            best = <UdpSocket>(<list>sockets)[0]
            best_score = best.match(header, interface, udp.source_port)
        elif not self.stack.is_local(header.destination):
            for bound in list(<list>sockets):
                socket = <UdpSocket>bound
                if socket.match(header, interface, udp.source_port):
                    self.hand(socket, payload, header, udp.source_port)
                    best_score = 1
            return RX_OK if best_score else RX_UNREACHABLE
        else:
            for bound in <list>sockets:
                socket = <UdpSocket>bound
                score = socket.match(header, interface, udp.source_port)
                if score > best_score:
                    best = socket
                    best_score = score
        if best_score == 0:
            return RX_UNREACHABLE
        return self.hand(best, payload, header, udp.source_port)

    cdef int hand(
        self, UdpSocket socket, Packet payload, Ipv4Header header, uint16_t port,
    ) except -1:
        if socket.listener is not None:
            socket.listener.receive(socket, payload, header, port)
        return RX_OK

    cdef int failed(
        self, IcmpHeader icmp, Ipv4Header original, bytes data, uint32_t reporter,
    ) except -1:
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef UdpSocket socket
        if PyBytes_GET_SIZE(data) < 4:
            return 0
        for bound in list(self.sockets.get(read_u16(p), ())):
            socket = <UdpSocket>bound
            if socket.listener is not None and (
                not socket.peer_port or socket.peer == original.destination
            ):
                socket.listener.failed(socket, icmp, original.destination, read_u16(p + 2))
        return 0

    def __repr__(self):
        return f"<Udp of node {self.stack.node.id}>"


cdef Udp udp_of(object node):
    udp = getattr(node, "udp", None)
    if udp is None:
        raise ValueError(f"{node!r} has no internet stack: use install_internet first")
    return udp
