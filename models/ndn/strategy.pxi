# The base of strategies and the table that assigns them to prefixes. Part of forwarder.pyx, so that
# the pipelines and the strategies' actions call each other within one unit.

cdef class Strategy:
    """Decides where Interests go; override `after_receive_interest`, and what else is needed.

    Attributes
    ----------
    name : str
        Last part of ``/localhost/nfd/strategy/<name>``, a class attribute.
    version : int
        Class attribute.
    """

    name = ""
    version = 1

    def configure(self, parameters: dict[str, str]) -> None:
        """Take the parameters of the instance name (``/param~value``).

        Raises
        ------
        ValueError
            When there is one that the strategy does not know.
        """
        refuse_parameters(self, parameters)

    cpdef int after_receive_interest(
        self, Face ingress, Interest interest, PitEntry entry
    ) except -1:
        """An Interest is to be forwarded, or not."""
        raise NotImplementedError(f"{type(self).__name__} does not forward Interests")

    cpdef int after_content_store_hit(
        self, Data data, Face ingress, Interest interest, PitEntry entry
    ) except -1:
        """The content store has Data; it is sent back."""
        self.forwarder.outgoing_data(data, ingress, self.forwarder.asked_by(entry, ingress))
        return 0

    cpdef int before_satisfy_interest(self, Data data, Face ingress, PitEntry entry) except -1:
        """Data came that satisfies an entry."""
        return 0

    cpdef int after_receive_data(self, Data data, Face ingress, PitEntry entry) except -1:
        """Data came that satisfies this entry only; it is sent to everybody who asked."""
        self.before_satisfy_interest(data, ingress, entry)
        return self.send_data_to_all(data, ingress, entry)

    cpdef int after_receive_nack(
        self, Face ingress, Interest interest, int reason, PitEntry entry
    ) except -1:
        """A Nack came, and is noted in the out-record."""
        return 0

    cpdef int after_new_nexthop(self, NextHop nexthop, PitEntry entry) except -1:
        """A next hop was added to the FIB entry that the pending Interest uses."""
        return 0

    cpdef int on_interest_loop(self, Face ingress, Interest interest) except -1:
        """An Interest came a second time; a point-to-point neighbour is told."""
        if ingress.link_type == POINT_TO_POINT:
            self.forwarder.counters.out_nacks += 1
            count_nack(ingress, interest)
            ingress.send_nack(interest, NACK_DUPLICATE, None)
        return 0

    cpdef bint send_interest(self, Interest interest, Face egress, PitEntry entry) except -1:
        """Send an Interest; False when its hop limit does not allow that."""
        return self.forwarder.outgoing_interest(interest, egress, entry)

    cpdef bint send_interest_with(
        self, Interest interest, Face egress, PitEntry entry, LpFields fields
    ) except -1:
        """Send an Interest with header fields of one's own."""
        return self.forwarder.transmit_interest(interest, egress, entry, fields)

    cpdef int send_data(self, Data data, Face egress, PitEntry entry) except -1:
        """Send Data to one who asked, whose in-record goes."""
        cdef InRecord* record = entry.in_record_of(egress)
        cdef LpFields asked = None
        if record != NULL:
            if record.fields != NULL:
                asked = <LpFields>record.fields
            entry.delete_in(egress)
        return self.forwarder.outgoing_data(data, egress, asked)

    cpdef int send_data_to_all(self, Data data, Face ingress, PitEntry entry) except -1:
        """Send Data to everybody whose Interest has not expired, but not back to its sender."""
        cdef int64_t now = self.forwarder.sim.now_ns
        cdef InRecord* record
        cdef Face face
        cdef list pending
        if entry.in_count == 1:
            record = entry.in_record(0)
            face = <Face>record.face
            if record.expiry > now and (face is not ingress or face.link_type == AD_HOC):
                self.send_data(data, face, entry)
            return 0
        pending = [
            <object>entry.in_record(i).face
            for i in range(entry.in_count) if entry.in_record(i).expiry > now
        ]
        for item in pending:
            face = item
            if face is not ingress or face.link_type == AD_HOC:
                self.send_data(data, face, entry)
        return 0

    cpdef int send_nack(self, int reason, Face egress, PitEntry entry) except -1:
        """Send a Nack to one who asked, whose in-record goes."""
        return self.forwarder.outgoing_nack(reason, egress, entry)

    cpdef int send_nacks(self, int reason, PitEntry entry) except -1:
        """Send a Nack to everybody who asked."""
        for face in entry.in_faces:
            self.forwarder.outgoing_nack(reason, face, entry)
        return 0

    cpdef int reject(self, PitEntry entry) except -1:
        """Give a pending Interest up: nothing was or will be sent for it."""
        return self.forwarder.expire(entry, 0)

    cpdef int set_expiry(self, PitEntry entry, int64_t delay) except -1:
        """Set the time after which an entry ends, ns from now."""
        return self.forwarder.expire(entry, delay)

    cpdef FibEntry lookup_fib(self, PitEntry entry):
        """Routes of a pending Interest: by its forwarding hint, if it has one, else its name."""
        cdef Fib fib = self.forwarder.fib
        cdef FibEntry found
        if not entry.interest.forwarding_hint:
            return fib.longest(entry.interest.name)
        for delegation in entry.interest.forwarding_hint:
            found = fib.longest(<Name>delegation)
            if found.nexthops:
                break
        return found

    cpdef int return_nack(self, PitEntry entry) except -1:
        """Nack downstream what all upstreams Nacked, with the least severe reason.

        When one upstream is left that is a downstream too, it is told at once: each of two
        neighbours would otherwise wait for the other.
        """
        cdef int waiting = 0
        cdef int reason = NACK_NONE
        cdef Face last = None
        cdef OutRecord* record
        cdef int i
        for i in range(entry.out_count):
            record = entry.out_record(i)
            if record.nack_reason == NO_NACK:
                waiting += 1
                last = <Face>record.face
            elif severity(record.nack_reason) < severity(reason):
                reason = record.nack_reason
        if waiting == 1 and entry.in_record_of(last) != NULL:
            return self.send_nack(reason, last, entry)
        if waiting == 0:
            return self.send_nacks(reason, entry)
        return 0

    cpdef bint is_eligible(self, Face ingress, Interest interest, NextHop nexthop) except -1:
        """Whether an Interest may go to a next hop: not back to its sender, nor out of scope."""
        cdef Face face = nexthop.face
        if face is ingress and face.link_type != AD_HOC:
            return False
        return not violates_scope(ingress, interest, face)

    @property
    def data_fields(self):
        """Header fields that the Data under way came with, or None."""
        return self.forwarder.data_fields

    def attach_announcement(self, bytes announcement not None):
        """Send the Data under way with a prefix announcement (wire format)."""
        cdef LpFields fields = self.forwarder.data_fields
        fields = new_fields() if fields is None else fields.copy()
        fields.prefix_announcement = announcement
        self.forwarder.data_fields = fields

    cdef bint is_unused(self, PitEntry entry, Face face) noexcept:
        """Whether no Interest is pending at an upstream."""
        cdef OutRecord* record = entry.out_record_of(face)
        return record == NULL or record.expiry <= self.forwarder.sim.now_ns

    cdef int64_t now(self) noexcept:
        return self.forwarder.sim.now_ns

    def __repr__(self):
        return f"<{type(self).__name__} {self.instance_name}>"


