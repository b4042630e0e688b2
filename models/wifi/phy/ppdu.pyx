"""One transmission on the air."""

cimport cython


@cython.no_gc
@cython.final
cdef class Ppdu(Traced):
    """A PPDU: what a PHY sends at once. Immutable; all receivers share it."""

    cpdef str text(self):
        """One line for ascii traces, mode, then the frame; made once for all receivers."""
        if self.text_cache is None:
            self.text_cache = f"{self.txvector.mode.name} {self.frame.text()}"
        return self.text_cache

    cpdef bytes to_bytes(self):
        """The MPDU, FCS included."""
        return self.frame.to_bytes()

    def __repr__(self):
        return f"<Ppdu of node {self.sender} at {self.start} ns: {self.text()}>"
