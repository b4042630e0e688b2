"""The PHY: what is on the air at one receiver, and what it makes of it."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.mobility.mobility cimport MobilityModel
from simcore.models.network.node cimport Node
from simcore.models.wifi.phy.duration cimport Band
from simcore.models.wifi.phy.error_rate cimport ErrorRateModel
from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport Event, NativeTimer, Simulator
from simcore.trace.source cimport TraceSource

cdef enum PhyState:
    PHY_IDLE                       # CCA may still be busy
    PHY_SYNC                       # synchronised on a preamble or PHY header
    PHY_RX                         # receiving a payload
    PHY_TX

cdef enum SignalPhase:
    SIGNAL_ARRIVES
    SIGNAL_DETECTED                # end of the preamble detection period
    SIGNAL_HEADER_ENDS
    SIGNAL_ENDS


cdef class WifiPhy


cdef class Signal(Event):
    """A PPDU at one receiver; one event that moves through the phases."""
    cdef void* receiver            # WifiPhy, borrowed: the channel keeps it
    cdef Ppdu ppdu
    cdef double power_w
    cdef double power_dbm
    cdef int64_t start             # first bit at the receiver, ns
    cdef int64_t end
    cdef SignalPhase phase


cdef class PhyListener:
    """What the PHY tells the MAC; times in ns."""
    cdef int on_rx_start(self, int64_t end) except -1
    cdef int on_rx_ok(self, Ppdu ppdu, double snr, double power_dbm) except -1
    cdef int on_rx_error(self, Ppdu ppdu, double snr) except -1
    cdef int on_cca_busy(self, int64_t end) except -1
    cdef int on_tx_end(self) except -1


cdef class SignalSink:
    """A channel, as a PHY sees it."""
    cdef int broadcast(self, WifiPhy sender, Ppdu ppdu) except -1


cdef class WifiPhy:
    cdef readonly Simulator sim
    cdef readonly Node node
    cdef MobilityModel mobility
    cdef readonly SignalSink channel
    cdef readonly int32_t index            # position among the PHYs of the channel
    cdef PhyListener listener
    cdef readonly str standard
    cdef readonly int width_mhz
    cdef readonly int frequency_mhz
    cdef Band band
    cdef readonly double tx_power_dbm
    cdef readonly double rx_sensitivity_dbm        # weaker signals are not there
    cdef double cca_sensitivity_w                  # a Wi-Fi signal this strong is busy
    cdef double cca_energy_w                       # any energy this strong is busy
    cdef double preamble_min_dbm
    cdef double preamble_min_snr
    cdef double capture_margin                     # power ratio that takes over; 0: none
    cdef double noise_w
    cdef ErrorRateModel error_model
    cdef RandomStream stream
    cdef readonly int64_t slot
    cdef readonly int64_t sifs
    cdef readonly PhyState state
    cdef Signal current                    # being synchronised on or received
    cdef list signals                      # on the air, or needed to judge one that is
    cdef list candidates                   # in their preamble detection period
    cdef int64_t tx_end                    # of the own transmission
    cdef NativeTimer tx_timer
    cdef bint listening_to_energy          # last CCA look was at the energy threshold

    cdef readonly int64_t tx_count
    cdef readonly int64_t rx_ok_count
    cdef readonly int64_t rx_error_count
    cdef readonly int64_t drop_count
    cdef readonly object trace
    cdef TraceSource tx_trace
    cdef TraceSource rx_ok_trace
    cdef TraceSource rx_error_trace
    cdef TraceSource drop_trace

    cdef int transmit(self, Ppdu ppdu) except -1
    cdef Ppdu make_ppdu(self, object frame, TxVector txvector)
    cdef int arrive(self, Signal signal) except -1
    cdef int detect(self, Signal signal) except -1
    cdef int end_header(self, Signal signal) except -1
    cdef int end_signal(self, Signal signal) except -1
    cdef int end_transmission(self) except -1
    cdef int look_at_energy(self, double threshold_w) except -1
    cdef int drop(self, Ppdu ppdu, str reason) except -1
    cdef void forget_ended(self) noexcept
    cdef double energy_before(self, Signal without) noexcept
    cdef double success_over(
        self, Signal signal, int64_t begin, int64_t end, WifiMode mode, int64_t bit_rate,
        double* snr,
    ) noexcept
