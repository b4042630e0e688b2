"""Losses that follow from distance and height: range, Friis, log-distance, two-ray ground."""

from libc.math cimport M_PI, INFINITY, log10, pow, sqrt

from simcore.models.propagation.loss cimport PropagationLossModel, distance_of, safely_beyond

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

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
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

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double distance = distance_of(a, b)
        cdef double loss
        if distance <= 0.0:
            return tx_dbm - self.min_loss
        loss = free_space(distance, self.wavelength, self.system_loss)
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

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double distance = distance_of(a, b)
        if distance <= self.reference_distance:
            return tx_dbm - self.reference_loss
        return tx_dbm + (
            -self.reference_loss - decades(self.exponent, distance, self.reference_distance)
        )

    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        cdef double left = tx_dbm - self.reference_loss - floor_dbm
        return reach(self.reference_distance, self.exponent, left) if left >= 0.0 else 0.0


cdef class ThreeLogDistanceLoss(PropagationLossModel):
    """Log-distance with three exponents, continuous from the first distance on.

    No loss within `distance0`; then ``L0 + 10 n0 log10(d / d0)`` up to `distance1`, and so on with
    n1 up to `distance2` and n2 beyond. As in ns-3.

    Parameters
    ----------
    distance0, distance1, distance2 : float
        Where the three fields begin (m), in ascending order.
    exponent0, exponent1, exponent2 : float
        Path loss exponents of the fields.
    reference_loss : float
        L0, the loss at `distance0` (dB).
    """

    cdef readonly double distance0
    cdef readonly double distance1
    cdef readonly double distance2
    cdef readonly double exponent0
    cdef readonly double exponent1
    cdef readonly double exponent2
    cdef readonly double reference_loss
    cdef double loss1              # at distance1 (dB)
    cdef double loss2              # at distance2 (dB)

    def __init__(
        self, distance0=1.0, distance1=200.0, distance2=500.0, exponent0=1.9, exponent1=3.8,
        exponent2=3.8, reference_loss=46.6777,
    ):
        self.distance0 = positive("distance0", distance0, "m")
        self.distance1 = at_least("distance1", distance1, self.distance0, "m")
        self.distance2 = at_least("distance2", distance2, self.distance1, "m")
        self.exponent0 = not_negative("exponent0", exponent0)
        self.exponent1 = not_negative("exponent1", exponent1)
        self.exponent2 = not_negative("exponent2", exponent2)
        self.reference_loss = number("reference_loss", reference_loss, "dB")
        self.loss1 = self.reference_loss + decades(
            self.exponent0, self.distance1, self.distance0
        )
        self.loss2 = self.loss1 + decades(self.exponent1, self.distance2, self.distance1)
        self.least_loss = min(0.0, self.reference_loss)

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double distance = distance_of(a, b)
        if distance < self.distance0:
            return tx_dbm
        if distance < self.distance1:
            return tx_dbm - (
                self.reference_loss + decades(self.exponent0, distance, self.distance0)
            )
        if distance < self.distance2:
            return tx_dbm - (self.loss1 + decades(self.exponent1, distance, self.distance1))
        return tx_dbm - (self.loss2 + decades(self.exponent2, distance, self.distance2))

    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        cdef double left = tx_dbm - floor_dbm
        if left < self.reference_loss:
            return self.distance0 if left >= 0.0 else 0.0
        if left < self.loss1:
            return reach(self.distance0, self.exponent0, left - self.reference_loss)
        if left < self.loss2:
            return reach(self.distance1, self.exponent1, left - self.loss1)
        return reach(self.distance2, self.exponent2, left - self.loss2)


cdef class TwoRayGroundLoss(PropagationLossModel):
    """Free space up to the crossover distance, beyond it ``d^4 L / (ht hr)^2``.

    T. S. Rappaport, "Wireless Communications", 2nd ed., section 4.6; the crossover at
    ``4 pi ht hr / lambda`` is that of ns-2 and ns-3. The heights are those of the nodes (z) plus
    `height_above_z`.

    Parameters
    ----------
    frequency : float
        Carrier frequency (Hz).
    system_loss : float
        L, a factor of at least 1 (not dB).
    min_distance : float
        Up to this distance there is no loss (m).
    height_above_z : float
        Height of the antennas above the nodes' z (m).
    """

    cdef readonly double frequency
    cdef readonly double system_loss
    cdef readonly double min_distance
    cdef readonly double height_above_z
    cdef double wavelength         # m

    def __init__(
        self, frequency=5.15e9, system_loss=1.0, min_distance=0.5, height_above_z=0.0
    ):
        self.frequency = positive("frequency", frequency, "Hz")
        self.system_loss = at_least("system_loss", system_loss, 1.0)
        self.min_distance = not_negative("min_distance", min_distance, "m")
        self.height_above_z = number("height_above_z", height_above_z, "m")
        self.wavelength = SPEED_OF_LIGHT / self.frequency
        # Free space is the smaller loss at any height, and smallest where it begins.
        self.least_loss = -INFINITY
        if self.min_distance > 0.0:
            self.least_loss = min(
                0.0, free_space(self.min_distance, self.wavelength, self.system_loss)
            )

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double distance = distance_of(a, b)
        cdef double heights, square
        if distance <= self.min_distance:
            return tx_dbm
        heights = (a[2] + self.height_above_z) * (b[2] + self.height_above_z)
        if distance <= 4.0 * M_PI * heights / self.wavelength:
            return tx_dbm - free_space(distance, self.wavelength, self.system_loss)
        square = distance * distance
        return tx_dbm + 10.0 * log10(heights * heights / (square * square * self.system_loss))

    # The formula beyond the crossover loses more than free space, whatever the heights.
    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        cdef double within = self.min_distance if tx_dbm >= floor_dbm else 0.0
        cdef double beyond = safely_beyond(
            self.wavelength / (4.0 * M_PI * sqrt(self.system_loss))
            * pow(10.0, (tx_dbm - floor_dbm) / 20.0)
        )
        return beyond if beyond > within else within


cdef inline double free_space(double distance, double wavelength, double system_loss) noexcept:
    return -10.0 * log10(
        wavelength * wavelength / (16.0 * M_PI * M_PI * distance * distance * system_loss)
    )


cdef inline double decades(double exponent, double distance, double from_distance) noexcept:
    return 10.0 * exponent * log10(distance / from_distance)


cdef inline double reach(double from_distance, double exponent, double loss) noexcept:
    """Distance at which a field has taken so many dB since its beginning."""
    if exponent == 0.0:
        return INFINITY
    return safely_beyond(from_distance * pow(10.0, loss / (10.0 * exponent)))
