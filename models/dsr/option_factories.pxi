# Options made without the checks of their constructors; part of options.pyx.


cdef RouteRequest route_request(uint16_t identification, uint32_t target, Route route):
    cdef RouteRequest option = RouteRequest.__new__(RouteRequest)
    option.type = ROUTE_REQUEST
    option.identification = identification
    option.target = target
    option.route = route
    option.length = REQUEST_FIXED + 4 * route.count
    return option


cdef RouteReply route_reply(Route route):
    cdef RouteReply option = RouteReply.__new__(RouteReply)
    option.type = ROUTE_REPLY
    option.route = route
    option.length = REPLY_FIXED + 4 * route.count
    return option


cdef RouteError unreachable_error(
    uint32_t source, uint32_t destination, uint32_t unreachable, uint8_t salvage,
):
    cdef RouteError option = RouteError.__new__(RouteError)
    option.type = ROUTE_ERROR
    option.error_type = NODE_UNREACHABLE
    option.source = source
    option.destination = destination
    option.unreachable = unreachable
    option.salvage = salvage
    option.length = ERROR_FIXED + 4
    return option


cdef RouteError other_error(
    uint8_t error_type, uint32_t source, uint32_t destination, uint8_t salvage, bytes information,
):
    cdef RouteError option = RouteError.__new__(RouteError)
    set_error(option, error_type, source, destination, salvage, information)
    return option


cdef AckRequest ack_request(uint16_t identification, uint32_t previous_hop):
    cdef AckRequest option = AckRequest.__new__(AckRequest)
    option.type = ACK_REQUEST
    option.identification = identification
    option.previous_hop = previous_hop
    option.length = ACK_REQUEST_LONG if previous_hop else ACK_REQUEST_LENGTH
    return option


cdef Acknowledgement acknowledgement(
    uint16_t identification, uint32_t source, uint32_t destination,
):
    cdef Acknowledgement option = Acknowledgement.__new__(Acknowledgement)
    option.type = ACKNOWLEDGEMENT
    option.identification = identification
    option.source = source
    option.destination = destination
    option.length = ACK_LENGTH
    return option


cdef SourceRoute source_route(Route route, int segments_left, int salvage):
    cdef SourceRoute option = SourceRoute.__new__(SourceRoute)
    option.type = SOURCE_ROUTE
    option.route = route
    option.segments_left = <uint8_t>segments_left
    option.salvage = <uint8_t>salvage
    option.length = SOURCE_ROUTE_FIXED + 4 * route.count
    return option


cdef Padding padding(int32_t length):
    return Padding(length)
