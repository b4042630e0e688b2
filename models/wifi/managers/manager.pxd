"""Rate control: which TxVector a frame gets, and what became of it."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.wifi.phy.txvector cimport TxVector


cdef class RateManager:
    cdef readonly str standard
    cdef TxVector group_vector                     # group-addressed frames
    cdef TxVector rts_vector_
    cdef list response_vectors                     # per mode uid: TxVector of ACK and CTS

    cdef TxVector data_vector(self, uint64_t receiver, int32_t size)
    cdef TxVector rts_vector(self, uint64_t receiver)
    cdef TxVector response_vector(self, TxVector answered)
    # Fate of each attempt; `retries` counts the failures before it.
    cdef int data_ok(self, uint64_t receiver, double ack_snr, int32_t retries) except -1
    cdef int data_failed(self, uint64_t receiver, int32_t retries) except -1
    cdef int rts_ok(self, uint64_t receiver, double cts_snr) except -1
    cdef int rts_failed(self, uint64_t receiver) except -1
    cdef int given_up(self, uint64_t receiver) except -1
    # Any frame received from a station, with its SNR (a ratio).
    cdef int heard(self, uint64_t transmitter, double snr, TxVector v) except -1


cdef class ConstantRateManager(RateManager):
    cdef TxVector data_vector_
