"""What is on the air at one receiver: signals, their power by band, and the SINR of one of them."""

from libc.stdint cimport int64_t

from simcore.models.wifi.phy.error_rate cimport ErrorRateModel
from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.simulator cimport Event, Simulator

cdef enum:
    WIDTHS_HERE = 8                # txvector.WIDTHS; C arrays need a constant of this module

cdef enum SignalPhase:
    SIGNAL_ARRIVES
    SIGNAL_DETECTED                # end of the preamble detection period
    SIGNAL_LEGACY_ENDS             # end of the header that all formats begin with
    SIGNAL_SIG_ENDS                # end of HT-SIG, VHT-SIG-A or HE-SIG-A
    SIGNAL_HEADER_ENDS             # the payload begins
    SIGNAL_ENDS


cdef class Signal(Event):
    """A PPDU at one receiver; one event that moves through the phases."""
    cdef void* receiver            # InterferenceTracker, borrowed: the channel keeps it
    cdef Ppdu ppdu
    cdef double power_w            # in the channel of the receiver
    cdef double power_dbm
    cdef int64_t start             # first bit at the receiver, ns
    cdef int64_t end
    cdef SignalPhase phase
    cdef bint whole                # it fills the channel of the receiver and no more


cdef class InterferenceTracker:
    cdef readonly Simulator sim
    cdef ErrorRateModel error_model
    cdef list signals              # on the air, or needed to judge one that is
    cdef readonly int width_mhz
    cdef readonly int frequency_mhz
    cdef int width_index
    cdef readonly int primary20    # which 20 MHz of the channel is primary
    cdef readonly int antennas
    cdef bint flat_spectrum        # a band that is narrower than a signal gets its share of it
    cdef double noise_w            # in the whole channel
    cdef double noise_figure       # a ratio
    # By `TxVector.width_index`: what a receiver hears of a PPDU of this width.
    cdef double[WIDTHS_HERE] noise_at          # W
    cdef double[WIDTHS_HERE] low_at            # primary channel of this width, MHz
    cdef double[WIDTHS_HERE] high_at
    cdef bint[WIDTHS_HERE] whole_at            # it is the whole channel
    cdef int primary_index                     # width_index of the narrowest primary channel

    cdef int on_signal(self, Signal signal) except -1
    cdef int tune_to(self, int frequency_mhz, int width_mhz, int primary20) except -1
    cdef double overlap(self, Ppdu ppdu, double low, double high) noexcept
    cdef bint covers_primary(self, Ppdu ppdu) noexcept
    cdef double power_in(self, Signal signal, int band) noexcept
    cdef double power_between(self, Signal signal, double low, double high) noexcept
    cdef double energy_before(self, Signal without, int band) noexcept
    cdef int64_t energy_until(self, double threshold_w, double low, double high) noexcept
    cdef int64_t primary_energy_until(self, double threshold_w) noexcept
    cdef void forget_ended(self) noexcept
    cdef double success_over(
        self, Signal signal, int64_t begin, int64_t end, WifiMode mode, int64_t bit_rate, int band,
        int nss, double* snr,
    ) noexcept
    cdef double success_among(
        self, Signal signal, int64_t begin, int64_t end, WifiMode mode, int64_t bit_rate, int band,
        int nss, Py_ssize_t others, double* snr,
    ) noexcept
