"""Above the MAC's acknowledgements: duplicate detection and reassembly of fragments."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.network.packet cimport Packet
from simcore.models.wifi.frame cimport WifiFrame


cdef class Partial:
    """A fragmented MSDU in reception."""
    cdef int32_t sequence
    cdef int32_t next_fragment
    cdef int32_t received          # bytes
    cdef int64_t started           # ns


cdef class Receiver:
    cdef dict last_control         # transmitter -> sequence control of its last frame
    cdef dict partial              # transmitter -> Partial
    cdef int64_t lifetime          # of a partial MSDU, ns
    cdef readonly int64_t duplicate_count

    cdef Packet accept(self, WifiFrame frame, int64_t now)
