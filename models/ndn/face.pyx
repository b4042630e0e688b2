"""Faces: where a forwarder's packets come in and go out."""

from enum import IntEnum

cimport cython

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields


class LinkType(IntEnum):
    """How many others a face reaches, and whether they all hear each other."""

    POINT_TO_POINT = 0
    MULTI_ACCESS = 1
    AD_HOC = 2


cdef class PacketSink:
    """What faces deliver to; a forwarder or an application."""

    cdef int receive_interest(self, Face face, Interest interest, LpFields fields) except -1:
        raise NotImplementedError(f"{type(self).__name__} takes no Interests")

    cdef int receive_data(self, Face face, Data data, LpFields fields) except -1:
        raise NotImplementedError(f"{type(self).__name__} takes no Data")

    cdef int receive_nack(
        self, Face face, Interest interest, int reason, LpFields fields
    ) except -1:
        raise NotImplementedError(f"{type(self).__name__} takes no Nacks")


@cython.final
cdef class FaceCounters:
    """Network packets that crossed a face, their bytes, and Interests dropped by HopLimit."""

    @property
    def in_bytes(self):
        """Bytes of all packets that came in."""
        return self.in_interest_bytes + self.in_data_bytes + self.in_nack_bytes

    @property
    def out_bytes(self):
        """Bytes of all packets that went out."""
        return self.out_interest_bytes + self.out_data_bytes + self.out_nack_bytes

    def as_dict(self):
        """Counters by name."""
        return {
            "in_interests": self.in_interests,
            "out_interests": self.out_interests,
            "in_data": self.in_data,
            "out_data": self.out_data,
            "in_nacks": self.in_nacks,
            "out_nacks": self.out_nacks,
            "in_bytes": self.in_bytes,
            "out_bytes": self.out_bytes,
            "in_hop_limit_zero": self.in_hop_limit_zero,
            "out_hop_limit_zero": self.out_hop_limit_zero,
        }


cdef class Face:
    """One face of a forwarder.

    A subclass sends by overriding `send_interest`, `send_data` and `send_nack`; what arrives it
    hands over with `receive_interest`, `receive_data` and `receive_nack`.

    Parameters
    ----------
    is_local : bool
        Whether the other side is an application on the same node.
    link_type : LinkType
    description : str
    """

    def __init__(self, *, bint is_local=False, int link_type=POINT_TO_POINT, str description=""):
        if not POINT_TO_POINT <= link_type <= AD_HOC:
            raise ValueError(f"link_type is {link_type}: it must be a LinkType")
        self.is_local = is_local
        self.link_type = link_type
        self.description = description
        self.counters = FaceCounters.__new__(FaceCounters)

    cpdef int send_interest(self, Interest interest, LpFields fields) except -1:
        """Send an Interest to the other side."""
        raise NotImplementedError(f"{type(self).__name__} does not send")

    cpdef int send_data(self, Data data, LpFields fields) except -1:
        """Send Data to the other side."""
        raise NotImplementedError(f"{type(self).__name__} does not send")

    cpdef int send_nack(self, Interest interest, int reason, LpFields fields) except -1:
        """Send a Nack of an Interest to the other side."""
        raise NotImplementedError(f"{type(self).__name__} does not send")

    cdef int deliver_interest(self, Interest interest, LpFields fields) except -1:
        self.counters.in_interests += 1
        self.counters.in_interest_bytes += interest.size
        if self.is_open:
            self.sink.receive_interest(self, interest, fields)
        return 0

    cdef int deliver_data(self, Data data, LpFields fields) except -1:
        self.counters.in_data += 1
        self.counters.in_data_bytes += data.size
        if self.is_open:
            self.sink.receive_data(self, data, fields)
        return 0

    cdef int deliver_nack(self, Interest interest, int reason, LpFields fields) except -1:
        self.counters.in_nacks += 1
        self.counters.in_nack_bytes += interest.size
        if self.is_open:
            self.sink.receive_nack(self, interest, reason, fields)
        return 0

    def receive_interest(self, Interest interest not None, LpFields fields=None):
        """Take an Interest that arrived from the other side."""
        self.deliver_interest(interest, fields)

    def receive_data(self, Data data not None, LpFields fields=None):
        """Take Data that arrived from the other side."""
        self.deliver_data(data, fields)

    def receive_nack(self, Interest interest not None, int reason, LpFields fields=None):
        """Take a Nack that arrived from the other side."""
        self.deliver_nack(interest, reason, fields)

    def __repr__(self):
        return f"<{type(self).__name__} {self.id} {self.description}>"
