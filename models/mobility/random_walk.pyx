"""The two-dimensional random walk."""

from libc.math cimport INFINITY, cos, fabs, floor, isfinite, sin
from libc.stdint cimport int64_t

from simcore.models.mobility.mobility cimport MobilityModel, nanoseconds
from simcore.random.distribution cimport Distribution
from simcore.simulator cimport MAX_TIME, NativeTimer, native_timer

from math import tau

from simcore.models.mobility.checks import invalid, positive, rectangle, vector
from simcore.models.mobility.draws import drawn_from, quantity
from simcore.models.mobility.mobility import movement_stream
from simcore.random import Uniform


cdef class RandomWalk2d(MobilityModel):
    """Go straight in a random direction for a distance or a time, and again; walls reflect.

    T. Camp, J. Boleng, V. Davies, "A Survey of Mobility Models for Ad Hoc Network Research",
    Wireless Communications and Mobile Computing 2(5), 2002, section 2.1.

    Parameters
    ----------
    where : Node or Simulator
    position : tuple of float
        The start (m), within the bounds.
    bounds : tuple of float
        (x_min, x_max, y_min, y_max) in m.
    distance : float, optional
        Length of a leg (m), reflections included; 1 m unless a time is given.
    time : int, optional
        Duration of a leg (ns). Only one of `distance` and `time` may be given.
    speed : float, str or Distribution
        m/s, drawn for each leg. Must be above 0 (with `time`: not negative).
    direction : float, str or Distribution
        rad, anticlockwise from the x axis, drawn for each leg after the speed.
    stream : RandomStream, optional
        What the draws come from, except for distributions that have a stream of their own; by
        default the stream ``"mobility/ID"`` of the node.

    Raises
    ------
    ValueError
        If a parameter is wrong or the start lies outside the bounds; during the run, if a drawn
        speed or direction is unusable.
    """

    cdef double x_min
    cdef double x_max
    cdef double y_min
    cdef double y_max
    cdef double leg_distance       # m; 0 when legs have a duration
    cdef int64_t leg_time          # ns; 0 when legs have a length
    cdef int64_t left              # what remains of the leg when the timer fires (ns)
    cdef bint hits_x               # then a wall on the left or right is reached
    cdef bint hits_y               # or one at the bottom or top
    cdef Distribution speed_draw
    cdef Distribution direction_draw
    cdef NativeTimer timer

    def __init__(
        self, where, position=(0.0, 0.0, 0.0), *, bounds=(0.0, 100.0, 0.0, 100.0), distance=None,
        time=None, speed=None, direction=None, stream=None,
    ):
        if distance is not None and time is not None:
            raise ValueError(f"distance is {distance!r}, time is {time!r}: give only one of them")
        if time is not None:
            if isinstance(time, bool) or not isinstance(time, int):
                raise TypeError(f"time is {time!r}: it must be an int of nanoseconds")
            if not 0 < time < 2**63:
                raise invalid("time", time, "from 1 ns to the end of time")
            self.leg_time = time
        else:
            self.leg_distance = positive("distance", 1.0 if distance is None else distance, "m")
        self.x_min, self.x_max, self.y_min, self.y_max = rectangle("bounds", bounds)
        speed_draw = quantity("speed", Uniform(2.0, 4.0) if speed is None else speed, "m/s")
        direction_draw = quantity(
            "direction", Uniform(0.0, tau) if direction is None else direction, "rad"
        )
        x, y, z = vector("position", position, "m")
        self.require_inside(x, y)
        if stream is None:
            stream = movement_stream(where)
        self.speed_draw = drawn_from(speed_draw, stream)
        self.direction_draw = drawn_from(direction_draw, stream)
        MobilityModel.__init__(self, where, (x, y, z))
        self.timer = native_timer(self.sim, next_stretch, self)
        self.new_leg(x, y, z)

    @property
    def bounds(self):
        """(x_min, x_max, y_min, y_max) in m."""
        return self.x_min, self.x_max, self.y_min, self.y_max

    cdef void position_at(self, int64_t time, double* out) noexcept:
        """As in the base; the rounding of times to nanoseconds does not lead out of the bounds."""
        MobilityModel.position_at(self, time, out)
        out[0] = within(self.x_min, out[0], self.x_max)
        out[1] = within(self.y_min, out[1], self.y_max)

    cdef int new_leg(self, double x, double y, double z) except -1:
        """Draw speed and direction; from a wall the leg leads inwards."""
        cdef double speed = self.speed_draw.draw_c()
        cdef double direction = self.direction_draw.draw_c()
        cdef double vx, vy
        if not (isfinite(speed) and speed >= 0.0 and (speed > 0.0 or self.leg_time)):
            raise invalid("drawn speed", speed, "a finite number of m/s above 0")
        if not isfinite(direction):
            raise invalid("drawn direction", direction, "a finite number of rad")
        vx = cos(direction) * speed
        vy = sin(direction) * speed
        self.left = self.leg_time if self.leg_time else nanoseconds(self.leg_distance / speed)
        if self.left < 1:
            self.left = 1
        return self.walk(
            x, y, z, inward(self.x_min, x, self.x_max, vx), inward(self.y_min, y, self.y_max, vy)
        )

    cdef int walk(self, double x, double y, double z, double vx, double vy) except -1:
        """Go on until the leg ends or a wall is reached, whichever comes first."""
        cdef double to_x = seconds_to_wall(self.x_min, x, self.x_max, vx)
        cdef double to_y = seconds_to_wall(self.y_min, y, self.y_max, vy)
        cdef double first = to_x if to_x < to_y else to_y
        cdef int64_t delay = nanoseconds(floor(first * 1e9) / 1e9)
        # Never stand still in time, however narrow the bounds.
        if delay < 1:
            delay = 1
        if delay < self.left:
            self.hits_x = to_x == first
            self.hits_y = to_y == first
        else:
            delay = self.left
            self.hits_x = False
            self.hits_y = False
        self.left -= delay
        self.set_course(x, y, z, vx, vy, 0.0)
        if delay < MAX_TIME - self.sim.now_ns:
            return self.appoint(self.timer, delay)
        self.timer.disarm()
        return 0

    cdef int jump_to(self, double x, double y, double z) except -1:
        self.require_inside(x, y)
        return self.new_leg(x, y, z)

    cdef int require_inside(self, double x, double y) except -1:
        if not (self.x_min <= x <= self.x_max and self.y_min <= y <= self.y_max):
            raise invalid("position", (x, y), f"within the bounds {self.bounds}")
        return 0


