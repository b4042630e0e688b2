"""Strategies, suppression and strategy choice against the cases of NFD's tests."""

from __future__ import annotations

import pytest

from simcore import Simulator, ms, seconds
from simcore.models.ndn.announcement import PrefixAnnouncement
from simcore.models.ndn.data import Data
from simcore.models.ndn.forwarder import Forwarder, Strategy, StrategyError, strategy_from
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import NackReason
from simcore.models.ndn.name import Name
from simcore.models.ndn.network_region import NetworkRegionTable
from simcore.models.ndn.retx_suppression import RetxSuppression
from simcore.models.ndn.rtt import RttEstimator
from simcore.models.ndn.testing import CallbackFace, RecordingFace, connect
from simcore.models.ndn.tlv import TlvError


@pytest.fixture
def case(reference):
    rows = {row["id"]: row for row in reference("strategies")}
    return rows.__getitem__


@pytest.fixture
def suppression(reference):
    rows = {row["mode"]: row for row in reference("retx_suppression")}
    return rows.__getitem__


class Scripted(Strategy):
    """Sends an Interest upstream when the test says so."""

    name = "scripted"
    version = 1

    def __init__(self):
        self.send = True

    def after_receive_interest(self, ingress, interest, entry):
        if self.send:
            for hop in self.lookup_fib(entry).nexthops:
                self.send_interest(interest, hop.face, entry)
        return 0


class Bench:
    def __init__(self, sim: Simulator, strategy, faces: int = 4):
        self.sim = sim
        self.forwarder = Forwarder(sim, strategy=strategy)
        self.faces = {
            i: self.forwarder.add_face(RecordingFace(sim)) for i in range(1, faces + 1)
        }
        self.nonce = 100

    def interest(self, face: int, uri: str = "/A", **options) -> Interest:
        self.nonce += 1
        interest = Interest(uri, nonce=self.nonce, **options)
        self.faces[face].receive_interest(interest)
        return interest

    def taken(self, kind: str) -> list[int]:
        """Faces that got packets of a kind since the last call, in order of time."""
        found = sorted(
            (time, i) for i, face in self.faces.items() for time, what, *_ in face.sent
            if what == kind
        )
        for face in self.faces.values():
            face.sent.clear()
        return [i for _, i in found]


@pytest.mark.parametrize("mode", ["per_pit", "fixed"])
def test_suppression_per_entry(sim, suppression, mode):
    row = suppression(mode)
    if mode == "fixed":
        rule = RetxSuppression(ms(row["interval"]), ms(row["interval"]), 1.0)
    else:
        rule = RetxSuppression(ms(row["initial"]), ms(row["max"]), row["mult"])
    strategy = Scripted()
    bench = Bench(sim, strategy)
    bench.forwarder.add_route("/A", bench.faces[2])
    strategy.send = False
    bench.interest(1)
    (entry,) = bench.forwarder.pit.entries
    for t, decision, *sends in row["steps"]:
        sim.run(until=ms(t))
        assert rule.decide(entry, sim.now()) == decision.lower().partition("?")[0]
        strategy.send = sends == ["send"]
        bench.interest(1)


def test_suppression_per_upstream(sim, suppression):
    row = suppression("per_upstream")
    rule = RetxSuppression(ms(row["initial"]), ms(row["max"]), row["mult"])
    bench = Bench(sim, Scripted())
    bench.forwarder.add_route("/A", bench.faces[2])
    bench.forwarder.strategy_choice.find("/A").send = False
    bench.interest(4)
    (entry,) = bench.forwarder.pit.entries
    for when, decision, *then in row["steps"]:
        words = when.split()
        sim.run(until=ms(int(words[0][2:])))
        face = bench.faces[int(words[1][4:])]
        assert rule.decide(entry, sim.now(), face) == decision.lower()
        if then:
            bench.forwarder.strategy_choice.find("/A").send = True
            bench.interest(4)
        if then == ["increment interval"]:
            rule.forwarded(entry, face)


