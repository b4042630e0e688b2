"""The base of all movement, and the node that stays where it is."""

from libc.math cimport isfinite, sqrt
from libc.stdint cimport int64_t

from simcore.simulator cimport NO_CONTEXT, Simulator
from simcore.trace.source cimport TraceSet

from simcore.models.mobility.checks import invalid, vector


cdef class MobilityModel:
    """Position and velocity of a node; between course changes it moves in a straight line.

    Parameters
    ----------
    sim : Simulator
    position : tuple of float
        (x, y) or (x, y, z) in m.

    Raises
    ------
    ValueError
        If a coordinate is NaN or infinite.
    """

    def __init__(self, Simulator sim not None, position=(0.0, 0.0, 0.0)):
        self.sim = sim
        self.x, self.y, self.z = vector("position", position, "m")
        self.since = sim.now_ns

    def __cinit__(self, *args, **kwargs):
        self.node_id = NO_CONTEXT
        self.trace = TraceSet(self, course_change="the model, already on its new course")
        self.course_change = (<TraceSet>self.trace).source("course_change")

    cdef void position_at(self, int64_t time, double* out) noexcept:
        """Where the node is at `time` if its course does not change before; fills out[0..2]."""
        cdef double elapsed
        if not self.moving:
            out[0] = self.x
            out[1] = self.y
            out[2] = self.z
            return
        elapsed = (time - self.since) / 1e9
        out[0] = self.x + self.vx * elapsed
        out[1] = self.y + self.vy * elapsed
        out[2] = self.z + self.vz * elapsed

    cdef int set_course(
        self, double x, double y, double z, double vx, double vy, double vz,
    ) except -1:
        """Be at (x, y, z) now and go on with velocity (vx, vy, vz); tells the trace."""
        if not (isfinite(x) and isfinite(y) and isfinite(z)):
            raise invalid("position", (x, y, z), "finite numbers of m")
        if not (isfinite(vx) and isfinite(vy) and isfinite(vz)):
            raise invalid("velocity", (vx, vy, vz), "finite numbers of m/s")
        self.x = x
        self.y = y
        self.z = z
        self.vx = vx
        self.vy = vy
        self.vz = vz
        self.since = self.sim.now_ns
        self.moving = vx != 0.0 or vy != 0.0 or vz != 0.0
        self.epoch += 1
        if self.course_change.active:
            self.course_change.emit1(self)
        return 0

    cdef int jump_to(self, double x, double y, double z) except -1:
        """Put the node elsewhere; it keeps its velocity. Models with a plan override."""
        return self.set_course(x, y, z, self.vx, self.vy, self.vz)

    @property
    def position(self):
        """(x, y, z) now, in m; setting it puts the node there."""
        cdef double out[3]
        self.position_at(self.sim.now_ns, out)
        return out[0], out[1], out[2]

    @position.setter
    def position(self, value):
        x, y, z = vector("position", value, "m")
        self.jump_to(x, y, z)

    @property
    def velocity(self):
        """(vx, vy, vz) now, in m/s."""
        return self.vx, self.vy, self.vz

    def change_course(self, position, velocity):
        """Be at a position now and go on with a velocity; for movements written in Python.

        Parameters
        ----------
        position, velocity : tuple of float
            (x, y) or (x, y, z) in m and m/s.

        Raises
        ------
        ValueError
            If a component is NaN or infinite.
        """
        x, y, z = vector("position", position, "m")
        vx, vy, vz = vector("velocity", velocity, "m/s")
        self.set_course(x, y, z, vx, vy, vz)

    @property
    def speed(self):
        """Magnitude of the velocity, in m/s."""
        return sqrt(self.vx * self.vx + self.vy * self.vy + self.vz * self.vz)

    @property
    def course_changes(self):
        """How many times the course changed so far."""
        return self.epoch

    def distance_to(self, MobilityModel other not None):
        """Distance to another node now, in m."""
        return distance_between(self, other, self.sim.now_ns)

    def __repr__(self):
        x, y, z = self.position
        return f"<{type(self).__name__} at ({x:g}, {y:g}, {z:g})>"


cdef double distance_between(MobilityModel a, MobilityModel b, int64_t time) noexcept:
    cdef double p[3]
    cdef double q[3]
    a.position_at(time, p)
    b.position_at(time, q)
    cdef double dx = q[0] - p[0]
    cdef double dy = q[1] - p[1]
    cdef double dz = q[2] - p[2]
    return sqrt(dx * dx + dy * dy + dz * dz)


cdef class ConstantPosition(MobilityModel):
    """A node that moves only when its `position` is set."""
