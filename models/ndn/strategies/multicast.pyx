"""Multicast strategy, version 5 (NFD Developer's Guide 5.3.2; NFD 24.07)."""

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.fib cimport NextHop
from simcore.models.ndn.forwarder cimport Strategy
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.pit cimport OutRecord, PitEntry
from simcore.models.ndn.retx_suppression cimport FORWARD, SUPPRESS, RetxSuppression

from simcore.models.ndn.forwarder import register_strategy
from simcore.models.ndn.strategies.parameters import suppression_from


cdef class Multicast(Strategy):
    """Every next hop; retransmissions are suppressed for each upstream alone."""

    name = "multicast"
    version = 5

    cdef readonly RetxSuppression suppression

    def __cinit__(self):
        self.suppression = RetxSuppression()
        self.wants_new_nexthop = True

    def configure(self, parameters: dict[str, str]) -> None:
        """Take ``retx-suppression-initial``, ``-max`` (ms) and ``-multiplier``."""
        self.suppression = suppression_from(self, parameters)

    cpdef int after_receive_interest(
        self, Face ingress, Interest interest, PitEntry entry
    ) except -1:
        cdef NextHop hop
        cdef int decision
        cdef OutRecord* record
        for item in self.lookup_fib(entry).nexthops:
            hop = item
            if not self.is_eligible(ingress, interest, hop):
                continue
            decision = self.suppression.decide_per_upstream(entry, hop.face, self.now())
            if decision == SUPPRESS:
                continue
            if self.send_interest(interest, hop.face, entry) and decision == FORWARD:
                record = entry.out_record_of(hop.face)
                if record != NULL:
                    self.suppression.grow(record)
        return 0

    cpdef int after_new_nexthop(self, NextHop nexthop, PitEntry entry) except -1:
        for face in entry.in_faces:
            if self.is_eligible(face, entry.interest, nexthop):
                self.send_interest(entry.interest, nexthop.face, entry)
                return 0
        return 0


register_strategy(Multicast)
