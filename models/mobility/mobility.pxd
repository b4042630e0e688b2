"""Where a node is: piecewise-linear movement, so that a position is arithmetic on C fields."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.simulator cimport Simulator
from simcore.trace.source cimport TraceSource


cdef class MobilityModel:
    cdef readonly Simulator sim
    # Position at `since`, and velocity from then on (m, m/s).
    cdef double x
    cdef double y
    cdef double z
    cdef double vx
    cdef double vy
    cdef double vz
    cdef int64_t since
    cdef bint moving               # any velocity is not zero
    cdef uint64_t epoch            # counts course changes: equal epochs of still nodes, same losses
    cdef readonly object trace     # TraceSet: course_change
    cdef TraceSource course_change  # emits this model after each course change
    cdef readonly int32_t node_id  # context of course changes; NO_CONTEXT until installed

    cdef void position_at(self, int64_t time, double* out) noexcept     # out[0..2]
    cdef int set_course(
        self, double x, double y, double z, double vx, double vy, double vz,
    ) except -1
    # Put the node elsewhere without a change of velocity.
    cdef int jump_to(self, double x, double y, double z) except -1


cdef class ConstantPosition(MobilityModel):
    pass


cdef double distance_between(MobilityModel a, MobilityModel b, int64_t time) noexcept
