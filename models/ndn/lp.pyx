"""NDNLPv2 packets (NFD wiki, "NDNLPv2")."""

from enum import IntEnum

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from simcore.models.ndn.data cimport Data, decode_data
from simcore.models.ndn.interest cimport Interest, decode_interest
from simcore.models.ndn.tlv cimport (
    Element, Reader, element_size, next_element, number_element_size, read_nonnegative,
    sole_element, value_of, write_big_endian, write_bytes, write_header, write_number,
)
from simcore.models.ndn.types cimport DATA_TYPE, INTEREST_TYPE

from simcore.models.ndn.tlv import TlvError

cdef enum:
    # Unknown headers in this range may be ignored when their two low bits are 0.
    FIRST_EXTENSION = 800
    LAST_EXTENSION = 959
    MAX_PIT_TOKEN = 32
    FIXED_NUMBER_SIZE = 8      # Sequence, TxSequence and Ack always have eight bytes


class NackReason(IntEnum):
    """Why a forwarder could not satisfy an Interest (NDNLPv2 "Network Nack")."""

    NONE = NACK_NONE
    CONGESTION = NACK_CONGESTION
    DUPLICATE = NACK_DUPLICATE
    NO_ROUTE = NACK_NO_ROUTE


cdef int64_t MAX_FIELD = 0x7FFFFFFFFFFFFFFF


cdef LpFields new_fields():
    cdef LpFields fields = LpFields.__new__(LpFields)
    fields.incoming_face_id = -1
    fields.next_hop_face_id = -1
    return fields


@cython.final
@cython.freelist(64)
cdef class LpFields:
    """Header fields that belong to a network packet; immutable once handed to a face.

    Parameters
    ----------
    pit_token : bytes, optional
        1 to 32 bytes, returned with the answer.
    incoming_face_id, next_hop_face_id : int, optional
    no_cache : bool
        CachePolicy NoCache.
    congestion_mark : int
    non_discovery : bool
    prefix_announcement : bytes, optional
        Wire format of a Data.
    hop_count : int
        Links crossed; of the simulation, not on the wire.
    """

    def __init__(
        self, *, pit_token=None, incoming_face_id=None, next_hop_face_id=None,
        bint no_cache=False, congestion_mark=0, bint non_discovery=False,
        prefix_announcement=None, hop_count=0,
    ):
        if pit_token is not None and not 1 <= len(pit_token) <= MAX_PIT_TOKEN:
            raise ValueError(f"pit_token has {len(pit_token)} bytes: it must have 1 to 32")
        self.pit_token = pit_token
        self.incoming_face_id = -1 if incoming_face_id is None else incoming_face_id
        self.next_hop_face_id = -1 if next_hop_face_id is None else next_hop_face_id
        self.cache_policy = NO_CACHE if no_cache else 0
        self.congestion_mark = congestion_mark
        self.non_discovery = non_discovery
        self.prefix_announcement = prefix_announcement
        self.hop_count = hop_count

    cdef LpFields copy(self):
        cdef LpFields fields = LpFields.__new__(LpFields)
        fields.incoming_face_id = self.incoming_face_id
        fields.next_hop_face_id = self.next_hop_face_id
        fields.pit_token = self.pit_token
        fields.prefix_announcement = self.prefix_announcement
        fields.congestion_mark = self.congestion_mark
        fields.cache_policy = self.cache_policy
        fields.hop_count = self.hop_count
        fields.non_discovery = self.non_discovery
        return fields

    cdef Py_ssize_t size(self) noexcept:
        cdef Py_ssize_t size = 0
        if self.pit_token is not None:
            size += element_size(PIT_TOKEN_TYPE, PyBytes_GET_SIZE(self.pit_token))
        if self.incoming_face_id >= 0:
            size += number_element_size(INCOMING_FACE_ID_TYPE, self.incoming_face_id)
        if self.next_hop_face_id >= 0:
            size += number_element_size(NEXT_HOP_FACE_ID_TYPE, self.next_hop_face_id)
        if self.cache_policy:
            size += element_size(
                CACHE_POLICY_TYPE, number_element_size(CACHE_POLICY_TYPE_TYPE, self.cache_policy)
            )
        if self.congestion_mark:
            size += number_element_size(CONGESTION_MARK_TYPE, self.congestion_mark)
        if self.non_discovery:
            size += element_size(NON_DISCOVERY_TYPE, 0)
        if self.prefix_announcement is not None:
            size += element_size(PREFIX_ANNOUNCEMENT_TYPE, len(self.prefix_announcement))
        return size

    @property
    def no_cache(self):
        """Whether the Data must not be cached."""
        return self.cache_policy == NO_CACHE

    def __repr__(self):
        shown = {
            "pit_token": self.pit_token,
            "incoming_face_id": None if self.incoming_face_id < 0 else self.incoming_face_id,
            "next_hop_face_id": None if self.next_hop_face_id < 0 else self.next_hop_face_id,
            "no_cache": self.no_cache or None,
            "congestion_mark": self.congestion_mark or None,
            "non_discovery": self.non_discovery or None,
            "prefix_announcement": self.prefix_announcement,
            "hop_count": self.hop_count or None,
        }
        listed = ", ".join([f"{key}={value!r}" for key, value in shown.items()
                            if value is not None])
        return f"LpFields({listed})"


