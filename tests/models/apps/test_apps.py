import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore import Simulator, ms, seconds, us
from simcore.models.apps import (
    Application,
    Cbr,
    OnOff,
    SeqTsHeader,
    Sink,
    UdpEchoClient,
    UdpEchoServer,
)
from simcore.models.internet import AddressAllocator, UdpSocket, install_internet
from simcore.models.network import Node, Packet, PacketError, PointToPointLink, create_nodes
from simcore.random import Exponential

# 100 bytes and 8 + 20 + 2 of headers at 10 Mb/s, and 1 ms.
HUNDRED = us(104) + ms(1)


def test_applications_in_python_start_and_stop():
    sim = Simulator()
    node = Node(sim)
    calls = []

    class Logger(Application):
        def on_start(self):
            calls.append(("start", sim.now(), sim.context, self.running))
            sim.schedule_at(seconds(5), calls.append, "same time")

        def on_stop(self):
            calls.append(("stop", sim.now(), sim.context, self.running))

    app = Logger(node, "2s", seconds(5))
    assert node.applications == [app]
    assert (app.start_time, app.stop_time, app.running) == (seconds(2), seconds(5), False)
    sim.run()
    assert calls == [("start", seconds(2), 0, True), ("stop", seconds(5), 0, False), "same time"]


def test_bad_times():
    node = Node(Simulator())
    with pytest.raises(ValueError, match="stop is 1: it must not be before the start"):
        Application(node, 2, 1)
    with pytest.raises(ValueError, match="start is -1"):
        Application(node, -1)
    with pytest.raises(ValueError, match="wrong unit 'm'"):
        Application(node, "2 m")
    sim = Simulator()
    sim.schedule(seconds(3), lambda: None)
    sim.run()
    with pytest.raises(ValueError, match="not be before now"):
        Application(Node(sim), "1s")
    assert node.applications == []


def test_cbr_and_sink(pair_of_nodes):
    sim, (a, b) = pair_of_nodes
    sink = Sink(b, 9)
    cbr = Cbr(a, "10.1.1.2", 9, 100, rate="8kbps", start="1s", stop="3s")
    times = []
    sink.trace.rx.connect(
        lambda payload, source, port: times.append((sim.now(), str(source), port))
    )
    assert cbr.interval == ms(100)
    sim.run(seconds(10))
    assert cbr.sent == sink.received_packets == 20
    assert sink.received_bytes == cbr.sent_bytes == 2000
    assert times[0] == (seconds(1) + HUNDRED, "10.1.1.1", 49153)
    assert sink.first_time == times[0][0]
    assert sink.last_time == times[-1][0] == seconds(2.9) + HUNDRED
    assert sink.mean_delay == HUNDRED
    assert sink.delay_deviation == 0
    assert np.array_equal(sink.delays(), np.full(20, HUNDRED))
    assert sink.hops == 20
    assert sink.throughput == pytest.approx(2000 * 8 / 1.9)
    assert sim.pending_events == 0


def test_cbr_counts_and_carries_content(pair_of_nodes):
    sim, (a, b) = pair_of_nodes
    got = []
    sink = Sink(b, 9)
    sink.trace.rx.connect(lambda payload, source, port: got.append(payload.to_bytes()))
    Cbr(a, "10.1.1.2", 9, interval="1ms", count=3, content=b"hello", seq_ts=True, start="1s")
    sim.run()
    assert len(got) == 3
    for number, data in enumerate(got):
        header, rest = SeqTsHeader.parse(data)
        assert (header.sequence, header.time, rest) == (number, seconds(1) + ms(number), b"hello")


def test_queueing_shows_in_the_delays(pair_of_nodes):
    sim, (a, b) = pair_of_nodes
    sink = Sink(b, 9)
    for _ in range(3):
        Cbr(a, "10.1.1.2", 9, 100, interval="1s", count=1)
    sim.run()
    assert sink.delays().tolist() == [us(104 * n) + ms(1) for n in (1, 2, 3)]
    assert sink.delay_deviation == pytest.approx(us(104))


def test_duplicates_are_told_apart(pair_of_nodes):
    sim, (a, b) = pair_of_nodes
    once, again = Sink(b, 9), Sink(b, 10, keep_duplicates=True)
    payload = Packet(sim, 10)
    for port in (9, 9, 10, 10, 9):
        sim.schedule(0, UdpSocket(a).send_to, payload, "10.1.1.2", port)
    sim.run()
    assert (once.received_packets, once.duplicates) == (1, 2)
    assert (again.received_packets, again.duplicates) == (2, 1)


def test_an_empty_sink(pair_of_nodes):
    sim, (_, b) = pair_of_nodes
    sink = Sink(b, 9)
    sim.run()
    assert math.isnan(sink.mean_delay)
    assert math.isnan(sink.delay_deviation)
    assert math.isnan(sink.throughput)
    assert len(sink.delays()) == 0
    assert (sink.first_time, sink.last_time) == (-1, -1)


def test_many_datagrams_grow_the_sink(pair_of_nodes):
    sim, (a, b) = pair_of_nodes
    sink = Sink(b, 9)
    Cbr(a, "10.1.1.2", 9, 10, interval="1ms", count=5000)
    sim.run()
    assert len(sink.delays()) == sink.received_packets == 5000


def test_echo(pair_of_nodes):
    sim, (a, b) = pair_of_nodes
    server = UdpEchoServer(b, 7, start="1s", stop="4500ms")
    client = UdpEchoClient(a, "10.1.1.2", 7, 100, count=0, interval="1s", start="2s", stop="10s")
    rtts = []
    client.trace.rx.connect(lambda payload, rtt: rtts.append(rtt))
    sim.run(seconds(20))
    assert (client.sent, client.received_packets) == (8, 3)
    assert (server.received_packets, server.received_bytes) == (3, 300)
    assert client.rtts == rtts == [2 * HUNDRED] * 3