def test_new_when_nothing_is_pending(sim, suppression):
    assert "all expired or Nacked" in suppression("new_when")["value"]
    rule = RetxSuppression()
    bench = Bench(sim, Scripted())
    bench.forwarder.add_route("/A", bench.faces[2])
    interest = bench.interest(1)
    (entry,) = bench.forwarder.pit.entries
    assert rule.decide(entry, 0) == "suppress"
    bench.interest(3, lifetime=seconds(100))
    bench.faces[2].receive_nack(interest, NackReason.NO_ROUTE)
    assert rule.decide(entry, 0) == "suppress"
    assert rule.decide(entry, seconds(101)) == "new"


def test_defaults_of_suppression(reference):
    rule = RetxSuppression()
    assert (rule.initial, rule.longest, rule.multiplier) == (ms(10), ms(250), 2.0)
    with pytest.raises(ValueError, match=r"multiplier is 0\.5"):
        RetxSuppression(multiplier=0.5)
    with pytest.raises(ValueError, match="longest interval"):
        RetxSuppression(ms(10), ms(5))


def test_best_route(sim, suppression):
    row = suppression("best_route")
    bench = Bench(sim, "best-route")
    for face, cost in row["fib"]:
        bench.forwarder.add_route("/A", bench.faces[face], cost)
    lifetime = ms(row["lifetime_ms"])
    bench.interest(row["first_from"], lifetime=lifetime)
    for t in range(row["retx_every_ms"], 1000, row["retx_every_ms"]):
        sim.run(until=ms(t))
        bench.interest(row["retx_from"], lifetime=lifetime)
    sent = sorted(
        (time, i) for i, face in bench.faces.items() for time, kind, *_ in face.sent if kind == "I"
    )
    faces = row["sends_expected_faces"]
    assert [i for _, i in sent][: len(faces)] == faces
    times = row["sends_times_ms_derived"]
    assert [time for time, _ in sent][: len(times)] == [ms(t) for t in times]


def test_no_route(sim):
    for strategy in ("best-route", "random", "asf"):
        bench = Bench(sim, strategy)
        bench.interest(1)
        assert bench.faces[1].sent[0][1::2] == ("N", NackReason.NO_ROUTE)
        assert len(bench.forwarder.pit) == 0
        bench.forwarder.add_route("/A", bench.faces[1])
        bench.interest(1)
        assert bench.taken("N") == [1, 1]


@pytest.mark.parametrize("strategy", ["best-route", "random", "asf"])
def test_nack_when_all_upstreams_nacked(sim, case, strategy):
    row = case("nack_two_upstreams")
    bench = Bench(sim, Scripted)
    for face in row["out"]:
        bench.forwarder.add_route("/A", bench.faces[face])
    (downstream,) = row["in"]
    interest = bench.interest(downstream)
    (entry,) = bench.forwarder.pit.entries
    bench.forwarder.strategy_choice.set("/", strategy)
    bench.taken("I")
    for action, outcome in row["steps"]:
        face = int(action.split()[1])
        bench.faces[face].receive_nack(interest, NackReason.CONGESTION)
        expected = [] if outcome == "none" else [int(outcome.split()[-1])]
        assert bench.taken("N") == expected
    assert entry.in_faces == []


def test_nack_with_timeout(sim, case):
    row = case("nack_with_timeout")
    bench = Bench(sim, Scripted)
    strategy = bench.forwarder.strategy_choice.find("/")
    (downstream,) = row["in"]
    nonces = {}
    for face, when in row["out"]:
        t, _, lifetime = when.removeprefix("t=").partition(" lifetime ")
        sim.run(until=ms(int(t)))
        strategy.send = False
        interest = bench.interest(downstream, lifetime=ms(int(lifetime or 4000)))
        (entry,) = bench.forwarder.pit.entries
        strategy.send_interest(interest, bench.faces[face], entry)
        nonces[face] = interest
    bench.forwarder.strategy_choice.set("/", "best-route")
    t, face = row["nack"]
    sim.run(until=ms(t))
    bench.taken("I")
    bench.faces[face].receive_nack(nonces[face], NackReason.NO_ROUTE)
    assert bench.taken("N") == row["nacks_to"]


def test_nack_between_two_that_wait_for_each_other(sim, case):
    assert "breaks live deadlock" in case("nack_bidirectional")["rule"]
    bench = Bench(sim, Scripted)
    bench.forwarder.add_route("/A", bench.faces[2])
    bench.forwarder.add_route("/A", bench.faces[3])
    interest = bench.interest(1)
    bench.forwarder.strategy_choice.find("/").send = False
    bench.interest(3)
    bench.forwarder.strategy_choice.set("/", "best-route")
    bench.taken("I")
    bench.faces[2].receive_nack(interest, NackReason.NO_ROUTE)
    assert bench.taken("N") == [3]


