"""Empirical losses of cellular radio in and around cities.

The nodes' z are the antenna heights; the higher one is the base station. Heights must be above 0:
at or below, no formula holds and nothing is received (-infinity dBm). Very near, where the formulas
would turn into a gain, there is no loss.
"""

from libc.math cimport INFINITY, M_PI, atan, fabs, log10, pow, sqrt

from simcore.models.propagation.loss cimport PropagationLossModel, distance_of

from simcore.models.mobility.checks import invalid, not_negative, number, positive

cdef double SPEED_OF_LIGHT = 299792458.0   # m/s

cdef tuple ENVIRONMENTS = ("urban", "suburban", "open")
cdef tuple CITY_SIZES = ("small", "medium", "large")


cdef class UrbanLoss(PropagationLossModel):
    """What the models here share: they never give a gain."""

    def __cinit__(self, *args, **kwargs):
        self.least_loss = 0.0


cdef class OkumuraHataLoss(UrbanLoss):
    """Okumura-Hata up to 1.5 GHz, its COST 231 extension above.

    M. Hata, "Empirical Formula for Propagation Loss in Land Mobile Radio Services", IEEE Trans.
    Vehicular Technology 29(3), 1980; COST 231 final report, chapter 4, eq. 4.4.1 and 4.4.3. Valid
    for 1 to 20 km, base stations of 30 to 200 m, mobiles of 1 to 10 m. As in ns-3, the environment
    changes nothing above 1.5 GHz.

    Parameters
    ----------
    frequency : float
        Hz.
    environment : {"urban", "suburban", "open"}
    city_size : {"small", "medium", "large"}
    """

    cdef readonly double frequency
    cdef readonly str environment
    cdef readonly str city_size
    cdef double log_mhz
    cdef double mhz
    cdef bint large

    def __init__(self, frequency=2160e6, environment="urban", city_size="large"):
        self.frequency = positive("frequency", frequency, "Hz")
        self.environment = one_of("environment", environment, ENVIRONMENTS)
        self.city_size = one_of("city_size", city_size, CITY_SIZES)
        self.mhz = self.frequency / 1e6
        self.log_mhz = log10(self.mhz)
        self.large = self.city_size == "large"

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double base = a[2] if a[2] > b[2] else b[2]
        cdef double mobile = a[2] if a[2] < b[2] else b[2]
        cdef double log_km, common
        if mobile <= 0.0:
            return -INFINITY
        log_km = log10(distance_of(a, b) / 1000.0)
        common = -13.82 * log10(base) + (44.9 - 6.55 * log10(base)) * log_km
        if self.mhz > 1500.0:
            common += 46.3 + 33.9 * self.log_mhz
            if self.large:
                return attenuated(tx_dbm, common - 3.2 * pow(log10(11.75 * mobile), 2.0) + 3.0)
            return attenuated(tx_dbm, common - self.small_city(mobile))
        common += 69.55 + 26.16 * self.log_mhz
        if not self.large:
            common -= self.small_city(mobile)
        elif self.mhz < 200.0:
            common -= 8.29 * pow(log10(1.54 * mobile), 2.0) - 1.1
        else:
            common -= 3.2 * pow(log10(11.75 * mobile), 2.0) - 4.97
        return attenuated(tx_dbm, common + self.environment_loss())

    cdef double small_city(self, double mobile) noexcept:
        """Height correction of small and medium cities, a(hm) (dB)."""
        return (1.1 * self.log_mhz - 0.7) * mobile - (1.56 * self.log_mhz - 0.8)

    cdef double environment_loss(self) noexcept:
        if self.environment == "suburban":
            return -2.0 * pow(log10(self.mhz / 28.0), 2.0) - 5.4
        if self.environment == "open":
            return -4.78 * self.log_mhz * self.log_mhz + 18.33 * self.log_mhz - 40.94
        return 0.0


