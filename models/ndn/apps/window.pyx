"""Consumers with a window of Interests in flight."""

from libc.math cimport cbrt
from libc.stdint cimport int64_t

from simcore.models.ndn.apps.consumer cimport Consumer
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport NACK_CONGESTION, LpFields
from simcore.models.network.node cimport Node
from simcore.trace.source cimport TraceSet, TraceSource

cdef enum:
    AIMD = 0
    CUBIC = 1

cdef dict ALGORITHMS = {"aimd": AIMD, "cubic": CUBIC}
cdef tuple NAMES = tuple(ALGORITHMS)

# Beyond any network: it keeps the window within the integers.
cdef double MAX_WINDOW = 1e9
# C of RFC 9438 5.1, in segments per second cubed.
cdef double CUBIC_C = 0.4


cdef class ConsumerWindow(Consumer):
    """Keeps a number of Interests in flight.

    Parameters
    ----------
    node : Node
    prefix : Name or str
    window : float
        Interests in flight, at least 1.
    grow : bool
        Whether each Data makes the window larger by one, as ndnSIM's does.
    reset_on_timeout : bool
        Whether a timeout sets the window back to `window`.
    **rest
        See `Consumer`.

    Raises
    ------
    ValueError
        When the window is below 1.

    Notes
    -----
    One more trace source: ``window`` with (window) when it changed.
    """

    cdef readonly double initial_window
    cdef readonly double window            # Interests
    cdef readonly bint grow
    cdef readonly bint reset_on_timeout
    cdef TraceSource window_trace

    def __init__(
        self, Node node not None, prefix, window=1, *, bint grow=False,
        bint reset_on_timeout=False, **rest,
    ):
        if not 1 <= window <= MAX_WINDOW:
            raise ValueError(f"window is {window}: it must be 1 to {MAX_WINDOW:g} Interests")
        self.initial_window = window
        self.window = window
        self.grow = grow
        self.reset_on_timeout = reset_on_timeout
        Consumer.__init__(self, node, prefix, **rest)
        self.window_trace = (<TraceSet>self.trace).source("window")

    def sources(self):
        return TraceSet(
            self,
            interest="(interest) an Interest is sent",
            data="(sequence, (last_ns, full_ns, transmissions, hops), data) Data came",
            nack="(interest, reason) a Nack came",
            timeout="(sequence) no Data came within the timeout",
            window="(window) Interests that may be in flight",
        )

    cdef int set_window(self, double window) except -1:
        if window > MAX_WINDOW:
            window = MAX_WINDOW
        if window != self.window:
            self.window = window
            if self.window_trace.active:
                self.window_trace.emit1(window)
        return 0

    cdef int work_waits(self) except -1:
        while self.outstanding.sent < <int64_t>self.window:
            if not self.send_one():
                break
        return 0

    cdef int note_data(self, int64_t sequence, bint marked) except -1:
        return self.set_window(self.window + 1) if self.grow else 0

    cdef int note_timeout(self, int64_t sequence) except -1:
        return self.set_window(self.initial_window) if self.reset_on_timeout else 0


