"""AARF-CD and CARA: RTS frames tell collisions from losses that a lower rate would cure."""

from libc.stdint cimport int32_t

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector cimport TxVector

from simcore.models.wifi.managers.manager import count_of, factor_of


cdef class AarfcdStation(RemoteStation):
    """The state of AARF-CD for one peer: that of AARF, and when RTS is used.

    Attributes
    ----------
    rts : bool
        RTS precedes the next frame.
    rts_window, rts_left : int
        Exchanges that RTS stays on for, and how many of them are left.
    """

    cdef readonly int32_t timer
    cdef readonly int32_t success
    cdef readonly int32_t failed
    cdef readonly bint recovery
    cdef readonly int32_t success_threshold
    cdef readonly int32_t timer_threshold
    cdef readonly bint rts
    cdef readonly int32_t rts_window
    cdef readonly int32_t rts_left
    cdef readonly bint just_changed        # the rate changed with the last outcome
    cdef readonly bint had_success         # since RTS was last switched off


cdef class AarfcdManager(AdaptiveManager):
    """AARF with collision detection.

    A failure without RTS switches RTS on and leaves the rate alone: only failures behind an RTS
    count against the rate. RTS stays on for a window of exchanges, which doubles while switching
    it off does not help.

    Source: F. Maguolo, M. Lacage, T. Turletti, "Efficient Collision Detection for Auto Rate
    Fallback Algorithm", MediaWiN (ISCC) 2008; details as in ns-3's AarfcdWifiManager.

    Parameters
    ----------
    standard : str
    success_factor, timer_factor, max_success_threshold, success_threshold, timer_threshold
        As for `AarfManager`.
    min_rts_window, max_rts_window : int
        ns-3: MinRtsWnd 1, MaxRtsWnd 40.
    rts_off_after_decrease, rts_on_after_increase : bool
        ns-3: TurnOffRtsAfterRateDecrease and TurnOnRtsAfterRateIncrease, true.
    group_mode, rts_mode : str, optional
    """

    cdef readonly double success_factor
    cdef readonly double timer_factor
    cdef readonly int32_t max_success_threshold
    cdef readonly int32_t success_threshold
    cdef readonly int32_t timer_threshold
    cdef readonly int32_t min_rts_window
    cdef readonly int32_t max_rts_window
    cdef readonly bint rts_off_after_decrease
    cdef readonly bint rts_on_after_increase

    def __init__(self, str standard="802.11a", *, success_factor=2.0, timer_factor=2.0,
                 max_success_threshold=60, success_threshold=10, timer_threshold=15,
                 min_rts_window=1, max_rts_window=40, bint rts_off_after_decrease=True,
                 bint rts_on_after_increase=True, group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.success_factor = factor_of("success_factor", success_factor, 1.0, 1e3)
        self.timer_factor = factor_of("timer_factor", timer_factor, 1.0, 1e3)
        self.success_threshold = count_of("success_threshold", success_threshold)
        self.max_success_threshold = count_of(
            "max_success_threshold", max_success_threshold, success_threshold
        )
        self.timer_threshold = count_of("timer_threshold", timer_threshold)
        self.min_rts_window = count_of("min_rts_window", min_rts_window)
        self.max_rts_window = count_of("max_rts_window", max_rts_window, min_rts_window)
        self.rts_off_after_decrease = rts_off_after_decrease
        self.rts_on_after_increase = rts_on_after_increase

    cdef RemoteStation new_station(self):
        cdef AarfcdStation peer = AarfcdStation.__new__(AarfcdStation)
        peer.success_threshold = self.success_threshold
        peer.timer_threshold = self.timer_threshold
        peer.rts_window = self.min_rts_window
        peer.just_changed = True
        return peer

    cdef bint wants_rts(self, RemoteStation station, int32_t size, bint normally) except -1:
        return (<AarfcdStation>station).rts

    cdef void rts_off(self, AarfcdStation peer) noexcept:
        peer.rts = False
        peer.had_success = False

    cdef void rts_off_when_used_up(self, AarfcdStation peer) noexcept:
        if peer.rts and peer.rts_left == 0:
            self.rts_off(peer)

    cdef int on_rts_ok(self, RemoteStation station, double cts_snr, double rts_snr) except -1:
        (<AarfcdStation>station).rts_left -= 1
        return 0

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        cdef AarfcdStation peer = <AarfcdStation>station
        peer.timer += 1
        peer.success += 1
        peer.failed = 0
        peer.recovery = False
        peer.just_changed = False
        peer.had_success = True
        if peer.rate < self.top and (
            peer.success == peer.success_threshold or peer.timer == peer.timer_threshold
        ):
            peer.rate += 1
            peer.timer = 0
            peer.success = 0
            peer.recovery = True
            peer.just_changed = True
            if self.rts_on_after_increase:
                peer.rts = True
                peer.rts_window = self.min_rts_window
                peer.rts_left = peer.rts_window
        self.rts_off_when_used_up(peer)
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        cdef AarfcdStation peer = <AarfcdStation>station
        cdef bint probing = peer.recovery
        peer.timer += 1
        peer.failed += 1
        peer.success = 0
        if not peer.rts:
            peer.rts = True
            if not peer.just_changed and not peer.had_success:
                peer.rts_window = min(2 * peer.rts_window, self.max_rts_window)
            else:
                peer.rts_window = self.min_rts_window
            peer.rts_left = peer.rts_window
            if peer.failed >= 2:
                peer.timer = 0
        else:
            peer.just_changed = False
            peer.rts_left = peer.rts_window
            if (probing and peer.failed == 1) or (not probing and peer.failed % 2 == 0):
                self.lower(peer, probing)
            if probing or peer.failed >= 2:
                peer.timer = 0
        self.rts_off_when_used_up(peer)
        return 0

    cdef int lower(self, AarfcdStation peer, bint probing) except -1:
        if self.rts_off_after_decrease:
            self.rts_off(peer)
        peer.just_changed = True
        if probing:
            peer.success_threshold = <int32_t>min(
                peer.success_threshold * self.success_factor, <double>self.max_success_threshold
            )
            peer.timer_threshold = <int32_t>min(
                max(peer.timer_threshold * self.timer_factor, <double>self.success_threshold), 1e9
            )
        else:
            peer.success_threshold = self.success_threshold
            peer.timer_threshold = self.timer_threshold
        if peer.rate > 0:
            peer.rate -= 1
        return 0


cdef class CaraStation(RemoteStation):
    """The state of CARA for one peer: attempts, successes and failures in a row."""

    cdef readonly int32_t timer
    cdef readonly int32_t success
    cdef readonly int32_t failed


cdef class CaraManager(AdaptiveManager):
    """Collision-Aware Rate Adaptation.

    After ``probe_threshold`` failures in a row the frame is repeated behind an RTS; after
    ``failure_threshold`` the rate goes down. It goes up after ``success_threshold`` successes in a
    row or ``timeout`` attempts.

    Source: J. Kim, S. Kim, S. Choi, D. Qiao, "CARA: Collision-Aware Rate Adaptation for IEEE
    802.11 WLANs", INFOCOM 2006, RTS probing; details as in ns-3's CaraWifiManager.

    Parameters
    ----------
    standard : str
    probe_threshold : int
        ns-3: ProbeThreshold, 1.
    failure_threshold : int
        ns-3: FailureThreshold, 2.
    success_threshold : int
        ns-3: SuccessThreshold, 10.
    timeout : int
        Attempts (ns-3: Timeout, 15).
    group_mode, rts_mode : str, optional
    """

    cdef readonly int32_t probe_threshold
    cdef readonly int32_t failure_threshold
    cdef readonly int32_t success_threshold
    cdef readonly int32_t timeout

    def __init__(self, str standard="802.11a", *, probe_threshold=1, failure_threshold=2,
                 success_threshold=10, timeout=15, group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.probe_threshold = count_of("probe_threshold", probe_threshold)
        self.failure_threshold = count_of("failure_threshold", failure_threshold)
        self.success_threshold = count_of("success_threshold", success_threshold)
        self.timeout = count_of("timeout", timeout)

    cdef RemoteStation new_station(self):
        return CaraStation.__new__(CaraStation)

    cdef bint wants_rts(self, RemoteStation station, int32_t size, bint normally) except -1:
        return normally or (<CaraStation>station).failed >= self.probe_threshold

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        cdef CaraStation peer = <CaraStation>station
        peer.timer += 1
        peer.success += 1
        peer.failed = 0
        if peer.success == self.success_threshold or peer.timer >= self.timeout:
            if peer.rate < self.top:
                peer.rate += 1
            peer.timer = 0
            peer.success = 0
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        cdef CaraStation peer = <CaraStation>station
        peer.timer += 1
        peer.failed += 1
        peer.success = 0
        if peer.failed >= self.failure_threshold:
            if peer.rate > 0:
                peer.rate -= 1
            peer.failed = 0
            peer.timer = 0
        return 0
