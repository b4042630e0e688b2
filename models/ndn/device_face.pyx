"""Faces over the devices of a node."""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t, uint16_t, uint64_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport AD_HOC, MULTI_ACCESS, POINT_TO_POINT, Face
from simcore.models.ndn.fragmentation cimport CongestionMarker
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.link_packet cimport (
    DATA_KIND, INTEREST_KIND, LINK_KIND, NACK_KIND, LinkPacket, new_link_packet,
)
from simcore.models.ndn.link_service cimport LinkService, has_local
from simcore.models.ndn.lp cimport (
    FRAGMENT_TYPE, HOP_COUNT_TYPE, LP_PACKET_TYPE, LpFields, LpPacket, nack_element_size,
    new_fields, new_lp_packet,
)
from simcore.models.ndn.reliability cimport Reliability
from simcore.models.ndn.tlv cimport element_size, number_element_size
from simcore.models.network.address cimport format_mac, is_group_mac, mac_address, mac_value
from simcore.models.network.node cimport (
    BROADCAST_MAC, ETHERTYPE_NDN, TO_HOST, LinkListener, NetDevice, Node,
)
from simcore.models.network.packet cimport Packet
from simcore.models.network.point_to_point cimport PointToPointDevice
from simcore.models.network.queue cimport DropTailQueue

from simcore.models.ndn.tlv import TlvError

cdef enum:
    MARKING_THRESHOLD = 65536      # NFD's default, bytes
    MARKING_INTERVAL = 100_000_000
    DEVICE_BITS = 48               # of a MAC address, in keys of neighbours
    ALL_HOPS = 32767


cdef class DeviceLinkService(LinkService):
    """Link service that transmits through a device."""

    cdef int transmit(self, LpPacket packet) except -1:
        cdef NetDeviceFace face = self.face
        cdef LinkPacket frame
        if not face.up:
            self.counters.down_drops += 1
            return 0
        frame = new_link_packet(self.sim, LINK_KIND, packet, packet.wire_size)
        if face.device.send(frame, face.destination, ETHERTYPE_NDN):
            self.counters.device_drops += 1
        return 0

    cdef int64_t queued(self) except -2:
        return self.face.queued_bytes()


cdef int default_link_type(NetDevice device, bint unicast) except -1:
    """Two ends, one neighbour by address, or all that hear a device."""
    if isinstance(device, PointToPointDevice) or unicast:
        return POINT_TO_POINT
    # Stations of a radio do not all hear each other.
    return AD_HOC if hasattr(device, "phy") else MULTI_ACCESS


cdef object queue_of(NetDevice device):
    """The queue of a device, or of the MAC of one, if it knows its bytes; else None."""
    queue = getattr(getattr(device, "mac_layer", device), "queue", None)
    return queue if hasattr(queue, "byte_count") else None


