cimport cython
from libc.stdint cimport int64_t
from simcore.models.wifi.phy.mode cimport WifiMode


cdef enum Preamble:
    PREAMBLE_LONG = 0
    PREAMBLE_SHORT = 1
    PREAMBLE_HT_MF = 2
    PREAMBLE_VHT_SU = 3
    PREAMBLE_HE_SU = 4
    PREAMBLE_EHT_MU = 5


cdef enum:
    WIDTHS = 8                           # channel widths that exist, 5 to 320 MHz


@cython.final
cdef class TxVector:
    cdef readonly WifiMode mode
    cdef readonly WifiMode header_mode   # what the first signalling field is sent with
    cdef readonly WifiMode signal_mode   # of HT-SIG, SIG-A; None below HT
    cdef readonly int width_mhz
    cdef readonly int gi_ns
    cdef readonly int nss
    cdef readonly bint ldpc
    cdef readonly bint aggregation       # the PSDU is an A-MPDU
    cdef double power_dbm                # NaN: that of the PHY
    cdef readonly int64_t rate_bps
    cdef int64_t stream_rate_bps
    cdef int width_index                 # for tables by width
    cdef int header_width_index          # of the channel that the PHY header is judged in
    cdef Preamble preamble_kind
    cdef int64_t symbol_ns               # derived, so that durations cost a few integer operations
    cdef int64_t n_dbps
    cdef int n_es
    cdef int64_t key                     # packs all that error rates depend on, below 2**32


cdef int width_at(int index) noexcept