def refuse_parameters(Strategy strategy not None, dict parameters not None) -> None:
    """Raise for parameters that a strategy does not have."""
    if parameters:
        raise StrategyError(
            409, f"strategy {strategy.name} has no parameter {next(iter(parameters))!r}"
        )


cdef bint violates_scope(Face ingress, Interest interest, Face egress) noexcept:
    """Scope of /localhost and /localhop (NFD wiki, "ScopeControl")."""
    if egress.is_local:
        return False
    if is_localhost(interest.name):
        return True
    return is_localhop(interest.name) and not ingress.is_local


class StrategyError(ValueError):
    """A strategy that cannot be set; `code` is the status that NFD's management answers."""

    def __init__(self, int code, str message):
        super().__init__(message)
        self.code = code


# Strategies that can be chosen by name.
STRATEGIES = {}


def register_strategy(type kind not None):
    """Make a strategy known by its name; a class decorator."""
    STRATEGIES[kind.name] = kind
    return kind


def strategy_from(given) -> Strategy:
    """Strategy of an instance, a class, a short name, or an instance name.

    Raises
    ------
    StrategyError
        When it is unknown (404), or a parameter or the version is not supported (409).
    """
    cdef Name name, prefix
    if isinstance(given, Strategy):
        return given
    if isinstance(given, type) and issubclass(given, Strategy):
        return given()
    # Here because the strategies are built on this module.
    import_module("simcore.models.ndn.strategies")
    text = str(given)
    name = name_from(given)
    prefix = name_from(STRATEGY_PREFIX)
    if name.count == 1 and "/" not in text:
        name = prefix.append(text)
    if not name.has_prefix(prefix) or name.count <= prefix.count:
        raise StrategyError(404, f"strategy {text!r}: it must start with {STRATEGY_PREFIX}")
    rest = list(name.subname(prefix.count))
    component = rest.pop(0)
    kind = STRATEGIES.get(component.to_uri())
    if kind is None:
        raise StrategyError(
            404, f"strategy {component.to_uri()!r} is unknown: there are {sorted(STRATEGIES)}"
        )
    if rest and version_of(rest[0]) is not None:
        version = version_of(rest.pop(0))
        if version > kind.version:
            raise StrategyError(
                404, f"strategy {kind.name} has version {kind.version}, not {version}"
            )
        if version < kind.version:
            raise StrategyError(
                409, f"strategy {kind.name} does not support version {version}: {kind.version} does"
            )
    parameters = {}
    for part in rest:
        key, found, value = part.to_uri().partition("~")
        if not found:
            raise StrategyError(409, f"strategy parameter {part.to_uri()!r} must be key~value")
        parameters[key] = value
    strategy = kind()
    try:
        strategy.configure(parameters)
    except StrategyError:
        raise
    except ValueError as error:
        raise StrategyError(409, f"strategy {kind.name}: {error}") from None
    set_instance_name(strategy, rest)
    return strategy


