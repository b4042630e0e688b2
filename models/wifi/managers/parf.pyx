"""PARF and APARF: ARF that also saves power where the highest rate has some to spare."""

from libc.stdint cimport int32_t

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector cimport TxVector

from simcore.models.wifi.managers.manager import count_of
from simcore.models.wifi.managers.power import power_levels

cdef enum ChannelEstimate:
    HIGH
    LOW
    SPREAD

cdef tuple ESTIMATES = ("high", "low", "spread")


cdef class PowerManager(AdaptiveManager):
    """What PARF and APARF share: vectors by power level, and a start at the top of both."""

    cdef readonly tuple power
    cdef list levels                       # by power level: vectors by rate
    cdef int32_t strongest

    def __init__(self, str standard, tx_power_start, tx_power_end, tx_power_levels, group_mode,
                 rts_mode):
        AdaptiveManager.__init__(self, standard, group_mode=group_mode, rts_mode=rts_mode)
        self.power = power_levels(tx_power_start, tx_power_end, tx_power_levels)
        self.levels = [
            [(<TxVector>v).replace(tx_power_dbm=dbm) for v in self.vectors] for dbm in self.power
        ]
        self.strongest = <int32_t>len(self.power) - 1

    cdef TxVector choose(self, RemoteStation station, int32_t size):
        return <TxVector>self.levels[station.power][station.rate]


cdef class ParfStation(RemoteStation):
    """The state of PARF for one peer.

    Attributes
    ----------
    attempts : int
        Since the last change of rate or power.
    success, retries : int
        Successes and failures in a row.
    recovering_rate, recovering_power : bool
        The rate was raised, or the power lowered, and no frame has succeeded since.
    """

    cdef readonly int32_t attempts
    cdef readonly int32_t success
    cdef readonly int32_t retries
    cdef readonly bint recovering_rate
    cdef readonly bint recovering_power


cdef class ParfManager(PowerManager):
    """Power-controlled Auto Rate Fallback.

    As ARF; at the highest rate a row of successes lowers the power by a level, and failures raise
    it again before they touch the rate.

    Source: A. Akella, G. Judd, S. Seshan, P. Steenkiste, "Self-management in Chaotic Wireless
    Deployments", Wireless Networks 13, 2007; details as in ns-3's ParfWifiManager, which starts at
    the highest rate and power.

    Parameters
    ----------
    standard : str
    attempt_threshold : int
        ns-3: AttemptThreshold, 15.
    success_threshold : int
        ns-3: SuccessThreshold, 10.
    tx_power_start, tx_power_end : float, optional
        Lowest and highest power, dBm; by default both that of the PHY.
    tx_power_levels : int
        Levels between them, equally far apart in dB (ns-3: attributes of WifiPhy).
    group_mode, rts_mode : str, optional
    """

    cdef readonly int32_t attempt_threshold
    cdef readonly int32_t success_threshold

    def __init__(self, str standard="802.11a", *, attempt_threshold=15, success_threshold=10,
                 tx_power_start=None, tx_power_end=None, tx_power_levels=1, group_mode=None,
                 rts_mode=None):
        super().__init__(standard, tx_power_start, tx_power_end, tx_power_levels, group_mode,
                         rts_mode)
        self.attempt_threshold = count_of("attempt_threshold", attempt_threshold)
        self.success_threshold = count_of("success_threshold", success_threshold)

    cdef RemoteStation new_station(self):
        cdef ParfStation peer = ParfStation.__new__(ParfStation)
        peer.rate = self.top
        peer.power = self.strongest
        return peer

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        cdef ParfStation peer = <ParfStation>station
        peer.attempts += 1
        peer.success += 1
        peer.retries = 0
        peer.recovering_rate = False
        peer.recovering_power = False
        if peer.success == self.success_threshold or peer.attempts == self.attempt_threshold:
            peer.attempts = 0
            peer.success = 0
            if peer.rate < self.top:
                peer.rate += 1
                peer.recovering_rate = True
            else:
                peer.power = max(peer.power - 1, 0)
                peer.recovering_power = True
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        cdef ParfStation peer = <ParfStation>station
        peer.attempts += 1
        peer.retries += 1
        peer.success = 0
        if peer.recovering_rate:
            if peer.retries == 1 and peer.rate > 0:
                peer.rate -= 1
                peer.recovering_rate = False
            peer.attempts = 0
        elif peer.recovering_power:
            if peer.retries == 1 and peer.power < self.strongest:
                peer.power += 1
                peer.recovering_power = False
            peer.attempts = 0
        else:
            if peer.retries % 2 == 0:
                if peer.power < self.strongest:
                    peer.power += 1
                elif peer.rate > 0:
                    peer.rate -= 1
            if peer.retries >= 2:
                peer.attempts = 0
        return 0


