"""Shared-bus Ethernet: carrier sense, back-off, framing, traces."""

import csv
from itertools import pairwise
from pathlib import Path

import pytest

from simcore import Simulator, ms, ns, us
from simcore.models.network import (
    CsmaChannel,
    CsmaDevice,
    EthernetHeader,
    ListErrorModel,
    Packet,
    PointToPointLink,
    create_nodes,
)
from simcore.trace import AsciiTrace, PcapTrace

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "ns3"
ETHERTYPE = 0x1234


def wire(sim, count, rate="100Mbps", delay="1us", **options):
    """Devices on one channel, and what their nodes hear."""
    channel = CsmaChannel(rate, delay)
    devices = [CsmaDevice(node, channel, **options) for node in create_nodes(sim, count)]
    heard = []
    for device in devices:
        device.node.listen(
            lambda device, packet, ethertype, source, destination, kind: heard.append(
                (sim.now(), device.node.id, packet, kind)
            ),
            ETHERTYPE,
        )
    return devices, heard


def send(device, size, to):
    return device.send_packet(Packet(device.node.sim, size), to, ETHERTYPE)


# Against ns-3


@pytest.mark.parametrize(
    ("name", "nodes", "count", "size", "interval", "rate", "delay", "run"),
    [
        ("small", 4, 10, 300, us(100), "100Mbps", "6560ns", 1),
        ("busy", 8, 40, 700, us(60), "10Mbps", "0ns", 2),
        ("overflow", 3, 130, 1000, us(10), "100Mbps", "2us", 1),
    ],
)
def test_every_event_is_at_the_time_of_ns3(name, nodes, count, size, interval, rate, delay, run):
    with (REFERENCE / f"csma_{name}.csv").open() as file:
        expected = [
            (row["event"], int(row["node"]), int(row["time_ns"])) for row in csv.DictReader(file)
        ]
    sim = Simulator(seed=1, run=run)
    channel = CsmaChannel(rate, delay)
    devices = [
        CsmaDevice(node, channel, stream=sim.random.stream(100 + node.id))
        for node in create_nodes(sim, nodes)
    ]
    got = []

    def note(event, node):
        return lambda packet: got.append((event, node, sim.now()))

    for i, device in enumerate(devices):
        following = devices[(i + 1) % nodes]
        for source, event in (("enqueue", "+"), ("dequeue", "-"), ("drop", "d")):
            getattr(device.queue.trace, source).connect(note(event, i))
        device.trace.rx.connect(note("r", i))
        for k in range(count):
            sim.schedule(us(3) * i + interval * k, send, device, size + 10 * i, following.address)
    sim.run()
    assert sorted(got) == sorted(expected)


# Carrier sense and back-off


def test_a_frame_arrives_everywhere_after_its_time_and_the_delay():
    sim = Simulator(seed=1)
    devices, heard = wire(sim, 3)
    send(devices[0], 100, "ff:ff:ff:ff:ff:ff")
    sim.run()
    # 118 bytes at 100 Mb/s: 9.44 us.
    assert [(time, node, kind) for time, node, _, kind in heard] == [
        (us(1) + ns(9440), 1, 1),
        (us(1) + ns(9440), 2, 1),
    ]
    assert heard[0][2] is heard[1][2]


def test_frames_of_one_device_keep_the_interframe_gap():
    sim = Simulator(seed=1)
    devices, heard = wire(sim, 2, delay="0ns")
    for _ in range(3):
        send(devices[0], 1000, devices[1].address)
    sim.run()
    times = [time for time, *_ in heard]
    # 1018 bytes and 96 bits at 100 Mb/s.
    assert [b - a for a, b in pairwise(times)] == [ns(81440 + 960)] * 2


