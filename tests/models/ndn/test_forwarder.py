"""Pipelines against the cases of NFD's tests."""

from __future__ import annotations

import gc
import weakref

import pytest

from simcore import Simulator, ms, seconds
from simcore.models.ndn.data import Data
from simcore.models.ndn.face import LinkType
from simcore.models.ndn.forwarder import Forwarder, Strategy
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.lp import LpFields, NackReason
from simcore.models.ndn.name import Name
from simcore.models.ndn.strategies.multicast import Multicast
from simcore.models.ndn.testing import CallbackFace, RecordingFace


class Bench:
    """One forwarder and numbered faces that record."""

    def __init__(self, sim: Simulator, faces: int = 4, **options):
        self.sim = sim
        self.forwarder = Forwarder(sim, **options)
        self.faces = {
            i: self.forwarder.add_face(RecordingFace(sim)) for i in range(1, faces + 1)
        }

    def add_face(self, **options) -> RecordingFace:
        return self.forwarder.add_face(RecordingFace(self.sim, **options))

    def routes(self, fib: dict) -> None:
        for prefix, hops in fib.items():
            for face, cost in hops:
                self.forwarder.add_route(prefix, self.faces[face], cost)

    def counters(self) -> dict[str, int]:
        names = {
            "in_interests": "nInInterests", "out_interests": "nOutInterests",
            "in_data": "nInData", "out_data": "nOutData", "out_nacks": "nOutNacks",
            "cs_hits": "nCsHits", "cs_misses": "nCsMisses", "satisfied": "nSatisfied",
            "unsolicited_data": "nUnsolicitedData",
        }
        mine = self.forwarder.counters.as_dict()
        return {theirs: mine[ours] for ours, theirs in names.items()}

    def expect(self, counters: dict[str, int]) -> None:
        found = self.counters()
        assert {name: found[name] for name in counters} == counters

    def sent(self) -> list[list]:
        return [
            [kind, i, str(packet.name)]
            for i, face in self.faces.items()
            for _, kind, packet, _ in face.sent
        ]


@pytest.fixture
def bench(sim) -> Bench:
    return Bench(sim)


@pytest.fixture
def case(reference):
    rows = {row["id"]: row for row in reference("forwarder")}
    return rows.__getitem__


def test_content_store_hit(bench, case):
    row = case("cs_hit")
    bench.routes(row["fib"])
    for uri in row["cs"]:
        bench.forwarder.cs.insert(Data(uri))
    (_, face, uri, _), = row["events"]
    bench.faces[face].receive_interest(Interest(uri, can_be_prefix=True))
    bench.sim.run(until=ms(500))
    assert bench.sent() == row["sent"]
    bench.expect(row["counters"])
    assert len(bench.forwarder.pit) == row["pit_after_500ms"]


def test_data_from_the_content_store_says_so(bench, case):
    app = bench.add_face(is_local=True)
    bench.forwarder.cs.insert(Data("/A/B"))
    app.receive_interest(Interest("/A/B"))
    fields = app.sent[0][3]
    assert case("cs_hit")["incoming_face_id"].startswith(str(fields.incoming_face_id))


def test_nonce_is_added(bench, case):
    row = case("no_nonce")
    bench.routes(row["fib"])
    bench.faces[1].receive_interest(Interest("/A"))
    (interest,) = bench.faces[2].of("I")
    assert interest.nonce is not None
    assert interest.name == Name(row["sent"][0][2])


@pytest.mark.parametrize(
    ("identity", "expected"),
    [("hoplimit_absent", None), ("hoplimit_1_remote", "drop"), ("hoplimit_1_local", 0)],
)
def test_hop_limit(bench, case, identity, expected):
    row = case(identity)
    egress = bench.add_face(is_local=row["out"] == "local")
    bench.forwarder.add_route("/A", egress)
    bench.faces[1].receive_interest(Interest("/A", hop_limit=row["in"]))
    if expected == "drop":
        assert egress.sent == []
        assert egress.counters.out_hop_limit_zero == 1
    else:
        assert [interest.hop_limit for interest in egress.of("I")] == [expected]


def test_hop_limit_zero_is_dropped(bench):
    bench.routes({"/A": [[2, 0]]})
    bench.faces[1].receive_interest(Interest("/A", hop_limit=0))
    assert bench.sent() == []
    assert bench.faces[1].counters.in_hop_limit_zero == 1
    assert len(bench.forwarder.pit) == 0


