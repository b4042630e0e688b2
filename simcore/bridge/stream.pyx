"""Connections over stream sockets that a simulation in real time serves."""

import os

from libc.errno cimport EAGAIN, EINTR, errno
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove

from simcore.bridge.realtime cimport READ_SIZE, READABLE, WRITABLE, Descriptor, RealTime

cdef extern from "<sys/socket.h>" nogil:
    long recv(int fd, void* data, size_t size, int flags)
    long send_to_kernel "send"(int fd, const void* data, size_t size, int flags)
    enum:
        MSG_NOSIGNAL
        MSG_DONTWAIT

cdef extern from "<unistd.h>" nogil:
    int close_fd "close"(int fd)

cdef enum:
    DEFAULT_QUEUE_LIMIT = 1 << 20
    SMALLEST_QUEUE = 4096
    # An empty queue larger than this is given back.
    KEPT_QUEUE = 1 << 16

# What `received` answers when the stream cannot be understood any more.
FRAMING_LOST = -2


cdef class StreamConnection(Descriptor):
    """One end of a stream socket.

    What is sent in one turn of the simulation goes out together when the turn is over. When more
    than `queue_limit` bytes wait, because the reader is slow, further messages are dropped and
    counted: memory is bounded, and the simulation never waits.

    Subclasses override `received`, compiled or, as a method that takes bytes and returns how many
    it used up, in Python by way of `PythonConnection`.

    Parameters
    ----------
    clock : RealTime
    sock : socket.socket
        Connected; the connection takes it over.
    context : int
        Node in whose context its events run.
    queue_limit : int
        Bytes.
    """

    def __init__(
        self, RealTime clock not None, sock, *, int32_t context=-1,
        int64_t queue_limit=DEFAULT_QUEUE_LIMIT,
    ):
        if self.is_open or self.closed_because is not None:
            raise RuntimeError(f"this {type(self).__name__} was initialised before")
        if queue_limit < 1:
            raise ValueError(f"queue_limit is {queue_limit} bytes: it must be at least 1")
        sock.setblocking(False)
        self.queue_limit = queue_limit
        self.context = context
        self.fd = sock.fileno()
        clock.watch_c(self, READABLE)
        sock.detach()
        self.is_open = True

    def __dealloc__(self):
        if self.is_open and self.fd >= 0:
            close_fd(self.fd)
        free(self.partial)
        free(self.queue)

    cdef Py_ssize_t received(self, const uint8_t* data, Py_ssize_t size) except -1:
        raise NotImplementedError(f"{type(self).__name__} takes nothing")

    cdef int closed(self) except -1:
        return 0

    cdef int readable(self) except -1:
        cdef uint8_t* block = self.clock.scratch
        cdef Py_ssize_t kept = self.partial_size
        cdef Py_ssize_t used
        cdef long n
        if not self.is_open:
            return 0
        n = recv(self.fd, block + kept, READ_SIZE, MSG_DONTWAIT)
        if n == 0:
            return self.finish("the other side closed it")
        if n < 0:
            if errno == EAGAIN or errno == EINTR:
                return 0
            return self.finish(os.strerror(errno))
        self.bytes_in += n
        if kept:
            memcpy(block, self.partial, kept)
            free(self.partial)
            self.partial = NULL
            self.partial_size = 0
        used = self.received(block, kept + n)
        if not self.is_open:
            return 0
        if used < 0:
            return self.finish("what it sent could not be understood")
        return self.keep(block + used, kept + n - used)

    cdef int keep(self, const uint8_t* rest, Py_ssize_t size) except -1:
        """Keep the start of a message until the rest arrives."""
        if size == 0:
            return 0
        if size > READ_SIZE:
            raise ValueError(f"{type(self).__name__} left {size} bytes unused")
        self.partial = <uint8_t*>malloc(size)
        if self.partial == NULL:
            raise MemoryError("no memory for an unfinished message")
        memcpy(self.partial, rest, size)
        self.partial_size = size
        return 0

    def send(self, bytes message not None):
        """Queue a message; False when it was dropped, because too much waits or it is closed."""
        return bool(self.send_bytes(<const uint8_t*><const char*>message, len(message)))

    cdef bint send_bytes(self, const uint8_t* data, Py_ssize_t size) except -1:
        if not self.is_open or self.broken:
            return False
        if self.queue_end - self.queue_start + size > self.queue_limit:
            self.write_out()
            if self.queue_end - self.queue_start + size > self.queue_limit or self.broken:
                self.dropped += 1
                return False
        if self.queue_end + size > self.queue_room:
            self.reserve(size)
        memcpy(self.queue + self.queue_end, data, size)
        self.queue_end += size
        if not self.flush_wanted and not self.waits_for & WRITABLE:
            self.flush_wanted = True
            self.clock.wants_flush(self)
        return True

    cdef bint reserve(self, Py_ssize_t size) except -1:
        cdef Py_ssize_t waiting = self.queue_end - self.queue_start
        cdef Py_ssize_t room = self.queue_room
        cdef uint8_t* queue
        if self.queue_start and waiting + size <= room:
            memmove(self.queue, self.queue + self.queue_start, waiting)
        else:
            while room < waiting + size:
                room = SMALLEST_QUEUE if room == 0 else 2 * room
            queue = <uint8_t*>malloc(room)
            if queue == NULL:
                raise MemoryError("no memory for what is to be sent")
            if waiting:
                memcpy(queue, self.queue + self.queue_start, waiting)
            free(self.queue)
            self.queue = queue
            self.queue_room = room
        self.queue_start = 0
        self.queue_end = waiting
        return True

    cdef int flush_output(self) except -1:
        self.flush_wanted = False
        if self.is_open:
            self.write_out()
        return 0

    cdef int writable(self) except -1:
        return self.write_out()

    cdef int write_out(self) except -1:
        """Hand the kernel what it takes; wait for it to take more if that is not all."""
        cdef Py_ssize_t waiting = self.queue_end - self.queue_start
        cdef long n
        if waiting == 0 or self.broken:
            return 0
        n = send_to_kernel(
            self.fd, self.queue + self.queue_start, waiting, MSG_NOSIGNAL | MSG_DONTWAIT
        )
        if n < 0:
            if errno != EAGAIN and errno != EINTR:
                # Reading will tell the same, as an event of the simulation.
                self.broken = True
                self.queue_start = self.queue_end = 0
                return self.clock.change(self, READABLE)
            n = 0
        self.bytes_out += n
        if n == waiting:
            self.queue_start = self.queue_end = 0
            if self.queue_room > KEPT_QUEUE:
                free(self.queue)
                self.queue = NULL
                self.queue_room = 0
            return self.clock.change(self, READABLE)
        self.queue_start += n
        return self.clock.change(self, READABLE | WRITABLE)

    @property
    def queued(self):
        """Bytes that wait to be sent."""
        return self.queue_end - self.queue_start

    cdef int finish(self, str reason) except -1:
        if not self.is_open:
            return 0
        self.is_open = False
        self.closed_because = reason
        self.clock.forget(self)
        close_fd(self.fd)
        self.fd = -1
        free(self.queue)
        self.queue = NULL
        self.queue_start = self.queue_end = self.queue_room = 0
        free(self.partial)
        self.partial = NULL
        self.partial_size = 0
        return self.closed()

    def close(self):
        """Close it, after an attempt to send what waits; safe to call twice."""
        if self.is_open:
            self.write_out()
            self.finish("closed here")


cdef class PythonConnection(StreamConnection):
    """A connection whose messages Python cuts out of the stream.

    Parameters
    ----------
    clock, sock, context, queue_limit
        As for `StreamConnection`.
    on_data : callable
        Called with the bytes that have arrived and are not used up yet; returns how many it uses.
    on_close : callable, optional
        Called without arguments.
    """

    cdef object on_data
    cdef object on_close

    def __init__(self, RealTime clock not None, sock, on_data, on_close=None, **options):
        self.on_data = on_data
        self.on_close = on_close
        super().__init__(clock, sock, **options)

    cdef Py_ssize_t received(self, const uint8_t* data, Py_ssize_t size) except -1:
        cdef Py_ssize_t used = self.on_data(data[:size])
        if not 0 <= used <= size:
            raise ValueError(f"on_data used {used} bytes of {size}")
        return used

    cdef int closed(self) except -1:
        if self.on_close is not None:
            self.on_close()
        return 0