def test_least_severe_nack(sim):
    bench = Bench(sim, Scripted)
    bench.forwarder.add_route("/A", bench.faces[2])
    bench.forwarder.add_route("/A", bench.faces[3])
    interest = bench.interest(1)
    bench.forwarder.strategy_choice.set("/", "best-route")
    bench.faces[2].receive_nack(interest, NackReason.NO_ROUTE)
    bench.faces[3].receive_nack(interest, NackReason.CONGESTION)
    assert [reason for *_, reason in bench.faces[1].sent] == [NackReason.CONGESTION]


def test_multicast(sim, case):
    row = case("multicast_basic")
    bench = Bench(sim, "multicast")
    for face in row["fib"]:
        bench.forwarder.add_route("/A", bench.faces[face])
    bench.interest(row["in"])
    assert bench.taken("I") == row["sent_to"]


def test_multicast_retransmissions(sim, case):
    row = case("multicast_retx")
    bench = Bench(sim, "multicast")
    for face in row["fib"]:
        bench.forwarder.add_route("/A", bench.faces[face])
    for when, expected in row["steps"]:
        words = when.split()
        sim.run(until=ms(int(words[0].lstrip("t+"))))
        bench.interest(int(words[2]))
        assert bench.taken("I") == expected, when


def test_multicast_does_not_send_back(sim, case):
    row = case("multicast_loop")
    bench = Bench(sim, "multicast")
    for face in row["fib"]:
        bench.forwarder.add_route("/A", bench.faces[face])
    bench.interest(row["in"])
    assert bench.taken("I") == row["sent_to"]
    assert bench.taken("N") == []


def test_multicast_uses_a_new_next_hop(sim, case):
    row = case("multicast_new_nexthop")
    bench = Bench(sim, "multicast")
    for face in row["fib"]:
        bench.forwarder.add_route("/A", bench.faces[face])
    bench.interest(row["in"])
    bench.forwarder.add_route("/A", bench.faces[row["then_add"]])
    assert len(bench.taken("I")) == row["total_sends"]


def test_strategy_choice(sim, reference):
    row = next(row for row in reference("strategy_choice") if "set" in row)
    strategies = {"P": type("P", (Scripted,), {"name": "P"}), "Q": type("Q", (Scripted,), {})}
    forwarder = Forwarder(sim)
    for prefix, which in row["set"]:
        forwarder.strategy_choice.set(prefix, strategies[which])
    for name, which in row["effective"]:
        assert type(forwarder.strategy_choice.find(name)) is strategies[which]
    assert forwarder.strategy_choice.unset("/A")
    assert type(forwarder.strategy_choice.find("/A/X")) is strategies["P"]
    assert not forwarder.strategy_choice.unset("/A")
    with pytest.raises(ValueError, match="must have a strategy"):
        forwarder.strategy_choice.unset("/")


def test_default_strategies(sim, reference):
    defaults = next(
        row["nfd.conf default"] for row in reference("strategy_choice")
        if "nfd.conf default" in row
    )
    forwarder = Forwarder(sim)
    assert {str(prefix): one.name for prefix, one in forwarder.strategy_choice} == defaults


