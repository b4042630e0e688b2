"""The random waypoint model."""

from libc.math cimport isfinite, sqrt
from libc.stdint cimport int64_t

from simcore.models.mobility.mobility cimport MobilityModel, nanoseconds
from simcore.random.distribution cimport Distribution
from simcore.simulator cimport MAX_TIME, NativeTimer, native_timer

from simcore.models.mobility.checks import invalid, vector
from simcore.models.mobility.draws import drawn_from, quantity
from simcore.models.mobility.mobility import movement_stream

cdef enum:
    # Waypoints in a row that are where the node is already and are left without a pause. With
    # continuous coordinates the first repetition has probability zero.
    MAX_STANDING_WAYPOINTS = 1000


cdef class RandomWaypoint(MobilityModel):
    """Pause, go straight to a random point at a random speed, and again.

    D. B. Johnson and D. A. Maltz, "Dynamic Source Routing in Ad Hoc Wireless Networks", 1996; as in
    ns-3, the node pauses first.

    Parameters
    ----------
    where : Node or Simulator
    position : tuple of float, optional
        The start (m); by default the first point of `waypoints`.
    waypoints : PositionAllocator
        Gives the points.
    speed : float, str or Distribution
        m/s, drawn for each trip. Must be above 0.
    pause : float, str or Distribution
        s, drawn for each stop. Must not be negative.
    stream : RandomStream, optional
        What the draws come from, except for distributions that have a stream of their own; by
        default the stream ``"mobility/ID"`` of the node.

    Raises
    ------
    ValueError
        If a parameter is wrong; during the run, if a drawn speed is not above 0 or a drawn pause
        is negative.

    Notes
    -----
    A trip at a low speed lasts long, so that the mean speed over time is lower than that over
    trips: with a speed uniform from a to b and no pauses it falls from (a + b) / 2 towards
    (b - a) / ln(b / a), the harmonic mean, which is 0 for a = 0 (J. Yoon, M. Liu, B. Noble, "Random
    Waypoint Considered Harmful", INFOCOM 2003). Choose a > 0 where that matters.
    """

    cdef object waypoints
    cdef Distribution speed_draw
    cdef Distribution pause_draw
    cdef NativeTimer timer
    cdef bint travelling
    cdef double target[3]          # where the trip ends (m)

    def __init__(self, where, position=None, *, waypoints, speed, pause=0.0, stream=None):
        speed_draw = quantity("speed", speed, "m/s")
        pause_draw = quantity("pause", pause, "s")
        if not hasattr(waypoints, "next") or not hasattr(waypoints, "drawn_from"):
            raise TypeError(f"waypoints is {waypoints!r}: it must be a PositionAllocator")
        if stream is None:
            stream = movement_stream(where)
        self.speed_draw = drawn_from(speed_draw, stream)
        self.pause_draw = drawn_from(pause_draw, stream)
        self.waypoints = waypoints.drawn_from(stream)
        if position is None:
            position = self.waypoints.next()
        MobilityModel.__init__(self, where, position)
        self.timer = native_timer(self.sim, next_phase, self)
        self.stop_at(self.x, self.y, self.z)

    cdef int stop_at(self, double x, double y, double z) except -1:
        """Pause here; without a pause, go on at once."""
        cdef int64_t pause
        cdef int standing = 0
        while True:
            pause = self.draw_pause()
            if pause > 0:
                self.travelling = False
                self.set_course(x, y, z, 0.0, 0.0, 0.0)
                self.wait(pause)
                return 0
            if self.set_off(x, y, z):
                return 0
            standing += 1
            if standing == MAX_STANDING_WAYPOINTS:
                raise ValueError(
                    f"waypoints gave the point ({x:g}, {y:g}, {z:g}) {standing} times in a row and "
                    "the pause is 0: the model needs two different points or a pause"
                )

    cdef bint set_off(self, double x, double y, double z) except -1:
        """Go to the next waypoint; False when it is here."""
        cdef double dx, dy, dz, distance, speed
        self.target[0], self.target[1], self.target[2] = vector(
            "waypoint", self.waypoints.next(), "m"
        )
        speed = self.speed_draw.draw_c()
        if not (speed > 0.0 and isfinite(speed)):
            raise invalid("drawn speed", speed, "a finite number of m/s above 0")
        dx = self.target[0] - x
        dy = self.target[1] - y
        dz = self.target[2] - z
        distance = sqrt(dx * dx + dy * dy + dz * dz)
        if distance == 0.0:
            return False
        self.travelling = True
        self.set_course(
            x, y, z, speed * dx / distance, speed * dy / distance, speed * dz / distance
        )
        self.wait(nanoseconds(distance / speed))
        return True

    cdef int64_t draw_pause(self) except -1:
        cdef double pause = self.pause_draw.draw_c()
        if not pause >= 0.0:
            raise invalid("drawn pause", pause, "a number of s of at least 0")
        return nanoseconds(pause)

    cdef int wait(self, int64_t delay) except -1:
        """Arm the timer; what would end after the end of time never ends."""
        if delay >= MAX_TIME - self.sim.now_ns:
            self.timer.disarm()
            return 0
        return self.appoint(self.timer, delay)

    cdef int jump_to(self, double x, double y, double z) except -1:
        return self.stop_at(x, y, z)


cdef int next_phase(object owner) except -1:
    cdef RandomWaypoint model = <RandomWaypoint>owner
    if model.travelling:
        return model.stop_at(model.target[0], model.target[1], model.target[2])
    if not model.set_off(model.x, model.y, model.z):
        return model.stop_at(model.x, model.y, model.z)
    return 0