def test_random_on_and_off_times(pair_of_nodes):
    sim, (a, b) = pair_of_nodes
    sink = Sink(b, 9)
    app = OnOff(
        a,
        "10.1.1.2",
        9,
        125,
        rate="100kbps",
        on_time="exponential(mean=0.2)",
        off_time=Exponential(0.3),
        stop="500s",
    )
    states = []
    app.trace.state.connect(lambda on: states.append((sim.now(), on)))
    sim.run()
    assert all(on == (number % 2 == 0) for number, (_, on) in enumerate(states))
    lengths = np.diff([time for time, _ in states]) / 1e9
    # Some 1,000 of each: four standard deviations of the mean are an eighth of it.
    assert np.mean(lengths[::2]) == pytest.approx(0.2, rel=0.13)
    assert np.mean(lengths[1::2]) == pytest.approx(0.3, rel=0.13)
    # 100 packets a second while on; what gathers at the end of an on time is not lost.
    on_time = sum(lengths[::2])
    assert app.sent == pytest.approx(on_time * 100, rel=0.01)
    assert sink.received_packets == app.sent


def test_another_node_does_not_shift_the_draws():
    def switch_times(more_nodes):
        sim = Simulator(seed=9)
        nodes = create_nodes(sim, 2)
        install_internet(nodes)
        AddressAllocator("10.1.1.0/24").assign(PointToPointLink(*nodes).devices)
        apps = [
            OnOff(node, "10.1.1.2", 9, on_time="exponential(0.1)", off_time="exponential(0.1)")
            for node in (nodes if more_nodes else nodes[:1])
        ]
        times = []
        apps[0].trace.state.connect(lambda on: times.append(sim.now()))
        sim.run(seconds(5))
        return times

    assert switch_times(False) == switch_times(True)
    assert len(switch_times(False)) > 10


def test_bad_parameters(pair_of_nodes):
    _, (a, _) = pair_of_nodes
    for port in (0, 65536):
        with pytest.raises(ValueError, match="port is"):
            Sink(a, port)
        with pytest.raises(ValueError, match="port is"):
            Cbr(a, "10.1.1.2", port, interval=1)
        with pytest.raises(ValueError, match="port is"):
            UdpEchoServer(a, port)
    with pytest.raises(ValueError, match="one of interval and rate"):
        Cbr(a, "10.1.1.2", 9)
    with pytest.raises(ValueError, match="interval is 0"):
        Cbr(a, "10.1.1.2", 9, interval=0)
    with pytest.raises(ValueError, match="rate is 0"):
        Cbr(a, "10.1.1.2", 9, rate=0)
    with pytest.raises(ValueError, match="packet_size is 65508"):
        Cbr(a, "10.1.1.2", 9, 65508, interval=1)
    with pytest.raises(ValueError, match="packet_size is 11 bytes: it must be 12"):
        Cbr(a, "10.1.1.2", 9, 11, interval=1, seq_ts=True)
    with pytest.raises(ValueError, match="rate is '0bps'"):
        OnOff(a, "10.1.1.2", 9, rate="0bps")
    with pytest.raises(ValueError, match="packet_size is 0"):
        OnOff(a, "10.1.1.2", 9, 0)
    with pytest.raises(ValueError, match="distribution is"):
        OnOff(a, "10.1.1.2", 9, on_time="never(1)")
    with pytest.raises(ValueError, match="IPv4 address is"):
        OnOff(a, "10.1.1.256", 9)
    with pytest.raises(ValueError, match="interval is '0s'"):
        UdpEchoClient(a, "10.1.1.2", interval="0s")


def test_a_negative_off_time_stops_the_run(pair_of_nodes):
    sim, (a, _) = pair_of_nodes
    OnOff(a, "10.1.1.2", 9, off_time="uniform(-2, -1)")
    with pytest.raises(ValueError, match="off_time drew -"):
        sim.run()


def test_no_stack():
    sim = Simulator()
    Sink(Node(sim), 9)
    with pytest.raises(ValueError, match="no internet stack"):
        sim.run()


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**63 - 1), st.binary(max_size=50))
def test_seq_ts_round_trip(sequence, time, payload):
    header, rest = SeqTsHeader.parse(SeqTsHeader(sequence, time).serialize(payload))
    assert (header.sequence, header.time, rest) == (sequence, time, payload)


@given(st.binary(max_size=40))
def test_hostile_seq_ts(data):
    try:
        header, rest = SeqTsHeader.parse(data)
    except PacketError:
        return
    assert header.serialize(rest) == data


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Cbr, {"interval": 0}),
        (Cbr, {"rate": "1e-15bps"}),
        (Cbr, {"rate": 1e30}),
        (OnOff, {"on_time": "x"}),
        (OnOff, {"on_time": 0, "off_time": 0}),
        (OnOff, {"rate": 1e-15}),
        (OnOff, {"rate": 1e30}),
        (OnOff, {"packet_size": 0}),
        (UdpEchoClient, {"interval": 0}),
    ],
)
def test_an_application_that_is_refused_is_neither_registered_nor_started(kind, options):
    sim = Simulator()
    node = Node(sim)
    with pytest.raises(ValueError, match=r"must be|'x'"):
        kind(node, "10.0.0.2", 9, **options)
    assert node.applications == []
    sim.run()
    assert sim.event_count == 0
