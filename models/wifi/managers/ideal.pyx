"""Ideal: the fastest rate that the SNR at the receiver allows."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.error_rate cimport snr_for_error_rate
from simcore.models.wifi.phy.txvector cimport TxVector

from simcore.models.wifi.managers.manager import factor_of
from simcore.models.wifi.phy.mode import basic_modes


cdef class IdealStation(RemoteStation):
    cdef double snr                # of our last frame there, as the station reported it
    cdef double chosen_for         # SNR that `rate` was chosen for


cdef class IdealManager(AdaptiveManager):
    """The fastest rate whose bit errors stay below a bound at the SNR of the last frame.

    The receiver's SNR is known from its ACK or CTS at no cost, as if it were on the air: an upper
    bound for what rate control may reach. It has no memory: one lucky frame decides. After a frame
    that was given up it starts again at the lowest rate. RTS go at the basic rate that is allowed.

    Source: ns-3's IdealWifiManager, which idealises receiver-based auto rate (G. Holland, N.
    Vaidya, P. Bahl, "A Rate-Adaptive MAC Protocol for Multi-Hop Wireless Networks", MobiCom 2001).

    Parameters
    ----------
    standard : str
    ber_threshold : float
        Bit error rate that a rate may have (ns-3: BerThreshold, 1e-6).
    narrow_as_20_mhz : bool
        ns-3 compares 1/2 and 1/4 of the SNR in channels of 10 and 5 MHz, as if the frame filled
        20 MHz: 3 and 6 dB too cautious. True does so too, for comparisons.
    group_mode, rts_mode : str, optional
        As for `RateManager`; a given ``rts_mode`` is kept.
    """

    cdef readonly double ber_threshold
    cdef readonly bint narrow_as_20_mhz
    cdef double share              # of the SNR that counts
    cdef double* thresholds        # SNR (a ratio) that a rate needs
    cdef list basic                # indices of basic rates
    cdef bint fixed_rts

    def __init__(self, str standard="802.11a", *, ber_threshold=1e-6,
                 bint narrow_as_20_mhz=False, group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.ber_threshold = factor_of("ber_threshold", ber_threshold, 1e-12, 0.5)
        self.narrow_as_20_mhz = narrow_as_20_mhz
        self.share = 1.0
        self.fixed_rts = rts_mode is not None
        names = {mode.name for mode in basic_modes(standard)}
        self.basic = [i for i, v in enumerate(self.vectors) if v.mode.name in names]

    def __dealloc__(self):
        free(self.thresholds)

    cdef int prepare(self) except -1:
        cdef int32_t i
        if self.narrow_as_20_mhz and self.phy.width_mhz < 20:
            self.share = self.phy.width_mhz / 20.0
        self.thresholds = <double*>malloc((self.top + 1) * sizeof(double))
        if self.thresholds == NULL:
            raise MemoryError("no memory for SNR thresholds")
        for i in range(self.top + 1):
            # One bit, as ns-3 asks; the bound is then that of the bit error rate.
            self.thresholds[i] = snr_for_error_rate(
                self.phy.error_model, self.vector(i), self.ber_threshold, 1
            )
        return 0

    def threshold(self, name):
        """SNR (a ratio) from which a mode is used; KeyError for one that there is not."""
        cdef int32_t i
        if self.thresholds == NULL:
            raise RuntimeError("thresholds are known once the manager serves a device")
        for i in range(self.top + 1):
            if self.vector(i).mode.name == name:
                return self.thresholds[i]
        raise KeyError(name)

    cdef RemoteStation new_station(self):
        cdef IdealStation station = IdealStation.__new__(IdealStation)
        station.chosen_for = -1.0
        return station

    cdef TxVector choose(self, RemoteStation station, int32_t size):
        cdef IdealStation peer = <IdealStation>station
        cdef int32_t i
        cdef int64_t best = 0
        cdef TxVector v
        if peer.snr != peer.chosen_for:
            peer.rate = 0
            for i in range(self.top + 1):
                v = self.vector(i)
                if v.rate_bps > best and self.thresholds[i] < self.share * peer.snr:
                    best = v.rate_bps
                    peer.rate = i
            peer.chosen_for = peer.snr
        return self.vector(peer.rate)

    cdef TxVector choose_rts(self, RemoteStation station):
        cdef double highest = 0.0
        cdef int32_t i
        cdef TxVector chosen = self.rts_vector_
        if self.fixed_rts:
            return chosen
        for index in self.basic:
            i = <int32_t>index
            if highest < self.thresholds[i] < (<IdealStation>station).snr:
                highest = self.thresholds[i]
                chosen = self.vector(i)
        return chosen

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        if data_snr > 0.0:
            (<IdealStation>station).snr = data_snr
        return 0

    cdef int on_data_given_up(self, RemoteStation station) except -1:
        (<IdealStation>station).snr = 0.0
        return 0

    cdef int on_rts_ok(self, RemoteStation station, double cts_snr, double rts_snr) except -1:
        if rts_snr > 0.0:
            (<IdealStation>station).snr = rts_snr
        return 0

    cdef int on_rts_given_up(self, RemoteStation station) except -1:
        (<IdealStation>station).snr = 0.0
        return 0
