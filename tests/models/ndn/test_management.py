"""NFD's management protocol, asked by an application of the node."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Simulator, ms, seconds
from simcore.models.ndn import Component, Data, DigestSha256, Forwarder, Interest, Name
from simcore.models.ndn.announcement import PrefixAnnouncement
from simcore.models.ndn.management import ControlParameters, ControlResponse, Management
from simcore.models.ndn.management.faces import FaceFacts, encode_face_status, face_facts
from simcore.models.ndn.management.routes import encode_route
from simcore.models.ndn.management.tables import encode_choice
from simcore.models.ndn.rib import Route
from simcore.models.ndn.stack import device_faces, install
from simcore.models.ndn.testing import CallbackFace, RecordingFace
from simcore.models.ndn.tlv import TlvError, elements, encode_element
from simcore.models.network import PointToPointLink, create_nodes

CASES = json.loads(
    (Path(__file__).parents[2] / "reference" / "ndn" / "management.json").read_text()
)["cases"]
WIRE = {case["what"]: bytes.fromhex(case["hex"]) for case in CASES["wire"]}


def wire(start):
    [found] = [value for what, value in WIRE.items() if what.startswith(start)]
    return found


class Node:
    """A forwarder with management and an application that asks it."""

    def __init__(self, **options):
        self.sim = Simulator()
        self.forwarder = Forwarder(self.sim)
        self.management = Management(self.forwarder, **options)
        self.got = []
        self.nacks = []
        self.app = self.forwarder.add_face(
            CallbackFace(
                data=lambda face, data: self.got.append(data),
                nack=lambda face, interest, reason: self.nacks.append(reason),
            )
        )
        self.count = 0
        self.sim.run(until=ms(1))

    def ask(self, interest, face=None):
        self.got.clear()
        (face or self.app).receive_interest(interest)
        self.sim.run(until=self.sim.now() + ms(10))
        return self.got[-1] if self.got else None

    def command(self, what, parameters=None, face=None, prefix="/localhost/nfd", **fields):
        self.count += 1
        if parameters is None:
            parameters = ControlParameters(**fields)
        name = Name(prefix).append(*what.split("/")).append(parameters.to_wire())
        interest = Interest(
            name, parameters=b"", signer=DigestSha256(nonce=self.count.to_bytes(8, "big"))
        )
        return self.response(interest, face)

    def response(self, interest, face=None):
        data = self.ask(interest, face)
        assert data is not None
        assert data.name == interest.name
        assert DigestSha256().verify(data)
        return ControlResponse.from_wire(data.content)

    def dataset(self, what, *more):
        name = Name("/localhost/nfd").append(*what.split("/")).append(*more)
        first = self.ask(Interest(name, can_be_prefix=True, must_be_fresh=True))
        if first is None:
            return None
        assert first.freshness == ms(1000)
        last = first.final_block.number
        content = first.content
        for i in range(1, last + 1):
            part = self.ask(Interest(first.name.prefix(-1).append(Component.segment(i))))
            content += part.content
        return elements(content)


@pytest.fixture
def node():
    return Node()


def hops(node, prefix):
    entry = node.forwarder.fib.exact(prefix)
    return None if entry is None else {hop.face.id: hop.cost for hop in entry.nexthops}


# The wire format


def test_face_status_of_the_reference():
    facts = FaceFacts(
        100, "tcp4://192.0.2.1:6363", "tcp4://192.0.2.2:55555", scope=1, persistency=1,
        link_type=1, flags=7, mtu=9, expiration=10_000, marking_interval=5, marking_threshold=7,
    )

    class Counters:
        in_interests, in_data, in_nacks = 10, 200, 1
        out_interests, out_data, out_nacks = 3000, 4, 2
        in_bytes, out_bytes = 1329719163, 999110448

    assert encode_face_status(facts, Counters) == wire("FaceStatus")


def test_routes_of_the_reference():
    route = Route(1, origin=128, cost=100, flags=2, expires=seconds(10))
    assert encode_route(route, 0) == wire("Route FaceId 1")
    route.expires = None
    assert encode_route(route, 0) == wire("Route without")


def test_strategy_choice_of_the_reference():
    encoded = encode_choice(Name("/hello/world"), Name("/some/non/existing/strategy/name"))
    assert encoded == wire("StrategyChoice")


def test_the_request_of_python_ndn_is_answered_as_in_the_reference(node):
    request = Interest.from_wire(wire("rib/register request"))
    data = node.ask(request)
    reference = Data.from_wire(wire("accepted ControlResponse"))
    assert data.name == reference.name
    ours, theirs = map(ControlResponse.from_wire, (data.content, reference.content))
    # The reference's program did not know its face's number.
    theirs.body.face_id = node.app.id
    assert ours == theirs
    assert hops(node, "/example/test") == {node.app.id: 0}


def test_type_numbers_are_those_of_the_reference():
    numbers = CASES["tlv"]
    for field, key in (
        ("face_id", "FaceId"), ("uri", "Uri"), ("local_uri", "LocalUri"), ("origin", "Origin"),
        ("cost", "Cost"), ("capacity", "Capacity"), ("count", "Count"), ("flags", "Flags"),
        ("mask", "Mask"), ("expiration_period", "ExpirationPeriod"),
        ("face_persistency", "FacePersistency"), ("mtu", "Mtu"),
        ("base_congestion_marking_interval", "BaseCongestionMarkingInterval"),
        ("default_congestion_threshold", "DefaultCongestionThreshold"),
    ):  # fmt: skip
        value = "x" if "uri" in field else 1
        [(outer, body)] = elements(ControlParameters(**{field: value}).to_wire())
        assert outer == numbers["ControlParameters"]
        assert [kind for kind, _ in elements(body)] == [numbers[key]], key
    [(kind, body)] = elements(ControlResponse(200, "OK").to_wire())
    assert kind == numbers["ControlResponse"]
    assert [kind for kind, _ in elements(body)] == [
        numbers["StatusCode"], numbers["StatusText"], numbers["ControlParameters"],
    ]  # fmt: skip


def test_every_command_and_dataset_of_the_reference_is_there(node):
    modules = node.management.modules
    for command in CASES["commands"]:
        module, verb = command.split("/")
        assert verb in modules[module].commands or command == "rib/announce"
    for dataset in CASES["datasets"]:
        module, verb = dataset.split("/")[:2]
        assert verb in modules[module].datasets


@given(st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_parameters_or_malformed(data):
    for wire in (data, encode_element(104, data)):
        try:
            parameters = ControlParameters.from_wire(wire)
        except TlvError:
            continue
        assert ControlParameters.from_wire(parameters.to_wire()) == parameters


@given(st.binary(max_size=60), st.sampled_from(sorted(CASES["commands"])))
@settings(max_examples=300, deadline=None)
def test_any_parameters_get_an_answer(data, command):
    node = Node()
    name = Name("/localhost/nfd").append(*command.split("/")).append(encode_element(104, data))
    interest = Interest(name, parameters=b"", signer=DigestSha256())
    response = node.response(interest)
    assert response.code in (200, 400, 403, 404, 406, 409, 410)


# Commands


def test_register_and_unregister(node):
    response = node.command("rib/register", name=Name("/p"))
    body = ControlParameters(name=Name("/p"), face_id=node.app.id, origin=0, cost=0, flags=1)
    assert response == ControlResponse(200, "OK", body)
    assert hops(node, "/p") == {node.app.id: 0}
    assert node.command("rib/unregister", name=Name("/p")).code == 200
    assert hops(node, "/p") is None
    # A route that is not there is no error.
    assert node.command("rib/unregister", name=Name("/p")).code == 200


def test_register_for_another_face_with_all_fields(node):
    other = node.forwarder.add_face(RecordingFace(node.sim))
    response = node.command(
        "rib/register", name=Name("/p"), face_id=other.id, origin=128, cost=7, flags=3,
        expiration_period=1000,
    )
    assert response.body.face_id == other.id
    assert response.body.expiration_period == 1000
    [(kind, body)] = [
        (kind, body) for kind, body in node.dataset("rib/list")
        if Name("/p").to_wire() in body
    ]
    assert kind == CASES["tlv"]["RibEntry"]
    route = dict(elements(dict(elements(body))[CASES["tlv"]["Route"]]))
    assert (route[105], route[111], route[106], route[108]) == (
        other.id.to_bytes(2, "big"), b"\x80", b"\x07", b"\x03",
    )  # fmt: skip
    assert 900 < int.from_bytes(route[109], "big") <= 1000
    node.sim.run(until=seconds(2))
    assert hops(node, "/p") is None


def test_register_needs_a_known_face_and_a_prefix_that_is_not_too_long(node):
    assert node.command("rib/register", name=Name("/p"), face_id=9999).code == 410
    assert node.command("rib/register", name=Name("/p" * 33)).code == 414
    assert node.command("fib/add-nexthop", name=Name("/p" * 33)).code == 414


def test_the_older_form_of_a_command(node):
    """As python-ndn's app makes it: time stamp, nonce, SignatureInfo, SignatureValue."""
    import hashlib

    parameters = ControlParameters(name=Name("/old")).to_wire()
    name = Name("/localhost/nfd/rib/register").append(
        parameters, b"\0" * 8, b"\1" * 8, bytes.fromhex("16031b0100")
    )
    digest = hashlib.sha256(name.value).digest()
    response = node.response(Interest(name.append(b"\x17\x20" + digest)))
    assert response.code == 200
    assert hops(node, "/old") == {node.app.id: 0}
    wrong = node.response(Interest(name.append(b"\x17\x20" + bytes(32))))
    assert wrong.code == 403
    assert "digest is wrong" in wrong.text


