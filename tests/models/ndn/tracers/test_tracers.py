from __future__ import annotations

from itertools import pairwise

import pytest

from simcore import ms, seconds
from simcore.models.ndn import Data
from simcore.models.ndn.apps import ConsumerBatches, ConsumerCbr, Producer
from simcore.models.ndn.helpers import add_route, fail_link
from simcore.models.ndn.stack import install
from simcore.models.ndn.tracers import AppDelayTracer, CsTracer, L2RateTracer, L3RateTracer
from simcore.models.network import PointToPointLink, create_nodes


class OtherSignature:
    """A signature of one byte and a type of its own, which ndnSIM's producer makes."""

    def signature_info(self):
        return b"\x1b\x01\xff"

    def sign(self, portion):
        return b"\x00"


class OtherProducer(Producer):
    def on_interest(self, interest):
        return Data(interest.name, self.payload_size, signer=OtherSignature())


def line(sim, count, data_rate="10Mbps", delay="10ms", queue=20, **options):
    nodes = create_nodes(sim, count)
    for i, node in enumerate(nodes):
        vars(node)["name"] = str(i + 1)
    for a, b in pairwise(nodes):
        PointToPointLink(a, b, data_rate, delay, queue)
    install(nodes, **options)
    return nodes


def rounded(rows):
    """Rows with numbers as ndnSIM prints them."""
    return [
        [float(f"{value:g}") if isinstance(value, float) else value for value in row]
        for row in rows
    ]


def test_application_delays_are_ndnsim_ones(sim, reference, tmp_path):
    """Table of ndnSIM's unit test of its AppDelayTracer.

    ndn-cxx then wrote sequence numbers in the older form of four bytes instead of three: a name
    that is longer by one byte makes up for it.
    """
    expected = reference("ndnsim_golden")["app_delay"]
    nodes = line(sim, 3, face={"hop_counts": True})
    for a, b in pairwise(nodes):
        add_route(a, "/a-prefi", b, 1)
    prefix = "/a-prefi"
    OtherProducer(nodes[2], prefix, payload_size=1024)
    ConsumerCbr(nodes[0], prefix, 1, start="1s", stop="1.9s")
    ConsumerCbr(nodes[1], prefix, 1, start="2s")
    path = tmp_path / "delays.txt"
    tracer = AppDelayTracer(nodes, path)
    sim.run(seconds(4) - 1)
    rows = rounded(tracer.rows)
    assert list(tracer.columns) == expected["columns"]
    assert rows == expected["rows"]
    assert tracer.table().column_names == expected["columns"]
    assert tracer.table().num_rows == 6
    assert path.read_text() == tracer.text()
    first = tracer.text().split("\n")[1]
    assert first == "1.04177\t1\t0\t0\tLastDelay\t0.0417664\t41766.4\t1\t2"


def test_delays_follow_from_the_bytes(sim):
    """Delay over two links: twice the propagation, and both packets' time on each wire."""
    nodes = line(sim, 3, data_rate="2Mbps", delay="3ms")
    for a, b in pairwise(nodes):
        add_route(a, "/p", b)
    Producer(nodes[2], "/p", payload_size=700)
    consumer = ConsumerCbr(nodes[0], "/p", 5, count=4)
    sizes = []
    consumer.trace.interest.connect(lambda interest: sizes.append(interest.wire_size))
    consumer.trace.data.connect(lambda number, delays, data: sizes.append(data.wire_size))
    tracer = AppDelayTracer([consumer])
    sim.run(seconds(3))
    # PPP puts two bytes before each; bare packets have no link header of NDN's.
    on_wire = (sizes[0] + 2 + sizes[1] + 2) * 8 / 2e6
    delays = [row[5] for row in tracer.rows]
    assert delays == pytest.approx([2 * (2 * 0.003 + on_wire)] * 8, abs=1e-9)


