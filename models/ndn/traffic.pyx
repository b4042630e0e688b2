"""Clients and servers like those of ndn-traffic-generator, each the far end of a router's face."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport llround
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from simcore.models.ndn.component cimport SEQUENCE
from simcore.models.ndn.data cimport Data, new_data
from simcore.models.ndn.face cimport Face
from simcore.models.ndn.interest cimport Interest, new_interest
from simcore.models.ndn.lp cimport LpFields
from simcore.models.ndn.name cimport Name, name_from
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport Event, Simulator, native_timer
from simcore.stats.histogram cimport HdrHistogram

cdef enum:
    ANSWERED = -1              # in place of a time
    NO_ANSWER = -1             # in place of a size
    FIRST_ROOM = 16
    NS_PER_MS = 1000000

cdef int64_t MAX_NONCE = 0xFFFFFFFF
cdef int64_t MAX_DELAY = 1_000_000_000_000


cdef int64_t delay_from(object delay) except -1:
    if not 0 <= delay <= MAX_DELAY:
        raise ValueError(f"delay is {delay} ns: it must be from 0 to {MAX_DELAY}")
    return delay


@cython.final
cdef class TrafficLog:
    """Counts of clients and servers, and the latency of all exchanges."""

    def __cinit__(self):
        self.latency = HdrHistogram(3)


@cython.final
cdef class TrafficClientFace(Face):
    """Face of a router to a client that asks for one new name after another.

    The names are the prefix and a sequence number. The link delays each packet; the client's
    timeout of an Interest is its lifetime.

    Parameters
    ----------
    sim : Simulator
    log : TrafficLog
        Where this client counts.
    prefix : Name or str
    interval : float
        Time between two Interests, ns; the mean when `gaps` is given.
    start, stop : int
        Time of the first Interest, and when none is sent any more, ns.
    delay : int
        Of the link, ns.
    lifetime : int
        Of Interests, ns, whole milliseconds.
    must_be_fresh : bool
    nonces : RandomStream
    gaps : RandomStream, optional
        Intervals are then exponential.

    Raises
    ------
    ValueError
        When a parameter is out of range.
    """

    def __cinit__(self):
        self.sent_at = NULL

    def __init__(
        self, Simulator sim not None, TrafficLog log not None, prefix, *, double interval,
        int64_t start=0, int64_t stop, delay=0, lifetime=4_000_000_000, bint must_be_fresh=True,
        RandomStream nonces not None, RandomStream gaps=None,
    ):
        if self.sent_at != NULL:
            raise RuntimeError("this TrafficClientFace was initialised before: make another one")
        if not 1 <= interval <= 1e18:
            raise ValueError(f"interval is {interval} ns: it must be from 1 to 1e18")
        if start < 0:
            raise ValueError(f"start is {start} ns: it must not be negative")
        if lifetime < NS_PER_MS or lifetime % NS_PER_MS or lifetime > 1000 * MAX_DELAY:
            raise ValueError(
                f"lifetime is {lifetime} ns: it must be whole milliseconds, from 1 to 1e9"
            )
        Face.__init__(self, description=f"client of {prefix}")
        self.delay = delay_from(delay)
        self.sim = sim
        self.log = log
        self.prefix = name_from(prefix)
        self.interval = interval
        self.start = self.due = <double>start
        self.stop = stop
        self.lifetime_ms = lifetime // NS_PER_MS
        self.must_be_fresh = must_be_fresh
        self.nonces = nonces
        self.gaps = gaps
        self.sent_at = <int64_t*>PyMem_Malloc(FIRST_ROOM * sizeof(int64_t))
        if self.sent_at == NULL:
            raise MemoryError
        self.mask = FIRST_ROOM - 1
        self.timer = native_timer(sim, timer_fired, self)
        self.arm()

    def __dealloc__(self):
        PyMem_Free(self.sent_at)

    cdef int arm(self) except -1:
        """Appoint the arrival of the next Interest at the router, or the last timeout."""
        cdef int64_t sent = llround(self.due)
        if sent < self.stop:
            return self.timer.arm(sent + self.delay - self.sim.now_ns)
        self.stopped = True
        if self.waiting == 0:
            return 0
        sent = self.sent_at[(self.next_number - 1) & self.mask]
        if sent == ANSWERED:
            sent = self.sim.now_ns
        # A link may be slower than the lifetime: the Interest has timed out before it arrives.
        return self.timer.arm(
            max(0, sent + self.lifetime_ms * NS_PER_MS - self.sim.now_ns)
        )

    cdef int emit(self) except -1:
        """An Interest that was sent a link's delay ago reaches the router."""
        cdef uint64_t number = self.next_number
        cdef int64_t sent = self.sim.now_ns - self.delay
        cdef Interest interest
        self.end_lifetimes(self.sim.now_ns)
        if number - self.oldest > self.mask:
            self.grow()
        self.sent_at[number & self.mask] = sent
        self.next_number += 1
        self.waiting += 1
        self.log.sent += 1
        if self.gaps is not None:
            self.due += self.gaps.exponential_c(self.interval)
        else:
            # From the first one, so that roundings do not add up.
            self.due = self.start + self.interval * self.next_number
        interest = new_interest(
            self.prefix.append_sequence(number),
            <uint32_t>self.nonces.integer_c(0, MAX_NONCE), self.lifetime_ms,
        )
        if self.must_be_fresh:
            interest.must_be_fresh = True
            interest.size += 2
        self.deliver_interest(interest, None)
        return self.arm()

    cdef int grow(self) except -1:
        cdef uint64_t mask = 2 * self.mask + 1
        cdef uint64_t number
        cdef int64_t* sent_at = <int64_t*>PyMem_Malloc((mask + 1) * sizeof(int64_t))
        if sent_at == NULL:
            raise MemoryError
        for number in range(self.oldest, self.next_number):
            sent_at[number & mask] = self.sent_at[number & self.mask]
        PyMem_Free(self.sent_at)
        self.sent_at = sent_at
        self.mask = mask
        return 0

    cdef void end_lifetimes(self, int64_t now) noexcept:
        cdef int64_t since = now - self.lifetime_ms * NS_PER_MS
        cdef int64_t sent
        while self.oldest != self.next_number:
            sent = self.sent_at[self.oldest & self.mask]
            if sent != ANSWERED:
                if sent > since:
                    return
                self.waiting -= 1
                self.log.timeouts += 1
            self.oldest += 1

    cdef int64_t take(self, Name name) noexcept:
        """When the Interest for a name was sent, which is now answered; ANSWERED if none waits."""
        cdef int n = self.prefix.count
        cdef const uint8_t* p
        cdef uint64_t number = 0
        cdef int64_t sent
        cdef int i
        if name.count != n + 1 or name.hash[n] != self.prefix.hash[n]:
            return ANSWERED
        p = name.data() + name.offset[n]
        if p[0] != SEQUENCE or p[1] > 8:
            return ANSWERED
        for i in range(p[1]):
            number = number << 8 | p[2 + i]
        if number - self.oldest >= self.next_number - self.oldest:
            return ANSWERED
        sent = self.sent_at[number & self.mask]
        if sent == ANSWERED:
            return ANSWERED
        self.sent_at[number & self.mask] = ANSWERED
        self.waiting -= 1
        if self.stopped and self.waiting == 0:
            self.timer.disarm()
        return sent

    cpdef int send_interest(self, Interest interest, LpFields fields) except -1:
        """Lose an Interest: the client serves nothing."""
        return 0

    cpdef int send_data(self, Data data, LpFields fields) except -1:
        """Take Data, which reaches the client after the link's delay."""
        cdef int64_t now = self.sim.now_ns + self.delay
        cdef int64_t sent
        self.end_lifetimes(now)
        sent = self.take(data.name)
        if sent == ANSWERED:
            self.log.unexpected += 1
            return 0
        self.log.received += 1
        return self.log.latency.record(now - sent, 1)

    cpdef int send_nack(self, Interest interest, int reason, LpFields fields) except -1:
        """Take a Nack; the client does not ask again."""
        self.end_lifetimes(self.sim.now_ns + self.delay)
        if self.take(interest.name) == ANSWERED:
            self.log.unexpected += 1
        else:
            self.log.nacks += 1
        return 0