cdef class Cost231Loss(UrbanLoss):
    """COST 231-Hata with fixed antenna heights and a shadowing margin.

    COST 231 final report, chapter 4, eq. 4.4.3, for small and medium cities, with ns-3's
    coefficient 1.11 in the height correction (the report has 1.1) and its margin of 10 dB.

    Parameters
    ----------
    frequency : float
        Hz.
    base_height, mobile_height : float
        Antenna heights (m); the nodes' z only enter the distance.
    min_distance : float
        Up to this distance there is no loss (m).
    shadowing : float
        Margin added to the loss (dB).
    """

    cdef readonly double frequency
    cdef readonly double base_height
    cdef readonly double mobile_height
    cdef readonly double min_distance
    cdef readonly double shadowing

    def __init__(
        self, frequency=2.3e9, base_height=50.0, mobile_height=3.0, min_distance=0.5,
        shadowing=10.0,
    ):
        self.frequency = positive("frequency", frequency, "Hz")
        self.base_height = positive("base_height", base_height, "m")
        self.mobile_height = positive("mobile_height", mobile_height, "m")
        self.min_distance = not_negative("min_distance", min_distance, "m")
        self.shadowing = number("shadowing", shadowing, "dB")

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double distance = distance_of(a, b)
        cdef double log_mhz, log_base, height
        if distance <= self.min_distance:
            return tx_dbm
        log_mhz = log10(self.frequency * 1e-6)
        log_base = log10(self.base_height)
        height = 0.8 + (1.11 * log_mhz - 0.7) * self.mobile_height - 1.56 * log_mhz
        return attenuated(
            tx_dbm,
            46.3 + 33.9 * log_mhz - 13.82 * log_base - height
            + (44.9 - 6.55 * log_base) * log10(distance * 1e-3) + self.shadowing
        )


cdef class Kun2600MhzLoss(UrbanLoss):
    """``36 + 26 log10(d)`` dB, measured at 2.6 GHz.

    Sun Kun, Wang Ping, Li Yingze, "Path Loss Models for Suburban Scenario at 2.3GHz, 2.6GHz and
    3.5GHz", 8th International Symposium on Antennas, Propagation and EM Theory, 2008.
    """

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        return attenuated(tx_dbm, 36.0 + 26.0 * log10(distance_of(a, b)))


cdef class ItuR1411LosLoss(UrbanLoss):
    """Line of sight in street canyons: the mean of the bounds of Recommendation ITU-R P.1411.

    P.1411-4, section 4.2.1, eq. (1) to (6).

    Parameters
    ----------
    frequency : float
        Hz.
    """

    cdef readonly double frequency
    cdef double wavelength         # m

    def __init__(self, frequency=2160e6):
        self.frequency = positive("frequency", frequency, "Hz")
        self.wavelength = SPEED_OF_LIGHT / self.frequency

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double ratio, at_break
        if a[2] <= 0.0 or b[2] <= 0.0:
            return -INFINITY
        at_break = fabs(
            20.0 * log10(self.wavelength * self.wavelength / (8.0 * M_PI * a[2] * b[2]))
        )
        ratio = log10(distance_of(a, b) / (4.0 * a[2] * b[2] / self.wavelength))
        # The mean of Lbp + s1 log(d / Rbp) and Lbp + 20 + s2 log(d / Rbp): slopes 20 and 25 up to
        # the break point, 40 and 40 beyond.
        return attenuated(
            tx_dbm, at_break + 10.0 + (22.5 if ratio <= 0.0 else 40.0) * ratio
        )