def test_unsigned_commands_are_refused(node):
    name = Name("/localhost/nfd/rib/register").append(
        ControlParameters(name=Name("/p")).to_wire()
    )
    response = node.response(Interest(name))
    assert (response.code, response.text) == (403, "not authorized: the command is not signed")
    response = node.response(Interest(name, parameters=b""))
    assert response.code == 403
    assert hops(node, "/p") is None


def test_who_may_command_can_be_decided():
    asked = []
    node = Node(authorize=lambda module, verb, interest: asked.append((module, verb)))
    assert node.command("rib/register", name=Name("/p")).code == 403
    assert asked == [("rib", "register")]


def test_malformed_commands(node):
    assert node.command("rib/register").code == 400
    assert node.command("rib/register", name=Name("/p"), uri="tcp4://1.2.3.4:5").code == 400
    name = Name("/localhost/nfd/rib/register").append(b"\x68\x05abc")
    assert node.response(Interest(name, parameters=b"", signer=DigestSha256())).code == 400
    assert node.response(Interest("/localhost/nfd/rib/register")).code == 400


def test_what_nobody_knows_gets_no_answer(node):
    for name in ("/localhost/nfd", "/localhost/nfd/rib", "/localhost/nfd/rib/dance",
                 "/localhost/nfd/moon/list"):
        assert node.ask(Interest(name, can_be_prefix=True)) is None


