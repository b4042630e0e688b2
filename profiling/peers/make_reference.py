"""Regenerate tests/reference/ns3/adhoc_*.json: what ns-3 does below routing.

Our PHY and MAC are validated against it. Run as ``python profiling/peers/make_reference.py
[--only chain|grid|hidden|saturation] [--runs N]``. The whole set takes some ten minutes of CPU
time; ``tests/reference/ns3/README.md`` says what the fields mean.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import sys
from pathlib import Path
from typing import Any

import ns3_peer

TARGET = ns3_peer.ROOT / "tests" / "reference" / "ns3"
COUNTERS = (
    "data",
    "data_retry",
    "group",
    "rts",
    "cts",
    "ack",
    "ack_timeout",
    "cts_timeout",
    "acked",
    "drop_retry",
    "drop_expired",
    "drop_queue",
    "rx_ok",
    "rx_error",
)
NO_LIFETIME = 1000.0

Case = dict[str, Any]
Flow = dict[str, Any]


def flow(path: list[int], interval: float, size: int, start: float, stop: float) -> Flow:
    """Describe one UDP stream: a packet every interval seconds in [start, stop)."""
    return {"path": path, "interval_s": interval, "size": size, "start_s": start, "stop_s": stop}


def case(
    name: str, positions: list[list[float]], flows: list[Flow], until: float, **changes: Any
) -> Case:
    """Fill in the parameters that a case does not change."""
    parameters = {
        "standard": "802.11b",
        "data_mode": "DsssRate11Mbps",
        "control_mode": "DsssRate11Mbps",
        "group_mode": "DsssRate11Mbps",
        "loss": {"model": "range", "max_range_m": 250.0},
        "rts_threshold": 4692480,
        "lifetime_s": 0.5,
        "arp": False,
        "queue_disc": False,
        "positions_m": positions,
        "flows": flows,
        "until_s": until,
    }
    unknown = set(changes) - set(parameters)
    if unknown:
        raise KeyError(f"case {name}: unknown parameters {sorted(unknown)}")
    return {"name": name, "parameters": parameters | changes}


def chains() -> list[Case]:
    """Chains of 1 to 8 hops of 200 m, one stream end to end, from idle to saturated."""
    cases = []
    for hops in range(1, 9):
        positions = [[200.0 * i, 0.0] for i in range(hops + 1)]
        path = list(range(hops + 1))
        for load, interval, stop, lifetime in (
            ("light", 0.05, 51.0, 0.5),
            ("moderate", 0.008, 41.0, 0.5),
            ("saturated", 0.001, 31.0, 0.5),
            ("saturated-no-lifetime", 0.001, 31.0, NO_LIFETIME),
        ):
            cases.append(
                case(
                    f"chain-{hops}-{load}",
                    positions,
                    [flow(path, interval, 1000, 1.0, stop)],
                    stop + 1.0,
                    lifetime_s=lifetime,
                )
            )
    return cases


def grids() -> list[Case]:
    """7 x 7 grids with seven crossing streams of six hops."""
    rows = [[7 * row + column for column in range(7)] for row in (0, 2, 4, 6)]
    columns = [[7 * row + column for row in range(7)] for column in (1, 3, 5)]

    def flows(base: float, stop: float, size: int) -> list[Flow]:
        # Unequal intervals, so that no pair of streams keeps one phase throughout.
        return [
            flow(path, round(base * (1 + 0.013 * i), 9), size, round(1.0 + 0.0137 * i, 9), stop)
            for i, path in enumerate(rows + columns)
        ]

    def square(spacing: float) -> list[list[float]]:
        return [[spacing * column, spacing * row] for row in range(7) for column in range(7)]

    cases = [
        case(f"grid-range-{load}", square(200.0), flows(base, stop, 512), stop + 1.0)
        for load, base, stop in (
            ("light", 0.25, 61.0),
            ("moderate", 0.06, 41.0),
            ("saturated", 0.005, 21.0),
        )
    ]
    cases.append(
        case("grid-range-light-arp", square(200.0), flows(0.25, 61.0, 512), 62.0, arp=True)
    )
    # Neighbours at -78.7 dBm; diagonals at -83.2 dBm cannot be synchronised on but disturb.
    log = {
        "model": "log-distance",
        "exponent": 3.0,
        "reference_m": 1.0,
        "reference_loss_db": 46.6777,
    }
    cases += [
        case(f"grid-log-{load}", square(40.0), flows(base, stop, 512), stop + 1.0, loss=log)
        for load, base, stop in (("light", 0.25, 61.0), ("moderate", 0.06, 41.0))
    ]
    return cases


def hidden() -> list[Case]:
    """Two senders that do not hear each other and the receiver between them."""
    positions = [[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]]
    cases = []
    for protection, threshold in (("basic", 4692480), ("rts", 0)):
        for size in (200, 1000):
            for load, first, second, lifetime in (
                ("light", 0.010, 0.0107, 0.5),
                ("saturated", 0.0005, 0.0005, 0.5),
                ("saturated-no-lifetime", 0.0005, 0.0005, NO_LIFETIME),
            ):
                streams = [
                    flow([0, 1], first, size, 1.0, 21.0),
                    flow([2, 1], second, size, 1.0003, 21.0),
                ]
                cases.append(
                    case(
                        f"hidden-{protection}-{size}-{load}",
                        positions,
                        streams,
                        22.0,
                        rts_threshold=threshold,
                        lifetime_s=lifetime,
                    )
                )
    return cases


def saturation() -> list[Case]:
    """n senders on a circle around one sink, every queue always full, nothing expires."""
    cases = []
    for name, standard, mode, control, base in (
        ("11b-11M", "802.11b", "DsssRate11Mbps", "DsssRate11Mbps", 0.0008),
        ("11a-54M", "802.11a", "OfdmRate54Mbps", "OfdmRate24Mbps", 0.0002),
        ("11a-6M", "802.11a", "OfdmRate6Mbps", "OfdmRate6Mbps", 0.0008),
    ):
        for senders in (1, 5, 10, 20, 50):
            circle = [2 * math.pi * i / senders for i in range(senders)]
            positions = [[0.0, 0.0]] + [
                [round(10 * math.cos(a), 6), round(10 * math.sin(a), 6)] for a in circle
            ]
            interval = round(base * max(1.0, senders / 2), 9)
            stop = 21.0 if senders < 20 else 11.0
            streams = [
                flow([i + 1, 0], interval, 1000, round(1.0 + i * interval / senders, 9), stop)
                for i in range(senders)
            ]
            cases.append(
                case(
                    f"saturation-{name}-{senders}",
                    positions,
                    streams,
                    stop,
                    standard=standard,
                    data_mode=mode,
                    control_mode=control,
                    group_mode=control,
                    lifetime_s=NO_LIFETIME,
                )
            )
    return cases


GROUPS = {"chain": chains, "grid": grids, "hidden": hidden, "saturation": saturation}


def arguments(parameters: dict[str, Any], seed: int, run: int) -> dict[str, object]:
    """Turn a case's parameters into the options of the driver."""
    loss = parameters["loss"]
    if loss["model"] == "range":
        loss_option = f"range:{loss['max_range_m']!r}"
    else:
        loss_option = f"logdistance:{loss['exponent']!r}:{loss['reference_loss_db']!r}"
    return {
        "standard": parameters["standard"][-1],
        "dataMode": parameters["data_mode"],
        "controlMode": parameters["control_mode"],
        "groupMode": parameters["group_mode"],
        "loss": loss_option,
        "rtsThreshold": parameters["rts_threshold"],
        "lifetime": parameters["lifetime_s"],
        "arp": parameters["arp"],
        "queueDisc": parameters["queue_disc"],
        "positions": ";".join(f"{x!r},{y!r}" for x, y in parameters["positions_m"]),
        "flows": ";".join(
            ":".join(
                [
                    "-".join(map(str, stream["path"])),
                    repr(stream["interval_s"]),
                    str(stream["size"]),
                    repr(stream["start_s"]),
                    repr(stream["stop_s"]),
                ]
            )
            for stream in parameters["flows"]
        ),
        "until": parameters["until_s"],
        "seed": seed,
        "run": run,
    }


