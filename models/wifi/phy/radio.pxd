"""The parts of a PHY that do not depend on what it receives: sending, energy, states."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from simcore.models.mobility.mobility cimport MobilityModel
from simcore.models.network.node cimport Node
from simcore.models.wifi.phy.duration cimport Band
from simcore.models.wifi.phy.interference cimport InterferenceTracker, Signal
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.models.wifi.phy.state_log cimport LoggedState, StateLog
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport NativeTimer
from simcore.trace.source cimport TraceSource

cdef enum PhyState:
    PHY_IDLE                       # CCA may still be busy
    PHY_SYNC                       # synchronised on a preamble or PHY header
    PHY_RX                         # receiving a payload
    PHY_TX
    PHY_SWITCHING                  # from one channel to another
    PHY_SLEEP
    PHY_OFF

cdef enum:
    SECONDARIES = 3                # secondary channels: of 20, 40, 80 MHz
    MAX_MPDUS = 1024               # in one A-MPDU


cdef class Radio


cdef class PhyListener:
    """What the PHY tells the MAC; times in ns."""
    cdef int on_rx_start(self, int64_t end) except -1
    cdef int on_rx_ok(self, Ppdu ppdu, double snr, double power_dbm) except -1
    # `received[i]`: frame `ppdu.mpdus[i]` is without errors. Told when the last one has ended, and
    # if any is without errors; otherwise `on_rx_error`. The array is valid during the call.
    cdef int on_rx_ampdu(
        self, Ppdu ppdu, const uint8_t* received, double snr, double power_dbm) except -1
    cdef int on_rx_error(self, Ppdu ppdu, double snr) except -1
    cdef int on_cca_busy(self, int64_t end) except -1
    cdef int on_tx_end(self) except -1
    cdef int on_switching_start(self, int64_t end) except -1
    cdef int on_suspend(self) except -1        # the PHY falls asleep or is switched off
    cdef int on_resume(self) except -1


cdef class SignalSink:
    """A channel, as a PHY sees it."""
    cdef int broadcast(self, Radio sender, Ppdu ppdu) except -1
    cdef int retuned(self, Radio phy) except -1


cdef class Radio(InterferenceTracker):
    cdef readonly Node node
    cdef MobilityModel mobility
    cdef readonly SignalSink channel
    cdef readonly int32_t index            # position among the PHYs of the channel
    cdef PhyListener listener
    cdef readonly str standard
    cdef readonly double band_ghz
    cdef Band band
    cdef readonly int channel_number
    cdef readonly int max_streams          # spatial streams that it sends and receives
    cdef unsigned int modulations          # bit of each modulation class that it receives
    cdef readonly double tx_power_dbm
    cdef readonly double rx_sensitivity_dbm        # per 20 MHz; weaker signals are not there
    cdef double cca_sensitivity_w                  # a Wi-Fi signal this strong is busy
    cdef double cca_energy_w                       # any energy this strong is busy
    cdef double preamble_min_dbm
    cdef double preamble_min_snr
    cdef double capture_margin                     # power ratio that takes over; 0: none
    cdef int64_t capture_window                    # ns after the start of a signal; -1: all of it
    cdef RandomStream stream
    cdef readonly int64_t slot
    cdef readonly int64_t sifs
    cdef readonly int64_t switch_delay
    cdef readonly PhyState state
    cdef Signal current                    # being synchronised on or received
    cdef bint ignoring                     # its header was wrong or not for us: wait for its end
    cdef list candidates                   # in their preamble detection period
    cdef int64_t tx_end                    # of the own transmission
    cdef NativeTimer tx_timer
    cdef NativeTimer switch_timer
    cdef object next_channel               # Channel and its primary, when a transmission delays it
    cdef bint sleep_after                  # sleep when what is going on has ended
    cdef bint retuned_once                 # signals of another channel may still arrive
    cdef int64_t[SECONDARIES] secondary_busy_end

    cdef readonly int64_t tx_count
    cdef readonly int64_t rx_ok_count
    cdef readonly int64_t rx_error_count
    cdef readonly int64_t drop_count
    cdef readonly object trace
    cdef TraceSource tx_trace
    cdef TraceSource rx_ok_trace
    cdef TraceSource rx_error_trace
    cdef TraceSource rx_ampdu_trace
    cdef TraceSource drop_trace
    cdef TraceSource state_trace
    cdef StateLog log

    cdef int prepare(self) except -1
    cdef int transmit(self, Ppdu ppdu) except -1
    cdef Ppdu make_ppdu(self, object frame, TxVector txvector)
    cdef Ppdu make_ampdu(self, tuple frames, TxVector txvector)
    cdef int fill_ppdu(self, Ppdu ppdu, TxVector txvector) except -1
    cdef double hears(self, Ppdu ppdu) noexcept
    cdef int end_transmission(self) except -1
    cdef int end_switching(self) except -1
    cdef int look_at_energy(self, double threshold_w) except -1
    cdef int look_at_secondary(self, Signal signal) except -1
    cdef int secondary_idle_width(self, int64_t since) noexcept
    cdef int drop(self, Ppdu ppdu, str reason) except -1
    cdef str reason(self)
    cdef int stop_reception(self, str reason) except -1
    cdef int log_state(self, LoggedState state) except -1
    cdef int begin_switching(self, object channel, int primary20) except -1
    cdef int fall_asleep(self) except -1
    cdef int do_delayed(self) except -1


cdef inline int busy_until(Radio self, int64_t end) except -1:
    """CCA is busy until then."""
    if self.state_trace.active:
        self.log.busy(self.sim.now_ns, end)
    return self.listener.on_cca_busy(end)
