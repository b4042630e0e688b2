# Part of simulator.pyx: how events enter and leave the pending-event set.

cdef inline uint64_t take_key(Simulator sim, int32_t slot) noexcept:
    cdef uint64_t number = sim.sequence
    sim.sequence = number + 1
    return (number << SLOT_BITS) | <uint64_t>slot


cdef inline int insert_event(
    Simulator sim, Event event, int64_t time, int32_t context
) except -1:
    """Add an event that is not pending; outside the class, so that the calls are inlined."""
    cdef int32_t slot
    if unlikely(event.slot >= 0):
        raise ValueError(f"{event!r} is already scheduled")
    if unlikely(sim.free_slot < 0):
        sim.grow_slots()
    slot = sim.free_slot
    sim.free_slot = sim.position[slot]
    event.time_ns = time
    event.context = context
    event.slot = slot
    event.sim = <void*>sim
    sim.pending[slot] = <PyObject*>event
    Py_INCREF(event)
    if sim.backend == HEAP and sim.heap.hole:
        # The usual case: the running event has left the root.
        sim.heap.hole = False
        heap_sift_down(&sim.heap, 0, make_entry(time, take_key(sim, slot)))
        return 0
    return insert_entry(sim, make_entry(time, take_key(sim, slot)))


cdef int insert_entry(Simulator sim, Entry entry) except -1:
    cdef int status = 0
    if sim.backend == HEAP:
        status = heap_insert(&sim.heap, entry)
    elif sim.backend == RADIX:
        status = radix_insert(&sim.radix, entry)
    else:
        sim.sorted_set.insert(entry_time(entry), entry_key(entry) >> SLOT_BITS, entry_slot(entry))
    if unlikely(status < 0):
        return no_room(sim, <Event>sim.pending[entry_slot(entry)])
    return 0


cdef int64_t pending_in(Simulator sim) except -1:
    if sim.backend == HEAP:
        return sim.heap.size - sim.heap.hole
    if sim.backend == RADIX:
        return sim.radix.size
    return len(sim.sorted_set)


cdef inline void remove_event(Simulator sim, Event event) noexcept:
    """Take a pending event out."""
    if sim.backend == HEAP:
        heap_remove(&sim.heap, event.slot)
    elif sim.backend == RADIX:
        radix_remove(&sim.radix, event.slot, event.time_ns)
    else:
        sim.sorted_set.remove(event.slot)
    release_slot(sim, event)


cdef inline void release_slot(Simulator sim, Event event) noexcept:
    """Give the slot of an event back that has left the pending set."""
    cdef int32_t slot = event.slot
    sim.pending[slot] = NULL
    sim.position[slot] = sim.free_slot
    sim.free_slot = slot
    event.slot = -1
    Py_DECREF(event)


cdef int no_room(Simulator sim, Event event) except -1:
    release_slot(sim, event)
    raise MemoryError("no memory for another pending event")
