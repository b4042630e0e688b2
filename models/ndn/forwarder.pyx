"""The forwarder's pipelines (NFD Developer's Guide 4; NFD 24.07)."""

from importlib import import_module

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from simcore.models.ndn.component cimport GENERIC, VERSION, Component, numeric_component
from simcore.models.ndn.content_store cimport ContentStore
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.dead_nonce_list cimport DeadNonceList
from simcore.models.ndn.face cimport (
    AD_HOC, CONTENT_STORE_FACE, FIRST_FACE, POINT_TO_POINT, Face, PacketSink,
)
from simcore.models.ndn.fib cimport Fib, FibEntry, NextHop
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport (
    NACK_DUPLICATE, NACK_NONE, NO_CACHE, LpFields, new_fields, severity,
)
from simcore.models.ndn.name cimport Name, name_from
from simcore.models.ndn.pit cimport NO_NACK, ExpiryListener, InRecord, OutRecord, Pit, PitEntry
from simcore.models.ndn.prefix_table cimport MAX_DEPTH, PrefixTable
from simcore.simulator cimport Simulator
from simcore.trace.source cimport TraceSet

from simcore.models.ndn.announcement import AnnouncedRoutes
from simcore.models.ndn.measurements import Measurements
from simcore.models.ndn.network_region import NetworkRegionTable
from simcore.models.ndn.processing import Processor
from simcore.models.ndn.service_models import service_model_from

cdef enum:
    DEFAULT_PIT_LIMIT = 1 << 20
    VERSION_MARKER = 0xFD      # of version components before types had meanings

cdef int64_t MAX_NONCE = 0xFFFFFFFF

STRATEGY_PREFIX = "/localhost/nfd/strategy"

# What NFD's sample configuration chooses.
DEFAULT_STRATEGIES = {
    "/": "best-route",
    "/localhost": "multicast",
    "/localhost/nfd": "best-route",
    "/ndn/broadcast": "multicast",
}

UNSOLICITED_POLICIES = {
    "drop-all": DROP_ALL,
    "admit-local": ADMIT_LOCAL,
    "admit-network": ADMIT_NETWORK,
    "admit-all": ADMIT_ALL,
}


cdef inline bint is_localhost(Name name) noexcept:
    return name.starts_with(b"\x08\x09localhost", 11)


cdef inline bint is_localhop(Name name) noexcept:
    return name.starts_with(b"\x08\x08localhop", 10)


cdef inline void count_nack(Face face, Interest interest) noexcept:
    face.counters.out_nacks += 1
    face.counters.out_nack_bytes += interest.size


include "strategy.pxi"
include "header_fields.pxi"


@cython.final
cdef class Counters:
    """Packets and decisions of a forwarder, by NFD's names."""

    def as_dict(self):
        """Counters by name."""
        return {
            "in_interests": self.in_interests,
            "out_interests": self.out_interests,
            "in_data": self.in_data,
            "out_data": self.out_data,
            "in_nacks": self.in_nacks,
            "out_nacks": self.out_nacks,
            "cs_hits": self.cs_hits,
            "cs_misses": self.cs_misses,
            "satisfied": self.satisfied,
            "unsatisfied": self.unsatisfied,
            "unsolicited_data": self.unsolicited_data,
            "pit_full": self.pit_full,
        }


@cython.final
cdef class Pipelines(ExpiryListener):
    """Hands the end of PIT entries to a forwarder."""

    cdef int entry_expired(self, PitEntry entry) except -1:
        return self.forwarder.finalize(entry)


