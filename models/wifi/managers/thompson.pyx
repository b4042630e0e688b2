"""Thompson sampling: draw each rate's success from what is known of it, take the best draw."""

from libc.math cimport exp
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.random.samplers cimport sample_gamma
from simcore.random.stream cimport RandomStream

from simcore.models.wifi.managers.manager import factor_of


cdef struct RateRecord:
    double success
    double fails
    int64_t decayed_at


cdef class ThompsonStation(RemoteStation):
    """The state of Thompson sampling for one peer: successes and failures of each rate."""

    cdef RateRecord* records
    cdef int32_t count
    cdef readonly int32_t last             # rate of the last frame

    def __dealloc__(self):
        free(self.records)

    @property
    def successes(self):
        """By rate, faded with time."""
        return [self.records[i].success for i in range(self.count)]

    @property
    def failures(self):
        """By rate, faded with time."""
        return [self.records[i].fails for i in range(self.count)]


cdef class ThompsonSamplingManager(AdaptiveManager):
    """Rate control as a multi-armed bandit.

    After each outcome, a success probability is drawn for every rate from its Beta posterior; the
    next frame takes the rate with the highest draw times rate. Counts fade exponentially.

    Source: W. R. Thompson, Biometrika 25, 1933; A. Krotov, A. Kiryanov, E. Khorov, "Rate Control
    With Spatial Reuse for Wi-Fi 6 Dense Deployments", IEEE Access 8, 2020; details as in ns-3's
    ThompsonSamplingWifiManager, among them that counts are cut to whole numbers for the draw.

    Parameters
    ----------
    standard : str
    decay : float
        Rate of fading, 1/s; 0 for scenarios that stand still (ns-3: Decay, 1).
    stream : RandomStream, optional
        ``wifi/<node>/manager`` by default.
    group_mode, rts_mode : str, optional
    """

    cdef readonly double decay
    cdef RandomStream stream

    def __init__(self, str standard="802.11a", *, decay=1.0, RandomStream stream=None,
                 group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.decay = factor_of("decay", decay, 0.0, 1e6)
        self.stream = stream

    cdef int prepare(self) except -1:
        if self.stream is None:
            self.stream = self.sim.random.stream(f"wifi/{self.phy.node.id}/manager")
        return 0

    cdef RemoteStation new_station(self):
        cdef ThompsonStation peer = ThompsonStation.__new__(ThompsonStation)
        peer.count = self.top + 1
        peer.records = <RateRecord*>calloc(peer.count, sizeof(RateRecord))
        if peer.records == NULL:
            raise MemoryError(f"no memory for {peer.count} rates")
        self.draw(peer)
        return peer

    cdef TxVector choose(self, RemoteStation station, int32_t size):
        (<ThompsonStation>station).last = station.rate
        return self.vector(station.rate)

    cdef void fade(self, RateRecord* record) noexcept:
        cdef int64_t now = self.sim.now_ns
        cdef double factor
        if now > record.decayed_at:
            factor = exp(self.decay * (record.decayed_at - now) * 1e-9)
            record.success *= factor
            record.fails *= factor
            record.decayed_at = now

    cdef int draw(self, ThompsonStation peer) except -1:
        cdef double best = 0.0
        cdef double x, y, worth
        cdef int32_t i
        cdef RateRecord* record
        peer.rate = 0
        for i in range(peer.count):
            record = &peer.records[i]
            self.fade(record)
            # Beta from two Gamma draws; parameters in whole numbers, as ns-3 passes them.
            x = sample_gamma(
                &self.stream.generator, &self.stream.pair,
                <double><int64_t>(1.0 + record.success), 1.0,
            )
            y = sample_gamma(
                &self.stream.generator, &self.stream.pair,
                <double><int64_t>(1.0 + record.fails), 1.0,
            )
            worth = x / (x + y) * self.vector(i).rate_bps
            if worth > best:
                best = worth
                peer.rate = i
        return 0

    cdef int count_outcomes(self, ThompsonStation peer, int32_t ok, int32_t failed) except -1:
        cdef RateRecord* record = &peer.records[peer.last]
        self.fade(record)
        record.success += ok
        record.fails += failed
        return self.draw(peer)

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        return self.count_outcomes(<ThompsonStation>station, 1, 0)

    cdef int on_data_failed(self, RemoteStation station) except -1:
        return self.count_outcomes(<ThompsonStation>station, 0, 1)

    cdef int on_ampdu(
        self, RemoteStation station, int32_t ok, int32_t failed, double ack_snr, double data_snr,
        TxVector v,
    ) except -1:
        return self.count_outcomes(<ThompsonStation>station, ok, failed)
