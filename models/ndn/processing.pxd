"""A processor in front of a forwarder: its packets wait for it and take time."""

from libc.stdint cimport int64_t

from simcore.models.ndn.content_store cimport ContentStore
from simcore.models.ndn.face cimport Face, PacketSink
from simcore.models.ndn.lp cimport LpFields
from simcore.models.ndn.name cimport Name
from simcore.simulator cimport Event, Simulator

# Kinds of packets.
cdef enum:
    INTEREST = 0
    DATA = 1
    NACK = 2
    KINDS = 3


cdef struct CostNs:
    double constant
    double per_component
    double per_byte


cdef class Job:
    """A packet that waits or is served."""
    cdef int kind
    cdef int reason                       # of a Nack
    cdef Face face
    cdef object packet
    cdef LpFields fields
    cdef int64_t arrived                  # ns


cdef class Server(Event):
    """One server: its event is the end of the service under way."""
    cdef Processor processor
    cdef Job job                          # None while idle
    cdef int64_t started                  # ns


cdef class Processor(PacketSink):
    cdef readonly Simulator sim
    cdef readonly PacketSink forwarder
    cdef readonly object model            # ServiceModel
    cdef ContentStore cs
    cdef CostNs interest
    cdef CostNs hit
    cdef CostNs data
    cdef CostNs insert
    cdef CostNs nack
    cdef list servers
    cdef list idle                        # servers without a job
    cdef list queue                       # ring of jobs, as long as the queue may be
    cdef int64_t head                     # of the ring
    cdef readonly int64_t queue_length
    cdef readonly int64_t peak_queue
    cdef readonly int64_t served          # packets
    cdef int64_t dropped[KINDS]
    cdef int64_t began                    # ns, since when there are statistics
    cdef int64_t busy                     # ns, of services that ended, all servers
    cdef int64_t waited                   # ns, of packets whose service began
    cdef int64_t waits                    # how many these are

    cdef int accept(self, int kind, Face face, object packet, LpFields fields, int reason) except -1
    cdef int start(self, Server server, Job job) except -1
    cdef int finish(self, Server server) except -1
    cdef int64_t service_time(self, Job job) except -1
