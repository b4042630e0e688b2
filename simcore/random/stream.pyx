"""Random streams: MRG32k3a with streams and substreams, numbered as in ns-3.

A family of streams is fixed by its seed. Stream n starts n x 2^127 steps, run r of it another
r x 2^76 steps into the generator's period of about 2^191: P. L'Ecuyer, R. Simard, E. J. Chen,
W. D. Kelton, "An Object-Oriented Random-Number Package with Many Long Streams and Substreams",
Operations Research 50(6), 2002. The jumps multiply the state by powers of the transition matrices,
computed when the module loads.
"""

cimport cython
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport INT64_MAX, int64_t, uint64_t

from simcore.random.checks cimport (
    require_binomial, require_erlang, require_exponential, require_finite, require_integer_range,
    require_laplacian, require_non_negative, require_normal, require_pareto, require_positive,
    require_probability, require_range, require_triangular, require_weibull, require_zeta,
    require_zipf, to_int64,
)
from simcore.random.mrg32k3a cimport (
    MRG_A12, MRG_A13N, MRG_A21, MRG_A23N, MRG_M1, MRG_M2, Mrg32k3a, mrg_next,
)
from simcore.random.samplers cimport (
    sample_bernoulli, sample_binomial, sample_erlang, sample_exponential_bounded, sample_gamma,
    sample_integer, sample_laplacian, sample_largest_extreme_value, sample_lognormal,
    sample_normal, sample_pareto, sample_triangular, sample_uniform, sample_weibull, sample_zeta,
    sample_zipf,
)

from simcore.random.checks import integer_between

MAX_SEED = 4294944442
"""Largest seed: one less than the smaller of the two moduli."""

MAX_STREAM = (1 << 64) - 1
"""Largest stream number."""

MAX_RUN = (1 << 51) - 1
"""Largest run: a stream of 2^127 values holds 2^51 substreams of 2^76."""

cdef enum:
    STREAM_SHIFT = 127   # a stream is 2^127 steps long
    RUN_SHIFT = 76       # a run is 2^76 steps long
    POWERS = 191         # jumps of 2^0 .. 2^190 steps

ctypedef uint64_t Matrix[3][3]

cdef Matrix JUMP_X[POWERS]
cdef Matrix JUMP_Y[POWERS]


cdef void square(Matrix source, Matrix target, uint64_t modulus) noexcept nogil:
    cdef int row, column, k
    cdef uint64_t total
    for row in range(3):
        for column in range(3):
            total = 0
            for k in range(3):
                # Both factors are below 2^32.
                total += source[row][k] * source[k][column] % modulus
            target[row][column] = total % modulus


cdef void multiply(Matrix matrix, uint64_t *vector, uint64_t modulus) noexcept nogil:
    cdef uint64_t result[3]
    cdef int row, k
    cdef uint64_t total
    for row in range(3):
        total = 0
        for k in range(3):
            total += matrix[row][k] * vector[k] % modulus
        result[row] = total % modulus
    for row in range(3):
        vector[row] = result[row]


cdef void fill_jump_tables() noexcept nogil:
    """Set JUMP_X[e], JUMP_Y[e] to the one-step matrices raised to the power 2^e."""
    cdef int row, column, power
    for row in range(3):
        for column in range(3):
            JUMP_X[0][row][column] = 1 if column == row + 1 else 0
            JUMP_Y[0][row][column] = 1 if column == row + 1 else 0
    JUMP_X[0][2][0] = MRG_M1 - MRG_A13N
    JUMP_X[0][2][1] = MRG_A12
    JUMP_Y[0][2][0] = MRG_M2 - MRG_A23N
    JUMP_Y[0][2][2] = MRG_A21
    for power in range(1, POWERS):
        square(JUMP_X[power - 1], JUMP_X[power], MRG_M1)
        square(JUMP_Y[power - 1], JUMP_Y[power], MRG_M2)


cdef void jump(Mrg32k3a *generator, uint64_t count, int shift) noexcept nogil:
    """Advance by count x 2^shift steps."""
    cdef int bit
    for bit in range(64):
        if (count >> bit) & 1:
            multiply(JUMP_X[shift + bit], generator.x, MRG_M1)
            multiply(JUMP_Y[shift + bit], generator.y, MRG_M2)


fill_jump_tables()


