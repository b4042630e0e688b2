"""Tables of the flow state extension (RFC 4728 5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.models.dsr.default_flow_table import DefaultFlowTable
from simcore.models.dsr.flow_table import FlowEntry, FlowTable
from simcore.models.dsr.shortening_table import ShorteningTable

A, B, C, D = "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"


def test_flow_is_found_by_source_destination_and_number():
    table = FlowTable()
    entry = table._add(A, D, 1, [B, C], expiry=100, now=0)
    assert table.lookup(A, D, 1, 99) is entry
    assert table.lookup(A, D, 2, 50) is None
    assert table.lookup(D, A, 1, 50) is None
    assert table._find_route(A, D, [B, C], 50) is entry
    assert table._find_route(A, D, [C, B], 50) is None


def test_flow_is_gone_at_its_expiry():
    table = FlowTable()
    table._add(A, D, 1, [B], expiry=100, now=0)
    assert table.lookup(A, D, 1, 100) is None
    assert table._find_route(A, D, [B], 100) is None
    table._add(A, D, 3, [B], expiry=300, now=200)
    assert [entry.flow for entry in table.entries()] == [3]
    assert len(table) == 1


def test_same_flow_replaces_its_entry():
    table = FlowTable()
    table._add(A, D, 1, [B], expiry=100, now=0)
    second = table._add(A, D, 1, [C], expiry=100, now=0)
    assert table.entries() == [second]
    assert len(table) == 1


def test_full_table_loses_what_was_used_longest_ago():
    table = FlowTable(capacity=2)
    table._add(A, D, 1, [B], expiry=1000, now=0)
    table._add(A, C, 1, [B], expiry=1000, now=1)
    table._add(B, D, 1, [C], expiry=1000, now=2)
    assert len(table) == 2
    assert table.lookup(A, D, 1, 3) is None
    # Expired ones make room first.
    table._add(B, A, 1, [C], expiry=2000, now=1500)
    assert len(table) == 1


@pytest.mark.parametrize(("link", "gone"), [((A, B), {1}), ((C, B), {1}), ((D, C), {1, 2})])
def test_broken_link_takes_its_flows(link, gone):
    table = FlowTable()
    table._add(A, D, 1, [B, C], expiry=100, now=0)
    table._add(A, D, 2, [C], expiry=100, now=0)
    table._add(A, D, 3, [B], expiry=100, now=0)
    if link == (A, B):
        gone = {1, 3}
    assert table._break_link(*link) == len(gone)
    assert {entry.flow for entry in table.entries()} == {1, 2, 3} - gone


def test_node_takes_its_flows():
    table = FlowTable()
    table._add(A, D, 1, [B, C], expiry=100, now=0)
    table._add(A, D, 3, [B], expiry=100, now=0)
    table._add(A, C, 1, [B], expiry=100, now=0)
    assert table._remove_through(C) == 2
    assert [entry.flow for entry in table.entries()] == [3]


def test_default_is_the_largest_odd_flow():
    table = DefaultFlowTable()
    assert table.lookup(A, D, 0) is None
    table._note(A, D, 2, expiry=100, now=0)
    assert table.lookup(A, D, 0) is None
    table._note(A, D, 5, expiry=100, now=0)
    table._note(A, D, 3, expiry=100, now=0)
    assert table.lookup(A, D, 0) == 5
    table._note(A, D, 8, expiry=100, now=0)
    assert table.lookup(A, D, 0) == 5
    assert table.lookup(D, A, 0) is None


@given(st.integers(0, 0xFFFF), st.integers(1, 0x7FFF))
def test_numbers_are_compared_modulo_two_to_the_sixteenth(flow, ahead):
    table = DefaultFlowTable()
    first, second = flow | 1, (flow + 2 * (ahead // 2 + 1)) & 0xFFFF | 1
    table._note(A, D, first, expiry=100, now=0)
    table._note(A, D, second, expiry=100, now=0)
    distance = (second - first) & 0xFFFF
    assert table.lookup(A, D, 0) == (second if 0 < distance < 0x8000 else first)


def test_default_ends_with_all_flows_of_the_pair():
    table = DefaultFlowTable()
    table._note(A, D, 1, expiry=100, now=0)
    table._note(A, D, 2, expiry=200, now=0)
    assert table.lookup(A, D, 150) == 1
    assert table.lookup(A, D, 200) is None
    assert len(table) == 0
    # What came before counts no more.
    table._note(A, D, 9, expiry=300, now=210)
    table._note(A, D, 1, expiry=600, now=400)
    assert table.lookup(A, D, 410) == 1


def test_full_default_table_tells_who_left():
    table = DefaultFlowTable(capacity=1)
    assert table._note(A, D, 1, expiry=100, now=0) == 0
    assert table._note(B, D, 1, expiry=100, now=0) == 0x0A000001_0A000004
    assert table.lookup(A, D, 0) is None


def test_packet_is_remembered_with_its_least_hop_count():
    table = ShorteningTable()
    table._note(A, D, 1, packet=7, hop_count=3)
    table._note(A, D, 1, packet=7, hop_count=1)
    table._note(A, D, 1, packet=7, hop_count=2)
    assert table._take(A, D, 1, 8) == -1
    assert table._take(A, D, 2, 7) == -1
    assert table._take(A, D, 1, 7) == 1
    assert table._take(A, D, 1, 7) == -1


def test_shortening_table_keeps_flows_rather_than_packets():
    table = ShorteningTable(capacity=2, packets=3)
    for packet in range(5):
        table._note(A, D, 1, packet, 0)
    table._note(B, D, 1, 0, 0)
    assert [table._take(A, D, 1, packet) for packet in range(5)] == [-1, -1, 0, 0, 0]
    table._note(C, D, 1, 0, 0)
    assert len(table) == 2
    assert table._take(B, D, 1, 0) == 0


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: FlowTable(0), "capacity"),
        (lambda: DefaultFlowTable(0), "capacity"),
        (lambda: ShorteningTable(0), "capacity"),
        (lambda: ShorteningTable(1, 0), "packets"),
    ],
)
def test_bad_parameters_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()


def test_entries_are_not_made_by_hand():
    with pytest.raises(TypeError, match="made by DSR"):
        FlowEntry()
