"""Names and components against the specification's and ndn-cxx's cases."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.models.ndn.component import Component
from simcore.models.ndn.name import Name, set_hash_key
from simcore.models.ndn.tlv import TlvError, decode_nonnegative, encode_element

ROOT = Path(__file__).resolve().parents[2] / "reference" / "ndn"
ORDER = json.loads((ROOT / "name_order.json").read_text())["cases"]
URI = json.loads((ROOT / "name_uri.json").read_text())["cases"]
COMPONENT = json.loads((ROOT / "name_component_uri.json").read_text())["cases"]

components = st.builds(
    lambda kind, value: Component(value, kind),
    st.integers(3, 65535),
    st.binary(max_size=12),
)
names = st.lists(components, max_size=6).map(Name)


def component_of(wire: str) -> Component:
    return Name.from_wire(encode_element(7, bytes.fromhex(wire)))[0]


@pytest.mark.parametrize("row", COMPONENT["pairs"], ids=lambda row: row["uri"])
def test_component(row):
    component = component_of(row["wire"])
    assert component.to_wire().hex() == row["wire"]
    assert component.to_uri() == row["uri"]
    assert component.to_uri(canonical=True) == row["canonical"]
    for uri in [row["uri"], row["canonical"], *row.get("also", [])]:
        assert Component.parse(uri) == component
    assert Component(component.value, component.type) == component


@pytest.mark.parametrize("uri", COMPONENT["uri_errors"])
def test_component_uri_error(uri):
    with pytest.raises(ValueError, match="component"):
        Component.parse(uri)


@pytest.mark.parametrize("wire", COMPONENT["wire_errors"])
def test_component_wire_error(wire):
    with pytest.raises(TlvError):
        component_of(wire)


@pytest.mark.parametrize("row", COMPONENT["convention_typed"])
def test_typed_component(row):
    kind, number, wire = row
    make = {
        "seg": Component.segment,
        "off": Component.byte_offset,
        "v": Component.version,
        "t_us": Component.timestamp,
        "seq": Component.sequence,
    }[kind]
    assert make(number).to_wire().hex() == wire
    assert make(number).number == number


@pytest.mark.parametrize("row", COMPONENT["convention_marker_legacy"])
def test_marker_component_is_generic(row):
    kind, number, wire = row
    component = component_of(wire)
    assert component.type == 8
    assert component.value[0] == {"seg": 0x00, "seq": 0xFE, "t_us": 0xFC}[kind]
    assert decode_nonnegative(component.value[1:]) == number


@pytest.mark.parametrize("row", URI["normalise"])
def test_normalised_uri(row):
    given_uri, uri = row
    assert Name(given_uri).to_uri() == uri
    assert Name(uri) == Name(given_uri)


@pytest.mark.parametrize("uri", URI["errors"])
def test_name_uri_error(uri):
    with pytest.raises(ValueError, match="component"):
        Name(uri)


@pytest.mark.parametrize("row", URI["wire"])
def test_name_wire(row):
    uri, wire = row
    assert Name(uri).to_wire().hex() == wire
    assert Name.from_wire(bytes.fromhex(wire)).to_uri() == uri


@pytest.mark.parametrize("row", URI["canonical_uri"])
def test_canonical_uri(row):
    assert Name(row[0]).to_uri(canonical=True) == row[1]
    assert Name(row[1]) == Name(row[0])


@pytest.mark.parametrize("row", URI["sub_name"])
def test_subname(row):
    uri, start, count, expected = row
    assert Name(uri).subname(start, count) == Name(expected)


def test_parameters_digest_placeholder():
    uri, wire = URI["params_digest_placeholder"]
    assert Name(uri).append_parameters_digest_placeholder().to_wire().hex() == wire


def test_canonical_order_of_every_pair():
    ordered = [Name(uri) for uri in ORDER["sorted"]]
    for before, after in combinations(ordered, 2):
        assert before < after
        assert before <= after
        assert after > before
        assert after >= before
        assert before != after
    for name in ordered:
        assert name == Name(name.to_uri())
        assert name <= name
        assert not name < name


@pytest.mark.parametrize("row", ORDER["successor"])
def test_successor(row):
    assert Name(row[0]).successor() == Name(row[1])


@pytest.mark.parametrize("row", ORDER["is_prefix"])
def test_is_prefix(row):
    prefix, name, expected = row
    assert Name(prefix).is_prefix_of(Name(name)) is expected
    assert Name(prefix).is_prefix_of(name) is expected


@pytest.mark.parametrize("row", ORDER["compare_sub"])
def test_compare_part(row):
    uri, start, count, other, expected = row
    part, other = Name(uri).subname(start, count), Name(other)
    assert (part > other) - (part < other) == expected


@given(names, names)
def test_order_and_hashes_are_those_of_the_components(a, b):
    assert (a < b) == (list(a) < list(b))
    assert (a == b) == (list(a) == list(b))
    if a == b:
        assert hash(a) == hash(b)
    joined = a + b
    assert a.is_prefix_of(joined)
    assert joined.prefix(len(a)) == a
    assert list(joined) == [*a, *b]
    assert [joined.prefix_hash(n) for n in range(len(a) + 1)] == [
        a.prefix_hash(n) for n in range(len(a) + 1)
    ]
    for n in range(len(joined) + 1):
        assert joined.prefix_hash(n) == joined.prefix(n).prefix_hash(n)


@given(names)
def test_forms_come_back(name):
    assert Name.from_wire(name.to_wire()) == name
    assert Name(name.to_uri()) == name
    assert Name(name.to_uri(canonical=True)) == name
    assert Name(list(name)) == name
    assert pickle.loads(pickle.dumps(name)) == name


@given(st.binary(max_size=40))
def test_any_bytes_are_a_name_or_an_error(data):
    try:
        name = Name.from_wire(encode_element(7, data))
    except TlvError:
        return
    assert name.value == data
    assert Name(name.to_uri()) == name


@given(st.text(max_size=30))
def test_any_text_is_a_name_or_an_error(uri):
    try:
        name = Name(uri)
    except ValueError:
        return
    assert Name(name.to_uri()) == name


@given(names, st.integers(0, 2**64 - 1))
def test_sequence_number(name, number):
    longer = name.append_sequence(number)
    assert longer == name.append(Component.sequence(number))
    assert longer == name.append_number(58, number)
    assert longer.prefix(len(name)) == name
    assert longer[-1].to_uri() == f"seq={number}"
    assert hash(longer) == hash(Name(longer.to_uri()))


def test_hash_depends_on_order_and_bounds():
    assert len({hash(Name(uri)) for uri in ("/a/b", "/b/a", "/ab", "/a", "/b", "/")}) == 6


def sip_hash_1_3(key: bytes, data: bytes) -> int:
    """SipHash with one compression round and three at the end, by its paper."""
    mask = 2**64 - 1
    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D]
    v += [k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def mix(a: int, b: int, bits: int) -> None:
        v[a] = (v[a] + v[b]) & mask
        v[b] = (v[b] << bits | v[b] >> (64 - bits)) & mask ^ v[a]

    def turn(a: int) -> None:
        v[a] = (v[a] << 32 | v[a] >> 32) & mask

    def sip_round() -> None:
        mix(0, 1, 13)
        turn(0)
        mix(2, 3, 16)
        mix(0, 3, 21)
        mix(2, 1, 17)
        turn(2)

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 255])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= word
        sip_round()
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(3):
        sip_round()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_hashes_are_a_chain_of_siphash():
    name = Name([b"example", b"", b"a component of some length", "seq=77"])
    expected = sip_hash_1_3(bytes(range(16)), bytes(8))
    assert name.prefix_hash(0) == expected
    for n, component in enumerate(name, 1):
        data = expected.to_bytes(8, "little") + component.to_wire()
        expected = sip_hash_1_3(bytes(range(16)), data)
        assert name.prefix_hash(n) == expected


def test_indexing():
    name = Name("/a/b/c")
    assert len(name) == 3
    assert name[0] == Component(b"a")
    assert name[-1] == Component(b"c")
    assert name[1:] == Name("/b/c")
    assert name[:-1] == name.prefix(-1) == Name("/a/b")
    assert name.prefix(-5) == Name()
    assert name.replaced(1, b"x") == Name("/a/x/c")
    with pytest.raises(IndexError):
        name[3]
    with pytest.raises(ValueError, match="step"):
        name[::2]


def test_long_name():
    name = Name([bytes(250)] * 200)
    assert len(name) == 200
    with pytest.raises(TlvError, match="65535"):
        name + name


def test_wrong_types():
    with pytest.raises(TypeError, match="from_wire"):
        Name(b"\x08\x01a")
    with pytest.raises(TypeError, match="component is 3"):
        Name([3])
    with pytest.raises(ValueError, match="type is 0"):
        Component(b"a", 0)


def test_hash_key():
    with pytest.raises(ValueError, match="16"):
        set_hash_key(b"short")
    Name("/a")
    with pytest.raises(RuntimeError, match="exist already"):
        set_hash_key(bytes(16))
    script = (
        "from simcore.models.ndn import Name, set_hash_key\n"
        "set_hash_key(bytes(range(1, 17)))\n"
        "print(Name('/a').prefix_hash(1))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) != Name("/a").prefix_hash(1)
