"""Route Request Table (RFC 4728 4.3)."""

cimport cython
from libc.stdint cimport int64_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free

from simcore.models.network.address cimport ipv4_address, ipv4_value


@cython.final
cdef class Discovery:
    """State of the discovery of a target."""

    @property
    def address(self):
        """The target (Ipv4Address)."""
        return ipv4_address(self.target)


@cython.final
cdef class RouteRequestTable:
    """Requests sent and seen, of a limited number of nodes; the least recently used leave.

    Parameters
    ----------
    size : int
        Nodes of each kind (RFC 4728 9 RequestTableSize).
    ids : int
        Requests remembered of each initiator, first in first out (RFC 4728 9 RequestTableIds).

    Raises
    ------
    ValueError
        When a size is below 1.
    """

    def __init__(self, int size=64, int ids=16):
        if size < 1:
            raise ValueError(f"size is {size} nodes: it must be 1 or more")
        if ids < 1:
            raise ValueError(f"ids is {ids}: it must be 1 or more")
        self.size = size
        self.ids = ids
        self.discoveries = {}
        self.initiator = <uint32_t*>calloc(size, sizeof(uint32_t))
        self.seen_requests = <SeenRequests*>calloc(size, sizeof(SeenRequests))
        self.seen_target = <uint32_t*>calloc(<size_t>size * ids, sizeof(uint32_t))
        self.seen_id = <uint16_t*>calloc(<size_t>size * ids, sizeof(uint16_t))
        if (
            self.initiator is NULL or self.seen_requests is NULL or self.seen_target is NULL
            or self.seen_id is NULL
        ):
            raise MemoryError(f"no memory for {size} nodes with {ids} requests each")

    def __dealloc__(self):
        free(self.initiator)
        free(self.seen_requests)
        free(self.seen_target)
        free(self.seen_id)

    cdef bint seen(self, uint32_t initiator, uint16_t identification, uint32_t target) noexcept:
        cdef SeenRequests* entry
        cdef int i, at
        cdef int row = -1
        for i in range(self.initiators):
            if self.initiator[i] == initiator:
                row = i
                break
        self.uses += 1
        if row < 0:
            if self.initiators < self.size:
                row = self.initiators
                self.initiators += 1
            else:
                row = 0
                for i in range(1, self.size):
                    if self.seen_requests[i].stamp < self.seen_requests[row].stamp:
                        row = i
            self.initiator[row] = initiator
            self.seen_requests[row].next = 0
            self.seen_requests[row].count = 0
        entry = &self.seen_requests[row]
        entry.stamp = self.uses
        at = row * self.ids
        for i in range(entry.count):
            if self.seen_id[at + i] == identification and self.seen_target[at + i] == target:
                return True
        self.seen_id[at + entry.next] = identification
        self.seen_target[at + entry.next] = target
        entry.next = (entry.next + 1) % self.ids
        if entry.count < self.ids:
            entry.count += 1
        return False

    cdef Discovery find_discovery(self, uint32_t target):
        return <Discovery>self.discoveries.get(target)

    cdef Discovery discovery(self, uint32_t target, int64_t period):
        cdef Discovery found = <Discovery>self.discoveries.get(target)
        cdef Discovery oldest = None
        self.uses += 1
        if found is None:
            if len(self.discoveries) >= self.size:
                for candidate in self.discoveries.values():
                    if oldest is None or (<Discovery>candidate).stamp < oldest.stamp:
                        oldest = <Discovery>candidate
                if oldest.timer is not None:
                    oldest.timer.cancel()
                del self.discoveries[oldest.target]
            found = Discovery.__new__(Discovery)
            found.target = target
            found.period = period
            self.discoveries[target] = found
        found.stamp = self.uses
        return found

    def note(self, initiator, uint16_t identification, target):
        """Whether a request was seen before; if not, it is remembered."""
        return self.seen(ipv4_value(initiator), identification, ipv4_value(target))

    def get(self, target):
        """State of the discovery of a target, or None."""
        return self.discoveries.get(ipv4_value(target))

    def __len__(self):
        """Initiators remembered."""
        return self.initiators
