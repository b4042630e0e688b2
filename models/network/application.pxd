"""What runs on a node from a start to a stop time."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.network.node cimport Node
from simcore.simulator cimport Simulator


cdef class Application:
    cdef readonly Node node
    cdef readonly int32_t index            # position among the node's applications
    cdef readonly int64_t start_time       # ns
    cdef readonly int64_t stop_time        # ns, or the end of time
    cdef readonly bint running
    cdef readonly object trace             # TraceSet
    cdef Simulator sim
    cdef object __weakref__

    cdef int begin(self) except -1         # at the start time
    cdef int end(self) except -1           # at the stop time
