# cython: auto_pickle=False
"""Distribution: the common face of everything that draws random values."""

from simcore.random.checks import integer_between


cdef class Distribution:
    """A random variable: parameters, and the stream that its values come from.

    Subclass it in Python and define ``draw`` to add a distribution of your own; compiled models
    then call that method. The subclasses that come with simcore are compiled.

    Parameters
    ----------
    stream : RandomStream, optional
        Stream to draw from. A distribution without one describes a random variable (in a scenario,
        say); `bind` or `copy` give it a stream before the first draw.
    """

    def __init__(self, *, stream=None):
        self.bind(stream)

    def bind(self, RandomStream stream):
        """Draw from `stream` from now on (None: from nowhere) and return the distribution."""
        self.stream = stream
        self.generator = NULL if stream is None else &stream.generator
        self.forget()
        if stream is not None:
            self.bind_parts(stream)
        return self

    def copy(self, RandomStream stream=None):
        """Return a new distribution with the same parameters, bound to `stream`."""
        parameters = {
            name: value.copy() if isinstance(value, Distribution) else value
            for name, value in self.parameters.items()
        }
        return type(self)(**parameters, stream=stream)

    def draw(self):
        """Return one value, a float.

        Raises
        ------
        RuntimeError
            If the distribution needs a stream and has none.
        """
        return self.draw_c()

    def draw_array(self, n):
        """Return `n` values as a float64 array, the same that `n` calls of `draw` would give."""
        import numpy
        values = numpy.empty(integer_between("n", n, 0, (1 << 63) - 1), "float64")
        cdef double[::1] view = values
        cdef Py_ssize_t i
        for i in range(view.shape[0]):
            view[i] = self.draw_c()
        return values

    @property
    def parameters(self):
        """The parameters by name, as the constructor takes them."""
        return {}

    @property
    def mean(self):
        """Expected value; infinite where it diverges, NaN where it is not known."""
        return float("nan")

    @property
    def variance(self):
        """Variance; infinite where it diverges, NaN where it is not known."""
        return float("nan")

    def __repr__(self):
        inner = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({inner})"

    def __reduce__(self):
        # A pickle carries the description only; streams belong to a simulation.
        return rebuild, (type(self), self.parameters)

    cdef double draw_c(self) except? -1.0:
        if type(self).draw is Distribution.draw:
            raise NotImplementedError(f"{type(self).__name__} does not define draw()")
        return self.draw()

    cdef void forget(self) noexcept:
        pass

    cdef int bind_parts(self, RandomStream stream) except -1:
        return 0


def rebuild(cls, parameters):
    """Rebuild a pickled distribution, without a stream."""
    return cls(**parameters)