@cython.final
cdef class NetDeviceFace(Face):
    """A face over a network device.

    Packets travel as objects, with the size of their wire format; ethertype 0x8624. A face reaches
    the other end of a point-to-point link, everybody on a shared medium by broadcast, or one
    neighbour by its address. A device has at most one face without `remote`.

    Parameters
    ----------
    device : NetDevice
    link_type : LinkType, optional
        By default point-to-point over a link or towards one neighbour, ad hoc over a radio,
        multi-access over another shared medium.
    remote : MacAddress, str or int, optional
        The neighbour; by default all of them.
    mtu : int, optional
        Largest link packet, bytes; the device's by default.
    fragmentation, reassembly : bool
        Whether large packets are sent in fragments, and fragments put together.
    reliability : bool or dict
        Whether lost link packets are sent again; a dict has options of `Reliability`.
    congestion_marking : bool
        Whether packets are marked while the device's queue is long.
    congestion_threshold : int
        Bytes in the queue. A queue with less room than that never leads to a mark.
    congestion_interval : int
        ns.
    local_fields : bool
        Whether IncomingFaceId, NextHopFaceId and CachePolicy pass.
    hop_counts : bool
        Whether packets carry the number of links that they crossed, in ndnSIM's header field of
        three bytes. Both ends must agree.

    Raises
    ------
    ValueError
        When a parameter is out of range, or the device has such a face already.
    """

    def __init__(
        self, NetDevice device not None, *, link_type=None, remote=None, mtu=None,
        bint fragmentation=True, bint reassembly=True, reliability=False,
        bint congestion_marking=True, int64_t congestion_threshold=MARKING_THRESHOLD,
        int64_t congestion_interval=MARKING_INTERVAL, bint local_fields=False,
        bint hop_counts=False,
    ):
        cdef CongestionMarker marker = None
        cdef Reliability numbers = None
        cdef DeviceLinkService service
        cdef bint unicast = remote is not None
        if unicast:
            self.destination = mac_value(remote)
            if is_group_mac(self.destination):
                raise ValueError(f"remote is {remote}: it must be the address of one neighbour")
        else:
            self.destination = BROADCAST_MAC
        if mtu is not None and not 1 <= mtu <= device.mtu:
            raise ValueError(f"mtu is {mtu} bytes: it must be 1 to {device.mtu}, the device's")
        if congestion_threshold < 0:
            raise ValueError(
                f"congestion_threshold is {congestion_threshold} bytes: it must not be negative"
            )
        if congestion_interval < 1:
            raise ValueError(
                f"congestion_interval is {congestion_interval} ns: it must be positive"
            )
        Face.__init__(
            self,
            link_type=default_link_type(device, unicast) if link_type is None else link_type,
            description=f"netdev://[{format_mac(device.mac)}]",
        )
        if reliability or isinstance(reliability, dict):
            if not unicast and not isinstance(device, PointToPointDevice):
                raise ValueError(
                    "reliability needs one neighbour: give the face of a shared medium a remote"
                )
            numbers = Reliability(
                device.node.sim, **(reliability if isinstance(reliability, dict) else {})
            )
        self.device = device
        self.sim = device.node.sim
        self.is_unicast = unicast
        self.hop_counts = hop_counts
        queue = queue_of(device)
        if isinstance(queue, DropTailQueue):
            self.queue = queue
        else:
            self.other_queue = queue
        self.simple = numbers is None
        if congestion_marking and queue is not None:
            marker = CongestionMarker(congestion_threshold, congestion_interval)
        service = DeviceLinkService(
            self.sim, device.mtu if mtu is None else mtu, fragmentation=fragmentation,
            reassembly=reassembly, local_fields=local_fields, reliability=numbers, marker=marker,
        )
        service.face = self
        self.service = service
        self.up = True
        port_of(device.node).attach(self)

    @property
    def remote(self):
        """Address of the neighbour, or None."""
        return mac_address(self.destination) if self.is_unicast else None

    @property
    def link_counters(self):
        """What the link service counted."""
        return self.service.counters

    def close(self):
        """Stop using the device; the forwarder's `remove_face` is the other half."""
        self.up = False
        port_of(self.device.node).detach(self)

    cpdef int send_interest(self, Interest interest, LpFields fields) except -1:
        """Send an Interest to the neighbours."""
        return self.send_network(INTEREST_KIND, interest, interest.size, -1, fields)

    cpdef int send_data(self, Data data, LpFields fields) except -1:
        """Send Data to the neighbours."""
        return self.send_network(DATA_KIND, data, data.size, -1, fields)

    cpdef int send_nack(self, Interest interest, int reason, LpFields fields) except -1:
        """Send a Nack of an Interest to the neighbours."""
        return self.send_network(NACK_KIND, interest, interest.size, reason, fields)

    cdef int send_network(
        self, int kind, object content, Py_ssize_t size, int reason, LpFields fields
    ) except -1:
        cdef Py_ssize_t headers = 0
        cdef LinkPacket packet
        cdef LpPacket whole
        if not self.up:
            self.service.counters.down_drops += 1
            return 0
        if fields is not None:
            fields = self.service.outgoing(fields)
            headers = fields.size()
        if self.hop_counts:
            headers += number_element_size(
                HOP_COUNT_TYPE, 0 if fields is None else <uint64_t>fields.hop_count
            )
        if reason >= 0:
            headers += nack_element_size(reason)
        if not self.simple or size + headers > self.service.room:
            whole = new_lp_packet(content, <int>size, fields)
            whole.nack_reason = reason
            whole.carries_hops = self.hop_counts
            return self.service.send(whole, kind == INTEREST_KIND)
        if self.is_marked():
            self.service.counters.congestion_marked += 1
            if fields is None:
                fields = new_fields()
            else:
                headers -= fields.size()
                fields = fields.copy()
            fields.congestion_mark = 1
            headers += fields.size()
        if headers:
            size = element_size(LP_PACKET_TYPE, headers + element_size(FRAGMENT_TYPE, size))
        packet = new_link_packet(self.sim, kind, content, size)
        packet.fields = fields
        packet.nack_reason = reason
        packet.carries_hops = self.hop_counts
        if self.device.send(packet, self.destination, ETHERTYPE_NDN):
            self.service.counters.device_drops += 1
        return 0

    cdef bint is_marked(self) except -1:
        """Whether the packet to be sent now carries a congestion mark."""
        cdef CongestionMarker marker = self.service.marker
        cdef int64_t queued
        if marker is None:
            return False
        queued = self.queued_bytes()
        if queued <= marker.threshold and marker.next_mark == INT64_MAX:
            return False
        return marker.observe(self.sim.now_ns, queued)

    cdef int64_t queued_bytes(self) except -2:
        """Bytes that wait in the device's queue; -1 when it does not tell."""
        if self.queue is not None:
            return self.queue.byte_count
        return -1 if self.other_queue is None else self.other_queue.byte_count

    cdef int arrive(self, Packet packet, uint64_t source) except -1:
        cdef LinkPacket link
        cdef LpPacket whole
        if not self.up:
            self.service.counters.down_drops += 1
            return 0
        if not isinstance(packet, LinkPacket):
            try:
                whole = LpPacket.from_wire(packet.to_bytes())
            except TlvError:
                self.service.counters.lp_invalid += 1
                return 0
            whole = self.service.receive(whole, source)
            return 0 if whole is None else self.take_wire(whole)
        link = <LinkPacket>packet
        if link.kind != LINK_KIND and self.simple:
            return self.dispatch(link.kind, link.content, link.nack_reason, link.fields)
        whole = self.service.receive(link.as_lp(), source)
        if whole is None:
            return 0
        return self.take_wire(whole)

    cdef int take_wire(self, LpPacket packet) except -1:
        """Take a complete network packet, which may be bytes."""
        try:
            content = packet.network_packet()
        except TlvError:
            self.service.counters.network_invalid += 1
            return 0
        return self.dispatch(
            NACK_KIND if packet.nack_reason >= 0
            else INTEREST_KIND if isinstance(content, Interest) else DATA_KIND,
            content, packet.nack_reason, packet.fields,
        )

    cdef int dispatch(self, int kind, object content, int reason, LpFields fields) except -1:
        """Hand a network packet to the forwarder."""
        if fields is not None:
            if (
                has_local(fields) or fields.non_discovery or fields.prefix_announcement is not None
            ):
                if not self.service.acceptable(fields, kind):
                    return 0
            if fields.incoming_face_id >= 0:
                fields = fields.copy()
                fields.incoming_face_id = -1
        if self.hop_counts:
            # A broadcast hands one object to several receivers.
            fields = new_fields() if fields is None else fields.copy()
            if fields.hop_count < ALL_HOPS:
                fields.hop_count += 1
        if kind == INTEREST_KIND:
            return self.deliver_interest(<Interest>content, fields)
        if kind == DATA_KIND:
            return self.deliver_data(<Data>content, fields)
        return self.deliver_nack(<Interest>content, reason, fields)


