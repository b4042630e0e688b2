"""How long a signal travels."""

from libc.math cimport llrint
from libc.stdint cimport int64_t

from simcore.models.propagation.loss cimport distance_of, position_of
from simcore.simulator cimport MAX_TIME

from simcore.models.mobility.checks import positive


cdef class PropagationDelayModel:
    """Delay from the positions of both ends."""

    cdef int64_t delay_c(self, const double* a, const double* b) noexcept:
        return 0

    def delay(self, a, b):
        """Return the delay between two ends.

        Parameters
        ----------
        a, b : MobilityModel or tuple of float
            Both ends, as models (their positions now) or coordinates in m.

        Returns
        -------
        int
            Nanoseconds, rounded to nearest.
        """
        cdef double p[3]
        cdef double q[3]
        position_of("a", a, p)
        position_of("b", b, q)
        return self.delay_c(p, q)


cdef class ConstantSpeedDelay(PropagationDelayModel):
    """Distance over a constant speed.

    Parameters
    ----------
    speed : float
        m/s; the default is the speed of light in vacuum.
    """

    cdef readonly double speed

    def __init__(self, speed=299792458.0):
        self.speed = positive("speed", speed, "m/s")

    cdef int64_t delay_c(self, const double* a, const double* b) noexcept:
        return to_nanoseconds(distance_of(a, b) / self.speed)


cdef inline int64_t to_nanoseconds(double seconds) noexcept:
    """Rounded to nearest; what does not fit is the end of time."""
    cdef double delay = seconds * 1e9
    return llrint(delay) if delay < 9.2e18 else MAX_TIME
