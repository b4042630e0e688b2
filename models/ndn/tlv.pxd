"""NDN's type-length-value encoding as compiled code reads and writes it.

Numbers and rules: NDN Packet Format Specification 0.3, "TLV Encoding".
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy


cdef struct Reader:
    const uint8_t* p           # next byte
    const uint8_t* end         # one past the last


cdef struct Element:
    uint32_t type
    const uint8_t* start       # first byte of the type
    const uint8_t* value
    Py_ssize_t length          # of the value; start to value + length is the whole element


# 1 with the next element, 0 at the end; TlvError on anything malformed.
cdef int next_element(Reader* reader, Element* element) except -1
# The whole of some bytes as one element; TlvError when bytes follow it.
cdef int sole_element(bytes wire, Element* element) except -1
cdef int read_nonnegative(Element* element, str field, uint64_t* number) except -1
# Raise for an element that was not recognised here, unless it may be ignored.
cdef int skip_unrecognised(Element* element, str inside) except -1
cdef bytes bytes_of(Element* element)       # type and length included
cdef bytes value_of(Element* element)


cdef inline bint is_critical_type(uint64_t type) noexcept nogil:
    """A type that must not be ignored when it is not understood: up to 31, or odd."""
    return type <= 31 or type & 1


cdef inline int var_size(uint64_t number) noexcept nogil:
    """Size of a VAR-NUMBER: 1, 3, 5 or 9 bytes."""
    return 1 if number < 253 else 3 if number <= 0xFFFF else 5 if number <= 0xFFFFFFFFU else 9


cdef inline uint8_t* write_big_endian(uint8_t* p, uint64_t number, int size) noexcept nogil:
    cdef int i
    for i in range(size - 1, -1, -1):
        p[i] = <uint8_t>(number & 0xFF)
        number >>= 8
    return p + size


cdef inline uint8_t* write_var(uint8_t* p, uint64_t number) noexcept nogil:
    cdef int size = var_size(number)
    if size == 1:
        p[0] = <uint8_t>number
        return p + 1
    p[0] = 253 if size == 3 else 254 if size == 5 else 255
    return write_big_endian(p + 1, number, size - 1)


cdef inline int nonnegative_size(uint64_t number) noexcept nogil:
    """Size of a NonNegativeInteger: 1, 2, 4 or 8 bytes."""
    return 1 if number <= 0xFF else 2 if number <= 0xFFFF else 4 if number <= 0xFFFFFFFFU else 8


cdef inline Py_ssize_t element_size(uint64_t type, Py_ssize_t length) noexcept nogil:
    return var_size(type) + var_size(length) + length


cdef inline Py_ssize_t number_element_size(uint64_t type, uint64_t number) noexcept nogil:
    return var_size(type) + 1 + nonnegative_size(number)


cdef inline uint8_t* write_header(uint8_t* p, uint64_t type, Py_ssize_t length) noexcept nogil:
    return write_var(write_var(p, type), length)


cdef inline uint8_t* write_bytes(uint8_t* p, const void* source, Py_ssize_t size) noexcept nogil:
    memcpy(p, source, size)
    return p + size


cdef inline uint8_t* write_number(uint8_t* p, uint64_t type, uint64_t number) noexcept nogil:
    """Element whose value is a NonNegativeInteger."""
    cdef int size = nonnegative_size(number)
    return write_big_endian(write_header(p, type, size), number, size)
