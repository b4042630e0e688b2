"""Path losses of 3GPP TR 38.901, table 7.4.1-1, without shadowing.

The nodes' z are the antenna heights; the higher one is the base station. Whether there is line of
sight is for the caller to say, by the choice of `line_of_sight`. The tables hold from 10 m (indoor:
1 m) on and from 0.5 to 100 GHz; very near, where the formulas would turn into a gain, there is no
loss. Heights must be above 0, for UMa and UMi above 1 m: otherwise nothing is received.
"""

from libc.math cimport INFINITY, M_PI, log10, pow, sqrt

from simcore.models.propagation.loss cimport PropagationLossModel, distance_of

from simcore.models.mobility.checks import invalid, positive

# TR 38.901, 7.4.1, note 1: the velocity to use in the break point distance (m/s).
cdef double VELOCITY = 3.0e8
# Note 1: effective environment height; exact for terminals below 13 m, drawn above.
cdef double ENVIRONMENT_HEIGHT = 1.0


cdef class ThreeGppLoss(PropagationLossModel):
    """What the scenarios share; use one of its subclasses.

    Parameters
    ----------
    frequency : float
        Carrier frequency (Hz), from 0.5 to 100 GHz.
    line_of_sight : bool
        Which of the two formulas holds.
    """

    cdef readonly double frequency
    cdef readonly bint line_of_sight
    cdef double log_ghz

    def __cinit__(self, *args, **kwargs):
        self.least_loss = 0.0

    def __init__(self, frequency, line_of_sight=True):
        self.frequency = positive("frequency", frequency, "Hz")
        if not 0.5e9 <= self.frequency <= 100e9:
            raise invalid("frequency", frequency, "from 0.5e9 to 100e9 Hz")
        self.line_of_sight = bool(line_of_sight)
        self.log_ghz = log10(self.frequency / 1e9)

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double base = a[2] if a[2] > b[2] else b[2]
        cdef double terminal = a[2] if a[2] < b[2] else b[2]
        cdef double dx = a[0] - b[0]
        cdef double dy = a[1] - b[1]
        cdef double ground = sqrt(dx * dx + dy * dy)
        cdef double distance = distance_of(a, b)
        cdef double loss, other
        if terminal <= 0.0:
            return -INFINITY
        loss = self.los(ground, distance, base, terminal)
        if not self.line_of_sight:
            other = self.nlos(distance, base, terminal)
            if other > loss:
                loss = other
        return tx_dbm - loss if loss > 0.0 else tx_dbm

    cdef double los(self, double ground, double distance, double base, double terminal) noexcept:
        return INFINITY

    cdef double nlos(self, double distance, double base, double terminal) noexcept:
        return INFINITY

    cdef double two_slopes(
        self, double ground, double distance, double base, double terminal, double constant,
        double slope, double bend,
    ) noexcept:
        """UMa and UMi: `slope` per decade up to the break point, 40 dB beyond."""
        cdef double point
        if terminal <= ENVIRONMENT_HEIGHT:
            return INFINITY
        point = (
            4.0 * (base - ENVIRONMENT_HEIGHT) * (terminal - ENVIRONMENT_HEIGHT)
            * self.frequency / VELOCITY
        )
        if ground <= point:
            return constant + slope * log10(distance) + 20.0 * self.log_ghz
        return (
            constant + 40.0 * log10(distance) + 20.0 * self.log_ghz
            - bend * log10(point * point + (base - terminal) * (base - terminal))
        )


cdef class ThreeGppRmaLoss(ThreeGppLoss):
    """Rural macro cell.

    Parameters
    ----------
    frequency : float
        Hz.
    line_of_sight : bool
    building_height, street_width : float
        Averages of the area (m).
    """

    cdef readonly double building_height
    cdef readonly double street_width

    def __init__(self, frequency, line_of_sight=True, building_height=5.0, street_width=20.0):
        ThreeGppLoss.__init__(self, frequency, line_of_sight)
        self.building_height = positive("building_height", building_height, "m")
        self.street_width = positive("street_width", street_width, "m")

    cdef double before_break(self, double distance) noexcept:
        cdef double h = pow(self.building_height, 1.72)
        return (
            20.0 * log10(40.0 * M_PI * distance * self.frequency / 1e9 / 3.0)
            + min(0.03 * h, 10.0) * log10(distance) - min(0.044 * h, 14.77)
            + 0.002 * log10(self.building_height) * distance
        )

    cdef double los(self, double ground, double distance, double base, double terminal) noexcept:
        cdef double point = 2.0 * M_PI * base * terminal * self.frequency / VELOCITY
        if ground <= point:
            return self.before_break(distance)
        return self.before_break(point) + 40.0 * log10(distance / point)

    cdef double nlos(self, double distance, double base, double terminal) noexcept:
        cdef double h = self.building_height
        return (
            161.04 - 7.1 * log10(self.street_width) + 7.5 * log10(h)
            - (24.37 - 3.7 * (h / base) * (h / base)) * log10(base)
            + (43.42 - 3.1 * log10(base)) * (log10(distance) - 3.0) + 20.0 * self.log_ghz
            - (3.2 * pow(log10(11.75 * terminal), 2.0) - 4.97)
        )


cdef class ThreeGppUmaLoss(ThreeGppLoss):
    """Urban macro cell.

    Parameters
    ----------
    frequency : float
        Hz.
    line_of_sight : bool
    """

    cdef double los(self, double ground, double distance, double base, double terminal) noexcept:
        return self.two_slopes(ground, distance, base, terminal, 28.0, 22.0, 9.0)

    cdef double nlos(self, double distance, double base, double terminal) noexcept:
        return (
            13.54 + 39.08 * log10(distance) + 20.0 * self.log_ghz - 0.6 * (terminal - 1.5)
        )


cdef class ThreeGppUmiLoss(ThreeGppLoss):
    """Urban micro cell, street canyon.

    Parameters
    ----------
    frequency : float
        Hz.
    line_of_sight : bool
    """

    cdef double los(self, double ground, double distance, double base, double terminal) noexcept:
        return self.two_slopes(ground, distance, base, terminal, 32.4, 21.0, 9.5)

    cdef double nlos(self, double distance, double base, double terminal) noexcept:
        return (
            35.3 * log10(distance) + 22.4 + 21.3 * self.log_ghz - 0.3 * (terminal - 1.5)
        )


cdef class ThreeGppIndoorLoss(ThreeGppLoss):
    """Indoor office (InH).

    Parameters
    ----------
    frequency : float
        Hz.
    line_of_sight : bool
    """

    cdef double los(self, double ground, double distance, double base, double terminal) noexcept:
        return 32.4 + 17.3 * log10(distance) + 20.0 * self.log_ghz

    cdef double nlos(self, double distance, double base, double terminal) noexcept:
        return 38.3 * log10(distance) + 17.3 + 24.9 * self.log_ghz
