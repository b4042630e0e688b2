from libc.stdint cimport int64_t
from simcore.models.wifi.phy.txvector cimport TxVector


cdef enum Band:
    BAND_2_4GHZ = 0
    BAND_5GHZ = 1
    BAND_6GHZ = 2


# All in nanoseconds.
cdef int64_t preamble_duration(TxVector v) noexcept
cdef int64_t legacy_header_end(TxVector v) noexcept
cdef int64_t sig_end(TxVector v) noexcept
cdef int64_t preamble_and_header_duration(TxVector v) noexcept
cdef int64_t payload_duration(int size_bytes, TxVector v, Band band) noexcept
cdef int64_t ppdu_duration(int size_bytes, TxVector v, Band band) noexcept
# End of the first `size_bytes` of an A-MPDU that goes on, from the start of the data field.
cdef int64_t ampdu_part_duration(int size_bytes, TxVector v) noexcept
cdef int parse_band(double band) except -1
