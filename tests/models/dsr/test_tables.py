"""Tables of DSR by the numbers of RFC 4728 4 and 9."""

import pytest

from simcore import Simulator
from simcore.models.dsr.blacklist import Blacklist
from simcore.models.dsr.gratuitous_reply_table import GratuitousReplyTable
from simcore.models.dsr.maintenance_buffer import MaintenanceBuffer
from simcore.models.dsr.network_queue import NetworkQueue
from simcore.models.dsr.passive_buffer import PassiveBuffer
from simcore.models.dsr.route_request_table import RouteRequestTable
from simcore.models.dsr.send_buffer import SendBuffer
from simcore.models.network.packet import Packet

MS = 1_000_000
S = 1_000_000_000
A, B, C = "10.0.0.1", "10.0.0.2", "10.0.0.3"


def test_request_is_seen_once():
    table = RouteRequestTable()
    assert not table.note(A, 1, C)
    assert table.note(A, 1, C)
    # The pair of identification and target counts, for each initiator.
    assert not table.note(A, 2, C)
    assert not table.note(A, 1, B)
    assert not table.note(B, 1, C)


def test_request_ids_are_first_in_first_out():
    table = RouteRequestTable(ids=16)
    for i in range(17):
        assert not table.note(A, i, C)
    assert table.note(A, 1, C)
    assert table.note(A, 16, C)
    assert not table.note(A, 0, C)


def test_least_recently_used_initiator_leaves():
    table = RouteRequestTable(size=2)
    table.note(A, 1, C)
    table.note(B, 1, C)
    assert table.note(A, 1, C)
    table.note(C, 1, B)
    assert len(table) == 2
    assert table.note(A, 1, C)
    assert not table.note(B, 1, C)


def test_send_buffer_gives_the_packets_of_a_destination_in_order():
    buffer = SendBuffer()
    buffer._add(B, 1, 30 * S)
    buffer._add(C, 2, 31 * S)
    buffer._add(B, 3, 32 * S)
    assert B in buffer
    assert buffer._take(B) == [1, 3]
    assert B not in buffer
    assert buffer._take(B) == []
    assert len(buffer) == 1
    assert [str(address) for address in buffer.destinations()] == [C]


def test_send_buffer_drops_the_oldest_when_full():
    buffer = SendBuffer(3)
    assert [buffer._add(B, i, 30 * S) for i in range(5)] == [None, None, None, 0, 1]
    assert buffer._take(B) == [2, 3, 4]


def test_send_buffer_expires_in_order():
    buffer = SendBuffer()
    for i in range(4):
        buffer._add((B, C)[i % 2], i, (30 + i) * S)
    assert buffer._next_deadline() == 30 * S
    assert buffer._take(B) == [0, 2]
    assert buffer._next_deadline() == 31 * S
    assert buffer._expire(31 * S - 1) == []
    assert buffer._expire(31 * S) == [1]
    assert buffer._expire(40 * S) == [3]
    assert buffer._next_deadline() == -1
    assert len(buffer) == 0


def test_maintenance_buffer_discards_what_does_not_fit():
    # RexmtBufferSize 50.
    buffer = MaintenanceBuffer(50)
    assert all(buffer._add(B, i, S) for i in range(50))
    assert not buffer._add(B, 50, S)
    assert buffer._acknowledged(B, 7)
    assert not buffer._acknowledged(B, 7)
    assert not buffer._acknowledged(C, 8)
    assert buffer._add(B, 51, S)


def test_maintenance_buffer_takes_all_for_a_next_hop():
    buffer = MaintenanceBuffer()
    for i, hop in enumerate((B, C, B)):
        buffer._add(hop, i, (3 - i) * S)
    assert buffer._next_deadline() == S
    assert buffer._overdue(S - 1) is None
    assert buffer._overdue(S) == 2
    assert buffer._take(B) == [0, 2]
    assert len(buffer) == 1
    assert buffer._next_deadline() == 2 * S


def test_passive_acknowledgement_needs_fewer_segments_left():
    buffer = PassiveBuffer()
    entry = buffer._add(A, C, 7, 2)
    assert buffer._match(A, C, 7, 2) is None
    assert buffer._match(A, C, 8, 1) is None
    assert buffer._match(B, C, 7, 1) is None
    assert buffer._match(A, B, 7, 1) is None
    # Either both packets have a source route or none.
    assert buffer._match(A, C, 7, -1) is None
    assert buffer._match(A, C, 7, 1) is entry
    buffer._remove(entry)
    assert buffer._match(A, C, 7, 1) is None
    assert len(buffer) == 0
    buffer._remove(entry)
    assert len(buffer) == 0


def test_gratuitous_replies_are_held_off():
    # GratReplyHoldoff 1 s.
    table = GratuitousReplyTable()
    assert table.allow(A, B, 0)
    assert not table.allow(A, B, S - 1)
    assert table.allow(A, C, S - 1)
    assert table.allow(A, B, S)
    assert len(table) == 2


def test_gratuitous_reply_table_is_bounded():
    table = GratuitousReplyTable(capacity=3)
    for i in range(1, 5):
        assert table.allow(i, B, 0)
    assert len(table) == 3
    assert table.allow(1, B, 0)
    assert not table.allow(4, B, 0)


def test_blacklist_states():
    table = Blacklist(3 * S)
    assert table.state(B, 0) is None
    table.enter(B, S)
    assert table.state(B, 4 * S - 1) == "probable"
    assert table.state(B, 4 * S) == "questionable"
    table.enter(B, 5 * S)
    assert table.state(B, 5 * S) == "probable"
    assert table.state(B, 35 * S) is None
    table.enter(B, 40 * S)
    table.discard(B)
    assert table.state(B, 40 * S) is None


def test_network_queue_sends_control_first():
    sim = Simulator()
    queue = NetworkQueue()
    packets = [Packet(sim, 10) for _ in range(4)]
    for packet, control in zip(packets, (False, True, False, True), strict=True):
        assert queue._add(packet, B, control, 0)
    order = [queue._take(0)[0] for _ in range(5)]
    assert order == [*(packets[i].uid for i in (1, 3, 0, 2)), None]


def test_network_queue_expires_and_gives_back():
    sim = Simulator()
    queue = NetworkQueue(2, 30 * S)
    first, second, third = (Packet(sim, 10) for _ in range(3))
    queue._add(first, B, False, 0)
    queue._add(second, C, False, S)
    assert not queue._add(third, C, False, S)
    assert queue._add(third, B, True, S)
    assert queue._take_for(B) == [third.uid, first.uid]
    assert queue._take(31 * S) == (None, [second.uid])
    assert len(queue) == 0


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: RouteRequestTable(size=0), "size"),
        (lambda: RouteRequestTable(ids=0), "ids"),
        (lambda: SendBuffer(0), "capacity"),
        (lambda: MaintenanceBuffer(0), "capacity"),
        (lambda: GratuitousReplyTable(0), "holdoff"),
        (lambda: GratuitousReplyTable(1, 0), "capacity"),
        (lambda: Blacklist(-1), "timeout"),
        (lambda: Blacklist(2, 1), "expiry"),
        (lambda: NetworkQueue(0), "capacity"),
        (lambda: NetworkQueue(1, 0), "max_delay"),
    ],
)
def test_bad_parameters_are_named(make, field):
    with pytest.raises(ValueError, match=field):
        make()
