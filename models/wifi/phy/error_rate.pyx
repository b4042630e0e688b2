"""Probability that bits of a PPDU arrive without error, given the signal to noise ratio.

DSSS and CCK modes are the same in every model (`dsss_error_rate`); OFDM modes differ by model.
The cdef methods are for compiled callers; `frame_success` and `curve` are their Python face.
"""

from libc.math cimport erfc, exp, floor, isnan, log1p, log2, log10, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from simcore.models.wifi.phy.dsss_error_rate cimport dsss_success_rate
from simcore.models.wifi.phy.mode cimport (
    MOD_HR_DSSS,
    MOD_HT,
    WifiMode,
)
from simcore.models.wifi.phy.txvector cimport TxVector


cdef double _power(double error, double trials) noexcept:
    """(1 - error) ** trials, exact for small errors too."""
    if error >= 1.0:
        return 0.0
    return exp(trials * log1p(-error))


cdef class ErrorRateModel:
    """Base of the error rate models; not to be used itself.

    Compiled models derive from it and override ``ofdm_success_rate``.
    """

    cdef double ofdm_success_rate(
        self, WifiMode mode, TxVector v, double snr, int64_t nbits
    ) noexcept:
        return 0.0

    cdef double chunk_success_rate(
        self, WifiMode mode, TxVector v, double snr, int64_t nbits
    ) noexcept:
        if nbits <= 0:
            return 1.0
        if isnan(snr) or snr <= 0.0:
            return 0.0
        if mode.modulation <= MOD_HR_DSSS:
            return dsss_success_rate(mode, snr, nbits)
        return self.ofdm_success_rate(mode, v, snr, nbits)

    cdef double success_rate(self, TxVector v, double snr, int64_t nbits) noexcept:
        return self.chunk_success_rate(v.mode, v, snr, nbits)

    def frame_success(
        self, TxVector v not None, double snr, int64_t nbits, WifiMode mode=None
    ) -> float:
        """Probability that `nbits` consecutive bits arrive without error.

        Parameters
        ----------
        v : TxVector
            How the PPDU is sent.
        snr : float
            Signal to noise and interference ratio, linear.
        nbits : int
            Number of data bits, at least 0.
        mode : WifiMode, optional
            Mode of these bits where it is not that of the payload (header fields).

        Raises
        ------
        ValueError
            A negative or undefined `snr`, or a negative `nbits`.
        """
        if isnan(snr) or snr < 0.0:
            raise ValueError(f"snr={snr!r} is not a signal to noise ratio: use a number >= 0")
        if nbits < 0:
            raise ValueError(f"nbits={nbits} is negative")
        return self.chunk_success_rate(v.mode if mode is None else mode, v, snr, nbits)

    def curve(self, TxVector v not None, snr_db, int64_t nbits):
        """Probabilities of success for an array of SNR values in dB, as a numpy array."""
        import numpy

        ratios = 10.0 ** (numpy.asarray(snr_db, dtype=float) / 10.0)
        return numpy.array(
            [self.frame_success(v, snr, nbits) for snr in ratios.ravel().tolist()]
        ).reshape(ratios.shape)

    def snr_for_ber(self, TxVector v not None, double ber) -> float:
        """The linear SNR at which one bit is in error with probability `ber`.

        Raises
        ------
        ValueError
            `ber` is not between 0 and 0.5.
        """
        if not 0.0 < ber < 0.5:
            raise ValueError(f"ber={ber!r} is not a bit error rate: use a number in (0, 0.5)")
        return snr_for_error_rate(self, v, ber, 1)


cdef class NistErrorRateModel(ErrorRateModel):
    """OFDM error rates by a union bound over soft-decision Viterbi decoding.

    Source: Pei and Henderson, "Validation of OFDM error rate model in ns-3", 2010, after Miller,
    "Validation of 802.11a/UWB coexistence simulation", NIST, 2003. Distance spectra of the
    punctured codes: Frenger et al., "Multi-rate convolutional codes", 1998 (1/2, 2/3, 3/4);
    Haccoun and Begin, "High-rate punctured convolutional codes for Viterbi and sequential
    decoding", IEEE Trans. Communications 37(11), 1989 (5/6).
    """

    cdef double ofdm_success_rate(
        self, WifiMode mode, TxVector v, double snr, int64_t nbits
    ) noexcept:
        cdef double side, ber
        if mode.constellation_size == 2:
            ber = 0.5 * erfc(sqrt(snr))
        elif mode.constellation_size == 4:
            ber = 0.5 * erfc(sqrt(snr / 2.0))
        else:
            side = sqrt(<double> mode.constellation_size)
            ber = (side - 1.0) / (side * log2(side)) * erfc(
                sqrt(snr / (2.0 * (mode.constellation_size - 1) / 3.0))
            )
        if ber == 0.0:
            return 1.0
        return _power(_union_bound(ber, mode.code_rate_num), <double> nbits)


