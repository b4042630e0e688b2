"""Gratuitous Route Reply Table (RFC 4728 4.4)."""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t

from simcore.models.network.address cimport ipv4_value


@cython.final
cdef class GratuitousReplyTable:
    """Limits gratuitous replies to one in a while for each sender and node it was heard from.

    Parameters
    ----------
    holdoff : int
        The while (ns, RFC 4728 9 GratReplyHoldoff).
    capacity : int
        Entries; the oldest leaves.

    Raises
    ------
    ValueError
        When a parameter is not positive.
    """

    def __init__(self, int64_t holdoff=1_000_000_000, int capacity=64):
        if holdoff <= 0:
            raise ValueError(f"holdoff is {holdoff} ns: it must be positive")
        if capacity < 1:
            raise ValueError(f"capacity is {capacity}: it must be 1 or more")
        self.holdoff = holdoff
        self.capacity = capacity
        self.expiry = {}

    cdef bint admit(self, uint32_t originator, uint32_t transmitter, int64_t now) except -1:
        cdef uint64_t key = <uint64_t>originator << 32 | transmitter
        # All live equally long: the first in the dict expires first.
        while len(self.expiry) > 0:
            oldest = next(iter(self.expiry))
            if <int64_t>self.expiry[oldest] > now:
                break
            del self.expiry[oldest]
        if key in self.expiry:
            return False
        if len(self.expiry) >= self.capacity:
            del self.expiry[next(iter(self.expiry))]
        self.expiry[key] = now + self.holdoff
        return True

    def allow(self, originator, transmitter, int64_t now):
        """Whether a reply may go at a time (ns); if so, it is entered."""
        return self.admit(ipv4_value(originator), ipv4_value(transmitter), now)

    def __len__(self):
        return len(self.expiry)