def test_programs_elsewhere_have_no_access_to_localhost(node):
    far = node.forwarder.add_face(RecordingFace(node.sim))
    name = Name("/localhost/nfd/rib/register").append(
        ControlParameters(name=Name("/p")).to_wire()
    )
    far.receive_interest(Interest(name, parameters=b"", signer=DigestSha256()))
    node.sim.run(until=ms(10))
    assert far.sent == []
    assert hops(node, "/p") is None


def test_programs_elsewhere_may_register_for_themselves_where_that_is_allowed():
    node = Node(localhop=True)
    far = node.forwarder.add_face(RecordingFace(node.sim))

    def ask(verb, **fields):
        name = Name("/localhop/nfd").append(*verb.split("/")).append(
            ControlParameters(**fields).to_wire()
        )
        far.receive_interest(Interest(name, parameters=b"", signer=DigestSha256()))
        node.sim.run(until=node.sim.now() + ms(10))
        found = far.of("D")
        far.sent.clear()
        return ControlResponse.from_wire(found[0].content).code if found else None

    assert ask("rib/register", name=Name("/p")) == 200
    assert hops(node, "/p") == {far.id: 0}
    assert ask("rib/register", name=Name("/q"), face_id=node.app.id) == 403
    assert ask("faces/destroy", face_id=node.app.id) is None


def test_announce(node):
    announcement = PrefixAnnouncement.make("/news", seconds(5))
    name = Name("/localhost/nfd/rib/announce")
    response = node.response(Interest(name, parameters=announcement.wire))
    assert response.code == 200
    assert response.body == ControlParameters(
        name=Name("/news"), face_id=node.app.id, origin=129, cost=2048, flags=1,
        expiration_period=5000,
    )
    assert hops(node, "/news") == {node.app.id: 2048}
    node.sim.run(until=seconds(6))
    assert hops(node, "/news") is None
    assert node.response(Interest(name, parameters=b"junk")).code == 400


