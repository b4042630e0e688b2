"""Which received packets are lost to errors that no model of a channel explains."""

from libc.math cimport expm1, log1p
from libc.stdint cimport int64_t

from simcore.models.network.packet cimport Packet
from simcore.random.stream cimport RandomStream


cdef class ErrorModel:
    """Base of error models; `enabled` turns one off without taking it away."""

    def __cinit__(self):
        self.enabled = True

    cdef bint corrupts(self, Packet packet) except -1:
        raise NotImplementedError(f"{type(self).__name__} does not override corrupts()")

    def is_corrupt(self, Packet packet not None):
        """Whether the next received packet is lost; each call is one reception."""
        return self.enabled and self.corrupts(packet)


cdef double probability(object value, str name) except -1:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} is {value}: it must be a probability from 0 to 1")
    return value


cdef class RateErrorModel(ErrorModel):
    """Independent errors at a given rate.

    A packet of n units survives with probability (1 - rate)^n.

    Parameters
    ----------
    rate : float
        Probability that one unit is in error.
    unit : {"byte", "bit", "packet"}
    stream : RandomStream
        One number is drawn for each packet.
    """

    def __init__(self, rate, unit="byte", *, RandomStream stream not None):
        if unit not in ("byte", "bit", "packet"):
            raise ValueError(f"unit is {unit!r}: it must be 'byte', 'bit' or 'packet'")
        self.rate = probability(rate, "rate")
        self.unit = unit
        self.bits_per_unit = {"byte": 8, "bit": 1, "packet": 0}[unit]
        self.stream = stream

    cdef bint corrupts(self, Packet packet) except -1:
        cdef double loss = self.rate
        cdef double units
        if self.bits_per_unit:
            units = 8.0 * packet.size / self.bits_per_unit
            # 1 - (1 - rate)^units without cancellation at small rates.
            loss = 1.0 if loss == 1.0 else -expm1(units * log1p(-loss))
        return self.stream.next_double() < loss


cdef class BurstErrorModel(ErrorModel):
    """Bursts: each packet may begin one, which takes it and those after it.

    Parameters
    ----------
    rate : float
        Probability that a packet begins a burst.
    smallest, largest : int
        The length of a burst is uniform from one to the other (packets, both included).
    stream : RandomStream
    """

    def __init__(
        self, rate, int64_t smallest=1, int64_t largest=4, *, RandomStream stream not None
    ):
        if not 1 <= smallest <= largest:
            raise ValueError(
                f"burst length is {smallest} to {largest} packets: "
                "it must be at least 1, and the smallest not above the largest"
            )
        self.rate = probability(rate, "rate")
        self.smallest = smallest
        self.largest = largest
        self.stream = stream

    cdef bint corrupts(self, Packet packet) except -1:
        # A packet inside a burst may begin another, as in ns-3.
        if self.stream.next_double() < self.rate:
            self.remaining = self.stream.integer_c(self.smallest, self.largest) - 1
            return True
        if self.remaining:
            self.remaining -= 1
            return True
        return False


cdef class ListErrorModel(ErrorModel):
    """Losses named one by one.

    Parameters
    ----------
    uids : iterable of int, optional
        Packets that are lost whenever they are received.
    positions : iterable of int, optional
        Receptions that fail, counted from 0.
    """

    def __init__(self, uids=(), positions=()):
        self.uids = frozenset(uids)
        self.positions = frozenset(positions)

    cdef bint corrupts(self, Packet packet) except -1:
        cdef int64_t position = self.seen
        self.seen += 1
        return packet.uid in self.uids or position in self.positions