cdef class AparfStation(RemoteStation):
    """The state of APARF for one peer.

    Attributes
    ----------
    success, failed : int
        Successes and failures in a row.
    power_changes : int
        Since the critical rate was met.
    success_threshold : int
        Successes in a row for a change.
    critical_rate : int
        Rate that failed at full power; 0: none.
    """

    cdef readonly int32_t success
    cdef readonly int32_t failed
    cdef readonly int32_t power_changes
    cdef readonly int32_t success_threshold
    cdef readonly int32_t critical_rate
    cdef ChannelEstimate estimate_

    @property
    def estimate(self):
        """What the channel is taken for: "high", "low" or "spread"."""
        return ESTIMATES[<int>self.estimate_]


cdef class AparfManager(PowerManager):
    """Adaptive Power-controlled Auto Rate Fallback.

    As PARF, with a threshold of successes that follows an estimate of the channel: "high" is quick
    to change (``success_threshold_1``), "low" slow (``success_threshold_2``). Below a rate that
    failed at full power it is the power that goes down first, ``power_threshold`` times, before
    that rate is tried again.

    Source: P. Chevillat, J. Jelitto, H. L. Truong, "Dynamic Data Rate and Transmit Power
    Adjustment in IEEE 802.11 Wireless LANs", International Journal of Wireless Information
    Networks 12, 2005; details as in ns-3's AparfWifiManager.

    Parameters
    ----------
    standard : str
    success_threshold_1, success_threshold_2 : int
        ns-3: SuccessThreshold1 3, SuccessThreshold2 10.
    fail_threshold : int
        ns-3: FailThreshold, 1.
    power_threshold : int
        ns-3: PowerThreshold, 10.
    power_decrement, power_increment, rate_decrement, rate_increment : int
        Levels of a step (ns-3: PowerDecrementStep ... RateIncrementStep, 1).
    tx_power_start, tx_power_end, tx_power_levels
        As for `ParfManager`.
    group_mode, rts_mode : str, optional
    """

    cdef readonly int32_t success_threshold_1
    cdef readonly int32_t success_threshold_2
    cdef readonly int32_t fail_threshold
    cdef readonly int32_t power_threshold
    cdef readonly int32_t power_decrement
    cdef readonly int32_t power_increment
    cdef readonly int32_t rate_decrement
    cdef readonly int32_t rate_increment

    def __init__(self, str standard="802.11a", *, success_threshold_1=3, success_threshold_2=10,
                 fail_threshold=1, power_threshold=10, power_decrement=1, power_increment=1,
                 rate_decrement=1, rate_increment=1, tx_power_start=None, tx_power_end=None,
                 tx_power_levels=1, group_mode=None, rts_mode=None):
        super().__init__(standard, tx_power_start, tx_power_end, tx_power_levels, group_mode,
                         rts_mode)
        self.success_threshold_1 = count_of("success_threshold_1", success_threshold_1)
        self.success_threshold_2 = count_of("success_threshold_2", success_threshold_2)
        self.fail_threshold = count_of("fail_threshold", fail_threshold)
        self.power_threshold = count_of("power_threshold", power_threshold)
        self.power_decrement = count_of("power_decrement", power_decrement)
        self.power_increment = count_of("power_increment", power_increment)
        self.rate_decrement = count_of("rate_decrement", rate_decrement)
        self.rate_increment = count_of("rate_increment", rate_increment)

    cdef RemoteStation new_station(self):
        cdef AparfStation peer = AparfStation.__new__(AparfStation)
        peer.rate = self.top
        peer.power = self.strongest
        peer.success_threshold = self.success_threshold_1
        peer.estimate_ = HIGH
        return peer

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        cdef AparfStation peer = <AparfStation>station
        peer.success += 1
        peer.failed = 0
        if peer.estimate_ == SPREAD:
            peer.estimate_ = HIGH
            peer.success_threshold = self.success_threshold_1
        elif peer.success >= peer.success_threshold:
            peer.estimate_ = SPREAD
        if peer.success != peer.success_threshold:
            return 0
        peer.success = 0
        if peer.rate < self.top and peer.critical_rate == 0:
            peer.rate = min(peer.rate + self.rate_increment, self.top)
        elif peer.rate < self.top and peer.power_changes == self.power_threshold:
            peer.power = self.strongest
            peer.rate = peer.critical_rate
            peer.power_changes = 0
            peer.critical_rate = 0
        elif peer.power > 0:
            peer.power = max(peer.power - self.power_decrement, 0)
            peer.power_changes += peer.rate < self.top
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        cdef AparfStation peer = <AparfStation>station
        peer.failed += 1
        peer.success = 0
        if peer.estimate_ == LOW:
            peer.estimate_ = HIGH
            peer.success_threshold = self.success_threshold_1
        elif peer.estimate_ == SPREAD:
            peer.estimate_ = LOW
            peer.success_threshold = self.success_threshold_2
        if peer.failed != self.fail_threshold:
            return 0
        peer.failed = 0
        peer.power_changes = 0
        if peer.power == self.strongest:
            peer.critical_rate = peer.rate
            peer.rate = max(peer.rate - self.rate_decrement, 0)
        else:
            peer.power = min(peer.power + self.power_increment, self.strongest)
        return 0
