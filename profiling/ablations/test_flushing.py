"""Ascii traces: lines kept in memory and written in blocks against a flush at every line.

In ns-3 the flush took about a third of the dsr example (issue "Performance left on the table" of
its tracker). The unit is one line of about 400 bytes, as the dsr example writes them, without what
it costs to make its text.
"""

from __future__ import annotations

import time

import pytest

from simcore import Simulator
from simcore.trace import AsciiTrace, TraceSet
from simcore.trace.source import emit_repeatedly

LINES = 100_000
PATH = "/NodeList/7/DeviceList/0/$ns3::WifiNetDevice/Phy/State/RxOk"
TEXT = (
    "DsssRate11Mbps ns3::WifiMacHeader (DATA ToDS=0, FromDS=0, MoreFrag=0, Retry=0, MoreData=0 "
    "Duration/ID=117us, DA=00:00:00:00:00:08, SA=00:00:00:00:00:01, BSSID=00:00:00:00:00:01, "
    "FragNumber=0, SeqNumber=1) ns3::LlcSnapHeader (type 0x800) Payload (size=112) "
    "ns3::WifiMacTrailer ()"
)


class Model:
    def __init__(self, sim):
        self.sim = sim
        self.trace = TraceSet(self, rx="frame")


def tracing(path, *, line_buffered):
    def prepare():
        model = Model(Simulator())
        trace = AsciiTrace(path, line_buffered=line_buffered, checksum=None)
        return model.trace.rx, trace.attach_source("r", model.trace.rx, PATH)

    def write(subject):
        source, trace = subject
        emit_repeatedly(source, TEXT, LINES)
        trace.close()

    return prepare, write, LINES


@pytest.mark.benchmark(group="ablation: trace lines", timer=time.process_time)
def test_gain(compare, tmp_path):
    """Trace lines in blocks."""
    compare(
        "line of an ascii trace, in blocks", tracing(tmp_path / "blocks.tr", line_buffered=False),
        "flushed at every line", tracing(tmp_path / "lines.tr", line_buffered=True),
        at_least=2, rounds=5,
    )
    assert (tmp_path / "blocks.tr").read_bytes() == (tmp_path / "lines.tr").read_bytes()