cdef class ConsumerAimd(ConsumerWindow):
    """Adapts its window to congestion, as the consumer of PCON (Schneider et al., ICN 2016).

    The window doubles in a round trip until the first sign of congestion, which is a mark on Data,
    a timeout or a Nack (Congestion); then it grows by one in a round trip (``"aimd"``), or after
    RFC 9438 (``"cubic"``). It shrinks at most once for the Interests of a round trip.

    Parameters
    ----------
    node : Node
    prefix : Name or str
    window : float
        At the start, and the smallest.
    algorithm : str
        ``"aimd"`` or ``"cubic"``.
    beta : float, optional
        What a sign of congestion leaves of the window; 0.5 or, for cubic, 0.7 when not given.
    react_to_marks : bool
        Whether congestion marks count.
    conservative : bool
        Whether the window shrinks at most once in a round trip.
    suppression : float
        How much longer than a round trip that lasts, in round trips.
    **rest
        See `Consumer`.

    Raises
    ------
    ValueError
        When a parameter is out of range.
    """

    cdef readonly double beta
    cdef readonly double threshold         # of slow start
    cdef readonly double suppression
    cdef readonly bint react_to_marks
    cdef readonly bint conservative
    cdef readonly int64_t marks            # that came with Data
    cdef readonly int64_t decreases        # of the window
    cdef int algorithm_number
    cdef int64_t highest                   # sequence number that Data came for
    cdef double recovery                   # decreases wait for Data above this sequence number
    cdef double largest                    # window before the last decrease (W_max)
    cdef int64_t epoch                     # when it was, ns

    def __init__(
        self, Node node not None, prefix, window=1, *, str algorithm="aimd", beta=None,
        bint react_to_marks=True, bint conservative=True, suppression=0.5, **rest,
    ):
        if algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm is {algorithm!r}: one of {', '.join(ALGORITHMS)}")
        self.algorithm_number = ALGORITHMS[algorithm]
        if beta is None:
            beta = 0.7 if self.algorithm_number == CUBIC else 0.5
        if not 0 < beta < 1:
            raise ValueError(f"beta is {beta}: it must be above 0 and below 1")
        if not 0 <= suppression <= 1e6:
            raise ValueError(f"suppression is {suppression}: it must be 0 to 1e6 round trips")
        self.beta = beta
        self.threshold = MAX_WINDOW
        self.react_to_marks = react_to_marks
        self.conservative = conservative
        self.suppression = suppression
        self.highest = -1
        self.recovery = -1
        ConsumerWindow.__init__(self, node, prefix, window, **rest)

    cdef int note_data(self, int64_t sequence, bint marked) except -1:
        if sequence > self.highest:
            self.highest = sequence
        if marked:
            self.marks += 1
            if self.react_to_marks:
                return self.decrease()
        if self.window < self.threshold:
            return self.set_window(self.window + 1)
        if self.algorithm_number == AIMD:
            return self.set_window(self.window + 1 / self.window)
        return self.grow_cubic()

    cdef int grow_cubic(self) except -1:
        """RFC 9438 4.2 to 4.4, with the window in Interests."""
        cdef double elapsed = (self.sim.now_ns - self.epoch) * 1e-9
        cdef double rtt = (self.rtt.smoothed if self.rtt.smoothed > 0 else 1) * 1e-9
        cdef double k = cbrt(self.largest * (1 - self.beta) / CUBIC_C)
        cdef double distance = elapsed + rtt - k
        cdef double target = CUBIC_C * distance * distance * distance + self.largest
        # What a Reno flow would have by now (4.3).
        cdef double reno = self.largest * self.beta + (
            3 * (1 - self.beta) / (1 + self.beta) * elapsed / rtt
        )
        if target > 1.5 * self.window:
            target = 1.5 * self.window
        if target > self.window:
            self.set_window(self.window + (target - self.window) / self.window)
        if reno > self.window:
            self.set_window(reno)
        return 0

    cdef int decrease(self) except -1:
        if self.conservative and self.highest <= self.recovery:
            return 0
        self.recovery = self.next_sequence + self.suppression * (
            self.next_sequence - self.highest
        )
        self.decreases += 1
        self.largest = self.window
        self.epoch = self.sim.now_ns
        self.threshold = max(self.window * self.beta, self.initial_window)
        return self.set_window(self.threshold)

    cdef int note_timeout(self, int64_t sequence) except -1:
        return self.decrease()

    cdef int nack_arrived(self, Interest interest, int reason, LpFields fields) except -1:
        ConsumerWindow.nack_arrived(self, interest, reason, fields)
        return self.decrease() if reason == NACK_CONGESTION else 0

    @property
    def algorithm(self):
        """How the window grows: ``"aimd"`` or ``"cubic"``."""
        return NAMES[self.algorithm_number]