cdef int next_stretch(object owner) except -1:
    cdef RandomWalk2d model = <RandomWalk2d>owner
    cdef double here[3]
    cdef double vx = model.vx
    cdef double vy = model.vy
    model.position_at(model.sim.now_ns, here)
    if not (model.hits_x or model.hits_y):
        return model.new_leg(here[0], here[1], here[2])
    if model.hits_x:
        here[0] = model.x_max if vx > 0.0 else model.x_min
        vx = inward(model.x_min, here[0], model.x_max, vx)
    if model.hits_y:
        here[1] = model.y_max if vy > 0.0 else model.y_min
        vy = inward(model.y_min, here[1], model.y_max, vy)
    return model.walk(here[0], here[1], here[2], vx, vy)


cdef inline double within(double low, double value, double high) noexcept:
    if value < low:
        return low
    return high if value > high else value


cdef inline double inward(double low, double at, double high, double velocity) noexcept:
    """The velocity along one axis, turned away from a wall that the node touches."""
    if low == high:
        return 0.0
    if at >= high:
        return -fabs(velocity)
    if at <= low:
        return fabs(velocity)
    return velocity


cdef inline double seconds_to_wall(double low, double at, double high, double velocity) noexcept:
    if velocity > 0.0:
        return (high - at) / velocity
    if velocity < 0.0:
        return (low - at) / velocity
    return INFINITY
