"""Text traces: exact lines, attaching, what flushes them."""

import errno
import io
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from simcore import Simulator
from simcore.trace import AsciiTrace, TraceSet


class Frame:
    def __init__(self, text="ns3::WifiMacHeader (DATA) Payload (size=64)"):
        self.line = text

    def text(self):
        return self.line


class Node:
    def __init__(self, sim, number):
        self.sim = sim
        self.id = number


class Device:
    def __init__(self, sim, number=0):
        self.node = Node(sim, number)
        self.trace = TraceSet(self, enqueue="frame", drop="frame, reason", tx="frame", rx="frame")

    def ascii_sources(self):
        place = f"/NodeList/{self.node.id}/DeviceList/0/$ns3::WifiNetDevice"
        return [
            ("+", self.trace.enqueue, f"{place}/Queue/Enqueue"),
            ("d", self.trace.drop, f"{place}/Queue/Drop"),
            ("t", self.trace.tx, f"{place}/Phy/State/Tx"),
            ("r", self.trace.rx, f"{place}/Phy/State/RxOk"),
        ]


def lines_of(path):
    return path.read_text().splitlines()


def test_lines_are_letter_time_path_text(tmp_path):
    path = tmp_path / "run.tr"
    sim = Simulator()
    first, second = Device(sim, 0), Device(sim, 1)
    frame = Frame()
    AsciiTrace(path).attach(first, second)
    sim.schedule(0, first.trace.enqueue.emit, frame)
    sim.schedule(103_000_123_000, first.trace.tx.emit, frame)
    sim.schedule(103_000_123_456, second.trace.rx.emit, frame, 31.5)
    sim.schedule(103_000_123_456, second.trace.drop.emit, "plain text: größer", "queue full")
    sim.run()
    wifi = "$ns3::WifiNetDevice"
    text = "ns3::WifiMacHeader (DATA) Payload (size=64)"
    assert path.read_bytes().endswith(b"\n")
    assert lines_of(path) == [
        f"+ 0.000000000 /NodeList/0/DeviceList/0/{wifi}/Queue/Enqueue {text}",
        f"t 103.000123000 /NodeList/0/DeviceList/0/{wifi}/Phy/State/Tx {text}",
        f"r 103.000123456 /NodeList/1/DeviceList/0/{wifi}/Phy/State/RxOk {text}",
        f"d 103.000123456 /NodeList/1/DeviceList/0/{wifi}/Queue/Drop plain text: größer",
    ]


def test_equal_runs_give_equal_bytes_and_digests(tmp_path):
    contents = set()
    digests = set()
    for name in ("a.tr", "b.tr"):
        sim = Simulator(seed=3)
        device = Device(sim)
        trace = AsciiTrace(tmp_path / name).attach(device)
        for number in range(20_000):
            sim.schedule(number * 1000, device.trace.tx.emit, Frame(f"frame {number} " + "x" * 100))
        sim.run()
        digests.add(trace.digest())
        contents.add((tmp_path / name).read_bytes())
    assert len(contents) == len(digests) == 1
    assert contents.pop().count(b"\n") == 20_000


def test_line_buffered_writes_each_line_at_once(tmp_path):
    path = tmp_path / "run.tr"
    sim = Simulator()
    device = Device(sim)
    trace = AsciiTrace(path, line_buffered=True).attach(device)
    device.trace.tx.emit("one")
    assert [line.split()[-1] for line in lines_of(path)] == ["one"]
    device.trace.tx.emit("two")
    assert [line.split()[-1] for line in lines_of(path)] == ["one", "two"]
    trace.close()


def test_close_detaches(tmp_path):
    path = tmp_path / "run.tr"
    device = Device(Simulator())
    with AsciiTrace(path).attach(device) as trace:
        assert device.trace.tx.active
        device.trace.tx.emit("one")
        assert not trace.closed
    assert trace.closed
    assert trace.path == str(path)
    assert not device.trace.tx.active
    device.trace.tx.emit("two")
    assert len(lines_of(path)) == 1
    with pytest.raises(ValueError, match="closed"):
        trace.attach(device)


