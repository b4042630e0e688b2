"""The base of all movement, and the two movements that never change by themselves."""

from libc.math cimport isfinite, llrint, sqrt
from libc.stdint cimport int64_t

from simcore.simulator cimport MAX_TIME, NO_CONTEXT, NativeTimer, Simulator
from simcore.trace.source cimport TraceSet

from simcore.models.mobility.checks import invalid, vector

cdef class MobilityState:
    pass


cdef class MobilityModel:
    """Position and velocity of a node; between course changes it moves in a straight line.

    Parameters
    ----------
    where : Node or Simulator
        The node that moves: its ``mobility`` becomes this model, and course changes run in its
        context. With a simulator only, the model belongs to no node yet.
    position : tuple of float
        (x, y) or (x, y, z) in m.

    Raises
    ------
    ValueError
        If a coordinate is NaN or infinite.
    """

    def __cinit__(self, *args, **kwargs):
        self.node_id = NO_CONTEXT
        self.trace = TraceSet(self, course_change="the model, already on its new course")
        self.course_change = (<TraceSet>self.trace).source("course_change")

    def __init__(self, where, position=(0.0, 0.0, 0.0)):
        self.x, self.y, self.z = vector("position", position, "m")
        self.sim = simulator_of(where)
        self.since = self.sim.now_ns
        state = self.sim.registry.get("mobility")
        if state is None:
            state = self.sim.registry["mobility"] = MobilityState()
        self.state = state
        self.state.models += 1
        if where is not self.sim:
            self.node_id = where.id
            where.mobility = self

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
        cdef double old[3]
        cdef double speed
        cdef MobilityState state = self.state
        if not (isfinite(x) and isfinite(y) and isfinite(z)):
            raise invalid("position", (x, y, z), "finite numbers of m")
        if not (isfinite(vx) and isfinite(vy) and isfinite(vz)):
            raise invalid("velocity", (vx, vy, vz), "finite numbers of m/s")
        if state is None:
            raise RuntimeError(f"{type(self).__name__} did not call MobilityModel.__init__")
        self.position_at(self.sim.now_ns, old)
        # The rounding of an ordinary course change counts as well; it adds up to nothing.
        state.jumped += length(x - old[0], y - old[1], z - old[2])
        speed = length(vx, vy, vz)
        if speed > state.fastest:
            state.fastest = speed
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
        return self.set_course(x, y, z, self.vx, self.vy, self.vz)

    cdef int appoint(self, NativeTimer timer, int64_t delay) except -1:
        cdef Simulator sim = self.sim
        cdef int context = sim.current_context
        sim.current_context = self.node_id
        try:
            timer.arm(delay)
        finally:
            sim.current_context = context
        return 0

    @property
    def position(self):
        """(x, y, z) now, in m; setting it puts the node there."""
        cdef double out[3]
        self.require_init()
        self.position_at(self.sim.now_ns, out)
        return out[0], out[1], out[2]

    @position.setter
    def position(self, value):
        self.require_init()
        x, y, z = vector("position", value, "m")
        self.jump_to(x, y, z)

    @property
    def velocity(self):
        """(vx, vy, vz) now, in m/s."""
        return self.vx, self.vy, self.vz

    @property
    def speed(self):
        """Magnitude of the velocity, in m/s."""
        return length(self.vx, self.vy, self.vz)

    @property
    def course_changes(self):
        """How many times the course changed so far."""
        return self.epoch

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
        self.require_init()
        self.set_course(x, y, z, vx, vy, vz)

    def distance_to(self, MobilityModel other not None):
        """Distance to another node now, in m."""
        self.require_init()
        return distance_between(self, other, self.sim.now_ns)

    def require_init(self):
        """Raise RuntimeError in a subclass that left out ``super().__init__``."""
        if self.sim is None:
            raise RuntimeError(f"{type(self).__name__} did not call MobilityModel.__init__")

    def __repr__(self):
        if self.sim is None:
            return f"<{type(self).__name__}>"
        x, y, z = self.position
        return f"<{type(self).__name__} at ({x:g}, {y:g}, {z:g})>"


cdef class ConstantPosition(MobilityModel):
    """A node that moves only when its `position` is set."""


cdef class ConstantVelocity(MobilityModel):
    """A node that moves in a straight line until its `velocity` is set.

    Parameters
    ----------
    where : Node or Simulator
    position, velocity : tuple of float
        (x, y) or (x, y, z) in m and m/s.
    """

    def __init__(self, where, position=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0)):
        vx, vy, vz = vector("velocity", velocity, "m/s")
        MobilityModel.__init__(self, where, position)
        self.set_course(self.x, self.y, self.z, vx, vy, vz)

    @property
    def velocity(self):
        """(vx, vy, vz) in m/s; setting it changes the course."""
        return self.vx, self.vy, self.vz

    @velocity.setter
    def velocity(self, value):
        cdef double here[3]
        vx, vy, vz = vector("velocity", value, "m/s")
        self.require_init()
        self.position_at(self.sim.now_ns, here)
        self.set_course(here[0], here[1], here[2], vx, vy, vz)


cdef Simulator simulator_of(object where):
    if isinstance(where, Simulator):
        return where
    sim = getattr(where, "sim", None)
    if not isinstance(sim, Simulator) or not isinstance(getattr(where, "id", None), int):
        raise TypeError(f"where is {where!r}: it must be a Node or a Simulator")
    return sim


def movement_stream(where):
    """Return the stream that a node's movement draws from, ``"mobility/ID"``.

    Models without a node take ``"mobility/model N"``, counted by simulator.
    """
    cdef Simulator sim = simulator_of(where)
    cdef MobilityState state = sim.registry.get("mobility")
    if where is not sim:
        return sim.random.stream(f"mobility/{where.id}")
    return sim.random.stream(f"mobility/model {0 if state is None else state.models}")


cdef double distance_between(MobilityModel a, MobilityModel b, int64_t time) noexcept:
    cdef double p[3]
    cdef double q[3]
    a.position_at(time, p)
    b.position_at(time, q)
    return length(q[0] - p[0], q[1] - p[1], q[2] - p[2])


cdef inline double length(double x, double y, double z) noexcept:
    return sqrt(x * x + y * y + z * z)


cdef int64_t nanoseconds(double seconds) noexcept:
    cdef double count = seconds * 1e9
    return llrint(count) if count < 9.2e18 else MAX_TIME
