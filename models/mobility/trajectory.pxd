"""Movement along a plan that is known beforehand."""

from libc.stdint cimport int64_t

from simcore.models.mobility.mobility cimport MobilityModel
from simcore.simulator cimport NativeTimer


cdef struct Leg:
    int64_t start                  # ns
    double x                       # position at `start` (m)
    double y
    double z
    double vx                      # velocity from then on (m/s)
    double vy
    double vz


cdef class Trajectory(MobilityModel):
    cdef Leg* legs
    cdef Py_ssize_t count
    cdef Py_ssize_t following      # the leg that starts next
    cdef NativeTimer timer

    cdef int follow(self) except -1
