"""Clients and servers of ndn-traffic-generator behind links of a delay, for benchmarks of a router.

A link delays and does nothing else, so that its far end is computed, not simulated: a packet costs
one event where it reaches the router.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport Face
from simcore.models.ndn.name cimport Name
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport Event, NativeTimer, Simulator
from simcore.stats.histogram cimport HdrHistogram


cdef class TrafficLog:
    """What several clients and servers counted."""
    cdef readonly int64_t sent            # Interests
    cdef readonly int64_t served          # Interests that reached a server
    cdef readonly int64_t received        # Data
    cdef readonly int64_t nacks
    cdef readonly int64_t timeouts        # Interests whose lifetime ended without an answer
    cdef readonly int64_t unexpected      # Data and Nacks that no Interest waited for
    cdef readonly HdrHistogram latency    # ns, from sending an Interest to receiving Data


cdef class TrafficClientFace(Face):
    cdef Simulator sim
    cdef readonly TrafficLog log
    cdef readonly Name prefix
    cdef readonly int64_t delay           # ns, of the link
    cdef double start                     # ns, sending of the first Interest
    cdef double interval                  # ns, between two Interests
    cdef int64_t stop                     # ns, no Interest is sent from then on
    cdef int64_t lifetime_ms
    cdef bint must_be_fresh
    cdef RandomStream nonces
    cdef RandomStream gaps                # None: equal intervals
    cdef double due                       # ns, sending of the next Interest
    cdef bint stopped
    cdef NativeTimer timer                # the next Interest; once stopped, the last timeout
    cdef uint64_t next_number             # sequence number of the next Interest
    cdef uint64_t oldest                  # first one that may be unanswered
    cdef int64_t waiting                  # Interests without an answer
    cdef int64_t* sent_at                 # ring by sequence number, ns; ANSWERED
    cdef uint64_t mask                    # of the ring

    cdef int arm(self) except -1
    cdef int emit(self) except -1
    cdef int grow(self) except -1
    cdef void end_lifetimes(self, int64_t now) noexcept
    cdef int64_t take(self, Name name) noexcept


cdef class TrafficServerFace(Face):
    cdef Simulator sim
    cdef readonly TrafficLog log
    cdef readonly int64_t delay           # ns, of the link
    cdef readonly int32_t payload      # bytes of content, or NO_ANSWER
    cdef int64_t freshness_ms


cdef class Reply(Event):
    """Data of a server on its way to the router."""
    cdef TrafficServerFace face
    cdef Data data
