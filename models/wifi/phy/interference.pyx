"""What is on the air at one receiver: signals, their power by band, and the SINR of one of them.

A channel of more than 20 MHz is seen in bands: the primary channels of 20, 40, 80 and 160 MHz, the
secondary ones. What a PPDU puts into a band that is narrower than itself depends on
``flat_spectrum``: False, all of it, as with ns-3's Yans channel, so that only the noise depends on
the width; True, its share by width (a flat spectrum without side lobes), as with ns-3's spectrum
channel. Neither leaks into bands that it does not cover.
"""

cimport cython
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.models.wifi.phy.txvector cimport TxVector, width_at
from simcore.simulator cimport Event

cdef enum:
    # Boundaries of interference within one reception that are kept on the stack.
    STACK_BOUNDARIES = 64

# Boltzmann's constant (J/K) as ns-3 rounds it, and the standard noise temperature (K).
cdef double BOLTZMANN = 1.3803e-23
cdef double NOISE_TEMPERATURE = 290.0


@cython.no_gc
@cython.final
cdef class Signal(Event):

    cdef int fire(self) except -1:
        return (<InterferenceTracker>self.receiver).on_signal(self)

    cdef str describe(self):
        return "Signal"


cdef class InterferenceTracker:
    """Base of a PHY: the signals at its antennas. Not to be used itself."""

    cdef int on_signal(self, Signal signal) except -1:
        raise TypeError(f"{type(self).__name__} does not receive")

    cdef int tune_to(self, int frequency_mhz, int width_mhz, int primary20) except -1:
        """Listen to this channel from now on."""
        cdef int i, width, index
        self.frequency_mhz = frequency_mhz
        self.width_mhz = width_mhz
        self.primary20 = primary20
        for i in range(WIDTHS_HERE):
            width = width_at(i)
            if width == width_mhz:
                self.width_index = i
            if width == (width_mhz if width_mhz < 40 else 20):
                self.primary_index = i
        for i in range(WIDTHS_HERE):
            width = width_at(i)
            if width == 22 and width_mhz != 22:
                width = 20  # DSSS in the channel of an OFDM station
            if width >= width_mhz:
                width = width_mhz
                index = 0
            else:
                index = primary20 * 20 // width
            self.noise_at[i] = (
                BOLTZMANN * NOISE_TEMPERATURE * width * 1e6 * self.noise_figure
            )
            self.low_at[i] = frequency_mhz - width_mhz / 2.0 + index * width
            self.high_at[i] = self.low_at[i] + width
            self.whole_at[i] = width == width_mhz
        self.noise_w = self.noise_at[self.width_index]
        return 0

    # Frequencies

    cdef double overlap(self, Ppdu ppdu, double low, double high) noexcept:
        """Width (MHz) that a PPDU and a band have in common."""
        cdef int width = ppdu.txvector.width_mhz
        cdef double below, above
        if width == 22 and self.width_mhz != 22:
            width = 20
        below = ppdu.frequency_mhz - width / 2.0
        above = ppdu.frequency_mhz + width / 2.0
        if below < low:
            below = low
        if above > high:
            above = high
        return above - below if above > below else 0.0

    cdef bint covers_primary(self, Ppdu ppdu) noexcept:
        """Whether it can be received at all: it fills the (narrowest) primary channel."""
        cdef double low = self.low_at[self.primary_index]
        cdef double high = self.high_at[self.primary_index]
        return self.overlap(ppdu, low, high) >= high - low

    cdef double power_in(self, Signal signal, int band) noexcept:
        """Power (W) of a signal in the primary channel with this width index."""
        return band_power(self, signal, band)

    cdef double power_between(self, Signal signal, double low, double high) noexcept:
        """Power (W) of a signal between two frequencies (MHz) of the channel."""
        cdef double common = self.overlap(signal.ppdu, low, high)
        cdef double half = self.width_mhz / 2.0
        if common <= 0.0:
            return 0.0
        if not self.flat_spectrum:
            return signal.power_w
        return signal.power_w * common / self.overlap(
            signal.ppdu, self.frequency_mhz - half, self.frequency_mhz + half
        )

    # Energy

    cdef double energy_before(self, Signal without, int band) noexcept:
        """Power (W) of the others that are on the air just before this instant."""
        cdef int64_t now = self.sim.now_ns
        cdef double total = 0.0
        cdef Signal s
        if len(self.signals) == 1:
            return 0.0  # alone on the air
        for s in self.signals:
            if s is not without and s.start < now and s.end >= now:
                total += band_power(self, s, band)
        return total

    cdef int64_t primary_energy_until(self, double threshold_w) noexcept:
        """Time until which the narrowest primary channel has this power (W); now, if not at all."""
        cdef int band = self.primary_index
        cdef int64_t until = self.sim.now_ns
        cdef int64_t earliest
        cdef double total
        cdef Signal s
        while True:
            total = 0.0
            earliest = 0
            for s in self.signals:
                if s.end > until:
                    total += band_power(self, s, band)
                    if earliest == 0 or s.end < earliest:
                        earliest = s.end
            if earliest == 0 or total < threshold_w:
                return until
            until = earliest

    cdef int64_t energy_until(self, double threshold_w, double low, double high) noexcept:
        """Time until which a band (MHz) has at least this power (W); now, if not at all."""
        cdef int64_t until = self.sim.now_ns
        cdef int64_t earliest
        cdef double total
        cdef Signal s
        while True:
            total = 0.0
            earliest = 0
            for s in self.signals:
                if s.end > until:
                    total += self.power_between(s, low, high)
                    if earliest == 0 or s.end < earliest:
                        earliest = s.end
            if earliest == 0 or total < threshold_w:
                return until
            until = earliest

    cdef void forget_ended(self) noexcept:
        cdef int64_t now = self.sim.now_ns
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i
        cdef Py_ssize_t count = len(self.signals)
        cdef Signal s
        for i in range(count):
            s = <Signal>self.signals[i]
            if s.end > now:
                if kept != i:
                    self.signals[kept] = s
                kept += 1
        if kept == 0:
            self.signals.clear()
        elif kept < count:
            del self.signals[kept:]

    # Success

    cdef double success_over(
        self, Signal signal, int64_t begin, int64_t end, WifiMode mode, int64_t bit_rate, int band,
        int nss, double* snr,
    ) noexcept:
        """Probability of no error from begin to end: the product over chunks of constant SINR.

        ``bit_rate`` is that of one spatial stream, ``band`` the width index of the channel that
        is looked at. More antennas than streams improve the SINR by their ratio (maximum ratio
        combining without fading). ``snr`` receives the SINR averaged over the time (a ratio).
        """
        cdef Signal s
        cdef Py_ssize_t others = 0
        cdef double sinr
        if len(self.signals) > 1:
            for s in self.signals:
                if s is not signal and s.end > begin and s.start < end:
                    others += 1
            if others > 0:
                return self.success_among(
                    signal, begin, end, mode, bit_rate, band, nss, others, snr
                )
        sinr = power_heard(self, signal, band, nss) / self.noise_at[band]
        snr[0] = sinr
        return self.error_model.chunk_success_rate(
            mode, signal.ppdu.txvector, sinr, bits_in(bit_rate, end - begin)
        )

    cdef double success_among(
        self, Signal signal, int64_t begin, int64_t end, WifiMode mode, int64_t bit_rate, int band,
        int nss, Py_ssize_t others, double* snr,
    ) noexcept:
        """The same where `others` signals interfere."""
        cdef Signal s
        cdef TxVector v = signal.ppdu.txvector
        cdef int64_t stack[STACK_BOUNDARIES]
        cdef int64_t* cuts = stack
        cdef int64_t cut, chunk
        cdef Py_ssize_t count = 0, i, j
        cdef double success = 1.0, interference, sinr, weighted = 0.0
        # What fills the channel of its receiver, as nearly every signal does, costs no arithmetic.
        cdef bint direct = self.whole_at[band] or not self.flat_spectrum
        cdef double power = power_heard(self, signal, band, nss)
        cdef double noise = self.noise_at[band]
        if 2 * others + 2 > STACK_BOUNDARIES:
            cuts = <int64_t*>malloc((2 * others + 2) * sizeof(int64_t))
            if cuts == NULL:
                # No memory to judge it: the frame is lost rather than the simulation.
                snr[0] = 0.0
                return 0.0
        cuts[0] = begin
        cuts[1] = end
        count = 2
        for s in self.signals:
            if s is not signal and s.end > begin and s.start < end:
                if s.start > begin:
                    cuts[count] = s.start
                    count += 1
                if s.end < end:
                    cuts[count] = s.end
                    count += 1
        for i in range(1, count):
            cut = cuts[i]
            j = i
            while j > 0 and cuts[j - 1] > cut:
                cuts[j] = cuts[j - 1]
                j -= 1
            cuts[j] = cut
        for i in range(count - 1):
            chunk = cuts[i + 1] - cuts[i]
            if chunk == 0:
                continue
            interference = 0.0
            for s in self.signals:
                if s is not signal and s.start <= cuts[i] and s.end >= cuts[i + 1]:
                    if direct and s.whole:
                        interference += s.power_w
                    else:
                        interference += self.power_between(
                            s, self.low_at[band], self.high_at[band]
                        )
            sinr = power / (noise + interference)
            weighted += sinr * chunk
            success *= self.error_model.chunk_success_rate(mode, v, sinr, bits_in(bit_rate, chunk))
        snr[0] = weighted / (end - begin)
        if cuts != stack:
            free(cuts)
        return success


cdef inline double band_power(InterferenceTracker self, Signal signal, int band) noexcept:
    if signal.whole and (self.whole_at[band] or not self.flat_spectrum):
        return signal.power_w
    return self.power_between(signal, self.low_at[band], self.high_at[band])


cdef inline double power_heard(
    InterferenceTracker self, Signal signal, int band, int nss
) noexcept:
    # Maximum ratio combining over the antennas that are more than the streams.
    cdef double power = band_power(self, signal, band)
    if self.antennas > nss:
        power *= <double>self.antennas / nss
    return power


cdef inline int64_t bits_in(int64_t bit_rate, int64_t duration) noexcept:
    # bit/s times ns fits 63 bits up to 1.3 Gbit/s (one stream) for 7 s.
    return bit_rate * duration // 1000000000
