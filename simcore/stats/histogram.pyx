"""A histogram of whole numbers with a fixed relative precision, for delays above all.

The cells follow Gil Tene's HdrHistogram: equal ones within each octave, twice as wide in the next,
so that a value is known to the given number of decimal digits wherever it lies, at a cost that does
not depend on how many values there are.
"""

from cpython.number cimport PyNumber_Index
from libc.math cimport NAN, ceil, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

import numpy as np

cdef extern from *:
    """
    #define simcore_bit_length(x) ((x) ? 64 - __builtin_clzll(x) : 0)
    """
    int bit_length "simcore_bit_length" (uint64_t x) noexcept nogil

cdef enum:
    MAX_DIGITS = 5


cdef class HdrHistogram:
    """Counts of values from 0 to 2**63 - 1, each known to `digits` decimal digits.

    Parameters
    ----------
    digits : int
        From 1 to 5. With 3, a value and the one reported for it differ by less than 0.1 %.
        Memory: 8 bytes for each of 2 x 10**digits cells (rounded up to a power of two, half of
        it for each octave of values that occurs).
    """

    def __cinit__(self, digits=3):
        cdef int wanted = 1
        if isinstance(digits, float) or not 1 <= digits <= MAX_DIGITS:
            raise ValueError(f"digits is {digits!r}: it must be an int from 1 to {MAX_DIGITS}")
        self.digits = digits
        # Cells of width 1 up to 2 x 10**digits: half of them serve every later octave.
        while (1 << wanted) < 2 * 10 ** self.digits:
            wanted += 1
        self.half_bits = wanted - 1
        self.smallest = 0x7FFFFFFFFFFFFFFF
        self.largest = -1

    def __dealloc__(self):
        free(self.cells)

    cdef int64_t index_of(self, int64_t value) noexcept:
        cdef int shift = bit_length(<uint64_t>value >> (self.half_bits + 1))
        return (<int64_t>shift << self.half_bits) + (value >> shift)

    cdef int64_t lowest(self, int64_t index) noexcept:
        """Smallest value of a cell."""
        cdef int64_t octave = (index >> self.half_bits) - 1
        if octave <= 0:
            return index
        return (index - (octave << self.half_bits)) << octave

    cdef int64_t highest(self, int64_t index) noexcept:
        """Largest value of a cell."""
        cdef int64_t octave = (index >> self.half_bits) - 1
        if octave <= 0:
            return index
        return self.lowest(index) + ((<int64_t>1 << octave) - 1)

    cdef int grow(self, int64_t size) except -1:
        cdef int64_t* cells
        # Whole octaves.
        size = ((size >> self.half_bits) + 1) << self.half_bits
        cells = <int64_t*>realloc(self.cells, <size_t>size * sizeof(int64_t))
        if cells == NULL:
            raise MemoryError("no memory for the histogram's cells")
        memset(cells + self.size, 0, <size_t>(size - self.size) * sizeof(int64_t))
        self.cells = cells
        self.size = size
        return 0

    cdef int record(self, int64_t value, int64_t times) except -1:
        cdef int64_t index
        if value < 0:
            raise ValueError(f"value is {value}: it must not be negative")
        index = self.index_of(value)
        if index >= self.size:
            self.grow(index)
        self.cells[index] += times
        self.count += times
        self.total += <double>value * times
        if value < self.smallest:
            self.smallest = value
        if value > self.largest:
            self.largest = value
        return 0

    def add(self, value, int64_t times=1):
        """Count a value, or a value several times.

        Raises
        ------
        ValueError
            When the value is negative, or the number of times not positive.
        OverflowError
            When the value is 2**63 or more.
        TypeError
            When it is no integer.
        """
        if times <= 0:
            raise ValueError(f"times is {times}: it must be positive")
        # Only what is an integer: a float would be cut off without a word.
        self.record(PyNumber_Index(value), times)

    def add_all(self, values):
        """Count every value of an iterable or integer array."""
        for value in values:
            self.record(PyNumber_Index(value), 1)

    def merge(self, HdrHistogram other not None):
        """Count all values that another histogram of the same precision counted.

        Raises
        ------
        ValueError
            When the precisions differ.
        """
        cdef int64_t index
        if other.digits != self.digits:
            raise ValueError(
                f"digits is {other.digits} there and {self.digits} here: they must be equal"
            )
        if other.size > self.size:
            self.grow(other.size - 1)
        for index in range(other.size):
            self.cells[index] += other.cells[index]
        self.count += other.count
        self.total += other.total
        self.smallest = min(self.smallest, other.smallest)
        self.largest = max(self.largest, other.largest)

    def percentile(self, double percent):
        """Smallest value that at least so many percent of the values do not exceed.

        Exact at 0 and 100, elsewhere the upper end of its cell.

        Parameters
        ----------
        percent : float
            From 0 to 100.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            When `percent` is out of range, or nothing was counted.
        """
        cdef int64_t index, wanted, seen = 0
        if not 0.0 <= percent <= 100.0:
            raise ValueError(f"percent is {percent}: it must be from 0 to 100")
        if self.count == 0:
            raise ValueError("the histogram is empty: it has no percentiles")
        if percent == 0.0:
            return self.smallest
        # The rounding error of the product must not ask for one more.
        wanted = max(1, <int64_t>ceil(percent / 100.0 * self.count * (1 - 1e-15)))
        for index in range(self.size):
            seen += self.cells[index]
            if seen >= wanted:
                return min(self.highest(index), self.largest)
        return self.largest

    def count_up_to(self, int64_t value):
        """How many values do not exceed one, to the precision of its cell."""
        cdef int64_t index, seen = 0
        if value < 0:
            return 0
        for index in range(min(self.index_of(value) + 1, self.size)):
            seen += self.cells[index]
        return seen

    @property
    def mean(self):
        """Arithmetic mean of the values themselves, not of their cells; NaN without values."""
        return self.total / self.count if self.count > 0 else NAN

    @property
    def std(self):
        """Standard deviation (n in the denominator) from the middles of the cells."""
        cdef int64_t index
        cdef double deviation, squares = 0.0
        if self.count == 0:
            return NAN
        for index in range(self.size):
            if self.cells[index]:
                deviation = (
                    0.5 * (<double>self.lowest(index) + <double>self.highest(index))
                    - self.total / self.count
                )
                squares += self.cells[index] * deviation * deviation
        return sqrt(squares / self.count)

    @property
    def min(self):
        """Smallest value, exactly; None without values."""
        return self.smallest if self.count > 0 else None

    @property
    def max(self):
        """Largest value, exactly; None without values."""
        return self.largest if self.count > 0 else None

    def cells_in_use(self):
        """Cells that are not empty, in order.

        Returns
        -------
        list of (int, int, int)
            Smallest and largest value of the cell, and how many values fell in it.
        """
        cdef int64_t index
        return [
            (self.lowest(index), self.highest(index), self.cells[index])
            for index in range(self.size) if self.cells[index]
        ]

    def reset(self):
        """Forget all values."""
        if self.size > 0:
            memset(self.cells, 0, <size_t>self.size * sizeof(int64_t))
        self.count = 0
        self.total = 0.0
        self.smallest = 0x7FFFFFFFFFFFFFFF
        self.largest = -1

    def __reduce__(self):
        cdef int64_t index
        cells = np.zeros(self.size, dtype=np.int64)
        for index in range(self.size):
            cells[index] = self.cells[index]
        return restore_histogram, (
            self.digits, cells, self.count, self.total, self.smallest, self.largest
        )

    def __repr__(self):
        return f"<HdrHistogram of {self.count}, {self.digits} digits, mean {self.mean:g}>"


def restore_histogram(digits, cells, count, total, smallest, largest):
    """Rebuild a pickled `HdrHistogram`."""
    cdef HdrHistogram histogram = HdrHistogram(digits)
    cdef int64_t index
    if len(cells):
        histogram.grow(len(cells) - 1)
    for index in range(len(cells)):
        histogram.cells[index] = cells[index]
    histogram.count = count
    histogram.total = total
    histogram.smallest = smallest
    histogram.largest = largest
    return histogram
