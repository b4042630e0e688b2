"""Random strategy, version 1 (NFD 24.07)."""

from libc.stdint cimport int64_t

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.fib cimport NextHop
from simcore.models.ndn.forwarder cimport Strategy
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport NACK_NO_ROUTE
from simcore.models.ndn.pit cimport PitEntry
from simcore.random.stream cimport RandomStream

from simcore.models.ndn.forwarder import register_strategy


cdef class Random(Strategy):
    """One of the next hops, each as likely as another; retransmissions too."""

    name = "random"
    version = 1

    cdef RandomStream stream

    cpdef int after_receive_interest(
        self, Face ingress, Interest interest, PitEntry entry
    ) except -1:
        cdef list hops = [
            hop for hop in self.lookup_fib(entry).nexthops
            if self.is_eligible(ingress, interest, <NextHop>hop)
        ]
        cdef int64_t i
        if not hops:
            self.send_nack(NACK_NO_ROUTE, ingress, entry)
            return self.reject(entry)
        if self.stream is None:
            self.stream = self.forwarder.sim.random.stream(
                f"ndn/{self.forwarder.node_id}/random"
            )
        i = self.stream.integer_c(0, len(hops) - 1)
        self.send_interest(interest, (<NextHop>hops[i]).face, entry)
        return 0

    cpdef int after_receive_nack(
        self, Face ingress, Interest interest, int reason, PitEntry entry
    ) except -1:
        return self.return_nack(entry)


register_strategy(Random)
