"""Movement along a plan that is known beforehand: legs, or points with times."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from simcore.models.mobility.mobility cimport MobilityModel
from simcore.simulator cimport native_timer

from simcore.models.mobility.checks import number, vector


cdef class Trajectory(MobilityModel):
    """A node that follows a list of straight legs.

    Parameters
    ----------
    where : Node or Simulator
    legs : sequence of (int, tuple of float, tuple of float)
        (time, position, velocity) in ns, m, m/s: from that time on the node is there and moves so.
        Times must not decrease and not lie in the past. Before the first leg the node stands where
        that leg begins; the last leg goes on for ever.

    Raises
    ------
    ValueError
        If there is no leg, a number is not finite, or the times are out of order.

    Notes
    -----
    Setting `position` puts the node there, standing, until the next leg begins.
    """

    def __init__(self, where, legs):
        cdef Py_ssize_t index
        cdef int64_t earlier
        plan = list(legs)
        if not plan:
            raise ValueError("legs is empty: a trajectory needs at least one leg")
        self.legs = <Leg*>malloc(len(plan) * sizeof(Leg))
        if self.legs == NULL:
            raise MemoryError(f"no memory for {len(plan)} legs")
        for index, (time, position, velocity) in enumerate(plan):
            x, y, z = vector(f"legs[{index}].position", position, "m")
            vx, vy, vz = vector(f"legs[{index}].velocity", velocity, "m/s")
            self.legs[index] = Leg(leg_time(index, time), x, y, z, vx, vy, vz)
            if index and self.legs[index].start < self.legs[index - 1].start:
                raise ValueError(
                    f"legs[{index}] starts at {time} ns: it must not start before legs[{index - 1}]"
                )
        first = plan[0]
        MobilityModel.__init__(self, where, first[1])
        earlier = self.legs[0].start
        if earlier < self.sim.now_ns:
            raise ValueError(
                f"legs[0] starts at {earlier} ns: it must not start before now, "
                f"{self.sim.now_ns} ns"
            )
        self.count = len(plan)
        self.timer = native_timer(self.sim, start_leg, self)
        self.follow()

    def __dealloc__(self):
        free(self.legs)

    cdef int follow(self) except -1:
        """Begin the legs that are due and wait for the next one."""
        cdef Leg* leg
        cdef int64_t now = self.sim.now_ns
        while self.following < self.count and self.legs[self.following].start <= now:
            leg = &self.legs[self.following]
            self.following += 1
            self.set_course(leg.x, leg.y, leg.z, leg.vx, leg.vy, leg.vz)
        if self.following < self.count:
            self.appoint(self.timer, self.legs[self.following].start - now)
        return 0

    cdef int jump_to(self, double x, double y, double z) except -1:
        return self.set_course(x, y, z, 0.0, 0.0, 0.0)

    @property
    def legs_left(self):
        """How many legs have not begun yet."""
        return self.count - self.following


cdef int start_leg(object owner) except -1:
    return (<Trajectory>owner).follow()


def leg_time(index, time):
    """Return the time of a leg if it is an int of ns that is not negative."""
    if isinstance(time, bool) or not isinstance(time, int):
        raise TypeError(
            f"legs[{index}].time is {time!r}: it must be an int of nanoseconds, as seconds() makes"
        )
    if not 0 <= time < 2**63:
        raise ValueError(f"legs[{index}].time is {time} ns: it must be from 0 to 2**63 - 1")
    return time


cdef class Waypoints(Trajectory):
    """A node that is at given points at given times and moves in straight lines between.

    Parameters
    ----------
    where : Node or Simulator
    points : sequence of (int, tuple of float)
        (time, position) in ns and m, in ascending order of time. The node stands at the first point
        until its time, and at the last one from its time on.

    Raises
    ------
    ValueError
        If there is no point, a number is not finite, or the times do not ascend.
    """

    def __init__(self, where, points):
        Trajectory.__init__(self, where, legs_between(points))


def legs_between(points):
    """Return the legs of a node that is at each point at its time."""
    plan = [
        (leg_time(index, time), vector(f"points[{index}].position", position, "m"))
        for index, (time, position) in enumerate(points)
    ]
    if not plan:
        raise ValueError("points is empty: it must hold at least one (time, position)")
    legs = []
    for index in range(len(plan) - 1):
        start, here = plan[index]
        end, there = plan[index + 1]
        if end <= start:
            raise ValueError(
                f"points[{index + 1}] has time {end} ns: times must ascend, and the point before "
                f"has {start} ns"
            )
        span = (end - start) / 1e9
        velocity = tuple(
            number(f"speed to points[{index + 1}]", (after - before) / span, "m/s")
            for before, after in zip(here, there, strict=True)
        )
        legs.append((start, here, velocity))
    legs.append((*plan[len(plan) - 1], (0.0, 0.0, 0.0)))
    return legs