cdef LpPacket new_lp_packet(object fragment, int32_t size, LpFields fields):
    """Packet around a whole network packet of `size` bytes."""
    cdef LpPacket packet = LpPacket.__new__(LpPacket)
    packet.fields = fields
    packet.frag_index = -1
    packet.frag_count = -1
    packet.nack_reason = -1
    packet.acks = ()
    packet.fragment = fragment
    packet.stop = size
    return packet


cdef int set_number(dict values, Element* element, str field) except -1:
    cdef uint64_t number
    read_nonnegative(element, field, &number)
    if number > <uint64_t>MAX_FIELD:
        raise TlvError(f"{field} is {number}: it must be below 2**63")
    values[field] = <int64_t>number
    return 0


cdef uint64_t fixed_number(Element* element, str field) except? 0:
    cdef uint64_t number
    if element.length != FIXED_NUMBER_SIZE:
        raise TlvError(f"{field} has {element.length} bytes: it must have {FIXED_NUMBER_SIZE}")
    read_nonnegative(element, field, &number)
    return number


cdef int decode_nack(Element* nack) except -1:
    """Reason of a Nack; unknown ones, and none, are 0."""
    cdef Reader reader
    cdef Element element
    cdef uint64_t number
    cdef int reason = 0
    reader.p = nack.value
    reader.end = nack.value + nack.length
    while next_element(&reader, &element):
        if element.type == NACK_REASON_TYPE:
            read_nonnegative(&element, "NackReason", &number)
            if number == NACK_CONGESTION or number == NACK_DUPLICATE or number == NACK_NO_ROUTE:
                reason = <int>number
    return reason


cdef int decode_cache_policy(Element* policy) except -1:
    cdef Reader reader
    cdef Element element
    cdef uint64_t number
    reader.p = policy.value
    reader.end = policy.value + policy.length
    while next_element(&reader, &element):
        if element.type == CACHE_POLICY_TYPE_TYPE:
            read_nonnegative(&element, "CachePolicyType", &number)
            return NO_CACHE if number == NO_CACHE else 0
    raise TlvError("CachePolicy has no CachePolicyType")


cdef int check_announcement(Element* announcement) except -1:
    cdef Element data
    cdef bytes wire = value_of(announcement)
    sole_element(wire, &data)
    decode_data(&data, wire)
    return 0