# Weights of the error events by distance, from the free distance of each code on.
cdef double[9] SPECTRUM_1_2 = [
    36.0, 211.0, 1404.0, 11633.0, 77433.0, 502690.0, 3322763.0, 21292910.0, 134365911.0,
]
cdef double[10] SPECTRUM_2_3 = [
    3.0, 70.0, 285.0, 1276.0, 6160.0, 27128.0, 117019.0, 498860.0, 2103891.0, 8784123.0,
]
cdef double[10] SPECTRUM_3_4 = [
    42.0, 201.0, 1492.0, 10469.0, 62935.0, 379644.0, 2253373.0, 13073811.0, 75152755.0,
    428005675.0,
]
cdef double[10] SPECTRUM_5_6 = [
    92.0, 528.0, 8694.0, 79453.0, 792114.0, 7375573.0, 67884974.0, 610875423.0, 5427275376.0,
    47664215639.0,
]


cdef double _horner(const double* spectrum, int count, double x) noexcept:
    cdef double total = 0.0
    cdef int i
    for i in range(count - 1, -1, -1):
        total = total * x + spectrum[i]
    return total


cdef double _union_bound(double ber, int rate_num) noexcept:
    """Probability of a decoding error per bit by the Chernoff bound D = sqrt(4p(1-p))."""
    cdef double square = 4.0 * ber * (1.0 - ber)
    cdef double fourth = square * square
    cdef double d = sqrt(square)
    if rate_num == 1:
        # Only even distances occur in the code of rate 1/2.
        return 0.5 * fourth * fourth * square * _horner(SPECTRUM_1_2, 9, square)
    if rate_num == 2:
        return fourth * square * _horner(SPECTRUM_2_3, 10, d) / 4.0
    if rate_num == 3:
        return fourth * d * _horner(SPECTRUM_3_4, 10, d) / 6.0
    return fourth * _horner(SPECTRUM_5_6, 10, d) / 10.0


cdef class YansErrorRateModel(ErrorRateModel):
    """OFDM error rates by the first terms of a bound over hard-decision Viterbi decoding.

    Source: Lacage and Henderson, "Yet another network simulator", WNS2 2006; bit error rates of
    M-QAM: Proakis, Digital Communications, 5.2-79; free distances and weights: Frenger et al.,
    "Multi-rate convolutional codes", 1998. As in ns-3, Eb/N0 is taken over the coded rate and the
    whole channel width, and the last term of each distance (all bits in error) is left out.
    """

    cdef double ofdm_success_rate(
        self, WifiMode mode, TxVector v, double snr, int64_t nbits
    ) noexcept:
        cdef int width = v.width_mhz
        cdef int64_t rate
        cdef double eb_n0, ber, z, bits, error
        if mode is v.mode:
            rate = v.rate_bps
        else:
            # Header fields fill 20 MHz and are repeated over wider channels.
            rate = mode.rate(width if width < 40 else 20, 800, 1)
        rate = rate * mode.code_rate_den // mode.code_rate_num
        eb_n0 = snr * width * 1e6 / rate
        if mode.constellation_size == 2:
            ber = 0.5 * erfc(sqrt(eb_n0))
        else:
            bits = mode.bits_per_symbol
            z = (1.0 - 1.0 / sqrt(<double> mode.constellation_size)) * erfc(
                sqrt(1.5 * bits * eb_n0 / (mode.constellation_size - 1.0))
            )
            ber = z * (2.0 - z) / bits
        if ber == 0.0:
            return 1.0
        if mode.code_rate_num == 1:
            error = 11.0 * _pairwise_error(ber, 10)
        elif mode.code_rate_num == 2:
            error = _pairwise_error(ber, 6) + 16.0 * _pairwise_error(ber, 7)
        elif mode.code_rate_num == 3:
            error = 8.0 * _pairwise_error(ber, 5)
            if mode.constellation_size > 2:
                error += 31.0 * _pairwise_error(ber, 6)
        else:
            error = 14.0 * _pairwise_error(ber, 4) + 69.0 * _pairwise_error(ber, 5)
        return _power(error, <double> nbits)