def test_default_hop_limit(sim):
    bench = Bench(sim, default_hop_limit=64)
    bench.routes({"/A": [[2, 0]]})
    bench.faces[1].receive_interest(Interest("/A"))
    assert [interest.hop_limit for interest in bench.faces[2].of("I")] == [64]


def test_next_hop_face_id(bench, case):
    row = case("next_hop_face_id")
    bench.routes(row["fib"])
    _, face, uri, _ = row["events"][0]
    chosen = bench.faces[2].id
    bench.faces[face].receive_interest(Interest(uri), LpFields(next_hop_face_id=chosen))
    assert bench.sent() == row["sent"]
    bench.faces[face].receive_interest(Interest("/A/C"), LpFields(next_hop_face_id=999))
    assert bench.sent() == row["sent"]


def test_localhost_from_outside(bench, case):
    row = case("localhost_in_nonlocal")
    bench.routes({"/": [[2, 0]]})
    for kind, _, uri in row["events"]:
        if kind == "I":
            bench.faces[1].receive_interest(Interest(uri))
        else:
            bench.faces[1].receive_data(Data(uri))
    assert bench.sent() == row["sent"]
    bench.expect({"nInInterests": 1, "nInData": 1, "nUnsolicitedData": 0})


def test_localhost_to_outside(bench, case):
    assert "never" in case("localhost_out_nonlocal")["result"]
    app = bench.add_face(is_local=True)
    other = bench.add_face(is_local=True)
    bench.routes({"/localhost/A": [[2, 0]]})
    bench.forwarder.add_route("/localhost/B", other)
    app.receive_interest(Interest("/localhost/A/1"))
    app.receive_interest(Interest("/localhost/B/1"))
    assert bench.sent() == []
    assert [str(interest.name) for interest in other.of("I")] == ["/localhost/B/1"]
    other.receive_data(Data("/localhost/B/1"))
    assert len(app.of("D")) == 1


def test_localhop(bench):
    app = bench.add_face(is_local=True)
    bench.routes({"/localhop": [[2, 0]]})
    bench.forwarder.add_route("/localhop", app)
    app.receive_interest(Interest("/localhop/a"))
    assert [str(interest.name) for interest in bench.faces[2].of("I")] == ["/localhop/a"]
    bench.faces[1].receive_interest(Interest("/localhop/b"))
    assert len(bench.faces[2].of("I")) == 1
    assert [str(interest.name) for interest in app.of("I")] == ["/localhop/b"]


def check_data_that_matches_several_entries(bench, case):
    row = case("multi_match_data")
    for key, faces in row["pit"].items():
        uri, _, options = key.partition(" ")
        for i in faces:
            bench.faces[i].receive_interest(
                Interest(uri, can_be_prefix=options == "cbp", nonce=100 + i)
            )
    (_, face, uri), = row["events"]
    bench.faces[face].receive_data(Data(uri))
    assert [event[:2] for event in bench.sent()] == row["sent"]
    bench.expect(row["counters"])
    assert len(bench.forwarder.pit) == 0


@pytest.fixture
def waiting(sim) -> Bench:
    """Interests are neither forwarded nor refused."""

    class Wait(Strategy):
        name = "wait"

        def after_receive_interest(self, ingress, interest, entry):
            return 0

    return Bench(sim, strategy=Wait)


def test_data_that_matches_several_entries(waiting, case):
    check_data_that_matches_several_entries(waiting, case)


def test_loop(bench, case):
    row = case("loop_nack")
    bench.routes(row["fib"])
    faces = dict(bench.faces)
    faces["multi-access 3"] = bench.add_face(link_type=LinkType.MULTI_ACCESS)
    sent = []
    for _, face, uri, nonce in row["events"]:
        before = {i: len(one.sent) for i, one in faces.items()}
        faces[face].receive_interest(Interest(uri, nonce=nonce))
        sent.append({i: one.sent[before[i]:] for i, one in faces.items() if one.sent[before[i]:]})
    assert list(sent[0]) == [4]
    assert sent[1] == {}
    assert [(kind, reason) for _, kind, _, reason in sent[2][2]] == [("N", NackReason.DUPLICATE)]
    assert sent[3] == {}
    assert sent[4] == {}
    bench.expect(row["counters"])


