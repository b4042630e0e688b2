"""First-in-first-out queue that drops what does not fit."""

from simcore.models.network.packet cimport Packet
from simcore.trace.source cimport TraceSet
from simcore.whole cimport MAX_NUMBER, whole

cdef enum:
    # As in ns-3's DropTailQueue.
    DEFAULT_PACKETS = 100


cdef class DropTailQueue:
    """First-in-first-out queue that drops a packet that does not fit.

    Parameters
    ----------
    max_packets : int
        Room in packets; 0 for no limit.
    max_bytes : int
        Room in bytes; 0 for no limit.

    Notes
    -----
    Trace sources: ``enqueue``, ``dequeue`` and ``drop``, each with (packet).
    """

    def __init__(self, max_packets=DEFAULT_PACKETS, max_bytes=0):
        cdef TraceSet trace
        max_bytes = whole("max_bytes", max_bytes, MAX_NUMBER)
        max_packets = whole("max_packets", max_packets, MAX_NUMBER)
        if max_packets < 0:
            raise ValueError(f"max_packets is {max_packets}: it must not be negative")
        if max_bytes < 0:
            raise ValueError(f"max_bytes is {max_bytes}: it must not be negative")
        self.max_packets = max_packets
        self.max_bytes = max_bytes
        # A power of two, so that an index wraps by a mask.
        self.ring = [None] * 16
        trace = TraceSet(
            self,
            enqueue="(packet) a packet entered the queue",
            dequeue="(packet) a packet left the queue",
            drop="(packet) a packet did not fit",
        )
        self.trace = trace
        self.enqueue_trace = trace.source("enqueue")
        self.dequeue_trace = trace.source("dequeue")
        self.drop_trace = trace.source("drop")

    cdef bint push(self, Packet packet) except -1:
        cdef Py_ssize_t size = len(self.ring)
        if (self.max_packets and self.count >= self.max_packets) or (
            self.max_bytes and self.byte_count + packet.size > self.max_bytes
        ):
            self.drops += 1
            if self.drop_trace.active:
                self.drop_trace.emit1(packet)
            return False
        if self.count == size:
            self.ring = self.ring[self.head:] + self.ring[:self.head] + [None] * size
            self.head = 0
            size *= 2
        self.ring[(self.head + self.count) & (size - 1)] = packet
        self.count += 1
        self.byte_count += packet.size
        if self.enqueue_trace.active:
            self.enqueue_trace.emit1(packet)
        return True

    cdef Packet pop(self):
        cdef Packet packet
        if self.count == 0:
            return None
        packet = <Packet>self.ring[self.head]
        self.ring[self.head] = None
        self.head = (self.head + 1) & (len(self.ring) - 1)
        self.count -= 1
        self.byte_count -= packet.size
        if self.dequeue_trace.active:
            self.dequeue_trace.emit1(packet)
        return packet

    def enqueue(self, Packet packet not None):
        """Put a packet at the end; False when it did not fit. O(1)."""
        return self.push(packet)

    def dequeue(self):
        """Take the first packet; None when there is none. O(1)."""
        return self.pop()

    def __len__(self):
        return self.count

    def __repr__(self):
        return f"<DropTailQueue of {self.count} packets, {self.byte_count} bytes>"
