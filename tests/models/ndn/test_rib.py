"""Routes of the RIB and the next hops that they make, as in NFD."""

import random

import pytest

from simcore import Simulator, ms
from simcore.models.ndn import Forwarder
from simcore.models.ndn.rib import Rib, RouteFlags
from simcore.models.ndn.testing import RecordingFace

INHERIT, CAPTURE = RouteFlags.CHILD_INHERIT, RouteFlags.CAPTURE


@pytest.fixture
def net():
    sim = Simulator()
    forwarder = Forwarder(sim)
    faces = [forwarder.add_face(RecordingFace(sim)) for _ in range(4)]
    return sim, forwarder, Rib(forwarder), faces


def hops(forwarder, prefix):
    entry = forwarder.fib.exact(prefix)
    return None if entry is None else {hop.face.id: hop.cost for hop in entry.nexthops}


def test_a_route_is_a_next_hop_and_the_cheapest_of_a_face_counts(net):
    _, forwarder, rib, (a, b, *_) = net
    rib.register("/x", a, origin=0, cost=20)
    rib.register("/x", a, origin=255, cost=5)
    rib.register("/x", b, cost=7)
    assert hops(forwarder, "/x") == {a.id: 5, b.id: 7}
    assert rib.unregister("/x", a, origin=255)
    assert hops(forwarder, "/x") == {a.id: 20, b.id: 7}
    assert not rib.unregister("/x", a, origin=255)
    rib.unregister("/x", a)
    rib.unregister("/x", b)
    assert hops(forwarder, "/x") is None
    assert len(rib) == 0


def test_children_inherit_the_nearest_route_of_each_face(net):
    _, forwarder, rib, (a, b, c, _) = net
    rib.register("/x/y/z", c, cost=1)
    rib.register("/x", a, cost=10)
    rib.register("/x/y", a, cost=50)
    rib.register("/x", b, cost=20, flags=RouteFlags.NONE)
    assert hops(forwarder, "/x/y/z") == {c.id: 1, a.id: 50}
    rib.unregister("/x/y", a)
    assert hops(forwarder, "/x/y") is None
    assert hops(forwarder, "/x/y/z") == {c.id: 1, a.id: 10}
    rib.register("/x/y/z", a, cost=99)
    assert hops(forwarder, "/x/y/z") == {c.id: 1, a.id: 99}


def test_a_prefix_that_captures_inherits_nothing_and_shields_those_below(net):
    _, forwarder, rib, (a, b, c, _) = net
    rib.register("/", a, cost=1)
    rib.register("/x", b, cost=2, flags=INHERIT | CAPTURE)
    rib.register("/x/y", c, cost=3)
    assert hops(forwarder, "/x") == {b.id: 2}
    assert hops(forwarder, "/x/y") == {c.id: 3, b.id: 2}
    rib.register("/x", b, cost=2, flags=INHERIT)
    assert hops(forwarder, "/x") == {b.id: 2, a.id: 1}
    assert hops(forwarder, "/x/y") == {c.id: 3, b.id: 2, a.id: 1}


def test_routes_expire_and_a_new_registration_starts_anew(net):
    sim, forwarder, rib, (a, b, *_) = net
    rib.register("/x", a, expiration=ms(10))
    rib.register("/x", b, expiration=ms(10))
    sim.run(until=ms(5))
    rib.register("/x", b, expiration=ms(10))
    sim.run(until=ms(12))
    assert hops(forwarder, "/x") == {b.id: 0}
    rib.register("/x", b)
    sim.run(until=ms(100))
    assert hops(forwarder, "/x") == {b.id: 0}


def test_routes_of_a_removed_face_go_with_it(net):
    sim, forwarder, rib, (a, b, *_) = net
    rib.register("/x", a, expiration=ms(10))
    rib.register("/x", a, origin=255)
    rib.register("/x", b, cost=3)
    rib.register("/x/y", b)
    rib.register("/z", a)
    forwarder.remove_face(a)
    assert hops(forwarder, "/x") == {b.id: 3}
    assert hops(forwarder, "/x/y") == {b.id: 0}
    assert hops(forwarder, "/z") is None
    assert [str(prefix) for prefix, _ in rib] == ["/x", "/x/y"]
    sim.run()


def test_next_hops_of_others_are_left_alone(net):
    _, forwarder, rib, (a, b, *_) = net
    forwarder.add_route("/x", a, 9)
    rib.register("/x", b)
    rib.unregister("/x", b)
    assert hops(forwarder, "/x") == {a.id: 9}


def test_wrong_arguments_are_named(net):
    sim, _, rib, (a, *_) = net
    with pytest.raises(ValueError, match="no face of this forwarder"):
        rib.register("/x", RecordingFace(sim))
    with pytest.raises(ValueError, match="33 components"):
        rib.register("/x" * 33, a)
    with pytest.raises(ValueError, match="cost is -1"):
        rib.register("/x", a, cost=-1)


def test_any_order_of_changes_gives_what_a_fresh_table_gives(net):
    """The incremental updates against next hops computed from the routes alone."""
    _, forwarder, rib, faces = net
    rng = random.Random(7)
    names = ["/", "/a", "/a/b", "/a/b/c", "/a/b/d", "/a/e", "/f"]
    for _ in range(600):
        name, face = rng.choice(names), rng.choice(faces)
        if rng.random() < 0.6:
            rib.register(
                name, face, origin=rng.choice((0, 255)), cost=rng.randrange(5),
                flags=rng.randrange(4),
            )
        else:
            rib.unregister(name, face, origin=rng.choice((0, 255)))
        for checked in names:
            assert (hops(forwarder, checked) or {}) == expected(dict(iter_texts(rib)), checked)


def iter_texts(rib):
    return [(str(prefix), routes) for prefix, routes in rib]


def expected(table, name):
    if name not in table:
        return {}
    parts = [part for part in name.split("/") if part]
    above = ["/" + "/".join(parts[:n]) for n in range(len(parts), -1, -1)]
    result = {}
    for level, prefix in enumerate(above):
        routes = table.get(prefix, [])
        usable = [r for r in routes if level == 0 or r.flags & INHERIT]
        best = {}
        for route in usable:
            best[route.face_id] = min(route.cost, best.get(route.face_id, route.cost))
        result = {**best, **result}
        if any(r.flags & CAPTURE for r in routes):
            break
    return result