def version_of(Component component not None) -> int | None:
    """Version that a component says, in the typed or the older marker form."""
    if component.type == VERSION:
        return component.number
    if component.type == GENERIC and len(component.value) in (2, 3, 5, 9):
        if component.value[0] == VERSION_MARKER:
            return int.from_bytes(component.value[1:], "big")
    return None


cdef int set_instance_name(Strategy strategy, object parameters) except -1:
    cdef Name name = name_from(STRATEGY_PREFIX).append(
        strategy.name or type(strategy).__name__, numeric_component(VERSION, strategy.version)
    )
    strategy.instance_name = name.append(*parameters)
    return 0


@cython.final
cdef class StrategyChoice:
    """Which strategy decides for which prefix; ``/`` always has one.

    Parameters
    ----------
    forwarder : Forwarder
    """

    def __init__(self, Forwarder forwarder not None):
        self.forwarder = forwarder
        self.table = PrefixTable()

    cdef Strategy effective(self, Name name):
        return <Strategy>self.table.longest(name, MAX_DEPTH)

    def set(self, prefix, strategy):
        """Choose a strategy for a prefix: a name as in NFD, a class or an instance.

        What the old strategy had learnt under the prefix is forgotten, but where a longer prefix
        has a choice of its own.

        Raises
        ------
        StrategyError
            When the strategy is unknown (404), does not support the version or a parameter (409),
            or the prefix has more than 32 components (414).
        """
        cdef Name name = name_from(prefix)
        cdef Strategy chosen
        if name.count > MAX_DEPTH:
            raise StrategyError(414, f"prefix has {name.count} components: at most 32 are possible")
        chosen = strategy_from(strategy)
        if chosen.forwarder is not None and chosen.forwarder is not self.forwarder:
            raise ValueError(f"{chosen!r} belongs to another forwarder")
        chosen.forwarder = self.forwarder
        if chosen.instance_name is None:
            set_instance_name(chosen, [])
        self.table.put(name, chosen)
        self.forget(name)
        return chosen

    def unset(self, prefix):
        """Let a prefix have the strategy of the next shorter one; False when it had none."""
        cdef Name name = name_from(prefix)
        if name.count == 0:
            raise ValueError("/ must have a strategy")
        if not self.table.discard(name):
            return False
        self.forget(name)
        return True

    cdef int forget(self, Name prefix) except -1:
        cdef PitEntry entry
        cdef Strategy chosen = self.effective(prefix)
        for item in self.forwarder.pit.entries:
            entry = item
            if (
                entry.interest.name.has_prefix(prefix)
                and self.effective(entry.interest.name) is chosen
            ):
                entry.set_strategy_info(None)
                entry.suppression = 0
        for name in self.forwarder.measurements.names(prefix):
            if self.effective(<Name>name) is chosen:
                self.forwarder.measurements.forget(name)
        return 0

    def find(self, name):
        """Strategy that decides for a name."""
        return self.effective(name_from(name))

    def __iter__(self):
        return iter([(name, strategy) for name, strategy in self.table.items()])

    def __len__(self):
        return self.table.size
