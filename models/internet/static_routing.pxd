"""Routes entered by hand, and those to the networks of the node's own interfaces."""

from libc.stdint cimport int32_t, uint32_t

from simcore.models.internet.ipv4 cimport Hop, Interface, RoutingProtocol


cdef class Route:
    cdef uint32_t destination      # network address, or a host's
    cdef uint32_t mask
    cdef readonly int prefix_length
    cdef uint32_t gateway          # 0: the destination is on the link
    cdef uint32_t source           # 0: the interface's address
    cdef readonly int32_t metric   # the lower wins, of routes with one prefix
    cdef readonly Interface interface
    cdef readonly bint connected   # follows from an address of the interface

    cdef void fill(self, uint32_t destination, Hop* hop) noexcept


cdef class StaticRouting(RoutingProtocol):
    cdef readonly list routes      # Route, longest prefix first, then lowest metric
    cdef dict known                # destination -> Route or None, until something changes

    cdef Route find(self, uint32_t destination)
    cdef int insert(self, Route route) except -1
