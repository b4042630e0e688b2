"""Face towards a program outside the simulation, over a stream socket."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from simcore.bridge.stream cimport StreamConnection
from simcore.models.ndn.face cimport Face
from simcore.models.ndn.fragmentation cimport CongestionMarker
from simcore.models.ndn.lp cimport LpFields, LpPacket

cdef enum:
    MAX_PACKET_SIZE = 8800         # bytes, ndn-cxx's MAX_NDN_PACKET_SIZE

# FacePersistency (NFD wiki, "FaceMgmt").
cdef enum:
    PERSISTENT = 0
    ON_DEMAND = 1
    PERMANENT = 2


cdef class LiveStream(StreamConnection):
    """Cuts packets out of a stream of TLV elements."""
    cdef LiveFace face             # None once it is closed


cdef class LiveFace(Face):
    cdef readonly LiveStream stream
    cdef readonly str remote_uri
    cdef readonly str local_uri
    cdef public bint local_fields  # whether IncomingFaceId and its like cross this face
    cdef public int32_t persistency
    cdef readonly int64_t in_malformed   # packets that could not be decoded
    cdef readonly int64_t in_refused     # well-formed packets that must not come this way
    cdef readonly int64_t out_too_large
    cdef readonly int64_t congestion_marked
    cdef readonly bint framing_lost
    cdef CongestionMarker marker

    cdef int frame(self, bytes wire) except -1
    cdef int take(self, bytes wire) except -1
    cdef int take_link_packet(self, bytes wire) except -1
    cdef bint may_pass(self, LpPacket packet, object content) except -1
    cdef LpFields admitted(self, LpFields fields)
    cdef LpFields crossing(self, LpFields fields)
    cdef int transmit(self, object packet, bytes wire, LpFields fields, int nack_reason) except -1
