"""Duplicate detection (802.11-2020 10.3.2.14) and reassembly (10.5)."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from simcore.models.network.packet cimport Packet
from simcore.models.wifi.frame cimport WifiFrame


cdef class Partial:
    pass


@cython.final
cdef class Receiver:
    """What a station remembers of the frames it received.

    Parameters
    ----------
    lifetime : int
        Longest time from the first to the last fragment (ns), aMaxReceiveLifetime.
    """

    def __init__(self, int64_t lifetime=500_000_000):
        self.lifetime = lifetime
        self.last_control = {}
        self.partial = {}

    cdef Packet accept(self, WifiFrame frame, int64_t now):
        """MSDU that this frame completes; None for duplicates and unfinished ones."""
        cdef int32_t control = <int32_t>(frame.sequence << 4 | frame.fragment)
        cdef Partial partial
        last = self.last_control.get(frame.addr2)
        if frame.retry and last is not None and <int32_t>last == control:
            self.duplicate_count += 1
            return None
        self.last_control[frame.addr2] = control
        if frame.fragment == 0 and not frame.more_fragments:
            return frame.body
        if frame.fragment == 0:
            partial = Partial.__new__(Partial)
            partial.sequence = frame.sequence
            partial.next_fragment = 1
            partial.received = frame.body_size
            partial.started = now
            self.partial[frame.addr2] = partial
            return None
        partial = self.partial.get(frame.addr2)
        if (
            partial is None
            or partial.sequence != frame.sequence
            or partial.next_fragment != frame.fragment
            or now - partial.started > self.lifetime
        ):
            self.partial.pop(frame.addr2, None)
            return None
        partial.next_fragment += 1
        partial.received += frame.body_size
        if frame.more_fragments:
            return None
        del self.partial[frame.addr2]
        return frame.body if partial.received == frame.body.size else None
