"""Maintenance Buffer (RFC 4728 4.5)."""

cimport cython
from libc.stdint cimport int64_t, uint16_t, uint32_t

from simcore.models.network.address cimport ipv4_value


@cython.final
cdef class Maintained:
    pass


@cython.final
cdef class MaintenanceBuffer:
    """Packets whose arrival at the next hop is to be confirmed.

    Parameters
    ----------
    capacity : int
        Packets (RFC 4728 9 RexmtBufferSize); what does not fit is discarded.

    Raises
    ------
    ValueError
        When it is below 1.
    """

    def __init__(self, int capacity=50):
        if capacity < 1:
            raise ValueError(f"capacity is {capacity} packets: it must be 1 or more")
        self.capacity = capacity
        self.entries = []

    cdef bint add(self, Maintained entry) except -1:
        if len(self.entries) >= self.capacity:
            return False
        entry.waits = True
        self.entries.append(entry)
        return True

    cdef int remove(self, Maintained entry) except -1:
        if entry.waits:
            entry.waits = False
            self.entries.remove(entry)
        return 0

    cdef Maintained find_ack(self, uint32_t next_hop, uint16_t ack_id):
        cdef Maintained entry
        for item in self.entries:
            entry = <Maintained>item
            if (
                entry.method == ACK_NETWORK and entry.ack_id == ack_id
                and entry.next_hop == next_hop
            ):
                return entry
        return None

    cdef list take(self, uint32_t next_hop):
        cdef list taken = []
        cdef list kept = []
        for entry in self.entries:
            if (<Maintained>entry).next_hop == next_hop:
                (<Maintained>entry).waits = False
                taken.append(entry)
            else:
                kept.append(entry)
        if len(taken) > 0:
            self.entries = kept
        return taken

    cdef Maintained overdue(self, int64_t now):
        for entry in self.entries:
            if (<Maintained>entry).deadline <= now:
                return <Maintained>entry
        return None

    cdef int64_t next_deadline(self) noexcept:
        cdef int64_t earliest = -1
        for entry in self.entries:
            if earliest < 0 or (<Maintained>entry).deadline < earliest:
                earliest = (<Maintained>entry).deadline
        return earliest

    def __len__(self):
        return len(self.entries)

    # Hooks for tests: entries by their acknowledgement number.

    def _add(self, next_hop, uint16_t ack_id, int64_t deadline):
        cdef Maintained entry = Maintained.__new__(Maintained)
        entry.next_hop = ipv4_value(next_hop)
        entry.ack_id = ack_id
        entry.deadline = deadline
        entry.method = ACK_NETWORK
        return self.add(entry)

    def _acknowledged(self, next_hop, uint16_t ack_id):
        cdef Maintained entry = self.find_ack(ipv4_value(next_hop), ack_id)
        if entry is None:
            return False
        self.remove(entry)
        return True

    def _take(self, next_hop):
        return [(<Maintained>entry).ack_id for entry in self.take(ipv4_value(next_hop))]

    def _next_deadline(self):
        return self.next_deadline()

    def _overdue(self, int64_t now):
        cdef Maintained entry = self.overdue(now)
        return None if entry is None else entry.ack_id
