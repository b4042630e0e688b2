"""The router of nfd-forwarding: rate, memory, and what ndnSIM and NFD reach.

The peers' figures were measured for this project (ndnSIM 2.9 at -O2, NFD 24.07 over Unix sockets,
star with content, CPU time of one core) and are not measured again.
"""

from __future__ import annotations

import time

import pytest
from comparison import Row, in_turn, judge

from simcore import Simulator
from simcore.examples.nfd_forwarding import NfdForwarding
from simcore.models.ndn import Data, Forwarder, Interest
from simcore.models.ndn.content_store import ContentStore
from simcore.models.ndn.testing import CallbackFace

#: Interests/s: (limit of ours, ndnSIM 2.9, NFD 24.07).
FIGURES = {"short": (500_000, 31_000, 13_500), "medium": (400_000, 27_000, 11_000)}
FIGURES["long"] = (350_000, 12_000, 7_100)
ROUNDS = 5


def rate(rounds: int = ROUNDS, **parameters: object) -> float:
    """Exchanges per second of CPU time: generator, links and router; the best of some rounds."""
    best = 0.0
    for _round in range(rounds):
        scenario = NfdForwarding(rate=100_000, duration=3, **parameters)
        sim = Simulator()
        scenario.build(sim)
        started = time.process_time()
        sim.run()
        best = max(best, scenario.router.counters.satisfied / (time.process_time() - started))
    return best


@pytest.mark.parametrize("names", list(FIGURES))
def test_exchanges(record, names):
    """Exchanges of nfd-forwarding against ndnSIM and NFD."""
    limit, ndnsim, nfd = FIGURES[names]
    ours = rate(names=names)
    what = f"nfd-forwarding, {names} names"
    record(
        Row(
            what, ours, unit="/s", limit=f">= {limit:,}/s", held=ours >= limit,
            note="content store 65,536, dead nonce list",
        )
    )  # fmt: skip
    for name, peer in (("ndnSIM 2.9", ndnsim), ("NFD 24.07", nfd)):
        record(Row(what, ours, name, peer, "/s", ours / peer, True, note="peer: figure on record"))


def test_large_fib(record):
    """nfd-forwarding with 10,000 further routes."""
    pairs = in_turn(lambda: 1 / rate(1, routes=10_000), lambda: 1 / rate(1), 2 * ROUNDS + 1)
    record(judge("nfd-forwarding, 10,000 routes", pairs, "128 routes", at_most=1.1))


def resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


def test_memory_of_a_pit_entry(record):
    """Memory of a PIT entry, its place in the table and its timer included."""
    sim = Simulator()
    forwarder = Forwarder(sim, 0)
    downstream, upstream = CallbackFace(), CallbackFace()
    forwarder.add_face(downstream)
    forwarder.add_face(upstream)
    forwarder.add_route("/a", upstream)
    interests = [Interest(f"/a/{i}", nonce=i) for i in range(1_000_000)]
    before = resident()
    for interest in interests:
        downstream.receive_interest(interest)
    ours = (resident() - before) / forwarder.pit.size
    record(Row("PIT entry", ours, unit="B", limit="<= 200 B", held=ours <= 200))
    record(Row("PIT entry", ours, "ndnSIM 2.9", 2_600, "B", 2_600 / ours, note="figure on record"))
    record(Row("PIT entry", ours, "NFD 24.07", 3_000, "B", 3_000 / ours, note="figure on record"))


def test_memory_of_a_cs_entry(record):
    """Memory of a content store entry beside the Data, which is shared."""
    count = 500_000
    store = ContentStore(count)
    data = [Data(f"/a/{i}", 1000) for i in range(count)]
    before = resident()
    for item in data:
        store.insert(item)
    ours = (resident() - before) / count
    record(Row("CS entry", ours, unit="B", limit="<= 150 B", held=ours <= 150))
