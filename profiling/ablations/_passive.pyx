# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""A passive buffer that is scanned, and look-ups in it and in ours: see test_passive_buffer.py."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

from simcore.models.dsr.maintenance_buffer cimport Maintained
from simcore.models.dsr.passive_buffer cimport PassiveBuffer


cdef class ScannedBuffer:
    """All entries in one list; a look-up compares the fields of each until one is the same."""

    cdef list entries

    def __init__(self):
        self.entries = []

    cdef int add(self, Maintained entry) except -1:
        self.entries.append(entry)
        return 0

    cdef Maintained match(
        self, uint32_t source, uint32_t destination, uint8_t protocol, uint16_t identification,
        uint16_t offset, int32_t segments_left,
    ):
        cdef Maintained entry
        for item in self.entries:
            entry = <Maintained>item
            if (
                entry.source == source and entry.destination == destination
                and entry.identification == identification
                and entry.protocol == protocol and entry.offset == offset
                and (entry.segments_left < 0) == (segments_left < 0)
                and (segments_left < 0 or segments_left < entry.segments_left)
            ):
                return entry
        return None


cdef struct Heard:
    uint32_t source
    uint32_t destination
    uint16_t identification


cdef inline Heard heard(int number, int nodes, int streams) noexcept nogil:
    """What is overheard, in no order: packets of all nodes, some of them on a stream of ours."""
    cdef uint32_t mixed = <uint32_t>number * 2654435761u
    cdef Heard packet
    packet.destination = (mixed >> 8) % <uint32_t>nodes
    packet.source = packet.destination % <uint32_t>streams + 1000
    packet.identification = (mixed >> 16) & 1023
    return packet


def filled(kind, int length, int streams):
    """A buffer with `length` packets of so many streams, to as many destinations."""
    cdef Maintained entry
    cdef int i
    buffer = kind()
    for i in range(length):
        entry = Maintained.__new__(Maintained)
        entry.destination = i % streams
        entry.source = i % streams + 1000
        entry.identification = i // streams
        entry.segments_left = 3
        if isinstance(buffer, PassiveBuffer):
            (<PassiveBuffer>buffer).add(entry)
        else:
            (<ScannedBuffer?>buffer).add(entry)
    return buffer


def look_up_keyed(PassiveBuffer buffer not None, int nodes, int streams, int times):
    """Look up so many packets; return how many are there."""
    cdef int found = 0
    cdef int i
    cdef Heard packet
    for i in range(times):
        packet = heard(i, nodes, streams)
        if buffer.match(
            packet.source, packet.destination, 0, packet.identification, 0, 2
        ) is not None:
            found += 1
    return found


def look_up_scanned(ScannedBuffer buffer not None, int nodes, int streams, int times):
    """The same in a buffer that is scanned."""
    cdef int found = 0
    cdef int i
    cdef Heard packet
    for i in range(times):
        packet = heard(i, nodes, streams)
        if buffer.match(
            packet.source, packet.destination, 0, packet.identification, 0, 2
        ) is not None:
            found += 1
    return found
