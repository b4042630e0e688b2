"""RRAA and RRPAA: loss over a short window against thresholds from the airtime of each rate."""

from libc.math cimport ceil
from libc.stdint cimport int32_t, int64_t

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.random.stream cimport RandomStream

from simcore.models.wifi.managers.manager import count_of, duration_of, factor_of
from simcore.models.wifi.managers.power import power_levels


cdef class RraaStation(RemoteStation):
    """The state of RRAA for one peer.

    Attributes
    ----------
    left : int
        Attempts left in the window.
    failures : int
        Failed attempts in it.
    rts : bool
        RTS precedes the next frame.
    rts_window, rts_left : int
        Frames that RTS stays on for, and how many are left.
    """

    cdef int64_t began
    cdef readonly int32_t left
    cdef readonly int32_t failures
    cdef readonly bint last_failed
    cdef readonly bint rts
    cdef readonly int32_t rts_window
    cdef readonly int32_t rts_left


cdef class WindowedManager(AdaptiveManager):
    """What RRAA and RRPAA share: windows, thresholds, adaptive RTS."""

    cdef readonly bint basic
    cdef readonly int64_t timeout
    cdef readonly int32_t frame_length
    cdef readonly int32_t ack_length
    cdef readonly double alpha
    cdef readonly double beta
    cdef readonly double tau
    cdef int32_t rts_step
    cdef readonly list windows             # attempts, by rate
    cdef readonly list raise_below         # loss below which the rate goes up (P_ORI)
    cdef readonly list lower_above         # loss above which it goes down (P_MTL)

    def __init__(self, str standard, bint basic, timeout, frame_length, ack_length, alpha, beta,
                 tau, group_mode, rts_mode):
        AdaptiveManager.__init__(self, standard, group_mode=group_mode, rts_mode=rts_mode)
        self.basic = basic
        self.timeout = duration_of("timeout", timeout)
        self.frame_length = count_of("frame_length", frame_length)
        self.ack_length = count_of("ack_length", ack_length)
        self.alpha = factor_of("alpha", alpha, 0.0, 1e3)
        self.beta = factor_of("beta", beta, 1e-3, 1e3)
        self.tau = factor_of("tau", tau, 1e-6, 1e3)

    cdef int set_thresholds(self, double lowest) except -1:
        """`lowest`: loss above which the lowest rate goes down; below 0: as from the next."""
        cdef int32_t i
        cdef int64_t difs = self.phy.sifs + 2 * self.phy.slot
        cdef double loss = lowest
        cdef double critical
        cdef list airtime = [
            self.frame_duration(self.frame_length, self.vector(i))
            + self.frame_duration(self.ack_length, self.vector(i)) + self.phy.sifs + difs
            for i in range(self.top + 1)
        ]
        self.windows = [int(ceil(self.tau * 1e9 / time)) for time in airtime]
        self.raise_below = []
        self.lower_above = []
        for i in range(self.top + 1):
            # Loss at which the next higher rate delivers no more than this one without loss.
            critical = 0.0
            if i < self.top:
                critical = self.alpha * (1.0 - <double>airtime[i + 1] / <double>airtime[i])
            self.lower_above.append(critical if loss < 0.0 else loss)
            self.raise_below.append(critical / self.beta)
            loss = critical
        return 0

    cdef int restart(self, RraaStation peer) except -1:
        peer.failures = 0
        peer.left = <int32_t>self.windows[peer.rate]
        peer.began = self.sim.now_ns
        return 0

    cdef bint wants_rts(self, RemoteStation station, int32_t size, bint normally) except -1:
        cdef RraaStation peer = <RraaStation>station
        if self.basic:
            return normally
        if peer.last_failed and not peer.rts:
            peer.rts_window += self.rts_step
            peer.rts_left = peer.rts_window
        elif peer.last_failed == peer.rts:
            peer.rts_window //= 2
            peer.rts_left = peer.rts_window
        peer.rts = peer.rts_left > 0
        if peer.rts:
            peer.rts_left -= 1
        return peer.rts

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        return self.count(<RraaStation>station, False)

    cdef int on_data_failed(self, RemoteStation station) except -1:
        return self.count(<RraaStation>station, True)

    cdef int count(self, RraaStation peer, bint failed) except -1:
        peer.last_failed = failed
        if peer.left == 0 or self.sim.now_ns - peer.began > self.timeout:
            self.restart(peer)
        peer.left -= 1
        peer.failures += failed
        return self.judge(peer)

    cdef int judge(self, RraaStation peer) except -1:
        return 0


