"""Neighbour search among many moving nodes."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from simcore.models.mobility.mobility cimport MobilityModel, MobilityState
from simcore.simulator cimport Simulator


cdef class NeighbourGrid:
    cdef readonly Simulator sim
    cdef readonly double radius    # that queries usually ask for (m)
    cdef readonly int32_t scan_up_to   # nodes up to which a query looks at all
    cdef readonly int64_t builds   # snapshots taken so far
    cdef list models               # MobilityModel by index
    cdef MobilityState state
    cdef int32_t count             # models
    cdef int32_t capacity          # that the arrays have room for

    # The snapshot: where everybody was at `built`, by index, and again in the order of cells.
    cdef int64_t built             # ns; -1 when there is none
    cdef double jumped             # MobilityState.jumped then
    cdef double* x
    cdef double* y
    cdef double* cell_x
    cdef double* cell_y
    cdef int32_t* member           # index of the node at each place of cell_x, cell_y
    cdef int32_t* cell_of          # cell of each node
    cdef int32_t* first            # where each cell begins; one more than there are cells
    cdef int32_t cell_capacity
    cdef int32_t columns
    cdef int32_t rows
    cdef double west               # smallest x and y of the snapshot (m)
    cdef double south
    cdef double cell               # side of a cell (m)
    cdef int32_t* near             # what a query has found, in the order of cells
    cdef uint64_t* marks           # one bit for each node, all zero between queries

    cdef int add_model(self, MobilityModel model) except -1
    # Indices of all nodes within `radius` of (x, y) now, and some more, in ascending order. Returns
    # how many there are; writes at most `capacity` of them.
    cdef int query(
        self, double x, double y, double radius, int32_t* out, int capacity
    ) noexcept
    cdef double refresh(self) noexcept
    cdef void snapshot(self) noexcept
    cdef void sort_into_cells(self) noexcept
    cdef int scan(self, double x, double y, double reach, int32_t* out, int capacity) noexcept
    cdef int search(self, double x, double y, double reach, int32_t* out, int capacity) noexcept
