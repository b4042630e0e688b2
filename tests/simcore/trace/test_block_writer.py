"""Block writer: bytes, back-pressure, errors of the disk, interrupts, forks, interpreter exit."""

import errno
import gc
import hashlib
import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.trace.block_writer import BlockWriter, int_text, seconds_text


class SlowFile:
    """A disk that waits until it is let go."""

    def __init__(self):
        self.content = b""
        self.go = threading.Event()

    def write(self, data):
        assert self.go.wait(10)
        self.content += bytes(data)
        return len(data)


class BrokenFile:
    """A disk that fails after so many bytes."""

    def __init__(self, good, error):
        self.good = good
        self.error = error
        self.content = b""

    def write(self, data):
        room = self.good - len(self.content)
        if room <= 0:
            raise self.error
        self.content += bytes(data[:room])
        return min(room, len(data))


def lines(count):
    return [b"line %d\n" % number for number in range(count)]


def write_lines(writer, count, accepted=None):
    for line in lines(count):
        writer.write_bytes(line)
        if accepted is not None:
            accepted.append(line)


@given(
    pieces=st.lists(st.binary(max_size=40), max_size=60),
    block_size=st.integers(1, 64),
    block_limit=st.integers(2, 4),
)
def test_the_file_holds_all_bytes_in_order(pieces, block_size, block_limit):
    target = io.BytesIO()
    with BlockWriter(target, block_size, block_limit) as writer:
        for piece in pieces:
            writer.write_bytes(piece)
        digest = writer.digest()
        assert target.getvalue() == b"".join(pieces)
    assert target.getvalue() == b"".join(pieces)
    assert digest == "sha256:" + hashlib.sha256(b"".join(pieces)).hexdigest()


def test_the_file_is_created_at_once_and_written_by_flush(tmp_path):
    path = tmp_path / "run.tr"
    writer = BlockWriter(path)
    assert path.read_bytes() == b""
    writer.write_bytes(b"one\n")
    assert path.read_bytes() == b""
    writer.flush()
    assert path.read_bytes() == b"one\n"
    writer.write_bytes(b"two\n")
    writer.close()
    assert path.read_bytes() == b"one\ntwo\n"
    assert writer.closed
    writer.close()
    writer.flush()


def test_full_blocks_are_written_without_being_asked(tmp_path):
    path = tmp_path / "run.tr"
    writer = BlockWriter(path, 100)
    write_lines(writer, 1000)
    deadline = time.monotonic() + 10
    while path.stat().st_size < 8000 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert path.stat().st_size >= 8000
    writer.close()
    assert path.read_bytes() == b"".join(lines(1000))


def test_writing_waits_for_a_slow_disk():
    disk = SlowFile()
    writer = BlockWriter(disk, 8, 3)
    done = []

    filler = threading.Thread(target=write_lines, args=(writer, 50, done))
    filler.start()
    filler.join(0.2)
    # Three blocks of one line each are full, the fourth line has no block.
    assert len(done) == 3
    disk.go.set()
    filler.join(10)
    writer.close()
    assert disk.content == b"".join(lines(50))


@pytest.mark.parametrize(
    ("target", "message"),
    [("missing/run.tr", "missing/run.tr"), (".", "Is a directory")],
)
def test_a_file_that_cannot_be_created_is_named_at_once(tmp_path, target, message):
    with pytest.raises(OSError, match=message):
        BlockWriter(tmp_path / target)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_is_an_error_that_names_the_path():
    writer = BlockWriter("/dev/full", 100)
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'") as caught:
        write_lines(writer, 100_000)
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == "/dev/full"
    with pytest.raises(OSError, match="/dev/full"):
        writer.flush()
    with pytest.raises(OSError, match="/dev/full"):
        writer.digest()
    # It was said already.
    writer.close()
    assert writer.closed


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
@pytest.mark.parametrize("method", ["flush", "close", "digest"])
def test_a_full_disk_is_found_by_every_way_to_finish(method):
    writer = BlockWriter("/dev/full")
    writer.write_bytes(b"line\n")
    with pytest.raises(OSError, match="No space left on device"):
        getattr(writer, method)()


@pytest.mark.parametrize(
    ("error", "number"),
    [(OSError(errno.EIO, "Input/output error"), errno.EIO), (ValueError("odd"), errno.EIO)],
)
def test_an_error_of_the_thread_comes_up_and_what_was_written_stays(error, number):
    disk = BrokenFile(150, error)
    writer = BlockWriter(disk, 100)
    with pytest.raises(OSError, match=r"Input/output error|ValueError: odd") as caught:
        write_lines(writer, 100_000)
    assert caught.value.errno == number
    assert caught.value.__cause__ is error
    assert disk.content == b"".join(lines(100))[:150]
    with pytest.raises(OSError, match=r"Input/output error|ValueError: odd"):
        writer.flush()
    writer.close()


