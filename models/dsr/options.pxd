"""DSR options (RFC 4728 6.2 to 6.9); `length` counts all octets of an option."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

from simcore.models.dsr.route cimport Route

cdef enum:
    # RFC 4728 11: option types.
    PAD_N = 0
    ROUTE_REQUEST = 1
    ROUTE_REPLY = 2
    ROUTE_ERROR = 3
    ACKNOWLEDGEMENT = 32
    SOURCE_ROUTE = 96
    TIMEOUT = 128                  # flow state extension, 7.2.1
    DESTINATION_FLOW = 129         # flow state extension, 7.2.2
    ACK_REQUEST = 160
    PAD_1 = 224

cdef enum:
    # RFC 4728 6.4, 7.3: types of route errors.
    NODE_UNREACHABLE = 1
    FLOW_STATE_NOT_SUPPORTED = 2
    OPTION_NOT_SUPPORTED = 3
    UNKNOWN_FLOW = 129
    DEFAULT_FLOW_UNKNOWN = 130

cdef enum:
    # Octets in all: RFC 4728 6.5, 7.4.1, 7.2.1, 7.2.2.
    ACK_REQUEST_LENGTH = 4
    ACK_REQUEST_LONG = 8
    TIMEOUT_LENGTH = 4
    DESTINATION_FLOW_LENGTH = 8
    # Type-specific information of flow errors: 7.3.1, 7.3.2.
    UNKNOWN_FLOW_LENGTH = 6
    DEFAULT_FLOW_UNKNOWN_LENGTH = 4

cdef enum:
    # RFC 4728 6.1: what a node does with an option that it does not know.
    SEND_ERROR_BIT = 0x80
    ACTION_MASK = 0x60
    ACTION_IGNORE = 0x00
    ACTION_REMOVE = 0x20
    ACTION_MARK = 0x40
    ACTION_DROP = 0x60


cdef class DsrOption:
    cdef readonly uint8_t type
    cdef readonly int32_t length
    cdef void write(self, uint8_t* p) noexcept           # exactly `length` octets


cdef class RouteRequest(DsrOption):
    cdef readonly uint16_t identification
    cdef readonly uint32_t target
    cdef readonly Route route              # nodes that passed it on, in order


cdef class RouteReply(DsrOption):
    cdef readonly Route route              # from the node after the initiator to the target
    cdef readonly bint last_external


cdef class RouteError(DsrOption):
    cdef readonly uint8_t error_type
    cdef readonly uint8_t salvage          # of the packet that met the error
    cdef readonly uint32_t source          # who found the error
    cdef readonly uint32_t destination     # who is to be told
    cdef readonly uint32_t unreachable     # NODE_UNREACHABLE: the next hop
    cdef readonly bytes information        # other types: what follows the addresses


cdef class AckRequest(DsrOption):
    cdef readonly uint16_t identification
    cdef readonly uint32_t previous_hop    # who asks; 0 when it is not said (7.4.1)


cdef class Acknowledgement(DsrOption):
    cdef readonly uint16_t identification
    cdef readonly uint32_t source          # who acknowledges
    cdef readonly uint32_t destination     # whom


cdef class SourceRoute(DsrOption):
    cdef readonly Route route              # intermediate nodes, after the salvaging one if any
    cdef readonly uint8_t segments_left    # of these, how many are still to be visited
    cdef readonly uint8_t salvage          # times salvaged
    cdef readonly bint first_external
    cdef readonly bint last_external

    cdef SourceRoute advanced(self)        # as the node sends it on that `route` leads to next


cdef class Padding(DsrOption):
    pass


cdef class Timeout(DsrOption):
    cdef readonly uint16_t seconds


cdef class DestinationFlow(DsrOption):
    cdef readonly uint16_t flow
    cdef readonly uint32_t destination


cdef class UnknownOption(DsrOption):
    cdef readonly bytes data


cdef RouteRequest route_request(uint16_t identification, uint32_t target, Route route)
cdef RouteReply route_reply(Route route)
cdef RouteError unreachable_error(
    uint32_t source, uint32_t destination, uint32_t unreachable, uint8_t salvage,
)
cdef RouteError other_error(
    uint8_t error_type, uint32_t source, uint32_t destination, uint8_t salvage, bytes information,
)
cdef AckRequest ack_request(uint16_t identification, uint32_t previous_hop)
cdef Acknowledgement acknowledgement(
    uint16_t identification, uint32_t source, uint32_t destination,
)
cdef SourceRoute source_route(Route route, int segments_left, int salvage)
cdef Padding padding(int32_t length)
cdef Timeout timeout_option(uint16_t seconds)
cdef DestinationFlow destination_flow(uint16_t flow, uint32_t destination)
# Of an error of type UNKNOWN_FLOW or DEFAULT_FLOW_UNKNOWN: the packet's destination.
cdef uint32_t flow_destination(RouteError error) noexcept
cdef bytes flow_information(uint32_t destination, uint16_t flow)
# Of an error of type UNKNOWN_FLOW.
cdef uint16_t flow_of_error(RouteError error) noexcept
# The option at `p`, of which `size` octets are there; raises DsrParseError.
cdef DsrOption parse_option(const uint8_t* p, Py_ssize_t size)
