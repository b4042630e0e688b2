"""Face between a forwarder and an application of the same node."""

cimport cython

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport POINT_TO_POINT, Face
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.simulator cimport Simulator, TimerHandler, native_timer


cdef class AppListener:
    """What an application overrides to get packets from its face."""

    cdef int interest(self, Interest interest, LpFields fields) except -1:
        return 0

    cdef int data(self, Data data, LpFields fields) except -1:
        return 0

    cdef int nack(self, Interest interest, int reason, LpFields fields) except -1:
        return 0


cdef int waiting_due(object owner) except -1:
    return (<AppFace>owner).send_waiting()


cdef AppFace new_app_face(Simulator sim, AppListener listener):
    cdef AppFace face = AppFace(is_local=True, link_type=POINT_TO_POINT, description="appFace://")
    face.sim = sim
    face.listener = listener
    face.waiting = []
    face.timer = native_timer(sim, <TimerHandler>waiting_due, face)
    return face


@cython.final
cdef class AppFace(Face):
    """Hands packets between a forwarder and an application, at once and without a copy.

    Applications make their face; see `simcore.models.ndn.apps`. An Interest that an application
    sends while it is given a packet goes out in an event of its own at the same time: answers from
    the cache would otherwise call the application deeper and deeper.
    """

    cpdef int send_interest(self, Interest interest, LpFields fields) except -1:
        """Hand an Interest to the application."""
        self.deliveries += 1
        self.listener.interest(interest, fields)
        self.deliveries -= 1
        return 0

    cpdef int send_data(self, Data data, LpFields fields) except -1:
        """Hand Data to the application."""
        self.deliveries += 1
        self.listener.data(data, fields)
        self.deliveries -= 1
        return 0

    cpdef int send_nack(self, Interest interest, int reason, LpFields fields) except -1:
        """Hand a Nack to the application."""
        self.deliveries += 1
        self.listener.nack(interest, reason, fields)
        self.deliveries -= 1
        return 0

    cdef int express(self, Interest interest, LpFields fields) except -1:
        if self.deliveries == 0 and not self.waiting:
            return self.deliver_interest(interest, fields)
        if not self.waiting:
            self.timer.arm(0)
        self.waiting.append((interest, fields))
        return 0

    cdef int send_waiting(self) except -1:
        cdef list waiting = self.waiting
        self.waiting = []
        # What was left by an exception in a handler does not hold back the rest for ever.
        self.deliveries = 0
        for interest, fields in waiting:
            if self.is_open:
                self.deliver_interest(<Interest>interest, <LpFields>fields)
        return 0

    cdef int put(self, Data data, LpFields fields) except -1:
        return self.deliver_data(data, fields)

    cdef int reject(self, Interest interest, int reason) except -1:
        return self.deliver_nack(interest, reason, None)
