"""Name components, and their two URI forms (NDN Packet Format Specification 0.3, "Name")."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcmp

from simcore.models.ndn.tlv cimport nonnegative_size, write_big_endian

from simcore.models.ndn.tlv import TlvError, encode_element

# Alternate URI forms: a hexadecimal digest, or a decimal number.
cdef dict DIGEST_PREFIX = {IMPLICIT_DIGEST: "sha256digest", PARAMETERS_DIGEST: "params-sha256"}
cdef dict NUMBER_PREFIX = {
    SEGMENT: "seg",
    BYTE_OFFSET: "off",
    VERSION: "v",
    TIMESTAMP: "t",
    SEQUENCE: "seq",
}
cdef dict TYPE_OF_DIGEST = {prefix: kind for kind, prefix in DIGEST_PREFIX.items()}
cdef dict TYPE_OF_NUMBER = {prefix: kind for kind, prefix in NUMBER_PREFIX.items()}

# What each byte looks like in a URI: RFC 3986's unreserved characters stand for themselves.
cdef tuple ESCAPED = tuple(
    chr(i) if chr(i) in "-._~" or (i < 128 and chr(i).isalnum()) else f"%{i:02X}"
    for i in range(256)
)
cdef frozenset HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


cdef Component new_component(int type, bytes value):
    cdef Component component = Component.__new__(Component)
    component.type = type
    component.value = value
    return component


cdef Component numeric_component(int type, uint64_t number):
    cdef uint8_t buffer[8]
    cdef int size = nonnegative_size(number)
    write_big_endian(buffer, number, size)
    return new_component(type, PyBytes_FromStringAndSize(<const char*>buffer, size))


cdef bytes component_wire(Component component):
    return encode_element(component.type, component.value)


cdef Component component_from(object given):
    if isinstance(given, Component):
        return given
    if isinstance(given, bytes):
        return new_component(GENERIC, given)
    if isinstance(given, str):
        return parse_component(given)
    raise TypeError(f"component is {given!r}: it must be a Component, bytes, or a str of a URI")


cdef bytes unescape(str text):
    cdef bytearray data = bytearray()
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t size = len(text)
    if "%" not in text:
        return text.encode()
    while i < size:
        if (
            text[i] == "%" and i + 2 < size
            and text[i + 1] in HEX_DIGITS and text[i + 2] in HEX_DIGITS
        ):
            data.append(int(text[i + 1:i + 3], 16))
            i += 3
        else:
            # A percent sign that escapes nothing stands for itself.
            data += text[i].encode()
            i += 1
    return bytes(data)


cdef bytes parse_value(str text, str whole):
    cdef bytes value = unescape(text)
    # A value of periods only has three more of them, so that '.' and '..' are never components.
    if value.strip(b"."):
        return value
    if len(value) < 3:
        raise ValueError(
            f"component {whole!r} is empty or has fewer than three periods only: "
            "an empty component is '...'"
        )
    return value[3:]


cdef Component parse_component(str text):
    cdef str prefix, rest
    cdef object number
    prefix, equals, rest = text.partition("=")
    if not equals:
        return new_component(GENERIC, parse_value(text, text))
    if prefix in TYPE_OF_DIGEST:
        if len(rest) != 2 * DIGEST_SIZE or not HEX_DIGITS.issuperset(rest):
            raise ValueError(f"component {text!r}: {prefix}= needs {2 * DIGEST_SIZE} hex digits")
        return new_component(TYPE_OF_DIGEST[prefix], bytes.fromhex(rest))
    if prefix in TYPE_OF_NUMBER:
        number = decimal(rest)
        if number is None or number > 0xFFFFFFFFFFFFFFFF:
            raise ValueError(
                f"component {text!r}: {prefix}= needs a decimal number without leading zeros, "
                "at most 2**64 - 1"
            )
        return numeric_component(TYPE_OF_NUMBER[prefix], number)
    number = decimal(prefix)
    if number is None or not 1 <= number <= MAX_COMPONENT_TYPE:
        raise ValueError(
            f"component {text!r}: the type {prefix!r} is neither a number from 1 to "
            f"{MAX_COMPONENT_TYPE} nor one of {', '.join([*TYPE_OF_DIGEST, *TYPE_OF_NUMBER])}"
        )
    return Component(parse_value(rest, text), number)


cdef object decimal(str text):
    if not (text.isascii() and text.isdigit()) or (text[0] == "0" and len(text) > 1):
        return None
    # Longer ones do not fit 64 bits, and int() would be slow on them.
    return int(text) if len(text) <= 20 else 1 << 64


@cython.final
@cython.no_gc
cdef class Component:
    """One component of a name: immutable, ordered as NDN orders names.

    Parameters
    ----------
    value : bytes
    type : int
        1 to 65535; 8, generic, when not given.

    Raises
    ------
    ValueError
        When the type is out of range, or a digest does not have 32 bytes.
    """

    def __init__(self, bytes value not None, int type=GENERIC):
        if not 1 <= type <= MAX_COMPONENT_TYPE:
            raise ValueError(f"component type is {type}: it must be 1 to {MAX_COMPONENT_TYPE}")
        if type <= PARAMETERS_DIGEST and PyBytes_GET_SIZE(value) != DIGEST_SIZE:
            raise TlvError(f"{DIGEST_PREFIX[type]} has {len(value)} bytes: it must have 32")
        self.type = type
        self.value = value

    @staticmethod
    def parse(str text not None):
        """Component of its URI form, without slashes.

        Raises
        ------
        ValueError
            When it is no component; the message says why.
        """
        return parse_component(text)

    @staticmethod
    def segment(uint64_t number):
        """Segment number (NDN naming conventions revision 3)."""
        return numeric_component(SEGMENT, number)

    @staticmethod
    def byte_offset(uint64_t number):
        """Byte offset (NDN naming conventions revision 3)."""
        return numeric_component(BYTE_OFFSET, number)

    @staticmethod
    def version(uint64_t number):
        """Version (NDN naming conventions revision 3)."""
        return numeric_component(VERSION, number)

    @staticmethod
    def timestamp(uint64_t microseconds):
        """Timestamp, microseconds since 1970 (NDN naming conventions revision 3)."""
        return numeric_component(TIMESTAMP, microseconds)

    @staticmethod
    def sequence(uint64_t number):
        """Sequence number (NDN naming conventions revision 3)."""
        return numeric_component(SEQUENCE, number)

    @staticmethod
    def keyword(bytes value not None):
        """Keyword (NDN naming conventions revision 3)."""
        return new_component(KEYWORD, value)

    @property
    def number(self):
        """Value as a NonNegativeInteger, or None when its size is not 1, 2, 4 or 8 bytes."""
        return int.from_bytes(self.value, "big") if len(self.value) in (1, 2, 4, 8) else None

    def to_wire(self):
        """Wire format: type, length, value."""
        return component_wire(self)

    def to_uri(self, canonical=False):
        """URI form; `canonical` writes every type as a number and no alternate form."""
        cdef str prefix
        cdef bytes value = self.value
        if not canonical:
            if self.type in DIGEST_PREFIX:
                return f"{DIGEST_PREFIX[self.type]}={value.hex()}"
            # A number that is not in its shortest form would come back as another component.
            if self.type in NUMBER_PREFIX and len(value) in (1, 2, 4, 8):
                if nonnegative_size(int.from_bytes(value, "big")) == len(value):
                    return f"{NUMBER_PREFIX[self.type]}={int.from_bytes(value, 'big')}"
        prefix = "" if self.type == GENERIC and not canonical else f"{self.type}="
        if not value.strip(b"."):
            return f"{prefix}...{value.decode()}"
        return prefix + "".join([ESCAPED[byte] for byte in value])

    def successor(self):
        """The next component in canonical order, of the same length where there is one."""
        cdef bytearray value = bytearray(self.value)
        cdef Py_ssize_t i
        for i in range(len(value) - 1, -1, -1):
            if value[i] != 0xFF:
                value[i] += 1
                return new_component(self.type, bytes(value))
            value[i] = 0
        # A digest has one length only: the successor of the last is the first of the next type.
        if self.type == IMPLICIT_DIGEST:
            return new_component(PARAMETERS_DIGEST, bytes(DIGEST_SIZE))
        if self.type == PARAMETERS_DIGEST:
            return new_component(PARAMETERS_DIGEST + 1, b"")
        return new_component(self.type, bytes(len(value) + 1))

    cdef int compare(self, Component other) noexcept:
        cdef Py_ssize_t size = PyBytes_GET_SIZE(self.value)
        cdef Py_ssize_t other_size = PyBytes_GET_SIZE(other.value)
        if self.type != other.type:
            return -1 if self.type < other.type else 1
        if size != other_size:
            return -1 if size < other_size else 1
        return memcmp(PyBytes_AS_STRING(self.value), PyBytes_AS_STRING(other.value), size)

    def __eq__(self, other):
        return isinstance(other, Component) and self.compare(<Component>other) == 0

    def __lt__(self, Component other not None):
        return self.compare(other) < 0

    def __le__(self, Component other not None):
        return self.compare(other) <= 0

    def __gt__(self, Component other not None):
        return self.compare(other) > 0

    def __ge__(self, Component other not None):
        return self.compare(other) >= 0

    def __hash__(self):
        return hash((self.type, self.value))

    def __str__(self):
        return self.to_uri()

    def __repr__(self):
        return f"Component.parse({self.to_uri()!r})"

    def __reduce__(self):
        return Component, (self.value, self.type)
