"""Blacklist (RFC 4728 4.6)."""

cimport cython
from libc.stdint cimport int64_t, uint32_t

from simcore.models.network.address cimport ipv4_value


@cython.final
cdef class Blacklist:
    """Neighbours that are heard but cannot be reached.

    Parameters
    ----------
    timeout : int
        How long a link is "probably" one-way after it failed (ns); then it is "questionable".
    expiry : int, optional
        Life of an entry after the last failure (ns); ten times the timeout by default.

    Raises
    ------
    ValueError
        When a time is negative, or the expiry below the timeout.
    """

    def __init__(self, int64_t timeout=3_000_000_000, expiry=None):
        if timeout < 0:
            raise ValueError(f"timeout is {timeout} ns: it must not be negative")
        self.timeout = timeout
        self.expiry = 10 * timeout if expiry is None else expiry
        if self.expiry < timeout:
            raise ValueError(f"expiry is {expiry} ns: it must be {timeout} or more, the timeout")
        self.failed = {}

    cdef int add(self, uint32_t address, int64_t now) except -1:
        self.failed[address] = now
        return 0

    cdef int remove(self, uint32_t address) except -1:
        if len(self.failed) > 0:
            self.failed.pop(address, None)
        return 0

    cdef LinkVerdict verdict(self, uint32_t address, int64_t now) except *:
        cdef int64_t age
        if len(self.failed) == 0:
            return LINK_GOOD
        since = self.failed.get(address)
        if since is None:
            return LINK_GOOD
        age = now - <int64_t>since
        if age < self.timeout:
            return LINK_PROBABLE
        if age < self.expiry:
            return LINK_QUESTIONABLE
        del self.failed[address]
        return LINK_GOOD

    def enter(self, address, int64_t now):
        """Note that a unicast to a neighbour failed at a time (ns)."""
        self.add(ipv4_value(address), now)

    def discard(self, address):
        """Note that the link works both ways."""
        self.remove(ipv4_value(address))

    def state(self, address, int64_t now):
        """``"probable"``, ``"questionable"`` or None."""
        return (None, "questionable", "probable")[self.verdict(ipv4_value(address), now)]

    def __len__(self):
        return len(self.failed)
