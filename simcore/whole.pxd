"""Whole numbers that scripts give: C would cut 7.9 to 7 in silence."""

from libc.stdint cimport int64_t

cdef enum:
    MAX_NUMBER = 0x7FFFFFFFFFFFFFFF

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object value, int* overflow) except? -1


cdef inline object whole(str name, object value, int64_t largest=0x7FFFFFFF):
    """The value as an int, if it is one, up to `largest` either way.

    Raises
    ------
    TypeError
        When it is none.
    ValueError
        When it is larger.
    """
    cdef int overflow = 0
    cdef long long number
    try:
        value = value.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"{name} is {value!r}: it must be a whole number") from None
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow or not -largest <= number <= largest:
        raise ValueError(f"{name} is {value}: it must be at most {largest}")
    return value
