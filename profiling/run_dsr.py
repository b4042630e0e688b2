"""Run the dsr example in a process of its own and print what it did and what it cost.

    run_dsr.py [--seed=N] [--run=N] [--PARAMETER=VALUE ...]

One line of JSON: the metrics, the events, transmissions and receptions of the PHYs (all signals
that reached one), and the CPU and wall time from before the network is built until the traces are
written.
"""

from __future__ import annotations

import json
import sys
import time

from simcore.examples.dsr import Dsr


class Counted(Dsr):
    """The example, with the counters of its PHYs kept."""

    def report(self, sim):
        phys = [device.phy for device in self.devices]
        type(self).transmissions = sum(phy.tx_count for phy in phys)
        type(self).receptions = sum(
            phy.rx_ok_count + phy.rx_error_count + phy.drop_count for phy in phys
        )
        return super().report(sim)


def main() -> None:
    settings: dict[str, str] = {}
    for argument in sys.argv[1:]:
        name, separator, value = argument.removeprefix("--").partition("=")
        if not separator:
            raise SystemExit(f"{argument!r} is not --PARAMETER=VALUE")
        settings[name.replace("-", "_")] = value
    seed, run = (int(settings.pop(name, "1")) for name in ("seed", "run"))
    scenario = Counted.from_parameters(settings)
    wall, cpu = time.perf_counter(), time.process_time()
    results = scenario.run(seed=seed, run=run)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    done = {
        "events": results.events,
        "transmissions": Counted.transmissions,
        "receptions": Counted.receptions,
        "cpu_s": cpu,
        "wall_s": wall,
    }
    print(json.dumps(results.metrics | done))


if __name__ == "__main__":
    main()