def test_instance_names(reference):
    row = next(row for row in reference("strategy_choice") if "instance_name" in row)
    for name, version in row["versions_2026"].items():
        full = f"/localhost/nfd/strategy/{name}/v={version}"
        for given in (name, f"/localhost/nfd/strategy/{name}", full, Name(full)):
            assert str(strategy_from(given).instance_name) == full
    assert "%FD%05" in row["old_marker_version_alias"]
    old = strategy_from("/localhost/nfd/strategy/best-route/%FD%05")
    assert str(old.instance_name) == "/localhost/nfd/strategy/best-route/v=5"
    given = strategy_from(
        "/localhost/nfd/strategy/best-route/v=5/retx-suppression-initial~20"
        "/retx-suppression-max~400/retx-suppression-multiplier~3"
    )
    rule = given.suppression
    assert (rule.initial, rule.longest, rule.multiplier) == (ms(20), ms(400), 3.0)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("nobody", 404),
        ("/localhost/nfd/strategy/nobody", 404),
        ("/elsewhere/best-route", 404),
        ("/localhost/nfd/strategy/best-route/v=99", 404),
        ("/localhost/nfd/strategy/best-route/v=4", 409),
        ("/localhost/nfd/strategy/best-route/v=5/colour~red", 409),
        ("/localhost/nfd/strategy/best-route/v=5/retx-suppression-initial~x", 409),
        ("/localhost/nfd/strategy/best-route/v=5/retx-suppression-initial~900", 409),
        ("/localhost/nfd/strategy/best-route/v=5/retx", 409),
        ("/localhost/nfd/strategy/asf/v=5/probing-interval~500", 409),
        ("/localhost/nfd/strategy/random/v=1/x~1", 409),
    ],
)
def test_bad_strategies(sim, reference, given, status):
    errors = next(row["errors"] for row in reference("strategy_choice") if "errors" in row)
    assert status in errors.values()
    with pytest.raises(StrategyError) as caught:
        Forwarder(sim).strategy_choice.set("/A", given)
    assert caught.value.code == status


def test_prefix_of_a_choice_is_limited(sim, reference):
    errors = next(row["errors"] for row in reference("strategy_choice") if "errors" in row)
    with pytest.raises(StrategyError, match="33 components") as caught:
        Forwarder(sim).strategy_choice.set("/A" * 33, "multicast")
    assert caught.value.code == errors["depth > 32"]


def test_change_of_strategy_forgets(sim, reference):
    rule = next(row["change"] for row in reference("strategy_choice") if "change" in row)
    assert "no more specific choice" in rule
    bench = Bench(sim, "best-route")
    bench.forwarder.strategy_choice.set("/A/B", "best-route")
    for face in (2, 3):
        bench.forwarder.add_route("/A", bench.faces[face])
    measurements = bench.forwarder.measurements
    for uri in ("/A/1", "/A/B/1"):
        bench.interest(1, uri)
        measurements.get(Name(uri)).info = "learnt"
    sim.run(until=ms(10))
    for uri in ("/A/1", "/A/B/1"):
        bench.interest(1, uri)
    bench.taken("I")
    bench.forwarder.strategy_choice.set("/A", "best-route")
    assert measurements.get(Name("/A/1")).info is None
    assert measurements.get(Name("/A/B/1")).info == "learnt"
    # The interval had grown to 20 ms; where it was forgotten it is 10 ms again.
    sim.run(until=ms(20))
    for uri in ("/A/1", "/A/B/1"):
        bench.interest(1, uri)
    assert [str(one.name) for face in bench.faces.values() for one in face.of("I")] == ["/A/1"]


@pytest.mark.parametrize("row", range(4))
def test_network_region(case, row):
    hint = [Name(uri) for uri in case("network_region")["hint"]]
    regions, expected = case("network_region")["rows"][row]
    assert NetworkRegionTable(regions).is_in_producer_region(hint) is expected


@pytest.mark.parametrize("telia", [True, False])
def test_forwarding_hint(sim, case, telia):
    row = case("forwarding_hint")
    nodes = {name: Forwarder(sim, i) for i, name in enumerate("AHTPCSQ")}
    faces = {}
    seen = {}
    for link in ("AH", "HT", "TP", "HC", "CS", "SQ"):
        a, b = link
        faces[a, b], faces[b, a] = connect(sim, nodes[a], nodes[b], ms(10))
    for node, region in row["regions"].items():
        nodes[node].network_region.add(region)
    for node, routes in row["routes"].items():
        for prefix, next_hop, *cost in routes:
            nodes[node].add_route(prefix, faces[node, next_hop], *cost)
    if not telia:
        nodes["H"].fib.remove("/telia", faces["H", "T"])
    for (a, b), face in faces.items():
        original = type(face).send_interest

        def watch(interest, fields, a=a, b=b, face=face, original=original):
            seen[a, b] = bool(interest.forwarding_hint)
            return original(face, interest, fields)

        face.send_interest = watch
    got = []
    consumer = CallbackFace(data=lambda face, data: got.append(str(data.name)))
    nodes["A"].add_face(consumer)
    for node in "PQ":
        producer = CallbackFace(
            interest=lambda face, interest: face.receive_data(Data(interest.name))
        )
        nodes[node].add_face(producer)
        nodes[node].add_route("/net/ndnsim", producer)
    hint = row["interest"].partition("hint [")[2].rstrip("]").split(", ")
    consumer.receive_interest(Interest("/net/ndnsim/1", forwarding_hint=hint))
    sim.run()
    assert got == ["/net/ndnsim/1"]
    kept, stripped = {k for k, v in seen.items() if v}, {k for k, v in seen.items() if not v}
    if telia:
        assert kept == {("A", "H"), ("H", "T")}
        assert stripped == {("T", "P")}
    else:
        assert kept == {("A", "H"), ("H", "C"), ("C", "S")}
        assert stripped == {("S", "Q")}


