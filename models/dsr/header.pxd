"""DSR Options header and Flow State header (RFC 4728 6.1, 7.1)."""

from libc.stdint cimport uint8_t, uint16_t

from simcore.models.dsr.options cimport (
    AckRequest, Acknowledgement, RouteError, RouteReply, RouteRequest, SourceRoute,
)
from simcore.models.network.packet cimport Header

cdef enum:
    DSR_FIXED_LENGTH = 4
    NO_NEXT_HEADER = 59            # RFC 4728 6.1, IANA: nothing follows
    FLOW_STATE_BIT = 0x80
    MAX_HOP_COUNT = 127            # RFC 4728 7.1


cdef class DsrHeader(Header):
    cdef readonly uint8_t next_header      # protocol of what follows
    cdef readonly tuple options            # in the order of the wire
    # The options that are looked for most; the first of each, or None.
    cdef readonly RouteRequest request
    cdef readonly RouteReply reply
    cdef readonly RouteError error
    cdef readonly SourceRoute source_route
    cdef readonly AckRequest ack_request
    cdef readonly Acknowledgement acknowledgement
    cdef readonly bint has_unknown
    cdef readonly bint has_flow_option     # of the flow state extension

    # The same header with another option in the place of `old`; None takes it out.
    cdef DsrHeader replaced(self, object old, object new)


cdef class FlowStateHeader(Header):
    cdef readonly uint8_t next_header
    cdef readonly uint8_t hop_count
    cdef readonly uint16_t flow

cdef DsrHeader dsr_header(uint8_t next_header, tuple options)
cdef FlowStateHeader flow_header(uint8_t next_header, uint8_t hop_count, uint16_t flow)