def test_nack_of_a_node_without_routes(sim, reference):
    """ndnSIM's unit test of its L3RateTracer; the smoothed rate starts from 0."""
    assert "0.8" in reference("ndnsim_golden")["l3_rate_nack"]
    nodes = create_nodes(sim, 1)
    install(nodes)
    ConsumerCbr(nodes[0], "/prefix", 1, stop="900ms")
    tracer = L3RateTracer(nodes)
    sim.run(seconds(1))
    rows = {(row[3], row[4]): row for row in tracer.rows}
    assert rows["appFace://", "InInterests"][5:8:2] == (0.8, 1)
    assert rows["appFace://", "OutNacks"][5:8:2] == (0.8, 1)
    assert rows["appFace://", "OutInterests"][5:8:2] == (0, 0)
    assert rows["all", "TimedOutInterests"] == (
        1.0,
        "0",
        -1,
        "all",
        "TimedOutInterests",
        0.8,
        0,
        1,
        0,
    )
    assert rows["all", "SatisfiedInterests"][5:8:2] == (0, 0)


def test_rates_of_faces(sim):
    nodes = line(sim, 2)
    add_route(nodes[0], "/p", nodes[1])
    Producer(nodes[1], "/p", payload_size=100)
    consumer = ConsumerBatches(nodes[0], "/p", "100ms 10 1.2s 6")
    size = []
    consumer.trace.interest.connect(lambda interest: size.append(interest.wire_size))
    tracer = L3RateTracer(nodes, period="500ms")
    sim.run(ms(2000))
    table = tracer.table().to_pylist()

    def column(node, descr, kind, name):
        return [
            row[name]
            for row in table
            if row["Node"] == node and row["FaceDescr"].startswith(descr) and row["Type"] == kind
        ]

    assert column("1", "netdev", "OutInterests", "PacketRaw") == [10, 0, 6, 0]
    assert column("2", "netdev", "InInterests", "PacketRaw") == [10, 0, 6, 0]
    # alpha 0.8 of the rate per second, and 0.2 of the one before.
    assert column("1", "netdev", "OutInterests", "Packets") == pytest.approx(
        [16, 3.2, 0.8 * 12 + 0.2 * 3.2, 0.2 * (0.8 * 12 + 0.2 * 3.2)]
    )
    assert column("1", "netdev", "OutInterests", "KilobytesRaw")[0] == 10 * size[0] / 1024
    assert column("1", "netdev", "InData", "KilobytesRaw")[0] > 1
    assert column("1", "netdev", "OutSatisfiedInterests", "PacketRaw") == [10, 0, 6, 0]
    assert column("1", "appFace", "InSatisfiedInterests", "PacketRaw") == [10, 0, 6, 0]
    assert column("2", "netdev", "InSatisfiedInterests", "PacketRaw") == [10, 0, 6, 0]
    assert column("2", "appFace", "OutSatisfiedInterests", "PacketRaw") == [10, 0, 6, 0]
    assert column("2", "all", "SatisfiedInterests", "PacketRaw") == [10, 0, 6, 0]
    assert column("2", "all", "TimedOutInterests", "PacketRaw") == [0, 0, 0, 0]


def test_timed_out_interests_of_faces(sim):
    nodes = line(sim, 2)
    add_route(nodes[0], "/p", nodes[1])
    Producer(nodes[1], "/p")
    fail_link(*nodes)
    ConsumerCbr(nodes[0], "/p", 1, count=1, lifetime="500ms", retransmit=False)
    tracer = L3RateTracer(nodes)
    sim.run(seconds(1))
    raw = {(row[1], row[3][:6], row[4]): row[7] for row in tracer.rows}
    assert raw["1", "netdev", "OutTimedOutInterests"] == 1
    assert raw["1", "appFac", "InTimedOutInterests"] == 1
    assert raw["1", "all", "TimedOutInterests"] == 1
    # Faces that saw nothing have no rows.
    assert {row[1:4] for row in tracer.rows if row[1] == "2"} == {("2", -1, "all")}


def test_faces_that_are_closed_keep_their_rows(sim):
    nodes = line(sim, 1)
    Producer(nodes[0], "/p")
    ConsumerCbr(nodes[0], "/p", 10, stop="1.5s")
    tracer = L3RateTracer(nodes)
    sim.run(seconds(3))
    raw = [row[7] for row in tracer.rows if row[2] == 257 and row[4] == "InInterests"]
    assert raw == [10, 5, 0]


