"""Numbers and elements against the specification's cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.models.ndn.tlv import (
    TlvError,
    decode_nonnegative,
    decode_var_number,
    elements,
    encode_element,
    encode_nonnegative,
    encode_var_number,
    is_critical,
)

ROOT = Path(__file__).resolve().parents[2] / "reference" / "ndn"
NUMBERS = json.loads((ROOT / "tlv_numbers.json").read_text())["cases"]


@pytest.mark.parametrize("row", NUMBERS["var"])
def test_var_number(row):
    number, wire = row
    assert encode_var_number(number).hex() == wire
    assert decode_var_number(bytes.fromhex(wire) + b"rest") == (number, len(wire) // 2)


@pytest.mark.parametrize("row", NUMBERS["nni"])
def test_nonnegative_integer(row):
    number, wire = row
    assert encode_nonnegative(number).hex() == wire
    assert decode_nonnegative(bytes.fromhex(wire)) == number


@pytest.mark.parametrize("size", NUMBERS["nni_bad_lengths"])
def test_size_of_nonnegative_integer(size):
    with pytest.raises(TlvError, match=f"has {size} bytes"):
        decode_nonnegative(bytes(size))


@pytest.mark.parametrize("wire", NUMBERS["var_truncated"])
def test_cut_off_number(wire):
    with pytest.raises(TlvError, match="cut off"):
        decode_var_number(bytes.fromhex(wire))


@pytest.mark.parametrize("wire", NUMBERS["invalid_nonshortest"])
def test_number_not_in_shortest_form(wire):
    with pytest.raises(TlvError, match="shortest"):
        decode_var_number(bytes.fromhex(wire))


def test_critical_types():
    for number in NUMBERS["critical_type"]["true"]:
        assert is_critical(number)
    for number in NUMBERS["critical_type"]["false"]:
        assert not is_critical(number)


@given(st.integers(0, 2**64 - 1))
def test_numbers_come_back(number):
    wire = encode_var_number(number)
    assert decode_var_number(wire) == (number, len(wire))
    assert decode_nonnegative(encode_nonnegative(number)) == number


@given(st.lists(st.tuples(st.integers(1, 2**32 - 1), st.binary(max_size=300)), max_size=5))
def test_elements_come_back(pairs):
    wire = b"".join(encode_element(kind, value) for kind, value in pairs)
    assert elements(wire) == pairs


@given(st.binary(max_size=30))
def test_any_bytes_are_elements_or_an_error(data):
    try:
        found = elements(data)
    except TlvError:
        return
    assert b"".join(encode_element(kind, value) for kind, value in found) == data


@pytest.mark.parametrize("wire", ["", "05", "0502", "050141ff", "0000", "ff000000010000000000"])
def test_bad_elements(wire):
    data = bytes.fromhex(wire)
    if not data:
        assert elements(data) == []
        return
    with pytest.raises(TlvError):
        elements(data)


def test_numbers_out_of_range():
    for number in (-1, 2**64):
        with pytest.raises(ValueError, match="number is"):
            encode_var_number(number)
        with pytest.raises(ValueError, match="number is"):
            encode_nonnegative(number)
    with pytest.raises(ValueError, match="type is 0"):
        encode_element(0, b"")
