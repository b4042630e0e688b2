"""Interests at a constant or random rate."""

from libc.stdint cimport int64_t

from simcore.models.ndn.apps.consumer cimport Consumer
from simcore.models.network.node cimport Node
from simcore.simulator cimport MAX_TIME

cdef dict KINDS = {"none": CONSTANT, "uniform": UNIFORM, "exponential": EXPONENTIAL}
cdef tuple NAMES = tuple(KINDS)

# Longest exponential gap in multiples of the mean, as in ndnSIM.
cdef double LONGEST_GAP = 50.0


cdef class ConsumerCbr(Consumer):
    """Sends an Interest at the start, and then so many a second.

    A retransmission takes the place of a new Interest, so that the rate is never above the one
    given, as with ndnSIM's consumer.

    Parameters
    ----------
    node : Node
    prefix : Name or str
    frequency : float
        Interests per second.
    randomize : str
        Time between two Interests: ``"none"``, always ``1 / frequency``; ``"uniform"``, from 0 to
        twice that; ``"exponential"``, of that mean and at most fifty times as long.
    **rest
        See `Consumer`.

    Raises
    ------
    ValueError
        When the frequency is not positive or the interval out of the range of simulated time.
    """

    def __init__(
        self, Node node not None, prefix, frequency=1.0, *, str randomize="none", **rest,
    ):
        cdef double gap
        if not frequency > 0:
            raise ValueError(f"frequency is {frequency!r} Hz: it must be positive")
        gap = 1e9 / frequency
        if not 0.5 < gap < MAX_TIME / (2 * LONGEST_GAP):
            raise ValueError(f"frequency is {frequency!r} Hz: an interval of {gap:g} ns is not "
                             f"from 1 ns to {MAX_TIME / (2 * LONGEST_GAP):g} ns")
        if randomize not in KINDS:
            raise ValueError(f"randomize is {randomize!r}: it must be one of {', '.join(KINDS)}")
        self.interval = round(gap)
        self.randomize = KINDS[randomize]
        Consumer.__init__(self, node, prefix, **rest)
        self.gaps = node.sim.random.stream(f"ndn/{node.id}/app/{self.index}/gaps")

    cdef int64_t next_gap(self) noexcept:
        if self.randomize == CONSTANT:
            return self.interval
        if self.randomize == UNIFORM:
            return <int64_t>self.gaps.uniform_c(0.0, 2.0 * self.interval)
        return <int64_t>self.gaps.exponential_bounded_c(
            <double>self.interval, LONGEST_GAP * self.interval
        )

    cdef int send_due(self) except -1:
        if self.send_one() and self.send_timer.slot < 0:
            self.send_timer.arm(self.next_gap())
        return 0

    cdef int work_waits(self) except -1:
        # While the rate's timer runs, a retransmission goes out when it fires.
        if self.outstanding.due and self.send_timer.slot < 0:
            self.send_timer.arm(self.next_gap())
        return 0

    @property
    def randomized(self):
        """Kind of the times between Interests."""
        return NAMES[self.randomize]
