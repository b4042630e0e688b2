"""Face between a forwarder and an application of the same node."""

from libc.stdint cimport int32_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport Face
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.simulator cimport NativeTimer, Simulator


cdef class AppListener:
    """What an application overrides to get packets from its face."""
    cdef int interest(self, Interest interest, LpFields fields) except -1
    cdef int data(self, Data data, LpFields fields) except -1
    cdef int nack(self, Interest interest, int reason, LpFields fields) except -1


cdef class AppFace(Face):
    cdef AppListener listener
    cdef Simulator sim
    cdef NativeTimer timer
    cdef list waiting              # Interests sent during a delivery, with their fields
    cdef int32_t deliveries        # to the application, under way

    # From the application. The first waits for a delivery under way to end.
    cdef int express(self, Interest interest, LpFields fields) except -1
    cdef int put(self, Data data, LpFields fields) except -1
    cdef int reject(self, Interest interest, int reason) except -1
    cdef int send_waiting(self) except -1


cdef AppFace new_app_face(Simulator sim, AppListener listener)
