# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Transmit queues that find out in different ways which packets have outlived their time.

All are compiled and hold the same packets in a deque; they differ in the check alone.
"""

from libc.stdint cimport int64_t

from simcore.models.network.packet cimport Packet
from simcore.models.wifi.mac.queue cimport QueueEntry, WifiMacQueue
from simcore.simulator cimport Simulator

from collections import deque

from simcore.models.network.packet import Packet as PacketClass


cdef class Time:
    """A time as an object, made anew by each operation, as ns-3's and pandas' are."""
    cdef int64_t ns

    def __add__(Time self, Time other):
        return make_time(self.ns + other.ns)

    def __lt__(Time self, Time other):
        return self.ns < other.ns


cdef Time make_time(int64_t ns):
    cdef Time time = Time.__new__(Time)
    time.ns = ns
    return time


cdef class Item:
    cdef Packet packet
    cdef Time enqueued
    cdef int64_t deadline


cdef class ScanningQueue:
    """Looks at every packet at each inspection."""
    cdef Simulator sim
    cdef object entries
    cdef Time lifetime
    cdef readonly int64_t expired_count

    def __init__(self, Simulator sim, lifetime):
        self.sim = sim
        self.entries = deque()
        self.lifetime = make_time(lifetime)

    cdef Time now(self):
        return make_time(self.sim.now_ns)

    cdef bint expired(self, Item item):
        return False

    cdef int enqueue(self, Packet packet) except -1:
        cdef Item item = Item.__new__(Item)
        item.packet = packet
        item.enqueued = self.now()
        item.deadline = self.sim.now_ns + self.lifetime.ns
        self.entries.append(item)
        return 0

    cdef Packet take(self):
        cdef Item item
        cdef list gone = None
        for item in self.entries:
            if self.expired(item):
                if gone is None:
                    gone = []
                gone.append(item)
        if gone is not None:
            for item in gone:
                self.entries.remove(item)
                self.expired_count += 1
        return (<Item>self.entries.popleft()).packet if self.entries else None


cdef class TimeBuildingQueue(ScanningQueue):
    """Reads the clock and adds times for every packet: `now() >= enqueued + lifetime`."""

    cdef bint expired(self, Item item):
        return not (self.now() < item.enqueued + self.lifetime)


cdef class DeadlineQueue(ScanningQueue):
    """Compares with a deadline that was computed at the entry; still looks at every packet."""

    cdef bint expired(self, Item item):
        return item.deadline <= self.sim.now_ns


def run_scanning(ScanningQueue queue, int length, int inspections, int64_t step):
    """(taken, expired) of a queue that holds `length` packets at most."""
    cdef Packet packet = PacketClass(queue.sim, 100)
    cdef int64_t taken = 0
    cdef int _
    queue.sim.now_ns = 0
    for _ in range(inspections):
        while len(queue.entries) < length:
            queue.enqueue(packet)
        queue.sim.now_ns += step
        if queue.take() is not None:
            taken += 1
    return taken, queue.expired_count


def run_ours(WifiMacQueue queue, int length, int inspections, int64_t step):
    """The same with the queue of the models."""
    cdef Packet packet = PacketClass(queue.sim, 100)
    cdef QueueEntry entry
    cdef list expired = []
    cdef int64_t taken = 0
    cdef int _
    queue.sim.now_ns = 0
    for _ in range(inspections):
        while len(queue.entries) < length:
            entry = QueueEntry.__new__(QueueEntry)
            entry.packet = packet
            entry.body = packet
            queue.enqueue(entry, 0, expired)
        queue.sim.now_ns += step
        if queue.take(expired) is not None:
            taken += 1
        expired.clear()
    return taken, queue.expired_count
