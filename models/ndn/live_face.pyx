"""Faces over Unix and TCP sockets: how NFD's stream transport and link service treat packets.

A stream is a row of TLV elements. An element that is no packet, or a packet that is malformed, is
dropped and counted; when the stream cannot be cut into elements any more, or one announces more
than a packet may have, nothing after it means anything and the face is closed.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from simcore.bridge.realtime cimport RealTime
from simcore.bridge.stream cimport StreamConnection
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport POINT_TO_POINT, Face
from simcore.models.ndn.fragmentation cimport CongestionMarker
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LP_PACKET_TYPE, LpFields, LpPacket, new_fields, new_lp_packet
from simcore.models.ndn.processing cimport Processor
from simcore.models.ndn.tlv cimport var_size
from simcore.models.ndn.types cimport DATA_TYPE, INTEREST_TYPE

from simcore.models.ndn.lp import decode_packet
from simcore.models.ndn.tlv import TlvError

cdef enum:
    LOST = -2
    DEFAULT_QUEUE_LIMIT = 1 << 20


cdef inline int var_number(const uint8_t* p, Py_ssize_t size, uint64_t* number) noexcept nogil:
    """Bytes of the VAR-NUMBER at `p`; 0 when more are needed, LOST when it is malformed."""
    cdef int length, i
    cdef uint64_t n
    if size < 1:
        return 0
    n = p[0]
    if n < 253:
        number[0] = n
        return 1
    length = 3 if n == 253 else 5 if n == 254 else 9
    if size < length:
        return 0
    n = 0
    for i in range(1, length):
        n = n << 8 | p[i]
    if var_size(n) != length:
        return LOST
    number[0] = n
    return length


cdef Py_ssize_t element_end(const uint8_t* p, Py_ssize_t size) noexcept nogil:
    """Bytes of the element at `p`; 0 when its header is incomplete, LOST when it is none."""
    cdef uint64_t type = 0
    cdef uint64_t length = 0
    cdef int first = var_number(p, size, &type)
    cdef int second
    if first <= 0:
        return first
    if type == 0 or type > 0xFFFFFFFFU:
        return LOST
    second = var_number(p + first, size - first, &length)
    if second <= 0:
        return second
    if length > <uint64_t>(MAX_PACKET_SIZE - first - second):
        return LOST
    return first + second + <Py_ssize_t>length


@cython.final
cdef class LiveStream(StreamConnection):

    cdef Py_ssize_t received(self, const uint8_t* data, Py_ssize_t size) except -1:
        cdef Py_ssize_t used = 0
        cdef Py_ssize_t end
        while used < size:
            end = element_end(data + used, size - used)
            if end < 0:
                self.face.framing_lost = True
                return LOST
            if end == 0 or end > size - used:
                break
            self.face.frame(PyBytes_FromStringAndSize(<const char*>data + used, end))
            if not self.is_open:
                return used
            used += end
        return used

    cdef int closed(self) except -1:
        cdef LiveFace face = self.face
        cdef object owner
        self.face = None
        if face is not None and face.is_open:
            owner = face.sink
            if isinstance(owner, Processor):
                owner = (<Processor>owner).forwarder
            owner.remove_face(face)
        return 0


@cython.final
cdef class LiveFace(Face):
    """A program outside, connected by a Unix or TCP socket.

    Parameters
    ----------
    clock : RealTime
    sock : socket.socket
        Connected; the face takes it over.
    context : int
        Node of the forwarder.
    is_local : bool
        Whether the program runs on this machine: it may then use ``/localhost``.
    remote_uri, local_uri : str
    persistency : int
        0 persistent, 1 on demand, 2 permanent.
    queue_limit : int
        Bytes that may wait for a slow reader; further packets are dropped and counted.

    Attributes
    ----------
    in_malformed, in_refused, out_too_large : int
        Packets dropped: malformed, with fields that must not come from outside, above 8800 bytes.
    congestion_marked : int
        Packets marked because the program has been slow for a while, by NFD's defaults.
    framing_lost : bool
        Whether the face was closed because the stream could not be cut into packets.
    """

    def __init__(
        self, RealTime clock not None, sock, *, int32_t context=-1, bint is_local=True,
        str remote_uri="fd://0", str local_uri="unix://", int32_t persistency=ON_DEMAND,
        int64_t queue_limit=DEFAULT_QUEUE_LIMIT,
    ):
        super().__init__(is_local=is_local, link_type=POINT_TO_POINT, description=remote_uri)
        self.remote_uri = remote_uri
        self.local_uri = local_uri
        self.persistency = persistency
        self.marker = CongestionMarker()
        self.stream = LiveStream(clock, sock, context=context, queue_limit=queue_limit)
        self.stream.face = self

    def close(self):
        """Close it: its routes go, and its part in pending Interests; safe to call twice."""
        self.stream.close()

    @property
    def dropped(self):
        """Packets not sent because the reader is too slow."""
        return self.stream.dropped

    # From outside

    cdef int frame(self, bytes wire) except -1:
        try:
            return self.take(wire)
        except TlvError:
            self.in_malformed += 1
        return 0

    cdef int take(self, bytes wire) except -1:
        cdef int kind = <uint8_t>PyBytes_AS_STRING(wire)[0]
        if kind == INTEREST_TYPE:
            return self.deliver_interest(decode_packet(wire), None)
        if kind == DATA_TYPE:
            return self.deliver_data(decode_packet(wire), None)
        if kind == LP_PACKET_TYPE:
            return self.take_link_packet(wire)
        raise TlvError("neither an Interest, Data nor LpPacket")

    cdef int take_link_packet(self, bytes wire) except -1:
        cdef LpPacket packet = LpPacket.from_wire(wire)
        cdef object content
        cdef LpFields fields = packet.fields
        if packet.fragment is None:
            # An acknowledgement or nothing at all: no packet for the forwarder.
            return 0
        content = packet.network_packet()
        if not self.may_pass(packet, content):
            self.in_refused += 1
            return 0
        if fields is not None:
            fields = self.admitted(fields)
        if packet.nack_reason >= 0:
            return self.deliver_nack(<Interest>content, packet.nack_reason, fields)
        if isinstance(content, Interest):
            return self.deliver_interest(<Interest>content, fields)
        return self.deliver_data(<Data>content, fields)

    cdef bint may_pass(self, LpPacket packet, object content) except -1:
        """Whether the header fields may come with what the packet carries."""
        cdef LpFields fields = packet.fields
        if fields is None:
            return True
        if packet.nack_reason >= 0 or isinstance(content, Data):
            if fields.next_hop_face_id >= 0 or fields.non_discovery:
                return False
        if packet.nack_reason >= 0 or isinstance(content, Interest):
            if fields.cache_policy or fields.prefix_announcement is not None:
                return False
        return fields.next_hop_face_id < 0 or self.local_fields

    cdef LpFields admitted(self, LpFields fields):
        """Fields that the forwarder shall see of those that came."""
        cdef LpFields kept = fields.copy()
        kept.incoming_face_id = -1
        if not self.local_fields:
            kept.cache_policy = 0
        if self.is_local:
            kept.non_discovery = False
            kept.prefix_announcement = None
        return kept

    # To outside

    cpdef int send_interest(self, Interest interest, LpFields fields) except -1:
        """Send an Interest to the program."""
        return self.transmit(interest, interest.to_wire(), fields, -1)

    cpdef int send_data(self, Data data, LpFields fields) except -1:
        """Send Data to the program."""
        return self.transmit(data, data.to_wire(), fields, -1)

    cpdef int send_nack(self, Interest interest, int reason, LpFields fields) except -1:
        """Send a Nack to the program."""
        return self.transmit(interest, interest.to_wire(), fields, reason)

    cdef LpFields crossing(self, LpFields fields):
        """Fields that go out with a packet, None when there are none."""
        cdef LpFields sent
        cdef bint learning = not self.is_local and (
            fields.non_discovery or fields.prefix_announcement is not None
        )
        if (
            fields.pit_token is None and not fields.congestion_mark and not learning
            and not (self.local_fields and fields.incoming_face_id >= 0)
        ):
            return None
        sent = new_fields()
        sent.pit_token = fields.pit_token
        sent.congestion_mark = fields.congestion_mark
        if self.local_fields:
            sent.incoming_face_id = fields.incoming_face_id
        if learning:
            sent.non_discovery = fields.non_discovery
            sent.prefix_announcement = fields.prefix_announcement
        return sent

    cdef int transmit(
        self, object packet, bytes wire, LpFields fields, int nack_reason
    ) except -1:
        cdef LpPacket framed
        if not self.stream.is_open:
            return 0
        if fields is not None:
            fields = self.crossing(fields)
        if self.marker.observe(
            self.stream.clock.sim.now_ns, self.stream.queue_end - self.stream.queue_start
        ):
            fields = new_fields() if fields is None else fields
            fields.congestion_mark = 1
            self.congestion_marked += 1
        if fields is not None or nack_reason >= 0:
            framed = new_lp_packet(packet, <int32_t>PyBytes_GET_SIZE(wire), fields)
            framed.nack_reason = nack_reason
            wire = framed.to_wire()
        if PyBytes_GET_SIZE(wire) > MAX_PACKET_SIZE:
            self.out_too_large += 1
            return 0
        self.stream.send_bytes(<const uint8_t*>PyBytes_AS_STRING(wire), PyBytes_GET_SIZE(wire))
        return 0
