"""Base of consumers that ask for a prefix and sequence numbers behind it."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from simcore.models.ndn.apps.application cimport NdnApplication, milliseconds_of, overrides
from simcore.models.ndn.apps.outstanding cimport Outstanding, Pending
from simcore.models.ndn.component cimport SEQUENCE
from simcore.models.ndn.data cimport NO_CONTENT, Data
from simcore.models.ndn.interest cimport Interest, new_interest_with
from simcore.models.ndn.lp cimport LpFields
from simcore.models.ndn.name cimport Name, name_from
from simcore.models.ndn.rtt cimport RttEstimator
from simcore.models.network.node cimport Node
from simcore.simulator cimport TimerHandler, native_timer
from simcore.trace.source cimport TraceSet

cdef int64_t MAX_NONCE = 0xFFFFFFFF


cdef int timeout_due(object owner) except -1:
    return (<Consumer>owner).check_timeouts()


cdef int sending_due(object owner) except -1:
    return (<Consumer>owner).send_due()


cdef class Consumer(NdnApplication):
    """Base of consumers of ``<prefix>/seq=<number>``, with retransmissions.

    An Interest without Data within the retransmission timeout (RFC 6298, from the round-trip times
    of Interests that were sent once) is sent again with another nonce, ahead of new ones; the
    timeout doubles at most once for the Interests of a round trip. A Nack is counted, and the
    Interest sent again when its time is over.

    Parameters
    ----------
    node : Node
    prefix : Name or str
    lifetime : int or str
        Of Interests; whole milliseconds.
    count : int
        New Interests in all; 0 for no limit.
    first_sequence : int
    can_be_prefix, must_be_fresh : bool
    hop_limit : int, optional
    retransmit : bool
        When False, Interests are given up after their lifetime.
    start, stop : int or str, optional

    Raises
    ------
    ValueError
        When a parameter is out of range.

    Notes
    -----
    Trace sources: ``interest`` with (Interest); ``data`` with (sequence number, (ns since the last
    sending, ns since the first, number of sendings, hops of the Data), Data); ``nack`` with
    (Interest, reason); ``timeout`` with (sequence number).

    Subclasses in Python override `on_data`, `on_nack` or `on_timeout`; those that decide themselves
    when to send call `send_next`.
    """

    def __init__(
        self, Node node not None, prefix, *, lifetime="2s", count=0, first_sequence=0,
        bint can_be_prefix=False, bint must_be_fresh=False, hop_limit=None, bint retransmit=True,
        start=None, stop=None,
    ):
        cdef TraceSet trace
        if not 0 <= count < 1 << 62:
            raise ValueError(f"count is {count}: it must be 0 to 2**62 - 1")
        if not 0 <= first_sequence < 1 << 62:
            raise ValueError(f"first_sequence is {first_sequence}: it must be 0 to 2**62 - 1")
        if hop_limit is not None and not 0 <= hop_limit <= 255:
            raise ValueError(f"hop_limit is {hop_limit}: it must be 0 to 255")
        self.prefix = name_from(prefix)
        self.lifetime_ms = milliseconds_of(lifetime, "lifetime")
        if self.lifetime_ms == 0:
            raise ValueError("lifetime is 0: it must be positive")
        self.count = count
        self.next_sequence = first_sequence
        self.can_be_prefix = can_be_prefix
        self.must_be_fresh = must_be_fresh
        self.hop_limit = -1 if hop_limit is None else hop_limit
        self.retransmit = retransmit
        self.rtt = RttEstimator()
        self.outstanding = Outstanding()
        self.backed_off = -1
        self.wants_data = overrides(self, NdnApplication, "on_data")
        self.wants_nack = overrides(self, NdnApplication, "on_nack")
        self.wants_timeout = overrides(self, Consumer, "on_timeout")
        trace = self.sources()
        self.trace = trace
        self.interest_trace = trace.source("interest")
        self.data_trace = trace.source("data")
        self.nack_trace = trace.source("nack")
        self.timeout_trace = trace.source("timeout")
        self.timeout_timer = native_timer(node.sim, <TimerHandler>timeout_due, self)
        self.send_timer = native_timer(node.sim, <TimerHandler>sending_due, self)
        # Last: it schedules the start, which must not happen to a half-made application.
        NdnApplication.__init__(self, node, start=start, stop=stop)

    def sources(self):
        return TraceSet(
            self,
            interest="(interest) an Interest is sent",
            data="(sequence, (last_ns, full_ns, transmissions, hops), data) Data came",
            nack="(interest, reason) a Nack came",
            timeout="(sequence) no Data came within the timeout",
        )

    cdef int begin(self) except -1:
        NdnApplication.begin(self)
        return self.send_timer.arm(0)

    cdef int end(self) except -1:
        self.send_timer.disarm()
        self.timeout_timer.disarm()
        return NdnApplication.end(self)

    cdef int64_t take_sequence(self) noexcept:
        if self.count and self.asked >= self.count:
            return -1
        self.next_sequence += 1
        return self.next_sequence - 1

    cdef int send_due(self) except -1:
        return self.work_waits()

    cdef int work_waits(self) except -1:
        while self.outstanding.due:
            self.send_one()
        return 0

    def send_next(self):
        """Send the Interest that is due again, or else the next new one.

        For subclasses in Python that decide when: directly of `Consumer`, which sends nothing new
        by itself.

        Returns
        -------
        bool
            False when there is none: all `count` were asked for.

        Raises
        ------
        RuntimeError
            When the application does not run.
        """
        self.check_running()
        return self.send_one()

    cdef int note_data(self, int64_t sequence, bint marked) except -1:
        return 0

    cdef int note_timeout(self, int64_t sequence) except -1:
        return 0

    cdef bint send_one(self) except -1:
        """Send a retransmission that is due, or else a new Interest."""
        cdef int32_t i = self.outstanding.first_due
        cdef int64_t sequence
        if i >= 0:
            sequence = self.outstanding.slots[i].sequence
            self.outstanding.sent_again(i, self.sim.now_ns)
            self.retransmitted += 1
        else:
            sequence = self.take_sequence()
            if sequence < 0:
                return False
            self.asked += 1
            i = self.outstanding.find(sequence)
            if i >= 0:
                self.outstanding.sent_again(i, self.sim.now_ns)
            else:
                self.outstanding.add(sequence, self.sim.now_ns)
        if self.timeout_timer.slot < 0:
            self.timeout_timer.arm(self.timeout())
        self.transmit(sequence)
        return True

    cdef int transmit(self, int64_t sequence) except -1:
        cdef Interest interest = new_interest_with(
            self.prefix.append_sequence(sequence),
            <uint32_t>self.nonces.integer_c(0, MAX_NONCE), self.lifetime_ms,
            self.can_be_prefix, self.must_be_fresh, self.hop_limit,
        )
        self.sent += 1
        if self.interest_trace.active:
            self.interest_trace.emit1(interest)
        return self.face.express(interest, None)

    cdef int64_t timeout(self) noexcept:
        """Of Interests that are sent now, ns."""
        return self.rtt.timeout if self.retransmit else self.lifetime_ms * 1000000

    cdef int check_timeouts(self) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef int64_t timeout = self.timeout()
        cdef int32_t i = self.outstanding.first_sent
        cdef int64_t sequence
        cdef bint any = False
        while i >= 0 and self.outstanding.slots[i].last_sent + timeout <= now:
            any = True
            sequence = self.outstanding.slots[i].sequence
            self.timeouts += 1
            # As TCP's one timer does (RFC 6298 5.5): what was under way already says nothing new.
            if self.outstanding.slots[i].last_sent >= self.backed_off:
                self.backed_off = now
                self.rtt.back_off()
            if self.retransmit:
                self.outstanding.make_due(i)
            else:
                self.lost += 1
                self.outstanding.remove(i)
            if self.timeout_trace.active:
                self.timeout_trace.emit1(sequence)
            self.note_timeout(sequence)
            if self.wants_timeout:
                self.on_timeout(sequence)
                if not self.running:
                    return 0
            i = self.outstanding.first_sent
        self.watch()
        return self.work_waits() if any else 0

    cdef int watch(self) except -1:
        """Have the timer fire when the oldest Interest's time is over, or earlier."""
        cdef int32_t i = self.outstanding.first_sent
        cdef int64_t end
        if i < 0:
            self.timeout_timer.disarm()
            return 0
        end = self.outstanding.slots[i].last_sent + self.timeout()
        if self.timeout_timer.slot < 0 or end < self.timeout_timer.time_ns:
            self.timeout_timer.arm(max(end - self.sim.now_ns, 0))
        return 0

    cdef int64_t sequence_of(self, Name name) noexcept:
        """Number behind the prefix, or -1."""
        cdef int n = self.prefix.count
        cdef const uint8_t* p
        cdef int64_t number = 0
        cdef int i
        if name.count <= n or not name.has_prefix(self.prefix):
            return -1
        p = name.data() + name.offset[n]
        if p[0] != SEQUENCE or not 1 <= p[1] <= 8:
            return -1
        for i in range(p[1]):
            number = number << 8 | p[2 + i]
        return number

    cdef int data_arrived(self, Data data, LpFields fields) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef int64_t sequence = self.sequence_of(data.name)
        cdef int32_t i = self.outstanding.find(sequence) if sequence >= 0 else -1
        cdef Pending pending
        cdef int hops = 0 if fields is None else fields.hop_count
        if i < 0:
            # Of an Interest of the subclass's own, or one that had its answer.
            if sequence >= 0:
                self.duplicates += 1
            if self.wants_data:
                self.on_data(data)
            return 0
        pending = self.outstanding.slots[i]
        self.outstanding.remove(i)
        self.received += 1
        self.total_hops += hops
        self.total_delay += now - pending.first_sent
        if now - pending.first_sent > self.max_delay:
            self.max_delay = now - pending.first_sent
        if data.content_size != NO_CONTENT:
            self.received_bytes += data.content_size
        # RFC 6298 3 (Karn): of Interests that were sent twice nobody knows which was answered.
        if pending.transmissions == 1:
            self.rtt.add_c(now - pending.first_sent, <int>((self.outstanding.sent + 2) >> 1))
        self.watch()
        if self.data_trace.active:
            self.data_trace.emit3(
                sequence,
                (now - pending.last_sent, now - pending.first_sent, pending.transmissions, hops),
                data,
            )
        self.note_data(sequence, fields is not None and fields.congestion_mark != 0)
        if self.wants_data:
            self.on_data(data)
            if not self.running:
                return 0
        return self.work_waits()

    cdef int nack_arrived(self, Interest interest, int reason, LpFields fields) except -1:
        self.nacks += 1
        if self.nack_trace.active:
            self.nack_trace.emit2(interest, reason)
        if self.wants_nack:
            self.on_nack(interest, reason)
        return 0

    def on_timeout(self, sequence):
        """An Interest had no answer in time; it is sent again, unless that is switched off."""

    @property
    def mean_delay(self):
        """From the first sending of an Interest to its Data, ns; None before the first."""
        return self.total_delay / self.received if self.received else None

    @property
    def mean_hops(self):
        """Links that Data crossed, where faces count them; None before the first."""
        return self.total_hops / self.received if self.received else None