@cython.final
cdef class Forwarder(PacketSink):
    """An NDN forwarder: tables, faces and NFD's pipelines between them.

    Parameters
    ----------
    sim : Simulator
    node_id : int
        Names the forwarder's random streams.
    cs_capacity : int
        Packets; 0 for no cache.
    cs_policy : str or CachePolicy
        ``"lru"``, ``"priority-fifo"``, or a policy of one's own.
    strategy : Strategy, type or str
        For ``/``; the other prefixes have NFD's defaults.
    unsolicited : str
        Which Data that nobody asked for is cached: ``"drop-all"``, ``"admit-local"``,
        ``"admit-network"`` or ``"admit-all"``.
    default_hop_limit : int
        Given to Interests that have none; 0 for no limit.
    dead_nonce_lifetime : int
        ns.
    dead_nonce_limit : int
        Entries of the dead nonce list, at least 1,024; it follows the rate up to there.
    pit_limit : int
        Pending Interests at a time; more are dropped and counted.
    service_model : ServiceModel or str
        Time that packets take: a model, or the name of one in `SERVICE_MODELS`; ``"none"`` for no
        time at all.

    Attributes
    ----------
    face_listeners : list of callable
        Called with (face, True) when a face was added, and with (face, False) when it was removed.

    Raises
    ------
    ValueError
        When a parameter is out of range or unknown.

    Notes
    -----
    Trace sources: ``satisfied`` with (PIT entry, Data, face it came from or None for the cache)
    while the entry still has its records, and ``timed_out`` with (PIT entry) when one ends without
    Data.
    """

    def __init__(
        self, Simulator sim not None, int node_id=0, *, cs_capacity=65536, cs_policy="lru",
        strategy="best-route", str unsolicited="drop-all", int default_hop_limit=0,
        dead_nonce_lifetime=6_000_000_000, dead_nonce_limit=1 << 24,
        int64_t pit_limit=DEFAULT_PIT_LIMIT,
        service_model="none",
    ):
        cdef Pipelines pipelines = Pipelines()
        cdef TraceSet trace
        if unsolicited not in UNSOLICITED_POLICIES:
            raise ValueError(
                f"unsolicited is {unsolicited!r}: it must be one of {list(UNSOLICITED_POLICIES)}"
            )
        if not 0 <= default_hop_limit <= 255:
            raise ValueError(f"default_hop_limit is {default_hop_limit}: it must be 0 to 255")
        if pit_limit < 1:
            raise ValueError(f"pit_limit is {pit_limit} entries: it must be at least 1")
        trace = TraceSet(
            self,
            satisfied="(entry, data, face) Data answers a pending Interest; no face: the cache",
            timed_out="(entry) a pending Interest ends without Data",
        )
        self.trace = trace
        self.satisfied_trace = trace.source("satisfied")
        self.timed_out_trace = trace.source("timed_out")
        pipelines.forwarder = self
        self.sim = sim
        self.node_id = node_id
        self.unsolicited = UNSOLICITED_POLICIES[unsolicited]
        self.default_hop_limit = default_hop_limit
        self.pit_limit = pit_limit
        self.counters = Counters()
        self.faces = {}
        self.face_listeners = []
        self.last_face_id = FIRST_FACE - 1
        self.nonces = sim.random.stream(f"ndn/{node_id}/nonces")
        self.fib = Fib(self.new_nexthop)
        self.pit = Pit(pipelines, sim)
        self.cs = ContentStore(cs_capacity, cs_policy)
        self.dead_nonces = DeadNonceList(
            dead_nonce_lifetime, now=sim.now_ns, limit=dead_nonce_limit
        )
        self.measurements = Measurements(sim)
        self.network_region = NetworkRegionTable()
        self.announced = AnnouncedRoutes(self)
        self.strategy_choice = StrategyChoice(self)
        for prefix, choice in DEFAULT_STRATEGIES.items():
            self.strategy_choice.set(prefix, strategy if prefix == "/" else choice)
        if service_model_from(service_model) is not None:
            self.processor = Processor(sim, self, self.cs, service_model)

    def add_face(self, Face face not None):
        """Take a face, which gets a number and can then be used.

        Returns
        -------
        Face
        """
        if face.sink is not None:
            raise ValueError(f"{face!r} belongs to a forwarder already")
        self.last_face_id += 1
        face.id = self.last_face_id
        face.sink = self if self.processor is None else self.processor
        face.is_open = True
        self.faces[face.id] = face
        for listener in self.face_listeners:
            listener(face, True)
        return face

    def remove_face(self, Face face not None):
        """Close a face: its routes go, and its part in pending Interests."""
        cdef PitEntry entry
        if self.faces.pop(face.id, None) is None:
            return
        face.is_open = False
        self.fib.remove_face(face)
        for item in self.pit.entries:
            entry = item
            entry.delete_in(face)
            entry.delete_out(face)
        for listener in self.face_listeners:
            listener(face, False)

    def add_route(self, prefix, Face face not None, cost=0):
        """Add a next hop to a prefix; see `Fib.add`."""
        if self.faces.get(face.id) is not face:
            raise ValueError(f"{face!r} is no face of this forwarder")
        return self.fib.add(prefix, face, cost)

    cdef int receive_interest(self, Face ingress, Interest interest, LpFields fields) except -1:
        cdef PitEntry entry
        cdef Data data
        self.counters.in_interests += 1
        if self.pit.alarm <= self.sim.now_ns:
            # Pending Interests end before what arrives at the same time.
            self.pit.end_due()
        if interest.hops_left >= 0:
            if interest.hops_left == 0:
                ingress.counters.in_hop_limit_zero += 1
                return 0
            interest = interest.with_hop_limit(interest.hops_left - 1)
        if not ingress.is_local and is_localhost(interest.name):
            return 0
        if not interest.has_nonce:
            interest = interest.with_nonce(<uint32_t>self.nonces.integer_c(0, MAX_NONCE))
        if self.dead_nonces.contains(interest.name, interest.nonce_value, self.sim.now_ns):
            return self.interest_loop(ingress, interest)
        if interest.forwarding_hint and self.network_region.is_in_producer_region(
            interest.forwarding_hint
        ):
            interest = interest.without_hint()
        entry = self.pit.find(interest)
        if entry is None:
            if self.pit.size >= self.pit_limit:
                self.counters.pit_full += 1
                return 0
            entry = self.pit.add(interest)
        elif self.is_duplicate(entry, ingress, interest):
            return self.interest_loop(ingress, interest)
        if entry.in_count == 0:
            data = self.cs.find_c(interest, self.sim.now_ns)
            if data is not None:
                return self.content_store_hit(ingress, interest, entry, fields, data)
            self.counters.cs_misses += 1
        return self.content_store_miss(ingress, interest, entry, fields)

    cdef bint is_duplicate(self, PitEntry entry, Face ingress, Interest interest) noexcept:
        """Whether an Interest with this nonce is pending, so that this one has gone in a circle.

        From the same face of a point-to-point link it is a retransmission.
        """
        cdef bint same = False
        cdef bint other = False
        cdef uint32_t nonce = interest.nonce_value
        cdef int i
        for i in range(entry.in_count):
            if (<Interest>entry.in_record(i).interest).nonce_value == nonce:
                if entry.in_record(i).face == <PyObject*>ingress:
                    same = True
                else:
                    other = True
        if same and ingress.link_type == POINT_TO_POINT:
            return False
        for i in range(entry.out_count):
            if entry.out_record(i).nonce == nonce:
                other = True
        return same or other

    cdef int interest_loop(self, Face ingress, Interest interest) except -1:
        return self.strategy_choice.effective(interest.name).on_interest_loop(ingress, interest)

    cdef int content_store_hit(
        self, Face ingress, Interest interest, PitEntry entry, LpFields fields, Data data
    ) except -1:
        cdef PitEntry outer = self.ending
        # Faces of applications deliver at once: another packet's pipeline may be under way.
        cdef LpFields outer_fields = self.data_fields
        cdef int64_t outer_face = self.data_face
        self.counters.cs_hits += 1
        # The in-record is there while the strategy answers: it has the token of the asker.
        entry.put_in(ingress, interest, fields, self.sim.now_ns)
        if self.satisfied_trace.active:
            self.satisfied_trace.emit3(entry, data, None)
        self.mark_satisfied(data, entry)
        self.ending = entry
        self.data_fields = None
        if self.cs.found_hops:
            self.data_fields = new_fields()
            self.data_fields.hop_count = self.cs.found_hops
        self.data_face = CONTENT_STORE_FACE
        self.strategy_choice.effective(interest.name).after_content_store_hit(
            data, ingress, interest, entry
        )
        self.data_fields = outer_fields
        self.data_face = outer_face
        entry.delete_in(ingress)
        return self.finish(entry, outer)

    cdef int content_store_miss(
        self, Face ingress, Interest interest, PitEntry entry, LpFields fields
    ) except -1:
        cdef int64_t last
        cdef Face chosen
        cdef PitEntry outer = self.ending
        if self.default_hop_limit and interest.hops_left < 0:
            interest = interest.with_hop_limit(self.default_hop_limit)
        entry.put_in(ingress, interest, fields, self.sim.now_ns)
        last = entry.last_in_expiry()
        entry.expire_in(last - self.sim.now_ns)
        if fields is not None and fields.next_hop_face_id >= 0:
            chosen = self.faces.get(fields.next_hop_face_id)
            if chosen is not None:
                self.outgoing_interest(interest, chosen, entry)
            return 0
        self.ending = None
        self.strategy_choice.effective(interest.name).after_receive_interest(
            ingress, interest, entry
        )
        return self.finish(entry, outer)

    cdef bint outgoing_interest(self, Interest interest, Face egress, PitEntry entry) except -1:
        cdef InRecord* record
        cdef LpFields fields = None
        cdef int i
        for i in range(entry.in_count):
            record = entry.in_record(i)
            if record.fields != NULL and record.interest == <PyObject*>interest:
                fields = passed_on(<LpFields>record.fields)
        return self.transmit_interest(interest, egress, entry, fields)

    cdef bint transmit_interest(
        self, Interest interest, Face egress, PitEntry entry, LpFields fields
    ) except -1:
        if interest.hops_left == 0 and not egress.is_local:
            egress.counters.out_hop_limit_zero += 1
            return False
        if not egress.is_open:
            return False
        entry.put_out(egress, interest, self.sim.now_ns)
        self.counters.out_interests += 1
        egress.counters.out_interests += 1
        egress.counters.out_interest_bytes += interest.size
        egress.send_interest(interest, fields)
        return True

    cdef int receive_data(self, Face ingress, Data data, LpFields fields) except -1:
        cdef PitEntry entry
        cdef bint several = False
        cdef list entries = None
        cdef LpFields outer_fields = self.data_fields
        cdef int64_t outer_face = self.data_face
        self.counters.in_data += 1
        if self.pit.alarm <= self.sim.now_ns:
            # Pending Interests end before what arrives at the same time.
            self.pit.end_due()
        if not ingress.is_local and is_localhost(data.name):
            return 0
        entry = self.pit.sole_match(data, &several)
        if several:
            entries = self.pit.matches(data)
            if len(entries) == 1:
                entry = entries[0]
        if entry is None and not entries:
            return self.unsolicited_data(ingress, data, fields)
        if fields is None or fields.cache_policy != NO_CACHE:
            self.cs.insert_c(
                data, False, self.sim.now_ns, 0 if fields is None else fields.hop_count
            )
        self.data_fields = fields
        self.data_face = ingress.id
        if entry is not None:
            self.satisfy(data, ingress, entry)
        else:
            self.satisfy_several(data, ingress, entries)
        self.data_fields = outer_fields
        self.data_face = outer_face
        return 0

    cdef int satisfy(self, Data data, Face ingress, PitEntry entry) except -1:
        cdef PitEntry outer = self.ending
        if self.satisfied_trace.active:
            self.satisfied_trace.emit3(entry, data, ingress)
        self.ending = entry
        self.strategy_choice.effective(entry.interest.name).after_receive_data(
            data, ingress, entry
        )
        self.mark_satisfied(data, entry)
        self.bury(entry, ingress)
        entry.delete_out(ingress)
        return self.finish(entry, outer)

    cdef int mark_satisfied(self, Data data, PitEntry entry) noexcept:
        entry.is_satisfied = True
        entry.remember_nonces = (
            entry.interest.must_be_fresh and data.freshness_ns() < self.dead_nonces.lifetime
        )
        return 0

    cdef int satisfy_several(self, Data data, Face ingress, list entries) except -1:
        cdef int64_t now = self.sim.now_ns
        cdef PitEntry entry
        cdef PitEntry outer
        cdef InRecord* record
        cdef Face face
        cdef dict pending = {}
        for item in entries:
            entry = item
            outer = self.ending
            for i in range(entry.in_count):
                record = entry.in_record(i)
                if record.expiry > now:
                    pending.setdefault(
                        <Face>record.face,
                        None if record.fields == NULL else <LpFields>record.fields,
                    )
            if self.satisfied_trace.active:
                self.satisfied_trace.emit3(entry, data, ingress)
            self.ending = entry
            self.strategy_choice.effective(entry.interest.name).before_satisfy_interest(
                data, ingress, entry
            )
            self.mark_satisfied(data, entry)
            self.bury(entry, ingress)
            entry.clear_in()
            entry.delete_out(ingress)
            self.finish(entry, outer)
        for item in sorted(pending, key=face_number):
            face = item
            if face is not ingress or face.link_type == AD_HOC:
                self.outgoing_data(data, face, pending[face])
        return 0

    cdef int outgoing_data(self, Data data, Face egress, LpFields asked) except -1:
        if not egress.is_open:
            return 0
        if not egress.is_local and is_localhost(data.name):
            return 0
        self.counters.out_data += 1
        egress.counters.out_data += 1
        egress.counters.out_data_bytes += data.size
        return egress.send_data(data, answered(self.data_fields, asked, egress, self.data_face))

    cdef int unsolicited_data(self, Face ingress, Data data, LpFields fields) except -1:
        self.counters.unsolicited_data += 1
        if self.unsolicited == ADMIT_ALL or self.unsolicited == (
            ADMIT_LOCAL if ingress.is_local else ADMIT_NETWORK
        ):
            if fields is None or fields.cache_policy != NO_CACHE:
                self.cs.insert_c(
                    data, True, self.sim.now_ns, 0 if fields is None else fields.hop_count
                )
        return 0

    cdef int receive_nack(
        self, Face ingress, Interest interest, int reason, LpFields fields
    ) except -1:
        cdef PitEntry entry
        cdef OutRecord* record
        cdef PitEntry outer = self.ending
        self.counters.in_nacks += 1
        if ingress.link_type != POINT_TO_POINT:
            return 0
        if self.pit.alarm <= self.sim.now_ns:
            self.pit.end_due()
        entry = self.pit.find(interest)
        if entry is None:
            return 0
        record = entry.out_record_of(ingress)
        if record == NULL or record.nonce != interest.nonce_value:
            return 0
        record.nack_reason = reason
        self.ending = None if entry.has_pending_out(self.sim.now_ns) else entry
        self.strategy_choice.effective(interest.name).after_receive_nack(
            ingress, interest, reason, entry
        )
        return self.finish(entry, outer)

    cdef int outgoing_nack(self, int reason, Face egress, PitEntry entry) except -1:
        cdef InRecord* record = entry.in_record_of(egress)
        cdef Interest interest
        cdef LpFields fields = None
        if not egress.is_open or record == NULL or egress.link_type != POINT_TO_POINT:
            return 0
        interest = <Interest>record.interest
        if record.fields != NULL and (<LpFields>record.fields).pit_token is not None:
            fields = new_fields()
            fields.pit_token = (<LpFields>record.fields).pit_token
        entry.delete_in(egress)
        self.counters.out_nacks += 1
        count_nack(egress, interest)
        return egress.send_nack(interest, reason, fields)

    cdef int expire(self, PitEntry entry, int64_t delay) except -1:
        """Let an entry end after `delay` ns; at 0, when the pipeline under way is through."""
        if delay == 0:
            self.ending = entry
            return 0
        if self.ending is entry:
            self.ending = None
        return entry.expire_in(delay)

    cdef int finish(self, PitEntry entry, PitEntry outer) except -1:
        """A strategy has returned: end the entry if that was decided."""
        cdef bint over = self.ending is entry
        self.ending = outer
        if over:
            self.finalize(entry)
        return 0

    cdef int finalize(self, PitEntry entry) except -1:
        if entry.pit == NULL:
            return 0
        if entry.is_satisfied:
            self.counters.satisfied += 1
        else:
            self.counters.unsatisfied += 1
            if self.timed_out_trace.active:
                self.timed_out_trace.emit1(entry)
        self.bury(entry, None)
        return self.pit.erase(entry)

    cdef int bury(self, PitEntry entry, Face upstream) except -1:
        """Remember the nonces sent, of one upstream or all, where a loop could come back late."""
        cdef int i
        cdef int64_t now = self.sim.now_ns
        if entry.is_satisfied and not entry.remember_nonces:
            return 0
        for i in range(entry.out_count):
            if upstream is None or entry.out_record(i).face == <PyObject*>upstream:
                self.dead_nonces.insert(entry.interest.name, entry.out_record(i).nonce, now)
        return 0

    cdef LpFields asked_by(self, PitEntry entry, Face face):
        """Header fields of a face's Interest, or None."""
        cdef InRecord* record = entry.in_record_of(face)
        return None if record == NULL or record.fields == NULL else <LpFields>record.fields

    def new_nexthop(self, FibEntry changed not None, NextHop nexthop not None):
        """Tell strategies that want to know that pending Interests have another next hop."""
        cdef PitEntry entry
        cdef Strategy strategy
        if self.pit is None or self.pit.size == 0:
            return
        for item in self.pit.entries:
            entry = item
            if self.fib.longest(entry.interest.name) is changed:
                strategy = self.strategy_choice.effective(entry.interest.name)
                if strategy.wants_new_nexthop:
                    strategy.after_new_nexthop(nexthop, entry)

    def __repr__(self):
        return f"<Forwarder of node {self.node_id}>"


def face_number(Face face not None) -> int:
    """Number of a face, as a sort key."""
    return face.id
