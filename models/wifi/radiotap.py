"""Radiotap: what a capture says about the radio in front of an 802.11 frame (radiotap.org)."""

from __future__ import annotations

import struct

from simcore.models.wifi.phy.ppdu import Ppdu

__all__ = ["radiotap_header"]

# Bits of the present word (radiotap.org/fields/defined).
TSFT = 1 << 0
FLAGS = 1 << 1
RATE = 1 << 2
CHANNEL = 1 << 3
SIGNAL = 1 << 5
NOISE = 1 << 6
MCS = 1 << 19

FLAG_SHORT_PREAMBLE = 0x02
FLAG_FCS_AT_END = 0x10
FLAG_BAD_FCS = 0x40

CHANNEL_CCK = 0x0020
CHANNEL_OFDM = 0x0040
CHANNEL_2_GHZ = 0x0080
CHANNEL_5_GHZ = 0x0100

MCS_KNOWS_BANDWIDTH = 0x01
MCS_KNOWS_INDEX = 0x02
MCS_KNOWS_GUARD_INTERVAL = 0x04
MCS_WIDTH_40 = 0x01
MCS_SHORT_GUARD_INTERVAL = 0x04

RATE_UNIT_BPS = 500_000
MICROSECOND_NS = 1000


def radiotap_header(
    ppdu: Ppdu,
    frequency_mhz: int,
    *,
    snr_db: float | None = None,
    power_dbm: float | None = None,
    bad_fcs: bool = False,
) -> bytes:
    """Return the radiotap header of a frame that ends with its FCS.

    Parameters
    ----------
    ppdu
        The transmission. TSFT is the time at which it began at the transmitter (us, rounded
        down); modes below HT have the rate field, HT modes the MCS field, later ones neither.
    frequency_mhz
        Centre frequency of the channel.
    snr_db, power_dbm
        Of a reception: signal and noise (with interference) are told in whole dBm.
    bad_fcs
        Mark the frame as received with errors.
    """
    vector = ppdu.txvector
    name = vector.mode.name
    legacy = name.startswith(("Dsss", "Ofdm", "ErpOfdm"))
    present = TSFT | FLAGS | CHANNEL
    flags = FLAG_FCS_AT_END
    if vector.preamble == "SHORT":
        flags |= FLAG_SHORT_PREAMBLE
    if bad_fcs:
        flags |= FLAG_BAD_FCS
    channel = CHANNEL_CCK if name.startswith("Dsss") else CHANNEL_OFDM
    channel |= CHANNEL_2_GHZ if frequency_mhz < 2500 else CHANNEL_5_GHZ
    rate = 0
    tail = b""
    if snr_db is not None and power_dbm is not None:
        present |= SIGNAL | NOISE
        tail = struct.pack("<bb", whole_decibels(power_dbm), whole_decibels(power_dbm - snr_db))
    if legacy:
        present |= RATE
        rate = vector.rate_bps // RATE_UNIT_BPS
    elif name.startswith("Ht"):
        present |= MCS
        known = MCS_KNOWS_BANDWIDTH | MCS_KNOWS_INDEX | MCS_KNOWS_GUARD_INTERVAL
        how = MCS_WIDTH_40 if vector.width_mhz == 40 else 0
        if vector.gi_ns == 400:
            how |= MCS_SHORT_GUARD_INTERVAL
        tail += struct.pack("<BBB", known, how, vector.mode.mcs)
    # The rate's place is padding when there is none: the channel is aligned to two bytes.
    fields = (
        struct.pack("<QBBHH", ppdu.start // MICROSECOND_NS, flags, rate, frequency_mhz, channel)
        + tail
    )
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), present) + fields


def whole_decibels(value: float) -> int:
    """Round to what the signed byte of a radiotap field holds."""
    return max(-128, min(127, round(value)))
