# Part of ipv4.pyx: joining fragments (RFC 791 3.2, RFC 815).

cdef enum:
    # Datagrams under reassembly at a node; the oldest gives way, so that hostile fragments cannot
    # take all memory.
    MAX_REASSEMBLIES = 1024

# As in ns-3's Ipv4L3Protocol; RFC 1122 3.3.2 has 60 to 120 s.
cdef int64_t REASSEMBLY_TIMEOUT = 30 * 1000000000


cdef int reassembly_timer_fired(object owner) except -1:
    return (<Ipv4>owner).expire_reassemblies()


@cython.final
cdef class Reassembly:
    """The fragments of one datagram that have come so far."""

    cdef Ipv4Header first          # of the fragment with offset 0, or of the first that came
    cdef Interface interface
    cdef int64_t deadline
    cdef int total                 # size of the payload (bytes), -1 while the end is unknown
    cdef list offsets              # of the fragments, in order
    cdef list pieces               # the fragments

    cdef int add(self, Packet packet, Ipv4Header header) except -1:
        cdef int end = header.offset + packet.size
        cdef Py_ssize_t place = 0
        if not header.more_fragments:
            if self.total >= 0 and self.total != end:
                return 0
            self.total = end
        if header.offset == 0:
            self.first = header
        while place < len(self.offsets) and <int>self.offsets[place] < header.offset:
            place += 1
        # Among fragments that begin at one place, the longest is enough; the first to come wins.
        if place < len(self.offsets) and <int>self.offsets[place] == header.offset:
            if (<Packet>self.pieces[place]).size < packet.size:
                self.pieces[place] = packet
            return 0
        self.offsets.insert(place, header.offset)
        self.pieces.insert(place, packet)
        return 0

    cdef bint complete(self) noexcept:
        cdef int covered = 0
        cdef Py_ssize_t i
        if self.total < 0:
            return False
        for i in range(len(self.offsets)):
            if <int>self.offsets[i] > covered:
                return False
            covered = max(covered, <int>self.offsets[i] + (<Packet>self.pieces[i]).size)
        return covered >= self.total

    cdef Packet join(self):
        """Payload of the datagram; overlapping bytes are taken from the earlier fragment."""
        cdef list parts = []
        cdef int covered = 0
        cdef int offset, end
        cdef Py_ssize_t i
        cdef Packet piece
        for i in range(len(self.offsets)):
            offset = self.offsets[i]
            piece = <Packet>self.pieces[i]
            end = min(offset + piece.size, self.total)
            if end <= covered and piece.size:
                continue
            if covered > offset or end < offset + piece.size:
                piece = slice_packet(piece, covered - offset, end - offset)
            parts.append(piece)
            covered = end
        return join_packets(parts)