cdef NdnPort port_of(Node node):
    """The port of a node, made when it is needed first."""
    cdef NdnPort port
    for listener in node.listeners.get(ETHERTYPE_NDN, ()):
        if isinstance(listener, NdnPort):
            return listener
    port = NdnPort()
    node.add_listener(port, ETHERTYPE_NDN)
    return port


@cython.final
cdef class NdnPort(LinkListener):
    """Brings what a node's devices receive to its faces."""

    def __init__(self):
        self.shared = []
        self.unicast = {}

    cdef int attach(self, NetDeviceFace face) except -1:
        cdef int index = face.device.index
        if face.is_unicast:
            key = <uint64_t>index << DEVICE_BITS | face.destination
            if key in self.unicast:
                raise ValueError(f"{face.device!r} has a face towards {face.remote} already")
            self.unicast[key] = face
            return 0
        while len(self.shared) <= index:
            self.shared.append(None)
        if self.shared[index] is not None:
            raise ValueError(f"{face.device!r} has a face already")
        self.shared[index] = face
        return 0

    cdef int detach(self, NetDeviceFace face) except -1:
        cdef int index = face.device.index
        if face.is_unicast:
            key = <uint64_t>index << DEVICE_BITS | face.destination
            if self.unicast.get(key) is face:
                del self.unicast[key]
        elif self.shared[index] is face:
            self.shared[index] = None
        return 0

    cdef int receive(
        self, NetDevice device, Packet packet, uint16_t ethertype,
        uint64_t source, uint64_t destination, int packet_type,
    ) except -1:
        cdef object face = None
        if self.unicast and packet_type == TO_HOST:
            face = self.unicast.get(<uint64_t>device.index << DEVICE_BITS | source)
        if face is None and device.index < len(self.shared):
            face = self.shared[device.index]
        if face is None:
            self.unclaimed += 1
            return 0
        return (<NetDeviceFace>face).arrive(packet, source)