def test_fib_commands(node):
    other = node.forwarder.add_face(RecordingFace(node.sim))
    response = node.command("fib/add-nexthop", name=Name("/f"), face_id=other.id, cost=9)
    assert response.body.cost == 9
    node.command("fib/add-nexthop", name=Name("/f"))
    assert hops(node, "/f") == {other.id: 9, node.app.id: 0}
    assert node.command("fib/add-nexthop", name=Name("/f"), face_id=9999).code == 410
    node.command("fib/remove-nexthop", name=Name("/f"))
    assert hops(node, "/f") == {other.id: 9}
    assert node.command("fib/remove-nexthop", name=Name("/f"), face_id=9999).code == 200
    entries = [dict(elements(body)) for _, body in node.dataset("fib/list")]
    assert Name("/f").value in [entry[7] for entry in entries]


def test_strategy_choice(node):
    strategy = Name("/localhost/nfd/strategy/multicast")
    response = node.command("strategy-choice/set", name=Name("/s"), strategy=strategy)
    assert response.code == 200
    assert response.body.strategy.to_uri().startswith("/localhost/nfd/strategy/multicast/v=")
    assert node.forwarder.strategy_choice.find("/s/x").name == "multicast"
    for name, code in (("/localhost/nfd/strategy/none", 404),
                       ("/localhost/nfd/strategy/multicast/v=1", 409),
                       ("/elsewhere", 404)):
        response = node.command("strategy-choice/set", name=Name("/s"), strategy=Name(name))
        assert response.code == code
    long = node.command("strategy-choice/set", name=Name("/s" * 33), strategy=strategy)
    assert long.code == 414
    listed = {dict(elements(body))[7] for _, body in node.dataset("strategy-choice/list")}
    assert {Name("/").value, Name("/s").value} <= listed
    assert node.command("strategy-choice/unset", name=Name("/s")).code == 200
    assert node.forwarder.strategy_choice.find("/s/x").name == "best-route"
    assert node.command("strategy-choice/unset", name=Name("/")).code == 400


def test_cache(node):
    for i in range(300):
        node.forwarder.cs.insert(Data(f"/c/{i}"))
    response = node.command("cs/erase", name=Name("/c"))
    assert (response.body.count, response.body.capacity) == (256, 256)
    response = node.command("cs/erase", name=Name("/c"), count=10)
    assert (response.body.count, response.body.capacity) == (10, None)
    response = node.command("cs/config", capacity=20, flags=0, mask=1)
    assert (response.body.capacity, response.body.flags) == (20, 2)
    assert not node.forwarder.cs.admits
    assert len(node.forwarder.cs) == 20
    assert node.command("cs/config", flags=1).code == 400
    [(kind, body)] = node.dataset("cs/info")
    assert kind == 128
    info = dict(elements(body))
    assert (info[131], info[108], info[135]) == (b"\x14", b"\x02", b"\x14")


def test_status(node):
    status = dict(node.dataset("status/general"))
    assert status[128] == b"simcore"
    assert int.from_bytes(status[144], "big") == node.forwarder.counters.in_interests
    assert int.from_bytes(status[132], "big") == len(node.forwarder.fib)


def test_answers_are_those_of_the_moment(node):
    before = len(node.dataset("rib/list"))
    node.command("rib/register", name=Name("/fresh"))
    assert len(node.dataset("rib/list")) == before + 1


def test_long_answers_come_in_segments(node):
    for i in range(1500):
        node.management.rib.register(f"/many/{i:04}", node.app)
    listed = node.dataset("rib/list")
    assert len(listed) == 1501
    assert len({body for _, body in listed}) == 1501
    first = node.ask(Interest("/localhost/nfd/rib/list", can_be_prefix=True))
    assert len(first.content) == 8000
    assert first.name[-1] == Component.segment(0)
    # Not a packet of the answer.
    assert node.ask(Interest(first.name.prefix(-1).append(Component.segment(999)))) is None


def test_names_of_answers_without_a_prefix_match_nothing(node):
    assert node.ask(Interest("/localhost/nfd/rib/list")) is None


# Faces


