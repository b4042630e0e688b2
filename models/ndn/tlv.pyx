"""NDN's type-length-value encoding (NDN Packet Format Specification 0.3, "TLV Encoding")."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint64_t

cdef uint64_t MAX_TYPE = 0xFFFFFFFFU    # "TLV Encoding": a type number has at most 32 bits


class TlvError(ValueError):
    """Bytes from outside that are no well-formed NDN element or packet."""


cdef int read_var(Reader* reader, str field, uint64_t* number) except -1:
    cdef Py_ssize_t left = reader.end - reader.p
    cdef int size, i
    cdef uint64_t n
    if left < 1:
        raise TlvError(f"{field} is missing: the bytes end")
    n = reader.p[0]
    if n < 253:
        number[0] = n
        reader.p += 1
        return 0
    size = 2 if n == 253 else 4 if n == 254 else 8
    if left < 1 + size:
        raise TlvError(f"{field} is cut off: {left} bytes where {1 + size} are needed")
    n = 0
    for i in range(size):
        n = n << 8 | reader.p[1 + i]
    if var_size(n) != 1 + size:
        raise TlvError(f"{field} {n} takes {1 + size} bytes: the shortest form is {var_size(n)}")
    number[0] = n
    reader.p += 1 + size
    return 0


cdef int next_element(Reader* reader, Element* element) except -1:
    cdef uint64_t number
    if reader.p >= reader.end:
        return 0
    element.start = reader.p
    read_var(reader, "TLV-TYPE", &number)
    if number == 0 or number > MAX_TYPE:
        raise TlvError(f"TLV-TYPE is {number}: it must be 1 to {MAX_TYPE}")
    element.type = <uint32_t>number
    read_var(reader, "TLV-LENGTH", &number)
    if number > <uint64_t>(reader.end - reader.p):
        raise TlvError(
            f"element of type {element.type} has a length of {number} bytes, "
            f"but {reader.end - reader.p} are left"
        )
    element.value = reader.p
    element.length = <Py_ssize_t>number
    reader.p += number
    return 1


cdef int sole_element(bytes wire, Element* element) except -1:
    cdef Reader reader
    reader.p = <const uint8_t*>PyBytes_AS_STRING(wire)
    reader.end = reader.p + PyBytes_GET_SIZE(wire)
    if not next_element(&reader, element):
        raise TlvError("packet is empty")
    if reader.p != reader.end:
        raise TlvError(f"{reader.end - reader.p} bytes follow the packet")
    return 0


cdef int read_nonnegative(Element* element, str field, uint64_t* number) except -1:
    cdef Py_ssize_t size = element.length
    cdef Py_ssize_t i
    cdef uint64_t n = 0
    if size != 1 and size != 2 and size != 4 and size != 8:
        raise TlvError(f"{field} has {size} bytes: a NonNegativeInteger has 1, 2, 4 or 8")
    for i in range(size):
        n = n << 8 | element.value[i]
    number[0] = n
    return 0


cdef int skip_unrecognised(Element* element, str inside) except -1:
    if is_critical_type(element.type):
        raise TlvError(
            f"{inside} has an unknown or misplaced element of type {element.type}, "
            "which is critical"
        )
    return 0


cdef bytes bytes_of(Element* element):
    return PyBytes_FromStringAndSize(
        <const char*>element.start, element.value + element.length - element.start
    )


cdef bytes value_of(Element* element):
    return PyBytes_FromStringAndSize(<const char*>element.value, element.length)


def is_critical(uint64_t type):
    """Whether an element of this type must be understood: types up to 31, and odd ones."""
    return bool(is_critical_type(type))


def encode_var_number(number: int) -> bytes:
    """VAR-NUMBER (a type or a length) in its shortest form.

    Raises
    ------
    ValueError
        When the number is negative or needs more than 64 bits.
    """
    cdef uint8_t buffer[9]
    if not 0 <= number <= 0xFFFFFFFFFFFFFFFF:
        raise ValueError(f"number is {number}: it must be 0 to 2**64 - 1")
    cdef uint8_t* end = write_var(buffer, number)
    return PyBytes_FromStringAndSize(<const char*>buffer, end - buffer)


def decode_var_number(bytes data not None):
    """Value of the VAR-NUMBER at the start of `data`, and the number of bytes it takes.

    Raises
    ------
    TlvError
        When it is cut off, or not in its shortest form.
    """
    cdef Reader reader
    cdef uint64_t number
    cdef const uint8_t* start = <const uint8_t*>PyBytes_AS_STRING(data)
    reader.p = start
    reader.end = start + PyBytes_GET_SIZE(data)
    read_var(&reader, "VAR-NUMBER", &number)
    return number, reader.p - start


def encode_nonnegative(number: int) -> bytes:
    """NonNegativeInteger in its shortest form.

    Raises
    ------
    ValueError
        When the number is negative or needs more than 64 bits.
    """
    cdef uint8_t buffer[8]
    if not 0 <= number <= 0xFFFFFFFFFFFFFFFF:
        raise ValueError(f"number is {number}: it must be 0 to 2**64 - 1")
    cdef uint8_t* end = write_big_endian(buffer, number, nonnegative_size(number))
    return PyBytes_FromStringAndSize(<const char*>buffer, end - buffer)


def decode_nonnegative(bytes value not None):
    """Value of a NonNegativeInteger.

    Raises
    ------
    TlvError
        When its size is not 1, 2, 4 or 8 bytes.
    """
    cdef Element element
    cdef uint64_t number
    element.value = <const uint8_t*>PyBytes_AS_STRING(value)
    element.length = PyBytes_GET_SIZE(value)
    read_nonnegative(&element, "NonNegativeInteger", &number)
    return number


def encode_element(type: int, bytes value not None) -> bytes:
    """One element: type, length, value."""
    if not 1 <= type <= MAX_TYPE:
        raise ValueError(f"type is {type}: it must be 1 to {MAX_TYPE}")
    return encode_var_number(type) + encode_var_number(len(value)) + value


def elements(bytes data not None):
    """The (type, value) pairs that `data` is a sequence of, as a list.

    Raises
    ------
    TlvError
        When the bytes are no sequence of elements.
    """
    cdef Reader reader
    cdef Element element
    cdef list found = []
    reader.p = <const uint8_t*>PyBytes_AS_STRING(data)
    reader.end = reader.p + PyBytes_GET_SIZE(data)
    while next_element(&reader, &element):
        found.append((element.type, value_of(&element)))
    return found
