"""Neighbour search among many moving nodes, by snapshots that stay valid for a while.

Between two snapshots no node gets further from where it was than the highest speed allows, plus all
jumps. A query adds this slack to its radius, so that it misses nobody; a new snapshot is taken when
the slack is no longer small against the radius.
"""

from libc.math cimport floor
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from simcore.models.mobility.mobility cimport MobilityModel
from simcore.simulator cimport Simulator

from simcore.models.mobility.checks import not_negative, positive, vector

cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil

cdef enum:
    # Up to so many nodes, looking at all of them is faster than looking at cells
    # (profiling/benchmarks/test_neighbours.py).
    SCAN_UP_TO = 96

# A snapshot is renewed when the slack exceeds this part of the usual radius.
cdef double LARGEST_SLACK = 0.1
# Cells have this part of the usual radius as their side.
cdef double CELL_SIDE = 0.5
# Covers the rounding of positions (m).
cdef double MARGIN = 1e-3


cdef class NeighbourGrid:
    """Finds the nodes near a place among nodes that move.

    Parameters
    ----------
    sim : Simulator
    radius : float
        Radius that queries usually ask for (m); it decides the size of the cells.
    models : iterable of MobilityModel
        The nodes; a query answers with their places in this order.
    scan_up_to : int
        Up to so many nodes a query looks at all of them, beyond at the cells around.

    Raises
    ------
    ValueError
        If the radius is not a number above 0, or a model belongs to another simulator.
    """

    def __cinit__(self, *args, **kwargs):
        self.models = []
        self.built = -1

    def __init__(self, Simulator sim not None, radius, models=(), *, scan_up_to=SCAN_UP_TO):
        self.scan_up_to = scan_up_to
        self.radius = positive("radius", radius, "m")
        self.sim = sim
        for model in models:
            self.add(model)

    def __dealloc__(self):
        free(self.x)
        free(self.y)
        free(self.cell_x)
        free(self.cell_y)
        free(self.member)
        free(self.cell_of)
        free(self.first)
        free(self.marks)
        free(self.near)

    def __len__(self):
        return self.count

    def add(self, MobilityModel model not None):
        """Add a node; its index is the number of those before it."""
        self.add_model(model)

    cdef int add_model(self, MobilityModel model) except -1:
        if model.sim is not self.sim:
            raise ValueError(f"{model!r} belongs to another simulator than the grid")
        if self.count == self.capacity:
            self.grow(64 if self.capacity == 0 else 2 * self.capacity)
        self.state = model.state
        self.models.append(model)
        self.count += 1
        self.built = -1
        return 0

    def grow(self, int32_t capacity):
        """Make room for so many nodes, once, so that queries allocate nothing."""
        cdef int32_t cells = 2 * capacity
        self.x = <double*>resized(self.x, capacity * sizeof(double))
        self.y = <double*>resized(self.y, capacity * sizeof(double))
        self.cell_x = <double*>resized(self.cell_x, capacity * sizeof(double))
        self.cell_y = <double*>resized(self.cell_y, capacity * sizeof(double))
        self.member = <int32_t*>resized(self.member, capacity * sizeof(int32_t))
        self.cell_of = <int32_t*>resized(self.cell_of, capacity * sizeof(int32_t))
        self.first = <int32_t*>resized(self.first, (cells + 1) * sizeof(int32_t))
        self.marks = <uint64_t*>resized(self.marks, capacity / 64 * sizeof(uint64_t))
        # One more, for the place that is written before it is known whether the node is near.
        self.near = <int32_t*>resized(self.near, (capacity + 1) * sizeof(int32_t))
        memset(self.marks, 0, capacity / 64 * sizeof(uint64_t))
        self.cell_capacity = cells
        self.capacity = capacity

    cdef int query(
        self, double x, double y, double radius, int32_t* out, int capacity
    ) noexcept:
        cdef double reach
        if self.count == 0:
            return 0
        reach = radius + self.refresh() + MARGIN
        if self.count <= self.scan_up_to:
            return self.scan(x, y, reach, out, capacity)
        return self.search(x, y, reach, out, capacity)

    cdef double refresh(self) noexcept:
        """Renew the snapshot if it is too old; return how far a node may be from it (m)."""
        cdef double slack
        if self.built >= 0:
            slack = (
                self.state.fastest * ((self.sim.now_ns - self.built) / 1e9)
                + (self.state.jumped - self.jumped)
            )
            if slack <= LARGEST_SLACK * self.radius:
                return slack
        self.snapshot()
        return 0.0

    cdef void snapshot(self) noexcept:
        cdef double place[3]
        cdef int32_t i
        self.built = self.sim.now_ns
        self.jumped = self.state.jumped
        self.builds += 1
        for i in range(self.count):
            (<MobilityModel>self.models[i]).position_at(self.built, place)
            self.x[i] = place[0]
            self.y[i] = place[1]
        if self.count > self.scan_up_to:
            self.sort_into_cells()

    cdef void sort_into_cells(self) noexcept:
        """Counting sort by cell, row by row; nodes of a cell stay in ascending order."""
        cdef double east = self.x[0]
        cdef double north = self.y[0]
        cdef double columns, rows
        cdef int32_t i, cell, place
        cdef int32_t total
        self.west = east
        self.south = north
        for i in range(1, self.count):
            self.west = min(self.west, self.x[i])
            self.south = min(self.south, self.y[i])
            east = max(east, self.x[i])
            north = max(north, self.y[i])
        self.cell = CELL_SIDE * self.radius
        columns = floor((east - self.west) / self.cell) + 1.0
        rows = floor((north - self.south) / self.cell) + 1.0
        while columns * rows > self.cell_capacity:
            self.cell *= 1.5
            columns = floor((east - self.west) / self.cell) + 1.0
            rows = floor((north - self.south) / self.cell) + 1.0
        self.columns = <int32_t>columns
        self.rows = <int32_t>rows
        total = self.columns * self.rows
        memset(self.first, 0, (total + 1) * sizeof(int32_t))
        for i in range(self.count):
            cell = (
                clamped((self.y[i] - self.south) / self.cell, self.rows) * self.columns
                + clamped((self.x[i] - self.west) / self.cell, self.columns)
            )
            self.cell_of[i] = cell
            self.first[cell] += 1
        for cell in range(1, total + 1):
            self.first[cell] += self.first[cell - 1]
        # `first` says where each cell ends; filled backwards, it says where each begins.
        for i in range(self.count - 1, -1, -1):
            cell = self.cell_of[i]
            self.first[cell] -= 1
            place = self.first[cell]
            self.member[place] = i
            self.cell_x[place] = self.x[i]
            self.cell_y[place] = self.y[i]

    cdef int scan(self, double x, double y, double reach, int32_t* out, int capacity) noexcept:
        """Look at all nodes."""
        cdef double square = reach * reach
        cdef double dx, dy
        cdef int32_t i
        cdef int found = 0
        if capacity < self.count:
            # The loop below writes before it knows whether to keep.
            for i in range(self.count):
                dx = self.x[i] - x
                dy = self.y[i] - y
                if dx * dx + dy * dy <= square:
                    if found < capacity:
                        out[found] = i
                    found += 1
            return found
        for i in range(self.count):
            dx = self.x[i] - x
            dy = self.y[i] - y
            out[found] = i
            found += dx * dx + dy * dy <= square
        return found

    cdef int search(self, double x, double y, double reach, int32_t* out, int capacity) noexcept:
        """Look at the cells around; a bit for each node brings the answer into order."""
        cdef double square = reach * reach
        cdef double dx, dy
        cdef int32_t left = clamped((x - reach - self.west) / self.cell, self.columns)
        cdef int32_t right = clamped((x + reach - self.west) / self.cell, self.columns)
        cdef int32_t bottom = clamped((y - reach - self.south) / self.cell, self.rows)
        cdef int32_t top = clamped((y + reach - self.south) / self.cell, self.rows)
        cdef int32_t row, place, end, node, word
        cdef int32_t lowest = self.capacity / 64
        cdef int32_t highest = -1
        cdef int32_t near = 0
        cdef uint64_t bits
        cdef int found = 0
        for row in range(bottom, top + 1):
            # The cells of a row lie side by side.
            place = self.first[row * self.columns + left]
            end = self.first[row * self.columns + right + 1]
            while place < end:
                dx = self.cell_x[place] - x
                dy = self.cell_y[place] - y
                # Half of them are near: a branch here would be guessed wrong too often.
                self.near[near] = self.member[place]
                near += dx * dx + dy * dy <= square
                place += 1
        for place in range(near):
            node = self.near[place]
            word = node >> 6
            self.marks[word] |= <uint64_t>1 << (node & 63)
            lowest = min(lowest, word)
            highest = max(highest, word)
        for word in range(lowest, highest + 1):
            bits = self.marks[word]
            self.marks[word] = 0
            while bits:
                if found < capacity:
                    out[found] = (word << 6) + __builtin_ctzll(bits)
                found += 1
                bits &= bits - 1
        return found

    def candidates(self, position, radius):
        """Return the indices of all nodes within `radius` of a place now, and perhaps some more.

        Parameters
        ----------
        position : tuple of float
            (x, y) in m; a z does not count.
        radius : float
            m.

        Returns
        -------
        list of int
            In ascending order.
        """
        cdef int i, found
        cdef int32_t* out
        x, y, _ = vector("position", position, "m")
        out = <int32_t*>malloc((self.count + 1) * sizeof(int32_t))
        if out == NULL:
            raise MemoryError(f"no memory for {self.count} neighbours")
        try:
            found = self.query(x, y, not_negative("radius", radius, "m"), out, self.count)
            return [out[i] for i in range(found)]
        finally:
            free(out)

    def count_pairs(self, radius):
        """Return how many candidates all nodes have together, themselves included."""
        cdef double place[3]
        cdef int32_t i
        cdef int64_t total = 0
        cdef double wanted = not_negative("radius", radius, "m")
        cdef int32_t* out = <int32_t*>malloc((self.count + 1) * sizeof(int32_t))
        if out == NULL:
            raise MemoryError(f"no memory for {self.count} neighbours")
        for i in range(self.count):
            (<MobilityModel>self.models[i]).position_at(self.sim.now_ns, place)
            total += self.query(place[0], place[1], wanted, out, self.count)
        free(out)
        return total

    def __repr__(self):
        return f"<NeighbourGrid of {self.count} nodes, {self.radius:g} m>"


def count_pairs_one_by_one(models, radius):
    """Return how many ordered pairs, each node with itself included, are within `radius` now.

    Asks each model for its position: the slow twin of `NeighbourGrid.count_pairs`.
    """
    cdef double here[3]
    cdef double there[3]
    cdef double dx, dy
    cdef double square = not_negative("radius", radius, "m") ** 2
    cdef int64_t total = 0
    cdef list nodes = list(models)
    cdef MobilityModel one, other
    for one in nodes:
        one.position_at(one.sim.now_ns, here)
        for other in nodes:
            other.position_at(one.sim.now_ns, there)
            dx = there[0] - here[0]
            dy = there[1] - here[1]
            if dx * dx + dy * dy <= square:
                total += 1
    return total


cdef inline int32_t clamped(double cell, int32_t count) noexcept:
    """A cell number as an integer from 0 to count - 1."""
    if not cell >= 0.0:
        return 0
    return count - 1 if cell >= count else <int32_t>cell


cdef void* resized(void* memory, size_t size) except NULL:
    cdef void* larger = realloc(memory, size)
    if larger == NULL:
        raise MemoryError("no memory for the neighbour search")
    return larger
