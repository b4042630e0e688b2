"""Fragmentation and reassembly of network packets, and congestion marks (NDNLPv2).

The figures are NFD's: budgets for the headers, number of fragments, timeout, marking intervals.
"""

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint64_t

from simcore.models.ndn.lp cimport LpPacket, new_lp_packet
from simcore.simulator cimport Simulator, TimerHandler, native_timer

cdef enum:
    FRAGMENT_OVERHEAD = 50     # SINGLE_OVERHEAD, FragIndex and FragCount
    MAX_FRAGMENTS = 400
    REASSEMBLY_TIMEOUT = 500_000_000
    MARKING_INTERVAL = 100_000_000
    MARKING_THRESHOLD = 65536


def fragment_sizes(Py_ssize_t size, Py_ssize_t headers, Py_ssize_t mtu):
    """Payload of each fragment of a network packet.

    Parameters
    ----------
    size : int
        Bytes of the network packet.
    headers : int
        Bytes of its other header fields, which go with the first fragment.
    mtu : int
        Bytes that the link carries.

    Returns
    -------
    list of int
        One element when the packet fits. Empty when it cannot be sent: the MTU has no room beside
        the headers, or there would be more than 400 fragments.
    """
    cdef Py_ssize_t first = mtu - FRAGMENT_OVERHEAD - headers
    cdef Py_ssize_t rest = mtu - FRAGMENT_OVERHEAD
    cdef list sizes
    if size + headers + SINGLE_OVERHEAD <= mtu:
        return [size]
    if first < 1:
        return []
    sizes = [min(first, size)]
    size -= first
    if size > 0:
        if 1 + (size + rest - 1) // rest > MAX_FRAGMENTS:
            return []
        sizes += [rest] * (size // rest)
        if size % rest:
            sizes.append(size % rest)
    return sizes


cpdef list fragment_packet(LpPacket packet, Py_ssize_t mtu, uint64_t sequence):
    """Packets to send for one network packet, each at most `mtu` bytes.

    The fragments refer to the network packet and copy nothing. They are numbered from `sequence`
    on; a packet that fits is given back as it is.

    Returns
    -------
    list of LpPacket
        Empty when the packet cannot be sent, see `fragment_sizes`.
    """
    cdef list fragments = []
    cdef LpPacket fragment
    cdef int32_t start = packet.start
    cdef Py_ssize_t headers = packet.value_size() - content_size(packet)
    cdef list sizes = fragment_sizes(packet.stop - packet.start, headers, mtu)
    cdef int64_t i = 0
    if len(sizes) == 1:
        return [packet]
    for size in sizes:
        fragment = new_lp_packet(packet.fragment, 0, packet.fields if i == 0 else None)
        if i == 0:
            fragment.nack_reason = packet.nack_reason
            fragment.acks = packet.acks
            fragment.carries_hops = packet.carries_hops
        fragment.start = start
        start += <int32_t>size
        fragment.stop = start
        fragment.has_sequence = True
        fragment.sequence = sequence + i
        fragment.frag_index = i
        fragment.frag_count = len(sizes)
        fragments.append(fragment)
        i += 1
    return fragments


cdef Py_ssize_t content_size(LpPacket packet) noexcept:
    """Bytes of the Fragment element."""
    cdef Py_ssize_t size = packet.stop - packet.start
    return size + (2 if size < 253 else 4 if size <= 0xFFFF else 6)


@cython.final
cdef class PartialPacket:
    """Fragments of one network packet that have arrived."""


cdef int drop_partial(object owner) except -1:
    cdef PartialPacket partial = owner
    cdef Reassembler reassembler = partial.reassembler
    reassembler.drop(partial)
    reassembler.timed_out += 1
    return 0


@cython.final
cdef class Reassembler:
    """Puts fragments of network packets together; late, alien and repeated ones are dropped.

    Parameters
    ----------
    sim : Simulator
    timeout : int
        Time after the latest fragment when an incomplete packet is given up, ns.
    limit : int
        Incomplete packets kept at a time; the oldest is given up.
    """

    def __init__(self, Simulator sim not None, timeout=REASSEMBLY_TIMEOUT, limit=1024):
        self.sim = sim
        self.timeout = timeout
        self.limit = limit
        self.partial = {}

    cpdef LpPacket receive(self, LpPacket packet, endpoint=0):
        """Packet that `packet` completes, whole and with the first fragment's fields, or None.

        Parameters
        ----------
        packet : LpPacket
            As it arrived; one that is no fragment is complete at once.
        endpoint : hashable
            Who sent it, on links with several senders.
        """
        cdef int64_t index = 0 if packet.frag_index < 0 else packet.frag_index
        cdef int64_t count = 1 if packet.frag_count < 0 else packet.frag_count
        cdef PartialPacket partial
        if count == 1 and index == 0:
            return packet
        if index >= count or count > MAX_FRAGMENTS or not packet.has_sequence:
            self.rejected += 1
            return None
        key = (endpoint, packet.sequence - <uint64_t>index, count)
        partial = self.partial.get(key)
        if partial is None:
            if len(self.partial) >= self.limit:
                self.drop(next(iter(self.partial.values())))
                self.timed_out += 1
            partial = PartialPacket.__new__(PartialPacket)
            partial.fragments = [None] * count
            partial.missing = <int>count
            partial.key = key
            partial.reassembler = self
            partial.timer = native_timer(self.sim, <TimerHandler>drop_partial, partial)
            self.partial[key] = partial
        if partial.fragments[index] is not None:
            return None
        partial.fragments[index] = packet
        partial.missing -= 1
        if partial.missing:
            partial.timer.arm(self.timeout)
            return None
        self.drop(partial)
        return joined(partial.fragments)

    cdef int drop(self, PartialPacket partial) except -1:
        self.partial.pop(partial.key, None)
        partial.timer.disarm()
        partial.timer.owner = None
        partial.reassembler = None
        return 0


cdef LpPacket joined(list fragments):
    """The whole packet; without copying when the fragments are parts of one object."""
    cdef LpPacket first = fragments[0]
    cdef LpPacket part
    cdef LpPacket whole
    cdef bint same = first.start == 0 and not isinstance(first.fragment, bytes)
    cdef int32_t stop = 0
    for item in fragments:
        part = item
        same = same and part.fragment is first.fragment and part.start == stop
        stop = part.stop
    if same:
        whole = new_lp_packet(first.fragment, stop, first.fields)
    else:
        wire = b"".join([
            bytes_of_part(<LpPacket>item) for item in fragments
        ])
        whole = new_lp_packet(wire, <int32_t>len(wire), first.fields)
    whole.nack_reason = first.nack_reason
    whole.acks = first.acks
    whole.carries_hops = first.carries_hops
    return whole


cdef bytes bytes_of_part(LpPacket packet):
    cdef bytes wire
    if packet.fragment is None:
        return b""
    wire = packet.fragment if isinstance(packet.fragment, bytes) else packet.fragment.to_wire()
    return wire[packet.start:packet.stop]


@cython.final
cdef class CongestionMarker:
    """Decides which packets carry a congestion mark, from the length of the send queue.

    The first mark comes when the queue has been above the threshold for one interval, the next
    ones at intervals that shrink with the square root of their number (NFD's variant of CoDel,
    RFC 8289).

    Parameters
    ----------
    threshold : int
        Bytes in the send queue.
    interval : int
        ns.
    """

    def __init__(self, int64_t threshold=MARKING_THRESHOLD, int64_t interval=MARKING_INTERVAL):
        self.threshold = threshold
        self.interval = interval
        self.next_mark = INT64_MAX

    cpdef bint observe(self, int64_t now, int64_t queued) noexcept:
        """Whether the packet sent at `now` (ns) behind `queued` bytes carries a mark."""
        if queued <= self.threshold:
            self.next_mark = INT64_MAX
            self.marked = 0
            return False
        if self.next_mark == INT64_MAX:
            self.next_mark = now + self.interval
            return False
        if now < self.next_mark:
            return False
        self.marked += 1
        self.next_mark += <int64_t>(self.interval / sqrt(<double>(self.marked + 1)))
        return True
