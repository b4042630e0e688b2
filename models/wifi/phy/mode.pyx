"""Modulation and coding schemes of 802.11, one immutable object per scheme.

Modes are found by name with `mode`; names are those that ns-3 and its users know
(``DsssRate11Mbps``, ``OfdmRate54Mbps``, ``HtMcs7`` ...). Rates and coding follow IEEE 802.11-2020
clauses 15 to 19 and 21, IEEE 802.11ax-2021 clause 27 and IEEE 802.11be-2024 clause 36.
"""

cimport cython
from libc.stdint cimport int64_t

cdef tuple _CLASS_NAMES = ("DSSS", "HR_DSSS", "OFDM", "ERP_OFDM", "HT", "VHT", "HE", "EHT")

# Bits per symbol and code rate by MCS: 802.11-2020 19.5, 21.5; 802.11ax-2021 27.5;
# 802.11be-2024 36.5.
cdef tuple _MCS_CODING = (
    (1, 1, 2), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3), (6, 3, 4), (6, 5, 6),
    (8, 3, 4), (8, 5, 6), (10, 3, 4), (10, 5, 6), (12, 3, 4), (12, 5, 6),
)


cdef int _data_tones(ModulationClass modulation, int width_mhz) noexcept:
    """Data subcarriers by width: 802.11-2020 table 17-5, 19.3.6, 21.3.6; 802.11ax-2021 27.3.9;
    802.11be-2024 36.3.10.
    """
    if modulation == MOD_HT or modulation == MOD_VHT:
        if width_mhz == 20:
            return 52
        if width_mhz == 40:
            return 108
        if width_mhz == 80:
            return 234
        return 468
    if modulation >= MOD_HE:
        if width_mhz == 20:
            return 234
        if width_mhz == 40:
            return 468
        if width_mhz == 80:
            return 980
        if width_mhz == 160:
            return 1960
        return 3920
    return 48


