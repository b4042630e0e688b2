"""Acknowledgements and retransmission of link packets (NDNLPv2 "Reliability").

The figures are NFD's: three retransmissions, 5 ms until acknowledgements travel alone, three
later acknowledgements as the sign of a loss, the retransmission timeout of RFC 6298.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.ndn.lp cimport ACK_TYPE, LpPacket, new_lp_packet
from simcore.models.ndn.rtt cimport RttEstimator
from simcore.models.ndn.tlv cimport element_size, var_size
from simcore.simulator cimport Simulator, TimerHandler, native_timer

from collections import deque

cdef enum:
    MAX_RETRANSMISSIONS = 3
    IDLE_ACK_DELAY = 5_000_000
    LOSS_THRESHOLD = 3
    NUMBER_SIZE = 8            # of an Ack
    MAX_PACKET = 8800          # ndn-cxx's MAX_NDN_PACKET_SIZE


cdef class LpSender:
    """What sends link packets."""

    cdef int send_link_packet(self, LpPacket packet) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not send")


@cython.final
cdef class SentPacket:
    """A network packet of which link packets are not acknowledged yet."""


@cython.final
cdef class UnackedFragment:
    """A link packet whose acknowledgement is awaited."""


cdef int timed_out(object owner) except -1:
    cdef UnackedFragment fragment = owner
    return fragment.reliability.lose(fragment)


cdef int idle_over(object owner) except -1:
    return (<Reliability>owner).answer_idle()


@cython.final
cdef class Reliability:
    """Retransmits what the other end of a link does not acknowledge.

    Each link packet has a TxSequence, which changes when it is sent again, and a Sequence, which
    does not. Acknowledgements ride on packets that are sent anyway, or on their own after a while.

    Parameters
    ----------
    sim : Simulator
    max_retransmissions : int
        Of a link packet; then the network packet is given up.
    idle_ack_delay : int
        ns.
    loss_threshold : int
        Acknowledgements of later link packets after which one counts as lost.

    Raises
    ------
    ValueError
        When a parameter is out of range.
    """

    def __init__(
        self, Simulator sim not None, *, int32_t max_retransmissions=MAX_RETRANSMISSIONS,
        int64_t idle_ack_delay=IDLE_ACK_DELAY, int32_t loss_threshold=LOSS_THRESHOLD,
    ):
        if max_retransmissions < 0:
            raise ValueError(
                f"max_retransmissions is {max_retransmissions}: it must not be negative"
            )
        if idle_ack_delay < 1:
            raise ValueError(f"idle_ack_delay is {idle_ack_delay} ns: it must be positive")
        if loss_threshold < 1:
            raise ValueError(f"loss_threshold is {loss_threshold}: it must be positive")
        self.sim = sim
        self.max_retransmissions = max_retransmissions
        self.idle_ack_delay = idle_ack_delay
        self.loss_threshold = loss_threshold
        self.rtt = RttEstimator()
        self.unacked = {}
        self.acks = []
        self.recent = set()
        self.recent_order = deque()
        self.idle_timer = native_timer(sim, <TimerHandler>idle_over, self)

    cdef int attach(self, LpSender sender) except -1:
        if self.sender is not None:
            raise ValueError("reliability belongs to a face already: each face needs its own")
        self.sender = sender
        return 0

    @property
    def outstanding(self):
        """Link packets that are not acknowledged yet."""
        return len(self.unacked)

    cdef int sending(self, list fragments, bint is_interest) except -1:
        """Give the link packets of a network packet their TxSequence, and await their fate."""
        cdef SentPacket whole = SentPacket.__new__(SentPacket)
        whole.unacknowledged = []
        whole.is_interest = is_interest
        for item in fragments:
            self.watch(<LpPacket>item, whole, 0)
        return 0

    cdef int watch(self, LpPacket packet, SentPacket whole, int32_t retransmissions) except -1:
        cdef UnackedFragment fragment = UnackedFragment.__new__(UnackedFragment)
        packet.tx_sequence = self.next_tx_sequence
        packet.has_tx_sequence = True
        self.next_tx_sequence += 1
        fragment.packet = packet
        fragment.whole = whole
        fragment.reliability = self
        fragment.sent_at = self.sim.now_ns
        fragment.retransmissions = retransmissions
        fragment.timer = native_timer(self.sim, <TimerHandler>timed_out, fragment)
        fragment.timer.arm(self.rtt.timeout)
        self.unacked[packet.tx_sequence] = fragment
        whole.unacknowledged.append(fragment)
        return 0

    cdef LpPacket with_acks(self, LpPacket packet, Py_ssize_t mtu):
        """The packet with as many acknowledgements as fit; itself when there is none."""
        cdef Py_ssize_t size, count
        if not self.acks:
            return packet
        # The LpPacket's length may grow by two bytes.
        size = packet.wire_size
        count = (mtu - size - var_size(MAX_PACKET) + var_size(size)) // element_size(
            ACK_TYPE, NUMBER_SIZE
        )
        if count <= 0:
            return packet
        packet = packet.copy()
        packet.acks = tuple(self.acks[:count])
        del self.acks[:count]
        return packet

    cdef bint received(self, LpPacket packet) except -1:
        """Take the acknowledgements of a packet; False when it has arrived before."""
        cdef UnackedFragment fragment, earlier
        cdef uint64_t sequence
        cdef list lost
        for ack in packet.acks:
            fragment = self.unacked.get(ack)
            if fragment is None:
                continue
            if fragment.retransmissions == 0:
                self.rtt.add_c(self.sim.now_ns - fragment.sent_at, 1)
            lost = []
            for sequence in range(self.first_unacked, fragment.packet.tx_sequence):
                earlier = self.unacked.get(sequence)
                if earlier is None:
                    continue
                earlier.overtaken += 1
                if earlier.overtaken >= self.loss_threshold:
                    lost.append(earlier)
            self.acknowledge(fragment)
            for item in lost:
                earlier = item
                # The loss of one may have ended others of the same network packet.
                if earlier.whole is not None:
                    self.lose(earlier)
        if packet.fragment is None or not packet.has_tx_sequence:
            return True
        self.acks.append(packet.tx_sequence)
        if not self.idle_armed:
            self.idle_armed = True
            self.idle_timer.arm(self.idle_ack_delay)
        return self.is_new(packet)

    cdef bint is_new(self, LpPacket packet) except -1:
        # NFD remembers for one timeout, and so takes the second retransmission of a packet whose
        # acknowledgement was lost for a new one; here as long as the other side may send it again.
        cdef int64_t oldest = (
            self.sim.now_ns - (min(self.max_retransmissions, 1000) + 1) * self.rtt.timeout
        )
        cdef bint again
        if not packet.has_sequence:
            return True
        while self.recent_order and <int64_t>self.recent_order[0][1] < oldest:
            self.recent.discard(self.recent_order.popleft()[0])
        again = packet.sequence in self.recent
        if again:
            self.duplicates += 1
            return False
        self.recent.add(packet.sequence)
        self.recent_order.append((packet.sequence, self.sim.now_ns))
        return True

    cdef int acknowledge(self, UnackedFragment fragment) except -1:
        cdef SentPacket whole = fragment.whole
        self.forget(fragment)
        whole.unacknowledged.remove(fragment)
        if not whole.unacknowledged:
            if whole.retransmitted:
                self.retransmitted += 1
            else:
                self.acknowledged += 1
        return 0

    cdef int lose(self, UnackedFragment fragment) except -1:
        """A link packet is lost: send it again, or give the network packet up."""
        cdef SentPacket whole = fragment.whole
        cdef LpPacket packet
        if fragment.retransmissions >= self.max_retransmissions:
            self.exhausted += 1
            self.dropped_interests += whole.is_interest
            for item in whole.unacknowledged:
                self.forget(<UnackedFragment>item)
            whole.unacknowledged = []
            return 0
        whole.retransmitted = True
        self.retransmissions += 1
        packet = fragment.packet.copy()
        self.forget(fragment)
        whole.unacknowledged.remove(fragment)
        self.watch(packet, whole, fragment.retransmissions + 1)
        return self.sender.send_link_packet(packet)

    cdef int forget(self, UnackedFragment fragment) except -1:
        del self.unacked[fragment.packet.tx_sequence]
        while (
            self.first_unacked < self.next_tx_sequence
            and self.first_unacked not in self.unacked
        ):
            self.first_unacked += 1
        fragment.timer.disarm()
        fragment.timer.owner = None
        fragment.timer = None
        fragment.whole = None
        fragment.reliability = None
        return 0

    cdef int answer_idle(self) except -1:
        """Acknowledge by packets of their own what no other packet has acknowledged."""
        self.idle_armed = False
        while self.acks:
            self.sender.send_link_packet(new_lp_packet(None, 0, None))
        return 0
