"""Traces as typed columns: Parquet and Arrow files."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from simcore.trace.file_trace cimport FileTrace, check_source, sources_of, text_of
from simcore.trace.source cimport TraceSink, TraceSource

import errno
import importlib.util
import os

from simcore.trace.open_files import keep_track, lose_track

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum Kind:
    INT64
    FLOAT64
    STRING

cdef dict KINDS = {"int64": INT64, "float64": FLOAT64, "string": STRING}

cdef enum:
    # A batch of rows is written when it has so many rows or so many bytes of text: enough for
    # compression to work, little enough to keep in memory.
    BATCH_ROWS = 65536
    BATCH_TEXT = 8 * 1024 * 1024
    # What Parquet may add to the values of a batch, and its index.
    RESERVE = 2 * 1024 * 1024

cdef enum Origin:
    NOW
    CONTEXT
    ARGUMENT
    TEXT
    CALL
    CONSTANT

FORMATS = (".parquet", ".arrow")

# What attach() records of a device that does not say anything better: a text trace in columns.
DEFAULT_COLUMNS = {
    "time_ns": "int64", "node": "int64", "event": "string", "source": "string", "text": "string",
}


cdef class Column:
    """The values of one column in the current batch.

    A row counts once `TableTrace.rows` has passed it; what an unfinished row left is overwritten.
    """

    cdef readonly str name
    cdef readonly str type_name
    cdef Kind kind
    cdef void* values                  # int64_t or double; of texts, the int32_t ends
    cdef char* text
    cdef Py_ssize_t text_capacity

    def __cinit__(self, str name not None, type_name):
        if type_name not in KINDS:
            raise ValueError(
                f"column {name!r} has type {type_name!r}: it must be one of {', '.join(KINDS)}"
            )
        self.name = name
        self.type_name = type_name
        self.kind = KINDS[type_name]
        # One more than rows: Arrow's offsets of n texts are n + 1 numbers.
        self.values = malloc((BATCH_ROWS + 1) * sizeof(int64_t))
        if self.values == NULL:
            raise MemoryError(f"no memory for column {name!r}")
        if self.kind == STRING:
            (<int32_t*>self.values)[0] = 0

    def __dealloc__(self):
        free(self.values)
        free(self.text)

    cdef int put(self, Py_ssize_t row, object value) except -1:
        cdef Py_ssize_t size
        cdef const char* text
        if self.kind == INT64:
            (<int64_t*>self.values)[row] = self.integer(value)
        elif self.kind == FLOAT64:
            try:
                (<double*>self.values)[row] = value
            except TypeError:
                self.refuse(value, "a float")
        else:
            if not isinstance(value, str):
                self.refuse(value, "a str")
            text = PyUnicode_AsUTF8AndSize(value, &size)
            self.put_text(row, text, size)
        return 0

    cdef int64_t integer(self, object value) except? -1:
        try:
            # By __index__: a float is not cut to a whole number in silence.
            return value.__index__()
        except (AttributeError, TypeError):
            self.refuse(value, "an int")
        except OverflowError:
            pass
        raise OverflowError(f"column {self.name!r} got {value!r}: it must fit 64 bits")

    cdef int refuse(self, object value, str right) except -1:
        raise TypeError(f"column {self.name!r} got {value!r}: it must be {right}") from None

    cdef int put_text(self, Py_ssize_t row, const char* text, Py_ssize_t size) except -1:
        cdef int32_t* ends = <int32_t*>self.values
        cdef Py_ssize_t start = ends[row]
        cdef Py_ssize_t capacity
        cdef void* grown
        if size > 0x7FFFFFFF - start:
            raise OverflowError(f"column {self.name!r} got a text of {size} bytes: it is too long")
        if start + size > self.text_capacity:
            capacity = max(2 * self.text_capacity, start + size, 4096)
            grown = realloc(self.text, capacity)
            if grown == NULL:
                raise MemoryError(f"no memory for column {self.name!r}")
            self.text = <char*>grown
            self.text_capacity = capacity
        memcpy(self.text + start, text, size)
        ends[row + 1] = <int32_t>(start + size)
        return 0

    cdef object to_arrow(self, object pa, Py_ssize_t rows):
        cdef Py_ssize_t count = rows
        cdef Py_ssize_t width = sizeof(int64_t)
        if self.kind == STRING:
            count = rows + 1
            width = sizeof(int32_t)
        parts = [PyBytes_FromStringAndSize(<char*>self.values, count * width)]
        if self.kind == STRING:
            size = (<int32_t*>self.values)[rows]
            parts.append(PyBytes_FromStringAndSize(self.text, size) if size else b"")
        return pa.Array.from_buffers(
            arrow_type(pa, self.type_name), rows, [None, *map(pa.py_buffer, parts)]
        )


cdef object arrow_type(object pa, str type_name):
    return pa.string() if type_name == "string" else pa.type_for_alias(type_name)


cdef class TableTrace(FileTrace):
    """A trace as a table with typed columns, for pandas, polars and DuckDB.

    Parameters
    ----------
    path : str or os.PathLike
        Ends in ``.parquet`` or ``.arrow`` (Arrow's IPC file); created at once.
    columns : mapping of str to str, optional
        Type of each column: ``"int64"``, ``"float64"`` or ``"string"``. None leaves it to the
        first device that is attached.

    Raises
    ------
    ModuleNotFoundError
        If pyarrow is not installed.
    OSError
        If the file cannot be created.
    ValueError
        For another ending or type.

    Notes
    -----
    The end of each run leaves a file that can be read; rows of a further run make the file be
    written anew, so a script that runs in many slices pays for it. A disk that fills up is an
    `OSError` naming the path; the batches that were written by then can be read, of a Parquet file
    as usual (where the system can reserve room for its index, which comes last), of an ``.arrow``
    file as a stream, after its first 8 bytes.

    A device can be attached if it has a simulator and either ``ascii_sources()``, see
    `AsciiTrace`, which gives the columns ``time_ns, node, event, source, text``; or both

    ``table_columns``
        mapping of column name to type;
    ``table_sources() -> iterable of (TraceSource, values)``
        what to write about it; `values` as in `attach_source`.
    """

    cdef object __weakref__
    cdef list table                    # Column
    cdef Py_ssize_t rows               # in the current batch
    cdef readonly int64_t row_count    # in all
    cdef object writer                 # of pyarrow, while the file is unfinished
    cdef object stream                 # below it
    cdef str writing_path              # where `writer` writes
    cdef bint finished                 # what is at `path` can be read
    cdef bint failed
    cdef bint forked

    def __init__(self, path, columns=None):
        self.table = []
        name = os.fsdecode(path)
        if not name.endswith(FORMATS):
            raise ValueError(f"path is {name!r}: it must end in {' or '.join(FORMATS)}")
        if importlib.util.find_spec("pyarrow") is None:
            raise ModuleNotFoundError(
                f"writing {name!r} needs pyarrow, which is not installed: pip install pyarrow",
                name="pyarrow",
            )
        if columns is not None:
            self.declare(columns)
        with open(name, "wb"):
            pass
        self.path = name
        self.closed = False
        keep_track(self)

    @property
    def columns(self):
        """Type of each column, by its name."""
        return {column.name: column.type_name for column in self.table}

    cdef int declare(self, object columns) except -1:
        if not columns:
            raise ValueError(f"columns is {columns!r}: a table needs at least one")
        self.table = [Column(name, kind) for name, kind in dict(columns).items()]
        return 0

    def append(self, *values):
        """Add a row: one value for each column, in their order.

        Raises
        ------
        TypeError
            If a value does not fit its column, or their number is wrong.
        OSError
            If earlier rows could not be written.
        """
        cdef Py_ssize_t index
        if len(values) != len(self.table):
            raise TypeError(
                f"a row of {self.path!r} has {len(self.table)} values, not {len(values)}"
            )
        self.check()
        for index in range(len(values)):
            (<Column>self.table[index]).put(self.rows, values[index])
        self.end_row()

    cdef int check(self) except -1:
        if self.closed:
            raise ValueError(f"table {self.path!r} is closed")
        if self.forked:
            raise RuntimeError(
                f"{self.path!r} was opened before this process was forked: "
                "open the file in the process that writes it"
            )
        if self.failed:
            raise OSError(f"table {self.path!r} could not be written")
        return 0

    cdef int end_row(self) except -1:
        cdef Column column
        cdef bint full
        self.rows += 1
        self.row_count += 1
        full = self.rows == BATCH_ROWS
        for item in self.table:
            column = <Column>item
            if column.kind == STRING and (<int32_t*>column.values)[self.rows] >= BATCH_TEXT:
                full = True
        if full:
            self.write_batch()
        return 0

    def attach(self, *devices):
        """Record devices, by ``table_sources()`` or ``ascii_sources()``; return the trace.

        Raises
        ------
        TypeError
            If a device has neither, or no simulator.
        ValueError
            If its columns are not those of the table, or it belongs to another simulator than
            the devices attached before.
        """
        for device in devices:
            if hasattr(device, "table_sources"):
                columns = device.table_columns
                sources = device.table_sources()
            else:
                columns = DEFAULT_COLUMNS
                node = getattr(getattr(device, "node", None), "id", "context")
                sources = [
                    (source, {
                        "time_ns": "now", "node": node, "event": f"={letter}",
                        "source": f"={path}", "text": "text",
                    })
                    for letter, source, path in sources_of(device, "ascii_sources")
                ]
            if not self.table:
                self.declare(columns)
            elif self.columns != dict(columns):
                raise ValueError(
                    f"{device!r} cannot be written to {self.path!r}: the table's columns are "
                    f"{self.columns}, the device's {dict(columns)}"
                )
            for source, values in sources:
                self.attach_source(source, values, owner=device)
        return self

    def attach_source(self, source, values, *, owner=None):
        """Write a row for each emission of one source; return the trace.

        Parameters
        ----------
        source : TraceSource
            Where the rows come from.
        values : mapping of str to (str, callable, int or float)
            What goes into each column: ``"now"`` (ns), ``"context"`` (node id), ``"0"`` to
            ``"2"`` (an argument of the emission), ``"0.header.size"`` (an attribute of it),
            ``"text"`` (``text()`` of the first argument), ``"=word"`` (always that word), a
            number (always that), or ``function(a, b, c)`` of the three arguments, None for
            those that the emission lacks.
        owner : object, optional
            Gives the clock by its ``sim`` or ``node.sim``, or is a Simulator; the source's owner
            by default.

        Raises
        ------
        ValueError
            If a column is missing, unknown, or its text means nothing.
        """
        checked = check_source(source)
        if set(values) != {column.name for column in self.table}:
            raise ValueError(
                f"values are given for {', '.join(values) or 'no column'}: the columns are "
                f"{', '.join(self.columns) or 'not declared'}"
            )
        cells = [Cell(column, values[column.name]) for column in self.table]
        for cell in cells:
            if (<Cell>cell).origin == CONSTANT:
                # A wrong type is found now; the row is not counted.
                (<Cell>cell).column.put(self.rows, (<Cell>cell).value)
        self.connect(checked, TableRows(self, cells), checked.owner if owner is None else owner)
        return self

    # Writing

    cdef int write_batch(self) except -1:
        """Write the current batch to the unfinished file."""
        import pyarrow as pa

        self.check()
        arrays = [(<Column>column).to_arrow(pa, self.rows) for column in self.table]
        schema = pa.schema(
            [(column.name, arrow_type(pa, column.type_name)) for column in self.table]
        )
        try:
            if self.writer is None:
                self.begin(pa, schema)
            if self.rows > 0:
                batch = pa.record_batch(arrays, schema=schema)
                if self.path.endswith(".parquet"):
                    self.reserve(batch.nbytes)
                self.writer.write_batch(batch)
        except OSError as error:
            self.fail(error)
        self.rows = 0
        return 0

    cdef int begin(self, object pa, object schema) except -1:
        """Start a file, with the rows of earlier runs."""
        # A file that can be read stays in place until the new one is complete.
        self.writing_path = self.path + ".part" if self.finished else self.path
        self.stream = pa.OSFile(self.writing_path, "wb")
        if self.path.endswith(".parquet"):
            import pyarrow.parquet as pq

            self.writer = pq.ParquetWriter(self.stream, schema)
        else:
            self.writer = pa.ipc.new_file(self.stream, schema)
        if self.finished:
            self.copy_earlier_rows(pa)
        return 0

    cdef int reserve(self, int64_t size) except -1:
        """Find out that a batch does not fit while the earlier ones can still get their index."""
        if not hasattr(os, "posix_fallocate"):
            return 0
        descriptor = os.open(self.writing_path, os.O_WRONLY)
        try:
            os.posix_fallocate(descriptor, self.stream.tell(), size + RESERVE)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                self.complete()
                raise
            # A device, or a file system that does not reserve: writing will tell.
        finally:
            os.close(descriptor)
        return 0

    cdef int complete(self) except -1:
        """End the file after the batches that it has."""
        self.writer.close()
        size = self.stream.tell()
        self.stream.close()
        self.writer = self.stream = None
        if os.path.getsize(self.writing_path) > size:
            os.truncate(self.writing_path, size)
        if self.writing_path != self.path:
            os.replace(self.writing_path, self.path)
        return 0

    cdef int copy_earlier_rows(self, object pa) except -1:
        if self.path.endswith(".parquet"):
            import pyarrow.parquet as pq

            with pa.OSFile(self.path) as stream, pq.ParquetFile(stream) as earlier:
                for number in range(earlier.num_row_groups):
                    self.writer.write_table(earlier.read_row_group(number))
        else:
            with pa.OSFile(self.path) as stream, pa.ipc.open_file(stream) as earlier:
                for number in range(earlier.num_record_batches):
                    self.writer.write_batch(earlier.get_batch(number))
        return 0

    cdef int fail(self, error) except -1:
        """Raise an error of the disk as one that names the path; the file is given up."""
        self.failed = True
        # Whatever closes these again would only fail again.
        for part in (self.writer, self.stream):
            try:
                if part is not None:
                    part.close()
            except OSError:
                pass
        self.writer = self.stream = None
        text = str(error)
        number = error.errno
        if number is None:
            raise OSError(f"{text}: {self.path!r}") from error
        raise OSError(number, os.strerror(number), self.path) from error

    def flush(self):
        """Write all rows and complete the file, so that it can be read.

        Raises
        ------
        OSError
            If it could not be written; names the path.
        """
        if self.closed or self.forked or self.failed or not self.table:
            return
        if self.rows > 0 or not (self.finished or self.writer is not None):
            self.write_batch()
        if self.writer is None:
            return
        try:
            self.complete()
        except OSError as error:
            self.fail(error)
        self.finished = True

    def close(self):
        """Detach from all sources and complete the file.

        Raises
        ------
        OSError
            If not everything could be written and no other call has said so yet.
        """
        self.detach()
        try:
            self.flush()
        finally:
            self.closed = True
            lose_track(self)

    def digest(self):
        """Return the checksum of the table so far, as ``"sha256:..."``; flushes.

        For Parquet it is that of the values, since the file names the library that wrote it.
        """
        from pathlib import Path

        from simcore.results import file_digest

        if self.failed:
            self.check()
        self.flush()
        return f"sha256:{file_digest(Path(self.path)).hex()}"

    def _forget(self):
        self.forked = True

    def __del__(self):
        if not self.closed:
            self.flush()


cdef class Cell:
    """Where the value of one column comes from."""

    cdef Column column
    cdef Origin origin
    cdef object value                  # constant, callable, or names of attributes
    cdef int argument

    def __cinit__(self, Column column not None, spec):
        self.column = column
        if not isinstance(spec, str):
            self.origin = CALL if callable(spec) else CONSTANT
            self.value = spec
        elif spec.startswith("="):
            self.origin = CONSTANT
            self.value = spec[1:]
        elif spec in ("now", "context", "text"):
            self.origin = {"now": NOW, "context": CONTEXT, "text": TEXT}[spec]
        else:
            number, *names = spec.split(".")
            if number not in ("0", "1", "2") or not all(map(str.isidentifier, names)):
                raise ValueError(
                    f"column {column.name!r} is taken from {spec!r}: it must be now, context, "
                    "text, =word, a number, a function, or one of 0, 1, 2 with attributes such as "
                    "0.size"
                )
            self.origin = ARGUMENT
            self.argument = int(number)
            self.value = tuple(names)


cdef class TableRows(TraceSink):
    """Writes the rows of one source."""

    cdef TableTrace trace
    cdef list cells

    def __cinit__(self, TableTrace trace not None, list cells not None):
        self.trace = trace
        self.cells = cells

    cdef int notify(self, TraceSource source, object a, object b, object c) except -1:
        cdef TableTrace trace = self.trace
        cdef Py_ssize_t row = trace.rows
        cdef Cell cell
        if trace.failed or trace.forked:
            trace.check()
        for item in self.cells:
            cell = <Cell>item
            if cell.origin == NOW:
                if cell.column.kind == INT64:
                    (<int64_t*>cell.column.values)[row] = trace.sim.now_ns
                    continue
                value = trace.sim.now()
            elif cell.origin == CONTEXT:
                value = trace.sim.current_context
            elif cell.origin == CONSTANT:
                value = cell.value
            elif cell.origin == TEXT:
                value = text_of(source, a)
            elif cell.origin == CALL:
                value = cell.value(a, b, c)
            else:
                value = a if cell.argument == 0 else b if cell.argument == 1 else c
                for name in <tuple>cell.value:
                    value = getattr(value, name)
            cell.column.put(row, value)
        trace.end_row()
        return 0