def test_a_source_can_be_attached_by_hand():
    sim = Simulator()
    source = TraceSet(sim, tick="text").tick
    target = io.BytesIO()
    AsciiTrace(target).attach_source("t", source, "/here")
    sim.schedule(5, source.emit, "tick")
    sim.run()
    assert target.getvalue() == b"t 0.000000005 /here tick\n"


def test_wrong_things_are_named(tmp_path):
    sim = Simulator()
    device = Device(sim)
    trace = AsciiTrace(io.BytesIO())
    with pytest.raises(TypeError, match=r"no ascii_sources\(\)"):
        trace.attach(object())
    with pytest.raises(TypeError, match="no simulator"):
        trace.attach_source("t", TraceSet("owner", tx="").tx, "/here")
    with pytest.raises(ValueError, match="letter is 'x'"):
        trace.attach_source("x", device.trace.tx, "/here")
    with pytest.raises(TypeError, match="source is 'tx'"):
        trace.attach_source("t", "tx", "/here")
    trace.attach(device)
    with pytest.raises(ValueError, match="another simulator"):
        trace.attach(Device(Simulator()))
    with pytest.raises(TypeError, match=r"'tx' emitted 3: .* text\(\)"):
        device.trace.tx.emit(3)
    with pytest.raises(TypeError, match="must be a str"):
        device.trace.tx.emit(Frame(b"bytes"))
    with pytest.raises(FileNotFoundError, match="missing"):
        AsciiTrace(tmp_path / "missing" / "run.tr")


def test_an_error_inside_text_is_not_hidden():
    class Broken:
        def text(self):
            return self.missing

    device = Device(Simulator())
    AsciiTrace(io.BytesIO()).attach(device)
    with pytest.raises(AttributeError, match="missing"):
        device.trace.tx.emit(Broken())


def test_the_trace_is_written_when_a_handler_raises(tmp_path):
    path = tmp_path / "run.tr"
    sim = Simulator()
    device = Device(sim)
    AsciiTrace(path).attach(device)
    for number in range(100):
        sim.schedule(number, device.trace.tx.emit, f"frame {number}")
    sim.schedule(50, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sim.run()
    assert len(lines_of(path)) == 51


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_stops_the_run():
    sim = Simulator()
    device = Device(sim)
    AsciiTrace("/dev/full").attach(device)

    def talk():
        device.trace.tx.emit("x" * 1000)
        sim.schedule(1000, talk)

    sim.schedule(0, talk)
    with pytest.raises(OSError, match="No space left on device: '/dev/full'") as caught:
        sim.run(until=10**12)
    assert caught.value.errno == errno.ENOSPC
    assert 0 < sim.now() < 10**12


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_fails_a_short_run_at_its_end():
    sim = Simulator()
    device = Device(sim)
    AsciiTrace("/dev/full").attach(device)
    sim.schedule(5, device.trace.tx.emit, "frame")
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        sim.run()


def test_ctrl_c_leaves_whole_lines_on_disk(tmp_path):
    path = tmp_path / "run.tr"
    code = """
        import sys
        from simcore import Simulator
        from simcore.trace import AsciiTrace, TraceSet
        sim = Simulator()
        source = TraceSet(sim, tx="text").tx
        AsciiTrace(sys.argv[1]).attach_source("t", source, "/here")
        count = 0
        def talk():
            global count
            source.emit(f"frame {count} " + 100 * "x")
            count += 1
            sim.schedule(1000, talk)
        sim.schedule(0, talk)
        print("ready", flush=True)
        try:
            sim.run()
        except KeyboardInterrupt:
            print(count, flush=True)
            import os
            os._exit(0)    # nothing else may write the trace
        """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(path)],
        stdout=subprocess.PIPE, text=True,
    )
    try:
        assert child.stdout.readline() == "ready\n"
        deadline = time.monotonic() + 20
        while path.stat().st_size < 1_000_000 and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=20)
    finally:
        child.kill()
    lines = lines_of(path)
    # The interrupt may come between a line and its count.
    assert len(lines) - int(out) in (0, 1)
    assert path.read_bytes().endswith(b"\n")
    line = re.compile(r"t \d+\.\d{9} /here frame (\d+) x{100}")
    assert [int(line.fullmatch(text)[1]) for text in lines] == list(range(len(lines)))