def run_consumer(sim, face, prefix, interval, count, start=0):
    """Interests with numbers, at equal intervals."""
    for i in range(count):
        name = Name(prefix).append_sequence(start + i)
        sim.schedule(i * interval, lambda name=name: face.receive_interest(Interest(name)))


def echo(forwarder, prefix, working=None):
    """Producer that answers at once, while `working()`."""

    def answer(face, interest):
        if working is None or working():
            face.receive_data(Data(interest.name))

    producer = forwarder.add_face(CallbackFace(interest=answer))
    forwarder.add_route(prefix, producer)
    return producer


class Laptops:
    """A router between two laptops, 10 and 20 ms away; the consumer is at the router."""

    def __init__(self, sim, row, prefix, working):
        self.router = Forwarder(sim, 0, strategy="access")
        self.links = {}
        for i, (which, delay) in enumerate(row["links_ms"].items(), 1):
            laptop = Forwarder(sim, i)
            self.links[which], _ = connect(sim, self.router, laptop, ms(delay))
            self.router.add_route("/laptops", self.links[which])
            if which in working:
                echo(laptop, prefix, working[which])
        self.consumer = self.router.add_face(CallbackFace())
        run_consumer(sim, self.consumer, prefix, ms(100), 100)

    def counts(self):
        return {
            "data": self.consumer.counters.out_data,
            "interests_A": self.links["A"].counters.out_interests,
            "interests_B": self.links["B"].counters.out_interests,
        }


def check_bounds(found, expected):
    for key, bound in expected.items():
        name = key.rstrip("<>=")
        value = found[name]
        if key.endswith(">="):
            assert value >= bound, key
        elif key.endswith("<="):
            assert value <= bound, key
        else:
            assert value == bound, key


def test_access_one_producer(sim, case):
    row = case("access_one_producer")
    laptops = Laptops(sim, row, "/laptops/A", {"A": None})
    sim.run(until=seconds(12))
    check_bounds(laptops.counts(), row["expect"])


def test_access_fast_and_slow_producer(sim, case):
    row = {**case("access_one_producer"), **case("access_fast_slow")}
    laptops = Laptops(sim, row, "/laptops/BOTH", {"A": None, "B": None})
    sim.run(until=seconds(12))
    check_bounds(laptops.counts(), row["expect"])


def test_access_producer_moves(sim, case):
    row = {**case("access_one_producer"), **case("access_mobility")}
    move = seconds(row["move_at_s"])
    laptops = Laptops(
        sim, row, "/laptops/M", {"A": lambda: sim.now() < move, "B": lambda: sim.now() >= move}
    )
    sim.run(until=move)
    before = laptops.counts()
    assert before["interests_B"] <= row["expect"]["to_B_before<="]
    sim.run(until=seconds(12))
    after = laptops.counts()
    extra = after["interests_A"] - before["interests_A"]
    assert extra <= row["expect"]["extra_to_A_after_move<="]
    assert after["data"] >= row["expect"]["data>="]


