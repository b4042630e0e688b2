"""Packets: immutable once sent, a chain of headers around a payload.

`push` puts a header in front and makes a new outer packet; `inner` is what the header carried.
Nothing is copied on the way through a stack, and a broadcast hands one object to everybody.
"""

from libc.stdint cimport int32_t, int64_t

from simcore.simulator cimport Simulator


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
    # Innermost packet: bytes, a PacketSlice, or None for `size` zero bytes.
    cdef readonly object payload
    cdef readonly object tag              # innermost packet: whatever the application keeps with it
    cdef str text_cache

    cdef Packet push_c(self, Header header)
    cdef Packet innermost(self)
    cpdef bytes to_bytes(self)
    cpdef str text(self)


cdef class PacketSlice:
    """Bytes `start` to `stop` of a packet: what a fragment carries, made into bytes when asked."""
    cdef readonly Packet whole
    cdef readonly int32_t start
    cdef readonly int32_t stop

    cpdef bytes to_bytes(self)


cdef Packet new_packet(int64_t uid, int64_t created, int32_t size, object payload, object tag)
# A fresh payload of a simulator: next uid, created now.
cdef Packet make_packet(Simulator sim, int32_t size, object payload, object tag)
# A fragment: the bytes from `start` to `stop` of `packet`, with its uid and time.
cdef Packet slice_packet(Packet packet, int32_t start, int32_t stop)
# The packet that these fragments, in order, are slices of; None when they are not all of one.
cdef Packet join_slices(list fragments)
# The same, but others are joined as bytes, under the first one's uid. Not for an empty list.
cdef Packet join_packets(list fragments)
