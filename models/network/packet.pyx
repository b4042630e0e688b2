"""Packets and the base of all headers."""

cimport cython
from cpython.bytes cimport PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t

from simcore.simulator cimport Simulator


class PacketError(ValueError):
    """Bytes from outside that are no well-formed header or packet."""


cdef class Header:
    """Base of protocol headers; immutable once pushed on a packet.

    Subclasses keep their fields as C attributes, and have a static ``parse(data)`` that returns
    ``(header, rest)`` and raises `PacketError` on anything malformed.

    Parameters
    ----------
    length : int
        Size on the wire (bytes).
    """

    def __init__(self, int32_t length=0):
        if length < 0:
            raise ValueError(f"length is {length} bytes: it must not be negative")
        self.length = length

    cpdef bytes serialize(self, bytes payload):
        """Wire format of the header, given the bytes that follow it (for checksums, lengths)."""
        raise NotImplementedError(f"{type(self).__name__} has no wire format")

    cpdef str text(self):
        """One-line form for ascii traces."""
        return f"{type(self).__name__} (length={self.length})"

    def __repr__(self):
        return f"<{self.text()}>"


@cython.freelist(64)
cdef class Packet:
    """A payload with headers around it.

    Parameters
    ----------
    sim : Simulator
        Gives the packet its number and its time of creation.
    payload : int or bytes
        A number of zero bytes, which are not stored, or real bytes.
    tag : object, optional
        Whatever the application keeps with it; no protocol looks at it. It should be plain data.

    Raises
    ------
    ValueError
        When the size is negative.
    """

    def __init__(self, Simulator sim not None, payload=0, tag=None):
        if isinstance(payload, bytes):
            self.payload = payload
            self.size = <int32_t>PyBytes_GET_SIZE(payload)
        elif isinstance(payload, (bytearray, memoryview)):
            self.payload = bytes(payload)
            self.size = <int32_t>len(self.payload)
        elif isinstance(payload, int):
            if not 0 <= payload <= 0x7FFFFFFF:
                raise ValueError(f"payload is {payload} bytes: it must be 0 to 2**31 - 1")
            self.size = payload
        else:
            raise TypeError(f"payload is {payload!r}: it must be bytes or a number of zero bytes")
        self.uid = sim.next_uid()
        self.created = sim.now_ns
        self.tag = tag

    cdef Packet push_c(self, Header header):
        cdef Packet packet = Packet.__new__(Packet)
        packet.uid = self.uid
        packet.created = self.created
        packet.size = self.size + header.length
        packet.header = header
        packet.inner = self
        return packet

    cdef Packet innermost(self):
        cdef Packet packet = self
        while packet.inner is not None:
            packet = packet.inner
        return packet

    def push(self, Header header not None):
        """Packet with `header` in front of this one; O(1), nothing is copied."""
        return self.push_c(header)

    def find(self, type kind not None):
        """Outermost header of a class, or None."""
        cdef Packet packet = self
        while packet is not None:
            if isinstance(packet.header, kind):
                return packet.header
            packet = packet.inner
        return None

    def after(self, type kind not None):
        """What the outermost header of a class carries, or None when there is no such header."""
        cdef Packet packet = self
        while packet is not None:
            if isinstance(packet.header, kind):
                return packet.inner
            packet = packet.inner
        return None

    @property
    def headers(self):
        """Headers as a tuple, outermost first."""
        cdef list found = []
        cdef Packet packet = self
        while packet is not None:
            if packet.header is not None:
                found.append(packet.header)
            packet = packet.inner
        return tuple(found)

    @property
    def payload_packet(self):
        """Innermost packet, which has no header: the application's payload, with its tag."""
        return self.innermost()

    cpdef bytes to_bytes(self):
        """Wire format, from the payload outwards."""
        cdef list chain = []
        cdef Packet packet = self
        cdef bytes data
        while packet.header is not None:
            chain.append(packet.header)
            packet = packet.inner
        if packet is not self:
            # A protocol's own kind of packet makes its bytes when they are asked for.
            data = packet.to_bytes()
        elif packet.payload is None:
            data = bytes(packet.size)
        elif isinstance(packet.payload, bytes):
            data = packet.payload
        else:
            data = (<PacketSlice?>packet.payload).to_bytes()
        for header in reversed(chain):
            data = (<Header>header).serialize(data)
        return data

    cpdef str text(self):
        """One-line form for ascii traces: the headers, outermost first, then the payload."""
        if self.text_cache is None:
            if self.header is None:
                self.text_cache = f"Payload (size={self.size})" if self.size else ""
            else:
                inner = self.inner.text()
                outer = self.header.text()
                self.text_cache = f"{outer} {inner}" if inner else outer
        return self.text_cache

    def __len__(self):
        return self.size

    def __repr__(self):
        return f"<Packet {self.uid}: {self.size} bytes, {self.text()}>"


