"""One end of a stream socket: reads in large blocks, a bounded queue of what is to be sent."""

from libc.stdint cimport int64_t, uint8_t

from simcore.bridge.realtime cimport Descriptor


cdef class StreamConnection(Descriptor):
    cdef readonly bint is_open
    cdef readonly str closed_because  # or None while it is open
    cdef readonly int64_t queue_limit  # bytes that may wait to be sent
    cdef readonly int64_t bytes_in
    cdef readonly int64_t bytes_out   # taken by the kernel
    cdef readonly int64_t dropped     # messages not queued: the reader is too slow
    cdef uint8_t* partial             # of a message that has not arrived as a whole
    cdef Py_ssize_t partial_size
    cdef uint8_t* queue               # queue_start up to queue_end wait to be sent
    cdef Py_ssize_t queue_start
    cdef Py_ssize_t queue_end
    cdef Py_ssize_t queue_room
    cdef bint flush_wanted
    cdef bint broken                  # the other side does not take anything any more

    # What arrived, after what was not used last time; how many bytes are used up. At most
    # READ_SIZE bytes may be left over. Subclasses cut messages out of it; a negative result closes.
    cdef Py_ssize_t received(self, const uint8_t* data, Py_ssize_t size) except -1
    # The connection is closed, by whomever.
    cdef int closed(self) except -1

    cdef bint send_bytes(self, const uint8_t* data, Py_ssize_t size) except -1
    cdef bint reserve(self, Py_ssize_t size) except -1
    cdef int write_out(self) except -1
    cdef int keep(self, const uint8_t* rest, Py_ssize_t size) except -1
    cdef int finish(self, str reason) except -1
