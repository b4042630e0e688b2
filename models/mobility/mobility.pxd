"""Where a node is: piecewise-linear movement, so that a position is arithmetic on C fields."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.simulator cimport NativeTimer, Simulator
from simcore.trace.source cimport TraceSource


cdef class MobilityState:
    """What bounds the movement of all nodes of a simulator since any moment."""
    cdef double fastest            # highest speed that any node has had (m/s)
    cdef double jumped             # sum of the lengths of all jumps (m)
    cdef int64_t models            # how many there are


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
    cdef readonly int32_t node_id  # context of course changes; NO_CONTEXT without a node
    cdef MobilityState state       # shared by the models of the simulator

    cdef void position_at(self, int64_t time, double* out) noexcept     # out[0..2]
    cdef int set_course(
        self, double x, double y, double z, double vx, double vy, double vz,
    ) except -1
    # Put the node elsewhere; models with a plan override it.
    cdef int jump_to(self, double x, double y, double z) except -1
    # Arm a timer in the node's context.
    cdef int appoint(self, NativeTimer timer, int64_t delay) except -1


cdef class ConstantPosition(MobilityModel):
    pass


cdef class ConstantVelocity(MobilityModel):
    pass


cdef double distance_between(MobilityModel a, MobilityModel b, int64_t time) noexcept
# Nanoseconds of `seconds`, rounded to nearest; MAX_TIME for what does not fit.
cdef int64_t nanoseconds(double seconds) noexcept
