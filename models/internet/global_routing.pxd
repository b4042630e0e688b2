"""Shortest paths over a network that is known as a whole."""

from libc.stdint cimport int32_t, uint32_t

from simcore.models.internet.ipv4 cimport Hop, RoutingProtocol


cdef class Topology:
    cdef readonly list stacks              # Ipv4, by place
    cdef dict places                       # address -> place of its stack
    cdef dict by_node                      # node id -> place
    cdef bint stale                        # to be measured again before the next use
    cdef object costs                      # of an interface, or None: 1 each
    # Neighbours of the stack at place i: entries first[i] to first[i + 1] of the lists below.
    cdef int32_t* first
    cdef int32_t* neighbour                # place
    cdef int32_t* through                  # index of the interface to it
    cdef uint32_t* address                 # its address on that link
    cdef double* cost
    cdef int generation                    # counts recomputations

    cdef int measure(self) except -1
    cdef int32_t* tree(self, int32_t root) except NULL


cdef class GlobalRouting(RoutingProtocol):
    cdef readonly Topology topology
    cdef int32_t* edges                    # place -> first edge of the way to it, -1: none
    cdef int generation                    # of the topology that `edges` belongs to
    cdef int32_t place
