"""Queues with closed formulas: M/M/1, M/M/c and M/G/1, from processes and a resource."""

from collections.abc import Generator
from math import factorial, log, nan, sqrt
from typing import Any

from simcore import Resource, Simulator, ms, seconds
from simcore.random import RandomStream
from simcore.scenario import Scenario, parameter
from simcore.stats import HdrHistogram, Tally, TimeWeighted


class Mm1(Scenario):
    """Customers queue for servers; the results stand beside the closed formulas.

    Arrivals are Poisson. With exponential service this is M/M/1 or M/M/c, with another
    distribution and one server M/G/1.
    """

    servers: int = parameter(1, min=1, help="number of servers")
    mean_gap: float = parameter(1.0, unit="s", min=1e-6, help="mean time between two arrivals")
    mean_service: float = parameter(0.8, unit="s", min=1e-6, help="mean service time")
    service: str = parameter(
        "exponential",
        choices=["exponential", "deterministic", "gamma", "lognormal"],
        help="distribution of the service time",
    )
    service_cv: float = parameter(
        2.0, min=0.01, help="standard deviation over mean of gamma and lognormal service"
    )
    warm_up: float = parameter(1000.0, unit="s", min=0, help="time before anything is counted")
    total_time: float = parameter(20000.0, unit="s", help="simulated time")

    def build(self, sim: Simulator) -> None:
        self.resource = Resource(sim, self.servers)
        self.in_system = TimeWeighted(sim)
        self.in_queue = TimeWeighted(sim)
        self.busy = TimeWeighted(sim)
        self.waiting = Tally()
        self.sojourn = HdrHistogram(3)
        self.arrivals = sim.random.stream("arrivals")
        self.services = sim.random.stream("services")
        self.begin = seconds(self.warm_up)
        sim.process(self.source)
        sim.schedule(self.begin, self.end_warm_up)

    def source(self, sim: Simulator) -> Generator[Any, Any, None]:
        mean = self.mean_gap
        while True:
            yield seconds(self.arrivals.exponential(mean))
            sim.process(self.customer(sim))

    def customer(self, sim: Simulator) -> Generator[Any, Any, None]:
        arrived = sim.now()
        self.in_system.add(1)
        self.in_queue.add(1)
        with self.resource.request() as request:
            yield request
            waited = sim.now() - arrived
            self.in_queue.add(-1)
            self.busy.add(1)
            yield self.service_time(self.services)
            self.busy.add(-1)
        self.in_system.add(-1)
        if arrived >= self.begin:
            self.waiting.add(waited / 1e9)
            self.sojourn.add(sim.now() - arrived)

    def service_time(self, stream: RandomStream) -> int:
        mean, variation = self.mean_service, self.service_cv
        if self.service == "deterministic":
            return seconds(mean)
        if self.service == "gamma":
            shape = variation**-2
            return seconds(stream.gamma(shape, mean / shape))
        if self.service == "lognormal":
            spread = log(1 + variation**2)
            return seconds(stream.lognormal(log(mean) - spread / 2, sqrt(spread)))
        return seconds(stream.exponential(mean))

    def end_warm_up(self) -> None:
        self.in_system.reset()
        self.in_queue.reset()
        self.busy.reset()

    def report(self, sim: Simulator) -> dict[str, float | None]:
        some = self.sojourn.count > 0
        return {
            "customers": self.sojourn.count,
            "utilisation": self.busy.mean / self.servers,
            "mean_in_system": self.in_system.mean,
            "mean_in_queue": self.in_queue.mean,
            "mean_waiting_s": self.waiting.mean if some else None,
            "mean_time_s": self.sojourn.mean / 1e9 if some else None,
            "p95_time_s": self.sojourn.percentile(95) / ms(1000) if some else None,
            "expected_waiting_s": self.expected_waiting(),
        }

    def expected_waiting(self) -> float | None:
        """Mean time in the queue (s) by formula; None when it has none or no end."""
        load = self.mean_service / self.mean_gap
        if load >= self.servers:
            return None
        if self.service == "exponential":
            return erlang_c(self.servers, load) * self.mean_service / (self.servers - load)
        if self.servers > 1:
            return None
        variation = 0.0 if self.service == "deterministic" else self.service_cv
        return pollaczek_khinchine(load, self.mean_service, variation)


def erlang_c(servers: int, load: float) -> float:
    """Probability that a customer of M/M/c waits (Kleinrock, Queueing Systems I, 3.5).

    Parameters
    ----------
    servers
        Number of servers.
    load
        Arrival rate times mean service time (erlang), below the number of servers.
    """
    if not load < servers:
        return nan
    waiting = load**servers / factorial(servers) * servers / (servers - load)
    return waiting / (sum(load**n / factorial(n) for n in range(servers)) + waiting)


def pollaczek_khinchine(load: float, mean_service: float, variation: float) -> float:
    """Mean waiting time in M/G/1 (s) (Kleinrock, Queueing Systems I, 5.7).

    Parameters
    ----------
    load
        Arrival rate times mean service time, below 1.
    mean_service
        Mean service time (s).
    variation
        Standard deviation of the service time over its mean.
    """
    return load * mean_service * (1 + variation**2) / (2 * (1 - load))