cdef class ItuR1411NlosOverRooftopLoss(UrbanLoss):
    """Propagation over rooftops without line of sight, Recommendation ITU-R P.1411.

    P.1411-4, section 4.2.2: free space, diffraction from rooftop to street, and multiple screen
    diffraction past rows of buildings.

    Parameters
    ----------
    frequency : float
        Hz.
    environment : {"urban", "suburban", "open"}
    city_size : {"small", "medium", "large"}
        An urban large city counts as a metropolitan centre.
    rooftop_height : float
        m.
    street_orientation : float
        Angle between street and direction of propagation, 0 to 90 degrees.
    street_width : float
        m.
    buildings_extent : float
        Length of the path that is covered by buildings (m).
    building_separation : float
        m.
    """

    cdef readonly double frequency
    cdef readonly str environment
    cdef readonly str city_size
    cdef readonly double rooftop_height
    cdef readonly double street_orientation
    cdef readonly double street_width
    cdef readonly double buildings_extent
    cdef readonly double building_separation
    cdef double wavelength         # m
    cdef double mhz
    cdef bint metropolitan

    def __init__(
        self, frequency=2160e6, environment="urban", city_size="large", rooftop_height=20.0,
        street_orientation=45.0, street_width=20.0, buildings_extent=80.0,
        building_separation=50.0,
    ):
        self.frequency = positive("frequency", frequency, "Hz")
        self.environment = one_of("environment", environment, ENVIRONMENTS)
        self.city_size = one_of("city_size", city_size, CITY_SIZES)
        self.rooftop_height = positive("rooftop_height", rooftop_height, "m")
        self.street_orientation = number("street_orientation", street_orientation, "degrees")
        if not 0.0 <= self.street_orientation <= 90.0:
            raise invalid("street_orientation", street_orientation, "from 0 to 90 degrees")
        self.street_width = positive("street_width", street_width, "m")
        self.buildings_extent = not_negative("buildings_extent", buildings_extent, "m")
        self.building_separation = positive("building_separation", building_separation, "m")
        self.wavelength = SPEED_OF_LIGHT / self.frequency
        self.mhz = self.frequency / 1e6
        self.metropolitan = self.environment == "urban" and self.city_size == "large"

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double base = a[2] if a[2] > b[2] else b[2]
        cdef double mobile = a[2] if a[2] < b[2] else b[2]
        cdef double distance = distance_of(a, b)
        cdef double above = base - self.rooftop_height
        cdef double free, street, screens
        # Antennas above the roofs see each other or do not, but not around a street's edge.
        if mobile <= 0.0 or mobile >= self.rooftop_height:
            return -INFINITY
        free = 32.4 + 20.0 * log10(distance / 1000.0) + 20.0 * log10(self.mhz)
        street = (
            -8.2 - 10.0 * log10(self.street_width) + 10.0 * log10(self.mhz)
            + 20.0 * log10(self.rooftop_height - mobile) + self.orientation_loss()
        )
        # Settled field distance: beyond it the rows of buildings do not matter one by one.
        if self.wavelength * distance * distance < self.buildings_extent * above * above:
            screens = self.screens_within(distance, above)
        else:
            screens = self.screens_beyond(distance, above)
        if street + screens > 0.0:
            free += street + screens
        return attenuated(tx_dbm, free)

    cdef double orientation_loss(self) noexcept:
        if self.street_orientation < 35.0:
            return -10.0 + 0.354 * self.street_orientation
        if self.street_orientation < 55.0:
            return 2.5 + 0.075 * (self.street_orientation - 35.0)
        return 4.0 - 0.114 * (self.street_orientation - 55.0)

    cdef double screens_within(self, double distance, double above) noexcept:
        """Multiple screen diffraction where the buildings extend beyond the settled field (dB)."""
        cdef double clearance = 0.0
        cdef double near, slope, spread
        if above > 0.0:
            clearance = -18.0 * log10(1.0 + above)
            near = 71.4 if self.mhz > 2000.0 else 54.0
            slope = 18.0
        else:
            near = 54.0 - (1.6 * above * distance / 1000.0 if distance < 500.0 else 0.8 * above)
            slope = 18.0 - 15.0 * above / self.rooftop_height
        if self.mhz > 2000.0:
            spread = -8.0
        else:
            spread = -4.0 + (1.5 if self.metropolitan else 0.7) * (self.mhz / 925.0 - 1.0)
        return (
            clearance + near + slope * log10(distance / 1000.0) + spread * log10(self.mhz)
            - 9.0 * log10(self.building_separation)
        )

    cdef double screens_beyond(self, double distance, double above) noexcept:
        """The same where the buildings end before."""
        cdef double gap = self.building_separation
        cdef double theta, factor
        if fabs(above) < 1.0:
            factor = gap / distance
        elif above > 0.0:
            factor = 2.35 * pow(above / distance * sqrt(gap / self.wavelength), 0.9)
        else:
            theta = atan(above / gap)
            factor = (
                gap / (2.0 * M_PI * distance)
                * sqrt(self.wavelength / sqrt(above * above + gap * gap))
                * (1.0 / theta - 1.0 / (2.0 * M_PI + theta))
            )
        return -10.0 * log10(factor * factor)


cdef inline double attenuated(double tx_dbm, double loss) noexcept:
    return tx_dbm - loss if loss > 0.0 else tx_dbm


def one_of(field, value, allowed):
    """Return a name if it is one of those allowed."""
    if value not in allowed:
        raise invalid(field, value, "one of " + ", ".join(repr(name) for name in allowed))
    return value
