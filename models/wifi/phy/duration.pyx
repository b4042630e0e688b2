"""How long a PPDU lasts, in whole nanoseconds, from the standards' formulas.

Two simplifications are those of ns-3, whose numbers these equal: a data field with LDPC is counted
like one with the convolutional code (with tail bits, without the extra symbol of 802.11-2020
19.3.11.7.5), and HE data fields end without packet extension. In 10 MHz and 5 MHz channels the
data field is counted in steps of 4 us although a symbol there lasts 8 us and 16 us
(802.11-2020 table 17-5), so it can come out shorter than the standard's by less than a symbol.
"""

from libc.stdint cimport int64_t
from simcore.models.wifi.phy.mode cimport (
    MOD_ERP_OFDM,
    MOD_HE,
    MOD_HR_DSSS,
    MOD_HT,
    MOD_VHT,
)
from simcore.models.wifi.phy.txvector cimport PREAMBLE_SHORT, TxVector

# 802.11-2020 10.3.8: idle time after a 2.4 GHz OFDM frame, so that its decoder has as long as the
# longer SIFS of 5 GHz gives it.
cdef int64_t SIGNAL_EXTENSION = 6000


cdef bint _is_short(TxVector v) noexcept:
    # 16.2.2.3: the short format carries no 1 Mb/s payload.
    return v.preamble_kind == PREAMBLE_SHORT and v.mode.base_rate_bps > 1000000


cdef int64_t preamble_duration(TxVector v) noexcept:
    """Time before the first signalling field: SYNC and SFD, or L-STF and L-LTF."""
    if v.mode.modulation <= MOD_HR_DSSS:
        return 72000 if _is_short(v) else 144000  # 16.2.2.2, 16.2.2.3
    return 16000 * 20 // v.mode.base_width_mhz  # table 17-5, T_PREAMBLE


cdef int64_t legacy_header_end(TxVector v) noexcept:
    """Time before the end of the header that all formats of the band begin with."""
    if v.mode.modulation <= MOD_ERP_OFDM:
        return preamble_and_header_duration(v)
    if v.mode.modulation <= MOD_VHT:
        return 20000  # L-SIG
    return 24000  # L-SIG and RL-SIG: 802.11ax-2021 27.3.4


cdef int64_t sig_end(TxVector v) noexcept:
    """Time before the end of HT-SIG, VHT-SIG-A, HE-SIG-A or U-SIG; as above without one."""
    if v.mode.modulation <= MOD_ERP_OFDM:
        return preamble_and_header_duration(v)
    return legacy_header_end(v) + 8000


cdef int64_t _long_training_fields(int nss) noexcept:
    """N_LTF: 802.11-2020 19.3.9.4.6, 21.3.8.3.5; 802.11ax-2021 27.3.11.10."""
    if nss <= 2:
        return nss
    return (nss + 1) // 2 * 2


