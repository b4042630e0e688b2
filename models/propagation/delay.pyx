"""How long a signal travels."""

from libc.math cimport llrint
from libc.stdint cimport int64_t

from simcore.models.propagation.loss cimport distance_of, position_of
from simcore.random.distribution cimport Distribution
from simcore.simulator cimport MAX_TIME

from simcore.models.mobility.checks import not_negative, positive
from simcore.models.propagation.fading import bound_draws


cdef class PropagationDelayModel:
    """Delay from the positions of both ends."""

    def __cinit__(self, *args, **kwargs):
        self.deterministic = True

    cdef int64_t delay_c(self, const double* a, const double* b) except? -1:
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

    cdef int64_t delay_c(self, const double* a, const double* b) except? -1:
        return to_nanoseconds(distance_of(a, b) / self.speed)


cdef class RandomDelay(PropagationDelayModel):
    """A delay drawn anew for each call; negative draws count as 0.

    Parameters
    ----------
    delay : float, str or Distribution
        s.
    stream : RandomStream, optional
        What the draws come from, unless the distribution has a stream of its own.

    Raises
    ------
    ValueError
        If neither gives a stream and the delay is no constant, or the constant is negative.
    """

    cdef Distribution draws

    def __init__(self, delay=1.0, stream=None):
        if not isinstance(delay, (str, Distribution)):
            delay = not_negative("delay", delay, "s")
        self.draws = bound_draws("delay", delay, "s", stream)
        self.deterministic = False

    cdef int64_t delay_c(self, const double* a, const double* b) except? -1:
        cdef double delay = self.draws.draw_c()
        return to_nanoseconds(delay) if delay > 0.0 else 0


cdef inline int64_t to_nanoseconds(double seconds) noexcept:
    """Rounded to nearest; what does not fit is the end of time."""
    cdef double delay = seconds * 1e9
    return llrint(delay) if delay < 9.2e18 else MAX_TIME
