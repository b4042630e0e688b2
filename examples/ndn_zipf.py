"""A cache and a catalogue: hits by popularity, beside Che's approximation."""

import math
from collections.abc import Sequence

from simcore import Simulator, seconds
from simcore.models.ndn.apps import ConsumerZipf, Producer, ZipfMandelbrot
from simcore.models.ndn.helpers import add_route
from simcore.models.ndn.stack import install
from simcore.models.network import PointToPointDevice, PointToPointLink, create_nodes
from simcore.scenario import Scenario, parameter


def che_hit_ratio(popularity: Sequence[float], capacity: int) -> float:
    """Share of requests that an LRU cache answers when they are independent.

    H. Che, Y. Tung, Z. Wang, "Hierarchical web caching systems: modeling, design and experimental
    results", IEEE JSAC 20(7), 2002: a content stays for a time T after its last request, the same
    for all, of which as many contents are requested as fit into the cache.
    """
    if capacity >= len(popularity):
        return 1.0
    if capacity == 0:
        return 0.0
    low, high = 0.0, 1.0
    while sum(-math.expm1(-p * high) for p in popularity) < capacity:
        high *= 2
    for _ in range(100):
        time = (low + high) / 2
        if sum(-math.expm1(-p * time) for p in popularity) < capacity:
            low = time
        else:
            high = time
    return sum(-p * math.expm1(-p * time) for p in popularity)


class NdnZipf(Scenario):
    """Requests after Zipf and Mandelbrot's law pass a router with a cache."""

    contents: int = parameter(1000, min=1, max=10**8, help="size of the catalogue")
    q: float = parameter(0.7, min=0, max=1e9, help="plateau among the most popular")
    s: float = parameter(0.7, min=0, max=100, help="skewness")
    cs_capacity: int = parameter(100, min=0, max=10**9, help="Data that the router caches")
    frequency: float = parameter(1000.0, unit="Hz", min=1e-6, max=1e9, help="Interests per second")
    payload_size: int = parameter(1024, unit="B", min=0, max=8000, help="content of the Data")
    warm_up: float = parameter(5.0, unit="s", min=0, max=1e9, help="not counted in hit_ratio")
    total_time: float = parameter(60.0, unit="s", help="simulated time")

    def build(self, sim: Simulator) -> None:
        consumer, router, producer = create_nodes(sim, 3)
        self.links = [
            PointToPointLink(consumer, router, "1Gbps", "10us", 1000),
            PointToPointLink(router, producer, "1Gbps", "10us", 1000),
        ]
        install([consumer, producer], cs_capacity=0)
        (self.router,) = install(router, cs_capacity=self.cs_capacity)
        add_route(consumer, "/catalogue", router)
        add_route(router, "/catalogue", producer)
        Producer(producer, "/catalogue", payload_size=self.payload_size)
        self.consumer = ConsumerZipf(
            consumer,
            "/catalogue",
            self.frequency,
            contents=self.contents,
            q=self.q,
            s=self.s,
            randomize="exponential",
        )
        self.before = (0, 0)
        sim.schedule(seconds(self.warm_up), self.begin_count)

    def begin_count(self) -> None:
        self.before = (self.router.counters.cs_hits, self.router.counters.cs_misses)

    def report(self, sim: Simulator) -> dict[str, float | None]:
        counters = self.router.counters
        hits = counters.cs_hits - self.before[0]
        requests = hits + counters.cs_misses - self.before[1]
        law: ZipfMandelbrot = self.consumer.popularity
        delay = self.consumer.mean_delay
        return {
            "interests": self.consumer.sent,
            "data": self.consumer.received,
            "cache_hits": counters.cs_hits,
            "cache_misses": counters.cs_misses,
            "hit_ratio": hits / requests if requests else None,
            "che_hit_ratio": (
                che_hit_ratio([law.probability(k) for k in range(1, law.n + 1)], self.cs_capacity)
                if law.n <= 100_000
                else None
            ),
            "mean_delay_us": None if delay is None else delay * 1e-3,
        }

    def traced(self, sim: Simulator) -> Sequence[PointToPointDevice]:
        return [device for link in self.links for device in link.devices]
