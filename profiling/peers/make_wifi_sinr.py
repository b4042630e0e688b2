"""Regenerate tests/reference/ns3/wifi_sinr.csv: what ns-3 makes of one PPDU among interferers.

The cases are drawn here, with powers at which something is at stake; `wifi_sinr.cc` asks ns-3's
InterferenceHelper about each. Run as ``python profiling/peers/make_wifi_sinr.py``.
"""

from __future__ import annotations

import math
import random
import subprocess

import ns3_peer

from simcore.models.wifi.phy.duration import tx_duration
from simcore.models.wifi.phy.error_rate import TableBasedErrorRateModel
from simcore.models.wifi.phy.txvector import TxVector

TARGET = ns3_peer.ROOT / "tests" / "reference" / "ns3" / "wifi_sinr.csv"
CASES = 240
LEGACY = TxVector("OfdmRate6Mbps")
KINDS = (
    ("OfdmRate6Mbps", (20,)),
    ("OfdmRate54Mbps", (20,)),
    ("OfdmRate24Mbps", (20, 40, 80)),
    ("HtMcs", (20, 40)),
    ("VhtMcs", (20, 40, 80, 160)),
    ("HeMcs", (20, 40, 80, 160)),
)


def draw_vector(draw: random.Random) -> TxVector | None:
    """Draw a vector; None for what 802.11ac excludes."""
    name, widths = draw.choice(KINDS)
    nss = draw.randint(1, 4)
    if name == "HtMcs":
        name += str(8 * (nss - 1) + draw.randint(0, 7))
    elif name == "VhtMcs":
        name += str(draw.randint(0, 9))
    elif name == "HeMcs":
        name += str(draw.randint(0, 11))
    elif name.startswith("Ofdm"):
        nss = 1
    ht = not name.startswith("Ofdm")
    intervals = (800, 1600, 3200) if name.startswith("He") else (400, 800) if ht else (800,)
    try:
        return TxVector(
            name,
            width_mhz=draw.choice(widths),
            gi_ns=draw.choice(intervals),
            nss=nss,
            ldpc=name.startswith("He") and draw.random() < 0.7,
            aggregation=ht,
        )
    except ValueError:
        return None


def draw_case(draw: random.Random) -> str | None:
    """Draw a line for the driver; None when it came to nothing."""
    v = draw_vector(draw)
    if v is None:
        return None
    antennas = draw.randint(v.nss, 4)
    count = draw.choice((1, 1, 2, 5, 12)) if v.aggregation else 1
    sizes = [draw.randint(28, 1540) for _ in range(count)]
    psdu = sum((4 + size + 3) // 4 * 4 for size in sizes[:-1]) + 4 + sizes[-1]
    duration = tx_duration(psdu if v.aggregation else sizes[0], v)
    if duration > 5_000_000:
        return None
    noise = 10 * math.log10(1.3803e-23 * 290 * v.width_mhz * 1e6 * 10**0.7 * 1000)
    # Where one bit in ten thousand is wrong, and some dB around.
    needed = 10 * math.log10(TableBasedErrorRateModel().snr_for_ber(v, 1e-4) * v.nss / antennas)
    interferers = []
    kind = draw.random()
    if kind < 0.4:
        power = noise + needed + draw.uniform(-2, 3)
    elif kind < 0.5:
        power = noise + draw.uniform(-2, 8)
    else:
        power = draw.uniform(-75, -50)
        for _ in range(draw.randint(1, 3)):
            length = tx_duration(draw.choice((14, 100, 400, 1500)), LEGACY)
            start = draw.randint(-length + 1, duration - 1)
            if draw.random() < 0.4:
                start = draw.randint(-20_000, 60_000)
            strength = power - needed + draw.uniform(-4, 8)
            interferers.append(f"{strength:.2f}@{start}+{length}")
    fields = (
        v.mode.name,
        v.width_mhz,
        v.gi_ns,
        v.nss,
        int(v.ldpc),
        antennas,
        draw.choice(("nist", "yans", "table", "table")),
        f"{power:.4f}",
        ",".join(map(str, sizes)),
        ",".join(interferers) or "-",
    )
    return " ".join(map(str, fields))


def main() -> None:
    """Draw the cases, run the driver, write the table."""
    draw = random.Random(20261201)
    cases: list[str] = []
    while len(cases) < CASES:
        case = draw_case(draw)
        if case is not None:
            cases.append(case)
    binary = ns3_peer.build("wifi_sinr")
    done = subprocess.run(
        [str(binary)], input="\n".join(cases) + "\n", capture_output=True, text=True, check=True
    )
    TARGET.write_text(done.stdout)


if __name__ == "__main__":
    main()
