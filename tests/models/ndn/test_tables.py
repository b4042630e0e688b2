"""FIB, PIT, content store and dead nonce list against NFD's cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import ms, seconds
from simcore.models.ndn.content_store import CachePolicy, ContentStore
from simcore.models.ndn.data import Data
from simcore.models.ndn.dead_nonce_list import DeadNonceList
from simcore.models.ndn.face import Face
from simcore.models.ndn.fib import Fib
from simcore.models.ndn.interest import Interest
from simcore.models.ndn.name import Name
from simcore.models.ndn.pit import Pit

ROOT = Path(__file__).resolve().parents[2] / "reference" / "ndn"


def cases(name: str):
    return json.loads((ROOT / f"{name}.json").read_text())["cases"]


FIB = cases("fib")
PIT = cases("pit")
CS = cases("content_store")
DNL = cases("dead_nonce_list")


def name_of(text: str) -> Name:
    """Name of a case; some name the digest of a Data that they describe."""
    prefix, found, rest = text.partition("/sha256digest=<digest of Data ")
    if not found:
        return Name(text)
    data = Data(rest.removesuffix(">"))
    return Name(prefix).append(data.full_name[-1])


@pytest.mark.parametrize("row", [row for row in FIB if "ops" in row])
def test_fib(row):
    fib = Fib()
    for op in row["ops"]:
        word, _, prefix = op.partition(" ")
        assert word == "insert"
        fib.insert(name_of(prefix))
    for name, expected in row.get("lpm", []):
        assert fib.lookup(name_of(name)).prefix == name_of(expected)
    for name, expected in row.get("exact", []):
        assert (fib.exact(name) is not None) is expected
    if "size" in row:
        assert len(fib) == row["size"]


def test_empty_fib():
    entry = Fib().lookup("/A/B")
    assert entry.prefix == Name("/")
    assert entry.nexthops == []


@pytest.mark.parametrize("row", [row for row in FIB if "nexthops" in row])
def test_next_hops(row):
    new = []
    fib = Fib(on_new_nexthop=lambda entry, hop: new.append(hop))
    faces = {1: Face(), 2: Face()}
    for op, face, argument, after, *signals in row["nexthops"]:
        if op == "add":
            fib.add("/A", faces[face], argument)
            assert len(new) == signals[0]
        else:
            assert fib.remove("/A", faces[face]) == argument
        entry = fib.exact("/A")
        hops = [] if entry is None else entry.nexthops
        assert [[hop.face, hop.cost] for hop in hops] == [[faces[f], cost] for f, cost in after]
    assert len(fib) == 0


def test_equal_costs_keep_their_order():
    fib = Fib()
    faces = [Face() for _ in range(4)]
    for face in faces:
        fib.add("/A", face, 7)
    assert [hop.face for hop in fib.exact("/A").nexthops] == faces


def test_fib_depth():
    fib = Fib()
    deep = Name([b"a"] * 32)
    fib.insert(deep)
    assert fib.lookup(deep.append(b"b")).prefix == deep
    with pytest.raises(ValueError, match="33 components"):
        fib.insert(deep.append(b"b"))
    assert fib.exact(deep.append(b"b")) is None


def test_closed_face_leaves_no_routes():
    fib = Fib()
    a, b = Face(), Face()
    fib.add("/A", a)
    fib.add("/A", b)
    fib.add("/B", a)
    fib.remove_face(a)
    assert [(str(entry.prefix), [hop.face for hop in entry.nexthops]) for entry in fib] == [
        ("/A", [b])
    ]


small_names = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=5).map(Name)


@given(
    st.lists(st.tuples(st.booleans(), small_names), max_size=60), st.lists(small_names, max_size=10)
)
def test_fib_is_a_dictionary_of_prefixes(operations, queries):
    fib, model = Fib(), set()
    for insert, name in operations:
        if insert:
            fib.insert(name)
            model.add(name)
        else:
            assert fib.erase(name) == (name in model)
            model.discard(name)
    assert [entry.prefix for entry in fib] == sorted(model)
    for query in queries:
        prefixes = [query.prefix(n) for n in range(len(query) + 1) if query.prefix(n) in model]
        assert fib.lookup(query).prefix == (prefixes[-1] if prefixes else Name())


def interest_of(row: list) -> Interest:
    name, can_be_prefix, must_be_fresh, *other = row
    return Interest(
        name,
        can_be_prefix=can_be_prefix,
        must_be_fresh=must_be_fresh,
        nonce=7 if other == ["other nonce"] else 3,
        lifetime=seconds(9) if other == ["other lifetime"] else None,
    )


@pytest.mark.parametrize("row", [row for row in PIT if "size" in row])
def test_pit_key(row):
    pit = Pit()
    for inserted in row["insert"]:
        interest = interest_of(inserted)
        entry = pit.insert(interest)
        assert pit.lookup(interest) is entry
    assert len(pit) == row["size"]
    for entry in pit.entries:
        pit.remove(entry)
    assert len(pit) == 0
    assert pit.lookup(interest) is None


@pytest.mark.parametrize("row", [row for row in PIT if "data" in row])
def test_pit_matches_data(row):
    def expand(text: str) -> Name:
        return name_of(
            text.replace("<32 x A>", "/A" * 32)
            .replace("<32 x B>", "/B" * 32)
            .replace("<32 x C>", "/C" * 32)
            .replace("<digest of that Data>", f"<digest of Data {'/A' * 32}{'/C' * 32}>")
        )

    pit = Pit()
    for name, can_be_prefix, must_be_fresh in row["insert"]:
        pit.insert(Interest(expand(name), can_be_prefix=can_be_prefix, must_be_fresh=must_be_fresh))
    found = [entry.name for entry in pit.match(Data(expand(row["data"])))]
    assert sorted(found) == sorted(expand(name) for name in row["matches"])


def test_pit_names_with_digest():
    pit = Pit()
    data = Data("/A/B", b"x")
    entry = pit.insert(Interest(data.full_name))
    assert pit.match(data) == [entry]
    assert pit.match(Data("/A/B", b"y")) == []


def test_erasing_the_last_entry_leaves_nothing():
    """NFD prunes its name tree; there is no tree here that could keep anything."""
    assert any("erase" in row for row in PIT)
    pit = Pit()
    for _ in range(3):
        for i in range(200):
            pit.insert(Interest(f"/A/B/{i}", can_be_prefix=i % 2 == 0))
        assert len(pit) == 200
        for i in range(200):
            pit.remove(pit.lookup(Interest(f"/A/B/{i}", can_be_prefix=i % 2 == 0)))
        assert len(pit) == 0
        assert pit.match(Data("/A/B/4/x")) == []


@given(
    st.lists(
        st.tuples(small_names.filter(len), st.booleans(), st.booleans()), max_size=30, unique=True
    ),
    small_names,
)
def test_pit_finds_what_a_search_finds(keys, name):
    pit = Pit()
    interests = [
        Interest(key, can_be_prefix=prefix, must_be_fresh=fresh) for key, prefix, fresh in keys
    ]
    for interest in interests:
        pit.insert(interest)
    data = Data(name)
    expected = [interest for interest in interests if interest.matches(data)]
    found = [entry.interest for entry in pit.match(data)]
    assert len(found) == len(expected)
    assert {id(interest) for interest in found} == {id(interest) for interest in expected}
    assert [len(interest.name) for interest in found] == sorted(
        (len(interest.name) for interest in found), reverse=True
    )


def test_pit_entry_is_small():
    entry = Pit().insert(Interest("/A/B/C", nonce=1))
    # Up to 15 bytes are lost to alignment, up to 16 are its share of the buckets.
    assert (entry.memory + 15) // 16 * 16 + 16 <= 200
    assert ContentStore().bytes_per_entry <= 150


def find(store: ContentStore, row: list, now: int = 0) -> Data | None:
    name, can_be_prefix, must_be_fresh = row
    return store.find(Interest(name, can_be_prefix=can_be_prefix, must_be_fresh=must_be_fresh), now)


def make(identity: int, name: str, freshness: int | None = None) -> Data:
    return Data(name, str(identity).encode(), freshness=ms(freshness or 0))


@pytest.mark.parametrize("row", [row for row in CS if "find" in row or "timeline" in row])
def test_content_store(row):
    store = ContentStore(row.get("capacity", 65536))
    inserted = {}
    for identity, name, *freshness in row["insert"]:
        inserted[identity] = make(identity, name, *freshness)
        store.insert(inserted[identity])
    if "size" in row:
        assert len(store) == row["size"]
    for name, can_be_prefix, must_be_fresh, expected in row.get("find", []):
        prefix, digest, which = name.partition("/sha256digest=<of ")
        wanted = inserted[int(which[:-1])].full_name if digest else Name(prefix)
        found = find(store, [wanted, can_be_prefix, must_be_fresh])
        assert found is inserted.get(expected)
    for t, name, can_be_prefix, must_be_fresh, expected in row.get("timeline", []):
        found = find(store, [name, can_be_prefix, must_be_fresh], ms(t))
        assert found is inserted.get(expected)


@pytest.mark.parametrize("row", [row for row in CS if "erase" in row])
def test_erase(row):
    store = ContentStore()
    for identity, name in row["insert"]:
        store.insert(make(identity, name))
    for prefix, limit, erased, size in row["erase"]:
        assert store.erase(prefix, limit) == erased
        assert len(store) == size


@pytest.mark.parametrize("row", [row for row in CS if "script" in row])
def test_policy(row):
    store = ContentStore(row["capacity"], row["policy"].replace("_", "-"))
    now = 0
    for line in row["script"]:
        action, _, evicted = line.partition(" -> evict ")
        words = action.split()
        if words[0].startswith("t+"):
            now += ms(int(words[0][2:]))
            continue
        if words[0] == "find":
            assert find(store, [words[1], False, False], now) is not None
            continue
        assert words[0] == "ins"
        before = {str(data.name) for data in store}
        freshness = int(words[words.index("fresh") + 1]) if "fresh" in words else 0
        # A refresh is the same packet again: it must differ in nothing.
        refresh = "(refresh" in line
        data = Data(words[2], 5, freshness=ms(10 if refresh else freshness))
        if row["policy"] == "lru":
            data = Data(words[2], 5)
        # The packet that comes again has been fresh for 10 ms: it is stale at once.
        arrival = now - data.freshness if refresh else now
        store.insert(data, "unsolicited" in action, arrival)
        gone = before - {str(data.name) for data in store}
        assert gone == ({evicted.split()[0]} if evicted else set())
        if refresh:
            assert len(store) == 3


def test_python_policy():
    class Mru(CachePolicy):
        """The most recently used leaves."""

        def __init__(self):
            self.order = []
            self.gone = []

        def inserted(self, entry):
            # What has just come stays.
            self.order.insert(max(0, len(self.order) - 1), entry)
            return 0

        def used(self, entry):
            self.order.remove(entry)
            self.order.append(entry)
            return 0

        def erased(self, entry):
            self.gone.append(str(self.data(entry).name))
            self.order.remove(entry)
            return 0

        def evict(self):
            return self.order[-1]

    policy = Mru()
    store = ContentStore(2, policy)
    for name in ("/a", "/b"):
        store.insert(Data(name))
    store.find(Interest("/a"))
    store.insert(Data("/c"))
    assert policy.gone == ["/a"]
    assert [str(data.name) for data in store] == ["/b", "/c"]
    with pytest.raises(ValueError, match="another content store"):
        ContentStore(2, policy)
    plain = ContentStore(1, CachePolicy())
    plain.insert(Data("/a"))
    with pytest.raises(NotImplementedError, match="what to evict"):
        plain.insert(Data("/b"))


def test_bad_store():
    with pytest.raises(ValueError, match="policy is 'best'"):
        ContentStore(10, "best")
    with pytest.raises(ValueError, match="capacity is -1"):
        ContentStore(-1)

    class Wrong(CachePolicy):
        def evict(self):
            return 12345

    store = ContentStore(1, Wrong())
    store.insert(Data("/a"))
    with pytest.raises(ValueError, match="entry 12345"):
        store.insert(Data("/b"))


def test_admit_and_serve():
    store = ContentStore()
    store.insert(Data("/a"))
    store.serves = False
    assert store.find(Interest("/a")) is None
    store.serves, store.admits = True, False
    store.insert(Data("/b"))
    assert store.find(Interest("/b")) is None
    assert store.find(Interest("/a")) is not None


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ifep"), small_names.filter(len), st.integers(0, 2), st.booleans()
        ),
        max_size=60,
    ),
    st.integers(1, 12),
)
@settings(max_examples=200)
def test_store_is_an_lru_list(operations, capacity):
    """Against a list: least recently used first, leftmost answer in canonical order."""
    store, model = ContentStore(capacity), []
    for operation, name, identity, prefix in operations:
        data = Data(name, bytes([identity]))
        if operation == "i":
            store.insert(data)
            if data in model:
                model.remove(data)
            model.append(data)
            if len(model) > capacity:
                model.pop(0)
        elif operation == "e":
            ordered = sorted(
                (one for one in model if name.is_prefix_of(one.name)),
                key=lambda one: (one.name, one.full_name),
            )
            assert store.erase(name, 1) == len(ordered[:1])
            for one in ordered[:1]:
                model.remove(one)
        else:
            interest = Interest(data.full_name if operation == "f" else name, can_be_prefix=prefix)
            answers = sorted(
                (one for one in model if interest.matches(one)),
                key=lambda one: (one.name, one.full_name),
            )
            found = store.find(interest)
            assert found == (answers[0] if answers else None)
            if answers:
                model.remove(found)
                model.append(found)
        assert len(store) == len(model)
    assert list(store) == sorted(model, key=lambda one: (one.name, one.full_name))


def nonce_of(text: str) -> int:
    return int(text[1:]) if text.startswith("n") else int(text, 16)


@pytest.mark.parametrize("row", [row for row in DNL if "ops" in row])
def test_dead_nonce_list(row):
    nonces = DeadNonceList(**({"capacity": row["capacity"]} if "capacity" in row else {}))
    for op, *arguments in row["ops"]:
        if op == "add":
            nonces.add(arguments[0], nonce_of(arguments[1]))
        elif op == "has":
            assert nonces.has(arguments[0], nonce_of(arguments[1])) is arguments[2]
        else:
            assert op == "size"
            assert len(nonces) == arguments[0]
    if "size" in row:
        assert len(nonces) == row["size"]


@pytest.mark.parametrize("rate", [1_000, 4_000, 20_000])
def test_dead_nonces_live_for_a_lifetime(rate):
    """At a steady rate the capacity follows; `rate` is in entries a lifetime."""
    lifetime = ms(next(row for row in DNL if row.get("lifetime_ms"))["lifetime_ms"])
    nonces = DeadNonceList(lifetime)
    step = lifetime // rate
    count = 0
    present_early, present_late = [], []
    for count in range(30 * rate):
        now = count * step
        nonces.add("/A", count, now)
        if now > 25 * lifetime and count % (rate // 10) == 0:
            present_early.append(nonces.has("/A", count - rate // 2, now))
            present_late.append(nonces.has("/A", count - rate * 3 // 2, now))
    assert all(present_early)
    # Below the least capacity, 1,024, nonces stay for longer.
    assert rate <= 1_000 or not any(present_late)


def test_dead_nonce_list_is_bounded():
    nonces = DeadNonceList()
    for i in range(200_000):
        nonces.add("/A", i, i)
    assert len(nonces) < 1 << 15


def test_dead_nonce_lifetime():
    short = next(row for row in DNL if row.get("error"))
    with pytest.raises(ValueError, match="lifetime is 0 ns"):
        DeadNonceList(ms(short["lifetime_ms"]))


def test_idle_dead_nonce_list_shrinks():
    nonces = DeadNonceList()
    for i in range(20_000):
        nonces.add("/A", i, 0)
    # Nothing for a day; then the list is in use again.
    assert not nonces.has("/A", 5, seconds(86_400))
    assert nonces.capacity == 1 << 10
    assert not nonces.has("/A", 0, seconds(86_400))
