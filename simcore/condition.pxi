# Part of process.pyx: conditions, several signals as one.

@cython.final
cdef class Condition(Signal):
    """A signal that succeeds when enough of its parts have; see `any_of` and `all_of`.

    Its value is a dict from the parts that are done to their values, in the order of the parts;
    the parts of a condition inside a condition stand for it. It fails with the first part that
    fails.
    """

    def __init__(self):
        raise TypeError("a condition is made with any_of, all_of, | or &")

    cdef int begin(self, Simulator sim, tuple parts, Py_ssize_t needed) except -1:
        cdef Signal part
        self.simulator = sim
        self.parts = parts
        self.needed = needed
        self.depth = 1
        for part in parts:
            if part.simulator is None:
                refuse_uninitialised(part)
            if part.simulator is not sim:
                raise ValueError(f"{part!r} belongs to another simulator")
            if type(part) is Condition and (<Condition>part).depth >= self.depth:
                self.depth = (<Condition>part).depth + 1
        if self.depth > MAX_DEPTH:
            raise RecursionError(
                f"{self.depth} conditions inside one another, the most is {MAX_DEPTH}: "
                "make one condition of many events with any_of(*events) or all_of(*events)"
            )
        for part in parts:
            if part.state == DONE:
                self.part_done(part)
            if self.state != WAITING or self.slot >= 0:
                return 0
        if self.count >= needed:
            self.result = {}
            self.state = DONE
            return 0
        for part in parts:
            if part.state != DONE:
                part.add_waiter(self)
        return 0

    cdef int part_done(self, Signal part) except -1:
        cdef dict values
        if self.state != WAITING:
            return 0
        if part.failed:
            part.handled = True
            self.leave_parts()
            return self.settle_error(part.result)
        self.count += 1
        if self.count < self.needed:
            return 0
        values = {}
        self.collect(values)
        self.result = values
        self.leave_parts()
        # Told at once: the part that completes the condition is what the waiters wait for.
        return self.deliver()

    cdef int collect(self, dict values) except -1:
        cdef Signal part
        for part in self.parts:
            if type(part) is Condition:
                (<Condition>part).collect(values)
            elif part.state == DONE and not part.failed:
                values[part] = part.result
        return 0

    cdef int leave_parts(self) except -1:
        cdef Signal part
        for part in self.parts:
            if part.state != DONE:
                part.remove_waiter(self)
        return 0


cdef Signal part_from(Simulator sim, object value):
    if isinstance(value, Signal):
        return <Signal>value
    if hasattr(value, "__index__") or isinstance(value, float):
        return Timeout(sim, value)
    raise TypeError(
        f"a condition over {value!r}: it must be a delay in nanoseconds or a signal"
    )


cdef Condition pair(object left, object right, Py_ssize_t needed):
    cdef Simulator sim = (<Signal>(left if isinstance(left, Signal) else right)).simulator
    cdef Condition condition = Condition.__new__(Condition)
    if sim is None:
        refuse_uninitialised(left if isinstance(left, Signal) else right)
    condition.begin(sim, (part_from(sim, left), part_from(sim, right)), needed)
    return condition


cdef tuple parts_from(Simulator sim, tuple events):
    if len(events) == 1 and not isinstance(events[0], (Signal, int)):
        events = tuple(events[0])
    return tuple([part_from(sim, event) for event in events])


def any_of(Simulator sim not None, *events):
    """Make a condition that succeeds with the first of several; also ``a | b``.

    Parameters
    ----------
    sim : Simulator
    *events : Signal or int
        Signals, or delays in nanoseconds; or one iterable of them.

    Returns
    -------
    Condition
        Done at once when a part already is, or when there are none.
    """
    cdef Condition condition = Condition.__new__(Condition)
    cdef tuple parts = parts_from(sim, events)
    condition.begin(sim, parts, 1 if parts else 0)
    return condition


def all_of(Simulator sim not None, *events):
    """Make a condition that succeeds when all of several have; also ``a & b``.

    Parameters and result as for `any_of`.
    """
    cdef Condition condition = Condition.__new__(Condition)
    cdef tuple parts = parts_from(sim, events)
    condition.begin(sim, parts, len(parts))
    return condition
