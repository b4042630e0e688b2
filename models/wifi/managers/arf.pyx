"""ARF and AARF: try the next rate after a row of successes, fall back after failures."""

from libc.stdint cimport int32_t

from simcore.models.wifi.managers.manager cimport RemoteStation
from simcore.models.wifi.phy.txvector cimport TxVector

from simcore.models.wifi.managers.manager import count_of, factor_of


cdef class ArfStation(RemoteStation):
    """The state of ARF for one peer.

    Attributes
    ----------
    timer : int
        Attempts since the rate last changed.
    success, failed : int
        Successes and failures in a row.
    recovery : bool
        The rate was raised and no frame has succeeded since.
    success_threshold, timer_threshold : int
        Successes in a row, or attempts, after which a higher rate is tried.
    """


cdef class ArfManager(AdaptiveManager):
    """Automatic Rate Fallback.

    A higher rate is tried after ``success_threshold`` frames in a row were acknowledged, or after
    ``timer_threshold`` attempts. If the first frame at the new rate fails, the old one is taken at
    once; otherwise two failures in a row lower the rate. Each attempt counts alone, repeated or
    not.

    Source: A. Kamerman, L. Monteban, "WaveLAN-II: A High-Performance Wireless LAN for the
    Unlicensed Band", Bell Labs Technical Journal, summer 1997; the details that it leaves open, as
    ns-3's ArfWifiManager has them.

    Parameters
    ----------
    standard : str
    success_threshold : int
        ns-3: SuccessThreshold, 10.
    timer_threshold : int
        ns-3: TimerThreshold, 15.
    group_mode, rts_mode : str, optional
    """

    def __init__(self, str standard="802.11a", *, success_threshold=10, timer_threshold=15,
                 group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.success_threshold = count_of("success_threshold", success_threshold)
        self.timer_threshold = count_of("timer_threshold", timer_threshold)

    cdef RemoteStation new_station(self):
        cdef ArfStation peer = ArfStation.__new__(ArfStation)
        peer.success_threshold = self.success_threshold
        peer.timer_threshold = self.timer_threshold
        return peer

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        cdef ArfStation peer = <ArfStation>station
        peer.timer += 1
        peer.success += 1
        peer.failed = 0
        peer.recovery = False
        if peer.rate < self.top and (
            peer.success == peer.success_threshold or peer.timer == peer.timer_threshold
        ):
            peer.rate += 1
            peer.timer = 0
            peer.success = 0
            peer.recovery = True
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        cdef ArfStation peer = <ArfStation>station
        peer.timer += 1
        peer.failed += 1
        peer.success = 0
        if peer.recovery:
            if peer.failed == 1:
                self.lower(peer, True)
            peer.timer = 0
        else:
            if peer.failed % 2 == 0:
                self.lower(peer, False)
            if peer.failed >= 2:
                peer.timer = 0
        return 0

    cdef int lower(self, ArfStation peer, bint probe_failed) except -1:
        if peer.rate > 0:
            peer.rate -= 1
        return 0


cdef class AarfManager(ArfManager):
    """Adaptive ARF: each probe of a higher rate that fails doubles the wait for the next.

    As ARF, but a failed probe multiplies ``success_threshold`` by ``success_factor``, up to
    ``max_success_threshold``, and the timer's by ``timer_factor``; two failures in a row set both
    back.

    Source: M. Lacage, M. H. Manshaei, T. Turletti, "IEEE 802.11 Rate Adaptation: A Practical
    Approach", MSWiM 2004; details as in ns-3's AarfWifiManager.

    Parameters
    ----------
    standard : str
    success_factor, timer_factor : float
        ns-3: SuccessK and TimerK, 2.
    max_success_threshold : int
        ns-3: MaxSuccessThreshold, 60.
    success_threshold : int
        ns-3: MinSuccessThreshold, 10.
    timer_threshold : int
        ns-3: MinTimerThreshold, 15.
    group_mode, rts_mode : str, optional
    """

    cdef readonly double success_factor
    cdef readonly double timer_factor
    cdef readonly int32_t max_success_threshold

    def __init__(self, str standard="802.11a", *, success_factor=2.0, timer_factor=2.0,
                 max_success_threshold=60, success_threshold=10, timer_threshold=15,
                 group_mode=None, rts_mode=None):
        super().__init__(
            standard, success_threshold=success_threshold, timer_threshold=timer_threshold,
            group_mode=group_mode, rts_mode=rts_mode,
        )
        self.success_factor = factor_of("success_factor", success_factor, 1.0, 1e3)
        self.timer_factor = factor_of("timer_factor", timer_factor, 1.0, 1e3)
        self.max_success_threshold = count_of(
            "max_success_threshold", max_success_threshold, success_threshold
        )

    cdef int lower(self, ArfStation peer, bint probe_failed) except -1:
        if probe_failed:
            peer.success_threshold = <int32_t>min(
                peer.success_threshold * self.success_factor, <double>self.max_success_threshold
            )
            # The timer's is bounded for arithmetic only: it counts attempts in 32 bits.
            peer.timer_threshold = <int32_t>min(
                max(peer.timer_threshold * self.timer_factor, <double>self.success_threshold), 1e9
            )
        else:
            peer.success_threshold = self.success_threshold
            peer.timer_threshold = self.timer_threshold
        return ArfManager.lower(self, peer, probe_failed)
