"""Rate control: which TxVector a frame gets, and what became of it."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.wifi.phy.phy cimport WifiPhy
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.simulator cimport Simulator
from simcore.trace.source cimport TraceSource


cdef class RateManager:
    cdef readonly str standard
    cdef TxVector group_vector                     # group-addressed frames
    cdef TxVector rts_vector_
    cdef list response_vectors                     # per mode uid: TxVector of ACK and CTS

    # The MAC of a station takes the manager into service.
    cdef int attach(self, WifiPhy phy) except -1
    cdef TxVector data_vector(self, uint64_t receiver, int32_t size)
    cdef TxVector rts_vector(self, uint64_t receiver)
    cdef TxVector response_vector(self, TxVector answered)
    # `normally`: what the MAC's thresholds and limits say.
    cdef bint need_rts(self, uint64_t receiver, int32_t size, bint normally) except -1
    cdef bint need_retry(self, uint64_t receiver, bint normally) except -1
    # Fate of each attempt. SNRs are ratios: of our frame at the peer (0: unknown), of its answer.
    cdef int data_ok(
        self, uint64_t receiver, double ack_snr, double data_snr, TxVector v) except -1
    cdef int data_failed(self, uint64_t receiver) except -1
    cdef int data_given_up(self, uint64_t receiver) except -1
    cdef int rts_ok(self, uint64_t receiver, double cts_snr, double rts_snr) except -1
    cdef int rts_failed(self, uint64_t receiver) except -1
    cdef int rts_given_up(self, uint64_t receiver) except -1
    cdef int ampdu_status(
        self, uint64_t receiver, int32_t ok, int32_t failed, double ack_snr, double data_snr,
        TxVector v,
    ) except -1
    # Any frame received from a station.
    cdef int heard(self, uint64_t transmitter, double snr, TxVector v) except -1


cdef class ConstantRateManager(RateManager):
    cdef TxVector data_vector_


cdef class RemoteStation:
    """What a manager keeps about one peer."""
    cdef readonly uint64_t number                  # its address
    cdef public int32_t rate                       # index among the manager's vectors
    cdef public int32_t power                      # index among its power levels


cdef class AdaptiveManager(RateManager):
    cdef readonly Simulator sim
    cdef WifiPhy phy
    cdef readonly list vectors                     # TxVectors that stations have, slowest first
    cdef int32_t top                               # index of the last one
    cdef dict stations
    cdef RemoteStation recent                      # asked for last
    cdef readonly int64_t current_rate             # of the last data frame, bit/s
    cdef readonly object trace
    cdef TraceSource rate_trace

    cdef RemoteStation station(self, uint64_t address)
    cdef TxVector vector(self, int32_t rate)
    cdef int use(self, TxVector v) except -1
    cdef int64_t frame_duration(self, int32_t size, TxVector v) noexcept
    cdef int32_t step_down(self, int32_t rate, int32_t steps) noexcept

    # What an algorithm overrides.
    cdef int prepare(self) except -1               # the PHY is known
    cdef RemoteStation new_station(self)
    cdef int on_new_station(self, RemoteStation station) except -1     # its address is known
    cdef TxVector choose(self, RemoteStation station, int32_t size)
    cdef TxVector choose_rts(self, RemoteStation station)
    cdef bint wants_rts(self, RemoteStation station, int32_t size, bint normally) except -1
    cdef bint wants_retry(self, RemoteStation station, bint normally) except -1
    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v) except -1
    cdef int on_data_failed(self, RemoteStation station) except -1
    cdef int on_data_given_up(self, RemoteStation station) except -1
    cdef int on_rts_ok(self, RemoteStation station, double cts_snr, double rts_snr) except -1
    cdef int on_rts_failed(self, RemoteStation station) except -1
    cdef int on_rts_given_up(self, RemoteStation station) except -1
    cdef int on_ampdu(
        self, RemoteStation station, int32_t ok, int32_t failed, double ack_snr, double data_snr,
        TxVector v,
    ) except -1
