"""One transmission on the air, the same object for every receiver."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.wifi.frame cimport WifiFrame
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.trace.source cimport Traced


cdef class Ppdu(Traced):
    cdef readonly WifiFrame frame
    cdef readonly TxVector txvector
    cdef readonly int64_t start            # at the transmitter, ns
    cdef readonly int64_t duration         # all of it, ns
    cdef readonly int64_t preamble_duration
    cdef readonly int64_t header_end       # preamble and PHY header, ns after the start
    cdef readonly double tx_power_dbm
    cdef readonly int32_t sender           # node id
    cdef readonly int64_t number           # counts the transmissions of a channel
    cdef str text_cache                    # text(), the same for all receivers

    cpdef bytes to_bytes(self)
