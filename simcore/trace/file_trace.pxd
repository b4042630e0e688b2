"""What the traces that write one record per emission share."""

from simcore.simulator cimport Simulator
from simcore.trace.block_writer cimport BlockWriter
from simcore.trace.source cimport Traced, TraceSink, TraceSource


cdef class FileTrace:
    cdef readonly str path
    cdef readonly bint closed
    cdef BlockWriter out               # None for traces that write in another way
    cdef Simulator sim                 # whose clock the records show; None before the first attach
    cdef list connections              # (TraceSource, TraceSink)

    cdef int open(self, object file, object checksum) except -1
    cdef int connect(self, TraceSource source, TraceSink sink, object owner) except -1
    cdef int detach(self) except -1


cdef Simulator simulator_of(object owner)
cdef object sources_of(object device, str method)
cdef TraceSource check_source(object source)
cdef str text_of(TraceSource source, object emitted)
