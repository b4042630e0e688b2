"""M/M/1 at 80 % load in cimba: prints customers per second of CPU, best of several runs, as JSON.

Runs under a Python that has cimba (``pip install cimba``, in a virtual environment of its own).
The model is the queue of cimba's README: a source and a server process around a container.
"""

import json
import os
import sys
import time

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import cimba as cb
import numpy as np
from cimba import inputs

MEAN_GAP = 1.0
MEAN_SERVICE = 0.8


class MM1(cb.Model):
    interarrival: cb.Input[float] = inputs.dist.exponential(mean=MEAN_GAP)
    service_time: cb.Input[float] = inputs.dist.exponential(mean=MEAN_SERVICE)
    queue: cb.Container
    mean_queue: cb.Output[float]

    @cb.process
    def arrivals(self):
        while True:
            cb.hold(self.interarrival.next())
            self.queue.put(1)

    @cb.process
    def server(self):
        while True:
            self.queue.get(1)
            cb.hold(self.service_time.next())

    @cb.on_end
    def measure(self):
        self.mean_queue = self.queue.mean_level()


def run(customers: float) -> tuple[float, float]:
    """CPU seconds, and the mean number that waits."""
    model = MM1()
    experiment = cb.Experiment(
        model, replications=1, window=cb.Window(warmup=0, duration=customers * MEAN_GAP), seed=123
    )
    started = time.process_time()
    results = experiment.run()
    elapsed = time.process_time() - started
    return elapsed, float(np.mean(np.asarray(results[model].mean_queue)))


def main() -> None:
    customers = float(sys.argv[1]) if len(sys.argv) > 1 else 1e6
    run(1000)
    # The difference of two lengths leaves out what a run costs before it starts.
    best = min(run(2 * customers)[0] for _ in range(5)) - min(run(customers)[0] for _ in range(5))
    waiting = run(2 * customers)[1]
    print(json.dumps({
        "customers_per_second": customers / best,
        "mean_waiting": waiting,
        "mean_length": waiting + MEAN_SERVICE / MEAN_GAP,
    }))


if __name__ == "__main__":
    main()
