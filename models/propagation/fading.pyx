"""Losses that are drawn: Nakagami fading and a random attenuation."""

from libc.math cimport floor, log10, pow
from libc.stdint cimport int64_t

from simcore.models.propagation.loss cimport PropagationLossModel, distance_of
from simcore.random.distribution cimport Distribution
from simcore.random.samplers cimport PolarPair, sample_erlang, sample_gamma
from simcore.random.stream cimport RandomStream

from simcore.models.mobility.checks import at_least, not_negative
from simcore.models.mobility.draws import drawn_from, quantity


cdef class NakagamiLoss(PropagationLossModel):
    """Nakagami-m fast fading: gamma-distributed power around the given one, drawn for each call.

    Shape m, mean equal to the power that comes in; m depends on the distance and m = 1 is Rayleigh
    fading. M. Nakagami, "The m-Distribution", 1960. Whole m are drawn as Erlang, others as gamma,
    which is the same distribution; the split makes draws comparable with ns-3's.

    Parameters
    ----------
    stream : RandomStream
        What the draws come from.
    distance1, distance2 : float
        Where the second and third field begin (m).
    m0, m1, m2 : float
        Shapes of the three fields, at least 0.5.
    erlang_stream : RandomStream, optional
        What draws of whole m come from; by default also `stream`. ns-3 uses two streams.
    """

    cdef readonly RandomStream stream
    cdef readonly RandomStream erlang_stream
    cdef readonly double distance1
    cdef readonly double distance2
    cdef readonly double m0
    cdef readonly double m1
    cdef readonly double m2
    cdef PolarPair pair            # waiting normal value of the gamma draws

    def __init__(
        self, RandomStream stream not None, distance1=80.0, distance2=200.0, m0=1.5, m1=0.75,
        m2=0.75, *, RandomStream erlang_stream=None,
    ):
        self.stream = stream
        self.erlang_stream = stream if erlang_stream is None else erlang_stream
        self.distance1 = not_negative("distance1", distance1, "m")
        self.distance2 = at_least("distance2", distance2, self.distance1, "m")
        # The Nakagami distribution is defined from m = 1/2 on.
        self.m0 = at_least("m0", m0, 0.5)
        self.m1 = at_least("m1", m1, 0.5)
        self.m2 = at_least("m2", m2, 0.5)
        self.deterministic = False

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef double distance = distance_of(a, b)
        cdef double m, power
        if distance < self.distance1:
            m = self.m0
        elif distance < self.distance2:
            m = self.m1
        else:
            m = self.m2
        power = pow(10.0, (tx_dbm - 30.0) / 10.0)
        if floor(m) == m:
            power = sample_erlang(&self.erlang_stream.generator, <int64_t>m, power / m)
        else:
            power = sample_gamma(&self.stream.generator, &self.pair, m, power / m)
        return 10.0 * log10(power) + 30.0


cdef class RandomLoss(PropagationLossModel):
    """A loss drawn anew for each call.

    Parameters
    ----------
    loss : float, str or Distribution
        dB.
    stream : RandomStream, optional
        What the draws come from, unless the distribution has a stream of its own.

    Raises
    ------
    ValueError
        If neither gives a stream and the loss is no constant.
    """

    cdef Distribution draws

    def __init__(self, loss=1.0, stream=None):
        self.draws = bound_draws("loss", loss, "dB", stream)
        self.deterministic = False

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        return tx_dbm - self.draws.draw_c()


def bound_draws(field, value, unit, stream):
    """Return the distribution that a parameter describes, ready to draw."""
    from simcore.random import Constant

    draws = quantity(field, value, unit)
    if stream is not None:
        draws = drawn_from(draws, stream)
    elif draws.stream is None and not isinstance(draws, Constant):
        raise ValueError(f"stream is None: {field} is {value!r}, which needs a RandomStream")
    return draws
