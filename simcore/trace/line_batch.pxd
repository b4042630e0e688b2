"""Lines of a text trace before they are text: what the run leaves to the thread of the file."""

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    # Handing over wakes a thread, which costs the run some 50 us.
    BATCH_LINES = 8192


cdef struct Prefix:
    char letter
    const char* path               # with the spaces around it
    Py_ssize_t path_size
    uint64_t fingerprint           # of letter and path


cdef class LinePrefix:
    """What all lines of one source have in common."""
    cdef Prefix fields
    cdef bytes path                # what `fields.path` points to


cdef struct Line:
    int64_t time                   # ns
    const Prefix* prefix           # of `source`
    void* source                   # LinePrefix, owned
    void* text                     # str, owned
    const char* text_data          # its UTF-8
    Py_ssize_t text_size


cdef class LineBatch:
    cdef Line* lines
    cdef int count
    cdef int done                  # lines that have been formatted
    cdef Py_ssize_t longest        # bytes that a line needs at most

    cdef int add(self, int64_t time, LinePrefix prefix, str text) except -1
    cdef Py_ssize_t format(self, char* place, Py_ssize_t capacity) noexcept nogil
    cdef bytes fingerprints(self)
    cdef int clear(self) noexcept