def test_tracer_that_comes_later_counts_from_then_on(sim):
    nodes = line(sim, 1)
    Producer(nodes[0], "/p")
    ConsumerCbr(nodes[0], "/p", 10)
    sim.run(ms(950))
    tracer = L3RateTracer(nodes)
    sim.run(ms(1950))
    assert {row[7] for row in tracer.rows if row[4] in ("InSatisfiedInterests",)} == {0, 10}
    assert [row[7] for row in tracer.rows if row[4] == "SatisfiedInterests"] == [10]


def test_cache_hits(sim):
    nodes = line(sim, 2)
    add_route(nodes[0], "/p", nodes[1])
    Producer(nodes[1], "/p")
    ConsumerCbr(nodes[0], "/p", 10, count=10)
    ConsumerCbr(nodes[0], "/p", 10, count=10, start="1s")
    tracer = CsTracer(nodes)
    sim.run(ms(2500))
    assert tracer.text().split("\n")[:5] == [
        "Time\tNode\tType\tPackets",
        "1\t1\tCacheHits\t0",
        "1\t1\tCacheMisses\t10",
        "1\t2\tCacheHits\t0",
        "1\t2\tCacheMisses\t10",
    ]
    assert [row[3] for row in tracer.rows if row[1] == "1"] == [0, 10, 10, 0]
    assert [row[3] for row in tracer.rows if row[1] == "2"] == [0, 10, 0, 0]


def test_drops_of_queues(sim):
    nodes = line(sim, 2, data_rate="1Mbps", queue=5)
    add_route(nodes[0], "/p", nodes[1])
    Producer(nodes[1], "/p", payload_size=1000)
    ConsumerBatches(nodes[0], "/p", "0s 5", retransmit=False)
    other = ConsumerBatches(nodes[0], "/p", "0.2s 20", retransmit=False, first_sequence=100)
    size = []
    other.trace.data.connect(lambda number, delays, data: size.append(data.wire_size + 2))
    interest = []
    other.trace.interest.connect(lambda packet: interest.append(packet.wire_size + 2))
    tracer = L2RateTracer(nodes)
    sim.run(ms(2999))
    # One on the wire and five in the queue; the next fourteen are lost.
    assert [row[6] for row in tracer.rows if row[1] == "1"] == [14, 0]
    assert [row[4] for row in tracer.rows if row[1] == "1"] == pytest.approx([11.2, 2.24])
    assert tracer.rows[0][7] == 14 * interest[0] / 1024
    assert [row[6] for row in tracer.rows if row[1] == "2"] == [0, 0]
    assert tracer.rows[0][:4] == (1.0, "1", "combined", "Drop")


def test_stopped_tracers_leave_no_events(sim):
    nodes = line(sim, 1)
    tracers = [L3RateTracer(nodes), CsTracer(nodes), L2RateTracer(nodes)]
    sim.run(seconds(2))
    for tracer in tracers:
        tracer.stop()
    assert sim.pending_events == 0
    assert {row[0] for row in tracers[0].rows} == {1.0, 2.0}


@pytest.mark.parametrize("kind", [L3RateTracer, CsTracer, L2RateTracer, AppDelayTracer])
def test_nothing_to_trace(sim, kind):
    with pytest.raises(ValueError, match="to trace"):
        kind([])


def test_periods_are_positive(sim):
    with pytest.raises(ValueError, match="period is '0s'"):
        CsTracer(line(sim, 1), period="0s")


def test_rows_may_go_to_a_file_only(sim, tmp_path):
    nodes = line(sim, 1)
    path = tmp_path / "cs.txt"
    tracer = CsTracer(nodes, path, keep=False)
    sim.run(seconds(2))
    assert tracer.rows == []
    assert len(path.read_text().split("\n")) == 6
    tracer.close()
    tracer.close()


def test_empty_tables_have_types(sim):
    nodes = line(sim, 1)
    ConsumerCbr(nodes[0], "/p", start="5s")
    tracers = [L3RateTracer(nodes), CsTracer(nodes), L2RateTracer(nodes), AppDelayTracer(nodes)]
    for tracer in tracers:
        schema = tracer.table().schema
        assert schema.names == list(tracer.columns)
        assert str(schema.field("Time").type) == "double"
