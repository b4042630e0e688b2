"""On and off: constant bit rate during random on times, silence during random off times."""

from libc.math cimport isfinite, llrint
from libc.stdint cimport int64_t

from simcore.models.apps.seq_ts cimport SEQ_TS_LENGTH
from simcore.models.apps.udp cimport UdpSource
from simcore.models.network.node cimport Node
from simcore.random.distribution cimport Distribution
from simcore.simulator cimport MAX_TIME, NativeTimer, TimerHandler, native_timer
from simcore.trace.source cimport TraceSet, TraceSource
from simcore.whole cimport MAX_NUMBER, whole

from simcore.random import Constant, parse_distribution
from simcore.units import parse_rate


cdef int on_off_send(object owner) except -1:
    return (<OnOff>owner).send_next()


cdef int on_off_switch(object owner) except -1:
    return (<OnOff>owner).switch()


cdef class OnOff(UdpSource):
    """Sends at a constant rate while on, as ns-3's OnOffApplication.

    It starts with an off time. Each datagram goes out when enough bits for it have gathered at the
    rate since the last one, so that the first comes one packet interval after the beginning;
    bits gathered when an on time ends count towards the next.

    Parameters
    ----------
    node : Node
    destination : Ipv4Address, str or int
    port : int
    packet_size : int
        Payload (bytes).
    rate : str or float
        Of payload while on, such as ``"500kbps"``; a number is in bit/s.
    on_time, off_time : Distribution, str or float
        Lengths in seconds, such as ``"exponential(mean=0.5)"``. Those without a stream draw from
        one of this application's own.
    max_bytes : int
        Payload to be sent in all; 0 for no limit.
    start, stop, seq_ts, content
        See `UdpSource`.

    Notes
    -----
    Trace sources: ``tx`` with (payload), ``state`` with (on).
    """

    cdef readonly double rate              # bit/s
    cdef readonly int64_t max_bytes
    cdef readonly Distribution on_time
    cdef readonly Distribution off_time
    cdef readonly bint on
    cdef int64_t residual_bits             # gathered in earlier on times
    cdef int64_t gathering_since           # ns
    cdef NativeTimer send_timer
    cdef NativeTimer switch_timer
    cdef TraceSource state_trace

    def __init__(
        self, Node node not None, destination, port, packet_size=512, *, rate="500kbps",
        on_time=1.0, off_time=1.0, max_bytes=0, **rest,
    ):
        max_bytes = whole("max_bytes", max_bytes, MAX_NUMBER)
        self.rate = parse_rate(rate, "rate")
        if not self.rate > 0:
            raise ValueError(f"rate is {rate!r}: it must be positive")
        if max_bytes < 0:
            raise ValueError(f"max_bytes is {max_bytes}: it must not be negative")
        self.max_bytes = max_bytes
        if rest.get("content") is not None:
            packet_size = len(rest["content"]) + (SEQ_TS_LENGTH if rest.get("seq_ts") else 0)
        if packet_size < 1:
            raise ValueError(f"packet_size is {packet_size} bytes: it must be positive")
        period = packet_size * 8e9 / self.rate
        # An interval beyond the range of simulated time could not be scheduled.
        if not 0.5 < period < MAX_TIME:
            raise ValueError(
                f"rate is {rate!r}: datagrams of {packet_size} bytes would come every "
                f"{period:g} ns, it must be from 1 ns to {MAX_TIME} ns"
            )
        on_time = self.parsed(on_time)
        off_time = self.parsed(off_time)
        # Neither would let simulated time pass: the run would never end.
        if all(isinstance(time, Constant) and time.mean == 0 for time in (on_time, off_time)):
            raise ValueError("on_time and off_time are both 0: one must be positive")
        # After the checks: it schedules the start, which must not happen to a half-made one.
        UdpSource.__init__(self, node, destination, port, packet_size, **rest)
        self.on_time = self.bound(on_time, "on")
        self.off_time = self.bound(off_time, "off")
        self.state_trace = (<TraceSet>self.trace).source("state")
        self.send_timer = native_timer(self.sim, <TimerHandler>on_off_send, self)
        self.switch_timer = native_timer(self.sim, <TimerHandler>on_off_switch, self)

    def sources(self):
        return TraceSet(
            self, tx="(payload) a datagram is sent", state="(on) an on or off time begins"
        )

    def parsed(self, value):
        if isinstance(value, str):
            return parse_distribution(value)
        if isinstance(value, Distribution):
            return value
        return Constant(float(value))

    def bound(self, value, name):
        if value.stream is None:
            stream = self.sim.random.stream(f"apps/{self.node.id}/{self.index}/{name}")
            value = value.bind(stream)
        return value

    cdef int64_t draw(self, Distribution lengths, str name) except -1:
        cdef double seconds = lengths.draw_c()
        if not (isfinite(seconds) and 0.0 <= seconds < 9e9):
            raise ValueError(f"{name} drew {seconds} s: it must be from 0 to 9e9 s")
        return llrint(seconds * 1e9)

    cdef int begin(self) except -1:
        self.open_socket()
        self.on = False
        return self.switch_timer.arm(self.draw(self.off_time, "off_time"))

    cdef int end(self) except -1:
        self.gather()
        self.send_timer.disarm()
        self.switch_timer.disarm()
        return UdpSource.end(self)

    cdef int gather(self) except -1:
        """Keep the bits gathered since the last datagram."""
        if self.send_timer.slot >= 0:
            # The product of whole numbers is exact; a quotient first could lose a bit.
            self.residual_bits += <int64_t>(
                (self.sim.now_ns - self.gathering_since) * self.rate / 1e9
            )
        return 0

    cdef int switch(self) except -1:
        if self.on:
            self.gather()
            self.send_timer.disarm()
            self.on = False
            self.switch_timer.arm(self.draw(self.off_time, "off_time"))
        else:
            self.on = True
            self.gathering_since = self.sim.now_ns
            self.schedule_next()
            self.switch_timer.arm(self.draw(self.on_time, "on_time"))
        if self.state_trace.active:
            self.state_trace.emit1(self.on)
        return 0

    cdef int schedule_next(self) except -1:
        cdef int64_t bits = self.packet_size * 8 - self.residual_bits
        if self.max_bytes and self.sent_bytes >= self.max_bytes:
            # The rest of this on time is already scheduled; it changes nothing.
            return 0
        return self.send_timer.arm(llrint(max(bits, 0) / self.rate * 1e9))

    cdef int send_next(self) except -1:
        self.send_datagram()
        self.residual_bits = 0
        self.gathering_since = self.sim.now_ns
        return self.schedule_next()