@cython.final
cdef class RandomStream:
    """One sequence of random values, independent of every other stream.

    Parameters
    ----------
    seed : int
        Seed of the family of streams, from 1 to `MAX_SEED`.
    number : int
        Number of the stream in the family, from 0 to `MAX_STREAM`. What ns-3 calls
        ``SetStream(n)`` is number 2^63 + n; `RandomManager.stream` does that sum.
    run : int
        Substream, from 0 to `MAX_RUN`. Use another run, not another seed, to repeat an experiment.
    antithetic : bool
        Draw from 1 - u where the plain stream draws from u.

    Raises
    ------
    ValueError
        If seed, number or run is out of range.

    Notes
    -----
    U(0,1) values are the same bits on every machine and agree with ns-3's. Other distributions go
    through the C library's ``log``, ``exp`` and ``pow`` and may differ in the last bit between C
    libraries. Normal, log-normal and gamma draws of one stream share one spare normal value.
    """

    def __cinit__(self, *args, **kwargs):
        # From the state of all zeros, bounded draws would never end.
        cdef int lag
        self.seed = 1
        for lag in range(3):
            self.generator.x[lag] = self.seed
            self.generator.y[lag] = self.seed

    def __init__(self, seed=1, number=0, run=1, *, antithetic=False):
        self.seed = integer_between("seed", seed, 1, MAX_SEED)
        self.number = integer_between("number", number, 0, MAX_STREAM)
        self.run = integer_between("run", run, 0, MAX_RUN)
        self.generator.antithetic = bool(antithetic)
        self.reset()

    def reset(self):
        """Go back to the start of the sequence."""
        cdef int lag
        for lag in range(3):
            self.generator.x[lag] = self.seed
            self.generator.y[lag] = self.seed
        jump(&self.generator, self.number, STREAM_SHIFT)
        jump(&self.generator, self.run, RUN_SHIFT)
        self.pair.held = False

    @property
    def antithetic(self):
        """Whether values are drawn from 1 - u."""
        return self.generator.antithetic != 0

    @property
    def state(self):
        """The six integers of the generator's state, oldest first in each component."""
        cdef Mrg32k3a *g = &self.generator
        return (g.x[0], g.x[1], g.x[2], g.y[0], g.y[1], g.y[2])

    def __repr__(self):
        extra = ", antithetic=True" if self.antithetic else ""
        return f"RandomStream(seed={self.seed}, number={self.number}, run={self.run}{extra})"

    def __reduce__(self):
        arguments = (self.seed, self.number, self.run, self.antithetic)
        spare = (self.pair.held, self.pair.ordinate, self.pair.factor)
        return restore_stream, (arguments, self.state, spare)

    def random(self):
        """Return a value strictly between 0 and 1."""
        return mrg_next(&self.generator)

    def uniform(self, double a=0.0, double b=1.0):
        """Return a real value between `a` and `b`, ``a <= b``."""
        if not (a <= b and isfinite(b - a)):
            require_range(a, b)
        return sample_uniform(&self.generator, a, b)

    def integer(self, low, high):
        """Return an integer from `low` to `high`, both included; ``high - low < 2**53``."""
        cdef int64_t first = to_int64("low", low)
        cdef int64_t last = to_int64("high", high)
        require_integer_range("low", first, "high", last)
        return sample_integer(&self.generator, first, last)

    def exponential(self, double mean, double bound=0.0):
        """Return an exponential value; values above `bound` are drawn again (0: no bound)."""
        if bound != 0.0 or not 0.0 < mean < INFINITY:
            require_exponential(mean, bound)
        return sample_exponential_bounded(&self.generator, mean, bound)

    def normal(self, double mean=0.0, double std=1.0, double bound=INFINITY):
        """Return a normal value; values farther than `bound` from the mean are drawn again."""
        require_normal(mean, std, bound)
        return sample_normal(&self.generator, &self.pair, mean, std, bound)

    def lognormal(self, double mu=0.0, double sigma=1.0):
        """Return exp(X), X normal with mean `mu` and standard deviation `sigma`."""
        require_finite("mu", mu)
        require_non_negative("sigma", sigma)
        return sample_lognormal(&self.generator, &self.pair, mu, sigma)

    def pareto(self, double scale=1.0, double shape=2.0, double bound=0.0):
        """Return a Pareto value of at least `scale`; above `bound`: drawn again (0: no bound)."""
        require_pareto(scale, shape, bound)
        return sample_pareto(&self.generator, scale, shape, bound)

    def weibull(self, double scale=1.0, double shape=1.0, double bound=0.0):
        """Return a Weibull value; values above `bound` are drawn again (0: no bound)."""
        require_weibull(scale, shape, bound)
        return sample_weibull(&self.generator, scale, shape, bound)

    def gamma(self, double alpha=1.0, double beta=1.0):
        """Return a gamma value of shape `alpha` and scale `beta` (mean alpha x beta)."""
        require_positive("alpha", alpha)
        require_positive("beta", beta)
        return sample_gamma(&self.generator, &self.pair, alpha, beta)

    def erlang(self, k=1, double scale=1.0):
        """Return the sum of `k` exponential values of mean `scale`, in O(k); ``k <= 10**8``."""
        cdef int64_t stages = to_int64("k", k)
        require_erlang(stages, scale)
        return sample_erlang(&self.generator, stages, scale)

    def triangular(self, double min=0.0, double max=1.0, mode=None):
        """Return a triangular value between `min` and `max`; `mode` defaults to the middle."""
        cdef double peak = 0.5 * (min + max) if mode is None else mode
        require_triangular(min, max, peak)
        return sample_triangular(&self.generator, min, max, peak)

    def zipf(self, n, double alpha):
        """Return a rank from 1 to `n` with probability proportional to rank^-alpha.

        In O(n); ``n <= 10**8``.
        """
        cdef int64_t ranks = to_int64("n", n)
        require_zipf(ranks, alpha)
        return <int64_t> sample_zipf(&self.generator, ranks, alpha)

    def zeta(self, double alpha):
        """Return an integer k >= 1 with probability proportional to k^-alpha.

        ``1.001 <= alpha <= 1000``.
        """
        require_zeta(alpha)
        return int(sample_zeta(&self.generator, alpha))

    def bernoulli(self, double probability=0.5):
        """Return 1 with the given probability, else 0."""
        require_probability(probability)
        return <int> sample_bernoulli(&self.generator, probability)

    def binomial(self, trials, double probability=0.5):
        """Return the number of successes in `trials`, in O(trials); ``trials <= 10**8``."""
        cdef int64_t count = to_int64("trials", trials)
        require_binomial(count, probability)
        return <int64_t> sample_binomial(&self.generator, count, probability)

    def laplacian(self, double location=0.0, double scale=1.0, double bound=0.0):
        """Return a Laplacian value; farther than `bound` from its location: drawn again (0: no)."""
        require_laplacian(location, scale, bound)
        return sample_laplacian(&self.generator, location, scale, bound)

    def largest_extreme_value(self, double location=0.0, double scale=1.0):
        """Return a Gumbel (largest extreme value, type I) value."""
        require_finite("location", location)
        require_positive("scale", scale)
        return sample_largest_extreme_value(&self.generator, location, scale)

    def uniform_array(self, n, double a=0.0, double b=1.0):
        """Return `n` draws of `uniform` as a float64 array."""
        require_range(a, b)
        values = empty_array(n, "float64")
        cdef double[::1] view = values
        cdef Py_ssize_t i
        for i in range(view.shape[0]):
            view[i] = sample_uniform(&self.generator, a, b)
        return values

    def integer_array(self, n, low, high):
        """Return `n` draws of `integer` as an int64 array."""
        cdef int64_t first = to_int64("low", low)
        cdef int64_t last = to_int64("high", high)
        require_integer_range("low", first, "high", last)
        values = empty_array(n, "int64")
        cdef int64_t[::1] view = values
        cdef Py_ssize_t i
        for i in range(view.shape[0]):
            view[i] = sample_integer(&self.generator, first, last)
        return values

    def exponential_array(self, n, double mean, double bound=0.0):
        """Return `n` draws of `exponential` as a float64 array."""
        require_exponential(mean, bound)
        values = empty_array(n, "float64")
        cdef double[::1] view = values
        cdef Py_ssize_t i
        for i in range(view.shape[0]):
            view[i] = sample_exponential_bounded(&self.generator, mean, bound)
        return values

    def normal_array(self, n, double mean=0.0, double std=1.0, double bound=INFINITY):
        """Return `n` draws of `normal` as a float64 array."""
        require_normal(mean, std, bound)
        values = empty_array(n, "float64")
        cdef double[::1] view = values
        cdef Py_ssize_t i
        for i in range(view.shape[0]):
            view[i] = sample_normal(&self.generator, &self.pair, mean, std, bound)
        return values


def empty_array(n, dtype):
    """Return an uninitialised one-dimensional array; numpy is imported only here."""
    import numpy
    return numpy.empty(integer_between("n", n, 0, INT64_MAX), dtype)


def restore_stream(arguments, state, spare):
    """Rebuild a pickled stream at the point where it stood."""
    seed, number, run, antithetic = arguments
    cdef RandomStream stream = RandomStream(seed, number, run, antithetic=antithetic)
    cdef int lag
    for lag in range(3):
        stream.generator.x[lag] = state[lag]
        stream.generator.y[lag] = state[3 + lag]
    stream.pair.held, stream.pair.ordinate, stream.pair.factor = spare
    return stream


def sum_of_draws(RandomStream stream not None, Py_ssize_t count):
    """Return the sum of `count` U(0,1) values drawn at C speed (benchmarks and tests)."""
    cdef double total = 0.0
    cdef Py_ssize_t _i
    for _i in range(count):
        total += mrg_next(&stream.generator)
    return total
