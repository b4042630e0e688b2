"""Regenerate models/wifi/phy/awgn_per.csv: the packet error rates of the table-based error model.

ns-3's model is asked for the rate every 0.01 dB; what is stored are the points between which the
answers lie on straight lines. Run as ``python profiling/peers/make_per_tables.py``.
"""

from __future__ import annotations

import ns3_peer

TARGET = ns3_peer.ROOT / "models" / "wifi" / "phy" / "awgn_per.csv"
HEADER = """\
# Packet error rate of 802.11 OFDM in white Gaussian noise, 20 MHz, one stream.
# Link simulations of R. Patidar, S. Roy, T. R. Henderson, A. Chandramohan, "Link-to-system
# mapping for ns-3 Wi-Fi OFDM error models", WNS3 2017, as given out by ns-3.{version}'s
# TableBasedErrorRateModel (profiling/peers/ns3/awgn_per.cc prints them every 0.01 dB; here the
# points between which they are linear). Below the first SNR of a curve the rate is 1, above the
# last 0.
coding,size_bytes,mcs,snr_db,per
"""
# The driver prints twelve digits; rates have five decimals at the points of the tables.
EXACT = 2e-9

Point = tuple[int, float]


def falling_part(first_step: int, rates: list[float]) -> list[Point]:
    """Cut a curve to where it falls from 1 to 0, both ends included."""
    last_one = max(i for i, rate in enumerate(rates) if rate >= 1.0 - 1e-11)
    last_seen = max(i for i, rate in enumerate(rates) if rate > 0.0)
    points = [(first_step + i, rates[i]) for i in range(last_one, last_seen + 1)]
    # Very small rates are reported as 0: continue the last straight line down to 0.
    step, rate = points[-1]
    slope = rate - points[-2][1]
    while (rate := rate + slope) > EXACT:
        step += 1
        points.append((step, rate))
    return [*points, (step + 1, 0.0)]


def corners(points: list[Point]) -> list[Point]:
    """Keep the points between which the others are on straight lines."""
    kept = [points[0]]
    start = 0
    while start < len(points) - 1:
        end = start + 1
        while end + 1 < len(points) and is_straight(points[start : end + 2]):
            end += 1
        kept.append(points[end])
        start = end
    return kept


def is_straight(points: list[Point]) -> bool:
    """Tell whether all points lie on the line from the first to the last."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    return all(abs(y0 + (x - x0) * (y1 - y0) / (x1 - x0) - y) < EXACT for x, y in points)


def main() -> None:
    """Write the table."""
    answer = ns3_peer.run("awgn_per", {}).output
    lines = []
    for curve in answer["curves"]:
        for step, rate in corners(falling_part(answer["first_step"], curve["per"])):
            lines.append(
                f"{curve['coding']},{curve['size_bytes']},{curve['mcs']},"
                f"{step / answer['steps_per_db']:g},{round(rate, 6):g}\n"
            )
    TARGET.write_text(HEADER.format(version=ns3_peer.version()) + "".join(lines), "ascii")


if __name__ == "__main__":
    main()