class Grid:
    """A reaches C through B (short delay, dear) or D (long delay, cheap)."""

    prefix = "/hr/C"

    def __init__(self, sim, row, strategy="asf", *, d_has_route=True, reply_delay=0):
        self.sim = sim
        self.nodes = {name: Forwarder(sim, i, strategy=strategy) for i, name in enumerate("ABCD")}
        self.links = {}
        for link, delay in row["links_ms"].items():
            a, _, b = link.partition("-")
            self.links[a + b], self.links[b + a] = connect(
                sim, self.nodes[a], self.nodes[b], ms(delay)
            )
        for hop, cost in row["costs_at_A"].items():
            self.nodes["A"].add_route(self.prefix, self.links["A" + hop], cost)
        self.nodes["B"].add_route(self.prefix, self.links["BC"])
        if d_has_route:
            self.nodes["D"].add_route(self.prefix, self.links["DC"])
        producer = self.nodes["C"].add_face(
            CallbackFace(
                interest=lambda face, interest: sim.schedule(
                    reply_delay, face.receive_data, Data(interest.name)
                )
            )
        )
        self.nodes["C"].add_route(self.prefix, producer)
        self.consumer = self.nodes["A"].add_face(CallbackFace())
        self.asked = 0

    def set_up(self, up, *links):
        for link in links:
            self.links[link].up = self.links[link[::-1]].up = up

    def run(self, row):
        interval = ms(row["interval_ms"])
        run_consumer(self.sim, self.consumer, self.prefix, interval, row["count"], self.asked)
        self.asked += row["count"]
        self.sim.run(until=self.sim.now() + row["count"] * interval)

    def counts(self):
        return {
            "data": self.consumer.counters.out_data,
            "interests_AB": self.links["AB"].counters.out_interests,
            "interests_AD": self.links["AD"].counters.out_interests,
            "nacks_from_D": self.links["AD"].counters.in_nacks,
        }


def test_asf_finds_the_faster_path_and_its_failure(case):
    row = case("asf_grid")
    grid = Grid(Simulator(seed=3), row)
    grid.run(row)
    check_bounds(grid.counts(), row["expect_run1"])
    assert row["then"].startswith("link AB fails: data total 57 after 30 more, AB<=36, AD>=24")
    grid.set_up(False, "AB")
    grid.run(row)
    check_bounds(grid.counts(), {"data": 57, "interests_AB<=": 36, "interests_AD>=": 24})
    assert row["then"].endswith("recover + 10 s: data 87, AB>=50, AD<=40")
    grid.set_up(True, "AB")
    grid.sim.run(until=grid.sim.now() + seconds(10))
    grid.run(row)
    check_bounds(grid.counts(), {"data": 87, "interests_AB>=": 50, "interests_AD<=": 40})


def test_asf_leaves_a_face_that_nacks(sim, case):
    row = {**case("asf_grid"), **case("asf_nack")}
    grid = Grid(sim, row, d_has_route=False)
    grid.run(row)
    check_bounds(grid.counts(), row["expect"])


def test_asf_retransmissions(sim, case):
    """While an answer is slow: the other face, then the one that was used first again."""
    grid = Grid(sim, case("asf_grid"), reply_delay=ms(400))
    found = []
    for _ in range(3):
        grid.consumer.receive_interest(Interest("/hr/C/1"))
        sim.run(until=sim.now() + ms(100))
        counts = grid.counts()
        found.append((counts["interests_AB"], counts["interests_AD"]))
    assert found == [(0, 1), (1, 1), (1, 2)]
    sim.run(until=seconds(6))
    assert grid.counts()["data"] == 1
    # The slower answer is still taken, and measured.
    assert grid.links["AB"].counters.in_data == grid.links["AD"].counters.in_data == 1


def test_asf_parameters(case):
    row = case("asf_params")
    defaults = row["defaults"]
    asf = strategy_from("asf")
    assert asf.probing_interval == ms(defaults["probing-interval_ms"])
    assert asf.max_timeouts == defaults["max-timeouts"]
    assert asf.measurements_lifetime == ms(defaults["measurements-lifetime_ms"])
    assert defaults["min probing-interval_ms"] == 1000
    strategy_from("/localhost/nfd/strategy/asf/v=5/probing-interval~1000/max-timeouts~5")
    with pytest.raises(StrategyError, match="above the probing-interval"):
        strategy_from("/localhost/nfd/strategy/asf/v=5/measurements-lifetime~60000")


