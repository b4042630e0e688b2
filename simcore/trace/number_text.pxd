"""Numbers and words as text, written straight into a buffer."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, strlen

cdef enum:
    INT64_TEXT_SIZE = 20               # room for "-9223372036854775808"
    SECONDS_TEXT_SIZE = 21             # room for "-9223372036.854775808"


cdef inline int put_uint64(char* out, uint64_t value) noexcept nogil:
    """Write a number in decimal, without a terminating zero; return its length."""
    cdef char digits[20]
    cdef int start = 20
    cdef int length
    cdef int i
    while True:
        start -= 1
        digits[start] = <char>(48 + value % 10)
        value //= 10
        if value == 0:
            break
    length = 20 - start
    for i in range(length):
        out[i] = digits[start + i]
    return length


cdef inline int put_int64(char* out, int64_t value) noexcept nogil:
    if value >= 0:
        return put_uint64(out, <uint64_t>value)
    out[0] = 45  # "-"
    return 1 + put_uint64(out + 1, -<uint64_t>value)


cdef inline int put_seconds(char* out, int64_t nanoseconds) noexcept nogil:
    """Write a time in seconds with nine decimals: exact, and every line as long."""
    cdef uint64_t magnitude = <uint64_t>nanoseconds
    cdef uint64_t fraction
    cdef int length = 0
    cdef int i
    if nanoseconds < 0:
        out[0] = 45
        length = 1
        magnitude = -magnitude
    length += put_uint64(out + length, magnitude // 1000000000)
    fraction = magnitude % 1000000000
    out[length] = 46  # "."
    for i in range(9, 0, -1):
        out[length + i] = <char>(48 + fraction % 10)
        fraction //= 10
    return length + 10


cdef inline int put_word(char* out, const char* word) noexcept nogil:
    """Write a C string, without its zero; return its length."""
    cdef size_t length = strlen(word)
    memcpy(out, word, length)
    return <int>length
