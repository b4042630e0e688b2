"""Shared-bus Ethernet: one channel, a data rate, a delay, devices that wait for a silent wire."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from simcore.models.network.error_model cimport ErrorModel
from simcore.models.network.node cimport NetDevice
from simcore.models.network.packet cimport Packet
from simcore.models.network.queue cimport DropTailQueue
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport NativeTimer, Simulator
from simcore.trace.source cimport TraceSource

cdef enum:
    # What a transmitter does.
    READY = 0
    BUSY = 1                   # a frame is on its way out
    GAP = 2                    # interframe gap
    BACKOFF = 3                # the wire was busy


cdef class CsmaChannel:
    cdef readonly list devices
    cdef readonly int64_t data_rate        # bit/s
    cdef readonly int64_t delay            # propagation, ns
    cdef readonly bint busy                # from a frame's first bit until its last has arrived
    cdef Simulator sim                     # None until there is a device
    cdef NativeTimer silence_timer         # the last bit has arrived everywhere

    cdef int begin(self) except -1
    cdef int end(self, CsmaDevice sender, Packet frame) except -1
    cdef int64_t duration(self, int64_t size) except -1    # of `size` bytes, ns


cdef class CsmaDevice(NetDevice):
    cdef readonly CsmaChannel channel
    cdef readonly DropTailQueue queue
    cdef public ErrorModel error_model     # of reception; None: every frame arrives
    cdef public bint promiscuous           # hands up frames for others too
    cdef public bint up                    # False: the cable is out
    cdef readonly int64_t slot_time        # of the back-off, ns
    cdef readonly int32_t min_slots
    cdef readonly int32_t max_slots
    cdef readonly int32_t ceiling          # retries after which the back-off grows no more
    cdef readonly int32_t max_retries
    cdef Simulator sim
    cdef RandomStream stream
    cdef NativeTimer timer                 # end of frame, gap or back-off
    cdef Packet current                    # frame that is sent, or waits for the wire
    cdef int state
    cdef int32_t retries                   # of the current frame
    cdef TraceSource tx_trace
    cdef TraceSource rx_trace
    cdef TraceSource tx_drop_trace
    cdef TraceSource rx_drop_trace
    cdef TraceSource sniffer_trace
    cdef TraceSource tx_begin_trace
    cdef TraceSource tx_end_trace
    cdef TraceSource backoff_trace

    cdef int next_frame(self) except -1
    cdef int attempt(self) except -1
    cdef int wake(self) except -1
    cdef int arrive(self, Packet frame) except -1
