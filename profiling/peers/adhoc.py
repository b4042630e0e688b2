"""Our side of ns3/adhoc.cc: ad hoc stations at fixed places that forward UDP streams along paths.

``python profiling/peers/adhoc.py [--only chain|grid|hidden|saturation] [--case NAME] [--runs N]``
runs the cases of tests/reference/ns3/adhoc_*.json and prints ours beside ns-3's.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import math
import statistics
import time
from pathlib import Path
from typing import Any

from simcore import Simulator, seconds
from simcore.models.internet import AddressAllocator, UdpSocket, install_internet
from simcore.models.mobility import ConstantPosition
from simcore.models.network.node import Node
from simcore.models.network.packet import Packet
from simcore.models.propagation import LogDistanceLoss, RangeLoss
from simcore.models.wifi import WifiDevice, install_adhoc

REFERENCE = Path(__file__).resolve().parents[2] / "tests/reference/ns3"
GROUPS = ("chain", "grid", "hidden", "saturation")
PORT = 9


class Stream:
    """One UDP stream along a path: what was sent, and when it arrived."""

    def __init__(self, sim: Simulator, nodes: list[Node], flow: dict[str, Any], port: int) -> None:
        self.sim = sim
        self.interval = round(flow["interval_s"] * 1e9)
        self.start = round(flow["start_s"] * 1e9)
        self.stop = round(flow["stop_s"] * 1e9)
        self.size = flow["size"]
        self.sent = 0
        self.last = -1
        self.delays: list[int] = []
        source, sink = nodes[flow["path"][0]], nodes[flow["path"][-1]]
        receiver = UdpSocket(sink)
        receiver.bind(port)
        receiver.on_receive(self.receive)
        self.socket = UdpSocket(source)
        self.socket.connect(sink.ipv4.address, port)
        sim.schedule_at(self.start, self.send)

    def send(self) -> None:
        self.socket.send(Packet(self.sim, self.size, tag=(self.sent, self.sim.now())))
        self.sent += 1
        following = self.start + self.sent * self.interval
        if following < self.stop:
            self.sim.schedule_at(following, self.send)

    def receive(self, packet: Packet, address: Any, port: int) -> None:
        number, sent = packet.tag
        # The paths are fixed and the queues FIFO: an older number can only be a copy.
        if number > self.last:
            self.last = number
            self.delays.append(self.sim.now() - sent)


def run_case(parameters: dict[str, Any], run: int, **device: Any) -> dict[str, Any]:
    """Run one case; return ``totals`` of all stations, ``flows`` and ``events``.

    Parameters
    ----------
    parameters
        As in the reference files.
    run
        Run number, with seed 1.
    **device
        Further parameters of the devices; by default they reset the contention window as late as
        ns-3 does. An arrival at a full queue throws nothing out, as with ns-3's traffic control.
    """
    sim = Simulator(seed=1, run=run)
    nodes = [Node(sim) for _ in parameters["positions_m"]]
    for node, place in zip(nodes, parameters["positions_m"], strict=True):
        ConstantPosition(node, tuple(place))
    loss = parameters["loss"]
    options: dict[str, Any] = {
        "keep_window_after_drop": True,
        "rts_threshold": parameters["rts_threshold"],
        "queue_lifetime": seconds(parameters["lifetime_s"]),
    }
    devices = install_adhoc(
        nodes,
        standard=parameters["standard"],
        data_mode=parameters["data_mode"],
        group_mode=parameters["group_mode"],
        rts_mode=parameters["control_mode"],
        loss=RangeLoss(loss["max_range_m"])
        if loss["model"] == "range"
        else LogDistanceLoss(loss["exponent"], loss["reference_m"], loss["reference_loss_db"]),
        **(options | device),
    )
    for one in devices:
        one.mac_layer.queue.sweep_when_full = False
    install_internet(nodes)
    AddressAllocator("10.0.0.0/16").assign(devices)
    fill_tables(nodes, devices, parameters)
    streams = [
        Stream(sim, nodes, flow, PORT + index) for index, flow in enumerate(parameters["flows"])
    ]
    begun = time.process_time()
    sim.run(until=seconds(parameters["until_s"]))
    return {
        "totals": totals_of(devices),
        "flows": [
            {
                "sent": stream.sent,
                "received": len(stream.delays),
                "delay_mean_s": statistics.fmean(stream.delays) / 1e9 if stream.delays else None,
            }
            for stream in streams
        ],
        "events": sim.event_count,
        "cpu_s": time.process_time() - begun,
    }


def fill_tables(nodes: list[Node], devices: list[WifiDevice], parameters: dict[str, Any]) -> None:
    """Enter the routes of the streams and, without ARP, the neighbours' addresses."""
    addresses = [node.ipv4.address for node in nodes]
    if not parameters["arp"]:
        for node in nodes:
            for address, device in zip(addresses, devices, strict=True):
                if device.node is not node:
                    node.ipv4.interfaces[1].arp.add(address, device.address)
    for flow in parameters["flows"]:
        path = flow["path"]
        sink = addresses[path[-1]]
        for here, following in itertools.pairwise(path[:-1]):
            nodes[here].ipv4.routing.add_route(f"{sink}/32", addresses[following], 1)


