"""Lines of a text trace before they are text.

A line of the dsr example is 500 bytes, of which only the time is new: writing it costs the run more
by what it displaces from the caches than by the copy. So the run keeps six words a line, and the
thread of the file makes the text, without the interpreter's lock.
"""

cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from simcore.trace.number_text cimport SECONDS_TEXT_SIZE, put_seconds

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL


@cython.final
cdef class LinePrefix:
    """Letter and path of a source."""

    def __cinit__(self, str letter not None, str path not None):
        self.path = f" {path} ".encode()
        self.fields.letter = <char>ord(letter)
        self.fields.path = self.path
        self.fields.path_size = len(self.path)


@cython.final
cdef class LineBatch:
    """Up to `BATCH_LINES` lines."""

    def __cinit__(self):
        self.lines = <Line*>malloc(BATCH_LINES * sizeof(Line))
        if self.lines is NULL:
            raise MemoryError("no memory for the lines of a trace")

    def __dealloc__(self):
        self.clear()
        free(self.lines)

    cdef int add(self, int64_t time, LinePrefix prefix, str text) except -1:
        """Append a line; the caller has seen to it that there is room."""
        cdef Line* line = &self.lines[self.count]
        cdef Py_ssize_t size
        line.text_data = PyUnicode_AsUTF8AndSize(text, &line.text_size)
        line.time = time
        line.prefix = &prefix.fields
        line.source = <void*>prefix
        line.text = <void*>text
        Py_INCREF(prefix)
        Py_INCREF(text)
        size = 2 + SECONDS_TEXT_SIZE + prefix.fields.path_size + line.text_size + 1
        if size > self.longest:
            self.longest = size
        self.count += 1
        return 0

    cdef Py_ssize_t format(self, char* place, Py_ssize_t capacity) noexcept nogil:
        """Write as many of the lines that are left as fit; return how many bytes they are.

        Parameters
        ----------
        capacity : int
            Bytes of room, `longest` at least.
        """
        cdef char* start = place
        cdef char* last = place + capacity - self.longest
        cdef Line* line
        while self.done < self.count and place <= last:
            line = &self.lines[self.done]
            place[0] = line.prefix.letter
            place[1] = 32  # " "
            place += 2
            place += put_seconds(place, line.time)
            memcpy(place, line.prefix.path, line.prefix.path_size)
            place += line.prefix.path_size
            memcpy(place, line.text_data, line.text_size)
            place += line.text_size
            place[0] = 10  # end of line
            place += 1
            self.done += 1
        return place - start

    cdef int clear(self) noexcept:
        """Forget the lines."""
        cdef int i
        for i in range(self.count):
            Py_DECREF(<object>self.lines[i].source)
            Py_DECREF(<object>self.lines[i].text)
        self.count = 0
        self.done = 0
        self.longest = 0
        return 0
