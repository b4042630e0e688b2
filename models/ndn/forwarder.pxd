"""The forwarder: NFD's pipelines, and the strategies that decide within them."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.ndn.content_store cimport ContentStore
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.dead_nonce_list cimport DeadNonceList
from simcore.models.ndn.face cimport Face, PacketSink
from simcore.models.ndn.fib cimport Fib, FibEntry, NextHop
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpFields
from simcore.models.ndn.name cimport Name
from simcore.models.ndn.pit cimport ExpiryListener, Pit, PitEntry
from simcore.models.ndn.prefix_table cimport PrefixTable
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport Simulator
from simcore.trace.source cimport TraceSource

# Which unsolicited Data is cached.
cdef enum:
    DROP_ALL = 0
    ADMIT_LOCAL = 1
    ADMIT_NETWORK = 2
    ADMIT_ALL = 3


cdef class Strategy:
    """Decides where Interests go. The `after_` methods are called, the others are for its use."""
    cdef readonly Forwarder forwarder     # None until it is chosen for a prefix
    cdef readonly Name instance_name
    cdef readonly bint wants_new_nexthop  # whether after_new_nexthop is called

    cpdef int after_receive_interest(
        self, Face ingress, Interest interest, PitEntry entry
    ) except -1
    cpdef int after_content_store_hit(
        self, Data data, Face ingress, Interest interest, PitEntry entry
    ) except -1
    cpdef int before_satisfy_interest(self, Data data, Face ingress, PitEntry entry) except -1
    cpdef int after_receive_data(self, Data data, Face ingress, PitEntry entry) except -1
    cpdef int after_receive_nack(
        self, Face ingress, Interest interest, int reason, PitEntry entry
    ) except -1
    cpdef int after_new_nexthop(self, NextHop nexthop, PitEntry entry) except -1
    cpdef int on_interest_loop(self, Face ingress, Interest interest) except -1

    cpdef bint send_interest(self, Interest interest, Face egress, PitEntry entry) except -1
    cpdef bint send_interest_with(
        self, Interest interest, Face egress, PitEntry entry, LpFields fields
    ) except -1
    cpdef int send_data(self, Data data, Face egress, PitEntry entry) except -1
    cpdef int send_data_to_all(self, Data data, Face ingress, PitEntry entry) except -1
    cpdef int send_nack(self, int reason, Face egress, PitEntry entry) except -1
    cpdef int send_nacks(self, int reason, PitEntry entry) except -1
    cpdef int reject(self, PitEntry entry) except -1
    cpdef int set_expiry(self, PitEntry entry, int64_t delay) except -1
    cpdef FibEntry lookup_fib(self, PitEntry entry)
    cpdef int return_nack(self, PitEntry entry) except -1
    cpdef bint is_eligible(self, Face ingress, Interest interest, NextHop nexthop) except -1
    cdef bint is_unused(self, PitEntry entry, Face face) noexcept
    cdef int64_t now(self) noexcept


cdef class StrategyChoice:
    cdef PrefixTable table
    cdef Forwarder forwarder

    cdef Strategy effective(self, Name name)
    cdef int forget(self, Name prefix) except -1


cdef class Counters:
    cdef readonly int64_t in_interests
    cdef readonly int64_t out_interests
    cdef readonly int64_t in_data
    cdef readonly int64_t out_data
    cdef readonly int64_t in_nacks
    cdef readonly int64_t out_nacks
    cdef readonly int64_t cs_hits
    cdef readonly int64_t cs_misses
    cdef readonly int64_t satisfied
    cdef readonly int64_t unsatisfied
    cdef readonly int64_t unsolicited_data
    cdef readonly int64_t pit_full        # Interests dropped because the PIT was full


cdef class Pipelines(ExpiryListener):
    """What the PIT calls; it is apart because a class has one base."""
    cdef Forwarder forwarder


cdef class Forwarder(PacketSink):
    cdef readonly Simulator sim
    cdef readonly int32_t node_id
    cdef readonly Fib fib
    cdef readonly Pit pit
    cdef readonly ContentStore cs
    cdef readonly DeadNonceList dead_nonces
    cdef readonly StrategyChoice strategy_choice
    cdef readonly object measurements
    cdef readonly object network_region
    cdef readonly object announced        # AnnouncedRoutes: made by prefix announcements
    cdef readonly Counters counters
    cdef readonly object trace            # TraceSet
    cdef readonly PacketSink processor    # what faces deliver to in its place, or None
    cdef readonly dict faces              # by number
    cdef readonly list face_listeners     # callables (face, was it added)
    cdef readonly int64_t pit_limit       # entries
    cdef int unsolicited
    cdef int default_hop_limit            # for Interests without one; 0: none
    cdef int64_t last_face_id
    cdef RandomStream nonces
    cdef PitEntry ending                  # entry whose time is over once its strategy has returned
    cdef LpFields data_fields             # fields of the Data under way, or None
    cdef int64_t data_face                # number of the face it came from
    cdef TraceSource satisfied_trace
    cdef TraceSource timed_out_trace

    cdef int content_store_miss(
        self, Face ingress, Interest interest, PitEntry entry, LpFields fields
    ) except -1
    cdef int content_store_hit(
        self, Face ingress, Interest interest, PitEntry entry, LpFields fields, Data data
    ) except -1
    cdef int interest_loop(self, Face ingress, Interest interest) except -1
    cdef bint outgoing_interest(self, Interest interest, Face egress, PitEntry entry) except -1
    cdef bint transmit_interest(
        self, Interest interest, Face egress, PitEntry entry, LpFields fields
    ) except -1
    cdef int satisfy(self, Data data, Face ingress, PitEntry entry) except -1
    cdef int mark_satisfied(self, Data data, PitEntry entry) noexcept
    cdef LpFields asked_by(self, PitEntry entry, Face face)
    cdef int satisfy_several(self, Data data, Face ingress, list entries) except -1
    cdef int outgoing_data(self, Data data, Face egress, LpFields asked) except -1
    cdef int outgoing_nack(self, int reason, Face egress, PitEntry entry) except -1
    cdef int unsolicited_data(self, Face ingress, Data data, LpFields fields) except -1
    cdef int finalize(self, PitEntry entry) except -1
    cdef int expire(self, PitEntry entry, int64_t delay) except -1
    cdef int finish(self, PitEntry entry, PitEntry outer) except -1
    cdef int bury(self, PitEntry entry, Face upstream) except -1
    cdef bint is_duplicate(self, PitEntry entry, Face ingress, Interest interest) noexcept
