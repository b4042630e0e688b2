"""Bursts of Interests at given times."""

from libc.stdint cimport int64_t

from simcore.models.ndn.apps.consumer cimport Consumer
from simcore.models.network.node cimport Node
from simcore.simulator cimport MAX_TIME

from simcore.units import parse_time


def batches_from(given) -> list[tuple[int, int]]:
    """(time in ns, Interests) of pairs, or of a text such as ``"1s 2 5s 10"``, by time.

    Raises
    ------
    ValueError
        When a time or a number is malformed or negative; the message names it.
    """
    if isinstance(given, str):
        words = given.split()
        if len(words) % 2:
            raise ValueError(f"batches is {given!r}: it must be pairs of a time and a number")
        given = list(zip(words[::2], words[1::2]))
    found = []
    for time, number in given:
        at = parse_time(time, "ns" if isinstance(time, int) else None, "batches")
        try:
            count = int(number)
        except ValueError:
            raise ValueError(
                f"batches has {number!r} at {time}: it must be a number of Interests"
            ) from None
        if not 0 <= at < MAX_TIME:
            raise ValueError(f"batches has the time {time!r}: it must not be negative")
        if not 0 <= count < 1 << 31:
            raise ValueError(f"batches has {number!r} at {time}: it must be 0 to 2**31 - 1")
        found.append((at, count))
    return sorted(found, key=time_of)


def time_of(batch) -> int:
    """Time of a batch, as a sort key."""
    return batch[0]


cdef class ConsumerBatches(Consumer):
    """Sends bursts of Interests; retransmissions go out as soon as they are due.

    Parameters
    ----------
    node : Node
    prefix : Name or str
    batches : str or iterable of (time, int)
        Times after the start and numbers of Interests, such as ``"0s 1 2.5s 10"``.
    **rest
        See `Consumer`.

    Raises
    ------
    ValueError
        When a time or number is malformed or negative.
    """

    cdef readonly list batches             # (ns after the start, Interests)
    cdef Py_ssize_t next_batch
    cdef int64_t allowed                   # new Interests by now

    def __init__(self, Node node not None, prefix, batches, **rest):
        self.batches = batches_from(batches)
        Consumer.__init__(self, node, prefix, **rest)

    cdef int send_due(self) except -1:
        cdef int64_t elapsed = self.sim.now_ns - self.start_time
        while self.next_batch < len(self.batches):
            time, count = self.batches[self.next_batch]
            if time > elapsed:
                self.send_timer.arm(time - elapsed)
                break
            self.allowed += count
            self.next_batch += 1
        return self.work_waits()

    cdef int64_t take_sequence(self) noexcept:
        return -1 if self.asked >= self.allowed else Consumer.take_sequence(self)

    cdef int work_waits(self) except -1:
        while self.send_one():
            pass
        return 0