cdef class PacketSlice:
    """Part of a packet, as a fragment carries it."""

    def __init__(self):
        raise TypeError("slices are made by Packet fragments only")

    cpdef bytes to_bytes(self):
        return self.whole.to_bytes()[self.start:self.stop]

    def __repr__(self):
        return f"<bytes {self.start} to {self.stop} of packet {self.whole.uid}>"


cdef Packet new_packet(int64_t uid, int64_t created, int32_t size, object payload, object tag):
    cdef Packet packet = Packet.__new__(Packet)
    packet.uid = uid
    packet.created = created
    packet.size = size
    packet.payload = payload
    packet.tag = tag
    return packet


cdef Packet make_packet(Simulator sim, int32_t size, object payload, object tag):
    return new_packet(sim.next_uid(), sim.now_ns, size, payload, tag)


cdef Packet slice_packet(Packet packet, int32_t start, int32_t stop):
    cdef PacketSlice part = PacketSlice.__new__(PacketSlice)
    cdef PacketSlice outer
    if not 0 <= start <= stop <= packet.size:
        raise ValueError(f"bytes {start} to {stop} are no part of a packet of {packet.size} bytes")
    if packet.header is None and isinstance(packet.payload, PacketSlice):
        # A fragment of a fragment is a smaller slice of the original.
        outer = packet.payload
        part.whole = outer.whole
        part.start = outer.start + start
        part.stop = outer.start + stop
    else:
        part.whole = packet
        part.start = start
        part.stop = stop
    return new_packet(packet.uid, packet.created, stop - start, part, packet.innermost().tag)


cdef Packet join_slices(list fragments):
    cdef Packet whole = None
    cdef Packet packet
    cdef PacketSlice part
    cdef int32_t start = 0, end = 0
    for fragment in fragments:
        packet = fragment
        if packet.header is not None or not isinstance(packet.payload, PacketSlice):
            return None
        part = packet.payload
        if whole is None:
            whole = part.whole
            start = part.start
        elif part.whole is not whole or part.start != end:
            return None
        end = part.stop
    if whole is None:
        return None
    if start == 0 and end == whole.size:
        return whole
    return slice_packet(whole, start, end)


def fragment(Packet packet not None, int32_t start, int32_t stop):
    """Fragment of a packet: its bytes from `start` to `stop`, with its number and time.

    Raises
    ------
    ValueError
        When there are no such bytes.
    """
    return slice_packet(packet, start, stop)


cdef Packet join_packets(list fragments):
    cdef Packet first
    cdef Packet whole = join_slices(fragments)
    if whole is not None:
        return whole
    first = fragments[0]
    data = b"".join([(<Packet?>part).to_bytes() for part in fragments])
    return new_packet(first.uid, first.created, <int32_t>len(data), data, first.innermost().tag)


def reassemble(list fragments not None):
    """Packet that `fragments`, in order, are parts of.

    Fragments of one packet give that very packet back, headers as objects; others are joined as
    bytes under the first one's number.

    Raises
    ------
    ValueError
        When there are no fragments.
    """
    if not fragments:
        raise ValueError("there are no fragments to reassemble")
    return join_packets(fragments)
