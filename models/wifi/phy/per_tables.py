"""Reader of the packaged packet error rate tables (``awgn_per.csv``, which names their source)."""

from __future__ import annotations

import csv
from importlib.resources import files


def read_per_tables() -> dict[tuple[str, int, int], list[tuple[float, float]]]:
    """Points (SNR in dB, packet error rate) by coding, frame size in bytes and MCS.

    The SNR rises along each list; between two points the rate is linear, below the first it is 1,
    above the last 0.
    """
    text = files("simcore.models.wifi.phy").joinpath("awgn_per.csv").read_text("ascii")
    tables: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    for row in csv.DictReader(lines):
        key = (row["coding"], int(row["size_bytes"]), int(row["mcs"]))
        tables.setdefault(key, []).append((float(row["snr_db"]), float(row["per"])))
    return tables
