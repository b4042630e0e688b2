"""Channel tables against the standard's and ns-3's numbers."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from simcore.models.wifi.phy.channels import Channel, channel, channels

REFERENCE = Path(__file__).parents[3] / "reference" / "ns3" / "wifi_standard_constants.csv"


def reference_rows() -> list[dict[str, str]]:
    with open(REFERENCE) as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", reference_rows(), ids=lambda r: f"{r['standard']}@{r['band_ghz']}")
def test_the_default_channel_is_that_of_ns3(row: dict[str, str]) -> None:
    name = row["standard"] + ("MHz" if row["standard"].startswith("802.11p") else "")
    found = channel(name, float(row["band_ghz"]))
    assert (found.number, found.frequency_mhz, found.width_mhz) == (
        int(row["channel"]), int(row["freq_mhz"]), int(row["width_mhz"])
    )  # fmt: skip


@pytest.mark.parametrize(
    ("band", "width", "count", "first", "last"),
    [
        # 802.11-2020 annex E, 802.11ax-2021 table E-4: (number, centre in MHz).
        (2.4, 22, 14, (1, 2412), (14, 2484)),
        (2.4, 20, 13, (1, 2412), (13, 2472)),
        (2.4, 40, 9, (3, 2422), (11, 2462)),
        (5, 20, 29, (36, 5180), (181, 5905)),
        (5, 40, 14, (38, 5190), (175, 5875)),
        (5, 80, 7, (42, 5210), (171, 5855)),
        (5, 160, 3, (50, 5250), (163, 5815)),
        (5, 10, 7, (172, 5860), (184, 5920)),
        (5, 5, 7, (171, 5860), (183, 5920)),
        (6, 20, 59, (1, 5955), (233, 7115)),
        (6, 40, 29, (3, 5965), (227, 7085)),
        (6, 80, 14, (7, 5985), (215, 7025)),
        (6, 160, 7, (15, 6025), (207, 6985)),
        (6, 5, 0, None, None),
    ],
)
def test_channels_of_each_band_and_width(
    band: float, width: int, count: int, first: tuple[int, int], last: tuple[int, int]
) -> None:
    found = channels(band, width)
    assert len(found) == count
    if count:
        assert (found[0].number, found[0].frequency_mhz) == first
        assert (found[-1].number, found[-1].frequency_mhz) == last


def test_wide_channels_are_made_of_narrow_ones() -> None:
    for band in (5, 6):
        centres = {c.frequency_mhz for c in channels(band, 20)}
        for width in (40, 80, 160):
            for wide in channels(band, width):
                for index in range(wide.subchannels):
                    assert wide.primary_frequency_mhz(index) in centres


def test_primary_and_secondary_channels() -> None:
    # 160 MHz around 5250: 5180 to 5320.
    wide = channel("802.11ac", width_mhz=160, number=50)
    assert [wide.primary_frequency_mhz(i) for i in (0, 3, 7)] == [5180, 5240, 5320]
    assert [wide.primary_frequency_mhz(5, w) for w in (20, 40, 80, 160)] == [5280, 5270, 5290, 5250]
    assert [wide.secondary_frequency_mhz(5, w) for w in (20, 40, 80)] == [5260, 5310, 5210]
    narrow = channel("802.11p-10MHz")
    assert narrow.primary_frequency_mhz(0) == narrow.frequency_mhz == 5860


def test_a_number_alone_may_say_the_width() -> None:
    assert channel("802.11ac", number=50).width_mhz == 160
    assert channel("802.11ax", 5, number=40) == Channel(40, 5200, 20, 5)
    assert channel("802.11b", number=11) == Channel(11, 2462, 22, 2.4)


def test_wrong_channels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"number=37 is no channel of 20 MHz in 5 GHz: use .* 36,"):
        channel("802.11a", number=37)
    with pytest.raises(ValueError, match=r"width_mhz=160 .* 802\.11n in 5 GHz: it has 20, 40 MHz"):
        channel("802.11n", width_mhz=160)
    with pytest.raises(ValueError, match=r"number=14 .* 20 MHz in 2\.4 GHz"):
        channel("802.11g", number=14)
    wide = channel("802.11ac", width_mhz=80)
    with pytest.raises(ValueError, match=r"primary20=4 .* 80 MHz: use 0 to 3"):
        wide.primary_frequency_mhz(4)
    with pytest.raises(ValueError, match=r"80 MHz has no secondary channel of 80 MHz"):
        wide.secondary_frequency_mhz(0, 80)
    with pytest.raises(ValueError, match=r"width_mhz=160 is more than"):
        wide.primary_frequency_mhz(0, 160)
