from libc.stdint cimport int64_t, uint64_t
from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.txvector cimport TxVector


cdef class ErrorRateModel:
    # `snr` is a ratio, not dB. `mode` differs from v.mode for the header of the PPDU.
    cdef double chunk_success_rate(
        self, WifiMode mode, TxVector v, double snr, int64_t nbits) noexcept
    cdef double success_rate(self, TxVector v, double snr, int64_t nbits) noexcept
    # For OFDM modes only, snr > 0 and nbits > 0; to be overridden.
    cdef double ofdm_success_rate(
        self, WifiMode mode, TxVector v, double snr, int64_t nbits) noexcept


cdef class NistErrorRateModel(ErrorRateModel):
    pass


cdef class YansErrorRateModel(ErrorRateModel):
    pass


cdef class TableBasedErrorRateModel(ErrorRateModel):
    cdef ErrorRateModel fallback
    cdef readonly int size_threshold


cdef struct CacheEntry:
    uint64_t snr_bits
    int64_t nbits
    int64_t key
    double result


cdef class CachedErrorRateModel(ErrorRateModel):
    cdef readonly ErrorRateModel model
    cdef readonly int64_t hits
    cdef readonly int64_t misses
    cdef CacheEntry* entries
    cdef uint64_t mask


cdef double snr_for_error_rate(
    ErrorRateModel model, TxVector v, double error_rate, int64_t nbits) noexcept
