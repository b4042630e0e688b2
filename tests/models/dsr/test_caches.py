"""Route caches: routes, lifetimes and breaks by the numbers of RFC 4728 4.1 and appendix A."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.models.dsr.link_cache import LinkCache
from simcore.models.dsr.path_cache import PathCache
from simcore.models.dsr.route import Route

S = 1_000_000_000
A, B, C, D, E, F = (f"10.0.0.{i}" for i in range(1, 7))


def hops(route):
    return None if route is None else [str(address) for address in route.addresses]


@pytest.fixture(params=[LinkCache, PathCache])
def cache(request):
    return request.param(A)


def test_shortest_route_wins(cache):
    cache.add([A, B, C, D])
    assert hops(cache.lookup(D)) == [B, C]
    cache.add([A, E, D])
    assert hops(cache.lookup(D)) == [E]
    cache.add([A, D])
    assert hops(cache.lookup(D)) == []


def test_nothing_is_known_of_others_and_of_itself(cache):
    cache.add([A, B])
    assert cache.lookup(C) is None
    assert cache.lookup(A) is None


def test_learns_both_ways_from_the_middle(cache):
    assert cache.add([C, B, A, D, E])
    assert hops(cache.lookup(C)) == [B]
    assert hops(cache.lookup(E)) == [D]


def test_overheard_chain_is_joined_by_the_neighbour_that_was_heard(cache):
    # A hears C send a packet from B by C to D: it is C that A is linked with.
    cache.add([B, C, D], at=1)
    assert hops(cache.lookup(B)) == [C]
    assert hops(cache.lookup(D)) == [C]
    assert hops(cache.lookup(C)) == []


def test_chain_without_this_node_needs_a_neighbour(cache):
    with pytest.raises(ValueError, match="at"):
        cache.add([B, C])
    with pytest.raises(ValueError, match="two"):
        cache.add([A])


def test_break_takes_the_link_out(cache):
    cache.add([A, B, C, D])
    assert cache.remove_link(B, C)
    assert cache.lookup(C) is None
    assert cache.lookup(D) is None
    assert hops(cache.lookup(B)) == []
    assert not cache.remove_link(B, C)


def test_break_leaves_other_routes(cache):
    cache.add([A, B, C, D])
    cache.add([A, E, F, D])
    cache.remove_link(B, C)
    assert hops(cache.lookup(D)) == [E, F]


def test_links_of_different_chains_make_routes_in_a_link_cache_only():
    links, paths = LinkCache(A), PathCache(A)
    for cache in (links, paths):
        cache.add([A, B, C])
        cache.add([A, C, D])
        cache.add([E, B, F], at=1)
        cache.remove_link(A, C)
    assert hops(links.lookup(D)) == [B, C]
    assert paths.lookup(D) is None


def test_new_link_lives_as_long_as_the_stability_of_its_ends():
    cache = LinkCache(A)
    cache.add([A, B])
    # InitStability 25 s.
    assert cache.lookup(B, 25 * S - 1) is not None
    assert cache.lookup(B, 25 * S) is None


def test_break_of_a_used_link_halves_stability_down_to_the_least_lifetime():
    cache = LinkCache(A)
    for expected in (12.5, 6.25, 3.125, 1.5625, 0.78125):
        cache.add([A, B])
        cache.send_along(cache.lookup(B), B)
        cache.remove_link(A, B)
        assert cache.stability(B) == expected * S
    # MinLifetime 1 s.
    cache.add([A, B])
    assert cache.lookup(B, S - 1) is not None
    assert cache.lookup(B, S) is None


def test_break_that_was_only_heard_of_changes_no_stability():
    cache = LinkCache(A)
    cache.add([A, B, C])
    assert cache.remove_link(B, C)
    assert not cache.remove_link(A, D)
    assert not cache.remove_link(A, C)
    assert cache.stability(B) == cache.stability(C) == 25 * S


def test_use_extends_the_lifetime_and_raises_stability():
    cache = LinkCache(A)
    cache.add([A, B, C])
    cache.send_along(cache.lookup(C), C, 10 * S)
    # UseExtends 120 s.
    assert cache.lookup(C, 130 * S - 1) is not None
    assert cache.lookup(C, 130 * S) is None
    assert cache.stability(C) == 25 * S
    cache.send_along(cache.lookup(C), C, 13 * S)
    # StabilityIncrFactor 4 times the 3 s since it was last used; B is an end of both links.
    assert cache.stability(C) == (25 + 12) * S
    assert cache.stability(B) == (25 + 24) * S


def test_use_does_not_shorten_a_lifetime():
    cache = LinkCache(A)
    cache.add([A, B])
    for time in (0, 100 * S):
        cache.send_along(Route([]), B, time)
    cache.remove_link(A, B, 100 * S)
    # Stability (25 + 4 x 100) / 2 s, more than UseExtends.
    assert cache.stability(B) == 425 * S // 2
    cache.add([A, B], 100 * S)
    cache.send_along(cache.lookup(B, 100 * S), B, 100 * S)
    assert cache.lookup(B, 100 * S + 425 * S // 2 - 1) is not None
    assert cache.lookup(B, 100 * S + 425 * S // 2) is None


def test_of_equal_routes_the_longest_lived_wins():
    cache = LinkCache(A)
    cache.add([A, B, D], 0)
    cache.add([A, C, D], 5 * S)
    assert hops(cache.lookup(D, 6 * S)) == [C]
    cache.send_along(Route([B]), D, 6 * S)
    assert hops(cache.lookup(D, 7 * S)) == [B]


def test_width_is_that_of_the_narrowest_link():
    cache = LinkCache(A)
    # By B the first link is old, by C the second; C's narrowest is the later one.
    cache.add([A, B], 0)
    cache.add([C, D], 1 * S, at=0)
    cache.add([B, D], 8 * S, at=1)
    cache.add([A, C], 9 * S)
    cache.remove_link(A, D)
    assert hops(cache.lookup(D, 10 * S)) == [C]


def test_only_use_prolongs_the_life_of_a_known_link():
    cache = LinkCache(A)
    assert cache.add([A, B])
    assert not cache.add([A, B], 20 * S)
    assert cache.lookup(B, 25 * S) is None
    # An expired link is new again.
    assert cache.add([A, B], 25 * S)
    assert cache.lookup(B, 50 * S - 1) is not None


def test_expired_links_are_used_only_when_asked_for():
    cache = LinkCache(A, keep_expired=True)
    cache.add([A, B])
    assert cache.lookup(B, 1000 * S) is not None


def test_external_links_only_at_the_ends_and_only_for_want_of_others():
    cache = LinkCache(A)
    cache.add([A, B, C])
    cache.add([C, D], at=0)
    cache.remove_link(A, C)
    cache.set_external(C, D)
    assert hops(cache.lookup(D)) == [B, C]
    cache.add([A, E, F])
    cache.add([F, D], at=0)
    cache.remove_link(A, F)
    cache.remove_link(A, D)
    assert hops(cache.lookup(D)) == [E, F]
    cache.set_external(B, C)
    cache.add([C, "10.0.0.7"], at=0)
    cache.remove_link(A, C)
    # Both ways to C have an external link in the middle, as seen by the node behind it.
    assert cache.lookup("10.0.0.7") is None


def test_link_cache_makes_room():
    cache = LinkCache(A, capacity=20)
    for i in range(100):
        cache.add([A, f"10.0.1.{i}"], i * S // 10)
    assert cache.link_count <= 20
    assert cache.lookup("10.0.1.99", 10 * S) is not None
    assert cache.lookup("10.0.1.0", 10 * S) is None


def test_path_cache_forgets_after_its_timeout():
    cache = PathCache(A)
    cache.add([A, B, C])
    # RouteCacheTimeout 300 s.
    assert cache.lookup(C, 300 * S - 1) is not None
    assert cache.lookup(C, 300 * S) is None
    cache.send_along(Route([B]), C, 200 * S)
    assert cache.lookup(C, 400 * S) is not None


def test_path_cache_drops_what_was_used_longest_ago():
    cache = PathCache(A, capacity=2)
    cache.add([A, B])
    cache.add([A, C])
    cache.send_along(Route([]), B, 1)
    cache.add([A, D])
    assert cache.lookup(B) is not None
    assert cache.lookup(C) is None
    assert len(cache) == 2


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: LinkCache(A, capacity=1), "capacity"),
        (lambda: LinkCache(A, init_stability=0), "init_stability"),
        (lambda: LinkCache(A, stability_incr_factor=0.5), "stability_incr_factor"),
        (lambda: LinkCache(A, stability_decr_factor=1), "stability_decr_factor"),
        (lambda: PathCache(A, capacity=0), "capacity"),
        (lambda: PathCache(A, timeout=0), "timeout"),
    ],
)
def test_bad_parameters_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def shortest(links, start):
    """Distances by plain breadth-first search."""
    distance = {start: 0}
    queue = [start]
    for node in queue:
        for a, b in links:
            if a == node and b not in distance:
                distance[b] = distance[node] + 1
                queue.append(b)
    return distance


nodes = st.integers(1, 12)
steps = st.lists(st.tuples(st.booleans(), nodes, nodes), max_size=60)


@given(steps)
def test_link_cache_against_a_set_of_links(steps):
    cache = LinkCache(1)
    links = set()
    for add, a, b in steps:
        if a == b:
            continue
        if add:
            cache.add([a, b], at=0)
            links |= {(a, b), (b, a)}
            # What is heard from a neighbour makes it one.
            if 1 not in (a, b):
                links |= {(1, a), (a, 1)}
        else:
            cache.remove_link(a, b)
            links -= {(a, b), (b, a)}
    distance = shortest(links, 1)
    for node in range(2, 13):
        route = cache.lookup(node)
        assert (route is None) == (node not in distance)
        if route is not None:
            chain = [1, *(address.value for address in route.addresses), node]
            assert len(chain) - 1 == distance[node]
            assert all(link in links for link in itertools.pairwise(chain))
