"""Network Interface Queue (RFC 4728 4.5) with two priorities.

DSR keeps its unicast packets here and gives the device one at a time, so that a reply overtakes
data, and packets for a link that just broke can still be taken back (3.4.2).
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t

from simcore.models.network.address cimport ipv4_value

from collections import deque


@cython.final
cdef class QueuedPacket:
    pass


@cython.final
cdef class NetworkQueue:
    """First come, first served, control packets before data.

    Parameters
    ----------
    capacity : int
        Packets of each priority.
    max_delay : int
        Longest stay (ns).

    Raises
    ------
    ValueError
        When a parameter is not positive.
    """

    def __init__(self, int capacity=400, int64_t max_delay=30_000_000_000):
        if capacity < 1:
            raise ValueError(f"capacity is {capacity} packets: it must be 1 or more")
        if max_delay <= 0:
            raise ValueError(f"max_delay is {max_delay} ns: it must be positive")
        self.capacity = capacity
        self.max_delay = max_delay
        self.control = deque()
        self.data = deque()

    cdef bint add(self, QueuedPacket entry, bint control, int64_t now) except -1:
        cdef object queue = self.control if control else self.data
        if len(queue) >= self.capacity:
            return False
        entry.deadline = now + self.max_delay
        queue.append(entry)
        return True

    cdef QueuedPacket take(self, int64_t now, list expired):
        cdef QueuedPacket entry
        cdef object queue
        while True:
            queue = self.control if len(self.control) > 0 else self.data
            if len(queue) == 0:
                return None
            entry = <QueuedPacket>queue.popleft()
            if entry.deadline > now:
                return entry
            expired.append(entry)

    cdef list take_for(self, uint32_t next_hop):
        cdef list taken = []
        cdef object queue
        if len(self.control) + len(self.data) == 0:
            return taken
        for queue in (self.control, self.data):
            for _ in range(len(queue)):
                entry = queue.popleft()
                if (<QueuedPacket>entry).next_hop == next_hop:
                    taken.append(entry)
                else:
                    queue.append(entry)
        return taken

    def __len__(self):
        return len(self.control) + len(self.data)

    # Hooks for tests: packets by their uid.

    def _add(self, Packet packet not None, next_hop, bint control, int64_t now):
        cdef QueuedPacket entry = QueuedPacket.__new__(QueuedPacket)
        entry.packet = packet
        entry.next_hop = ipv4_value(next_hop)
        return self.add(entry, control, now)

    def _take(self, int64_t now):
        cdef list expired = []
        cdef QueuedPacket entry = self.take(now, expired)
        return (
            None if entry is None else entry.packet.uid,
            [(<QueuedPacket>late).packet.uid for late in expired],
        )

    def _take_for(self, next_hop):
        return [(<QueuedPacket>entry).packet.uid for entry in self.take_for(ipv4_value(next_hop))]
