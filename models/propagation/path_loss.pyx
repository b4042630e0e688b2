"""Losses that follow from the distance alone: range, Friis, log-distance."""

from libc.math cimport M_PI, INFINITY, log10, pow, sqrt

from simcore.models.propagation.loss cimport PropagationLossModel, distance_of

from simcore.models.mobility.checks import at_least, not_negative, number, positive

cdef double SPEED_OF_LIGHT = 299792458.0   # m/s

# What is left beyond the range of RangeLoss (dBm), as in ns-3.
cdef double NOTHING_DBM = -1000.0


cdef class RangeLoss(PropagationLossModel):
    """No loss up to and including a distance, nothing received (-1000 dBm) beyond.

    Parameters
    ----------
    max_range : float
        Distance in m.
    """

    cdef readonly double distance          # m

    def __init__(self, max_range=250.0):
        self.distance = not_negative("max_range", max_range, "m")
        self.least_loss = 0.0

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) noexcept:
        return tx_dbm if distance_of(a, b) <= self.distance else NOTHING_DBM

    # Beyond the range the output does not depend on the input: a floor below it is always reached.
    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        return self.distance if floor_dbm > NOTHING_DBM else INFINITY

    cdef double highest_output(self, double tx_dbm) noexcept:
        return tx_dbm if tx_dbm > NOTHING_DBM else NOTHING_DBM

    cdef double lowest_input(self, double floor_dbm) noexcept:
        return floor_dbm if floor_dbm > NOTHING_DBM else -INFINITY


cdef class FriisLoss(PropagationLossModel):
    """Free space: ``(4 pi d / lambda)^2 L``, never less than a minimum.

    H. T. Friis, "A Note on a Simple Transmission Formula", Proc. IRE 34(5), 1946. It holds in the
    far field; at distance zero the loss is `min_loss`.

    Parameters
    ----------
    frequency : float
        Carrier frequency (Hz).
    system_loss : float
        L, a factor of at least 1 (not dB).
    min_loss : float
        Least loss (dB).
    """

    cdef readonly double frequency
    cdef readonly double system_loss
    cdef readonly double min_loss
    cdef double wavelength                 # m

    def __init__(self, frequency=5.15e9, system_loss=1.0, min_loss=0.0):
        self.frequency = positive("frequency", frequency, "Hz")
        self.system_loss = at_least("system_loss", system_loss, 1.0)
        self.min_loss = not_negative("min_loss", min_loss, "dB")
        self.wavelength = SPEED_OF_LIGHT / self.frequency
        self.least_loss = self.min_loss

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) noexcept:
        cdef double distance = distance_of(a, b)
        cdef double loss
        if distance <= 0.0:
            return tx_dbm - self.min_loss
        loss = -10.0 * log10(
            self.wavelength * self.wavelength
            / (16.0 * M_PI * M_PI * distance * distance * self.system_loss)
        )
        return tx_dbm - (loss if loss > self.min_loss else self.min_loss)

    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        if tx_dbm - self.min_loss < floor_dbm:
            return 0.0
        return safely_beyond(
            self.wavelength / (4.0 * M_PI * sqrt(self.system_loss))
            * pow(10.0, (tx_dbm - floor_dbm) / 20.0)
        )


cdef class LogDistanceLoss(PropagationLossModel):
    """``L0 + 10 n log10(d / d0)`` dB beyond the reference distance, L0 within.

    T. S. Rappaport, "Wireless Communications", 2nd ed., section 4.9.1.

    Parameters
    ----------
    exponent : float
        Path loss exponent n.
    reference_distance : float
        d0 (m).
    reference_loss : float
        L0 (dB); the default is that of free space at 1 m and 5.15 GHz.
    """

    cdef readonly double exponent
    cdef readonly double reference_distance
    cdef readonly double reference_loss

    def __init__(self, exponent=3.0, reference_distance=1.0, reference_loss=46.6777):
        self.exponent = not_negative("exponent", exponent)
        self.reference_distance = positive("reference_distance", reference_distance, "m")
        self.reference_loss = number("reference_loss", reference_loss, "dB")
        self.least_loss = self.reference_loss

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) noexcept:
        cdef double distance = distance_of(a, b)
        if distance <= self.reference_distance:
            return tx_dbm - self.reference_loss
        return tx_dbm + (
            -self.reference_loss
            - 10.0 * self.exponent * log10(distance / self.reference_distance)
        )

    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        cdef double left = tx_dbm - self.reference_loss - floor_dbm
        if left < 0.0:
            return 0.0
        if self.exponent == 0.0:
            return INFINITY
        return safely_beyond(self.reference_distance * pow(10.0, left / (10.0 * self.exponent)))


cdef inline double safely_beyond(double distance) noexcept:
    """A bound that rounding in the inverse formula cannot undercut."""
    return distance * (1.0 + 1e-9)
