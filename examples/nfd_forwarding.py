"""The published NFD forwarding benchmark: client-server pairs around one router."""

import dataclasses
import gc
import time
from pathlib import Path
from typing import Any, ClassVar

from simcore import Simulator, seconds
from simcore.examples.nfd_published import CELLS, Cell, Measured, plot, search
from simcore.models.ndn import Forwarder
from simcore.models.ndn.service_models import SERVICE_MODELS
from simcore.models.ndn.traffic import TrafficClientFace, TrafficLog, TrafficServerFace
from simcore.results import Results
from simcore.scenario import ParameterError, Scenario, parameter

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters(components: int) -> str:
    """Return a name of components of five letters, through the alphabet: /abcde/fghij/..."""
    return "".join(
        "/" + "".join(ALPHABET[(5 * i + k) % 26] for k in range(5)) for i in range(components)
    )


#: Base of the names by what the reports call them; behind it come a pair's number and a sequence
#: number. The medium names of the second report have one component more.
BASES = {
    "short": letters(1),
    "medium": letters(4),
    "medium-5": letters(5),
    "long": letters(25),
}


class NfdForwarding(Scenario):
    """Clients ask servers for unique names through one router, as in the reports on NFD.

    Every client sends Interests at equal intervals; a sequence number makes each name unique.
    With ``--published true`` the highest rate that the router bears is searched for each cell of
    the published table instead.
    """

    machine_metrics: ClassVar[frozenset[str]] = frozenset({"forwarded_per_wall_s"})

    pairs: int = parameter(128, min=1, max=10_000, help="clients, each with a server of its own")
    names: str = parameter(
        "short",
        choices=tuple(BASES),
        help="letters in front of a pair's number: 1, 4, 5 or 25 components",
    )
    content: bool = parameter(True, help="whether servers answer")
    payload: int = parameter(1435, unit="B", min=0, max=8000, help="content of each Data")
    rate: float = parameter(
        100_000, min=0.001, max=1e8, help="Interests per second of all clients together"
    )
    duration: float = parameter(5, unit="s", min=1e-6, max=1e6, help="time in which clients send")
    arrivals: str = parameter(
        "even",
        choices=("even", "phases", "poisson"),
        help="clients one after another, with random phases, or with exponential intervals",
    )
    delay: float = parameter("5us", unit="s", min=0, max=100, help="of each link")
    lifetime: float = parameter(4, unit="s", min=0.001, max=1e5, help="of Interests")
    must_be_fresh: bool = parameter(True, help="of Interests; the Data have no FreshnessPeriod")
    cs_capacity: int = parameter(65536, unit="packets", min=0, max=2**31 - 1, help="of the cache")
    routes: int = parameter(0, min=0, max=10**6, help="further routes in the FIB")
    pit_limit: int = parameter(1 << 20, min=1, max=2**31 - 1, help="pending Interests at a time")
    service_model: str = parameter(
        "none", choices=tuple(SERVICE_MODELS), help="time that packets take in the router"
    )
    strategy: str = parameter(
        "best-route",
        choices=("best-route", "multicast", "access", "asf", "random"),
        help="of the router",
    )
    published: bool = parameter(False, help="search the rates of the published table")

    def build(self, sim: Simulator) -> None:
        self.measured: list[Measured] = []
        if self.published:
            sim.schedule(0, self.search_all, sim)
            return
        self.build_star(sim)
        self.began = time.perf_counter()

    def build_star(self, sim: Simulator) -> None:
        interval = self.pairs * 1e9 / self.rate
        if interval > 1e18:
            raise ParameterError(
                f"rate is {self.rate}/s: it must be higher with {self.pairs} pairs",
                "rate",
                self.rate,
            )
        if seconds(self.lifetime) % 1_000_000:
            raise ParameterError(
                f"lifetime is {self.lifetime} s: it must be whole milliseconds",
                "lifetime",
                self.lifetime,
            )
        self.log = TrafficLog()
        self.router = Forwarder(
            sim,
            0,
            cs_capacity=self.cs_capacity,
            strategy=self.strategy,
            pit_limit=self.pit_limit,
            service_model=self.service_model,
        )
        phases = sim.random.stream("nfd-forwarding/phases")
        delay, stop = seconds(self.delay), seconds(self.duration)
        for i in range(self.pairs):
            prefix = f"{BASES[self.names]}/{i:03d}"
            server = TrafficServerFace(
                sim, self.log, payload=self.payload if self.content else None, delay=delay
            )
            self.router.add_face(server)
            self.router.add_route(prefix, server)
            phase = i / self.pairs if self.arrivals == "even" else phases.uniform(0, 1)
            client = TrafficClientFace(
                sim,
                self.log,
                prefix,
                interval=interval,
                start=int(phase * interval),
                stop=stop,
                delay=delay,
                lifetime=seconds(self.lifetime),
                must_be_fresh=self.must_be_fresh,
                nonces=sim.random.stream(f"nfd-forwarding/{i}/nonces"),
                gaps=(
                    sim.random.stream(f"nfd-forwarding/{i}/gaps")
                    if self.arrivals == "poisson"
                    else None
                ),
            )
            self.router.add_face(client)
        for i in range(self.routes):
            # One to eight components, none of them a prefix of the names asked for.
            self.router.add_route(f"/other/{i}{letters(i % 7)}", server)

    def report(self, sim: Simulator) -> dict[str, float | int | None]:
        if self.published:
            return self.report_published()
        log, counters = self.log, self.router.counters
        wall = time.perf_counter() - self.began
        lost = log.sent - (log.received if self.content else log.served)
        metrics = {
            "interests_sent": log.sent,
            "data_received": log.received,
            "nacks": log.nacks,
            "timeouts": log.timeouts,
            "loss_rate": lost / log.sent if log.sent else None,
            "mean_latency_ms": log.latency.mean * 1e-6 if log.received else None,
            "p99_latency_ms": log.latency.percentile(99) * 1e-6 if log.received else None,
            "forwarded_interests": counters.out_interests,
            "forwarded_per_wall_s": counters.out_interests / wall,
            "pit_peak": self.router.pit.peak,
            "cs_hits": counters.cs_hits,
        }
        processor = self.router.processor
        if processor is not None:
            metrics |= {
                "queue_drops": processor.drops,
                "queue_peak": processor.peak_queue,
                "utilisation": processor.utilisation,
                "mean_waiting_ms": processor.mean_waiting_time * 1e-6,
            }
        return metrics

    # The published table

    def search_all(self, sim: Simulator) -> None:
        seed, run = sim.random.seed, sim.random.run
        self.measured = [
            search(cell, lambda cell, **changes: self.trial(cell, seed, run, **changes))
            for cell in CELLS
        ]

    def trial(self, cell: Cell, seed: int, run: int, **changes: Any) -> dict[str, Any]:
        """Run one point of a search; the metrics."""
        scenario = dataclasses.replace(
            self,
            published=False,
            pairs=cell.pairs,
            names=cell.names,
            content=cell.content,
            service_model=cell.model,
            **changes,
        )
        metrics = scenario.run(seed=seed, run=run).metrics
        # The network just left is a cycle of tens of megabytes, in few objects that are counted.
        del scenario
        gc.collect()
        return metrics

    def report_published(self) -> dict[str, float | int | None]:
        ratios = [item.ratio for item in self.measured]
        latencies = [item.latency_ratio for item in self.measured if item.latency_ratio is not None]
        return {
            "cells": len(ratios),
            "worst_rate_ratio": max(ratios, key=lambda r: max(r, 1 / r), default=None),
            "worst_latency_ratio": max(latencies, key=lambda r: max(r, 1 / r), default=None),
            "interests_sent": sum(item.interests for item in self.measured),
        }

    def tables(self, sim: Simulator) -> dict[str, dict[str, list[Any]]]:
        if not self.published:
            return {}
        return {"published": Measured.columns(self.measured)}

    def run(self, **options: Any) -> Results:
        """Run; with ``published`` and ``out``, the plot is written there as published.png."""
        results = super().run(**options)
        if self.published and options.get("out") is not None:
            plot(self.measured, Path(options["out"]) / "published.png")
        return results
