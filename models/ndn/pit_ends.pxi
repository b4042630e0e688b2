# When pending Interests end: lanes, the table's timer, and events of single entries. Part of
# pit.pyx, so that nothing of it crosses a module.

@cython.final
@cython.no_gc
cdef class OwnExpiry(Event):
    """The end of an entry that stands in no lane."""

    cdef int fire(self) except -1:
        cdef PitEntry entry = <PitEntry>self.entry
        cdef Pit pit = <Pit>entry.pit
        release(pit, entry)
        return pit.listener.entry_expired(entry)

    cdef str describe(self):
        return "end of a pending Interest"


cdef int appoint(Pit pit, PitEntry entry, int64_t end) except -1:
    """Put an entry into the lane that ends latest before it, or else into an empty one."""
    cdef Lane* lane
    cdef int64_t last
    cdef int64_t best_last = -1
    cdef int best = NO_LANE
    cdef int i
    if entry.lane != NO_LANE:
        release(pit, entry)
    entry.end = end
    for i in range(LANES):
        lane = &pit.lanes[i]
        if lane.last == NULL:
            if best == NO_LANE:
                best = i
            # Lanes are taken in order: those behind an empty one are seldom in use.
            if i > 0 and pit.lanes[i - 1].last == NULL:
                break
            continue
        last = (<PitEntry>lane.last).end
        if best_last < last <= end:
            best_last = last
            best = i
    # An entry that ends at once waits for the pipeline under way.
    if best == NO_LANE or end <= pit.sim.now_ns:
        return appoint_own(pit, entry)
    lane = &pit.lanes[best]
    entry.lane = best
    entry.before = lane.last
    entry.after = NULL
    if lane.last == NULL:
        lane.first = <PyObject*>entry
    else:
        (<PitEntry>lane.last).after = <PyObject*>entry
    lane.last = <PyObject*>entry
    pit.in_lanes += 1
    if end < pit.alarm:
        pit.alarm = end
        return pit.timer.arm(end - pit.sim.now_ns)
    return 0


cdef int release(Pit pit, PitEntry entry) except -1:
    """Cancel the appointment of an entry."""
    cdef Lane* lane
    if entry.lane == OWN_EVENT:
        return drop_event(entry)
    lane = &pit.lanes[entry.lane]
    if entry.before == NULL:
        lane.first = entry.after
    else:
        (<PitEntry>entry.before).after = entry.after
    if entry.after == NULL:
        lane.last = entry.before
    else:
        (<PitEntry>entry.after).before = entry.before
    entry.before = entry.after = NULL
    entry.lane = NO_LANE
    pit.in_lanes -= 1
    if pit.in_lanes == 0 and pit.alarm != MAX_TIME:
        # Otherwise a run without end would wait for an alarm that nobody needs.
        pit.alarm = MAX_TIME
        pit.timer.disarm()
    return 0


cdef PyObject* earliest(Pit pit) noexcept:
    """The entry of all lanes that ends first, or NULL."""
    cdef PyObject* found = NULL
    cdef PyObject* first
    cdef int i
    for i in range(LANES):
        first = pit.lanes[i].first
        if first != NULL and (
            found == NULL or (<PitEntry>first).end < (<PitEntry>found).end
        ):
            found = first
    return found


cdef int end_entries(Pit pit) except -1:
    cdef PitEntry entry
    cdef PyObject* first = earliest(pit)
    pit.alarm = MAX_TIME
    while first != NULL and (<PitEntry>first).end <= pit.sim.now_ns:
        entry = <PitEntry>first
        release(pit, entry)
        pit.listener.entry_expired(entry)
        first = earliest(pit)
    if first == NULL:
        pit.timer.disarm()
    elif (<PitEntry>first).end < pit.alarm:
        pit.alarm = (<PitEntry>first).end
        return pit.timer.arm(pit.alarm - pit.sim.now_ns)
    return 0


cdef int timer_fired(object pit) except -1:
    return end_entries(<Pit>pit)


cdef int appoint_own(Pit pit, PitEntry entry) except -1:
    cdef OwnExpiry event = OwnExpiry.__new__(OwnExpiry)
    event.entry = <PyObject*>entry
    pit.sim.schedule_event(entry.end - pit.sim.now_ns, event)
    Py_INCREF(event)
    entry.before = <PyObject*>event
    entry.lane = OWN_EVENT
    return 0


cdef int drop_event(PitEntry entry) except -1:
    """Cancel the event of an entry that has one of its own."""
    cdef OwnExpiry event = <OwnExpiry>entry.before
    entry.before = NULL
    entry.lane = NO_LANE
    event.cancel()
    Py_DECREF(event)
    return 0
