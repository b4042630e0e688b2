"""Regenerate tests/reference/ns3/dsr_runs.json: ns-3's dsr example and variants of it.

The variants show what single departures of ns-3's DSR from RFC 4728 cost (docs/ns3-behaviour.md
numbers them). Run as ``python profiling/peers/make_dsr_reference.py``; each run takes half a minute
to a minute and a half of CPU time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from typing import Any

import ns3_peer

TARGET = ns3_peer.ROOT / "tests" / "reference" / "ns3" / "dsr_runs.json"
DSR = "ns3::dsr::DsrRouting::"
VARIANTS: dict[str, dict[str, object]] = {
    "default": {},
    "no-arp": {"arp": False},
    "path-cache": {f"{DSR}CacheType": "PathCache"},
    "short-cached-reply": {f"{DSR}NodeTraversalTime": "1ms"},
    "link-ack-1s": {f"{DSR}LinkAckTimeout": "1s"},
    "arp-dead-1s": {"ns3::ArpCache::DeadTimeout": "1s"},
}
NOTE = (
    "rx_packets: distinct packets; rx_copies: all arrivals; rx_by_last_hop: distinct (last hop, "
    "number in stream); cpu_s on one shared machine, no trace written"
)


def main() -> None:
    """Run what the file does not hold yet, writing it after each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs of each variant (default 3)")
    parser.add_argument("--only", choices=sorted(VARIANTS), help="one variant instead of all")
    parser.add_argument("--fresh", action="store_true", help="do not keep the runs of the file")
    options = parser.parse_args()
    kept: dict[str, list[dict[str, Any]]] = {}
    if TARGET.exists() and not options.fresh:
        for entry in json.loads(TARGET.read_text())["variants"]:
            if entry["options"] == VARIANTS.get(entry["variant"]):
                kept[entry["variant"]] = entry["runs"]
    for name, changes in VARIANTS.items():
        runs = kept.setdefault(name, [])
        if options.only not in (None, name):
            continue
        for number in range(len(runs) + 1, options.runs + 1):
            done = ns3_peer.run("dsr", changes | {"run": number, "seed": 10}, nice=19)
            cost = {"cpu_s": round(done.cpu_s, 1), "peak_rss_mb": round(done.peak_rss_mb, 1)}
            runs.append({"run": number} | done.output | cost)
            print(f"{name} {number}: {done.output['delivery_ratio']}", file=sys.stderr, flush=True)
            write(kept)
    print(TARGET)


def write(results: dict[str, list[dict[str, Any]]]) -> None:
    """Write the runs collected so far."""
    document = {
        "source": f"ns-{ns3_peer.version()} PyPI wheel, driver profiling/peers/ns3/dsr.cc",
        "date": datetime.date.today().strftime("%Y-%m"),
        "regenerate": "python profiling/peers/make_dsr_reference.py --fresh",
        "seed": 10,
        "note": NOTE,
        "variants": [
            {"variant": name, "options": VARIANTS[name], "runs": runs}
            for name, runs in results.items()
        ],
    }
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
