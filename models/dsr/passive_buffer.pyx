"""Passive buffer (RFC 4728 8.3.2), keyed by destination.

Every packet that is overheard is looked up here, and nearly none is found: the look-up must only
touch what is for the same destination. (ns-3 scans all entries; that took 44 % of its DSR module's
time before it was keyed.)
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

from simcore.models.dsr.maintenance_buffer cimport Maintained
from simcore.models.network.address cimport ipv4_value


@cython.final
cdef class PassiveBuffer:
    """Packets whose next hop is expected to be heard passing them on."""

    def __init__(self):
        self.by_destination = {}

    cdef int add(self, Maintained entry) except -1:
        self.by_destination.setdefault(entry.destination, []).append(entry)
        self.count += 1
        return 0

    cdef int remove(self, Maintained entry) except -1:
        cdef object waiting = self.by_destination.get(entry.destination)
        if waiting is None or entry not in <list>waiting:
            return 0
        (<list>waiting).remove(entry)
        if len(<list>waiting) == 0:
            del self.by_destination[entry.destination]
        self.count -= 1
        return 0

    cdef Maintained match(
        self, uint32_t source, uint32_t destination, uint8_t protocol, uint16_t identification,
        uint16_t offset, int32_t segments_left,
    ):
        cdef Maintained entry
        cdef object waiting
        if self.count == 0:
            return None
        waiting = self.by_destination.get(destination)
        if waiting is None:
            return None
        for item in <list>waiting:
            entry = <Maintained>item
            if (
                entry.identification == identification and entry.source == source
                and entry.protocol == protocol and entry.offset == offset
                and (entry.segments_left < 0) == (segments_left < 0)
                and (segments_left < 0 or segments_left < entry.segments_left)
            ):
                return entry
        return None

    def __len__(self):
        return self.count

    # Hooks for tests and benchmarks.

    def _add(self, source, destination, uint16_t identification, int32_t segments_left):
        cdef Maintained entry = Maintained.__new__(Maintained)
        entry.source = ipv4_value(source)
        entry.destination = ipv4_value(destination)
        entry.identification = identification
        entry.segments_left = segments_left
        self.add(entry)
        return entry

    def _match(self, source, destination, uint16_t identification, int32_t segments_left):
        return self.match(
            ipv4_value(source), ipv4_value(destination), 0, identification, 0, segments_left
        )

    def _remove(self, Maintained entry not None):
        self.remove(entry)
