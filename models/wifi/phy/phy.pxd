"""The PHY: what it makes of the signals at one receiver."""

from simcore.models.wifi.phy.interference cimport Signal
from simcore.models.wifi.phy.ppdu cimport Ppdu
# Users of a PHY find its contract with the MAC and the channel here.
from simcore.models.wifi.phy.radio cimport (
    PHY_IDLE, PHY_OFF, PHY_RX, PHY_SLEEP, PHY_SWITCHING, PHY_SYNC, PHY_TX, PhyListener, PhyState,
    Radio, SignalSink,
)


cdef class WifiPhy(Radio):
    cdef bint receives(self, Ppdu ppdu) noexcept
    cdef int arrive(self, Signal signal) except -1
    cdef int arrive_as_noise(self, Signal signal) except -1
    cdef int detect(self, Signal signal) except -1
    cdef int end_legacy_header(self, Signal signal) except -1
    cdef int end_sig(self, Signal signal) except -1
    cdef int ignore(self, Signal signal, str reason) except -1
    cdef int begin_payload(self, Signal signal) except -1
    cdef int end_signal(self, Signal signal) except -1
    cdef double judge_ampdu(self, Signal signal, double* chances) noexcept
    cdef int receive_ampdu(self, Signal signal) except -1
