"""Send Buffer (RFC 4728 4.2).

The deadline is computed on entry and is the same time ahead for all, so that expiry only looks at
what expires, and a route that was found only touches the packets for its end.
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t

from simcore.models.network.address cimport ipv4_address, ipv4_value

from collections import deque


@cython.final
cdef class Outgoing:
    pass


@cython.final
cdef class SendBuffer:
    """Packets that wait for a route, by destination; when it is full, the oldest leaves.

    Parameters
    ----------
    capacity : int
        Packets.

    Raises
    ------
    ValueError
        When it is below 1.
    """

    def __init__(self, int capacity=64):
        if capacity < 1:
            raise ValueError(f"capacity is {capacity} packets: it must be 1 or more")
        self.capacity = capacity
        self.order = deque()
        self.by_destination = {}

    cdef Outgoing add(self, Outgoing packet, int64_t deadline):
        cdef Outgoing oldest = None
        if self.count >= self.capacity:
            oldest = self.first()
            self.remove(oldest)
        packet.deadline = deadline
        packet.waits = True
        self.order.append(packet)
        self.by_destination.setdefault(packet.destination, []).append(packet)
        self.count += 1
        return oldest

    def first(self):
        """The packet that has waited longest, or None; those that left are forgotten."""
        while len(self.order) > 0:
            if (<Outgoing>self.order[0]).waits:
                return self.order[0]
            self.order.popleft()
        return None

    cdef int remove(self, Outgoing packet) except -1:
        cdef list waiting = self.by_destination[packet.destination]
        packet.waits = False
        waiting.remove(packet)
        if len(waiting) == 0:
            del self.by_destination[packet.destination]
        self.count -= 1
        return 0

    cdef list take(self, uint32_t destination):
        cdef object waiting = self.by_destination.pop(destination, None)
        if waiting is None:
            return []
        for packet in <list>waiting:
            (<Outgoing>packet).waits = False
        self.count -= <int>len(<list>waiting)
        return <list>waiting

    cdef list expire(self, int64_t now):
        cdef list expired = []
        cdef Outgoing packet
        while len(self.order) > 0:
            packet = <Outgoing>self.order[0]
            if packet.waits:
                if packet.deadline > now:
                    break
                self.remove(packet)
                expired.append(packet)
            self.order.popleft()
        return expired

    cdef bint holds(self, uint32_t destination) noexcept:
        return self.count > 0 and destination in self.by_destination

    cdef int64_t next_deadline(self) noexcept:
        cdef object packet = self.first()
        return -1 if packet is None else (<Outgoing>packet).deadline

    def __len__(self):
        return self.count

    def __contains__(self, destination):
        return self.holds(ipv4_value(destination))

    def destinations(self):
        """Destinations that packets wait for, in the order in which the first of them came."""
        return [ipv4_address(destination) for destination in self.by_destination]

    # Hooks for tests: packets by a number of theirs.

    def _add(self, destination, number, int64_t deadline):
        cdef Outgoing packet = Outgoing.__new__(Outgoing)
        cdef Outgoing evicted
        packet.destination = ipv4_value(destination)
        packet.options = (number,)
        evicted = self.add(packet, deadline)
        return None if evicted is None else evicted.options[0]

    def _take(self, destination):
        return [(<Outgoing>packet).options[0] for packet in self.take(ipv4_value(destination))]

    def _expire(self, int64_t now):
        return [(<Outgoing>packet).options[0] for packet in self.expire(now)]

    def _next_deadline(self):
        return self.next_deadline()
