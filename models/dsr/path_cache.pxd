"""Whole paths from this node (RFC 4728 4.1)."""

from libc.stdint cimport int64_t, uint32_t

from simcore.models.dsr.route cimport Route
from simcore.models.dsr.route_cache cimport RouteCache


cdef class CachedPath:
    cdef Route hops                # from the first neighbour to the far end
    cdef int64_t expiry            # ns


cdef class PathCache(RouteCache):
    cdef list paths                # CachedPath, the least recently learned or used first
    cdef readonly int capacity
    cdef int64_t timeout
    cdef readonly bint keep_expired

    cdef bint add_path(self, Route hops, int64_t now) except -1