cdef class RraaManager(WindowedManager):
    """Robust Rate Adaptation Algorithm.

    The loss over a window of attempts, whose length depends on the rate, is compared with two
    thresholds: above P_MTL the rate goes down at once; below P_ORI, at the end of the window, it
    goes up. Adaptive RTS: its window grows by one with each loss without RTS and halves when RTS
    did not help or was not needed.

    Source: S. H. Y. Wong, H. Yang, S. Lu, V. Bharghavan, "Robust Rate Adaptation for 802.11
    Wireless Networks", MobiCom 2006; details as in ns-3's RraaWifiManager, which starts at the
    highest rate.

    Parameters
    ----------
    standard : str
    basic : bool
        RRAA-BASIC, without adaptive RTS (ns-3: Basic, false).
    timeout : int
        Longest window, ns (ns-3: Timeout, 50 ms).
    frame_length, ack_length : int
        Bytes, for the airtime (ns-3: FrameLength 1420, AckFrameLength 14).
    alpha, beta : float
        P_MTL of a rate is alpha times its critical loss; P_ORI of the rate below is P_MTL / beta
        (ns-3: Alpha 1.25, Beta 2).
    tau : float
        Airtime of a window, s (ns-3: Tau, 0.012).
    group_mode, rts_mode : str, optional
    """

    def __init__(self, str standard="802.11a", *, bint basic=False, timeout=50_000_000,
                 frame_length=1420, ack_length=14, alpha=1.25, beta=2.0, tau=0.012,
                 group_mode=None, rts_mode=None):
        super().__init__(standard, basic, timeout, frame_length, ack_length, alpha, beta, tau,
                         group_mode, rts_mode)
        self.rts_step = 1

    cdef int prepare(self) except -1:
        return self.set_thresholds(1.0)

    cdef RemoteStation new_station(self):
        cdef RraaStation peer = RraaStation.__new__(RraaStation)
        peer.rate = self.top
        self.restart(peer)
        return peer

    cdef int judge(self, RraaStation peer) except -1:
        cdef double loss = peer.failures / <double>self.windows[peer.rate]
        if loss > <double>self.lower_above[peer.rate]:
            # Never at the lowest rate, whose threshold is a loss of 1.
            peer.rate = max(peer.rate - 1, 0)
            return self.restart(peer)
        if peer.left == 0:
            if peer.rate < self.top and loss < <double>self.raise_below[peer.rate]:
                peer.rate += 1
            return self.restart(peer)
        return 0


cdef class RrpaaStation(RraaStation):
    """The state of RRPAA for one peer: that of RRAA, and how ready it is for each change.

    Attributes
    ----------
    readiness : list of list of float
        By rate and power level: probability with which a change to it is made.
    """

    cdef readonly list readiness


