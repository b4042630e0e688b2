"""Default Flow ID Table of the flow state extension (RFC 4728 3.5.1, 5.3)."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from simcore.models.dsr.flow_table cimport flow_greater, pair_of
from simcore.models.network.address cimport ipv4_value


@cython.final
cdef class DefaultFlow:
    pass


@cython.final
cdef class DefaultFlowTable:
    """Which flow packets without any DSR header take, for each source and destination.

    Parameters
    ----------
    capacity : int
        Pairs of source and destination; the one noted first leaves.

    Raises
    ------
    ValueError
        When it is not positive.
    """

    def __init__(self, int capacity=1024):
        if capacity < 1:
            raise ValueError(f"capacity is {capacity} pairs: it must be 1 or more")
        self.capacity = capacity
        self.by_pair = {}

    cdef uint64_t note(
        self, uint32_t source, uint32_t destination, uint16_t flow, int64_t expiry, int64_t now,
    ) except? 1:
        cdef uint64_t evicted = 0
        cdef object key = pair_of(source, destination)
        cdef DefaultFlow record = <DefaultFlow>self.by_pair.get(key)
        if record is None or record.expiry <= now:
            if record is None and len(self.by_pair) >= self.capacity:
                evicted = next(iter(self.by_pair))
                del self.by_pair[evicted]
            record = DefaultFlow.__new__(DefaultFlow)
            self.by_pair[key] = record
        record.expiry = max(record.expiry, expiry)
        if flow & 1 and (record.largest == 0 or flow_greater(flow, record.largest)):
            record.largest = flow
            record.flow = flow
            record.valid = True
        return evicted

    cdef int32_t current(self, uint32_t source, uint32_t destination, int64_t now) except -2:
        cdef object key = pair_of(source, destination)
        cdef DefaultFlow record = <DefaultFlow>self.by_pair.get(key)
        if record is None:
            return -1
        if record.expiry <= now:
            del self.by_pair[key]
            return -1
        return record.flow if record.valid else -1

    cdef int remove(self, uint32_t source, uint32_t destination) except -1:
        self.by_pair.pop(pair_of(source, destination), None)
        return 0

    def lookup(self, source, destination, int64_t now):
        """Default flow ID at a time (ns), or None."""
        cdef int32_t flow = self.current(ipv4_value(source), ipv4_value(destination), now)
        return None if flow < 0 else flow

    def __len__(self):
        return len(self.by_pair)

    # Hook for tests.

    def _note(self, source, destination, uint16_t flow, int64_t expiry, int64_t now):
        return self.note(ipv4_value(source), ipv4_value(destination), flow, expiry, now)
