"""What a transmitter tells its PHY about one PPDU (802.11-2020 8.3.4.4, TXVECTOR)."""

cimport cython
from libc.stdint cimport int64_t
from libc.math cimport NAN, isfinite, isnan
from simcore.models.wifi.phy.mode cimport (
    MOD_ERP_OFDM,
    MOD_HE,
    MOD_HR_DSSS,
    MOD_HT,
    MOD_OFDM,
    WifiMode,
    find_mode,
)

from simcore.models.wifi.phy.mode import check_combination

cdef tuple _PREAMBLE_NAMES = ("LONG", "SHORT", "HT_MF", "VHT_SU", "HE_SU", "EHT_MU")


@cython.final
cdef class TxVector:
    """Mode, preamble, width, guard interval, streams, coding, power and aggregation of one PPDU.

    Parameters
    ----------
    mode : WifiMode or str
        Modulation and coding scheme of the payload.
    preamble : str, optional
        ``"LONG"`` or ``"SHORT"`` for DSSS, ``"LONG"`` for OFDM; ``"HT_MF"``, ``"VHT_SU"``,
        ``"HE_SU"``, ``"EHT_MU"`` for the later ones. Default: the first one that the mode has.
    width_mhz : int, optional
        Channel width; default the mode's own. OFDM modes of 20 MHz in 40 MHz and more are
        non-HT duplicates (802.11-2020 19.3.11.12, 21.3.10.12).
    gi_ns : int
        Guard interval in nanoseconds.
    nss : int, optional
        Number of spatial streams; default what the mode implies.
    ldpc : bool
        LDPC instead of the convolutional code (HT and later).
    tx_power_dbm : float, optional
        Transmit power in dBm; by default that of the PHY that sends.
    aggregation : bool
        The PSDU is an A-MPDU (HT and later).

    Raises
    ------
    ValueError
        An unknown mode, or a combination that the standard does not have.

    Notes
    -----
    Immutable. Objects are meant to be made once per (mode, power, ...) and shared by frames.
    """

    def __init__(
        self,
        mode: WifiMode | str,
        preamble: str | None = None,
        width_mhz: int | None = None,
        gi_ns: int = 800,
        nss: int | None = None,
        ldpc: bool = False,
        tx_power_dbm: float | None = None,
        aggregation: bool = False,
    ) -> None:
        cdef WifiMode m
        if self.mode is not None:
            raise TypeError("a TxVector cannot be changed: make a new one")
        if isinstance(mode, str):
            m = find_mode(mode)
        elif isinstance(mode, WifiMode):
            m = <WifiMode> mode
        else:
            raise TypeError(f"mode must be a WifiMode or its name, not {type(mode).__name__}")
        if width_mhz is None:
            width_mhz = m.base_width_mhz
        if nss is None:
            nss = m.streams
        check_combination(m, width_mhz, gi_ns, nss)
        if m.modulation <= MOD_HR_DSSS:
            allowed = ("LONG", "SHORT")
        elif m.modulation <= MOD_ERP_OFDM:
            allowed = ("LONG",)
        else:
            allowed = (_PREAMBLE_NAMES[m.modulation - MOD_HT + 2],)
        if preamble is None:
            preamble = allowed[0]
        if preamble not in allowed:
            raise ValueError(
                f"preamble={preamble!r} does not go with {m.name}: use {' or '.join(allowed)}"
            )
        if ldpc and m.modulation < MOD_HT:
            raise ValueError(f"ldpc=True does not go with {m.name}: LDPC exists from HT on")
        if aggregation and m.modulation < MOD_HT:
            raise ValueError(
                f"aggregation=True does not go with {m.name}: A-MPDUs exist from HT on"
            )
        if tx_power_dbm is not None and not isfinite(tx_power_dbm):
            raise ValueError(f"tx_power_dbm={tx_power_dbm!r} is not a finite power in dBm")
        self.width_mhz = width_mhz
        self.gi_ns = gi_ns
        self.nss = nss
        self.ldpc = ldpc
        self.power_dbm = NAN if tx_power_dbm is None else tx_power_dbm
        self.aggregation = aggregation
        self.preamble_kind = <Preamble> <int> _PREAMBLE_NAMES.index(preamble)
        self.header_mode = _header_mode(m, self.preamble_kind)
        self.signal_mode = _signal_mode(m)
        self.width_index = _width_index(self.width_mhz)
        # 802.11ax-2021 27.3.20: later headers are judged in the primary 20 MHz alone; ns-3 judges
        # those of earlier formats over the whole channel, and so do we.
        self.header_width_index = self.width_index
        if m.modulation >= MOD_HE and self.width_mhz >= 40:
            self.header_width_index = _width_index(20)
        self.rate_bps = m.rate(self.width_mhz, self.gi_ns, self.nss)
        self.stream_rate_bps = self.rate_bps // self.nss
        self.symbol_ns = m.symbol_ns(self.gi_ns)
        self.n_dbps = m.data_bits_per_symbol(self.width_mhz, self.nss)
        self.n_es = m.encoders(self.width_mhz, self.nss)
        self.key = (
            <int64_t> m.uid
            | (<int64_t> (self.width_mhz // 5 if self.width_mhz != 22 else 0)) << 8
            | (<int64_t> (self.gi_ns // 400)) << 16
            | (<int64_t> self.nss) << 20
            | (<int64_t> self.preamble_kind) << 24
            | (<int64_t> self.ldpc) << 28
        )
        self.mode = m

    @property
    def preamble(self):
        """Name of the preamble."""
        return _PREAMBLE_NAMES[self.preamble_kind]

    @property
    def tx_power_dbm(self):
        """Transmit power in dBm; None: that of the PHY."""
        return None if isnan(self.power_dbm) else self.power_dbm

    def replace(self, **changes: object) -> TxVector:
        """A new vector that differs in the named fields."""
        fields = {
            "mode": self.mode, "preamble": self.preamble, "width_mhz": self.width_mhz,
            "gi_ns": self.gi_ns, "nss": self.nss, "ldpc": self.ldpc,
            "tx_power_dbm": self.tx_power_dbm, "aggregation": self.aggregation,
        }
        unknown = set(changes) - set(fields)
        if unknown:
            raise TypeError(
                f"TxVector has no field {sorted(unknown)[0]!r}: it has {', '.join(fields)}"
            )
        fields.update(changes)
        return TxVector(**fields)

    def __eq__(self, other):
        cdef TxVector o
        if not isinstance(other, TxVector):
            return NotImplemented
        o = <TxVector> other
        return (
            self.key == o.key
            and self.aggregation == o.aggregation
            and self.tx_power_dbm == o.tx_power_dbm
        )

    def __hash__(self):
        return hash((self.key, self.tx_power_dbm, self.aggregation))

    def __repr__(self):
        return (
            f"TxVector({self.mode.name!r}, preamble={self.preamble!r}, "
            f"width_mhz={self.width_mhz}, gi_ns={self.gi_ns}, nss={self.nss}, "
            f"ldpc={self.ldpc}, tx_power_dbm={self.tx_power_dbm}, "
            f"aggregation={self.aggregation})"
        )

    def __reduce__(self):
        return TxVector, (
            self.mode, self.preamble, self.width_mhz, self.gi_ns, self.nss, self.ldpc,
            self.tx_power_dbm, self.aggregation,
        )


cdef WifiMode _header_mode(WifiMode m, Preamble preamble):
    if m.modulation <= MOD_HR_DSSS:
        # 16.2.2.3, 16.2.2.4: header at 1 Mb/s, at 2 Mb/s in the short format; 1 Mb/s payloads
        # exist in the long format only.
        if preamble == PREAMBLE_SHORT and m.base_rate_bps > 1000000:
            return find_mode("DsssRate2Mbps")
        return find_mode("DsssRate1Mbps")
    if m.modulation == MOD_ERP_OFDM:
        return find_mode("ErpOfdmRate6Mbps")
    if m.modulation == MOD_OFDM and m.base_width_mhz == 10:
        return find_mode("OfdmRate3MbpsBW10MHz")
    if m.modulation == MOD_OFDM and m.base_width_mhz == 5:
        return find_mode("OfdmRate1_5MbpsBW5MHz")
    return find_mode("OfdmRate6Mbps")  # L-SIG: 17.3.4, repeated in every later format


cdef WifiMode _signal_mode(WifiMode m):
    """Mode of HT-SIG, VHT-SIG-A, HE-SIG-A: None where there is no such field."""
    if m.modulation < MOD_HT:
        return None
    if m.modulation < MOD_HE:
        return find_mode("OfdmRate6Mbps")  # 802.11-2020 19.3.9.4.3, 21.3.8.3.3: 48 subcarriers
    return find_mode("VhtMcs0")  # 802.11ax-2021 27.3.11.7: 52 subcarriers


cdef int _width_index(int width_mhz) noexcept:
    cdef int index
    for index in range(WIDTHS):
        if WIDTHS_MHZ[index] == width_mhz:
            return index
    return 0


cdef int[WIDTHS] WIDTHS_MHZ = [5, 10, 20, 22, 40, 80, 160, 320]


cdef int width_at(int index) noexcept:
    """Channel width (MHz) of a `width_index`."""
    return WIDTHS_MHZ[index]