def test_loop_of_a_short_lived_interest(bench, case):
    row = case("loop_short_lifetime")
    bench.routes({"/A": [[2, 0]]})
    _, face, uri, nonce, _ = row["events"][0]
    interest = Interest(uri, nonce=nonce, lifetime=ms(50))
    bench.faces[face].receive_interest(interest)
    bench.sim.schedule(ms(170), bench.faces[face].receive_interest, interest)
    bench.sim.run()
    bench.expect(row["counters"])


def test_dead_nonce_makes_no_entry(bench, case):
    assert "no PIT entry" in case("dnl_no_pit_leak")["result"]
    bench.forwarder.dead_nonces.add("/A", 7)
    bench.faces[1].receive_interest(Interest("/A", nonce=7))
    assert len(bench.forwarder.pit) == 0
    assert [reason for _, _, _, reason in bench.faces[1].sent] == [NackReason.DUPLICATE]


def test_dead_nonces_of_satisfied_interests(bench, reference):
    rule = next(row["insert_rule"] for row in reference("dead_nonce_list") if "insert_rule" in row)
    assert "MustBeFresh and Data.FreshnessPeriod < DNL lifetime" in rule
    bench.routes({"/": [[2, 0]]})
    nonces = bench.forwarder.dead_nonces
    for uri, must_be_fresh, freshness, remembered in (
        ("/1", True, 0, True),
        ("/2", True, ms(5999), True),
        ("/3", True, seconds(6), False),
        ("/4", False, 0, False),
    ):
        bench.faces[1].receive_interest(Interest(uri, nonce=9, must_be_fresh=must_be_fresh))
        bench.faces[2].receive_data(Data(uri, freshness=freshness))
        assert nonces.has(uri, 9) is remembered
    bench.faces[1].receive_interest(Interest("/5", nonce=9, lifetime=ms(10)))
    bench.sim.run()
    assert nonces.has("/5", 9, bench.sim.now())


def test_unsolicited_data(bench, case):
    row = case("unsolicited")
    _, face, uri = row["events"][0]
    bench.faces[face].receive_data(Data(uri))
    bench.expect(row["counters"])
    assert len(bench.forwarder.cs) == 0


def test_unsolicited_policies(reference):
    policies = next(
        row["unsolicited_policies"] for row in reference("content_store")
        if "unsolicited_policies" in row
    )
    outcome = {
        "never cached (default)": (False, False),
        "cached iff ingress face local": (True, False),
        "cached iff ingress non-local": (False, True),
        "cached": (True, True),
    }
    assert len(policies) == 4
    for policy, meaning in policies.items():
        for is_local, expected in zip((True, False), outcome[meaning], strict=True):
            bench = Bench(Simulator(), unsolicited=policy)
            bench.add_face(is_local=is_local).receive_data(Data("/A"))
            assert (len(bench.forwarder.cs) == 1) is expected
    assert len(Forwarder(Simulator()).cs) == 0
    with pytest.raises(ValueError, match="unsolicited is 'some'"):
        Forwarder(Simulator(), unsolicited="some")


def test_no_cache(bench, reference):
    assert any("cache_policy_no_cache" in row for row in reference("content_store"))
    bench.routes({"/": [[2, 0]]})
    bench.faces[1].receive_interest(Interest("/A"))
    bench.faces[2].receive_data(Data("/A"), LpFields(no_cache=True))
    assert len(bench.faces[1].of("D")) == 1
    assert len(bench.forwarder.cs) == 0


def test_new_next_hop(sim, case):
    row = case("new_nexthop")
    told = []

    class Curious(Strategy):
        name = "curious"

        def after_receive_interest(self, ingress, interest, entry):
            return 0

        def after_new_nexthop(self, nexthop, entry):
            told.append(str(entry.name))
            return 0

    class Told(Multicast):
        """Multicast wants to know; what it would send does not matter here."""

        name = "told"
        after_receive_interest = Curious.after_receive_interest
        after_new_nexthop = Curious.after_new_nexthop

    bench = Bench(sim, faces=9, strategy=Told)
    bench.routes(row["fib"])
    for uri in row["pit"]:
        bench.faces[9].receive_interest(Interest(uri))
    for i, (prefix, expected) in enumerate(row["adds"]):
        told.clear()
        bench.forwarder.add_route(prefix, bench.faces[4 + i], 1)
        assert sorted(told) == expected