cdef double _pairwise_error(double p, int distance) noexcept:
    """Probability that a path at this Hamming distance wins: more than half of the bits wrong."""
    cdef double odds = p / (1.0 - p)
    cdef double term = 1.0
    cdef double total = 0.0
    cdef int k, _k
    for _k in range(distance):
        term *= 1.0 - p
    for k in range(distance):
        if 2 * k == distance:
            total += 0.5 * term
        elif 2 * k > distance:
            total += term
        term *= odds * (distance - k) / (k + 1)
    return total


cdef enum:
    BCC_SMALL = 0       # 32 bytes
    BCC_LARGE = 1       # 1458 bytes
    LDPC = 2            # 1458 bytes
    TABLES = 3
    TABLE_MCS = 12
    STEPS_PER_DB = 100

cdef int[TABLES] TABLE_BYTES = [32, 1458, 1458]


cdef struct PerTable:
    int first           # SNR of values[0] in steps; PER is 1 below
    int count           # 0: there is no table
    double* values


cdef PerTable[TABLES][TABLE_MCS] _per_tables
cdef bint _per_tables_loaded = False


cdef void _load_per_tables() except *:
    """Lay out the packaged tables with one value per 0.01 dB. They live as long as the process."""
    global _per_tables_loaded
    from simcore.models.wifi.phy.per_tables import read_per_tables

    cdef PerTable* table
    cdef int index, last, step, i
    for (coding, size, mcs), points in read_per_tables().items():
        index = LDPC if coding == "LDPC" else (BCC_SMALL if size == 32 else BCC_LARGE)
        table = &_per_tables[index][mcs]
        steps = [round(snr_db * STEPS_PER_DB) for snr_db, _ in points]
        table.first = steps[0]
        last = steps[len(steps) - 1]
        table.values = <double*> malloc((last - table.first + 1) * sizeof(double))
        if table.values == NULL:
            raise MemoryError("no memory for the packet error rate tables")
        for i in range(len(steps) - 1):
            low = points[i][1]
            high = points[i + 1][1]
            for step in range(steps[i], steps[i + 1]):
                table.values[step - table.first] = low + (step - steps[i]) * (high - low) / (
                    steps[i + 1] - steps[i]
                )
        table.values[last - table.first] = points[len(points) - 1][1]
        table.count = last - table.first + 1
    _per_tables_loaded = True


cdef int _table_mcs(WifiMode mode) noexcept:
    """Row of the tables for a mode, -1 if there is none."""
    if mode.modulation == MOD_HT:
        return mode.mcs % 8
    if mode.modulation > MOD_HT:
        return mode.mcs
    # 802.11-2020 table 17-4 against 19-27: the same pairs of constellation and code rate.
    if mode.constellation_size == 2:
        return 0 if mode.code_rate_num == 1 else -1
    if mode.constellation_size == 4:
        return 1 if mode.code_rate_num == 1 else 2
    if mode.constellation_size == 16:
        return 3 if mode.code_rate_num == 1 else 4
    return 5 if mode.code_rate_num == 2 else 6


