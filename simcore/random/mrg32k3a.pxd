"""The generator MRG32k3a as a C struct and one inline function.

Recurrence and constants: P. L'Ecuyer, "Good Parameters and Implementations for Combined Multiple
Recursive Random Number Generators", Operations Research 47(1), 1999, figure 1.
"""

from libc.stdint cimport uint64_t

cdef extern from * nogil:
    """
    #define MRG_M1 4294967087ULL   /* 2^32 - 209, modulus of the first component */
    #define MRG_M2 4294944443ULL   /* 2^32 - 22853, modulus of the second component */
    #define MRG_A12 1403580ULL     /* first component, lag 2 */
    #define MRG_A13N 810728ULL     /* first component, lag 3, sign reversed */
    #define MRG_A21 527612ULL      /* second component, lag 1 */
    #define MRG_A23N 1370589ULL    /* second component, lag 3, sign reversed */
    #define MRG_NORM (1.0 / 4294967088.0)   /* 1 / (MRG_M1 + 1) */
    """
    const uint64_t MRG_M1
    const uint64_t MRG_M2
    const uint64_t MRG_A12
    const uint64_t MRG_A13N
    const uint64_t MRG_A21
    const uint64_t MRG_A23N
    const double MRG_NORM


cdef struct Mrg32k3a:
    uint64_t x[3]      # first component, oldest value first, each below MRG_M1
    uint64_t y[3]      # second component, oldest value first, each below MRG_M2
    bint antithetic    # give 1 - u in place of u


cdef inline double mrg_next(Mrg32k3a *g) noexcept nogil:
    """Advance by one step and return the next value, strictly between 0 and 1.

    Every sum stays below 2^54 and is non-negative, so one unsigned remainder by a constant does.
    """
    cdef uint64_t p = (MRG_A12 * g.x[1] + MRG_A13N * (MRG_M1 - g.x[0])) % MRG_M1
    cdef uint64_t q = (MRG_A21 * g.y[2] + MRG_A23N * (MRG_M2 - g.y[0])) % MRG_M2
    g.x[0] = g.x[1]
    g.x[1] = g.x[2]
    g.x[2] = p
    g.y[0] = g.y[1]
    g.y[1] = g.y[2]
    g.y[2] = q
    # The signed conversion is one instruction, the unsigned one several.
    cdef double u = <double> <long long> (p - q if p > q else p + MRG_M1 - q) * MRG_NORM
    if g.antithetic:
        return 1.0 - u
    return u