@cython.final
@cython.freelist(64)
cdef class LpPacket:
    """One link-layer packet; immutable.

    Parameters
    ----------
    fragment : Interest, Data or bytes, optional
        What it carries; bytes are a network packet or a part of one.
    fields : LpFields, optional
        Header fields of the network packet.
    nack_reason : int, optional
        Makes it a Nack of the Interest that it carries.
    sequence, frag_index, frag_count, tx_sequence : int, optional
    acks : iterable of int
        Numbers of the packets received, for reliability.
    carries_hops : bool
        Whether the hop count is on the wire, as ndnSIM has it; it is no field of NDNLPv2.
    """

    def __init__(
        self, fragment=None, fields=None, *, nack_reason=None, sequence=None, frag_index=None,
        frag_count=None, tx_sequence=None, acks=(), bint carries_hops=False,
    ):
        if fragment is not None and not isinstance(fragment, (bytes, Interest, Data)):
            raise TypeError(f"fragment is {fragment!r}: it must be an Interest, Data or bytes")
        self.fields = fields
        self.fragment = fragment
        self.stop = 0 if fragment is None else size_of(fragment)
        self.nack_reason = -1 if nack_reason is None else nack_reason
        self.frag_index = -1 if frag_index is None else frag_index
        self.frag_count = -1 if frag_count is None else frag_count
        if sequence is not None:
            self.has_sequence = True
            self.sequence = sequence
        if tx_sequence is not None:
            self.has_tx_sequence = True
            self.tx_sequence = tx_sequence
        self.acks = tuple([<uint64_t>ack for ack in acks])
        self.carries_hops = carries_hops

    @staticmethod
    def from_wire(bytes wire not None):
        """Packet of its wire format; a bare Interest or Data is a packet without header fields.

        The fragment is left as bytes; `network_packet` decodes it.

        Raises
        ------
        TlvError
            When the bytes are no well-formed packet; the message says why.
        """
        cdef Element packet, element
        cdef Reader reader
        cdef LpPacket result
        cdef LpFields fields = new_fields()
        cdef dict numbers = {}
        cdef list acks = []
        cdef bint tagged = False
        cdef bint fragment_seen = False
        cdef uint64_t last = 0
        sole_element(wire, &packet)
        if packet.type == INTEREST_TYPE or packet.type == DATA_TYPE:
            return new_lp_packet(wire, <int32_t>PyBytes_GET_SIZE(wire), None)
        if packet.type != LP_PACKET_TYPE:
            raise TlvError(
                f"packet has type {packet.type}: it is neither an Interest, Data nor LpPacket"
            )
        result = new_lp_packet(None, 0, None)
        reader.p = packet.value
        reader.end = packet.value + packet.length
        while next_element(&reader, &element):
            if fragment_seen:
                raise TlvError(f"element of type {element.type} follows the Fragment")
            if element.type == FRAGMENT_TYPE:
                fragment_seen = True
                result.fragment = value_of(&element)
                result.stop = <int32_t>element.length
                continue
            if element.type < last or (element.type == last and element.type != ACK_TYPE):
                raise TlvError(
                    f"LpPacket has an element of type {element.type} after one of type {last}: "
                    "it must have each header once, in ascending order"
                )
            last = element.type
            if element.type == SEQUENCE_TYPE:
                result.has_sequence = True
                result.sequence = fixed_number(&element, "Sequence")
            elif element.type == FRAG_INDEX_TYPE:
                set_number(numbers, &element, "FragIndex")
                result.frag_index = numbers["FragIndex"]
            elif element.type == FRAG_COUNT_TYPE:
                set_number(numbers, &element, "FragCount")
                result.frag_count = numbers["FragCount"]
            elif element.type == PIT_TOKEN_TYPE:
                if not 1 <= element.length <= MAX_PIT_TOKEN:
                    raise TlvError(f"PitToken has {element.length} bytes: it must have 1 to 32")
                fields.pit_token = value_of(&element)
                tagged = True
            elif element.type == NACK_TYPE:
                result.nack_reason = decode_nack(&element)
            elif element.type == INCOMING_FACE_ID_TYPE:
                set_number(numbers, &element, "IncomingFaceId")
                fields.incoming_face_id = numbers["IncomingFaceId"]
                tagged = True
            elif element.type == NEXT_HOP_FACE_ID_TYPE:
                set_number(numbers, &element, "NextHopFaceId")
                fields.next_hop_face_id = numbers["NextHopFaceId"]
                tagged = True
            elif element.type == CACHE_POLICY_TYPE:
                fields.cache_policy = decode_cache_policy(&element)
                tagged = True
            elif element.type == CONGESTION_MARK_TYPE:
                set_number(numbers, &element, "CongestionMark")
                fields.congestion_mark = numbers["CongestionMark"]
                tagged = True
            elif element.type == ACK_TYPE:
                acks.append(fixed_number(&element, "Ack"))
            elif element.type == TX_SEQUENCE_TYPE:
                result.has_tx_sequence = True
                result.tx_sequence = fixed_number(&element, "TxSequence")
            elif element.type == NON_DISCOVERY_TYPE:
                if element.length:
                    raise TlvError(f"NonDiscovery has {element.length} bytes: it must be empty")
                fields.non_discovery = True
                tagged = True
            elif element.type == PREFIX_ANNOUNCEMENT_TYPE:
                check_announcement(&element)
                fields.prefix_announcement = value_of(&element)
                tagged = True
            elif not FIRST_EXTENSION <= element.type <= LAST_EXTENSION or element.type & 3:
                raise TlvError(f"LpPacket has an unknown header of type {element.type}")
        if tagged:
            result.fields = fields
        result.acks = tuple(acks)
        return result

    cdef LpPacket copy(self):
        cdef LpPacket packet = new_lp_packet(self.fragment, self.stop, self.fields)
        packet.start = self.start
        packet.sequence = self.sequence
        packet.has_sequence = self.has_sequence
        packet.frag_index = self.frag_index
        packet.frag_count = self.frag_count
        packet.tx_sequence = self.tx_sequence
        packet.has_tx_sequence = self.has_tx_sequence
        packet.acks = self.acks
        packet.nack_reason = self.nack_reason
        packet.carries_hops = self.carries_hops
        return packet

    cdef uint64_t hops(self) noexcept:
        return 0 if self.fields is None else self.fields.hop_count

    cdef bint is_bare(self) noexcept:
        """Whether there are no header fields: the network packet then travels as it is."""
        return (
            self.fragment is not None and not self.has_sequence and self.frag_index < 0
            and self.frag_count < 0 and self.nack_reason < 0 and not self.has_tx_sequence
            and not self.acks and not self.carries_hops and self.start == 0
            and (self.fields is None or self.fields.size() == 0)
        )

    cdef Py_ssize_t value_size(self) noexcept:
        cdef Py_ssize_t size = 0
        if self.fields is not None:
            size += self.fields.size()
        if self.has_sequence:
            size += 2 + FIXED_NUMBER_SIZE
        if self.frag_index >= 0:
            size += number_element_size(FRAG_INDEX_TYPE, self.frag_index)
        if self.frag_count >= 0:
            size += number_element_size(FRAG_COUNT_TYPE, self.frag_count)
        if self.carries_hops:
            size += number_element_size(HOP_COUNT_TYPE, self.hops())
        if self.nack_reason >= 0:
            size += nack_element_size(self.nack_reason)
        size += len(self.acks) * (4 + FIXED_NUMBER_SIZE)
        if self.has_tx_sequence:
            size += 4 + FIXED_NUMBER_SIZE
        if self.fragment is not None:
            size += element_size(FRAGMENT_TYPE, self.stop - self.start)
        return size

    @property
    def wire_size(self):
        """Bytes of the wire format, known without making it."""
        if self.is_bare():
            return self.stop
        return element_size(LP_PACKET_TYPE, self.value_size())

    def to_wire(self, bint bare=True):
        """Wire format; without header fields that of the network packet, unless not `bare`."""
        cdef bytes fragment = None
        cdef bytes wire
        cdef Py_ssize_t size
        cdef uint8_t* p
        cdef LpFields fields = self.fields
        if self.fragment is not None:
            fragment = wire_of(self.fragment)
            if self.start or self.stop != PyBytes_GET_SIZE(fragment):
                fragment = fragment[self.start:self.stop]
            if bare and self.is_bare():
                return fragment
        size = self.value_size()
        wire = PyBytes_FromStringAndSize(NULL, element_size(LP_PACKET_TYPE, size))
        p = write_header(<uint8_t*>PyBytes_AS_STRING(wire), LP_PACKET_TYPE, size)
        if self.has_sequence:
            p = write_fixed(p, SEQUENCE_TYPE, self.sequence)
        if self.frag_index >= 0:
            p = write_number(p, FRAG_INDEX_TYPE, self.frag_index)
        if self.frag_count >= 0:
            p = write_number(p, FRAG_COUNT_TYPE, self.frag_count)
        if self.carries_hops:
            p = write_number(p, HOP_COUNT_TYPE, self.hops())
        if fields is not None and fields.pit_token is not None:
            p = write_element(p, PIT_TOKEN_TYPE, fields.pit_token)
        if self.nack_reason >= 0:
            p = write_header(p, NACK_TYPE, nack_size(self.nack_reason))
            if self.nack_reason:
                p = write_number(p, NACK_REASON_TYPE, self.nack_reason)
        if fields is not None:
            if fields.incoming_face_id >= 0:
                p = write_number(p, INCOMING_FACE_ID_TYPE, fields.incoming_face_id)
            if fields.next_hop_face_id >= 0:
                p = write_number(p, NEXT_HOP_FACE_ID_TYPE, fields.next_hop_face_id)
            if fields.cache_policy:
                p = write_header(
                    p, CACHE_POLICY_TYPE,
                    number_element_size(CACHE_POLICY_TYPE_TYPE, fields.cache_policy),
                )
                p = write_number(p, CACHE_POLICY_TYPE_TYPE, fields.cache_policy)
            if fields.congestion_mark:
                p = write_number(p, CONGESTION_MARK_TYPE, fields.congestion_mark)
        for ack in self.acks:
            p = write_fixed(p, ACK_TYPE, ack)
        if self.has_tx_sequence:
            p = write_fixed(p, TX_SEQUENCE_TYPE, self.tx_sequence)
        if fields is not None:
            if fields.non_discovery:
                p = write_header(p, NON_DISCOVERY_TYPE, 0)
            if fields.prefix_announcement is not None:
                p = write_element(p, PREFIX_ANNOUNCEMENT_TYPE, fields.prefix_announcement)
        if fragment is not None:
            write_element(p, FRAGMENT_TYPE, fragment)
        return wire

    @property
    def is_fragmented(self):
        """Whether it carries a part of a network packet only."""
        return self.frag_count > 1

    def network_packet(self):
        """Interest or Data that it carries; None when there is none.

        Raises
        ------
        TlvError
            When the bytes are neither, or the packet is one fragment of several, or a Nack of Data.
        """
        cdef object packet
        if self.fragment is None:
            return None
        if self.is_fragmented:
            raise TlvError("packet is one fragment of several: it must be reassembled first")
        packet = decode_packet(self.fragment) if isinstance(self.fragment, bytes) else self.fragment
        if self.nack_reason >= 0 and not isinstance(packet, Interest):
            raise TlvError("Nack carries no Interest")
        return packet

    def __repr__(self):
        return f"<LpPacket {self.wire_size} B {self.fields!r} {self.fragment!r}>"


