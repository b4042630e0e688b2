"""Clients and servers at the far ends of a router's faces."""

import pytest

from simcore import Simulator, ms, seconds, us
from simcore.models.ndn import Data, Forwarder
from simcore.models.ndn.traffic import TrafficClientFace, TrafficLog, TrafficServerFace


def star(
    sim, *, payload=100, stop=10_000_000, lifetime=50_000_000, delay=7_000, route=True, **options
):
    log = TrafficLog()
    router = Forwarder(sim, 0)
    server = router.add_face(TrafficServerFace(sim, log, payload=payload, delay=us(11)))
    if route:
        router.add_route("/a", server)
    client = router.add_face(
        TrafficClientFace(
            sim, log, "/a", interval=ms(1), stop=stop, delay=delay, lifetime=lifetime,
            nonces=sim.random.stream("nonces"), **options,
        )
    )  # fmt: skip
    return router, client, server, log


def test_an_exchange_takes_the_delays_of_the_links():
    sim = Simulator()
    router, client, server, log = star(sim)
    sim.run()
    assert (log.sent, log.served, log.received, log.timeouts, log.nacks) == (10, 10, 10, 0, 0)
    assert (log.latency.min, log.latency.max) == (us(36), us(36))
    assert client.counters.in_interests == server.counters.in_data == 10
    assert len(router.pit) == 0
    # Nothing is left to wait for: neither a timeout nor the end of a pending Interest.
    assert sim.now() == ms(9) + us(7 + 22)


def test_names_are_unique_and_numbered():
    sim = Simulator()
    router, *_ = star(sim)
    sim.run()
    assert [str(data.name) for data in router.cs] == [f"/a/seq={i}" for i in range(10)]


def test_unanswered_interests_time_out():
    sim = Simulator()
    router, _, _, log = star(sim, payload=None, stop=ms(100))
    sim.run()
    assert (log.sent, log.served, log.received, log.timeouts) == (100, 100, 0, 100)
    assert sim.now() == ms(99) + ms(50) + us(7)
    assert router.pit.peak == 50


def test_nacks_are_answers():
    sim = Simulator()
    *_, log = star(sim, route=False)
    sim.run()
    assert (log.nacks, log.timeouts, log.received) == (10, 0, 0)


def test_data_after_the_lifetime_is_not_counted():
    sim = Simulator()
    _, client, _, log = star(sim, payload=None, lifetime=ms(2))
    sim.run(ms(1))
    sim.schedule(0, client.send_data, Data("/a/seq=0", 10), None)
    sim.schedule(ms(5), client.send_data, Data("/a/seq=1", 10), None)
    sim.schedule(ms(5), client.send_data, Data("/a/seq=77", 10), None)
    sim.schedule(ms(5), client.send_data, Data("/b/seq=1", 10), None)
    sim.schedule(ms(5), client.send_data, Data("/a/b", 10), None)
    sim.run()
    assert (log.received, log.unexpected, log.timeouts) == (1, 4, 9)


def test_exponential_intervals_have_their_mean():
    sim = Simulator()
    *_, log = star(sim, stop=seconds(20), gaps=sim.random.stream("gaps"))
    sim.run()
    assert log.sent == pytest.approx(20_000, rel=0.03)
    assert log.received == log.sent


@pytest.mark.parametrize(
    ("kind", "options", "field"),
    [
        (TrafficServerFace, {"payload": 9000}, "payload"),
        (TrafficServerFace, {"delay": -1}, "delay"),
        (TrafficServerFace, {"freshness": 5}, "freshness"),
        (TrafficClientFace, {"interval": 0}, "interval"),
        (TrafficClientFace, {"lifetime": 5}, "lifetime"),
        (TrafficClientFace, {"start": -1}, "start"),
    ],
)
def test_wrong_parameters(kind, options, field):
    sim = Simulator()
    if kind is TrafficClientFace:
        nonces = sim.random.stream("nonces")
        options = {"prefix": "/a", "interval": 1e6, "stop": 10, "nonces": nonces} | options
    with pytest.raises(ValueError, match=field):
        kind(sim, TrafficLog(), **options)