cdef int64_t _eht_sig(TxVector v) noexcept:
    """Duration of EHT-SIG for one user over the whole channel.

    Counted as ns-3 does, like an HE-SIG-B content channel (802.11ax-2021 27.3.11.8): one
    allocation subfield per 40 MHz, one user field, CRC and tail; MCS at most 5.
    """
    cdef int64_t bits = 10 + (8 if v.width_mhz <= 40 else 8 * (v.width_mhz // 40) + 1)
    cdef int64_t per_symbol
    cdef int mcs = v.mode.mcs
    bits += 21 + 10
    if mcs == 0:
        per_symbol = 26
    elif mcs == 1:
        per_symbol = 52
    elif mcs == 2:
        per_symbol = 78
    elif mcs == 3:
        per_symbol = 104
    elif mcs == 4:
        per_symbol = 156
    else:
        per_symbol = 208
    return (bits + per_symbol - 1) // per_symbol * 4000


cdef int64_t preamble_and_header_duration(TxVector v) noexcept:
    """Time before the first payload bit."""
    cdef int64_t training = _long_training_fields(v.nss)
    if v.mode.modulation <= MOD_HR_DSSS:
        return 96000 if _is_short(v) else 192000  # 16.2.2.2, 16.2.2.3
    if v.mode.modulation <= MOD_ERP_OFDM:
        return 20000 * 20 // v.mode.base_width_mhz  # table 17-5: preamble and SIGNAL
    if v.mode.modulation == MOD_HT or v.mode.modulation == MOD_VHT:
        # 19.3.2, 21.3.2: legacy 20, HT-SIG or VHT-SIG-A 8, STF 4, LTFs 4 each. A VHT
        # PPDU to one user carries VHT-SIG-B (4) too; ns-3 leaves it out, and so do we.
        return 20000 + 8000 + 4000 + 4000 * training
    # 802.11ax-2021 27.3.4: legacy 20, RL-SIG 4, HE-SIG-A (U-SIG) 8, STF 4, 4x LTFs 8 each.
    if v.mode.modulation == MOD_HE:
        return 20000 + 4000 + 8000 + 4000 + 8000 * training
    return 20000 + 4000 + 8000 + 4000 + 8000 * training + _eht_sig(v)


cdef int64_t payload_duration(int size_bytes, TxVector v, Band band) noexcept:
    """Time of the data field of `size_bytes`, signal extension included."""
    cdef int64_t bits = <int64_t> size_bytes * 8
    cdef int64_t symbols, duration
    if v.mode.modulation <= MOD_HR_DSSS:
        # 16.2.3 (LENGTH field): it counts whole microseconds, rounded up.
        return (bits * 1000000 + v.rate_bps - 1) // v.rate_bps * 1000
    if v.mode.modulation <= MOD_ERP_OFDM:
        # 17.4.3 (TXTIME): 16 service and 6 tail bits, in whole symbols; for 10 and 5 MHz in
        # steps of 4 us, see the module's docstring.
        bits += 22
        symbols = (bits * 250000 + v.rate_bps - 1) // v.rate_bps
        duration = symbols * 4000
    else:
        # Equations 19-32 and 21-62: 16 service bits and 6 tail bits for each encoder.
        bits += 16 + 6 * v.n_es
        duration = (bits + v.n_dbps - 1) // v.n_dbps * v.symbol_ns
    if band == BAND_2_4GHZ:
        duration += SIGNAL_EXTENSION
    return duration


cdef int64_t ampdu_part_duration(int size_bytes, TxVector v) noexcept:
    """Time from the start of the data field to the end of its first `size_bytes`, cut to ns.

    The SERVICE field comes first; ns-3 counts the tail bits there too, and so do we.
    """
    return (16 + 6 * v.n_es + <int64_t> size_bytes * 8) * v.symbol_ns // v.n_dbps


cdef int64_t ppdu_duration(int size_bytes, TxVector v, Band band) noexcept:
    """Time from the first to the last symbol of a PPDU with a PSDU of `size_bytes`."""
    return preamble_and_header_duration(v) + payload_duration(size_bytes, v, band)


cdef int parse_band(double band) except -1:
    """Band from 2.4, 5 or 6 (GHz)."""
    if band == 5:
        return BAND_5GHZ
    if band == 2.4:
        return BAND_2_4GHZ
    if band == 6:
        return BAND_6GHZ
    raise ValueError(f"band={band:g} is not a Wi-Fi band: use 2.4, 5 or 6 (GHz)")


def tx_duration(size_bytes: int, TxVector v not None, band: float = 5.0) -> int:
    """Duration of a PPDU in nanoseconds.

    Parameters
    ----------
    size_bytes : int
        Size of the PSDU: MAC header, body and FCS, or the whole A-MPDU.
    v : TxVector
        How it is sent.
    band : float
        2.4, 5 or 6 GHz; OFDM in 2.4 GHz has 6 us of signal extension.

    Raises
    ------
    ValueError
        A negative or too large size, or an unknown band.
    """
    _check_size(size_bytes)
    return ppdu_duration(size_bytes, v, <Band> parse_band(band))


def data_duration(size_bytes: int, TxVector v not None, band: float = 5.0) -> int:
    """Duration in nanoseconds of the data field alone; parameters as for `tx_duration`."""
    _check_size(size_bytes)
    return payload_duration(size_bytes, v, <Band> parse_band(band))


def header_duration(TxVector v not None) -> int:
    """Time in nanoseconds from the start of a PPDU to its first payload bit."""
    return preamble_and_header_duration(v)


def _check_size(size_bytes: int) -> None:
    # The largest PSDU of all formats, EHT's: 802.11be-2024 36.4.4 (aPSDUMaxLength).
    if not 0 <= size_bytes <= 15523198:
        raise ValueError(f"size_bytes={size_bytes!r} is not a PSDU size: use 0 to 15523198")
