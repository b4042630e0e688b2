"""Constant bit rate: datagrams at a fixed interval."""

from libc.stdint cimport int64_t

from simcore.models.apps.seq_ts cimport SEQ_TS_LENGTH
from simcore.models.apps.udp cimport UdpSource
from simcore.models.network.node cimport Node
from simcore.simulator cimport MAX_TIME, NativeTimer, TimerHandler, native_timer
from simcore.whole cimport MAX_NUMBER, whole

from simcore.units import parse_rate, parse_time


cdef int datagram_due(object owner) except -1:
    return (<Cbr>owner).send_next()


cdef class Cbr(UdpSource):
    """Sends a datagram at the start, and then one each interval.

    Parameters
    ----------
    node : Node
    destination : Ipv4Address, str or int
    port : int
    packet_size : int
        Payload (bytes).
    interval : int or str, optional
        Between the beginnings of two datagrams.
    rate : str or float, optional
        In place of the interval: of payload, such as ``"64kbps"``; a number is in bit/s.
    count : int
        Datagrams in all; 0 for no limit.
    start, stop, seq_ts, content
        See `UdpSource`.

    Raises
    ------
    ValueError
        When both or neither of interval and rate are given, or one is not positive.
    """

    cdef readonly int64_t interval         # ns
    cdef readonly int64_t count
    cdef NativeTimer timer

    def __init__(
        self, Node node not None, destination, port, packet_size=512, *, interval=None, rate=None,
        count=0, **rest,
    ):
        count = whole("count", count, MAX_NUMBER)
        if (interval is None) == (rate is None):
            raise ValueError("give one of interval and rate")
        if count < 0:
            raise ValueError(f"count is {count}: it must not be negative")
        if interval is not None:
            self.interval = parse_time(interval, "ns", "interval")
            if self.interval <= 0:
                raise ValueError(f"interval is {interval!r}: it must be positive")
        else:
            bits = parse_rate(rate, "rate")
            if not bits > 0:
                raise ValueError(f"rate is {rate!r}: it must be positive")
            if rest.get("content") is not None:
                packet_size = len(rest["content"]) + (SEQ_TS_LENGTH if rest.get("seq_ts") else 0)
            period = packet_size * 8e9 / bits
            # An interval beyond the range of simulated time could not be scheduled.
            if not 0.5 < period < MAX_TIME:
                raise ValueError(
                    f"rate is {rate!r}: datagrams of {packet_size} bytes would come every "
                    f"{period:g} ns, it must be from 1 ns to {MAX_TIME} ns"
                )
            self.interval = round(period)
        self.count = count
        # Last: it schedules the start, which must not happen to a half-made application.
        UdpSource.__init__(self, node, destination, port, packet_size, **rest)
        self.timer = native_timer(self.sim, <TimerHandler>datagram_due, self)

    cdef int begin(self) except -1:
        self.open_socket()
        return self.timer.arm(0)

    cdef int end(self) except -1:
        self.timer.disarm()
        return UdpSource.end(self)

    cdef int send_next(self) except -1:
        self.send_datagram()
        if self.count == 0 or self.sent < self.count:
            self.timer.arm(self.interval)
        return 0