def test_what_an_object_cannot_take_is_an_error():
    class Full(io.RawIOBase):
        def write(self, data):
            return None

    writer = BlockWriter(Full())
    writer.write_bytes(b"x")
    with pytest.raises(OSError, match="non-blocking"):
        writer.close()
    with pytest.raises(TypeError, match="mode 'wb'"):
        BlockWriter(io.StringIO())


def test_file_objects_are_flushed_and_left_open():
    class Buffered(io.BytesIO):
        flushed = 0

        def flush(self):
            self.flushed += 1

    target = Buffered()
    writer = BlockWriter(target)
    writer.write_bytes(b"x")
    writer.flush()
    assert target.flushed == 1
    writer.close()
    assert target.getvalue() == b"x"


def test_wrong_arguments():
    with pytest.raises(ValueError, match="block_size is 0"):
        BlockWriter(io.BytesIO(), 0)
    with pytest.raises(ValueError, match="block_limit is 1"):
        BlockWriter(io.BytesIO(), 10, 1)
    with pytest.raises(ValueError, match="crc17"):
        BlockWriter(io.BytesIO(), checksum="crc17")
    writer = BlockWriter(io.BytesIO(), checksum=None)
    with pytest.raises(ValueError, match="without a checksum"):
        writer.digest()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.write_bytes(b"x")


def test_a_forgotten_writer_writes_and_ends_its_thread(tmp_path):
    path = tmp_path / "run.tr"
    writer = BlockWriter(path, 10)
    write_lines(writer, 20)
    thread = next(thread for thread in threading.enumerate() if str(path) in thread.name)
    del writer
    assert path.read_bytes() == b"".join(lines(20))
    assert not thread.is_alive()


def test_a_writer_in_a_cycle_of_garbage_writes_too(tmp_path):
    path = tmp_path / "run.tr"
    cycle = [BlockWriter(path)]
    cycle.append(cycle)
    cycle[0].write_bytes(b"line\n")
    del cycle
    gc.collect()
    assert path.read_bytes() == b"line\n"


def test_a_file_object_that_was_closed_is_an_error_but_not_for_the_collector():
    target = io.BytesIO()
    writer = BlockWriter(target)
    writer.write_bytes(b"x")
    target.close()
    with pytest.raises(OSError, match="closed file"):
        writer.flush()
    writer.close()
    target = io.BytesIO()
    writer = BlockWriter(target)
    writer.write_bytes(b"x")
    target.close()
    del writer


def test_an_interrupt_while_waiting_loses_nothing_and_tears_no_line():
    # Libraries that other tests import (polars) install a handler that restarts system calls.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    disk = SlowFile()
    writer = BlockWriter(disk, 64, 2)
    main = threading.get_ident()
    timer = threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    accepted = []
    with pytest.raises(KeyboardInterrupt):
        write_lines(writer, 10_000, accepted)
    timer.join()
    disk.go.set()
    writer.flush()
    assert disk.content == b"".join(accepted)
    writer.write_bytes(b"more\n")
    writer.close()
    assert disk.content == b"".join(accepted) + b"more\n"


def run_python(code, *arguments):
    return subprocess.run(
        # Python 3.12 and later warn of every fork beside a thread.
        [sys.executable, "-W", "ignore:This process:DeprecationWarning",
         "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True, text=True, timeout=60,
    )


def test_files_still_open_at_exit_are_flushed(tmp_path):
    path = tmp_path / "run.tr"
    done = run_python(
        """
        import sys
        from simcore.trace.block_writer import BlockWriter
        writer = BlockWriter(sys.argv[1], 1000)
        for number in range(1000):
            writer.write_bytes(b"line %d\\n" % number)
        """,
        path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes() == b"".join(lines(1000))


def test_a_forked_child_writes_nothing_of_its_parent(tmp_path):
    path = tmp_path / "run.tr"
    done = run_python(
        """
        import os, sys
        from simcore.trace.block_writer import BlockWriter
        writer = BlockWriter(sys.argv[1], 100)
        for number in range(500):
            writer.write_bytes(b"line %d\\n" % number)
        child = os.fork()
        if child == 0:
            writer.flush()
            try:
                writer.write_bytes(b"child")
            except RuntimeError as error:
                print(error)
            writer.close()
            sys.exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        for number in range(500, 1000):
            writer.write_bytes(b"line %d\\n" % number)
        writer.close()
        """,
        path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "opened before this process was forked" in done.stdout
    assert path.read_bytes() == b"".join(lines(1000))


INT64 = st.integers(-(2**63), 2**63 - 1)


@given(INT64)
def test_int_text(value):
    assert int_text(value) == str(value)


@given(INT64)
def test_seconds_text(value):
    sign = "-" if value < 0 else ""
    assert seconds_text(value) == f"{sign}{abs(value) // 10**9}.{abs(value) % 10**9:09d}"


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0.000000000"),
        (1, "0.000000001"),
        (103_000_123_000, "103.000123000"),
        (2**63 - 1, "9223372036.854775807"),
        (-(2**63), "-9223372036.854775808"),
    ],
)
def test_seconds_text_examples(nanoseconds, text):
    assert seconds_text(nanoseconds) == text
