"""RandomStream as compiled models see it.

Models hold a `RandomStream` and call the `cdef` methods; none allocates, raises or checks, so the
caller has validated the parameters. The class is final: the calls are direct or inlined.
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t

from simcore.random.mrg32k3a cimport Mrg32k3a, mrg_next
from simcore.random.samplers cimport (
    PolarPair, sample_exponential, sample_exponential_bounded, sample_integer, sample_normal,
    sample_uniform,
)


@cython.final
cdef class RandomStream:
    cdef Mrg32k3a generator        # where the sequence stands
    cdef PolarPair pair            # the waiting normal value, if any
    cdef readonly uint32_t seed    # of the family of streams
    cdef readonly uint64_t number  # of this stream within the family
    cdef readonly uint64_t run     # substream of this stream

    # U(0,1), both ends excluded.
    cdef inline double next_double(self) noexcept nogil:
        return mrg_next(&self.generator)

    # Real value from a to b.
    cdef inline double uniform_c(self, double a, double b) noexcept nogil:
        return sample_uniform(&self.generator, a, b)

    # Integer from low to high, both included; high - low below 2^53.
    cdef inline int64_t integer_c(self, int64_t low, int64_t high) noexcept nogil:
        return sample_integer(&self.generator, low, high)

    cdef inline double exponential_c(self, double mean) noexcept nogil:
        return sample_exponential(&self.generator, mean)

    # Values above bound are drawn again; 0 means no bound.
    cdef inline double exponential_bounded_c(self, double mean, double bound) noexcept nogil:
        return sample_exponential_bounded(&self.generator, mean, bound)

    # Values farther than bound from the mean are drawn again; INFINITY means no bound.
    cdef inline double normal_c(self, double mean, double std, double bound) noexcept nogil:
        return sample_normal(&self.generator, &self.pair, mean, std, bound)
