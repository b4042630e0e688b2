"""Lines of a text trace before they are text.

A line of the dsr example is 500 bytes, of which only the time is new: writing it costs the run more
by what it displaces from the caches than by the copy. So the run keeps six words a line, and the
thread of the file makes the text, without the interpreter's lock.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from simcore.trace.number_text cimport SECONDS_TEXT_SIZE, put_seconds

cdef extern from *:
    """
    typedef unsigned __int128 simcore_uint128;
    """
    ctypedef unsigned long long uint128 "simcore_uint128"

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL


cdef enum:
    KNOWN_TEXTS = 256              # a power of two


cdef struct KnownText:
    const char* data
    uint64_t fingerprint


cdef inline uint64_t mixed(uint64_t a, uint64_t b) noexcept nogil:
    """Both halves of a product: each bit of it depends on all lower bits of the factors."""
    cdef uint128 product = <uint128>a * b
    return <uint64_t>product ^ <uint64_t>(product >> 64)


cdef uint64_t fingerprint_of(const char* data, Py_ssize_t size) noexcept nogil:
    """64 bits that differ where texts differ; not made to withstand someone who wants a clash."""
    cdef uint64_t value = <uint64_t>size ^ <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t word
    while size > 0:
        word = 0
        memcpy(&word, data, 8 if size >= 8 else size)
        value = mixed(value ^ word, <uint64_t>0xD6E8FEB86659FD93)
        data += 8
        size -= 8
    return value


@cython.final
cdef class LinePrefix:
    """Letter and path of a source."""

    def __cinit__(self, str letter not None, str path not None):
        self.path = f" {path} ".encode()
        self.fields.letter = <char>ord(letter)
        self.fields.path = self.path
        self.fields.path_size = len(self.path)
        both = letter.encode() + self.path
        self.fields.fingerprint = fingerprint_of(both, len(both))


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

    cdef bytes fingerprints(self):
        """Time, source and text of each line as three numbers of 64 bits.

        Equal files give equal numbers. Lines that share a text, as all receivers of a frame do,
        look at it once: that is what makes this cheaper than a checksum of the file.
        """
        cdef bytes result = PyBytes_FromStringAndSize(NULL, self.count * 3 * sizeof(uint64_t))
        cdef uint64_t* words = <uint64_t*>PyBytes_AS_STRING(result)
        cdef KnownText[KNOWN_TEXTS] known
        cdef KnownText* place
        cdef Line* line
        cdef int i
        with nogil:
            memset(known, 0, sizeof(known))
            for i in range(self.count):
                line = &self.lines[i]
                place = &known[<size_t>line.text_data >> 4 & (KNOWN_TEXTS - 1)]
                if place.data != line.text_data:
                    place.data = line.text_data
                    place.fingerprint = fingerprint_of(line.text_data, line.text_size)
                words[3 * i] = <uint64_t>line.time
                words[3 * i + 1] = line.prefix.fingerprint
                words[3 * i + 2] = place.fingerprint
        return result

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
