"""Regenerate tests/reference/ns3/wifi_reception.csv: what a PHY of ns-3 tells its MAC of signals.

The cases are drawn here; `wifi_reception.cc` puts them at the antenna of ns-3's PHY. Powers are so
far apart that no draw decides. Run as ``python profiling/peers/make_wifi_reception.py``.
"""

from __future__ import annotations

import random
import subprocess

import ns3_peer

from simcore.models.wifi.phy.duration import tx_duration
from simcore.models.wifi.phy.txvector import TxVector

TARGET = ns3_peer.ROOT / "tests" / "reference" / "ns3" / "wifi_reception.csv"
CASES = 160
WIDTHS = {
    "802.11a": (20,),
    "802.11n": (20, 40),
    "802.11ac": (20, 40, 80, 160),
    "802.11ax": (20, 80, 160),
}
MODES = ("OfdmRate6Mbps", "HtMcs0", "VhtMcs0", "HeMcs0")
POWERS_DBM = (-45, -58.5, -71, -83.5, -64.5, -90)
# Around the ends of detection, preamble and headers.
GAPS_NS = (1_500, 3_900, 7_000, 18_000, 22_000, 27_000, 30_000, 41_000, 70_000)


def draw_case(draw: random.Random) -> str:
    """Draw a line for the driver."""
    standard = draw.choice(tuple(WIDTHS))
    width = draw.choice(WIDTHS[standard])
    signals = []
    start = 1_000_000
    for power in draw.sample(POWERS_DBM, draw.randint(1, 4)):
        mode = MODES[tuple(WIDTHS).index(standard)]
        if draw.random() < 0.6:
            mode = draw.choice(MODES)
        most = min(width, 40) if mode == "HtMcs0" else width
        nss = 2 if mode in ("VhtMcs0", "HeMcs0") and draw.random() < 0.15 else 1
        size = draw.choice((40, 200, 600))
        signals.append(f"{mode}:{most}:{nss}:{size}:{power}:{start}")
        length = tx_duration(size, TxVector(mode, width_mhz=most, nss=nss))
        near_the_end = length + draw.choice((-1_000, 0, 500, 100_000))
        start += draw.choice((*GAPS_NS, draw.randint(1_000, 200_000), near_the_end))
    return " ".join((standard, str(width), *signals))


def main() -> None:
    """Draw the cases, run the driver, write the table."""
    draw = random.Random(7)
    binary = ns3_peer.build("wifi_reception")
    lines: list[str] = []
    header = ""
    while len(lines) < CASES:
        case = draw_case(draw)
        done = subprocess.run([str(binary)], input=case + "\n", capture_output=True, text=True)
        if done.returncode == 0:
            header, line = done.stdout.splitlines()
            lines.append(line)
        else:
            print(f"left out, an assertion of ns-3 fails: {case}")
    TARGET.write_text("\n".join([header, *lines]) + "\n")


if __name__ == "__main__":
    main()
