"""Time that bytes take at a data rate."""

from libc.stdint cimport INT64_MAX, int64_t

cdef inline int64_t transmission_time(int64_t size, int64_t data_rate) except -1:
    """Time of `size` bytes at `data_rate` bit/s, ns, rounded to nearest in whole numbers."""
    # Of one byte at 1 bit/s; a variable, since a literal this large would be a Python integer.
    cdef int64_t byte = 8000000000
    if size > (INT64_MAX - data_rate // 2) // byte:
        raise OverflowError(f"size is {size} bytes: its time at {data_rate} bit/s is out of range")
    return (size * byte + data_rate // 2) // data_rate
