"""DSR Options header and Flow State header (RFC 4728 6.1, 7.1)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint16_t
from libc.string cimport memcpy

from simcore.models.dsr.options cimport (
    ACK_REQUEST, ACKNOWLEDGEMENT, DESTINATION_FLOW, PAD_1, PAD_N, ROUTE_ERROR, ROUTE_REPLY,
    ROUTE_REQUEST, SOURCE_ROUTE, TIMEOUT, AckRequest, Acknowledgement, DsrOption, RouteError,
    RouteReply, RouteRequest, SourceRoute, Timeout, UnknownOption, padding, parse_option,
)
from simcore.models.network.packet cimport Header
from simcore.models.network.wire cimport read_u16, write_u16

from simcore.models.dsr.options import DsrParseError, SegmentsLeftError

cdef enum:
    MAX_OPTIONS_LENGTH = 65535


@cython.final
cdef class DsrHeader(Header):
    """DSR Options header: what stands between the IPv4 header and the transport header.

    Padding is added where RFC 4728 6.1 asks for it: when something follows the header, its length
    is a multiple of four octets.

    Parameters
    ----------
    next_header : int
        Protocol of what follows; 59 when nothing does.
    options : iterable of DsrOption

    Raises
    ------
    ValueError
        When the options are too long, or a Route Request, an Acknowledgement Request or a Source
        Route appears twice.
    """

    def __init__(self, uint8_t next_header, options=()):
        cdef tuple given = tuple(options)
        for option in given:
            if not isinstance(option, DsrOption):
                raise TypeError(f"options contain {option!r}: they must be DsrOption objects")
        fill(self, next_header, padded(next_header, given))
        check(self)

    cdef DsrHeader replaced(self, object old, object new):
        cdef list options = []
        for option in self.options:
            if (<DsrOption>option).type == PAD_1 or (<DsrOption>option).type == PAD_N:
                continue
            if option is not old:
                options.append(option)
            elif new is not None:
                options.append(new)
        return dsr_header(self.next_header, tuple(options))

    cpdef bytes serialize(self, bytes payload):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, self.length + size)
        cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
        p[0] = self.next_header
        p[1] = 0
        write_u16(p + 2, <uint16_t>(self.length - DSR_FIXED_LENGTH))
        p += DSR_FIXED_LENGTH
        for option in self.options:
            (<DsrOption>option).write(p)
            p += (<DsrOption>option).length
        memcpy(p, PyBytes_AS_STRING(payload), size)
        return data

    cpdef str text(self):
        listed = ", ".join([str(option) for option in self.options])
        return f"DsrHeader (next {self.next_header} length {self.length} {listed})"

    @staticmethod
    def parse(bytes data not None):
        """Header and payload of some bytes.

        Raises
        ------
        DsrParseError
            When they are too short, belong to a Flow State header, or an option is malformed.
        """
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        cdef int32_t length
        cdef int32_t at = DSR_FIXED_LENGTH
        cdef list options = []
        cdef DsrOption option
        cdef DsrHeader header
        if size < DSR_FIXED_LENGTH:
            raise DsrParseError(f"DSR header: {size} octets, {DSR_FIXED_LENGTH} needed")
        if p[1] & FLOW_STATE_BIT:
            raise DsrParseError("DSR header: it is a Flow State header")
        length = read_u16(p + 2) + DSR_FIXED_LENGTH
        if length > size:
            raise DsrParseError(f"DSR header: {length} octets, {size} are there")
        if p[0] != NO_NEXT_HEADER and length & 3:
            raise DsrParseError(f"DSR header: {length} octets, not a multiple of four")
        while at < length:
            try:
                option = parse_option(p + at, length - at)
            except SegmentsLeftError as error:
                error.offset += at
                raise
            options.append(option)
            at += option.length
        header = DsrHeader.__new__(DsrHeader)
        fill(header, p[0], tuple(options))
        try:
            check(header)
        except ValueError as error:
            raise DsrParseError(f"DSR header: {error}") from None
        return header, data[length:]


cdef tuple padded(uint8_t next_header, tuple options):
    cdef int32_t length = 0
    if next_header == NO_NEXT_HEADER:
        return options
    for option in options:
        length += (<DsrOption>option).length
    if length & 3:
        return options + (padding(4 - (length & 3)),)
    return options


cdef int fill(DsrHeader header, uint8_t next_header, tuple options) except -1:
    cdef int32_t length = DSR_FIXED_LENGTH
    cdef uint8_t kind
    header.next_header = next_header
    header.options = options
    for option in options:
        length += (<DsrOption>option).length
        kind = (<DsrOption>option).type
        if isinstance(option, UnknownOption):
            header.has_unknown = True
        elif kind == SOURCE_ROUTE:
            header.source_route = <SourceRoute>option
        elif kind == ROUTE_REQUEST:
            header.request = <RouteRequest>option
        elif kind == ROUTE_REPLY:
            if header.reply is None:
                header.reply = <RouteReply>option
        elif kind == ROUTE_ERROR:
            if header.error is None:
                header.error = <RouteError>option
        elif kind == ACK_REQUEST:
            header.ack_request = <AckRequest>option
        elif kind == ACKNOWLEDGEMENT:
            if header.acknowledgement is None:
                header.acknowledgement = <Acknowledgement>option
        elif kind == TIMEOUT or kind == DESTINATION_FLOW:
            header.has_flow_option = True
    header.length = length
    return 0


cdef int check(DsrHeader header) except -1:
    """RFC 4728 6.2, 6.5, 7.2.1: options that appear once at most; so does a source route."""
    cdef int requests = 0
    cdef int routes = 0
    cdef int acks = 0
    cdef int timeouts = 0
    if header.length - DSR_FIXED_LENGTH > MAX_OPTIONS_LENGTH:
        raise ValueError(f"options have {header.length - DSR_FIXED_LENGTH} octets: 65535 fit")
    for option in header.options:
        requests += isinstance(option, RouteRequest)
        routes += isinstance(option, SourceRoute)
        acks += isinstance(option, AckRequest)
        timeouts += isinstance(option, Timeout)
    if requests > 1 or routes > 1 or acks > 1 or timeouts > 1:
        raise ValueError("an option that may appear once appears again")
    return 0


cdef DsrHeader dsr_header(uint8_t next_header, tuple options):
    cdef DsrHeader header = DsrHeader.__new__(DsrHeader)
    fill(header, next_header, padded(next_header, options))
    return header


@cython.final
cdef class FlowStateHeader(Header):
    """DSR Flow State header (RFC 4728 7.1).

    It comes before a DSR Options header, if there is one. A node without the flow state extension
    answers with a Route Error of type FLOW_STATE_NOT_SUPPORTED.

    Parameters
    ----------
    next_header : int
    hop_count : int
        0 to 127.
    flow : int

    Raises
    ------
    ValueError
        When the hop count does not fit.
    """

    def __init__(self, uint8_t next_header, int hop_count, uint16_t flow):
        if not 0 <= hop_count <= MAX_HOP_COUNT:
            raise ValueError(f"hop_count is {hop_count}: it must be 0 to 127")
        self.length = DSR_FIXED_LENGTH
        self.next_header = next_header
        self.hop_count = <uint8_t>hop_count
        self.flow = flow

    cpdef bytes serialize(self, bytes payload):
        fixed = bytes((self.next_header, FLOW_STATE_BIT | self.hop_count))
        return fixed + self.flow.to_bytes(2, "big") + payload

    cpdef str text(self):
        return f"FlowStateHeader (next {self.next_header} hops {self.hop_count} flow {self.flow})"

    @staticmethod
    def parse(bytes data not None):
        """Header and payload of some bytes.

        Raises
        ------
        DsrParseError
            When they are too short or no Flow State header.
        """
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        if PyBytes_GET_SIZE(data) < DSR_FIXED_LENGTH:
            raise DsrParseError(f"Flow State header: {len(data)} octets, 4 needed")
        if not p[1] & FLOW_STATE_BIT:
            raise DsrParseError("Flow State header: it is a DSR Options header")
        return flow_header(p[0], p[1] & MAX_HOP_COUNT, read_u16(p + 2)), data[DSR_FIXED_LENGTH:]


cdef FlowStateHeader flow_header(uint8_t next_header, uint8_t hop_count, uint16_t flow):
    cdef FlowStateHeader header = FlowStateHeader.__new__(FlowStateHeader)
    header.length = DSR_FIXED_LENGTH
    header.next_header = next_header
    header.hop_count = hop_count
    header.flow = flow
    return header