def summarise(outputs: list[dict[str, Any]]) -> dict[str, Any]:
    """Reduce runs to totals and streams per run, and to mean counters per station."""
    runs = []
    for output in outputs:
        totals = {key: sum(node[key] for node in output["nodes"]) for key in COUNTERS}
        drops: dict[str, int] = {}
        for node in output["nodes"]:
            for reason, count in node["rx_drop"].items():
                drops[reason] = drops.get(reason, 0) + count
        runs.append(
            {
                "totals": totals,
                "rx_drop": dict(sorted(drops.items())),
                "flows": output["flows"],
                "events": output["events"],
            }
        )
    stations = []
    for index in range(len(outputs[0]["nodes"])):
        mean = {
            key: sum(o["nodes"][index][key] for o in outputs) / len(outputs) for key in COUNTERS
        }
        stations.append({key: value for key, value in mean.items() if value})
    return {"runs": runs, "station_means": stations}


def generate(group: str, runs: int, seed: int) -> Path:
    """Run every case of a group and write its file."""
    results = []
    cpu = 0.0
    for item in GROUPS[group]():
        outputs = []
        for run in range(1, runs + 1):
            done = ns3_peer.run("adhoc", arguments(item["parameters"], seed, run), nice=19)
            cpu += done.cpu_s
            outputs.append(done.output)
        results.append(item | summarise(outputs))
        print(f"{item['name']}: {cpu:.0f} s CPU so far", file=sys.stderr, flush=True)
    document = {
        "source": f"ns-{ns3_peer.version()} PyPI wheel, driver profiling/peers/ns3/adhoc.cc",
        "date": datetime.date.today().strftime("%Y-%m"),
        "regenerate": f"python profiling/peers/make_reference.py --only {group} --runs {runs}",
        "seed": seed,
        "run_numbers": list(range(1, runs + 1)),
        "cases": results,
    }
    TARGET.mkdir(parents=True, exist_ok=True)
    path = TARGET / f"adhoc_{group}.json"
    # One case a line: small enough to store, and a change of one case is a change of one line.
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in document.pop("cases"))
    head = json.dumps(document, indent=1)[:-2]
    path.write_text(f'{head},\n "cases": [\n{lines}\n ]\n}}\n')
    json.loads(path.read_text())
    return path


def main() -> None:
    """Parse the command line and regenerate the files asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(GROUPS), help="one group instead of all")
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default 5)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for group in [options.only] if options.only else list(GROUPS):
        print(generate(group, options.runs, options.seed))


if __name__ == "__main__":
    main()