cdef Py_ssize_t nack_element_size(int reason) noexcept:
    """Bytes of a Nack's header field."""
    return element_size(NACK_TYPE, nack_size(reason))


cdef Py_ssize_t nack_size(int reason) noexcept:
    return number_element_size(NACK_REASON_TYPE, reason) if reason else 0


cdef uint8_t* write_fixed(uint8_t* p, uint64_t type, uint64_t number) noexcept:
    return write_big_endian(
        write_header(p, type, FIXED_NUMBER_SIZE), number, FIXED_NUMBER_SIZE
    )


cdef uint8_t* write_element(uint8_t* p, uint64_t type, bytes value) noexcept:
    p = write_header(p, type, PyBytes_GET_SIZE(value))
    return write_bytes(p, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value))


cdef bytes wire_of(object packet):
    if isinstance(packet, Interest):
        return (<Interest>packet).to_wire()
    if isinstance(packet, Data):
        return (<Data>packet).to_wire()
    return packet


cdef int32_t size_of(object packet) except -1:
    if isinstance(packet, Interest):
        return (<Interest>packet).size
    if isinstance(packet, Data):
        return (<Data>packet).size
    return <int32_t>PyBytes_GET_SIZE(<bytes>packet)


def decode_packet(bytes wire not None):
    """Interest or Data of its wire format.

    Raises
    ------
    TlvError
        When it is neither.
    """
    cdef Element packet
    sole_element(wire, &packet)
    if packet.type == INTEREST_TYPE:
        return decode_interest(&packet, wire)
    if packet.type == DATA_TYPE:
        return decode_data(&packet, wire)
    raise TlvError(f"packet has type {packet.type}: it is neither an Interest nor Data")


def least_severe(reasons) -> int:
    """The least severe Nack reason: Congestion, Duplicate, NoRoute, then none."""
    return min(reasons, key=severity)