def test_deferral_follows_the_formula_draw_by_draw():
    """Try n waits floor(U(1, min(2^n - 1, 1000))) slots, n at most 10."""
    sim = Simulator(seed=3)
    devices, heard = wire(sim, 2, rate="1Mbps", stream=None)
    devices[1].trace.backoff.connect(lambda packet, delay: waits.append(delay))
    waits = []
    send(devices[0], 1482, devices[1].address)
    sim.schedule(us(5), send, devices[1], 100, devices[0].address)
    sim.run()
    draws = Simulator(seed=3).random.stream("csma/1/0/backoff")
    silent = ms(12) + us(1)
    now, expected = us(5), []
    while now < silent:
        most = min(2 ** min(len(expected) + 1, 10) - 1, 1000)
        expected.append(us(1) * int(draws.uniform(1, most)))
        now += expected[-1]
    assert waits == expected
    assert len(expected) > 10
    assert heard[1][0] == now + 118 * us(8) + us(1)


def test_mean_backoff_grows_as_two_to_the_tries():
    sim = Simulator(seed=1)
    devices, _ = wire(sim, 401, rate="1Mbps")
    waits = [[] for _ in range(12)]
    tries = [0] * 401

    def note(i):
        def listen(packet, delay):
            if tries[i] < 12:
                waits[tries[i]].append(delay)
            tries[i] += 1

        return listen

    send(devices[0], 1482, "ff:ff:ff:ff:ff:ff")
    for i, device in enumerate(devices[1:], 1):
        device.trace.backoff.connect(note(i))
        send(device, 100, "ff:ff:ff:ff:ff:ff")
    sim.run(until=ms(12))
    for n, delays in enumerate(waits, 1):
        most = min(2 ** min(n, 10) - 1, 1000)
        assert len(delays) == 400
        assert min(delays) >= us(1)
        assert max(delays) <= us(max(1, most - 1))
        # Whole slots from 1 to most - 1, each as likely: their standard deviation is m / sqrt(12).
        spread = us(1) * (most / 12**0.5) / 20
        assert sum(delays) / 400 == pytest.approx(us(1) * max(1, most / 2), abs=4 * spread)


def test_frames_never_overlap():
    sim = Simulator(seed=1)
    devices, heard = wire(sim, 6, rate="10Mbps", delay="3us")
    periods = []
    for device in devices:
        device.trace.tx_begin.connect(lambda packet: periods.append((sim.now(), packet.size)))
        for k in range(20):
            sim.schedule(us(200) * k, send, device, 500, "ff:ff:ff:ff:ff:ff")
    sim.run()
    assert len(periods) == 120
    assert len(heard) == 120 * 5
    for (begin, size), (following, _) in pairwise(periods):
        assert following >= begin + size * ns(800) + us(3)


def test_too_many_tries_end_a_frame_and_the_next_has_tries_of_its_own():
    sim = Simulator(seed=1)
    devices, heard = wire(sim, 2, rate="1Mbps", max_retries=5)
    drops = []
    devices[1].trace.tx_drop.connect(lambda packet, reason: drops.append(reason))
    send(devices[0], 1400, devices[1].address)
    sim.schedule(us(1), send, devices[1], 100, devices[0].address)
    sim.schedule(ms(20), send, devices[1], 200, devices[0].address)
    sim.run()
    assert drops == ["too many tries"]
    assert [(node, packet.size) for _, node, packet, _ in heard] == [(1, 1400), (0, 200)]


def test_full_queue():
    sim = Simulator(seed=1)
    devices, heard = wire(sim, 2, queue_packets=2)
    assert [send(devices[0], 100, devices[1].address) for _ in range(4)] == [True] * 3 + [False]
    sim.run()
    assert len(heard) == 3


# Who takes a frame


def test_frames_for_others_are_for_promiscuous_devices_only():
    sim = Simulator(seed=1)
    devices, heard = wire(sim, 3)
    overheard = []
    devices[2].node.listen(lambda *arguments: overheard.append(arguments[-1]))
    send(devices[0], 100, devices[1].address)
    sim.run()
    assert [node for _, node, *_ in heard] == [1]
    assert overheard == []
    devices[2].promiscuous = True
    send(devices[0], 100, devices[1].address)
    sim.run()
    assert overheard == [3]
    assert [node for _, node, *_ in heard] == [1, 1]


