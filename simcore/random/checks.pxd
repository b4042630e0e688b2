"""Checks of parameters, shared by streams and distributions."""

from libc.stdint cimport int64_t


cdef int require_acceptance(double bound, double probability) except -1
cdef int require_bound(double bound) except -1
cdef int require_positive(str field, double value) except -1
cdef int require_finite(str field, double value) except -1
cdef int require_non_negative(str field, double value) except -1
cdef int require_probability(double value) except -1
cdef int require_range(double low, double high) except -1
cdef int require_zipf(int64_t n, double alpha) except -1
cdef int require_zeta(double alpha) except -1
cdef int require_exponential(double mean, double bound) except -1
cdef int require_normal(double mean, double std, double bound) except -1
cdef int require_pareto(double scale, double shape, double bound) except -1
cdef int require_weibull(double scale, double shape, double bound) except -1
cdef int require_laplacian(double location, double scale, double bound) except -1
cdef int require_triangular(double low, double high, double mode) except -1
cdef int require_erlang(int64_t k, double scale) except -1
cdef int require_integer_range(
    str low_field, int64_t low, str high_field, int64_t high
) except -1
cdef int require_binomial(int64_t trials, double probability) except -1
cdef int64_t to_int64(str field, value) except? -1