def test_entry_expires(bench, case):
    row = case("pit_expiry_unsatisfied")
    bench.routes({"/A": [[2, 0]]})
    bench.faces[1].receive_interest(Interest("/A", lifetime=ms(row["lifetime_ms"])))
    bench.sim.run(until=ms(row["lifetime_ms"] - 1))
    assert len(bench.forwarder.pit) == 1
    bench.sim.run(until=ms(100))
    assert len(bench.forwarder.pit) == row["pit_at_100ms"]
    assert bench.forwarder.counters.unsatisfied == 1


def test_satisfied_entry_ends_at_once(bench, case):
    row = case("pit_expiry_satisfied")
    bench.routes({"/A": [[2, 0]]})
    bench.faces[1].receive_interest(Interest("/A", lifetime=ms(row["lifetime_ms"])))
    bench.sim.schedule(ms(row["data_at_ms"]), bench.faces[2].receive_data, Data("/A"))
    bench.sim.run(until=ms(31))
    assert len(bench.forwarder.pit) == row["pit_at_31ms"]
    assert bench.forwarder.counters.satisfied == 1


def test_nacked_entry_ends(sim, case):
    row = case("pit_expiry_all_nacked")
    bench = Bench(sim, strategy="multicast")
    bench.routes({"/A": [[face, 0] for face in row["out"]]})
    bench.faces[1].receive_interest(Interest("/A", nonce=5))
    for t, face in row["nack_at"]:
        sim.schedule(ms(t), bench.faces[face].receive_nack, Interest("/A", nonce=5), 150)
    for t, expected in row["pit_after"]:
        sim.run(until=ms(t))
        assert len(bench.forwarder.pit) == expected


def test_pit_token(bench, case):
    assert "own PitToken" in case("pit_token")["rule"]
    bench.routes({"/A": [[3, 0]]})
    bench.faces[1].receive_interest(Interest("/A", nonce=1), LpFields(pit_token=b"one"))
    bench.faces[2].receive_interest(Interest("/A", nonce=2), LpFields(pit_token=b"two"))
    assert [fields for _, _, _, fields in bench.faces[3].sent] == [None]
    bench.faces[3].receive_data(Data("/A"))
    for i, token in ((1, b"one"), (2, b"two")):
        assert [fields.pit_token for _, _, _, fields in bench.faces[i].sent] == [token]
    # From the content store, and when several entries match.
    bench.faces[1].receive_interest(Interest("/A", nonce=3), LpFields(pit_token=b"3"))
    assert bench.faces[1].sent[-1][3].pit_token == b"3"
    bench.faces[1].receive_interest(Interest("/A/b", nonce=3), LpFields(pit_token=b"4"))
    bench.faces[2].receive_interest(
        Interest("/A/b", nonce=4, can_be_prefix=True), LpFields(pit_token=b"5")
    )
    bench.faces[3].receive_data(Data("/A/b"))
    assert bench.faces[1].sent[-1][3].pit_token == b"4"
    assert bench.faces[2].sent[-1][3].pit_token == b"5"


def test_pit_token_of_nacks(bench):
    sent = []
    class Keeping(RecordingFace):
        def send_nack(self, interest, reason, fields):
            sent.append((reason, fields.pit_token))
            return 0

    face = bench.forwarder.add_face(Keeping(bench.sim))
    face.receive_interest(Interest("/nowhere", nonce=1), LpFields(pit_token=b"t"))
    assert sent == [(NackReason.NO_ROUTE, b"t")]


def test_duplicate_nonce_from_the_same_face(bench, case):
    assert "retransmission" in case("duplicate_nonce_flags")["rule"]
    ad_hoc = bench.add_face(link_type=LinkType.AD_HOC)
    bench.routes({"/A": [[2, 0]]})
    for face in (bench.faces[1], ad_hoc):
        name = f"/A/{face.id}"
        face.receive_interest(Interest(name, nonce=4))
        bench.sim.run(until=bench.sim.now() + ms(20))
        face.receive_interest(Interest(name, nonce=4))
    names = [str(interest.name) for interest in bench.faces[2].of("I")]
    # What came twice from an ad hoc face may have gone in a circle.
    assert names.count(f"/A/{bench.faces[1].id}") == 2
    assert names.count(f"/A/{ad_hoc.id}") == 1
    assert bench.counters()["nOutNacks"] == 0


