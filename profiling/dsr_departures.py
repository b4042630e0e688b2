"""What each of ns-3's departures from RFC 4728 costs in the dsr example (docs/validation.md).

    dsr_departures.py [--runs=10] [--seed=10] [--PARAMETER=VALUE ...]

Each row is the example with one departure, or a few that ns-3 can only have together, over the same
movements and traffic.
"""

from __future__ import annotations

import math
import statistics
import sys
import time

from simcore.examples.dsr import Dsr
from simcore.models.dsr import DEPARTURES

# Without the other three, a timer in place of the MAC's verdict only makes copies of packets.
TIMER = ("timer_verdict", "one_per_stream", "salvage_once", "unmaintained_control")
COLUMNS = ("delivery_ratio", "mean_delay_ms", "mac_data_tx", "mac_drops", "routing_tx")


def rows() -> dict[str, tuple[str, ...]]:
    """Return the departures of each row by its title."""
    single = [name for name in DEPARTURES if name not in TIMER[:2]]
    together: dict[str, tuple[str, ...]] = {"none": ()}
    together |= {name: (name,) for name in single}
    together[" + ".join(TIMER)] = TIMER
    together["all but these four"] = tuple(name for name in DEPARTURES if name not in TIMER)
    together["all"] = tuple(DEPARTURES)
    return together


def main() -> None:
    settings = dict(
        argument.removeprefix("--").replace("-", "_").split("=", 1) for argument in sys.argv[1:]
    )
    runs = int(settings.pop("runs", 10))
    seed = int(settings.pop("seed", 10))
    titles = (
        "departure",
        "delivery, %",
        "delay, ms",
        "data frames",
        "MAC drops",
        "routing packets",
    )
    print("| " + " | ".join((*titles, "CPU, s")) + " |")
    print("|---" * (len(titles) + 1) + "|")
    for title, names in rows().items():
        before = time.process_time()
        found = [
            Dsr.from_parameters(settings | {"departures": ",".join(names)})
            .run(seed=seed, run=run)
            .metrics
            for run in range(1, runs + 1)
        ]
        cpu = (time.process_time() - before) / runs
        ratios = [100 * metrics["delivery_ratio"] for metrics in found]
        error = statistics.stdev(ratios) / math.sqrt(runs) if runs > 1 else math.nan
        means = [statistics.fmean(metrics[name] for metrics in found) for name in COLUMNS]
        print(
            f"| {title} | {100 * means[0]:.1f} ± {error:.1f} | {means[1]:.0f} | {means[2]:.0f} "
            f"| {means[3]:.0f} | {means[4]:.0f} | {cpu:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
