"""Regenerate tests/reference/ns3/dsr_runs.json: ns-3's dsr example and variants of it.

The variants show what single departures of ns-3's DSR from RFC 4728 cost (docs/ns3-behaviour.md
numbers them). Run as ``python profiling/peers/make_dsr_reference.py``; each run takes half a minute
to a minute and a half of CPU time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import sys
from typing import Any

import ns3_peer

TARGET = ns3_peer.ROOT / "tests" / "reference" / "ns3" / "dsr_runs.json"
DSR = "ns3::dsr::DsrRouting::"
VARIANTS: dict[str, dict[str, object]] = {
    "default": {},
    "no-arp": {"arp": False},
    "arp-dead-1s": {"ns3::ArpCache::DeadTimeout": "1s"},
    "link-ack-1s": {f"{DSR}LinkAckTimeout": "1s"},
    "send-buffer-1s": {f"{DSR}SendBuffInterval": "1s"},
    "path-cache": {f"{DSR}CacheType": "PathCache"},
    "short-cached-reply": {f"{DSR}NodeTraversalTime": "1ms"},
    "no-arp-link-ack-1s-send-buffer-1s": {
        "arp": False,
        f"{DSR}LinkAckTimeout": "1s",
        f"{DSR}SendBuffInterval": "1s",
    },
}


def main() -> None:
    """Run every variant and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs of each variant (default 3)")
    parser.add_argument("--default-runs", type=int, default=5, help="runs of the default")
    options = parser.parse_args()
    results = []
    for name, changes in VARIANTS.items():
        count = options.default_runs if name == "default" else options.runs
        runs: list[dict[str, Any]] = []
        for number in range(1, count + 1):
            done = ns3_peer.run("dsr", changes | {"run": number, "seed": 10}, nice=19)
            cost = {"cpu_s": round(done.cpu_s, 1), "peak_rss_mb": round(done.peak_rss_mb, 1)}
            runs.append({"run": number} | done.output | cost)
        mean = statistics.fmean(entry["delivery_ratio"] for entry in runs)
        results.append({"variant": name, "options": changes, "runs": runs})
        print(f"{name}: delivery {mean:.3f} over {count} runs", file=sys.stderr, flush=True)
    document = {
        "source": f"ns-{ns3_peer.version()} PyPI wheel, driver profiling/peers/ns3/dsr.cc",
        "date": datetime.date.today().strftime("%Y-%m"),
        "regenerate": "python profiling/peers/make_dsr_reference.py",
        "seed": 10,
        "note": "rx_packets: distinct packets; rx_copies: all arrivals; rx_by_last_hop: distinct "
        "(last hop, number in stream); cpu_s on one shared machine, no trace written",
        "variants": results,
    }
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(document, indent=1) + "\n")
    print(TARGET)


if __name__ == "__main__":
    main()
