"""Packets: immutable once sent, a chain of headers around a payload.

`push` puts a header in front and makes a new outer packet; `inner` is what the header carried.
Nothing is copied on the way through a stack, and a broadcast hands one object to everybody.
"""

from libc.stdint cimport int32_t, int64_t


cdef class Header:
    cdef readonly int32_t length          # wire size, bytes

    cpdef bytes serialize(self, bytes payload)   # wire format, given the bytes that follow it
    cpdef str text(self)                  # one-line form for ascii traces


cdef class Packet:
    cdef readonly int64_t uid             # number of the payload within its simulator
    cdef readonly int64_t created         # when the payload was made, ns
    cdef readonly int32_t size            # bytes, headers included
    cdef readonly Header header           # outermost header, or None
    cdef readonly Packet inner            # what the header carries, or None
    cdef readonly object payload          # innermost packet: bytes, or None for `size` zero bytes
    cdef readonly object tag              # innermost packet: whatever the application keeps with it
    cdef str text_cache

    cdef Packet push_c(self, Header header)
    cpdef bytes to_bytes(self)
    cpdef str text(self)


cdef Packet new_packet(int64_t uid, int64_t created, int32_t size, object payload, object tag)
