"""Full-duplex link between two nodes: a data rate, a delay, and a queue at each end."""

from libc.stdint cimport int64_t, uint16_t, uint64_t

from simcore.models.network.error_model cimport ErrorModel
from simcore.models.network.node cimport NetDevice
from simcore.models.network.packet cimport Packet
from simcore.models.network.queue cimport DropTailQueue
from simcore.simulator cimport NativeTimer, Simulator
from simcore.trace.source cimport TraceSource


cdef class PointToPointDevice(NetDevice):
    cdef readonly PointToPointLink channel
    cdef readonly PointToPointDevice peer
    cdef readonly DropTailQueue queue
    cdef public ErrorModel error_model     # of reception; None: every packet arrives
    cdef Simulator sim
    cdef NativeTimer transmit_timer        # end of the transmission under way
    cdef Packet in_transmission            # None: the transmitter is idle
    cdef TraceSource tx_trace
    cdef TraceSource rx_trace
    cdef TraceSource tx_drop_trace
    cdef TraceSource rx_drop_trace
    cdef TraceSource sniffer_trace
    cdef TraceSource tx_begin_trace
    cdef TraceSource tx_end_trace

    cdef int start(self, Packet packet) except -1
    cdef int finish(self) except -1
    cdef int arrive(self, Packet packet) except -1


cdef class PointToPointLink:
    cdef readonly tuple devices
    cdef readonly int64_t data_rate        # bit/s
    cdef readonly int64_t delay            # propagation, ns
    cdef public bint up

    cdef int64_t duration(self, int64_t size) except -1    # of `size` bytes, ns