cdef class RrpaaManager(WindowedManager):
    """Robust Rate and Power Adaptation Algorithm.

    As RRAA, with power: losses raise the power before they lower the rate; without losses the rate
    goes up, and at the highest rate the power down. A change that led to losses is made with a
    lower probability the next time.

    Source: M. Richart, J. Visca, J. Baliosian, "Self-Management of Rate, Power and Carrier-Sense
    Threshold for Interference Mitigation in IEEE 802.11 Networks", CNSM 2014; details as in ns-3's
    RrpaaWifiManager.

    Parameters
    ----------
    standard : str
    basic : bool
        Without adaptive RTS (ns-3: Basic, true).
    timeout : int
        Longest window, ns (ns-3: Timeout, 500 ms).
    frame_length, ack_length, alpha, beta
        As for `RraaManager`.
    tau : float
        Airtime of a window, s (ns-3: Tau, 0.015).
    gamma, delta : float
        Divisor of a probability after losses, its factor otherwise (ns-3: Gamma 2, Delta 1.0905).
    tx_power_start, tx_power_end : float, optional
        Lowest and highest power, dBm; by default both that of the PHY.
    tx_power_levels : int
        Levels between them, equally far apart in dB (ns-3: attributes of WifiPhy).
    stream : RandomStream, optional
        ``wifi/<node>/manager`` by default.
    group_mode, rts_mode : str, optional
    """

    cdef readonly double gamma
    cdef readonly double delta
    cdef tuple power
    cdef list levels                       # by power level: vectors by rate
    cdef int32_t strongest
    cdef RandomStream stream

    def __init__(self, str standard="802.11a", *, bint basic=True, timeout=500_000_000,
                 frame_length=1420, ack_length=14, alpha=1.25, beta=2.0, tau=0.015, gamma=2.0,
                 delta=1.0905, tx_power_start=None, tx_power_end=None, tx_power_levels=1,
                 RandomStream stream=None, group_mode=None, rts_mode=None):
        super().__init__(standard, basic, timeout, frame_length, ack_length, alpha, beta, tau,
                         group_mode, rts_mode)
        self.rts_step = 2
        self.gamma = factor_of("gamma", gamma, 1.0, 1e3)
        self.delta = factor_of("delta", delta, 1.0, 1e3)
        self.power = power_levels(tx_power_start, tx_power_end, tx_power_levels)
        self.levels = [
            [(<TxVector>v).replace(tx_power_dbm=dbm) for v in self.vectors] for dbm in self.power
        ]
        self.strongest = <int32_t>len(self.power) - 1
        self.stream = stream

    cdef int prepare(self) except -1:
        if self.stream is None:
            self.stream = self.sim.random.stream(f"wifi/{self.phy.node.id}/manager")
        return self.set_thresholds(-1.0)

    cdef RemoteStation new_station(self):
        cdef RrpaaStation peer = RrpaaStation.__new__(RrpaaStation)
        peer.power = self.strongest
        peer.readiness = [[1.0] * (self.strongest + 1) for _ in self.vectors]
        self.restart(peer)
        return peer

    cdef TxVector choose(self, RemoteStation station, int32_t size):
        return <TxVector>self.levels[station.power][station.rate]

    cdef int encourage(self, RrpaaStation peer, int32_t rate, int32_t power) except -1:
        cdef list row = <list>peer.readiness[rate]
        row[power] = min(<double>row[power] * self.delta, 1.0)
        return 0

    cdef int maybe_weaker(self, RrpaaStation peer) except -1:
        if self.stream.next_double() < <double>peer.readiness[peer.rate][peer.power]:
            peer.power -= 1
        return 0

    cdef int judge(self, RraaStation peer_) except -1:
        cdef RrpaaStation peer = <RrpaaStation>peer_
        cdef double window = <double>self.windows[peer.rate]
        # Loss if all that is left of the window succeeds, and if all of it fails.
        cdef double best = peer.failures / window
        cdef double worst = (peer.left + peer.failures) / window
        cdef double low = self.raise_below[peer.rate]
        cdef double high = self.lower_above[peer.rate]
        cdef int32_t i
        if best >= high:
            if peer.power < self.strongest or peer.rate > 0:
                peer.readiness[peer.rate][peer.power] /= self.gamma
                if peer.power < self.strongest:
                    peer.power += 1
                else:
                    peer.rate -= 1
                return self.restart(peer)
        elif worst <= low:
            if peer.rate < self.top:
                for i in range(peer.rate + 1):
                    self.encourage(peer, i, peer.power)
                if self.stream.next_double() < <double>peer.readiness[peer.rate + 1][peer.power]:
                    peer.rate += 1
            elif peer.power > 0:
                for i in range(peer.power + 1, self.strongest + 1):
                    self.encourage(peer, peer.rate, i)
                self.maybe_weaker(peer)
            return self.restart(peer)
        elif best > low and worst < high and peer.power > 0:
            for i in range(peer.power, self.strongest + 1):
                self.encourage(peer, peer.rate, i)
            self.maybe_weaker(peer)
            return self.restart(peer)
        if peer.left == 0:
            return self.restart(peer)
        return 0
