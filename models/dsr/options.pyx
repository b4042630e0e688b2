"""DSR options and their wire formats (RFC 4728 6.2 to 6.9)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from simcore.models.dsr.route cimport MAX_REQUEST_HOPS, Route, empty_route
from simcore.models.network.address cimport format_ipv4, ipv4_value
from simcore.models.network.wire cimport read_u16, read_u32, write_u16, write_u32

from simcore.models.network.packet import PacketError

cdef enum:
    # Octets of an option before its addresses.
    REQUEST_FIXED = 8
    REPLY_FIXED = 3
    ERROR_FIXED = 12
    SOURCE_ROUTE_FIXED = 4
    SEGMENTS_LEFT_AT = 3           # the octet of a Source Route that ends with the field
    ACK_LENGTH = 12
    MAX_SALVAGE = 15               # 4 bits
    MAX_OPTION_DATA = 255

cdef enum:
    LAST_EXTERNAL_IN_REPLY = 0x80
    FIRST_EXTERNAL_BIT = 0x8000
    LAST_EXTERNAL_BIT = 0x4000


class DsrParseError(PacketError):
    """Bytes that are no well-formed DSR header or option."""


class SegmentsLeftError(DsrParseError):
    """A Source Route with more segments left than addresses.

    Attributes
    ----------
    offset : int
        Place of the Segments Left field: octets from the start of what was parsed.
    """

    def __init__(self, message, offset):
        super().__init__(message)
        self.offset = offset


cdef Route as_route(object addresses):
    return addresses if isinstance(addresses, Route) else Route(addresses)


cdef void write_route(uint8_t* p, Route route) noexcept:
    cdef int i
    for i in range(route.count):
        write_u32(p + 4 * i, route.hop[i])


cdef Route read_route(const uint8_t* p, int32_t count):
    cdef Route route = empty_route(count)
    cdef int i
    for i in range(count):
        route.hop[i] = read_u32(p + 4 * i)
    return route


cdef class DsrOption:
    """Base of the options."""

    def __init__(self):
        raise TypeError("DsrOption is the base of the options: make one of its subclasses")

    cdef void write(self, uint8_t* p) noexcept:
        memset(p, 0, self.length)

    def to_bytes(self):
        """Wire format."""
        cdef bytes data = PyBytes_FromStringAndSize(NULL, self.length)
        self.write(<uint8_t*>PyBytes_AS_STRING(data))
        return data

    @staticmethod
    def parse(bytes data not None):
        """Option at the start of some bytes, and the rest.

        Raises
        ------
        DsrParseError
            When it is cut off or not as RFC 4728 has it.
        """
        cdef DsrOption option = parse_option(
            <const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)
        )
        return option, data[option.length:]

    def __eq__(self, other):
        if not isinstance(other, DsrOption):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    def __hash__(self):
        return hash(self.to_bytes())

    def __repr__(self):
        return f"<{self}>"


@cython.final
cdef class RouteRequest(DsrOption):
    """Route Request (RFC 4728 6.2).

    Parameters
    ----------
    identification : int
        Number that the initiator gave it.
    target : Ipv4Address, str or int
    route : Route or iterable of addresses
        Nodes that passed it on, in order; at most 62.

    Raises
    ------
    ValueError
        When there are more.
    """

    def __init__(self, uint16_t identification, target, route=()):
        self.type = ROUTE_REQUEST
        self.identification = identification
        self.target = ipv4_value(target)
        self.route = as_route(route)
        if self.route.count > MAX_REQUEST_HOPS:
            raise ValueError(f"route has {self.route.count} addresses: a request holds 62 at most")
        self.length = REQUEST_FIXED + 4 * self.route.count

    cdef void write(self, uint8_t* p) noexcept:
        p[0] = ROUTE_REQUEST
        p[1] = <uint8_t>(self.length - 2)
        write_u16(p + 2, self.identification)
        write_u32(p + 4, self.target)
        write_route(p + REQUEST_FIXED, self.route)

    def __str__(self):
        return f"RouteRequest id {self.identification} target {format_ipv4(self.target)} " \
               f"[{self.route}]"


@cython.final
cdef class RouteReply(DsrOption):
    """Route Reply (RFC 4728 6.3).

    Parameters
    ----------
    route : Route or iterable of addresses
        From the node after the initiator to the target; 1 to 63.
    last_external : bool
        The last hop stands for a path outside the DSR network.

    Raises
    ------
    ValueError
        When the route is empty.
    """

    def __init__(self, route, bint last_external=False):
        self.type = ROUTE_REPLY
        self.route = as_route(route)
        if self.route.count == 0:
            raise ValueError("route is empty: a reply ends with the target")
        self.last_external = last_external
        self.length = REPLY_FIXED + 4 * self.route.count

    cdef void write(self, uint8_t* p) noexcept:
        p[0] = ROUTE_REPLY
        p[1] = <uint8_t>(self.length - 2)
        p[2] = LAST_EXTERNAL_IN_REPLY if self.last_external else 0
        write_route(p + REPLY_FIXED, self.route)

    def __str__(self):
        return f"RouteReply [{self.route}]"


@cython.final
cdef class RouteError(DsrOption):
    """Route Error (RFC 4728 6.4).

    Parameters
    ----------
    error_type : int
        1 node unreachable, 2 flow state not supported, 3 option not supported, or another one.
    source, destination : Ipv4Address, str or int
        Who found the error, and who is to be told.
    unreachable : Ipv4Address, str or int
        The next hop, for type 1.
    information : bytes
        What follows the addresses, for the other types: the option type for type 3.
    salvage : int
        Of the packet that met the error, 0 to 15.

    Raises
    ------
    ValueError
        When a field does not fit the type.
    """

    def __init__(
        self, uint8_t error_type, source, destination, unreachable=0, *, bytes information=b"",
        int salvage=0,
    ):
        if not 0 <= salvage <= MAX_SALVAGE:
            raise ValueError(f"salvage is {salvage}: it must be 0 to 15")
        if len(information) > MAX_OPTION_DATA - ERROR_FIXED + 2:
            raise ValueError(f"information has {len(information)} bytes: 245 fit")
        if error_type == NODE_UNREACHABLE:
            information = ipv4_value(unreachable).to_bytes(4, "big") + information
        elif error_type == OPTION_NOT_SUPPORTED and len(information) < 1:
            raise ValueError("information is empty: it must be the type of the option")
        elif error_type == UNKNOWN_FLOW and len(information) < UNKNOWN_FLOW_LENGTH:
            raise ValueError("information is too short: it must be destination and flow, 6 bytes")
        elif error_type == DEFAULT_FLOW_UNKNOWN and (
            len(information) < DEFAULT_FLOW_UNKNOWN_LENGTH
        ):
            raise ValueError("information is too short: it must be the destination, 4 bytes")
        set_error(
            self, error_type, ipv4_value(source), ipv4_value(destination), <uint8_t>salvage,
            information,
        )

    @property
    def unsupported_option(self):
        """Type of the option that was not understood; None for other errors."""
        return self.information[0] if self.error_type == OPTION_NOT_SUPPORTED else None

    cdef void write(self, uint8_t* p) noexcept:
        p[0] = ROUTE_ERROR
        p[1] = <uint8_t>(self.length - 2)
        p[2] = self.error_type
        p[3] = self.salvage
        write_u32(p + 4, self.source)
        write_u32(p + 8, self.destination)
        if self.information is None:
            write_u32(p + ERROR_FIXED, self.unreachable)
        else:
            memcpy(p + ERROR_FIXED, PyBytes_AS_STRING(self.information), self.length - ERROR_FIXED)

    def __str__(self):
        if self.error_type == NODE_UNREACHABLE:
            about = f"unreachable {format_ipv4(self.unreachable)}"
        else:
            about = f"type {self.error_type} {self.information.hex()}"
        return f"RouteError {format_ipv4(self.source)} > {format_ipv4(self.destination)} " \
               f"{about} salvage {self.salvage}"


cdef int set_error(
    RouteError error, uint8_t error_type, uint32_t source, uint32_t destination, uint8_t salvage,
    bytes information,
) except -1:
    error.type = ROUTE_ERROR
    error.error_type = error_type
    error.source = source
    error.destination = destination
    error.salvage = salvage
    error.information = information
    error.length = ERROR_FIXED + <int32_t>PyBytes_GET_SIZE(information)
    if error_type == NODE_UNREACHABLE:
        error.unreachable = read_u32(<const uint8_t*>PyBytes_AS_STRING(information))
    return 0


@cython.final
cdef class AckRequest(DsrOption):
    """Acknowledgement Request (RFC 4728 6.5, 7.4.1).

    Parameters
    ----------
    identification : int
    previous_hop : Ipv4Address, str or int, optional
        Who asks, for packets without source route.
    """

    def __init__(self, uint16_t identification, previous_hop=0):
        self.type = ACK_REQUEST
        self.identification = identification
        self.previous_hop = ipv4_value(previous_hop)
        self.length = ACK_REQUEST_LONG if self.previous_hop else ACK_REQUEST_LENGTH

    cdef void write(self, uint8_t* p) noexcept:
        p[0] = ACK_REQUEST
        p[1] = <uint8_t>(self.length - 2)
        write_u16(p + 2, self.identification)
        if self.length == ACK_REQUEST_LONG:
            write_u32(p + 4, self.previous_hop)

    def __str__(self):
        return f"AckRequest id {self.identification}"


@cython.final
cdef class Acknowledgement(DsrOption):
    """Acknowledgement (RFC 4728 6.6).

    Parameters
    ----------
    identification : int
        Of the request.
    source, destination : Ipv4Address, str or int
        Who acknowledges, and whom.
    """

    def __init__(self, uint16_t identification, source, destination):
        self.type = ACKNOWLEDGEMENT
        self.identification = identification
        self.source = ipv4_value(source)
        self.destination = ipv4_value(destination)
        self.length = ACK_LENGTH

    cdef void write(self, uint8_t* p) noexcept:
        p[0] = ACKNOWLEDGEMENT
        p[1] = ACK_LENGTH - 2
        write_u16(p + 2, self.identification)
        write_u32(p + 4, self.source)
        write_u32(p + 8, self.destination)

    def __str__(self):
        return f"Acknowledgement id {self.identification} " \
               f"{format_ipv4(self.source)} > {format_ipv4(self.destination)}"


@cython.final
cdef class SourceRoute(DsrOption):
    """DSR Source Route (RFC 4728 6.7).

    Parameters
    ----------
    route : Route or iterable of addresses
        Nodes between source and destination; the first one is the salvaging node when the packet
        was salvaged.
    segments_left : int, optional
        Of these, how many are still to be visited; all by default.
    salvage : int
        Times that the packet was salvaged, 0 to 15.
    first_external, last_external : bool
        The hop stands for a path outside the DSR network.

    Raises
    ------
    ValueError
        When a field does not fit.
    """

    def __init__(
        self, route, segments_left=None, int salvage=0, *, bint first_external=False,
        bint last_external=False,
    ):
        cdef Route hops = as_route(route)
        cdef int left = hops.count if segments_left is None else segments_left
        if not 0 <= left <= hops.count:
            raise ValueError(
                f"segments_left is {left}: it must be 0 to {hops.count}, the addresses of the route"
            )
        if not 0 <= salvage <= MAX_SALVAGE:
            raise ValueError(f"salvage is {salvage}: it must be 0 to 15")
        self.type = SOURCE_ROUTE
        self.route = hops
        self.segments_left = <uint8_t>left
        self.salvage = <uint8_t>salvage
        self.first_external = first_external
        self.last_external = last_external
        self.length = SOURCE_ROUTE_FIXED + 4 * hops.count

    cdef SourceRoute advanced(self):
        cdef SourceRoute option = source_route(self.route, self.segments_left - 1, self.salvage)
        option.first_external = self.first_external
        option.last_external = self.last_external
        return option

    cdef void write(self, uint8_t* p) noexcept:
        cdef uint16_t word = <uint16_t>(self.salvage << 6 | self.segments_left)
        if self.first_external:
            word |= FIRST_EXTERNAL_BIT
        if self.last_external:
            word |= LAST_EXTERNAL_BIT
        p[0] = SOURCE_ROUTE
        p[1] = <uint8_t>(self.length - 2)
        write_u16(p + 2, word)
        write_route(p + SOURCE_ROUTE_FIXED, self.route)

    def __str__(self):
        return f"SourceRoute [{self.route}] left {self.segments_left} salvage {self.salvage}"


@cython.final
cdef class Padding(DsrOption):
    """Pad1 (one octet) or PadN (RFC 4728 6.8, 6.9).

    Parameters
    ----------
    length : int
        Octets in all, 1 to 257.

    Raises
    ------
    ValueError
        When it is another length.
    """

    def __init__(self, int32_t length):
        if not 1 <= length <= MAX_OPTION_DATA + 2:
            raise ValueError(f"length is {length} octets: it must be 1 to 257")
        self.type = PAD_1 if length == 1 else PAD_N
        self.length = length

    cdef void write(self, uint8_t* p) noexcept:
        memset(p, 0, self.length)
        if self.length == 1:
            p[0] = PAD_1
        else:
            p[1] = <uint8_t>(self.length - 2)

    def __str__(self):
        return f"Padding {self.length}"


@cython.final
cdef class UnknownOption(DsrOption):
    """An option that this node does not know: its type says what is to be done (RFC 4728 6.1).

    Parameters
    ----------
    type : int
    data : bytes
        At most 255.

    Raises
    ------
    ValueError
        When they are more.
    """

    def __init__(self, uint8_t type, bytes data not None):
        if len(data) > MAX_OPTION_DATA:
            raise ValueError(f"data has {len(data)} bytes: an option holds 255")
        self.type = type
        self.data = data
        self.length = 2 + <int32_t>len(data)

    cdef void write(self, uint8_t* p) noexcept:
        p[0] = self.type
        p[1] = <uint8_t>(self.length - 2)
        memcpy(p + 2, PyBytes_AS_STRING(self.data), self.length - 2)

    def __str__(self):
        return f"UnknownOption {self.type} {self.data.hex()}"


include "flow_options.pxi"
include "option_factories.pxi"


cdef int addresses_in(str name, int32_t length, int32_t fixed) except -1:
    """Addresses of an option whose fixed part has `fixed` octets."""
    if length < fixed or (length - fixed) & 3:
        raise DsrParseError(f"{name}: Opt Data Len is {length - 2}, not {fixed - 2} + 4 n")
    return (length - fixed) >> 2


cdef DsrOption parse_option(const uint8_t* p, Py_ssize_t size):
    cdef int32_t length
    cdef int32_t count
    cdef uint16_t word
    cdef Route route
    cdef RouteReply reply
    cdef SourceRoute path
    cdef UnknownOption unknown
    if size < 1:
        raise DsrParseError("DSR option: no octets")
    if p[0] == PAD_1:
        return padding(1)
    if size < 2:
        raise DsrParseError(f"DSR option of type {p[0]}: its length is missing")
    length = p[1] + 2
    if length > size:
        raise DsrParseError(f"DSR option of type {p[0]}: {length} octets, {size} are there")
    if p[0] == PAD_N:
        return padding(length)
    if p[0] == ROUTE_REQUEST:
        count = addresses_in("Route Request", length, REQUEST_FIXED)
        return route_request(
            read_u16(p + 2), read_u32(p + 4), read_route(p + REQUEST_FIXED, count)
        )
    if p[0] == ROUTE_REPLY:
        count = addresses_in("Route Reply", length, REPLY_FIXED)
        if count == 0:
            raise DsrParseError("Route Reply: no addresses")
        reply = route_reply(read_route(p + REPLY_FIXED, count))
        reply.last_external = (p[2] & LAST_EXTERNAL_IN_REPLY) != 0
        return reply
    if p[0] == SOURCE_ROUTE:
        count = addresses_in("Source Route", length, SOURCE_ROUTE_FIXED)
        word = read_u16(p + 2)
        if (word & 63) > count:
            # RFC 4728 8.1.5: an error of the sender.
            raise SegmentsLeftError(
                f"Source Route: {word & 63} segments left of {count} addresses", SEGMENTS_LEFT_AT
            )
        route = read_route(p + SOURCE_ROUTE_FIXED, count)
        path = source_route(route, word & 63, (word >> 6) & MAX_SALVAGE)
        path.first_external = (word & FIRST_EXTERNAL_BIT) != 0
        path.last_external = (word & LAST_EXTERNAL_BIT) != 0
        return path
    if p[0] == ROUTE_ERROR:
        if length < ERROR_FIXED:
            raise DsrParseError(f"Route Error: Opt Data Len is {length - 2}, 10 needed")
        if p[2] == NODE_UNREACHABLE and length < ERROR_FIXED + 4:
            raise DsrParseError("Route Error: the unreachable node is missing")
        if p[2] == OPTION_NOT_SUPPORTED and length < ERROR_FIXED + 1:
            raise DsrParseError("Route Error: the unsupported option is missing")
        if p[2] == UNKNOWN_FLOW and length < ERROR_FIXED + UNKNOWN_FLOW_LENGTH:
            raise DsrParseError("Route Error: the unknown flow is missing")
        if p[2] == DEFAULT_FLOW_UNKNOWN and length < ERROR_FIXED + DEFAULT_FLOW_UNKNOWN_LENGTH:
            raise DsrParseError("Route Error: the original destination is missing")
        return other_error(
            p[2], read_u32(p + 4), read_u32(p + 8), p[3] & MAX_SALVAGE,
            PyBytes_FromStringAndSize(<const char*>p + ERROR_FIXED, length - ERROR_FIXED),
        )
    if p[0] == ACK_REQUEST and length == ACK_REQUEST_LENGTH:
        return ack_request(read_u16(p + 2), 0)
    if p[0] == ACK_REQUEST and length == ACK_REQUEST_LONG and read_u32(p + 4) != 0:
        return ack_request(read_u16(p + 2), read_u32(p + 4))
    if p[0] == TIMEOUT and length == TIMEOUT_LENGTH:
        return timeout_option(read_u16(p + 2))
    if p[0] == DESTINATION_FLOW and length == DESTINATION_FLOW_LENGTH:
        return destination_flow(read_u16(p + 2), read_u32(p + 4))
    if p[0] == ACKNOWLEDGEMENT:
        if length != ACK_LENGTH:
            raise DsrParseError(f"Acknowledgement: Opt Data Len is {length - 2}, not 10")
        return acknowledgement(read_u16(p + 2), read_u32(p + 4), read_u32(p + 8))
    if p[0] == ACK_REQUEST and length < ACK_REQUEST_LENGTH:
        raise DsrParseError(f"Acknowledgement Request: Opt Data Len is {length - 2}, not 2")
    # Longer options of known types have extensions that are not defined yet.
    unknown = UnknownOption.__new__(UnknownOption)
    unknown.type = p[0]
    unknown.length = length
    unknown.data = PyBytes_FromStringAndSize(<const char*>p + 2, length - 2)
    return unknown
