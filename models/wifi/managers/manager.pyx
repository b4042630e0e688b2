"""The bases of rate managers and the simplest one."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.wifi.phy.duration cimport ppdu_duration
from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.phy cimport WifiPhy
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.trace.source cimport TraceSet
from simcore.whole cimport MAX_NUMBER, whole

from simcore.models.network.address import MacAddress
from simcore.models.wifi.phy.mode import basic_modes, mode, mode_count, modes


cdef TxVector vector_of(str field, str standard, name):
    if isinstance(name, TxVector):
        return name
    found = mode(name)
    valid = modes(standard)
    if found not in valid:
        names = ", ".join(known.name for known in valid)
        raise ValueError(f"{field} is {name}, which {standard} does not have: one of {names}")
    return TxVector(found)


cdef class RateManager:
    """Chooses the TxVector of each frame.

    ACK and CTS go at the highest basic rate of the same kind of modulation that is not above the
    rate of the frame they answer (802.11-2020 10.6.6.5).

    Parameters
    ----------
    standard : str
    group_mode : str, optional
        Of group-addressed frames; the lowest basic rate by default.
    rts_mode : str, optional
        Of RTS frames; the lowest basic rate by default.
    """

    def __init__(self, str standard="802.11b", *, group_mode=None, rts_mode=None):
        cdef WifiMode candidate, best, answered
        self.standard = standard
        basic = sorted(basic_modes(standard), key=lambda m: m.data_rate())
        self.group_vector = vector_of("group_mode", standard, group_mode or basic[0].name)
        self.rts_vector_ = vector_of("rts_mode", standard, rts_mode or basic[0].name)
        self.response_vectors = [None] * mode_count()
        for answered in modes(standard):
            best = basic[0]
            for candidate in basic:
                if candidate.data_rate() <= answered.data_rate():
                    best = candidate
            self.response_vectors[answered.uid] = TxVector(best)

    def response_mode(self, name):
        """Name of the mode of ACK and CTS that answer a frame of mode ``name``.

        Raises
        ------
        ValueError
            For a mode that the standard does not have.
        """
        return self.response_vector(vector_of("name", self.standard, name)).mode.name

    cdef int attach(self, WifiPhy phy) except -1:
        if phy.standard != self.standard:
            raise ValueError(f"manager is for {self.standard}, the PHY for {phy.standard}")
        return 0

    cdef TxVector data_vector(self, uint64_t receiver, int32_t size):
        raise TypeError(f"{type(self).__name__} does not choose data rates")

    cdef TxVector rts_vector(self, uint64_t receiver):
        return self.rts_vector_

    cdef TxVector response_vector(self, TxVector answered):
        return <TxVector>self.response_vectors[answered.mode.uid]

    cdef bint need_rts(self, uint64_t receiver, int32_t size, bint normally) except -1:
        return normally

    cdef bint need_retry(self, uint64_t receiver, bint normally) except -1:
        return normally

    cdef int data_ok(
        self, uint64_t receiver, double ack_snr, double data_snr, TxVector v
    ) except -1:
        return 0

    cdef int data_failed(self, uint64_t receiver) except -1:
        return 0

    cdef int data_given_up(self, uint64_t receiver) except -1:
        return 0

    cdef int rts_ok(self, uint64_t receiver, double cts_snr, double rts_snr) except -1:
        return 0

    cdef int rts_failed(self, uint64_t receiver) except -1:
        return 0

    cdef int rts_given_up(self, uint64_t receiver) except -1:
        return 0

    cdef int ampdu_status(
        self, uint64_t receiver, int32_t ok, int32_t failed, double ack_snr, double data_snr,
        TxVector v,
    ) except -1:
        return 0

    cdef int heard(self, uint64_t transmitter, double snr, TxVector v) except -1:
        return 0


cdef class ConstantRateManager(RateManager):
    """Every data frame at one rate.

    Parameters
    ----------
    standard : str
    data_mode : str
        Such as ``"DsssRate11Mbps"``.
    rts_mode, group_mode : str, optional
    """

    def __init__(self, str standard="802.11b", data_mode="DsssRate11Mbps", *,
                 group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.data_vector_ = vector_of("data_mode", standard, data_mode)

    cdef TxVector data_vector(self, uint64_t receiver, int32_t size):
        return self.data_vector_

    @property
    def current_rate(self):
        """Rate of data frames (bit/s)."""
        return self.data_vector_.rate_bps


cdef class RemoteStation:
    """What a manager keeps about one peer.

    Attributes
    ----------
    rate : int
        Index among the manager's ``vectors``, slowest first.
    power : int
        Index among its power levels, weakest first.
    """

    @property
    def address(self):
        """Its MAC address."""
        return MacAddress(self.number)


cdef class AdaptiveManager(RateManager):
    """Base of managers that learn from what becomes of the frames to each station.

    One belongs to one device: what it learns is about the paths from there.

    Parameters
    ----------
    standard : str
        Without HT: "802.11a", "802.11b", "802.11g", "802.11p-10MHz" or "802.11p-5MHz".
    group_mode, rts_mode : str, optional
        As for `RateManager`.

    Attributes
    ----------
    current_rate : int
        Rate of the last data frame (bit/s); 0 before the first.
    trace.rate
        The rate changed: (new rate in bit/s, old rate).
    """

    def __init__(self, str standard="802.11a", *, group_mode=None, rts_mode=None):
        cdef TraceSet trace
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.vectors = [TxVector(one) for one in modes(standard)]
        if (<TxVector>self.vectors[0]).mode.mcs >= 0:
            raise ValueError(
                f"{type(self).__name__} knows no HT, VHT or HE rates: standard {standard!r} "
                "needs another manager, such as ConstantRateManager"
            )
        self.top = <int32_t>len(self.vectors) - 1
        self.stations = {}
        trace = TraceSet(self, rate="the rate of data frames changed: (new, old) in bit/s")
        self.trace = trace
        self.rate_trace = trace.source("rate")

    cdef int attach(self, WifiPhy phy) except -1:
        RateManager.attach(self, phy)
        if self.phy is not None:
            raise ValueError(
                f"this {type(self).__name__} serves the device of node {self.phy.node.id} "
                "already: each device needs its own"
            )
        self.phy = phy
        self.sim = phy.sim
        return self.prepare()

    def station_of(self, address):
        """What is kept about a station: a `RemoteStation`; None before the first frame to it."""
        return self.stations.get(int(MacAddress(address)))

    cdef inline RemoteStation station(self, uint64_t address):
        cdef RemoteStation found = self.recent
        if found is not None and found.number == address:
            return found
        found = self.stations.get(address)
        if found is None:
            found = self.new_station()
            found.number = address
            self.stations[address] = found
            self.on_new_station(found)
        self.recent = found
        return found

    cdef inline TxVector vector(self, int32_t rate):
        return <TxVector>self.vectors[rate]

    cdef int use(self, TxVector v) except -1:
        cdef int64_t before = self.current_rate
        if v.rate_bps != before:
            self.current_rate = v.rate_bps
            if self.rate_trace.active:
                self.rate_trace.emit2(v.rate_bps, before)
        return 0

    cdef int64_t frame_duration(self, int32_t size, TxVector v) noexcept:
        return ppdu_duration(size, v, self.phy.band)

    cdef int32_t step_down(self, int32_t rate, int32_t steps) noexcept:
        """So many rates lower where there are as many, otherwise the same one."""
        return rate - steps if rate >= steps else rate

    # From the MAC

    cdef TxVector data_vector(self, uint64_t receiver, int32_t size):
        cdef TxVector v = self.choose(self.station(receiver), size)
        self.use(v)
        return v

    cdef TxVector rts_vector(self, uint64_t receiver):
        return self.choose_rts(self.station(receiver))

    cdef bint need_rts(self, uint64_t receiver, int32_t size, bint normally) except -1:
        return self.wants_rts(self.station(receiver), size, normally)

    cdef bint need_retry(self, uint64_t receiver, bint normally) except -1:
        return self.wants_retry(self.station(receiver), normally)

    cdef int data_ok(
        self, uint64_t receiver, double ack_snr, double data_snr, TxVector v
    ) except -1:
        return self.on_data_ok(self.station(receiver), ack_snr, data_snr, v)

    cdef int data_failed(self, uint64_t receiver) except -1:
        return self.on_data_failed(self.station(receiver))

    cdef int data_given_up(self, uint64_t receiver) except -1:
        return self.on_data_given_up(self.station(receiver))

    cdef int rts_ok(self, uint64_t receiver, double cts_snr, double rts_snr) except -1:
        return self.on_rts_ok(self.station(receiver), cts_snr, rts_snr)

    cdef int rts_failed(self, uint64_t receiver) except -1:
        return self.on_rts_failed(self.station(receiver))

    cdef int rts_given_up(self, uint64_t receiver) except -1:
        return self.on_rts_given_up(self.station(receiver))

    cdef int ampdu_status(
        self, uint64_t receiver, int32_t ok, int32_t failed, double ack_snr, double data_snr,
        TxVector v,
    ) except -1:
        return self.on_ampdu(self.station(receiver), ok, failed, ack_snr, data_snr, v)

    # What an algorithm overrides

    cdef int prepare(self) except -1:
        return 0

    cdef RemoteStation new_station(self):
        return RemoteStation.__new__(RemoteStation)

    cdef int on_new_station(self, RemoteStation station) except -1:
        return 0

    cdef TxVector choose(self, RemoteStation station, int32_t size):
        return self.vector(station.rate)

    cdef TxVector choose_rts(self, RemoteStation station):
        return self.rts_vector_

    cdef bint wants_rts(self, RemoteStation station, int32_t size, bint normally) except -1:
        return normally

    cdef bint wants_retry(self, RemoteStation station, bint normally) except -1:
        return normally

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        return 0

    cdef int on_data_given_up(self, RemoteStation station) except -1:
        return 0

    cdef int on_rts_ok(self, RemoteStation station, double cts_snr, double rts_snr) except -1:
        return 0

    cdef int on_rts_failed(self, RemoteStation station) except -1:
        return 0

    cdef int on_rts_given_up(self, RemoteStation station) except -1:
        return 0

    cdef int on_ampdu(
        self, RemoteStation station, int32_t ok, int32_t failed, double ack_snr, double data_snr,
        TxVector v,
    ) except -1:
        return 0


def count_of(str name, value, least=1):
    """The value, if it is a whole number and not too small; for constructors of managers."""
    number = whole(name, value)
    if number < least:
        raise ValueError(f"{name} is {number}: it must be {least} or more")
    return number


def factor_of(str name, value, low, high):
    """The value as a float, if it lies between the bounds; for constructors of managers."""
    cdef double number = float(value)
    if not isfinite(number) or not low <= number <= high:
        raise ValueError(f"{name} is {value}: it must be from {low:g} to {high:g}")
    return number


def duration_of(str name, value):
    """The value, if it is a positive number of nanoseconds; for constructors of managers."""
    number = whole(name, value, MAX_NUMBER)
    if number < 1:
        raise ValueError(f"{name} is {number} ns: it must be positive")
    return number