cdef class TableBasedErrorRateModel(ErrorRateModel):
    """OFDM error rates interpolated in tables made by link simulation.

    Source: Patidar, Roy, Henderson and Chandramohan, "Link-to-system mapping for ns-3 Wi-Fi OFDM
    error models", WNS3 2017. The tables hold the packet error rate of 32 and 1458 bytes with the
    convolutional code, 1458 bytes with LDPC, in white Gaussian noise. SNR is rounded to 0.01 dB
    and the rate interpolated linearly; other sizes by 1 - (1 - PER)^(size / table size)
    (IEEE 802.11-14/0803r1). Rates below 1e-5 count as 0. Modes without a table (BPSK 3/4, above
    MCS 9 without and MCS 11 with LDPC) fall back to `YansErrorRateModel`.

    Parameters
    ----------
    size_threshold : int
        Frames of this many bytes or more use the table for 1458 bytes.
    """

    def __init__(self, size_threshold: int = 400) -> None:
        if size_threshold < 0:
            raise ValueError(f"size_threshold={size_threshold} is negative")
        self.size_threshold = size_threshold
        self.fallback = YansErrorRateModel()
        if not _per_tables_loaded:
            _load_per_tables()

    cdef double ofdm_success_rate(
        self, WifiMode mode, TxVector v, double snr, int64_t nbits
    ) noexcept:
        cdef int mcs = _table_mcs(mode)
        cdef int64_t size = nbits // 8
        cdef int index
        cdef double step, per
        cdef PerTable* table
        if size < 1:
            size = 1
        if v.ldpc:
            index = LDPC
        elif size < self.size_threshold:
            index = BCC_SMALL
        else:
            index = BCC_LARGE
        if not 0 <= mcs < TABLE_MCS or _per_tables[index][mcs].count == 0:
            return self.fallback.ofdm_success_rate(mode, v, snr, nbits)
        table = &_per_tables[index][mcs]
        step = floor(10.0 * log10(snr) * STEPS_PER_DB + 0.5) - table.first
        if step < 0.0:
            per = 1.0
        elif step >= table.count:
            per = 0.0
        else:
            per = table.values[<int> step]
        if size != TABLE_BYTES[index]:
            per = 1.0 - _power(per, (<double> size) / TABLE_BYTES[index])
        if per < 1e-5:
            return 1.0
        return 1.0 - per


cdef class CachedErrorRateModel(ErrorRateModel):
    """Remembers the results of another model; they are the same bits.

    A direct-mapped table keyed by mode, vector, SNR and number of bits: in a network that stands
    still the same few thousand combinations come back for ever.

    Parameters
    ----------
    model : ErrorRateModel
        Model that computes what is not remembered.
    entries : int
        Size of the table (32 bytes each); a power of two.

    Attributes
    ----------
    hits, misses : int
        Results remembered and computed so far.
    """

    def __cinit__(self, ErrorRateModel model not None, entries: int = 4096):
        if entries < 1 or entries & (entries - 1):
            raise ValueError(f"entries={entries} is not a power of two")
        self.model = model
        self.mask = <uint64_t> entries - 1
        # No key is 0: a vector has at least one stream.
        self.entries = <CacheEntry*> calloc(entries, sizeof(CacheEntry))
        if self.entries == NULL:
            raise MemoryError(f"no memory for a cache of {entries} error rates")

    def __dealloc__(self):
        free(self.entries)

    cdef double chunk_success_rate(
        self, WifiMode mode, TxVector v, double snr, int64_t nbits
    ) noexcept:
        cdef uint64_t bits, hash_
        cdef int64_t key = v.key | <int64_t> mode.uid << 32
        cdef CacheEntry* entry
        memcpy(&bits, &snr, sizeof(bits))
        hash_ = bits ^ (<uint64_t> nbits << 17) ^ (<uint64_t> key << 7)
        # Round ratios differ in their upper bits only: fold those before multiplying.
        hash_ = (hash_ ^ (hash_ >> 32)) * 0x9E3779B97F4A7C15u
        entry = &self.entries[(hash_ >> 40) & self.mask]
        if entry.key == key and entry.snr_bits == bits and entry.nbits == nbits:
            self.hits += 1
            return entry.result
        self.misses += 1
        entry.result = self.model.chunk_success_rate(mode, v, snr, nbits)
        entry.key = key
        entry.snr_bits = bits
        entry.nbits = nbits
        return entry.result


cdef double snr_for_error_rate(
    ErrorRateModel model, TxVector v, double error_rate, int64_t nbits
) noexcept:
    """Linear SNR at which `nbits` bits fail with probability `error_rate`, within 8e-12."""
    cdef double low = 0.0, high = 1.0, middle
    while high < 1e15 and 1.0 - model.success_rate(v, high, nbits) > error_rate:
        low = high
        high *= 2.0
    while high - low > 8e-12:
        middle = low + (high - low) / 2.0
        if middle <= low or middle >= high:
            break
        if 1.0 - model.success_rate(v, middle, nbits) > error_rate:
            low = middle
        else:
            high = middle
    return low
