"""AMRR and Onoe: judge the rate once a period by the share of failures."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector cimport TxVector

from simcore.models.wifi.managers.manager import count_of, duration_of, factor_of

cdef enum:
    # Outcomes without which a period says nothing (MadWifi, ns-3).
    ENOUGH = 10


cdef class AmrrStation(RemoteStation):
    """The state of AMRR for one peer.

    Attributes
    ----------
    ok, errors, retries : int
        In this period: frames acknowledged, given up; failed attempts.
    retry : int
        Failures of the current frame.
    success : int
        Good periods in a row.
    success_threshold : int
        Good periods after which a higher rate is tried.
    recovery : bool
        The rate was raised in the last period.
    """

    cdef int64_t next_update
    cdef readonly int32_t ok
    cdef readonly int32_t errors
    cdef readonly int32_t retries
    cdef readonly int32_t retry
    cdef readonly int32_t success
    cdef readonly int32_t success_threshold
    cdef readonly bint recovery


cdef class AmrrManager(AdaptiveManager):
    """Adaptive Multi Rate Retry.

    Repetitions of a frame go one, two, three rates lower. Once a period: more failures than
    ``failure_ratio`` of the acknowledged frames lower the rate; fewer than ``success_ratio``, with
    more than ten outcomes, are a success, and ``success_threshold`` of them in a row raise it. A
    failure right after a raise doubles that threshold.

    Source: M. Lacage, M. H. Manshaei, T. Turletti, "IEEE 802.11 Rate Adaptation: A Practical
    Approach", MSWiM 2004, section 5; details as in ns-3's AmrrWifiManager.

    Parameters
    ----------
    standard : str
    update_period : int
        ns (ns-3: UpdatePeriod, 1 s).
    failure_ratio, success_ratio : float
        ns-3: FailureRatio 1/3, SuccessRatio 1/10.
    min_success_threshold, max_success_threshold : int
        Periods (ns-3: MinSuccessThreshold 1, MaxSuccessThreshold 10).
    group_mode, rts_mode : str, optional
    """

    cdef readonly int64_t update_period
    cdef readonly double failure_ratio
    cdef readonly double success_ratio
    cdef readonly int32_t min_success_threshold
    cdef readonly int32_t max_success_threshold

    def __init__(self, str standard="802.11a", *, update_period=1_000_000_000,
                 failure_ratio=1.0 / 3.0, success_ratio=0.1, min_success_threshold=1,
                 max_success_threshold=10, group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.update_period = duration_of("update_period", update_period)
        self.failure_ratio = factor_of("failure_ratio", failure_ratio, 0.0, 1.0)
        self.success_ratio = factor_of("success_ratio", success_ratio, 0.0, 1.0)
        self.min_success_threshold = count_of("min_success_threshold", min_success_threshold)
        self.max_success_threshold = count_of(
            "max_success_threshold", max_success_threshold, min_success_threshold
        )

    cdef RemoteStation new_station(self):
        cdef AmrrStation peer = AmrrStation.__new__(AmrrStation)
        peer.next_update = self.sim.now_ns + self.update_period
        peer.success_threshold = self.min_success_threshold
        return peer

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        (<AmrrStation>station).retry = 0
        (<AmrrStation>station).ok += 1
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        (<AmrrStation>station).retry += 1
        (<AmrrStation>station).retries += 1
        return 0

    cdef int on_data_given_up(self, RemoteStation station) except -1:
        (<AmrrStation>station).retry = 0
        (<AmrrStation>station).errors += 1
        return 0

    cdef TxVector choose(self, RemoteStation station, int32_t size):
        cdef AmrrStation peer = <AmrrStation>station
        if self.sim.now_ns >= peer.next_update:
            self.update(peer)
        return self.vector(self.step_down(peer.rate, min(peer.retry, 3)))

    cdef int update(self, AmrrStation peer) except -1:
        cdef int32_t bad = peer.retries + peer.errors
        cdef bint enough = bad + peer.ok > ENOUGH
        cdef int32_t before = peer.rate
        peer.next_update = self.sim.now_ns + self.update_period
        if bad < peer.ok * self.success_ratio and enough:
            peer.success += 1
            peer.recovery = peer.success >= peer.success_threshold and peer.rate < self.top
            if peer.recovery:
                peer.success = 0
                peer.rate += 1
        elif bad > peer.ok * self.failure_ratio:
            peer.success = 0
            if peer.rate > 0:
                if peer.recovery:
                    peer.success_threshold = min(
                        2 * peer.success_threshold, self.max_success_threshold
                    )
                else:
                    peer.success_threshold = self.min_success_threshold
                peer.rate -= 1
            peer.recovery = False
        if enough or peer.rate != before:
            peer.ok = peer.errors = peer.retries = 0
        return 0


cdef class OnoeStation(RemoteStation):
    """The state of Onoe for one peer.

    Attributes
    ----------
    ok, errors, retries : int
        In this period: frames acknowledged, given up; failed attempts of both.
    short_retry, long_retry : int
        Missed CTS and missed ACKs of the current frame.
    credit : int
        Good periods, less the middling ones.
    blocked : bool
        A frame is under way: its rate is not judged.
    """

    cdef int64_t next_update
    cdef readonly bint blocked
    cdef readonly int32_t short_retry
    cdef readonly int32_t long_retry
    cdef readonly int32_t ok
    cdef readonly int32_t errors
    cdef readonly int32_t retries
    cdef readonly int32_t credit


cdef class OnoeManager(AdaptiveManager):
    """Onoe, MadWifi's rate control by credit.

    Once a period: nothing delivered, or on average a failure for each frame, lowers the rate; no
    loss and fewer than ``add_credit_threshold`` per cent of failures is a credit, of which
    ``raise_threshold`` raise the rate. Repetitions go at the same rate four times, then one, two,
    three rates lower after each second failure.

    Source: MadWifi's onoe module as ns-3's OnoeWifiManager follows it.

    Parameters
    ----------
    standard : str
    update_period : int
        ns (ns-3: UpdatePeriod, 1 s).
    raise_threshold : int
        ns-3: RaiseThreshold, 10.
    add_credit_threshold : int
        Per cent (ns-3: AddCreditThreshold, 10).
    group_mode, rts_mode : str, optional
    """

    cdef readonly int64_t update_period
    cdef readonly int32_t raise_threshold
    cdef readonly int32_t add_credit_threshold

    def __init__(self, str standard="802.11a", *, update_period=1_000_000_000,
                 raise_threshold=10, add_credit_threshold=10, group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.update_period = duration_of("update_period", update_period)
        self.raise_threshold = count_of("raise_threshold", raise_threshold)
        self.add_credit_threshold = count_of("add_credit_threshold", add_credit_threshold)

    cdef RemoteStation new_station(self):
        cdef OnoeStation peer = OnoeStation.__new__(OnoeStation)
        peer.next_update = self.sim.now_ns + self.update_period
        return peer

    cdef int on_rts_failed(self, RemoteStation station) except -1:
        (<OnoeStation>station).short_retry += 1
        (<OnoeStation>station).blocked = True
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        (<OnoeStation>station).long_retry += 1
        (<OnoeStation>station).blocked = True
        return 0

    cdef int on_rts_ok(self, RemoteStation station, double cts_snr, double rts_snr) except -1:
        (<OnoeStation>station).blocked = True
        return 0

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        (<OnoeStation>station).ok += 1
        return self.end_frame(<OnoeStation>station)

    cdef int on_rts_given_up(self, RemoteStation station) except -1:
        (<OnoeStation>station).errors += 1
        return self.end_frame(<OnoeStation>station)

    cdef int on_data_given_up(self, RemoteStation station) except -1:
        (<OnoeStation>station).errors += 1
        return self.end_frame(<OnoeStation>station)

    cdef int end_frame(self, OnoeStation peer) except -1:
        peer.retries += peer.short_retry + peer.long_retry
        peer.short_retry = peer.long_retry = 0
        peer.blocked = False
        return 0

    cdef TxVector choose(self, RemoteStation station, int32_t size):
        cdef OnoeStation peer = <OnoeStation>station
        cdef int32_t steps = 0
        if self.sim.now_ns >= peer.next_update and not peer.blocked:
            self.update(peer)
        if peer.long_retry >= 4:
            steps = min(peer.long_retry // 2 - 1, 3)
        return self.vector(self.step_down(peer.rate, steps))

    cdef int update(self, OnoeStation peer) except -1:
        cdef bint enough = peer.ok + peer.errors >= ENOUGH
        cdef int32_t before = peer.rate
        peer.next_update = self.sim.now_ns + self.update_period
        if (
            enough and peer.errors == 0
            and peer.retries < peer.ok * self.add_credit_threshold // 100
        ):
            peer.credit += 1
            if peer.credit >= self.raise_threshold:
                peer.credit = 0
                peer.rate = min(peer.rate + 1, self.top)
        elif (peer.errors > 0 and peer.ok == 0) or (enough and peer.ok < peer.retries):
            peer.credit = 0
            peer.rate = max(peer.rate - 1, 0)
        elif enough and peer.credit > 0:
            peer.credit -= 1
        if peer.rate != before:
            peer.credit = 0
        if enough or peer.rate != before:
            peer.ok = peer.errors = peer.retries = 0
        return 0
