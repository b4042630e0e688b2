"""What tracing costs a run: sources without listeners, lines, flushing each line, captures, tables.

The lines are those of the dsr example: about 300 bytes, the packet's text cached, since a
broadcast is written once for each receiver. Peers: a Python callback that formats and writes to a
buffered file. Times are CPU time, that of the writer thread included. Flushing at every line, as
ns-3 does, is in ablations/.
"""

import time

import pytest

from simcore import Simulator
from simcore.trace import AsciiTrace, LinkType, PcapTrace, TableTrace, TraceSet
from simcore.trace.source import emit_repeatedly

LINES = 100_000
PATH = "/NodeList/7/DeviceList/0/$ns3::WifiNetDevice/Phy/State/RxOk"
TEXT = (
    "DsssRate11Mbps ns3::WifiMacHeader (DATA ToDS=0, FromDS=0, MoreFrag=0, Retry=0, MoreData=0 "
    "Duration/ID=117us, DA=00:00:00:00:00:08, SA=00:00:00:00:00:01, BSSID=00:00:00:00:00:01, "
    "FragNumber=0, SeqNumber=1) ns3::LlcSnapHeader (type 0x800) Payload (size=112) "
    "ns3::WifiMacTrailer ()"
)


class Frame:
    def __init__(self):
        self.data = bytes(150)

    def text(self):
        return TEXT

    def to_bytes(self):
        return self.data


class Device:
    pcap_link_types = (LinkType.IEEE802_11,)

    def __init__(self, sim):
        self.sim = sim
        self.trace = TraceSet(self, rx="frame")

    def ascii_sources(self):
        return [("r", self.trace.rx, PATH)]

    def pcap_sources(self):
        return [self.trace.rx]


def device():
    sim = Simulator()
    sim.schedule(103_000_123_456, lambda: None)
    sim.run()
    return Device(sim)


def measure(benchmark, traced, trace=None):
    """Time so many receptions of one frame, and the flush at the end of a run."""
    frame = Frame()

    def receive():
        emit_repeatedly(traced.trace.rx, frame, LINES)
        if trace is not None:
            trace.flush()

    benchmark.extra_info["lines"] = LINES
    benchmark.pedantic(receive, rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group="trace: 100,000 receptions", timer=time.process_time)
class TestReceptions:
    def test_no_listener(self, benchmark):
        measure(benchmark, device())

    def test_ascii(self, benchmark, tmp_path):
        traced = device()
        with AsciiTrace(tmp_path / "run.tr").attach(traced) as trace:
            measure(benchmark, traced, trace)

    def test_ascii_of_str(self, benchmark, tmp_path):
        traced = device()
        with AsciiTrace(tmp_path / "run.tr").attach(traced) as trace:

            def receive():
                emit_repeatedly(traced.trace.rx, TEXT, LINES)
                trace.flush()

            benchmark.pedantic(receive, rounds=5, warmup_rounds=1)

    def test_ascii_without_checksum(self, benchmark, tmp_path):
        traced = device()
        with AsciiTrace(tmp_path / "run.tr", checksum=None).attach(traced) as trace:
            measure(benchmark, traced, trace)

    def test_python_callback(self, benchmark, tmp_path):
        traced = device()
        sim = traced.sim
        with open(tmp_path / "run.tr", "w") as file:

            @traced.trace.rx.connect
            def write(frame):
                file.write(f"r {sim.now() / 1e9:.9f} {PATH} {frame.text()}\n")

            measure(benchmark, traced, file)

    def test_pcap(self, benchmark, tmp_path):
        traced = device()
        with PcapTrace(tmp_path / "run.pcap").attach(traced) as trace:
            measure(benchmark, traced, trace)

    def test_table(self, benchmark, tmp_path):
        traced = device()
        columns = {"time_ns": "int64", "node": "int64", "event": "string"}
        with TableTrace(tmp_path / "run.arrow", columns) as trace:
            trace.attach_source(
                traced.trace.rx, {"time_ns": "now", "node": "context", "event": "=rx"}
            )

            def receive():
                emit_repeatedly(traced.trace.rx, None, LINES)

            benchmark.pedantic(receive, rounds=5, warmup_rounds=1)
