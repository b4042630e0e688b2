"""Interests for the contents of a catalogue, by their popularity."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport pow
from libc.stdint cimport int64_t, uint32_t

from simcore.models.ndn.apps.cbr cimport ConsumerCbr
from simcore.models.network.node cimport Node
from simcore.random.stream cimport RandomStream

cdef enum:
    MAX_CONTENTS = 0x7FFFFFFF


@cython.final
cdef class ZipfMandelbrot:
    """Ranks 1 to n, the k-th with a probability proportional to ``1 / (k + q) ** s``.

    A draw takes constant time (alias method: Walker, Electronics Letters 10, 1974; tables after
    Vose, IEEE Trans. Software Eng. 17, 1991), 12 bytes are kept for each rank.

    Parameters
    ----------
    n : int
    q : float
        Plateau among the first ranks; 0 gives Zipf's law.
    s : float
        Skewness; 0 makes all ranks alike.

    Raises
    ------
    ValueError
        When n is not from 1 to 2**31 - 1, or q or s negative or not finite.
    """

    cdef readonly int64_t n
    cdef readonly double q
    cdef readonly double s
    cdef double total              # of the weights
    cdef double* keep              # probability that a rank's place keeps the rank
    cdef uint32_t* alias           # which rank it gives otherwise, from 0

    def __init__(self, n, double q=0.7, double s=0.7):
        if not 1 <= n <= MAX_CONTENTS:
            raise ValueError(f"n is {n} contents: it must be 1 to {MAX_CONTENTS}")
        if not 0 <= q < 1e300:
            raise ValueError(f"q is {q}: it must not be negative")
        if not 0 <= s <= 1000:
            raise ValueError(f"s is {s}: it must be 0 to 1000")
        if self.keep != NULL:
            raise RuntimeError("the tables are made already")
        self.n = n
        self.q = q
        self.s = s
        self.keep = <double*>PyMem_Malloc(self.n * sizeof(double))
        self.alias = <uint32_t*>PyMem_Malloc(self.n * sizeof(uint32_t))
        if self.keep == NULL or self.alias == NULL:
            raise MemoryError(f"no memory for {n} contents")
        self.fill()

    def __dealloc__(self):
        PyMem_Free(self.keep)
        PyMem_Free(self.alias)

    cdef double weight(self, int64_t k) noexcept:
        # Relative to the first, so that none overflows.
        return pow((1 + self.q) / (k + self.q), self.s)

    cdef int fill(self) except -1:
        cdef int64_t n = self.n
        cdef int64_t i, small, large
        cdef int64_t smalls = 0
        cdef int64_t larges = n
        cdef double scale
        # Places with less than their share from the front, the others from the back.
        cdef uint32_t* order = <uint32_t*>PyMem_Malloc(n * sizeof(uint32_t))
        if order == NULL:
            raise MemoryError(f"no memory for {n} contents")
        self.total = 0
        # The smallest first: their sum does not drown in the large ones.
        for i in range(n, 0, -1):
            self.total += self.weight(i)
        scale = n / self.total
        for i in range(n):
            self.keep[i] = self.weight(i + 1) * scale
            self.alias[i] = <uint32_t>i
            if self.keep[i] < 1:
                order[smalls] = <uint32_t>i
                smalls += 1
            else:
                larges -= 1
                order[larges] = <uint32_t>i
        while smalls > 0 and larges < n:
            smalls -= 1
            small = order[smalls]
            large = order[larges]
            self.alias[small] = <uint32_t>large
            self.keep[large] -= 1 - self.keep[small]
            if self.keep[large] < 1:
                larges += 1
                order[smalls] = <uint32_t>large
                smalls += 1
        # What rounding left over keeps its place.
        for i in range(smalls):
            self.keep[order[i]] = 1
        for i in range(larges, n):
            self.keep[order[i]] = 1
        PyMem_Free(order)
        return 0

    cdef int64_t draw_c(self, RandomStream stream) noexcept:
        cdef int64_t place = stream.integer_c(0, self.n - 1)
        if stream.next_double() < self.keep[place]:
            return place + 1
        return <int64_t>self.alias[place] + 1

    def draw(self, RandomStream stream not None):
        """A rank, 1 to n."""
        return self.draw_c(stream)

    def probability(self, int64_t k):
        """Probability of rank k.

        Raises
        ------
        ValueError
            When k is not 1 to n.
        """
        if not 1 <= k <= self.n:
            raise ValueError(f"k is {k}: it must be 1 to {self.n}")
        return self.weight(k) / self.total

    def __repr__(self):
        return f"ZipfMandelbrot({self.n}, {self.q}, {self.s})"


def shared_sampler(sim, contents, q, s) -> ZipfMandelbrot:
    """Sampler of these parameters that all consumers of a simulator share."""
    samplers = sim.registry.setdefault("ndn/zipf", {})
    key = (int(contents), float(q), float(s))
    if key not in samplers:
        samplers[key] = ZipfMandelbrot(contents, q, s)
    return samplers[key]


cdef class ConsumerZipf(ConsumerCbr):
    """Asks for contents ``<prefix>/seq=1`` to ``seq=n``, the first the most popular.

    Parameters
    ----------
    node : Node
    prefix : Name or str
    frequency : float
        Interests per second.
    contents : int
        Size of the catalogue.
    q, s : float
        Of the Zipf-Mandelbrot law, see `ZipfMandelbrot`; ndnSIM's values when not given.
    randomize, **rest
        See `ConsumerCbr` and `Consumer`; `first_sequence` has no meaning here.

    Raises
    ------
    ValueError
        When a parameter is out of range.
    """

    cdef readonly ZipfMandelbrot popularity
    cdef RandomStream choices

    def __init__(
        self, Node node not None, prefix, frequency=1.0, *, contents=100, q=0.7, s=0.7, **rest,
    ):
        if "first_sequence" in rest:
            raise TypeError("first_sequence has no meaning: contents are drawn")
        self.popularity = shared_sampler(node.sim, contents, q, s)
        ConsumerCbr.__init__(self, node, prefix, frequency, **rest)
        self.choices = node.sim.random.stream(f"ndn/{node.id}/app/{self.index}/choices")

    cdef int64_t take_sequence(self) noexcept:
        if self.count and self.asked >= self.count:
            return -1
        return self.popularity.draw_c(self.choices)
