"""Adaptive SRTT-based strategy, version 5 (NDN technical report 0042; NFD 24.07).

Next hops are measured where they are used. Working ones are ranked by their smoothed round-trip
time before unmeasured ones, and those before next hops that timed out; from time to time another
one than the best is probed.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t, uint32_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.face cimport Face
from simcore.models.ndn.fib cimport FibEntry, NextHop
from simcore.models.ndn.forwarder cimport Strategy
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport NACK_NO_ROUTE
from simcore.models.ndn.name cimport Name
from simcore.models.ndn.pit cimport OutRecord, PitEntry
from simcore.models.ndn.retx_suppression cimport FORWARD, SUPPRESS, RetxSuppression
from simcore.models.ndn.rtt cimport RttEstimator
from simcore.random.stream cimport RandomStream

from simcore import ms
from simcore.models.ndn.forwarder import refuse_parameters, register_strategy
from simcore.models.ndn.strategies.parameters import number, take_suppression

cdef enum:
    NS_PER_MS = 1_000_000
    MIN_PROBING_INTERVAL_MS = 1000
    LATEST_FIRST_PROBE_MS = 5000
    ANSWERS_OF_PROBES = 50_000_000     # how long satisfied entries stay, for slower answers, ns

cdef int64_t MAX_NONCE = 0xFFFFFFFF

# What the latest use of a face told, in place of a round-trip time.
cdef enum:
    UNMEASURED = -1
    TIMED_OUT = -2


@cython.final
cdef class FaceMeasurement:
    """A face in a namespace."""
    cdef readonly RttEstimator rtt
    cdef readonly int64_t last_rtt        # ns, UNMEASURED or TIMED_OUT
    cdef readonly int timeouts            # in a row
    cdef int64_t expiry                   # ns
    cdef object timer                     # Event of the Interest that is waited for, or None
    cdef Name waiting_for                 # its name

    cdef int stop_timer(self, Name name) except -1:
        """An answer to `name` came, or none in time."""
        if self.waiting_for is not None and name.has_prefix(self.waiting_for):
            if self.timer is not None:
                self.timer.cancel()
            self.timer = None
        return 0


@cython.final
cdef class Namespace:
    """What is measured for the names under one route."""
    cdef readonly dict faces              # FaceMeasurement by number of the face
    cdef readonly bint probing_is_due
    cdef readonly bint probing_is_planned


cdef class Asf(Strategy):
    """The next hop with the shortest round-trip time; others are probed now and then."""

    name = "asf"
    version = 5

    cdef readonly RetxSuppression suppression
    cdef readonly int64_t probing_interval        # ns
    cdef readonly int64_t measurements_lifetime   # ns
    cdef readonly int max_timeouts
    cdef RandomStream stream

    def __cinit__(self):
        self.configure({})

    def configure(self, parameters: dict[str, str]) -> None:
        """Take ``probing-interval``, ``measurements-lifetime`` (ms), ``max-timeouts``, and those
        of retransmission suppression.
        """
        rest = dict(parameters)
        self.suppression = take_suppression(rest)
        interval = number(rest, "probing-interval", 60_000)
        lifetime = number(rest, "measurements-lifetime", 300_000)
        timeouts = number(rest, "max-timeouts", 3)
        refuse_parameters(self, rest)
        if interval < MIN_PROBING_INTERVAL_MS:
            raise ValueError(f"probing-interval is {interval} ms: it must be at least 1000 ms")
        if not interval < lifetime <= 10**12:
            raise ValueError(
                f"measurements-lifetime is {lifetime} ms: it must be above the probing-interval "
                f"of {interval} ms"
            )
        if not 1 <= timeouts <= 10**6:
            raise ValueError(f"max-timeouts is {timeouts}: it must be at least 1")
        self.probing_interval = ms(interval)
        self.measurements_lifetime = ms(lifetime)
        self.max_timeouts = timeouts

    cdef RandomStream random(self):
        if self.stream is None:
            self.stream = self.forwarder.sim.random.stream(f"ndn/{self.forwarder.node_id}/asf")
        return self.stream

    cpdef int after_receive_interest(
        self, Face ingress, Interest interest, PitEntry entry
    ) except -1:
        cdef FibEntry routes = self.lookup_fib(entry)
        cdef Namespace namespace
        cdef bint fresh = not entry.has_pending_out(self.now())
        cdef Face face
        if not routes.nexthops:
            face = None
            namespace = None
        else:
            namespace = self.namespace_of(routes)
            face = self.best(ingress, interest, routes, namespace, entry, not fresh)
        if fresh:
            if face is None:
                self.send_nack(NACK_NO_ROUTE, ingress, entry)
                return self.reject(entry)
            self.forward(interest, face, namespace, entry)
            return self.probe(ingress, interest, face, routes, namespace, entry)
        if face is None:
            face = self.earliest(ingress, interest, routes, entry)
            if face is not None:
                self.forward_again(interest, face, None, entry)
            return 0
        return self.forward_again(interest, face, namespace, entry)

    cdef int forward_again(
        self, Interest interest, Face face, Namespace namespace, PitEntry entry
    ) except -1:
        """Forward a retransmission, unless it is too early; measure where it is a first use."""
        cdef int decision = self.suppression.decide_per_upstream(entry, face, self.now())
        cdef OutRecord* record
        if decision == SUPPRESS:
            return 0
        if namespace is not None:
            self.forward(interest, face, namespace, entry)
        else:
            self.send_interest(interest, face, entry)
        record = entry.out_record_of(face)
        if record != NULL and decision == FORWARD:
            self.suppression.grow(record)
        return 0

    cdef int forward(
        self, Interest interest, Face face, Namespace namespace, PitEntry entry
    ) except -1:
        cdef FaceMeasurement measured
        self.send_interest(interest, face, entry)
        measured = self.measurement_of(namespace, face)
        if measured is None:
            measured = FaceMeasurement()
            measured.rtt = RttEstimator()
            measured.last_rtt = UNMEASURED
            namespace.faces[face.id] = measured
        self.extend(measured)
        if measured.timer is None:
            measured.waiting_for = interest.name
            measured.timer = self.forwarder.sim.schedule(
                measured.rtt.timeout, self.timed_out, interest.name, face.id
            )
        return 0

    cdef int extend(self, FaceMeasurement measured) noexcept:
        measured.expiry = self.now() + self.measurements_lifetime
        return 0

    cdef FaceMeasurement measurement_of(self, Namespace namespace, Face face):
        cdef FaceMeasurement measured = namespace.faces.get(face.id)
        if measured is not None and measured.expiry <= self.now():
            del namespace.faces[face.id]
            return None
        return measured

    cdef Namespace namespace_of(self, FibEntry routes):
        """Measurements of a route, made if need be."""
        cdef Namespace namespace
        measurements = self.forwarder.measurements
        found = measurements.get(routes.prefix)
        measurements.extend(found, self.measurements_lifetime)
        if not isinstance(found.info, Namespace):
            namespace = Namespace()
            namespace.faces = {}
            found.info = namespace
        return found.info

    cdef Namespace known_namespace(self, Name name):
        measurements = self.forwarder.measurements
        found = measurements.longest(name, with_info=Namespace)
        if found is None:
            return None
        measurements.extend(found, self.measurements_lifetime)
        return found.info

    cdef Face best(
        self, Face ingress, Interest interest, FibEntry routes, Namespace namespace,
        PitEntry entry, bint unused,
    ):
        """The eligible next hop of the best rank; `unused`: without a pending Interest."""
        cdef NextHop hop
        cdef list ranked = []
        for item in routes.nexthops:
            hop = item
            if self.is_eligible(ingress, interest, hop) and not (
                unused and not self.is_unused(entry, hop.face)
            ):
                ranked.append((*self.rank(hop, namespace, 0), hop.face.id, hop.face))
        return None if not ranked else min(ranked, key=without_face)[4]

    cdef tuple rank(self, NextHop hop, Namespace namespace, int unmeasured):
        """(group, SRTT, cost), the lowest first.

        Groups: working 10, timed out 30, unmeasured 20, or `unmeasured` when that is not 0.
        """
        cdef FaceMeasurement measured = self.measurement_of(namespace, hop.face)
        if measured is None or measured.last_rtt == UNMEASURED:
            return (unmeasured if unmeasured else 20), INT64_MAX, hop.cost
        if measured.last_rtt == TIMED_OUT:
            return 30, INT64_MAX, hop.cost
        return 10, measured.rtt.smoothed, hop.cost

    cdef Face earliest(self, Face ingress, Interest interest, FibEntry routes, PitEntry entry):
        """The eligible next hop that was used the longest ago."""
        cdef NextHop hop
        cdef OutRecord* record
        cdef Face face = None
        cdef int64_t time = INT64_MAX
        for item in routes.nexthops:
            hop = item
            record = entry.out_record_of(hop.face)
            if record != NULL and record.last_renewed < time:
                if self.is_eligible(ingress, interest, hop):
                    time = record.last_renewed
                    face = hop.face
        return face

    cdef int probe(
        self, Face ingress, Interest interest, Face used, FibEntry routes, Namespace namespace,
        PitEntry entry,
    ) except -1:
        """Send a copy to another next hop when that is due."""
        cdef Face face
        cdef uint32_t nonce
        if not namespace.probing_is_planned:
            namespace.probing_is_planned = True
            self.plan_probe(
                routes, self.random().integer_c(0, LATEST_FIRST_PROBE_MS) * NS_PER_MS
            )
        if not namespace.probing_is_due:
            return 0
        face = self.face_to_probe(ingress, interest, used, routes, namespace)
        if face is None:
            return 0
        nonce = <uint32_t>self.random().integer_c(0, MAX_NONCE)
        self.forward(interest.with_nonce(nonce), face, namespace, entry)
        namespace.probing_is_due = False
        return self.plan_probe(routes, self.probing_interval)

    cdef int plan_probe(self, FibEntry routes, int64_t delay) except -1:
        self.forwarder.sim.schedule(delay, self.probe_is_due, routes.prefix)
        return 0

    def probe_is_due(self, Name prefix not None):
        """The next Interest under a prefix is sent to another next hop too."""
        cdef Namespace namespace = self.known_namespace(prefix)
        if namespace is not None:
            namespace.probing_is_due = True

    cdef Face face_to_probe(
        self, Face ingress, Interest interest, Face used, FibEntry routes, Namespace namespace
    ):
        """The first unmeasured next hop, else one drawn by rank: (n + 1 - rank) / (n (n + 1) / 2).
        """
        cdef NextHop hop
        cdef list ranked = []
        cdef double left
        cdef int n
        for item in routes.nexthops:
            hop = item
            if (
                hop.face is not ingress and hop.face is not used
                and self.is_eligible(ingress, interest, hop)
            ):
                ranked.append((*self.rank(hop, namespace, 5), hop.face.id, hop.face))
        if not ranked:
            return None
        ranked.sort(key=without_face)
        if ranked[0][0] == 5:
            return ranked[0][4]
        n = len(ranked)
        left = self.random().next_double() * (n * (n + 1) / 2.0)
        for i in range(n):
            left -= n - i
            if left <= 0:
                return ranked[i][4]
        return ranked[n - 1][4]

    cpdef int before_satisfy_interest(self, Data data, Face ingress, PitEntry entry) except -1:
        cdef Namespace namespace = self.known_namespace(entry.interest.name)
        cdef FaceMeasurement measured
        cdef OutRecord* record
        if namespace is None:
            return 0
        measured = self.measurement_of(namespace, ingress)
        if measured is None:
            return 0
        record = entry.out_record_of(ingress)
        if record != NULL:
            measured.last_rtt = self.now() - record.last_renewed
            measured.rtt.add_c(measured.last_rtt, 1)
        self.extend(measured)
        self.set_expiry(entry, ANSWERS_OF_PROBES)
        measured.stop_timer(data.name)
        measured.timeouts = 0
        return 0

    cpdef int after_receive_nack(
        self, Face ingress, Interest interest, int reason, PitEntry entry
    ) except -1:
        self.no_answer(entry.interest.name, ingress.id, True)
        return self.return_nack(entry)

    def timed_out(self, Name name not None, int64_t face_id):
        """No answer came within the timeout of a face."""
        self.no_answer(name, face_id, False)

    cdef int no_answer(self, Name name, int64_t face_id, bint nacked) except -1:
        cdef Namespace namespace = self.known_namespace(name)
        cdef FaceMeasurement measured
        if namespace is None:
            return 0
        measured = namespace.faces.get(face_id)
        if measured is None:
            return 0
        measured.timeouts += 1
        if measured.timeouts < self.max_timeouts and not nacked:
            self.extend(measured)
            measured.stop_timer(name)
            return 0
        measured.last_rtt = TIMED_OUT
        measured.stop_timer(name)
        measured.timeouts = 0
        return 0


def without_face(tuple ranked not None) -> tuple[int, int, int, int]:
    """Rank without the face, as a sort key."""
    return ranked[:4]


register_strategy(Asf)
