"""First-in-first-out queue that drops what does not fit."""

from libc.stdint cimport int64_t

from simcore.models.network.packet cimport Packet
from simcore.trace.source cimport TraceSource


cdef class DropTailQueue:
    cdef readonly int64_t max_packets      # 0: no limit
    cdef readonly int64_t max_bytes        # 0: no limit
    cdef readonly int64_t byte_count
    cdef readonly int64_t drops
    cdef readonly object trace             # TraceSet: enqueue, dequeue, drop
    cdef list ring
    cdef Py_ssize_t head
    cdef Py_ssize_t count
    cdef TraceSource enqueue_trace
    cdef TraceSource dequeue_trace
    cdef TraceSource drop_trace

    cdef bint push(self, Packet packet) except -1      # False when it was dropped
    cdef Packet pop(self)                              # None when the queue is empty
