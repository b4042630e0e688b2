# Options of the flow state extension (RFC 4728 7.2); part of options.pyx.


@cython.final
cdef class Timeout(DsrOption):
    """Timeout (RFC 4728 7.2.1): how long the flow of a packet lasts.

    Parameters
    ----------
    seconds : int
        0 to 65535.
    """

    def __init__(self, uint16_t seconds):
        self.type = TIMEOUT
        self.length = TIMEOUT_LENGTH
        self.seconds = seconds

    cdef void write(self, uint8_t* p) noexcept:
        p[0] = TIMEOUT
        p[1] = TIMEOUT_LENGTH - 2
        write_u16(p + 2, self.seconds)

    def __str__(self):
        return f"Timeout {self.seconds} s"


@cython.final
cdef class DestinationFlow(DsrOption):
    """Destination and Flow ID (RFC 4728 7.2.2): where a packet goes on to from its destination.

    Parameters
    ----------
    flow : int
        Flow ID there.
    destination : Ipv4Address, str or int
    """

    def __init__(self, uint16_t flow, destination):
        self.type = DESTINATION_FLOW
        self.length = DESTINATION_FLOW_LENGTH
        self.flow = flow
        self.destination = ipv4_value(destination)

    cdef void write(self, uint8_t* p) noexcept:
        p[0] = DESTINATION_FLOW
        p[1] = DESTINATION_FLOW_LENGTH - 2
        write_u16(p + 2, self.flow)
        write_u32(p + 4, self.destination)

    def __str__(self):
        return f"DestinationFlow {self.flow} {format_ipv4(self.destination)}"


cdef Timeout timeout_option(uint16_t seconds):
    cdef Timeout option = Timeout.__new__(Timeout)
    option.type = TIMEOUT
    option.length = TIMEOUT_LENGTH
    option.seconds = seconds
    return option


cdef DestinationFlow destination_flow(uint16_t flow, uint32_t destination):
    cdef DestinationFlow option = DestinationFlow.__new__(DestinationFlow)
    option.type = DESTINATION_FLOW
    option.length = DESTINATION_FLOW_LENGTH
    option.flow = flow
    option.destination = destination
    return option


cdef bytes flow_information(uint32_t destination, uint16_t flow):
    """Type-specific information of an Unknown Flow error (7.3.1)."""
    cdef bytes data = PyBytes_FromStringAndSize(NULL, UNKNOWN_FLOW_LENGTH)
    cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
    write_u32(p, destination)
    write_u16(p + 4, flow)
    return data


cdef uint32_t flow_destination(RouteError error) noexcept:
    return read_u32(<const uint8_t*>PyBytes_AS_STRING(error.information))


cdef uint16_t flow_of_error(RouteError error) noexcept:
    return read_u16(<const uint8_t*>PyBytes_AS_STRING(error.information) + 4)
