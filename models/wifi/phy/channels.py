"""Channel numbers, centre frequencies and primary channels.

Sources: IEEE 802.11-2020 15.4.4.3 (DSSS in 2.4 GHz), annex E (operating classes of 2.4 and 5 GHz,
those of 802.11p between 5.855 and 5.925 GHz) and IEEE 802.11ax-2021 27.3.23.2 and table E-4
(6 GHz). For 5 MHz in the 5.9 GHz band, channel n has the frequency that ns-3 gives it: that of the
10 MHz channel n + 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simcore.models.wifi.phy.standards import check_station, standard_parameters

__all__ = ["Channel", "channel", "channels"]


@dataclass(frozen=True)
class Channel:
    """A channel that one PHY can be tuned to.

    Attributes
    ----------
    number : int
        Number within the band and the width.
    frequency_mhz : int
        Centre frequency.
    width_mhz : int
        Width; 22 for DSSS.
    band_ghz : float
        2.4, 5 or 6.
    """

    number: int
    frequency_mhz: int
    width_mhz: int
    band_ghz: float

    @property
    def subchannels(self) -> int:
        """Number of 20 MHz channels in it, at least 1."""
        return max(1, self.width_mhz // 20)

    def primary_frequency_mhz(self, primary20: int, width_mhz: int = 20) -> float:
        """Centre of the primary channel of a width (MHz).

        Parameters
        ----------
        primary20 : int
            Which 20 MHz channel is primary, 0 the lowest.
        width_mhz : int
            20, 40, 80 ... up to the width of the channel.

        Raises
        ------
        ValueError
            There is no such 20 MHz channel, or no primary channel of this width.
        """
        self.check_primary(primary20)
        if width_mhz >= self.width_mhz:
            if width_mhz > self.width_mhz and self.width_mhz > 20:
                raise ValueError(
                    f"width_mhz={width_mhz} is more than the {self.width_mhz} MHz of it"
                )
            return self.frequency_mhz
        index = primary20 * 20 // width_mhz
        return self.frequency_mhz - self.width_mhz / 2 + (index + 0.5) * width_mhz

    def secondary_frequency_mhz(self, primary20: int, width_mhz: int = 20) -> float:
        """Centre of the secondary channel of 20, 40 or 80 MHz; parameters and errors as above."""
        self.check_primary(primary20)
        if 2 * width_mhz > self.width_mhz:
            raise ValueError(
                f"a channel of {self.width_mhz} MHz has no secondary channel of {width_mhz} MHz"
            )
        index = primary20 * 20 // width_mhz ^ 1
        return self.frequency_mhz - self.width_mhz / 2 + (index + 0.5) * width_mhz

    def check_primary(self, primary20: int) -> None:
        """Raise `ValueError` unless the channel has a 20 MHz channel of this index."""
        if not 0 <= primary20 < self.subchannels:
            raise ValueError(
                f"primary20={primary20!r} is no 20 MHz channel of a channel of "
                f"{self.width_mhz} MHz: use 0 to {self.subchannels - 1}"
            )


def _channels_2_4() -> Iterator[Channel]:
    for number in range(1, 14):
        yield Channel(number, 2407 + 5 * number, 22, 2.4)
        yield Channel(number, 2407 + 5 * number, 20, 2.4)
    yield Channel(14, 2484, 22, 2.4)
    # 40 MHz channels are named by their centre here, as the wider ones of 5 GHz are.
    for number in range(3, 12):
        yield Channel(number, 2407 + 5 * number, 40, 2.4)


def _channels_5() -> Iterator[Channel]:
    numbers = {
        20: (*range(36, 65, 4), *range(100, 145, 4), *range(149, 182, 4)),
        40: (38, 46, 54, 62, 102, 110, 118, 126, 134, 142, 151, 159, 167, 175),
        80: (42, 58, 106, 122, 138, 155, 171),
        160: (50, 114, 163),
        10: tuple(range(172, 185, 2)),
    }
    for width, those in numbers.items():
        for number in those:
            yield Channel(number, 5000 + 5 * number, width, 5)
    for number in range(171, 184, 2):
        yield Channel(number, 5005 + 5 * number, 5, 5)


def _channels_6() -> Iterator[Channel]:
    for width, first, last, step in (
        (20, 1, 233, 4),
        (40, 3, 227, 8),
        (80, 7, 215, 16),
        (160, 15, 207, 32),
    ):
        for number in range(first, last + 1, step):
            yield Channel(number, 5950 + 5 * number, width, 6)


_ALL = {
    (c.band_ghz, c.width_mhz, c.number): c
    for part in (_channels_2_4(), _channels_5(), _channels_6())
    for c in part
}


def channels(band_ghz: float, width_mhz: int) -> tuple[Channel, ...]:
    """All channels of a band (GHz) and width (MHz) by number; ``()`` if there are none."""
    return tuple(
        c for (band, width, _), c in _ALL.items() if (band, width) == (band_ghz, width_mhz)
    )


def channel(
    standard: str,
    band_ghz: float | None = None,
    width_mhz: int | None = None,
    number: int | None = None,
) -> Channel:
    """The channel of this number, or the default one.

    Parameters
    ----------
    standard : str
        As for `standard_parameters`.
    band_ghz : float, optional
        2.4, 5 or 6; the standard's default.
    width_mhz : int, optional
        By default that of the number if only one width has it, otherwise the standard's default.
    number : int, optional
        The lowest of the band and width by default, as in ns-3.

    Raises
    ------
    ValueError
        The standard does not have the band or the width, or there is no such channel.
    """
    parameters = standard_parameters(standard, band_ghz)
    band = parameters.band_ghz
    if width_mhz is None and number is not None:
        named = [
            c.width_mhz
            for c in _ALL.values()
            if (c.band_ghz, c.number) == (band, number) and _has_width(standard, band, c.width_mhz)
        ]
        width_mhz = named[0] if len(named) == 1 else parameters.width_mhz
    elif width_mhz is None:
        width_mhz = parameters.width_mhz
    check_station(standard, band, width_mhz=width_mhz)
    possible = channels(band, width_mhz)
    if number is None:
        return possible[0]
    found = _ALL.get((band, width_mhz, number))
    if found is None:
        raise ValueError(
            f"number={number!r} is no channel of {width_mhz} MHz in {band:g} GHz: "
            f"use one of {', '.join(str(c.number) for c in possible)}"
        )
    return found


def _has_width(standard: str, band_ghz: float, width_mhz: int) -> bool:
    try:
        check_station(standard, band_ghz, width_mhz=width_mhz)
    except ValueError:
        return False
    return True
