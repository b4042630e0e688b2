"""The MAC's transmit queue: packets with a lifetime."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from simcore.models.network.packet cimport Packet
from simcore.simulator cimport Simulator
from simcore.trace.source cimport TraceSource


cdef class QueueEntry:
    """An MSDU on its way out."""
    cdef Packet packet             # as the network layer gave it, for feedback
    cdef Packet body               # with LLC/SNAP
    cdef uint64_t destination
    cdef int64_t enqueued          # ns
    cdef int64_t deadline          # computed once, ns
    cdef int32_t sequence          # -1 before the first transmission
    cdef int32_t retries           # failed attempts of the current fragment
    cdef int32_t sent              # bytes of the body acknowledged so far
    cdef int32_t fragment          # number of the current fragment
    cdef bint retry                # Retry bit of the next transmission


cdef class WifiMacQueue:
    cdef Simulator sim
    cdef object entries            # deque of QueueEntry, oldest first
    cdef readonly int32_t limit    # packets
    cdef readonly int64_t lifetime  # ns
    cdef public bint sweep_when_full
    cdef readonly int64_t byte_count     # bytes of the bodies in it
    cdef readonly int64_t enqueued_count
    cdef readonly int64_t expired_count
    cdef readonly int64_t overflow_count

    cdef bint enqueue(self, QueueEntry entry, int32_t under_way, list expired) except -1
    cdef int sweep(self, list expired) except -1
    cdef QueueEntry take(self, list expired)
    cdef bint empty(self) noexcept
