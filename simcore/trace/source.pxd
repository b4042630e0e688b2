"""Trace sources: named points of a model where listeners attach.

A model tests one C int before it spends anything on a trace:

    if self.tx_trace.active:
        self.tx_trace.emit1(ppdu)

and, where further arguments have to be computed,

    if self.rx_trace.active:
        if self.rx_trace.details:
            self.rx_trace.emit3(ppdu, snr_db, power_dbm)
        else:
            self.rx_trace.emit1(ppdu)
"""


cdef class TraceSink:
    """A compiled listener (a trace writer)."""
    cdef bint first_only           # it looks at the first argument of an emission and no other

    cdef int notify(self, TraceSource source, object a, object b, object c) except -1


cdef class TraceSource:
    cdef readonly bint active      # someone listens
    cdef readonly bint details     # and to more than the first argument
    cdef readonly str name         # "tx"
    cdef readonly str doc          # meaning of the arguments, with units
    cdef readonly object owner     # the model that emits
    cdef list callbacks            # Python callables, in the order of connection
    cdef list sinks                # TraceSink, in the order of connection
    cdef TraceSink single          # the only listener, when it is a TraceSink

    cdef int look_at_listeners(self) except -1
    cdef int emit0(self) except -1
    cdef int emit1(self, object a) except -1
    cdef int emit2(self, object a, object b) except -1
    cdef int emit3(self, object a, object b, object c) except -1


cdef class Traced:
    """What a text trace can ask for its text without a call through Python."""
    cpdef str text(self)


cdef class TraceSet:
    """The `trace` attribute of a model: its sources by name, also as attributes."""
    cdef dict sources

    cdef TraceSource source(self, str name)
