# Part of simulator.pyx: the event loop.

# The event loop proper. `running` keeps the event whose handler raised, which still has the
# reference of the pending set.

cdef int run_heap(Simulator sim, int64_t until, int64_t budget, PyObject** running) except -1:
    cdef Heap* heap = &sim.heap
    cdef Entry first
    cdef PyObject* next_event
    while budget > 0:
        # heap_peek, written out: an entry whose address is taken would live in memory.
        if heap.hole:
            heap_fill_hole(heap)
        if heap.size == 0:
            return 0
        first = heap.entries[0]
        if entry_time(first) > until:
            return 0
        heap_take(heap)
        if heap.size > PREFETCH_FROM:
            next_event = sim.pending[heap_second(heap)]
            prefetch(next_event)
            prefetch(<char*>next_event + CACHE_LINE)
        fire_event(sim, first, running)
        if sim.stop_requested:
            return 0
        budget -= 1
    return 1


cdef int run_set(Simulator sim, int64_t until, int64_t budget, PyObject** running) except -1:
    """The same for the other pending-event sets."""
    cdef Entry first
    while budget > 0:
        if not sim.peek(&first) or entry_time(first) > until:
            return 0
        sim.take(first)
        fire_event(sim, first, running)
        if sim.stop_requested:
            return 0
        budget -= 1
    return 1


cdef inline int fire_event(Simulator sim, Entry entry, PyObject** running) except -1:
    """Free the slot of an entry that was taken out, move the clock and run the event."""
    cdef int32_t slot = entry_slot(entry)
    cdef PyObject* event = sim.pending[slot]
    running[0] = event
    sim.pending[slot] = NULL
    sim.position[slot] = sim.free_slot
    sim.free_slot = slot
    sim.event_count += 1
    sim.now_ns = entry_time(entry)
    (<Event>event).slot = -1
    sim.current_context = (<Event>event).context
    (<Event>event).fire()
    running[0] = NULL
    drop_reference(event)
    return 0
