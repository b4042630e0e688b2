"""Error rates of the 802.11b modulations in white Gaussian noise.

===========  =====================================================================================
mode         source
===========  =====================================================================================
1 Mb/s       DBPSK: Proakis, Digital Communications, 4th ed. 2001, equation 5.2-69
2 Mb/s       DQPSK: Ferrari and Corazza, "Tight bounds and accurate approximations for DQPSK
             transmission bit error rate", Electronics Letters 40(20), 2004, equation 8
5.5, 11 Mb/s CCK: Pursley and Royster, "Properties and performance of the IEEE 802.11b
             complementary-code-key signal sets", IEEE Trans. Communications 57(2), 2009,
             equations 18 and 17
===========  =====================================================================================

The signal spreads over 22 MHz (11 Mchip/s, 802.11-2020 15.4.5.4), hence Eb/N0 = SNR x 22 / rate.
"""

from libc.math cimport erfc, exp, fmax, log, log1p, sqrt
from libc.stdint cimport int64_t
from simcore.models.wifi.phy.mode cimport WifiMode

cdef double PI = 3.141592653589793
cdef double SQRT2 = 1.4142135623730951
cdef double SPREAD_HZ = 22e6

# Gauss-Legendre nodes and weights for 20 points (Abramowitz and Stegun, table 25.4); those of
# negative sign are the mirror image.
cdef double[10] NODES = [
    0.076526521133497334, 0.227785851141645078, 0.373706088715419561, 0.510867001950827098,
    0.636053680726515025, 0.746331906460150793, 0.839116971822218823, 0.912234428251325906,
    0.963971927277913791, 0.993128599185094925,
]
cdef double[10] WEIGHTS = [
    0.152753387130725851, 0.149172986472603747, 0.142096109318382051, 0.131688638449176627,
    0.118194531961518417, 0.101930119817240435, 0.083276741576704749, 0.062672048334109064,
    0.040601429800386941, 0.017614007139152118,
]
cdef enum:
    PANELS = 8
# The normal density is below 1e-22 outside of +-10.
cdef double TAIL = 10.0


cdef double _power(double error, double trials) noexcept:
    """(1 - error) ** trials, exact for small errors too."""
    if error >= 1.0:
        return 0.0
    return exp(trials * log1p(-error))


cdef inline double _integrand(double x, double beta) noexcept:
    """Normal density at x times the chance that one of 7 rivals exceeds x + beta in size."""
    cdef double u = erfc((x + beta) / SQRT2)
    cdef double v = 1.0 - u
    # 1 - v^7 without cancellation.
    cdef double loss = u * (1.0 + v * (1.0 + v * (1.0 + v * (1.0 + v * (1.0 + v * (1.0 + v))))))
    return loss * exp(-0.5 * x * x) / sqrt(2.0 * PI)


cdef double _integrate_symbol_error(double beta) noexcept:
    """Symbol error probability of 16 biorthogonal signals; beta = sqrt(2 Es/N0)."""
    cdef double low = fmax(-beta, -TAIL)
    cdef double half = (TAIL - low) / (2 * PANELS)
    cdef double centre, total = 0.0
    cdef int panel, i
    for panel in range(PANELS):
        centre = low + half * (2 * panel + 1)
        for i in range(10):
            total += WEIGHTS[i] * (
                _integrand(centre + half * NODES[i], beta)
                + _integrand(centre - half * NODES[i], beta)
            )
    # Below -beta the right signal has the wrong sign: always an error.
    return total * half + 0.5 * erfc(beta / SQRT2)


# The integral costs microseconds and is wanted for each 802.11b frame of a moving network: its
# logarithm, a smooth function of beta, is kept every 1/40 and interpolated with six points.
cdef enum:
    GRID_STEPS = 512
    GRID_MARGIN = 3
    GRID_PER_UNIT = 40

cdef double[GRID_STEPS + 2 * GRID_MARGIN] _log_symbol_error
cdef bint _grid_filled = False


cdef void _fill_grid() noexcept:
    global _grid_filled
    cdef int i
    for i in range(GRID_STEPS + 2 * GRID_MARGIN):
        _log_symbol_error[i] = log(
            _integrate_symbol_error((i - GRID_MARGIN) / <double> GRID_PER_UNIT)
        )
    _grid_filled = True


cdef double _cck16_symbol_error(double es_n0) noexcept:
    """Symbol error probability of 16 biorthogonal signals, within 1e-10 of its value.

    From 19 dB on it is below 1e-18 and given as 0.
    """
    cdef double position = sqrt(2.0 * es_n0) * GRID_PER_UNIT
    cdef int start
    cdef double t, a, b, c, d, e, f
    cdef const double* y
    if position >= GRID_STEPS:
        return 0.0
    if not _grid_filled:
        _fill_grid()
    start = <int> position
    t = position - start
    y = &_log_symbol_error[start + GRID_MARGIN - 2]
    # Lagrange's polynomial through the points at -2, -1, 0, 1, 2, 3 around t.
    a = t + 2.0
    b = t + 1.0
    c = t
    d = t - 1.0
    e = t - 2.0
    f = t - 3.0
    return exp(
        b * c * d * e * (a * y[5] - f * y[0]) / 120.0
        + a * c * d * f * (e * y[1] - b * y[4]) / 24.0
        + a * b * e * f * (c * y[3] - d * y[2]) / 12.0
    )


cdef double dsss_success_rate(WifiMode mode, double snr, int64_t nbits) noexcept:
    """Probability that `nbits` bits arrive without error at the linear SNR `snr`."""
    cdef double eb_n0 = snr * SPREAD_HZ / mode.base_rate_bps
    cdef double error
    if mode.base_rate_bps == 1000000:
        return _power(0.5 * exp(-eb_n0), <double> nbits)
    if mode.base_rate_bps == 2000000:
        error = (
            (SQRT2 + 1.0) / sqrt(8.0 * PI * SQRT2) / sqrt(eb_n0) * exp(-(2.0 - SQRT2) * eb_n0)
        )
        # The approximation grows without bound where there is no signal.
        return _power(error if error < 0.5 else 0.5, <double> nbits)
    if mode.base_rate_bps == 5500000:
        return _power(_cck16_symbol_error(2.0 * eb_n0), nbits / 4.0)
    # 256 codewords are two independent choices among 16: two of those per symbol of 8 bits.
    return _power(_cck16_symbol_error(2.0 * eb_n0), 2.0 * nbits / 8.0)
