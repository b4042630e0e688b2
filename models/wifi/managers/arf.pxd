"""What ARF and its descendants count."""

from libc.stdint cimport int32_t

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation


cdef class ArfStation(RemoteStation):
    cdef readonly int32_t timer                    # attempts since the rate last changed
    cdef readonly int32_t success                  # successes in a row
    cdef readonly int32_t failed                   # failures in a row
    cdef readonly bint recovery                    # the rate was raised and has not proved itself
    cdef readonly int32_t success_threshold
    cdef readonly int32_t timer_threshold


cdef class ArfManager(AdaptiveManager):
    cdef readonly int32_t success_threshold
    cdef readonly int32_t timer_threshold

    cdef int lower(self, ArfStation peer, bint probe_failed) except -1
