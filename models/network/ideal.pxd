"""A shared medium without contention: everybody hears everybody, but for links that are cut."""

from libc.stdint cimport int64_t, uint16_t, uint64_t

from simcore.models.network.error_model cimport ErrorModel
from simcore.models.network.node cimport NetDevice
from simcore.models.network.packet cimport Packet
from simcore.trace.source cimport TraceSource


cdef class IdealChannel:
    cdef readonly list devices
    cdef readonly int64_t delay            # ns
    cdef set cut_links                     # frozenset of two devices

    cdef bint joined(self, IdealDevice a, IdealDevice b)


cdef class IdealDevice(NetDevice):
    cdef readonly IdealChannel channel
    cdef public bint promiscuous           # hands up frames for others too
    cdef public ErrorModel error_model     # of reception; None: every frame arrives
    cdef TraceSource tx_trace
    cdef TraceSource rx_trace
    cdef TraceSource drop_trace

    cdef bint arrive(self, Packet frame) except -1     # whether it was received