def test_random_uses_every_next_hop(sim):
    bench = Bench(sim, "random", faces=5)
    for face in (2, 3, 4, 5):
        bench.forwarder.add_route("/A", bench.faces[face])
    for i in range(4000):
        bench.interest(1, f"/A/{i}")
    counts = [len(bench.faces[face].of("I")) for face in (2, 3, 4, 5)]
    assert sum(counts) == 4000
    # Six standard deviations of a binomial with p = 1/4.
    assert all(abs(count - 1000) < 6 * (4000 * 3 / 16) ** 0.5 for count in counts)


def test_rtt_estimator(case):
    assert "alpha 1/8, beta 1/4, initial RTO 1 s, min RTO 200 ms" in case("rtt_estimator")["rule"]
    rtt = RttEstimator()
    assert rtt.timeout == seconds(1)
    rtt.add(ms(200))
    assert (rtt.smoothed, rtt.variation, rtt.timeout) == (ms(200), ms(100), ms(600))
    rtt.add(ms(280))
    assert (rtt.smoothed, rtt.variation, rtt.timeout) == (ms(210), ms(95), ms(590))
    rtt.back_off()
    assert rtt.timeout == ms(1180)
    for _ in range(20):
        rtt.back_off()
    assert rtt.timeout == seconds(60)
    for _ in range(100):
        rtt.add(ms(1))
    assert rtt.timeout == ms(200)


class Line:
    """A - B - C, all self-learning; B has another neighbour, D; the producer is at C."""

    def __init__(self, sim):
        self.sim = sim
        self.before = {}
        self.nodes = {
            name: Forwarder(sim, i, strategy="self-learning", cs_capacity=0)
            for i, name in enumerate("ABCD")
        }
        self.links = {}
        for a, b in ("AB", "BC", "BD"):
            self.links[a + b], self.links[b + a] = connect(
                sim, self.nodes[a], self.nodes[b], ms(10)
            )
        self.got = []
        self.consumer = self.nodes["A"].add_face(
            CallbackFace(
                data=lambda face, data: self.got.append(str(data.name)),
                nack=lambda face, interest, reason: self.got.append(reason),
            )
        )
        producer = echo(self.nodes["C"], "/P")
        self.announcement = PrefixAnnouncement.make("/P", seconds(3600))
        self.nodes["C"].announced.announce(self.announcement, producer, seconds(3600))

    def ask(self, uri):
        self.consumer.receive_interest(Interest(uri))
        self.sim.run(until=self.sim.now() + seconds(1))
        sent = {link: face.counters.out_interests for link, face in self.links.items()}
        return {link for link, count in sent.items() if count - self.before.get(link, 0)}, sent

def test_self_learning(sim):
    line = Line(sim)
    used, line.before = line.ask("/P/1")
    # The first Interest goes everywhere, the second where the answer came from.
    assert used == {"AB", "BC", "BD"}
    used, line.before = line.ask("/P/2")
    assert used == {"AB", "BC"}
    assert line.got == ["/P/1", "/P/2"]
    for node, link in (("A", "AB"), ("B", "BC")):
        hops = line.nodes[node].fib.exact("/P").nexthops
        assert [(hop.face, hop.cost) for hop in hops] == [(line.links[link], 2048)]
    # Routes end ten minutes after they were learnt.
    sim.run(until=seconds(601))
    assert line.nodes["A"].fib.exact("/P") is None


def test_self_learning_forgets_what_leads_nowhere(sim):
    line = Line(sim)
    _, line.before = line.ask("/P/1")
    line.nodes["B"].announced.renew(Name("/P/1"), line.links["BC"], 0)
    assert line.nodes["B"].fib.exact("/P") is None
    _, line.before = line.ask("/P/2")
    assert line.got == ["/P/1", NackReason.NO_ROUTE]
    assert line.nodes["A"].fib.exact("/P") is None
    used, line.before = line.ask("/P/3")
    assert used == {"AB", "BC", "BD"}
    assert line.got[-1] == "/P/3"


def test_prefix_announcement():
    made = PrefixAnnouncement.make("/P/Q", ms(5500), version=7)
    assert PrefixAnnouncement.from_wire(made.wire) == made
    assert str(Data.from_wire(made.wire).name) == "/P/Q/32=PA/v=7/seg=0"
    with pytest.raises(TlvError, match="no prefix announcement"):
        PrefixAnnouncement.from_wire(Data("/P/Q").to_wire())
