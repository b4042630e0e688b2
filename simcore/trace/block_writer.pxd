"""A file written in large blocks by a thread of its own.

Compiled code that formats in place:

    char* place = room(out, 64)          # at least 64 bytes, in one piece
    ...                                  # fill `length` of them
    out.used += length

Lines of a text trace are handed over before they are text:

    batch = out.batch
    if batch is None or batch.count == BATCH_LINES:
        batch = out.next_batch()
    batch.add(time, prefix, text)
"""

from simcore.trace.line_batch cimport LineBatch

cdef class BlockSink:
    cdef object file                   # the caller's file object, or None
    cdef int descriptor                # of the file that we opened, or -1
    cdef readonly str name             # path, for error messages
    cdef object checksum               # hashlib object over the bytes, or None
    cdef object line_checksum          # the same over `LineBatch.fingerprints`, or None
    cdef readonly object error         # what ended the writing, or None

    cdef Py_ssize_t put(self, object view) except -1
    cdef int flush(self) except -1
    cdef bint lost(self) except -1
    cdef int close(self) except -1


cdef class BlockWriter:
    cdef char* memory                  # of `block`
    cdef Py_ssize_t used               # bytes of it that are filled
    cdef Py_ssize_t capacity           # bytes of it in all; 0 after close and after a fork
    cdef bytearray block
    cdef BlockSink sink
    cdef object full                   # SimpleQueue to the thread: (block, used), None to end
    cdef object empty                  # SimpleQueue back from it
    cdef LineBatch batch               # lines that are collected, None before the first
    cdef object written                # SimpleQueue of LineBatch back from the thread
    cdef int batches                   # handed over and not yet back
    cdef object thread                 # started with the first full block
    cdef readonly Py_ssize_t block_size
    cdef readonly int block_limit
    cdef int blocks                    # that exist, the one being filled included
    cdef bint reported                 # the caller has seen sink.error
    cdef readonly bint closed
    cdef bint forked                   # this is a copy in a child process
    cdef object __weakref__

    cdef int write(self, const char* data, Py_ssize_t n) except -1
    cdef char* next_block(self, Py_ssize_t n) except NULL
    cdef LineBatch next_batch(self)
    cdef int start_thread(self) except -1
    cdef int install(self, bytearray block) except -1
    cdef int check(self) except -1
    cdef int raise_error(self) except -1
    cdef int wait_for_thread(self) except -1
    cdef int end(self) except -1


cdef inline char* room(BlockWriter out, Py_ssize_t n) except NULL:
    """Return where the next `n` bytes go; what is written there is kept by ``out.used += n``."""
    if n <= out.capacity - out.used:
        return out.memory + out.used
    return out.next_block(n)
