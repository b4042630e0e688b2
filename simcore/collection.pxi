# Part of simulator.pyx: what the garbage collector is told.

# The pending set holds references that Cython's own traversal does not know: without these two, a
# simulator with a pending event whose callable refers back to it would never be collected.

cdef traverseproc simulator_traverse = (<PyTypeObject*>Simulator).tp_traverse
cdef inquiry simulator_clear = (<PyTypeObject*>Simulator).tp_clear


cdef int traverse_with_pending(PyObject* pointer, visitproc visit, void* arg) noexcept:
    cdef int status = simulator_traverse(pointer, visit, arg)
    cdef PyObject** pending
    cdef PyObject* event
    cdef int32_t slot
    if status:
        return status
    pending = (<Simulator>pointer).pending
    for slot in range((<Simulator>pointer).slot_capacity):
        event = pending[slot]
        if event == NULL:
            continue
        status = visit(event, arg)
        if status:
            return status
    return 0


cdef int clear_with_pending(PyObject* pointer) noexcept:
    (<Simulator>pointer).drop_pending()
    return simulator_clear(pointer)


(<PyTypeObject*>Simulator).tp_traverse = traverse_with_pending
(<PyTypeObject*>Simulator).tp_clear = clear_with_pending
