"""Timing, contention and default PHY parameters of each 802.11 standard and band.

`standard_parameters` returns them; those that depend on others (PIFS, DIFS, EIFS) are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from simcore.models.wifi.phy.duration import tx_duration
from simcore.models.wifi.phy.mode import WifiMode, basic_modes, mode, modes
from simcore.models.wifi.phy.txvector import TxVector

ACK_BYTES = 14  # 802.11-2020 9.3.1.4


@dataclass(frozen=True)
class AccessParameters:
    """Contention parameters of one access category (802.11-2020 table 9-155) or of the DCF.

    Attributes
    ----------
    cw_min, cw_max : int
        Bounds of the contention window, in slots.
    aifsn : int
        Slots to wait after SIFS; 2 for the DCF, which makes DIFS.
    txop_limit_ns : int
        Longest transmission opportunity in nanoseconds; 0: one frame exchange.
    """

    cw_min: int
    cw_max: int
    aifsn: int
    txop_limit_ns: int = 0


@dataclass(frozen=True)
class StandardParameters:
    """What a standard fixes in one band, and the defaults of its PHY.

    Attributes
    ----------
    standard : str
        For example ``"802.11g"``.
    band_ghz : float
        2.4, 5 or 6.
    slot_ns, sifs_ns : int
        aSlotTime and aSIFSTime in nanoseconds.
    cw_min, cw_max : int
        aCWmin and aCWmax, in slots.
    qos : bool
        The standard's stations use EDCA (HT and later).
    width_mhz, channel, frequency_mhz : int
        Default channel.
    """

    standard: str
    band_ghz: float
    slot_ns: int
    sifs_ns: int
    cw_min: int
    cw_max: int
    qos: bool
    width_mhz: int
    channel: int
    frequency_mhz: int

    @property
    def pifs_ns(self) -> int:
        """802.11-2020 10.3.2.3.4."""
        return self.sifs_ns + self.slot_ns

    @property
    def difs_ns(self) -> int:
        """802.11-2020 10.3.2.3.5."""
        return self.sifs_ns + 2 * self.slot_ns

    @property
    def modes(self) -> tuple[WifiMode, ...]:
        """Modes that stations of the standard add to those of the standards before it."""
        return modes(self.standard)

    @property
    def basic_modes(self) -> tuple[WifiMode, ...]:
        """Modes that every station of the standard supports."""
        return basic_modes(self.standard)

    @cached_property
    def slowest_mode(self) -> WifiMode:
        """The mode that all stations in the band can decode; it times EIFS."""
        if self.band_ghz == 2.4:
            return mode("DsssRate1Mbps")
        if self.standard.startswith("802.11p"):
            return basic_modes(self.standard)[0]
        return mode("OfdmRate6Mbps")

    @cached_property
    def ack_duration_ns(self) -> int:
        """EstimatedAckTxTime: an Ack with the slowest mode (802.11-2020 10.3.2.3.7)."""
        return tx_duration(ACK_BYTES, TxVector(self.slowest_mode), self.band_ghz)

    @property
    def eifs_ns(self) -> int:
        """Wait after a frame that was not understood: 802.11-2020 10.3.2.3.7."""
        return self.sifs_ns + self.ack_duration_ns + self.difs_ns

    @property
    def dcf(self) -> AccessParameters:
        """Contention of stations without QoS."""
        return AccessParameters(self.cw_min, self.cw_max, 2)

    @cached_property
    def edca(self) -> dict[str, AccessParameters]:
        """Contention by access category: 802.11-2020 table 9-155.

        Best effort and background have no TXOP limit, as in 802.11-2016 table 9-137 and in ns-3;
        the 2020 edition gives them 2.528 ms (3.264 ms with DSSS only).
        """
        low, high = self.cw_min, self.cw_max
        dsss = self.standard == "802.11b"
        return {
            "BE": AccessParameters(low, high, 3),
            "BK": AccessParameters(low, high, 7),
            "VI": AccessParameters((low + 1) // 2 - 1, low, 2, 6_016_000 if dsss else 4_096_000),
            "VO": AccessParameters(
                (low + 1) // 4 - 1, (low + 1) // 2 - 1, 2, 3_264_000 if dsss else 2_080_000
            ),
        }


@dataclass(frozen=True)
class Capabilities:
    """What stations of a standard may use in one band.

    Attributes
    ----------
    widths_mhz : tuple of int
        Channel widths.
    gi_ns : tuple of int
        Guard intervals in nanoseconds.
    max_streams : int
        Most spatial streams.
    """

    widths_mhz: tuple[int, ...]
    gi_ns: tuple[int, ...]
    max_streams: int


# 802.11-2020 19.1.1, 21.1.1; 802.11ax-2021 27.1.1. Before HT there is nothing to choose.
_CAPABILITIES = {
    "802.11b": Capabilities((22,), (800,), 1),
    "802.11a": Capabilities((20,), (800,), 1),
    "802.11g": Capabilities((20,), (800,), 1),
    "802.11p-10MHz": Capabilities((10,), (800,), 1),
    "802.11p-5MHz": Capabilities((5,), (800,), 1),
    "802.11n": Capabilities((20, 40), (400, 800), 4),
    "802.11ac": Capabilities((20, 40, 80, 160), (400, 800), 8),
    "802.11ax": Capabilities((20, 40, 80, 160), (800, 1600, 3200), 8),
}

# Standards whose modes a station of a standard has too, by band: 802.11-2020 18.1, 19.1, 21.1;
# 802.11ax-2021 27.1.1. 802.11ac is not used in 2.4 GHz.
_EARLIER: dict[str, dict[float, tuple[str, ...]]] = {
    "802.11n": {2.4: ("802.11g",), 5: ("802.11a",)},
    "802.11ac": {5: ("802.11a", "802.11n")},
    "802.11ax": {
        2.4: ("802.11g", "802.11n"),
        5: ("802.11a", "802.11n", "802.11ac"),
        6: ("802.11a", "802.11n", "802.11ac"),
    },
}


def capabilities(standard: str, band_ghz: float | None = None) -> Capabilities:
    """What stations of a standard may use in a band; `ValueError` as `standard_parameters`."""
    parameters = standard_parameters(standard, band_ghz)
    found = _CAPABILITIES[standard]
    if parameters.band_ghz == 2.4 and parameters.qos:
        # 802.11ax-2021 27.1.1: 80 MHz and more exist in 5 and 6 GHz only.
        return Capabilities((20, 40), found.gi_ns, found.max_streams)
    return found


def check_station(
    standard: str,
    band_ghz: float | None = None,
    *,
    width_mhz: int | None = None,
    gi_ns: int | None = None,
    nss: int | None = None,
) -> None:
    """Raise `ValueError`, saying what is allowed, unless a station of the standard may use these.

    Parameters
    ----------
    standard, band_ghz
        As for `standard_parameters`.
    width_mhz, gi_ns, nss : int, optional
        Channel width, guard interval (ns) and number of spatial streams; None is not checked.
    """
    allowed = capabilities(standard, band_ghz)
    where = standard
    if len(bands(standard)) > 1:
        where += f" in {standard_parameters(standard, band_ghz).band_ghz:g} GHz"
    for field, value, values, unit in (
        ("width_mhz", width_mhz, allowed.widths_mhz, "MHz"),
        ("gi_ns", gi_ns, allowed.gi_ns, "ns"),
        ("nss", nss, tuple(range(1, allowed.max_streams + 1)), "spatial streams"),
    ):
        if value is not None and (isinstance(value, bool) or value not in values):
            choice = ", ".join(map(str, values))
            raise ValueError(f"{field}={value!r} does not exist in {where}: it has {choice} {unit}")


def station_modes(
    standard: str, band_ghz: float | None = None, *, max_streams: int = 1
) -> tuple[WifiMode, ...]:
    """All modes of a station: those of its standard after those it has from earlier ones.

    Parameters
    ----------
    standard, band_ghz
        As for `standard_parameters`.
    max_streams : int
        HT modes with more spatial streams are left out.
    """
    check_station(standard, band_ghz, nss=max_streams)
    band = standard_parameters(standard, band_ghz).band_ghz
    names = (*_EARLIER.get(standard, {}).get(band, ()), standard)
    return tuple(m for name in names for m in modes(name) if m.streams <= max_streams)


# Receiver and transmitter defaults: ns-3.44's attributes of WifiPhy and of its threshold preamble
# detection, so that results compare; the standard only bounds them.
RX_SENSITIVITY_DBM = -101.0  # RxSensitivity, per 20 MHz
CCA_ED_THRESHOLD_DBM = -62.0  # CcaEdThreshold; 802.11-2020 17.3.10.6
CCA_SENSITIVITY_DBM = -82.0  # CcaSensitivity; 802.11-2020 17.3.10.6
NOISE_FIGURE_DB = 7.0  # RxNoiseFigure
TX_POWER_DBM = 16.0206  # TxPowerStart, TxPowerEnd: 40 mW
PREAMBLE_DETECTION_NS = 4_000  # time from the first energy to the decision on a preamble
SHORT_SLOT_NS = 9_000  # 802.11-2020 table 18-5: a BSS of ERP stations only

# Sources: 802.11-2020 16.3.3 (HR/DSSS characteristics), table 17-21 (OFDM by width), table 18-5
# (ERP, long slot), 19.4.4 (HT), 21.4.4 (VHT), 802.11ax-2021 27.4.4 (HE). aCWmin is 15 where an
# OFDM rate is mandatory and 31 for DSSS alone.
_TABLE = {
    (p.standard, p.band_ghz): p
    for p in (
        StandardParameters("802.11b", 2.4, 20_000, 10_000, 31, 1023, False, 22, 1, 2412),
        StandardParameters("802.11g", 2.4, 20_000, 10_000, 15, 1023, False, 20, 1, 2412),
        StandardParameters("802.11a", 5, 9_000, 16_000, 15, 1023, False, 20, 36, 5180),
        StandardParameters("802.11p-10MHz", 5, 13_000, 32_000, 15, 1023, False, 10, 172, 5860),
        StandardParameters("802.11p-5MHz", 5, 21_000, 64_000, 15, 1023, False, 5, 171, 5860),
        StandardParameters("802.11n", 2.4, 20_000, 10_000, 15, 1023, True, 20, 1, 2412),
        StandardParameters("802.11n", 5, 9_000, 16_000, 15, 1023, True, 20, 36, 5180),
        StandardParameters("802.11ac", 5, 9_000, 16_000, 15, 1023, True, 80, 42, 5210),
        StandardParameters("802.11ax", 2.4, 20_000, 10_000, 15, 1023, True, 20, 1, 2412),
        StandardParameters("802.11ax", 5, 9_000, 16_000, 15, 1023, True, 80, 42, 5210),
        StandardParameters("802.11ax", 6, 9_000, 16_000, 15, 1023, True, 80, 7, 5985),
    )
}


def bands(standard: str) -> tuple[float, ...]:
    """Bands in GHz that a standard is defined for here, ``()`` for an unknown standard."""
    return tuple(band for name, band in _TABLE if name == standard)


def standard_parameters(standard: str, band_ghz: float | None = None) -> StandardParameters:
    """Parameters of a standard.

    Parameters
    ----------
    standard : str
        ``"802.11a"``, ``"802.11b"``, ``"802.11g"``, ``"802.11p-10MHz"``, ``"802.11p-5MHz"``,
        ``"802.11n"``, ``"802.11ac"`` or ``"802.11ax"``.
    band_ghz : float, optional
        2.4, 5 or 6. Default: the only band; 5 where there are several.

    Raises
    ------
    ValueError
        An unknown standard, or a band that it is not defined for.
    """
    possible = bands(standard)
    if not possible:
        names = dict.fromkeys(name for name, _ in _TABLE)
        raise ValueError(f"unknown Wi-Fi standard {standard!r}: use one of {', '.join(names)}")
    if band_ghz is None:
        band_ghz = possible[0] if len(possible) == 1 else 5
    if band_ghz not in possible:
        raise ValueError(
            f"band_ghz={band_ghz!r} is not a band of {standard}: "
            f"use {' or '.join(f'{b:g}' for b in possible)}"
        )
    return _TABLE[standard, band_ghz]