def test_faces_are_listed_and_found(node):
    far = node.forwarder.add_face(RecordingFace(node.sim, description="tcp4://192.0.2.1:6363"))
    statuses = [dict(elements(body)) for _, body in node.dataset("faces/list")]
    assert [int.from_bytes(status[105], "big") for status in statuses] == sorted(
        node.forwarder.faces
    )

    def query(**fields):
        kinds = {"face_id": 105, "scheme": 131, "uri": 114, "scope": 132}
        body = b"".join(
            encode_element(kinds[key], value) for key, value in fields.items()
        )
        found = node.dataset("faces/query", encode_element(150, body))
        return [int.from_bytes(dict(elements(status))[105], "big") for _, status in found]

    assert query(scheme=b"tcp4") == [far.id]
    assert query(scheme=b"internal") == [node.management.face.id, node.app.id]
    assert query(scope=b"\0") == [far.id]
    assert query(face_id=node.app.id.to_bytes(2, "big")) == [node.app.id]
    assert query(uri=b"tcp4://192.0.2.9:1") == []


def test_faces_over_devices_are_described():
    sim = Simulator()
    a, b = create_nodes(sim, 2)
    PointToPointLink(a, b, data_rate="10Mbps", delay="1ms", mtu=1500)
    install([a, b], face={"reliability": True})
    (face,) = device_faces(a)
    facts = face_facts(face)
    assert facts.uri == facts.local_uri == f"netdev://[{a.devices[0].address}]"
    assert (facts.scope, facts.persistency, facts.link_type) == (0, 2, 0)
    assert facts.flags == 2 | 4
    assert (facts.mtu, facts.marking_threshold, facts.marking_interval) == (1500, 65536, ms(100))


def test_a_malformed_filter_is_told(node):
    name = Name("/localhost/nfd/faces/query").append(b"junk")
    data = node.ask(Interest(name, can_be_prefix=True))
    assert data.content_type == 3
    assert ControlResponse.from_wire(data.content).code == 400


def test_destroying_a_face(node):
    other = node.forwarder.add_face(RecordingFace(node.sim))
    node.command("rib/register", name=Name("/o"), face_id=other.id)
    assert node.command("faces/destroy", face_id=other.id).code == 200
    assert other.id not in node.forwarder.faces
    assert hops(node, "/o") is None
    assert node.command("faces/destroy", face_id=other.id).code == 200
    assert node.command("faces/destroy", face_id=1).code == 400
    assert node.command("faces/destroy", face_id=node.management.face.id).code == 400
    # One's own goes after the answer.
    assert node.command("faces/destroy", face_id=node.app.id).code == 200
    assert not node.app.is_open


def test_faces_that_cannot_be_made_or_changed(node):
    assert node.command("faces/create", uri="nonsense").code == 400
    assert node.command("faces/create", uri="unix:///tmp/x").code == 406
    assert node.command("faces/create").code == 400
    assert node.command("faces/update", face_id=9999, face_persistency=0).code == 404
    response = node.command("faces/update", face_persistency=0, mtu=100)
    assert (response.code, response.body.mtu, response.body.face_persistency) == (409, 100, 0)


def test_events_of_faces(node):
    prefix = Name("/localhost/nfd/faces/events")
    latest = node.ask(Interest(prefix, can_be_prefix=True, must_be_fresh=True))
    [(kind, body)] = elements(latest.content)
    assert kind == CASES["tlv"]["FaceEventNotification"]
    event = dict(elements(body))
    assert event[CASES["tlv"]["FaceEventKind"]] == b"\x01"
    assert int.from_bytes(event[105], "big") == node.app.id
    following = latest.name[-1].number + 1
    waiting = Interest(prefix.append(Component.sequence(following)), lifetime=seconds(60))
    assert node.ask(waiting) is None
    other = node.forwarder.add_face(RecordingFace(node.sim))
    node.sim.run(until=node.sim.now() + ms(10))
    assert node.got[-1].name == waiting.name
    waiting = Interest(prefix.append(Component.sequence(following + 1)), lifetime=seconds(60))
    node.ask(waiting)
    node.forwarder.remove_face(other)
    node.sim.run(until=node.sim.now() + ms(10))
    event = dict(elements(elements(node.got[-1].content)[0][1]))
    assert event[193] == b"\x02"
    # Those that are over can be had again; the latest only while it is news.
    assert node.ask(Interest(prefix.append(Component.sequence(following)))) is not None
    node.sim.run(until=node.sim.now() + seconds(3))
    assert node.ask(Interest(prefix, can_be_prefix=True, must_be_fresh=True)) is None
