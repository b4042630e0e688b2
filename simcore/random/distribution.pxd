"""Distribution as compiled models see it: hold one, call `draw_c`."""

from simcore.random.mrg32k3a cimport Mrg32k3a
from simcore.random.stream cimport RandomStream


cdef class Distribution:
    cdef readonly RandomStream stream   # where the uniform values come from; None while unbound
    cdef Mrg32k3a *generator            # of that stream; NULL while unbound

    # One value; the exception is a missing stream or comes from a distribution written in Python.
    cdef double draw_c(self) except? -1.0
    # Forget what was kept from earlier draws; called when the stream changes.
    cdef void forget(self) noexcept
    # Bind distributions held as parameters, where they have no stream of their own.
    cdef int bind_parts(self, RandomStream stream) except -1


cdef inline Mrg32k3a *source(Distribution distribution) except NULL:
    if distribution.generator is NULL:
        raise RuntimeError(
            f"{distribution!r} has no stream; give it one: stream=sim.random.stream(n), or bind()"
        )
    return distribution.generator
