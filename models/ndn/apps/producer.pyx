"""Answers every Interest below a prefix."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.ndn.apps.application cimport NdnApplication, milliseconds_of, overrides
from simcore.models.ndn.data cimport Data, new_data
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.models.ndn.name cimport Name, name_from
from simcore.models.ndn.types cimport MAX_PACKET_SIZE
from simcore.models.network.node cimport Node
from simcore.trace.source cimport TraceSet, TraceSource


cdef class Producer(NdnApplication):
    """Answers every Interest below a prefix with Data of its name.

    The content is a number of zero bytes, which nobody stores. A subclass written in Python makes
    its own Data in `on_interest`.

    Parameters
    ----------
    node : Node
    prefix : Name or str
    payload_size : int
        Content of the Data, bytes.
    freshness : int or str
        FreshnessPeriod, whole milliseconds; 0 for none.
    postfix : Name or str
        Put behind the Interest's name; only Interests with CanBePrefix are answered then.
    cost : int
        Of the route to the application.
    start, stop : int or str, optional

    Raises
    ------
    ValueError
        When a parameter is out of range.

    Notes
    -----
    Trace sources: ``interest`` with (Interest), ``data`` with (Data).
    """

    cdef readonly Name prefix
    cdef readonly Name postfix             # or None
    cdef readonly int32_t payload_size     # bytes
    cdef readonly int64_t freshness_ms
    cdef readonly uint64_t cost
    cdef readonly int64_t interests        # that came
    cdef readonly int64_t answered
    cdef bint custom                       # a subclass has its own on_interest
    cdef TraceSource interest_trace
    cdef TraceSource data_trace

    def __init__(
        self, Node node not None, prefix, *, payload_size=1024, freshness=0, postfix="/", cost=0,
        start=None, stop=None,
    ):
        cdef TraceSet trace
        if not 0 <= payload_size < MAX_PACKET_SIZE:
            raise ValueError(
                f"payload_size is {payload_size} bytes: it must be 0 to {MAX_PACKET_SIZE - 1}"
            )
        if not 0 <= cost <= 0xFFFFFFFFFFFFFFFF:
            raise ValueError(f"cost is {cost}: it must be 0 to 2**64 - 1")
        self.prefix = name_from(prefix)
        self.postfix = name_from(postfix)
        if self.postfix.count == 0:
            self.postfix = None
        self.payload_size = payload_size
        self.freshness_ms = milliseconds_of(freshness, "freshness")
        self.cost = cost
        self.custom = overrides(self, Producer, "on_interest")
        trace = TraceSet(
            self, interest="(interest) an Interest came", data="(data) Data is sent"
        )
        self.trace = trace
        self.interest_trace = trace.source("interest")
        self.data_trace = trace.source("data")
        NdnApplication.__init__(self, node, start=start, stop=stop)

    cdef int begin(self) except -1:
        NdnApplication.begin(self)
        self.forwarder.add_route(self.prefix, self.face, self.cost)
        return 0

    cdef Data answer(self, Interest interest):
        cdef Name name = interest.name
        if self.postfix is not None:
            name = name + self.postfix
        return new_data(name, self.payload_size, self.freshness_ms)

    cdef int interest_arrived(self, Interest interest, LpFields fields) except -1:
        cdef Data data
        self.interests += 1
        if self.interest_trace.active:
            self.interest_trace.emit1(interest)
        data = self.on_interest(interest) if self.custom else self.answer(interest)
        if data is None:
            return 0
        self.answered += 1
        if self.data_trace.active:
            self.data_trace.emit1(data)
        return self.face.put(data, None)

    def on_interest(self, interest):
        """Data for an Interest, or None when there is none, or when `put` sends it later."""
        return self.answer(interest)
