"""Tables: values read back, attaching, several runs, batches, errors."""

import errno
import gc
import os
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simcore import Simulator
from simcore.trace import TableTrace, TraceSet

FORMATS = ["parquet", "arrow"]
COLUMNS = {"number": "int64", "value": "float64", "word": "string"}
full_disk = pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="no /dev/full on this system"
)


def read(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    with pa.OSFile(str(path)) as stream:
        return pa.ipc.open_file(stream).read_all()


def rows_of(path):
    return [tuple(row.values()) for row in read(path).to_pylist()]


class Device:
    def __init__(self, sim):
        self.sim = sim
        self.trace = TraceSet(self, tx="frame", rx="frame, SNR (dB)")

    def ascii_sources(self):
        return [("t", self.trace.tx, "/Tx"), ("r", self.trace.rx, "/Rx")]


MEASURED_COLUMNS = {"time_ns": "int64", "size": "int64", "snr_db": "float64"}


class Measured(Device):
    table_columns = MEASURED_COLUMNS

    def table_sources(self):
        return [(self.trace.rx, {"time_ns": "now", "size": "0.size", "snr_db": "1"})]


@pytest.mark.parametrize("ending", FORMATS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
        ),
        max_size=30,
    )
)
def test_rows_are_read_back(tmp_path, ending, rows):
    path = tmp_path / f"run.{ending}"
    with TableTrace(path, COLUMNS) as table:
        for row in rows:
            table.append(*row)
        assert table.row_count == len(rows)
        assert table.columns == COLUMNS
    assert rows_of(path) == rows
    assert read(path).schema == pa.schema(
        [("number", pa.int64()), ("value", pa.float64()), ("word", pa.string())]
    )
    read(path).validate(full=True)


