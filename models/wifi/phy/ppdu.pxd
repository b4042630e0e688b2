"""One transmission on the air, the same object for every receiver."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.wifi.frame cimport WifiFrame
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.trace.source cimport Traced


cdef class Ppdu(Traced):
    cdef readonly WifiFrame frame          # the first one of an A-MPDU
    cdef readonly tuple mpdus              # all frames of an A-MPDU; None: there is only `frame`
    cdef readonly int32_t psdu_size        # bytes, delimiters and padding included
    cdef readonly TxVector txvector
    cdef readonly int frequency_mhz        # centre
    cdef readonly int64_t start            # at the transmitter, ns
    cdef readonly int64_t duration         # all of it, ns
    # Ends of its parts, ns after the start; the same where there is no such part.
    cdef readonly int64_t preamble_duration
    cdef readonly int64_t legacy_end       # header that all formats begin with
    cdef readonly int64_t sig_end          # HT-SIG, VHT-SIG-A, HE-SIG-A
    cdef readonly int64_t header_end       # preamble and PHY header
    cdef readonly double tx_power_dbm
    cdef double sensitivity_offset_db      # of receivers, for its width against 20 MHz
    cdef readonly int32_t sender           # node id
    cdef readonly int64_t number           # counts the transmissions of a channel
    cdef str text_cache                    # text(), the same for all receivers

    cpdef bytes to_bytes(self)


cdef int32_t subframe_size(int32_t mpdu_size, bint last) noexcept
cdef int32_t ampdu_size(tuple mpdus) except -1