cdef int timer_fired(object owner) except -1:
    cdef TrafficClientFace face = <TrafficClientFace>owner
    if face.stopped:
        face.end_lifetimes(face.sim.now_ns)
        return 0
    return face.emit()


@cython.final
cdef class Reply(Event):
    """Data of a server reaches the router."""

    cdef int fire(self) except -1:
        return self.face.deliver_data(self.data, None)


@cython.final
cdef class TrafficServerFace(Face):
    """Face of a router to a server that answers every Interest at once, or none.

    Parameters
    ----------
    sim : Simulator
    log : TrafficLog
        Where this server counts.
    payload : int, optional
        Bytes of content of each Data; None: the server does not answer.
    freshness : int
        FreshnessPeriod of the Data, ns, whole milliseconds.
    delay : int
        Of the link, ns.

    Raises
    ------
    ValueError
        When a parameter is out of range.
    """

    def __init__(
        self, Simulator sim not None, TrafficLog log not None, *, payload=None, freshness=0,
        delay=0,
    ):
        if payload is not None and not 0 <= payload <= 8000:
            raise ValueError(f"payload is {payload} B: it must be 0 to 8000")
        if freshness < 0 or freshness % NS_PER_MS or freshness > 1000 * MAX_DELAY:
            raise ValueError(f"freshness is {freshness} ns: it must be whole ms, from 0 to 1e9")
        Face.__init__(self, description="server")
        self.sim = sim
        self.log = log
        self.payload = NO_ANSWER if payload is None else payload
        self.freshness_ms = freshness // NS_PER_MS
        self.delay = delay_from(delay)

    cpdef int send_interest(self, Interest interest, LpFields fields) except -1:
        """Answer an Interest, which reaches the server after the link's delay."""
        cdef Reply reply
        self.log.served += 1
        if self.payload == NO_ANSWER:
            return 0
        reply = Reply.__new__(Reply)
        reply.face = self
        reply.data = new_data(interest.name, self.payload, self.freshness_ms)
        return self.sim.schedule_event(2 * self.delay, reply)

    cpdef int send_data(self, Data data, LpFields fields) except -1:
        """Count Data: the server asks for none."""
        self.log.unexpected += 1
        return 0

    cpdef int send_nack(self, Interest interest, int reason, LpFields fields) except -1:
        """Count a Nack: the server asks for nothing."""
        self.log.unexpected += 1
        return 0
