"""Best-route strategy, version 5 (NFD Developer's Guide 5.3.1; NFD 24.07)."""

from libc.stdint cimport INT64_MAX, int64_t

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.fib cimport NextHop
from simcore.models.ndn.forwarder cimport Strategy
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport NACK_NO_ROUTE
from simcore.models.ndn.pit cimport OutRecord, PitEntry
from simcore.models.ndn.retx_suppression cimport NEW, SUPPRESS, RetxSuppression

from simcore.models.ndn.forwarder import register_strategy
from simcore.models.ndn.strategies.parameters import suppression_from


cdef class BestRoute(Strategy):
    """The cheapest next hop; a retransmission goes to the next one that has not been used."""

    name = "best-route"
    version = 5

    cdef readonly RetxSuppression suppression

    def __cinit__(self):
        self.suppression = RetxSuppression()

    def configure(self, parameters: dict[str, str]) -> None:
        """Take ``retx-suppression-initial``, ``-max`` (ms) and ``-multiplier``."""
        self.suppression = suppression_from(self, parameters)

    cpdef int after_receive_interest(
        self, Face ingress, Interest interest, PitEntry entry
    ) except -1:
        cdef int decision = self.suppression.decide_per_entry(entry, self.now())
        cdef list hops
        cdef NextHop hop
        cdef NextHop earliest = None
        cdef int64_t earliest_time = INT64_MAX
        cdef OutRecord* record
        if decision == SUPPRESS:
            return 0
        hops = self.lookup_fib(entry).nexthops
        if decision == NEW:
            for item in hops:
                hop = item
                if self.is_eligible(ingress, interest, hop):
                    self.send_interest(interest, hop.face, entry)
                    return 0
            self.send_nack(NACK_NO_ROUTE, ingress, entry)
            return self.reject(entry)
        for item in hops:
            hop = item
            if not self.is_eligible(ingress, interest, hop):
                continue
            if self.is_unused(entry, hop.face):
                self.send_interest(interest, hop.face, entry)
                return 0
            record = entry.out_record_of(hop.face)
            if record.last_renewed < earliest_time:
                earliest_time = record.last_renewed
                earliest = hop
        if earliest is not None:
            self.send_interest(interest, earliest.face, entry)
        return 0

    cpdef int after_receive_nack(
        self, Face ingress, Interest interest, int reason, PitEntry entry
    ) except -1:
        return self.return_nack(entry)


register_strategy(BestRoute)