def test_a_device_without_cable_neither_sends_nor_hears():
    sim = Simulator(seed=1)
    devices, heard = wire(sim, 3)
    devices[2].up = False
    assert not send(devices[2], 100, devices[0].address)
    send(devices[0], 100, "ff:ff:ff:ff:ff:ff")
    sim.run()
    assert [node for _, node, *_ in heard] == [1]


def test_error_model_takes_frames_of_one_receiver():
    sim = Simulator(seed=1)
    devices, heard = wire(sim, 3)
    devices[1].error_model = ListErrorModel(positions=[0])
    for _ in range(2):
        send(devices[0], 100, "ff:ff:ff:ff:ff:ff")
    sim.run()
    assert [node for _, node, *_ in heard] == [2, 1, 2]


# Traces


def test_small_packets_are_padded_and_captures_hold_whole_frames(tmp_path):
    sim = Simulator(seed=1)
    devices, _ = wire(sim, 3)
    with PcapTrace(tmp_path / "csma.pcap") as pcap:
        pcap.attach(devices[1])
        devices[0].send_packet(Packet(sim, b"abc"), devices[1].address, ETHERTYPE)
        devices[1].send_packet(Packet(sim, b"defg"), devices[2].address, ETHERTYPE)
        sim.run()
    data = (tmp_path / "csma.pcap").read_bytes()
    assert int.from_bytes(data[20:24], "little") == 1
    frames, place = [], 24
    while place < len(data):
        size = int.from_bytes(data[place + 8 : place + 12], "little")
        frames.append(data[place + 16 : place + 16 + size])
        place += 16 + size
    assert [len(frame) for frame in frames] == [64, 64]
    # The second device's frame is taken from its queue before the first has arrived.
    header, payload = EthernetHeader.parse(frames[1])
    assert (header.source_address, header.ethertype) == (devices[0].address, ETHERTYPE)
    assert payload == b"abc" + bytes(43)


def test_ascii_trace_has_the_lines_of_ns3(tmp_path):
    sim = Simulator(seed=1)
    devices, _ = wire(sim, 2)
    with AsciiTrace(tmp_path / "csma.tr") as trace:
        for device in devices:
            trace.attach(device)
        send(devices[0], 100, devices[1].address)
        sim.run()
    lines = (tmp_path / "csma.tr").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["+", "-", "r"]
    assert "/NodeList/0/DeviceList/0/$ns3::CsmaNetDevice/TxQueue/Enqueue" in lines[0]
    assert "/NodeList/1/DeviceList/0/$ns3::CsmaNetDevice/MacRx" in lines[2]


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slot_time": 0}, "slot_time is 0"),
        ({"min_slots": -1}, "min_slots is -1"),
        ({"min_slots": 5, "max_slots": 4}, "min_slots is 5"),
        ({"ceiling": 0}, "ceiling is 0"),
        ({"max_retries": -1}, "max_retries is -1"),
        ({"queue_packets": -1}, "max_packets is -1"),
        ({"mtu": 10}, "mtu is 10"),
    ],
)
def test_bad_parameters_leave_no_device(options, message):
    sim = Simulator(seed=1)
    channel = CsmaChannel()
    (node,) = create_nodes(sim, 1)
    with pytest.raises(ValueError, match=message):
        CsmaDevice(node, channel, **options)
    assert node.devices == channel.devices == []


def test_bad_channels():
    with pytest.raises(ValueError, match="data_rate"):
        CsmaChannel(0)
    with pytest.raises(ValueError, match="delay"):
        CsmaChannel("1Mbps", "-1ns")
    channel = CsmaChannel()
    CsmaDevice(create_nodes(Simulator(), 1)[0], channel)
    with pytest.raises(ValueError, match="one simulator"):
        CsmaDevice(create_nodes(Simulator(), 1)[0], channel)
    with pytest.raises(OverflowError):
        channel.transmission_time(2**62)
    assert PointToPointLink(*create_nodes(Simulator(), 2), "8bps").transmission_time(1) == 10**9