def test_lines_of_many_batches_keep_their_order(tmp_path):
    path = tmp_path / "run.tr"
    sim = Simulator()
    device = Device(sim)
    count = 20_000
    with AsciiTrace(path).attach(device) as trace:
        for number in range(count):
            device.trace.tx.emit(Frame(f"frame {number}"))
            if number == 5_000:
                trace.flush()
                assert len(lines_of(path)) == number + 1
        device.trace.rx.emit(Frame("größer als ASCII"))
    lines = lines_of(path)
    place = "/NodeList/0/DeviceList/0/$ns3::WifiNetDevice/Phy/State"
    assert lines[:-1] == [f"t 0.000000000 {place}/Tx frame {n}" for n in range(count)]
    assert lines[-1] == f"r 0.000000000 {place}/RxOk größer als ASCII"


def test_texts_are_let_go_when_they_are_written(tmp_path):
    device = Device(Simulator())
    text = "a line" + "." * 50
    before = sys.getrefcount(text)
    trace = AsciiTrace(tmp_path / "run.tr").attach(device)
    for _ in range(5_000):
        device.trace.tx.emit(text)
    assert sys.getrefcount(text) > before
    trace.flush()
    assert sys.getrefcount(text) == before
    device.trace.tx.emit(text)
    trace.close()
    assert sys.getrefcount(text) == before


def emitted(lines, *, flush_every=None, checksum="lines"):
    """Write (ns, node, text) lines; return the digest and the file's bytes."""
    sim = Simulator()
    file = io.BytesIO()
    devices = [Device(sim, number) for number in range(3)]
    trace = AsciiTrace(file, checksum=checksum).attach(*devices)
    for number, (time_ns, node, text) in enumerate(lines):
        sim.schedule_at(time_ns, devices[node].trace.tx.emit, text)
        if flush_every is not None and number % flush_every == 0:
            sim.schedule_at(time_ns, trace.flush)
    sim.run()
    return trace.digest(), file.getvalue()


def test_the_digest_over_lines_changes_exactly_when_the_file_does():
    lines = [(10 * n, n % 3, f"frame {n // 2} " + "x" * (n % 19)) for n in range(400)]
    digest, content = emitted(lines)
    assert digest.startswith("lines:")
    assert emitted(lines, flush_every=7) == (digest, content)
    # The same characters in other objects, and in one object each.
    assert emitted([(t, node, "".join(list(text))) for t, node, text in lines])[0] == digest
    for at in (0, 1, 200, 399):
        time_ns, node, text = lines[at]
        for changed in (
            (time_ns + 1, node, text),
            (time_ns, (node + 1) % 3, text),
            (time_ns, node, text + "x"),
            (time_ns, node, text[:-1] + chr(ord(text[-1]) ^ 1)),
            (time_ns, node, chr(ord(text[0]) ^ 1) + text[1:]),
            (time_ns, node, text + "\0"),
        ):
            other, bytes_then = emitted([*lines[:at], changed, *lines[at + 1 :]])
            assert bytes_then != content
            assert other != digest
    assert emitted(lines[:-1])[0] != digest
    swapped = [lines[1], (lines[1][0], *lines[0][1:]), *lines[2:]]
    assert emitted(swapped)[0] != digest


def test_a_digest_of_the_bytes_can_be_asked_for():
    import hashlib

    digest, content = emitted([(1, 0, "frame"), (2, 1, "frame")], checksum="sha256")
    assert digest == f"sha256:{hashlib.sha256(content).hexdigest()}"
