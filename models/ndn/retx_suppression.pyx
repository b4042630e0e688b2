"""Retransmission suppression (NFD Developer's Guide 5.1.1)."""

cimport cython
from libc.math cimport llround
from libc.stdint cimport int32_t, int64_t

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.pit cimport OutRecord, PitEntry

cdef enum:
    NS_PER_US = 1000
    DEFAULT_INITIAL = 10_000_000
    DEFAULT_LONGEST = 250_000_000


@cython.final
cdef class RetxSuppression:
    """Forwards a retransmission when an interval has passed since the last one.

    Parameters
    ----------
    initial : int
        First interval, ns, whole microseconds.
    longest : int
        Upper limit of the interval, ns.
    multiplier : float
        Growth of the interval with each retransmission; 1 for a fixed one.

    Raises
    ------
    ValueError
        When a parameter is out of range.
    """

    def __init__(self, initial=DEFAULT_INITIAL, longest=DEFAULT_LONGEST, double multiplier=2.0):
        if not NS_PER_US <= initial <= 1_000_000_000_000 or initial % NS_PER_US:
            raise ValueError(
                f"initial interval is {initial} ns: it must be whole microseconds, at least 1"
            )
        if not initial <= longest <= 1_000_000_000_000:
            raise ValueError(
                f"longest interval is {longest} ns: it must not be below the initial {initial} ns"
            )
        if not 1 <= multiplier <= 1e6:
            raise ValueError(f"multiplier is {multiplier}: it must be at least 1")
        self.initial = initial
        self.longest = longest
        self.multiplier = multiplier

    cdef int32_t next_interval(self, int32_t interval) noexcept:
        """Interval (us) after one of `interval` us, which is 0 before the first."""
        cdef double grown = (
            <double>(interval if interval else self.initial // NS_PER_US) * self.multiplier
        )
        cdef int64_t most = self.longest // NS_PER_US
        return <int32_t>(most if grown >= most else llround(grown))

    cdef int decide_per_entry(self, PitEntry entry, int64_t now) noexcept:
        cdef int64_t last = 0
        cdef int64_t interval
        cdef int i
        if not entry.has_pending_out(now):
            return NEW
        for i in range(entry.out_count):
            if entry.out_record(i).last_renewed > last:
                last = entry.out_record(i).last_renewed
        interval = <int64_t>entry.suppression * NS_PER_US if entry.suppression else self.initial
        if now - last < interval:
            return SUPPRESS
        entry.suppression = self.next_interval(entry.suppression)
        return FORWARD

    cdef int decide_per_upstream(self, PitEntry entry, Face face, int64_t now) noexcept:
        cdef OutRecord* record = entry.out_record_of(face)
        cdef int64_t interval
        if record == NULL:
            return NEW
        interval = <int64_t>record.suppression * NS_PER_US if record.suppression else self.initial
        return SUPPRESS if now - record.last_renewed < interval else FORWARD

    cdef void grow(self, OutRecord* record) noexcept:
        record.suppression = self.next_interval(record.suppression)

    def decide(self, PitEntry entry not None, int64_t now, Face face=None):
        """``"new"``, ``"forward"`` or ``"suppress"`` for an Interest at `now` (ns).

        With a face the decision is for this upstream alone, and its interval does not grow.
        """
        cdef int decision
        if face is None:
            decision = self.decide_per_entry(entry, now)
        else:
            decision = self.decide_per_upstream(entry, face, now)
        return ("new", "forward", "suppress")[decision]

    def forwarded(self, PitEntry entry not None, Face face not None):
        """The interval of an upstream grows: a retransmission was sent to it."""
        cdef OutRecord* record = entry.out_record_of(face)
        if record == NULL:
            raise ValueError(f"{face!r} has no out-record")
        self.grow(record)
