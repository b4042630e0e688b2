"""Propagation delay."""

from libc.stdint cimport int64_t


cdef class PropagationDelayModel:
    cdef bint deterministic        # same positions, same delay: the channel may keep the result

    # ns, rounded to nearest
    cdef int64_t delay_c(self, const double* a, const double* b) except? -1
