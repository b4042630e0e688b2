"""Files written in large blocks by a thread, so that a trace costs the run a copy in memory."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memmove

from simcore.trace.line_batch cimport LineBatch
from simcore.trace.number_text cimport (
    INT64_TEXT_SIZE, SECONDS_TEXT_SIZE, put_int64, put_seconds,
)

import errno
import io
import os
import sys
import threading
import time
from queue import SimpleQueue

from simcore.trace.open_files import keep_track, lose_track

# Large enough that the cost of a system call vanishes, small enough for hundreds of files.
DEFAULT_BLOCK_SIZE = 256 * 1024
DEFAULT_BLOCK_LIMIT = 8

cdef enum:
    TEXT_SIZE = 512 * 1024         # of lines at once: it stays in the cache until it is written


cdef class BlockSink:
    """The file behind a `BlockWriter`; the thread holds this and not the writer."""

    def __cinit__(self, target, checksum):
        self.descriptor = -1
        if checksum is not None:
            import hashlib  # here, since it takes longer to import than all of this package

            if checksum == "lines":
                self.line_checksum = hashlib.sha256()
            else:
                self.checksum = hashlib.new(checksum)
        if hasattr(target, "write"):
            if isinstance(target, io.TextIOBase):
                raise TypeError(f"file is {target!r}: it must take bytes; open it in mode 'wb'")
            self.file = target
            self.name = str(getattr(target, "name", target))
        else:
            # A bare descriptor and no io.FileIO: when the garbage collector finds both, it may
            # close a file object before the writer's own finaliser can write the rest.
            self.name = os.fsdecode(target)
            self.descriptor = os.open(self.name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)

    cdef Py_ssize_t put(self, object view) except -1:
        """Write some of a memoryview; return how much."""
        cdef Py_ssize_t written
        if self.file is None:
            count = os.write(self.descriptor, view)
        else:
            count = self.file.write(view)
        if count is not None:
            written = count
        elif isinstance(self.file, io.RawIOBase):
            raise BlockingIOError(errno.EAGAIN, "the file is non-blocking and takes no more")
        else:
            written = len(view)
        if self.checksum is not None:
            self.checksum.update(view[:written])
        return written

    def put_block(self, bytearray block, Py_ssize_t used):
        """Write a block, for the thread: what goes wrong is kept, and later blocks are dropped."""
        cdef Py_ssize_t done = 0
        if self.error is not None:
            return
        try:
            with memoryview(block) as view:
                while done < used:
                    done += self.put(view[done:used])
        except BaseException as error:
            self.error = error

    cdef int flush(self) except -1:
        if self.file is not None and hasattr(self.file, "flush"):
            self.file.flush()
        return 0

    cdef bint lost(self) except -1:
        """Whether the caller closed its file object."""
        return self.file is not None and getattr(self.file, "closed", False)

    cdef int close(self) except -1:
        cdef int descriptor = self.descriptor
        if descriptor >= 0:
            self.descriptor = -1
            os.close(descriptor)
        return 0


def _write_blocks(full, empty, written, BlockSink sink not None):
    """Body of the writer thread."""
    cdef LineBatch batch
    cdef bytearray text = bytearray()
    cdef char* place
    cdef Py_ssize_t capacity
    cdef Py_ssize_t used
    while True:
        item = full.get()
        if item is None:
            return
        if isinstance(item, LineBatch):
            batch = <LineBatch>item
            capacity = max(TEXT_SIZE, batch.longest)
            if len(text) < capacity:
                text = bytearray(capacity)
            place = PyByteArray_AS_STRING(text)
            while sink.error is None and batch.done < batch.count:
                with nogil:
                    used = batch.format(place, capacity)
                sink.put_block(text, used)
            if sink.line_checksum is not None:
                sink.line_checksum.update(batch.fingerprints())
            written.put(batch)
            batch = item = None
        else:
            block, used = item
            sink.put_block(block, used)
            empty.put(block)


cdef class BlockWriter:
    """A file that is written in large blocks by a thread of its own.

    Parameters
    ----------
    file : str, os.PathLike or binary file object
        A path is created at once, so that a folder that is not writable fails here.
    block_size : int, optional
        Bytes collected in memory before they are handed to the thread.
    block_limit : int, optional
        Blocks in memory at most, at least 2; when all are waiting for the disk, writing waits too.
    checksum : str or None, optional
        Algorithm of `digest`, by its name in `hashlib`; ``"lines"`` for one that costs a text trace
        next to nothing: it covers time, source and text of each line, and no other bytes. None
        computes none.

    Raises
    ------
    OSError
        If the file cannot be created.
    ValueError
        For a size or limit that makes no sense, or an unknown algorithm.

    Notes
    -----
    One call of `write_bytes` (or of `room` in C) is never split between two blocks: what an
    interrupt leaves behind is whole lines or records. An error of the thread, such as a full
    disk, is raised as `OSError` naming the path by the next hand-over of a block, by `flush` and
    by `close`; what was written before stays.

    A copy in a forked child process forgets what the parent had buffered and refuses to write.
    Files that are still open when the interpreter ends are flushed.
    """

    def __cinit__(
        self,
        file,
        Py_ssize_t block_size=DEFAULT_BLOCK_SIZE,
        int block_limit=DEFAULT_BLOCK_LIMIT,
        *,
        checksum="sha256",
    ):
        self.closed = True  # until there is something to close
        if block_size < 1:
            raise ValueError(f"block_size is {block_size}: it must be at least 1 byte")
        if block_limit < 2:
            raise ValueError(f"block_limit is {block_limit}: it must be at least 2")
        self.sink = BlockSink(file, checksum)
        self.closed = False
        self.block_size = block_size
        self.block_limit = block_limit
        self.full = SimpleQueue()
        self.empty = SimpleQueue()
        self.written = SimpleQueue()
        self.blocks = 1
        self.install(bytearray(block_size))
        keep_track(self)

    @property
    def path(self):
        """The path of the file."""
        return self.sink.name

    cdef int install(self, bytearray block) except -1:
        self.block = block
        self.memory = PyByteArray_AS_STRING(block)
        self.capacity = len(block)
        self.used = 0
        return 0

    cdef int check(self) except -1:
        if self.forked:
            raise RuntimeError(
                f"{self.path!r} was opened before this process was forked: "
                "open the file in the process that writes it"
            )
        if self.closed:
            raise ValueError(f"{self.path!r} is closed")
        if self.sink.error is not None:
            self.raise_error()
        return 0

    cdef int raise_error(self) except -1:
        error = self.sink.error
        self.reported = True
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), self.path) from error
        raise OSError(errno.EIO, f"{type(error).__name__}: {error}", self.path) from error

    cdef char* next_block(self, Py_ssize_t n) except NULL:
        """Hand the block over and return room for `n` bytes in another one."""
        cdef bytearray fresh
        self.check()
        if self.used > 0:
            self.start_thread()
            # An interrupt while waiting changes nothing: the full block is still ours.
            if self.blocks < self.block_limit and self.empty.empty():
                fresh = bytearray(self.block_size)
                self.blocks += 1
            else:
                fresh = self.empty.get()
            self.full.put((self.block, self.used))
            self.install(fresh)
            self.check()
        if n > self.capacity:
            self.install(bytearray(n))
        return self.memory

    cdef int start_thread(self) except -1:
        if self.thread is None:
            self.thread = threading.Thread(
                target=_write_blocks, args=(self.full, self.empty, self.written, self.sink),
                name=f"trace writer {self.path}", daemon=True,
            )
            try:
                self.thread.start()
            except KeyboardInterrupt:
                # Ctrl-C met the wait for the new thread's first step, which comes all the same.
                for _ in range(1000):
                    if self.thread.is_alive():
                        break
                    time.sleep(0.001)
                else:
                    self.thread = None
                raise
        return 0

    cdef LineBatch next_batch(self):
        """Hand the collected lines over and return an empty batch."""
        cdef LineBatch fresh
        self.check()
        if self.batch is None:
            self.batch = LineBatch()
            return self.batch
        self.start_thread()
        if self.used > 0:
            # Bytes that an interrupted flush has left come first.
            self.next_block(1)
        # An interrupt while waiting changes nothing: the full batch is still ours.
        if self.batches < self.block_limit and self.written.empty():
            fresh = LineBatch()
        else:
            fresh = <LineBatch?>self.written.get()
            self.batches -= 1
            fresh.clear()
        self.full.put(self.batch)
        self.batches += 1
        self.batch = fresh
        self.check()
        return fresh

    cdef int write(self, const char* data, Py_ssize_t n) except -1:
        cdef char* place
        if n > 0:
            place = room(self, n)
            memcpy(place, data, n)
            self.used += n
        return 0

    def write_bytes(self, const unsigned char[::1] data not None):
        """Append bytes.

        Raises
        ------
        OSError
            If earlier blocks could not be written.
        """
        if self.closed or self.forked:
            self.check()
        if data.shape[0] > 0:
            self.write(<const char*>&data[0], data.shape[0])

    cdef int wait_for_thread(self) except -1:
        """Wait until every block that was handed over is written."""
        cdef list idle = []
        while self.batches > 0:
            (<LineBatch?>self.written.get()).clear()
            self.batches -= 1
        try:
            while len(idle) < self.blocks - 1:
                idle.append(self.empty.get())
        finally:
            for block in idle:
                self.empty.put(block)
        return 0

    def flush(self):
        """Return when all that was written has reached the operating system.

        Raises
        ------
        OSError
            If it could not be written; names the path.
        """
        cdef Py_ssize_t done = 0
        cdef char* place
        if self.closed or self.forked:
            return
        self.wait_for_thread()
        if self.batch is not None and self.batch.count > 0:
            while self.batch.done < self.batch.count:
                place = room(self, self.batch.longest)
                self.used += self.batch.format(place, self.capacity - self.used)
            if self.sink.line_checksum is not None:
                self.sink.line_checksum.update(self.batch.fingerprints())
            self.batch.clear()
            self.wait_for_thread()
        self.check()
        # The thread is idle: what is left is written here, without two switches of threads.
        try:
            with memoryview(self.block) as view:
                while done < self.used:
                    done += self.sink.put(view[done:self.used])
            self.sink.flush()
        except Exception as error:
            self.sink.error = error
        finally:
            memmove(self.memory, self.memory + done, self.used - done)
            self.used -= done
        self.check()

    def close(self):
        """Flush and close; no error when it is closed already.

        Raises
        ------
        OSError
            If not everything could be written and no other call has said so yet.
        """
        if self.closed:
            return
        if self.forked:
            self.end()
            return
        try:
            if not (self.reported and self.sink.error is not None):
                self.flush()
        finally:
            self.end()

    cdef int end(self) except -1:
        if self.thread is not None and not self.forked:
            self.full.put(None)
            if not sys.is_finalizing():
                self.thread.join()
        self.closed = True
        self.capacity = 0
        self.used = 0
        self.batch = None
        lose_track(self)
        self.sink.close()
        return 0

    def digest(self):
        """Return the checksum of the file so far, as ``"sha256:..."`` or ``"lines:..."``.

        Raises
        ------
        OSError
            If they could not be written.
        ValueError
            If the writer was made with ``checksum=None``.
        """
        self.flush()
        if self.sink.error is not None:
            self.raise_error()
        if self.sink.line_checksum is not None:
            return f"lines:{self.sink.line_checksum.hexdigest()}"
        checksum = self.sink.checksum
        if checksum is None:
            raise ValueError(f"{self.path!r} is written without a checksum")
        return f"{checksum.name}:{checksum.hexdigest()}"

    def _forget(self):
        """In a forked child: what is buffered is the parent's to write."""
        self.forked = True
        self.capacity = 0
        self.used = 0
        self.batch = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        # At the interpreter's end threads stand still (3.13): waiting for ours would never end, and
        # what was written has been flushed at exit.
        if self.closed or not (self.sink.lost() or sys.is_finalizing()):
            self.close()
        else:
            self.end()

    def __repr__(self):
        state = "closed" if self.closed else "open"
        return f"<BlockWriter {self.path!r}, {state}>"


def int_text(int64_t value):
    """Return `put_int64` as a str; for tests."""
    cdef char text[INT64_TEXT_SIZE]
    return text[:put_int64(text, value)].decode()


def seconds_text(int64_t nanoseconds):
    """Return a time (ns) as traces print it: in seconds, with nine decimals."""
    cdef char text[SECONDS_TEXT_SIZE]
    return text[:put_seconds(text, nanoseconds)].decode()