def totals_of(devices: list[WifiDevice]) -> dict[str, int]:
    """Sum the counters of all stations, under the names of the reference."""
    macs = [device.mac_layer for device in devices]
    return {
        "data": sum(mac.data_tx_count for mac in macs),
        "data_retry": sum(mac.data_retry_count for mac in macs),
        "group": sum(mac.group_tx_count for mac in macs),
        "rts": sum(mac.rts_tx_count for mac in macs),
        "cts": sum(mac.cts_tx_count for mac in macs),
        "ack": sum(mac.ack_tx_count for mac in macs),
        "ack_timeout": sum(mac.ack_timeout_count for mac in macs),
        "cts_timeout": sum(mac.cts_timeout_count for mac in macs),
        "acked": sum(mac.acked_count for mac in macs),
        "drop_retry": sum(mac.drop_count for mac in macs),
        "drop_expired": sum(mac.queue.expired_count for mac in macs),
        "drop_queue": sum(mac.queue.overflow_count for mac in macs),
        "rx_ok": sum(device.phy.rx_ok_count for device in devices),
        "rx_error": sum(device.phy.rx_error_count for device in devices),
    }


def figures(run: dict[str, Any]) -> dict[str, float]:
    """Reduce a run, ours or ns-3's, to the numbers that are compared."""
    flows = run["flows"]
    received = sum(flow["received"] for flow in flows)
    delays = [flow["delay_mean_s"] * flow["received"] for flow in flows if flow["received"]]
    return run["totals"] | {
        "received": received,
        "delay_ms": 1e3 * sum(delays) / received if received else math.nan,
    }


def compare(
    ours: list[dict[str, Any]], theirs: list[dict[str, Any]]
) -> dict[str, tuple[float, float, float, float]]:
    """Mean of ours, of ns-3's, relative difference, and its standard error, by figure.

    The last is relative to ns-3's mean; counts are taken to vary at least as Poisson ones do.
    """
    table = {}
    mine, reference = [figures(run) for run in ours], [figures(run) for run in theirs]
    for name in reference[0]:
        a = [run[name] for run in mine]
        b = [run[name] for run in reference]
        mean_a, mean_b = statistics.fmean(a), statistics.fmean(b)
        error = 0.0
        for values in (a, b):
            variance = statistics.variance(values) if len(values) > 1 else 0.0
            if name != "delay_ms":
                variance = max(variance, statistics.fmean(values) / 5)
            error += variance / len(values)
        # A counter that is zero in one and hardly more in the other differs by its own amount.
        scale = abs(mean_b) or 1.0
        table[name] = (mean_a, mean_b, (mean_a - mean_b) / scale, math.sqrt(error) / scale)
    return table


def agrees(difference: float, error: float) -> bool:
    """Whether a difference is within 3 %, or within what four standard errors explain."""
    return abs(difference) <= max(0.03, 4 * error)


@functools.cache
def cases(group: str) -> tuple[dict[str, Any], ...]:
    """Cases of a reference file."""
    return tuple(json.loads((REFERENCE / f"adhoc_{group}.json").read_text())["cases"])


def line_of_table(name: str, table: dict[str, tuple[float, float, float, float]]) -> str:
    """Ours, ns-3's and the difference for the figures that say most."""
    cells = [name]
    for figure in ("data", "ack_timeout", "cts_timeout", "received", "delay_ms"):
        mine, reference, difference, error = table[figure]
        digits = 3 if figure == "delay_ms" else 0
        if mine == reference == 0:
            cells.append("-")
        else:
            cells.append(
                f"{mine:.{digits}f} / {reference:.{digits}f} ({100 * difference:+.1f} ± "
                f"{100 * error:.1f})"
            )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print ours beside ns-3's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=GROUPS)
    parser.add_argument("--case", help="part of a case's name")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="also figures that agree within 3 %%")
    parser.add_argument(
        "--standard-window",
        action="store_true",
        help="reset the contention window after a drop, as the standard says",
    )
    parser.add_argument("--markdown", action="store_true", help="a line of a table for each case")
    options = parser.parse_args()
    device = {"keep_window_after_drop": False} if options.standard_window else {}
    for group in GROUPS if options.only is None else (options.only,):
        for case in cases(group):
            if options.case and options.case not in case["name"]:
                continue
            ours = [run_case(case["parameters"], run + 1, **device) for run in range(options.runs)]
            table = compare(ours, case["runs"])
            if options.markdown:
                print(line_of_table(case["name"], table))
                continue
            events = sum(run["events"] for run in ours)
            cpu = sum(run["cpu_s"] for run in ours)
            print(f"{case['name']}  ({1e9 * cpu / max(events, 1):.0f} ns/event, {cpu:.1f} s)")
            for name, (mine, reference, difference, error) in table.items():
                if options.all or abs(difference) > 0.03:
                    mark = "" if agrees(difference, error) else "  <--"
                    print(
                        f"    {name:12s} {mine:12.2f} {reference:12.2f} "
                        f"{100 * difference:+8.2f} % +- {100 * error:.2f}{mark}"
                    )


if __name__ == "__main__":
    main()