@cython.final
cdef class WifiMode:
    """A modulation and coding scheme.

    There is exactly one object per mode: compare with ``is``. Obtain it from `mode`.

    Attributes
    ----------
    name : str
        For example ``"DsssRate11Mbps"``.
    uid : int
        Small index, stable within a version of the package.
    mcs : int
        MCS index of HT and later modes, -1 for earlier ones.
    constellation_size : int
        Points of the constellation (2 BPSK, 4 QPSK, 16 ...; 2, 4, 16, 256 for DSSS and CCK).
    code_rate_num, code_rate_den : int
        Code rate of the convolutional or LDPC code; 1/1 for DSSS and CCK.
    base_width_mhz : int
        Channel width in MHz that the mode is defined for (22, 20, 10, 5; 20 from HT on).
    streams : int
        Spatial streams implied by the mode (HT: MCS 8 to 15 have two, and so on).
    """

    def __init__(self):
        raise TypeError("WifiMode objects are not created by users: use mode(name)")

    @property
    def modulation_class(self):
        """Name of the modulation class: DSSS, HR_DSSS, OFDM, ERP_OFDM, HT, VHT, HE or EHT."""
        return _CLASS_NAMES[self.modulation]

    cdef int64_t symbol_ns(self, int gi_ns) noexcept:
        """Duration of one data symbol in ns; 0 for DSSS."""
        if self.modulation <= MOD_HR_DSSS:
            return 0
        if self.modulation <= MOD_ERP_OFDM:
            return 4000 * 20 // self.base_width_mhz  # table 17-5
        if self.modulation <= MOD_VHT:
            return 3200 + gi_ns  # 802.11-2020 19.3.6, 21.3.6
        return 12800 + gi_ns  # 802.11ax-2021 27.3.9

    cdef int64_t data_bits_per_symbol(self, int width_mhz, int nss) noexcept:
        """N_DBPS; fractions are cut (802.11ax-2021 27.5); 0 for DSSS."""
        return (
            <int64_t> _data_tones(self.modulation, width_mhz)
            * self.bits_per_symbol * nss * self.code_rate_num // self.code_rate_den
        )

    cdef int encoders(self, int width_mhz, int nss) noexcept:
        """N_ES, the number of convolutional encoders: tables 19-27 to 19-41, 21-30 to 21-61."""
        cdef int64_t n_dbps
        if self.modulation != MOD_HT and self.modulation != MOD_VHT:
            return 1
        n_dbps = self.data_bits_per_symbol(width_mhz, nss)
        if self.modulation == MOD_HT:
            # Two encoders above 300 Mb/s with the short guard interval.
            return 1 if n_dbps <= 1200 else 2
        # Where bits do not divide evenly over the least number of encoders, the tables take more.
        if width_mhz == 80 and nss == 7:
            if self.mcs == 2:
                return 3
            if self.mcs == 7 or self.mcs == 8:
                return 6
        elif width_mhz == 80 and nss == 8 and self.mcs == 7:
            return 6
        elif width_mhz == 160:
            if nss == 4 and self.mcs == 7:
                return 6
            if nss == 5 and self.mcs == 8:
                return 8
            if nss == 6 and self.mcs == 7:
                return 8
            if nss == 7:
                if self.mcs == 3:
                    return 4
                if self.mcs == 4:
                    return 6
                if self.mcs == 5:
                    return 7
                if self.mcs == 7:
                    return 9
                if self.mcs >= 8:
                    return 12
        # One encoder carries at most 2160 bits per symbol (540 Mb/s at 4 us).
        return <int> ((n_dbps + 2159) // 2160)

    cdef int64_t rate(self, int width_mhz, int gi_ns, int nss) noexcept:
        """Data rate in bit/s; per stream rounded up to a whole bit/s."""
        cdef int64_t numerator, denominator
        if self.modulation <= MOD_ERP_OFDM:
            return self.base_rate_bps
        numerator = (
            <int64_t> _data_tones(self.modulation, width_mhz)
            * self.bits_per_symbol * self.code_rate_num * 1000000000
        )
        denominator = self.code_rate_den * self.symbol_ns(gi_ns)
        return nss * ((numerator + denominator - 1) // denominator)

    def data_rate(self, width_mhz: int | None = None, gi_ns: int = 800, nss: int | None = None):
        """Data rate in bit/s.

        Parameters
        ----------
        width_mhz : int, optional
            Channel width; default `base_width_mhz`.
        gi_ns : int
            Guard interval in nanoseconds (ignored below HT).
        nss : int, optional
            Number of spatial streams; default `streams`.

        Raises
        ------
        ValueError
            A width, guard interval or number of streams that the mode does not have.
        """
        if width_mhz is None:
            width_mhz = self.base_width_mhz
        if nss is None:
            nss = self.streams
        check_combination(self, width_mhz, gi_ns, nss)
        return self.rate(width_mhz, gi_ns, nss)

    def __repr__(self):
        return f"mode({self.name!r})"

    def __reduce__(self):
        return mode, (self.name,)


def check_combination(WifiMode mode not None, width_mhz: int, gi_ns: int, nss: int) -> None:
    """Raise `ValueError` unless the standard has `mode` with this width, interval and streams."""
    widths, intervals, most = _LIMITS[mode.modulation]
    if mode.base_width_mhz < 20:
        widths = (mode.base_width_mhz,)
    if width_mhz not in widths:
        raise ValueError(
            f"width_mhz={width_mhz!r} is not a channel width of {mode.name}: "
            f"use one of {', '.join(map(str, widths))}"
        )
    if gi_ns not in intervals:
        raise ValueError(
            f"gi_ns={gi_ns!r} is not a guard interval of {mode.name}: "
            f"use one of {', '.join(map(str, intervals))}"
        )
    if mode.modulation == MOD_HT:
        if nss != mode.streams:
            raise ValueError(
                f"nss={nss!r} contradicts {mode.name}, which has {mode.streams} "
                f"spatial stream{'s' if mode.streams > 1 else ''}"
            )
    elif not isinstance(nss, int) or not 1 <= nss <= most:
        raise ValueError(f"nss={nss!r} is not possible with {mode.name}: use 1 to {most}")
    if mode.modulation == MOD_VHT and (
        # 802.11-2020 21.5: no whole number of bits for each encoder.
        (mode.mcs == 9 and width_mhz == 20 and nss not in (3, 6))
        or (mode.mcs == 6 and width_mhz == 80 and nss in (3, 7))
        or (mode.mcs == 9 and width_mhz == 80 and nss == 6)
    ):
        raise ValueError(
            f"802.11ac excludes {mode.name} with width_mhz={width_mhz} and nss={nss} "
            "(802.11-2020 21.5)"
        )


# Modulation class -> widths (MHz), guard intervals (ns), most spatial streams.
cdef dict _LIMITS = {
    MOD_DSSS: ((22,), (800,), 1),
    MOD_HR_DSSS: ((22,), (800,), 1),
    # Above 20 MHz: non-HT duplicates.
    MOD_OFDM: ((20, 40, 80, 160), (800,), 1),
    MOD_ERP_OFDM: ((20, 40), (800,), 1),
    MOD_HT: ((20, 40), (400, 800), 4),
    MOD_VHT: ((20, 40, 80, 160), (400, 800), 8),
    MOD_HE: ((20, 40, 80, 160), (800, 1600, 3200), 8),
    MOD_EHT: ((20, 40, 80, 160, 320), (800, 1600, 3200), 8),
}

cdef list _modes = []
cdef dict _by_name = {}


cdef WifiMode _add(
    str name, ModulationClass modulation, int constellation, int bits, int num, int den,
    int width_mhz, int64_t rate_bps, int mcs, int streams,
):
    cdef WifiMode new = WifiMode.__new__(WifiMode)
    new.name = name
    new.uid = len(_modes)
    new.modulation = modulation
    new.mcs = mcs
    new.constellation_size = constellation
    new.bits_per_symbol = bits
    new.code_rate_num = num
    new.code_rate_den = den
    new.base_width_mhz = width_mhz
    new.streams = streams
    new.base_rate_bps = rate_bps
    _modes.append(new)
    _by_name[name] = new
    return new


cdef void _define() except *:
    # Clauses 15 and 16: DBPSK, DQPSK, CCK (4 and 8 bits per symbol).
    _add("DsssRate1Mbps", MOD_DSSS, 2, 0, 1, 1, 22, 1000000, -1, 1)
    _add("DsssRate2Mbps", MOD_DSSS, 4, 0, 1, 1, 22, 2000000, -1, 1)
    _add("DsssRate5_5Mbps", MOD_HR_DSSS, 16, 0, 1, 1, 22, 5500000, -1, 1)
    _add("DsssRate11Mbps", MOD_HR_DSSS, 256, 0, 1, 1, 22, 11000000, -1, 1)
    # Table 17-4, rates of the 20 MHz channel.
    ofdm = (
        (6, 1, 1, 2), (9, 1, 3, 4), (12, 2, 1, 2), (18, 2, 3, 4),
        (24, 4, 1, 2), (36, 4, 3, 4), (48, 6, 2, 3), (54, 6, 3, 4),
    )
    for prefix, suffix, modulation, width in (
        ("OfdmRate", "", MOD_OFDM, 20),
        ("OfdmRate", "BW10MHz", MOD_OFDM, 10),
        ("OfdmRate", "BW5MHz", MOD_OFDM, 5),
        ("ErpOfdmRate", "", MOD_ERP_OFDM, 20),
    ):
        for mbps, bits, num, den in ofdm:
            rate = mbps * 1000000 * width // 20
            text = f"{rate / 1e6:g}".replace(".", "_")
            _add(f"{prefix}{text}Mbps{suffix}", modulation, 1 << bits, bits, num, den,
                 width, rate, -1, 1)
    for mcs in range(32):
        bits, num, den = _MCS_CODING[mcs % 8]
        _add(f"HtMcs{mcs}", MOD_HT, 1 << bits, bits, num, den, 20, 0, mcs, mcs // 8 + 1)
    for prefix, modulation, count in (
        ("VhtMcs", MOD_VHT, 10), ("HeMcs", MOD_HE, 12), ("EhtMcs", MOD_EHT, 14),
    ):
        for mcs in range(count):
            bits, num, den = _MCS_CODING[mcs]
            _add(f"{prefix}{mcs}", modulation, 1 << bits, bits, num, den, 20, 0, mcs, 1)


_define()


def _matching(*prefixes: str, suffix: str = "") -> tuple:
    return tuple(
        m for m in _modes
        if m.name.startswith(prefixes) and (m.name.endswith(suffix) if suffix
                                            else "BW" not in m.name)
    )


cdef dict _standards = {
    "802.11a": _matching("OfdmRate"),
    "802.11b": _matching("DsssRate"),
    "802.11g": _matching("DsssRate", "ErpOfdmRate"),
    "802.11p-10MHz": _matching("OfdmRate", suffix="BW10MHz"),
    "802.11p-5MHz": _matching("OfdmRate", suffix="BW5MHz"),
    "802.11n": _matching("HtMcs"),
    "802.11ac": _matching("VhtMcs"),
    "802.11ax": _matching("HeMcs"),
    "802.11be": _matching("EhtMcs"),
}

# Mandatory rates: 802.11-2020 15.1, 16.1, 17.1 (halved and quartered for narrow channels), 18.1,
# 19.1 and 21.1 (MCS 0 to 7), 802.11ax-2021 27.1.1, 802.11be-2024 36.1.1.
cdef dict _basic = {
    "802.11a": ("OfdmRate6Mbps", "OfdmRate12Mbps", "OfdmRate24Mbps"),
    "802.11b": ("DsssRate1Mbps", "DsssRate2Mbps", "DsssRate5_5Mbps", "DsssRate11Mbps"),
    "802.11g": (
        "DsssRate1Mbps", "DsssRate2Mbps", "DsssRate5_5Mbps", "DsssRate11Mbps",
        "ErpOfdmRate6Mbps", "ErpOfdmRate12Mbps", "ErpOfdmRate24Mbps",
    ),
    "802.11p-10MHz": ("OfdmRate3MbpsBW10MHz", "OfdmRate6MbpsBW10MHz", "OfdmRate12MbpsBW10MHz"),
    "802.11p-5MHz": ("OfdmRate1_5MbpsBW5MHz", "OfdmRate3MbpsBW5MHz", "OfdmRate6MbpsBW5MHz"),
    "802.11n": tuple(f"HtMcs{i}" for i in range(8)),
    "802.11ac": tuple(f"VhtMcs{i}" for i in range(8)),
    "802.11ax": tuple(f"HeMcs{i}" for i in range(8)),
    "802.11be": tuple(f"EhtMcs{i}" for i in range(8)),
}


cdef WifiMode mode_at(int uid):
    """The mode with index `uid`; IndexError if there is none."""
    return _modes[uid]


cdef WifiMode find_mode(str name):
    """The mode called `name`; `ValueError` as for `mode`."""
    found = _by_name.get(name)
    if found is None:
        raise ValueError(
            f"unknown Wi-Fi mode {name!r}: the names are "
            "DsssRate{1,2,5_5,11}Mbps, OfdmRate{6,9,12,18,24,36,48,54}Mbps, "
            "OfdmRate{3,4_5,6,9,12,18,24,27}MbpsBW10MHz, "
            "OfdmRate{1_5,2_25,3,4_5,6,9,12,13_5}MbpsBW5MHz, "
            "ErpOfdmRate{6,9,12,18,24,36,48,54}Mbps, "
            "HtMcs0 to HtMcs31, VhtMcs0 to VhtMcs9, HeMcs0 to HeMcs11, EhtMcs0 to EhtMcs13"
        )
    return <WifiMode> found


def mode(name: str) -> WifiMode:
    """The mode called `name`; `ValueError`, listing the valid names, if there is none."""
    return find_mode(name)


def mode_count() -> int:
    """Number of modes; `WifiMode.uid` lies below it."""
    return len(_modes)


cdef _of_standard(dict table, standard):
    found = table.get(standard)
    if found is None:
        raise ValueError(
            f"unknown Wi-Fi standard {standard!r}: use one of {', '.join(table)}"
        )
    return found


def standards() -> tuple:
    """Names of the standards that have a list of modes."""
    return tuple(_standards)


def modes(standard: str) -> tuple:
    """All modes of a standard (``"802.11a"``, ``"802.11p-10MHz"`` ...), slowest first."""
    return _of_standard(_standards, standard)


def basic_modes(standard: str) -> tuple:
    """The modes that every station of the standard must support, slowest first."""
    return tuple(_by_name[name] for name in _of_standard(_basic, standard))