@pytest.mark.parametrize("ending", FORMATS)
def test_a_device_is_recorded_as_its_text_trace(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    sim = Simulator()
    device = Device(sim)
    table = TableTrace(path).attach(device)
    sim.schedule_in_context(3, 5, device.trace.tx.emit, "frame")
    sim.schedule_in_context(4, 9, device.trace.rx.emit, SimpleNamespace(text=lambda: "seen"), 3.0)
    sim.run()
    assert rows_of(path) == [(5, 3, "t", "/Tx", "frame"), (9, 4, "r", "/Rx", "seen")]
    assert list(table.columns) == ["time_ns", "node", "event", "source", "text"]


def test_a_device_can_name_its_own_columns(tmp_path):
    path = tmp_path / "run.parquet"
    sim = Simulator()
    device = Measured(sim)
    table = TableTrace(path).attach(device, Measured(sim))
    sim.schedule(7, device.trace.rx.emit, SimpleNamespace(size=64), 12.5)
    sim.run()
    assert rows_of(path) == [(7, 64, 12.5)]
    with pytest.raises(ValueError, match="table's columns are"):
        table.attach(Device(sim))


def test_every_kind_of_value(tmp_path):
    path = tmp_path / "run.arrow"
    sim = Simulator()
    source = TraceSet(sim, tx="frame, x, y").tx
    columns = {
        "now": "int64", "seconds": "float64", "node": "int64", "word": "string", "size": "int64",
        "third": "string", "sum": "float64", "fixed": "int64",
    }
    frame = SimpleNamespace(header=SimpleNamespace(size=20))
    TableTrace(path, columns).attach_source(
        source,
        {
            "now": "now", "seconds": lambda *_: sim.now_seconds(), "node": "context",
            "word": "=tx", "size": "0.header.size", "third": "2", "fixed": 4,
            "sum": lambda a, b, c: b + len(c),
        },
    )
    sim.schedule_in_context(2, 1_500_000_000, source.emit, frame, 1.5, "abc")
    sim.run()
    assert rows_of(path) == [(1_500_000_000, 1.5, 2, "tx", 20, "abc", 4.5, 4)]


@pytest.mark.parametrize("ending", FORMATS)
def test_a_further_run_adds_rows(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    sim = Simulator()
    source = TraceSet(sim, tick="n").tick
    table = TableTrace(path, {"time": "int64", "n": "int64"})
    table.attach_source(source, {"time": "now", "n": "0"})
    for number in range(6):
        sim.schedule(number * 10, source.emit, number)
    sim.run(until=25)
    assert rows_of(path) == [(0, 0), (10, 1), (20, 2)]
    digest = table.digest()
    assert table.digest() == digest
    sim.run(until=29)
    assert table.digest() == digest
    sim.run()
    table.close()
    assert rows_of(path) == [(10 * number, number) for number in range(6)]
    assert table.digest() != digest
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("ending", FORMATS)
def test_many_rows_are_written_in_batches(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    count = 150_000
    with TableTrace(path, {"n": "int64", "text": "string"}) as table:
        for number in range(count):
            table.append(number, "x" * (number % 200))
        assert path.stat().st_size > 0
    read_back = read(path)
    assert read_back["n"].to_pylist() == list(range(count))
    assert read_back["text"].to_pylist() == ["x" * (number % 200) for number in range(count)]


def test_equal_rows_have_equal_digests_however_they_were_flushed(tmp_path):
    digests = set()
    for name, step in (("a", 7), ("b", 100)):
        table = TableTrace(tmp_path / f"{name}.parquet", COLUMNS)
        for number in range(100):
            table.append(number, number / 3, str(number))
            if number % step == 0:
                table.flush()
        digests.add(table.digest())
    assert len(digests) == 1
    assert digests.pop().startswith("sha256:")


@pytest.mark.parametrize("ending", FORMATS)
def test_no_rows_are_a_valid_table(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    TableTrace(path, COLUMNS).close()
    assert read(path).num_rows == 0
    assert read(path).column_names == list(COLUMNS)


def test_the_table_is_written_when_a_handler_raises(tmp_path):
    path = tmp_path / "run.parquet"
    sim = Simulator()
    device = Device(sim)
    TableTrace(path).attach(device)
    sim.schedule(5, device.trace.tx.emit, "frame")
    sim.schedule(6, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sim.run()
    assert rows_of(path) == [(5, -1, "t", "/Tx", "frame")]


def test_a_row_that_fails_leaves_no_trace(tmp_path):
    path = tmp_path / "run.parquet"
    table = TableTrace(path, COLUMNS)
    table.append(1, 1.0, "one")
    for row, message in (
        ((2.0, 1.0, "x"), "'number' got 2.0: it must be an int"),
        (("2", 1.0, "x"), "'number' got '2': it must be an int"),
        ((2, "1", "x"), "'value' got '1': it must be a float"),
        ((2, 1.0, 3), "'word' got 3: it must be a str"),
        ((2, 1.0, None), "'word' got None"),
        ((2, 1.0), "has 3 values, not 2"),
    ):
        with pytest.raises(TypeError, match=message):
            table.append(*row)
    with pytest.raises(OverflowError, match="'number' got 9223372036854775808"):
        table.append(2**63, 1.0, "x")
    with pytest.raises(UnicodeEncodeError):
        table.append(2, 1.0, "\ud800")
    table.append(2, 2.0, "two")
    table.close()
    assert rows_of(path) == [(1, 1.0, "one"), (2, 2.0, "two")]
    with pytest.raises(ValueError, match="closed"):
        table.append(3, 3.0, "three")


def test_wrong_arguments(tmp_path):
    sim = Simulator()
    device = Device(sim)
    with pytest.raises(ValueError, match=r"end in \.parquet or \.arrow"):
        TableTrace(tmp_path / "run.csv", COLUMNS)
    with pytest.raises(ValueError, match="'a' has type 'int': it must be one of int64, float64"):
        TableTrace(tmp_path / "run.arrow", {"a": "int"})
    with pytest.raises(ValueError, match="at least one"):
        TableTrace(tmp_path / "run.arrow", {})
    assert os.listdir(tmp_path) == []
    with pytest.raises(FileNotFoundError, match="missing"):
        TableTrace(tmp_path / "missing" / "run.arrow", COLUMNS)
    table = TableTrace(tmp_path / "run.arrow", {"a": "int64", "b": "string"})
    table.append(1, "one")
    for values, message in (
        ({"a": "now"}, "values are given for a: the columns are a, b"),
        ({"a": "now", "b": "0", "c": "1"}, "the columns are a, b"),
        ({"a": "now", "b": "3"}, "'b' is taken from '3'"),
        ({"a": "later", "b": "0"}, "'a' is taken from 'later'"),
        ({"a": "0.1", "b": "0"}, "'a' is taken from '0.1'"),
    ):
        with pytest.raises(ValueError, match=message):
            table.attach_source(device.trace.tx, values)
    with pytest.raises(TypeError, match="'a' got 'x'"):
        table.attach_source(device.trace.tx, {"a": "=x", "b": "0"})
    assert not device.trace.tx.active
    with pytest.raises(TypeError, match=r"no ascii_sources\(\)"):
        table.attach(sim)
    table.close()
    assert rows_of(tmp_path / "run.arrow") == [(1, "one")]


def test_without_pyarrow_there_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="needs pyarrow, which is not installed"):
        TableTrace(tmp_path / "run.parquet", COLUMNS)
    assert os.listdir(tmp_path) == []


@full_disk
@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("rows", [1, 200_000])
def test_a_full_disk_is_an_error_that_names_the_path(tmp_path, ending, rows):
    path = tmp_path / f"run.{ending}"
    path.symlink_to("/dev/full")
    table = TableTrace(path, COLUMNS)

    def record():
        for number in range(rows):
            table.append(number, number / 7, str(number))
        table.flush()

    with pytest.raises(OSError, match=f"No space left on device: .*run.{ending}") as caught:
        record()
    assert caught.value.errno == errno.ENOSPC
    with pytest.raises(OSError, match="could not be written"):
        table.append(1, 1.0, "x")
    with pytest.raises(OSError, match="could not be written"):
        table.digest()
    table.close()


def test_a_forgotten_table_is_written(tmp_path):
    path = tmp_path / "run.parquet"
    table = TableTrace(path, COLUMNS)
    table.append(1, 1.0, "one")
    del table
    gc.collect()
    assert rows_of(path) == [(1, 1.0, "one")]


def test_a_table_still_open_at_exit_is_written_but_not_by_a_forked_child(tmp_path):
    path = tmp_path / "run.parquet"
    code = """
        import os, sys
        from simcore.trace import TableTrace
        table = TableTrace(sys.argv[1], {"n": "int64"})
        table.append(1)
        child = os.fork()
        if child == 0:
            table.flush()
            try:
                table.append(2)
            except RuntimeError as error:
                print(error)
            table.close()
            sys.exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        assert os.path.getsize(sys.argv[1]) == 0
        table.append(3)
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(path)],
        capture_output=True, text=True, timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "opened before this process was forked" in done.stdout
    assert rows_of(path) == [(1,), (3,)]


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system reserves no room")
@pytest.mark.parametrize("slices", [1, 3])
def test_what_was_written_before_the_disk_was_full_can_be_read(tmp_path, slices):
    path = tmp_path / "run.parquet"
    code = """
        import resource, sys
        from simcore.trace import TableTrace
        resource.setrlimit(resource.RLIMIT_FSIZE, (5_000_000, 5_000_000))
        table = TableTrace(sys.argv[1], {"n": "int64"})
        for part in range(1, int(sys.argv[2])):
            table.append(-part)
            table.flush()
        for n in range(1_000_000):
            table.append(n * 2654435761 % 2**61)
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(path), str(slices)],
        capture_output=True, text=True, timeout=120,
    )
    assert done.returncode == 1
    assert "OSError" in done.stderr
    assert str(path) in done.stderr
    numbers = [n for (n,) in rows_of(path)]
    assert numbers[: slices - 1] == [-part for part in range(1, slices)]
    assert len(numbers) >= 65536 * 4
    assert numbers[slices - 1 :] == [
        n * 2654435761 % 2**61 for n in range(len(numbers) - slices + 1)
    ]
    assert os.listdir(tmp_path) == ["run.parquet"]
