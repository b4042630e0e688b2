from libc.stdint cimport int64_t
from simcore.models.wifi.phy.mode cimport WifiMode

cdef double dsss_success_rate(WifiMode mode, double snr, int64_t nbits) noexcept
