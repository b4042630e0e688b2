"""Access router strategy, version 1 (NFD Developer's Guide 5.3.4; NFD 24.07)."""

cimport cython
from libc.stdint cimport int64_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport Face
from simcore.models.ndn.fib cimport FibEntry, NextHop
from simcore.models.ndn.forwarder cimport Strategy
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.pit cimport InRecord, OutRecord, PitEntry
from simcore.models.ndn.retx_suppression cimport NEW, SUPPRESS, RetxSuppression
from simcore.models.ndn.rtt cimport RttEstimator

from simcore.models.ndn.forwarder import register_strategy

cdef int64_t MEASUREMENTS_LIFETIME = 8_000_000_000


@cython.final
cdef class LastNextHop:
    """What is known of a prefix: the next hop that worked last, and its round-trip time."""
    cdef readonly Face face
    cdef readonly RttEstimator rtt


cdef class Access(Strategy):
    """The next hop that worked last; all of them while none is known, or when it is late."""

    name = "access"
    version = 1

    cdef readonly RetxSuppression suppression
    cdef dict estimators         # RttEstimator of each face, by its number

    def __cinit__(self):
        self.suppression = RetxSuppression()
        self.estimators = {}

    cpdef int after_receive_interest(
        self, Face ingress, Interest interest, PitEntry entry
    ) except -1:
        cdef int decision = self.suppression.decide_per_entry(entry, self.now())
        cdef FibEntry routes
        if decision == SUPPRESS:
            return 0
        routes = self.lookup_fib(entry)
        if decision == NEW:
            if self.send_to_last(ingress, interest, entry, routes):
                return 0
            if self.send_to_all(ingress, interest, entry, routes, None) == 0:
                return self.reject(entry)
        else:
            self.send_to_all(ingress, interest, entry, routes, None)
        return 0

    cdef bint send_to_last(
        self, Face ingress, Interest interest, PitEntry entry, FibEntry routes
    ) except -1:
        """Send to the next hop that worked last, and wait for its round-trip time."""
        cdef LastNextHop last
        cdef Face face
        found = self.forwarder.measurements.longest(interest.name, with_info=LastNextHop)
        if found is None:
            return False
        last = found.info
        face = last.face
        if face is ingress or not face.is_open or not routes.has_nexthop(face):
            return False
        for hop in routes.nexthops:
            if (<NextHop>hop).face is face:
                if not self.is_eligible(ingress, interest, <NextHop>hop):
                    return False
        if not self.send_interest(interest, face, entry):
            return False
        entry.set_strategy_info(
            self.forwarder.sim.schedule(last.rtt.timeout, self.late, entry, ingress, face)
        )
        return True

    def late(self, PitEntry entry not None, Face ingress not None, Face tried not None):
        """The next hop that worked last did not answer in time: ask the others."""
        cdef InRecord* record
        if entry.pit == NULL:
            return
        record = entry.in_record_of(ingress)
        if record != NULL:
            self.send_to_all(
                ingress, <Interest>record.interest, entry, self.lookup_fib(entry), tried
            )

    cdef int send_to_all(
        self, Face ingress, Interest interest, PitEntry entry, FibEntry routes, Face tried
    ) except -1:
        cdef NextHop hop
        cdef int sent = 0
        for item in routes.nexthops:
            hop = item
            if (
                hop.face is not ingress and hop.face is not tried
                and self.is_eligible(ingress, interest, hop)
            ):
                sent += self.send_interest(interest, hop.face, entry)
        return sent

    cpdef int before_satisfy_interest(self, Data data, Face ingress, PitEntry entry) except -1:
        cdef OutRecord* record = entry.out_record_of(ingress)
        cdef RttEstimator estimator
        cdef LastNextHop last
        cdef int64_t rtt
        timer = entry.strategy_info()
        if timer is not None:
            timer.cancel()
            entry.set_strategy_info(None)
        if entry.in_count == 0 or record == NULL:
            return 0
        rtt = self.now() - record.last_renewed
        estimator = self.estimators.get(ingress.id)
        if estimator is None:
            estimator = self.estimators[ingress.id] = RttEstimator()
        estimator.add_c(rtt, 1)
        found = self.forwarder.measurements.get(data.name.prefix(-1))
        self.forwarder.measurements.extend(found, MEASUREMENTS_LIFETIME)
        if not isinstance(found.info, LastNextHop):
            found.info = LastNextHop()
        last = found.info
        if last.face is ingress:
            last.rtt.add_c(rtt, 1)
        else:
            last.face = ingress
            last.rtt = estimator.copy()
        return 0


register_strategy(Access)
