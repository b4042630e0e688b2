"""What became of Interests, by face."""

cimport cython
from libc.stdint cimport int64_t

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.pit cimport PitEntry
from simcore.trace.source cimport TraceSink, TraceSource


@cython.final
cdef class Fates:
    """Interests of one face that were satisfied or timed out."""

    cdef int64_t in_satisfied
    cdef int64_t in_timed_out
    cdef int64_t out_satisfied
    cdef int64_t out_timed_out


@cython.final
cdef class FaceFates(TraceSink):
    """Counts satisfied and timed-out Interests by the faces that they came from and went to.

    Connect it to a forwarder's trace sources ``satisfied`` and ``timed_out``.
    """

    cdef dict fates                    # number of a face -> Fates

    def __init__(self):
        self.first_only = False
        self.fates = {}

    cdef Fates put(self, Face face):
        found = self.fates.get(face.id)
        if found is None:
            found = self.fates[face.id] = Fates()
        return <Fates>found

    cdef int notify(self, TraceSource source, object a, object b, object c) except -1:
        cdef PitEntry entry = a
        # Only `satisfied` gives Data.
        cdef bint satisfied = b is not None
        cdef Fates fates
        cdef int i
        for i in range(entry.in_count):
            fates = self.put(<Face>entry.in_record(i).face)
            if satisfied:
                fates.in_satisfied += 1
            else:
                fates.in_timed_out += 1
        for i in range(entry.out_count):
            fates = self.put(<Face>entry.out_record(i).face)
            if satisfied:
                fates.out_satisfied += 1
            else:
                fates.out_timed_out += 1
        return 0

    def of(self, Face face not None):
        """Interests from a face that were satisfied and that timed out, then those sent to it."""
        cdef Fates fates = self.put(face)
        return (
            fates.in_satisfied, fates.in_timed_out, fates.out_satisfied, fates.out_timed_out
        )