def test_two_downstreams_get_data(bench):
    bench.routes({"/A": [[3, 0]]})
    bench.faces[1].receive_interest(Interest("/A", nonce=1))
    bench.faces[2].receive_interest(Interest("/A", nonce=2))
    assert len(bench.faces[3].of("I")) == 1
    bench.faces[3].receive_data(Data("/A"))
    assert [event for event in bench.sent() if event[0] == "D"] == [["D", 1, "/A"], ["D", 2, "/A"]]


def test_expired_downstream_gets_none(bench):
    bench.routes({"/A": [[3, 0]]})
    bench.faces[1].receive_interest(Interest("/A", nonce=1, lifetime=ms(10)))
    bench.faces[2].receive_interest(Interest("/A", nonce=2, lifetime=ms(100)))
    bench.sim.run(until=ms(50))
    bench.faces[3].receive_data(Data("/A"))
    assert [event for event in bench.sent() if event[0] == "D"] == [["D", 2, "/A"]]


def test_data_is_shared_by_reference(bench):
    bench.routes({"/A": [[3, 0]]})
    data = Data("/A", 8000)
    bench.faces[1].receive_interest(Interest("/A", nonce=1))
    bench.faces[3].receive_data(data)
    assert bench.faces[1].of("D")[0] is data
    assert bench.forwarder.cs.find(Interest("/A")) is data


def test_closed_face(bench):
    bench.routes({"/A": [[3, 0]], "/B": [[1, 0]]})
    bench.faces[1].receive_interest(Interest("/A", nonce=1))
    bench.faces[2].receive_interest(Interest("/A", nonce=2))
    bench.forwarder.remove_face(bench.faces[1])
    assert [str(entry.prefix) for entry in bench.forwarder.fib] == ["/A"]
    bench.faces[3].receive_data(Data("/A"))
    assert [event for event in bench.sent() if event[0] == "D"] == [["D", 2, "/A"]]
    bench.faces[1].receive_interest(Interest("/A/x", nonce=3))
    assert bench.forwarder.counters.in_interests == 2
    with pytest.raises(ValueError, match="no face of this forwarder"):
        bench.forwarder.add_route("/A", bench.faces[1])


def test_pit_is_bounded(sim):
    bench = Bench(sim, pit_limit=1000)
    bench.routes({"/A": [[2, 0]]})
    prefix = Name("/A")
    for i in range(5000):
        bench.faces[1].receive_interest(Interest(prefix.append_sequence(i), nonce=i))
    assert len(bench.forwarder.pit) == 1000
    assert bench.forwarder.counters.pit_full == 4000
    sim.run()
    assert len(bench.forwarder.pit) == 0


def test_answer_within_the_call(sim):
    """An application that answers at once, inside the forwarder's call, and asks again."""
    bench = Bench(sim)
    got = []

    def ask_again(face, data):
        got.append(str(data.name))
        if len(got) < 5:
            face.receive_interest(Interest(f"/A/{len(got)}", nonce=len(got)))

    producer = CallbackFace(interest=lambda face, interest: face.receive_data(Data(interest.name)))
    consumer = CallbackFace(data=ask_again)
    bench.forwarder.add_face(producer)
    bench.forwarder.add_face(consumer)
    bench.forwarder.add_route("/A", producer)
    consumer.receive_interest(Interest("/A/0", nonce=9))
    assert got == [f"/A/{i}" for i in range(5)]
    assert len(bench.forwarder.pit) == 0
    assert bench.forwarder.counters.satisfied == 5


def test_forwarders_are_collected():
    sim = Simulator()
    bench = Bench(sim)
    bench.routes({"/A": [[2, 0]]})
    bench.faces[1].receive_interest(Interest("/A", nonce=1))
    watched = weakref.ref(bench.faces[2])
    sim_watched = weakref.ref(sim)
    del bench, sim
    gc.collect()
    assert watched() is None
    assert sim_watched() is None
