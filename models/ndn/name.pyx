"""Names (NDN Packet Format Specification 0.3, "Name")."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy

from simcore.models.ndn.component cimport (
    DIGEST_SIZE, IMPLICIT_DIGEST, MAX_COMPONENT_TYPE, PARAMETERS_DIGEST, SEQUENCE, Component,
    component_from, component_wire, new_component, numeric_component,
)
from simcore.models.ndn.tlv cimport (
    Element, Reader, next_element, nonnegative_size, sole_element, write_big_endian, write_header,
)

from simcore.models.ndn.tlv import TlvError, encode_element

# Key of all hashes. Equal in every process unless set, so that runs repeat.
cdef uint64_t KEY_0 = 0x0706050403020100U
cdef uint64_t KEY_1 = 0x0F0E0D0C0B0A0908U
cdef bint key_in_use = False

# SHA-256 of nothing: what stands for the digest of parameters that are not there yet.
cdef bytes EMPTY_DIGEST = bytes.fromhex(
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)


cdef inline uint64_t rotate(uint64_t x, int bits) noexcept nogil:
    return x << bits | x >> (64 - bits)


cdef inline uint64_t load(const uint8_t* p) noexcept nogil:
    """Little-endian word, on any machine."""
    return (
        <uint64_t>p[0] | <uint64_t>p[1] << 8 | <uint64_t>p[2] << 16 | <uint64_t>p[3] << 24
        | <uint64_t>p[4] << 32 | <uint64_t>p[5] << 40 | <uint64_t>p[6] << 48
        | <uint64_t>p[7] << 56
    )


cdef inline void sip_round(uint64_t* v) noexcept nogil:
    v[0] += v[1]
    v[2] += v[3]
    v[1] = rotate(v[1], 13) ^ v[0]
    v[3] = rotate(v[3], 16) ^ v[2]
    v[0] = rotate(v[0], 32)
    v[2] += v[1]
    v[0] += v[3]
    v[1] = rotate(v[1], 17) ^ v[2]
    v[3] = rotate(v[3], 21) ^ v[0]
    v[2] = rotate(v[2], 32)


cdef uint64_t chain_hash(uint64_t before, const uint8_t* p, Py_ssize_t size) noexcept nogil:
    """SipHash-1-3 (Aumasson and Bernstein, 2012) of `before` as eight bytes, then the bytes."""
    cdef uint64_t v[4]
    cdef uint64_t word
    cdef Py_ssize_t i
    v[0] = KEY_0 ^ 0x736F6D6570736575U
    v[1] = KEY_1 ^ 0x646F72616E646F6DU
    v[2] = KEY_0 ^ 0x6C7967656E657261U
    v[3] = KEY_1 ^ 0x7465646279746573U
    v[3] ^= before
    sip_round(v)
    v[0] ^= before
    for _word in range(size >> 3):
        word = load(p)
        v[3] ^= word
        sip_round(v)
        v[0] ^= word
        p += 8
    word = <uint64_t>(size + 8) << 56
    for i in range(size & 7):
        word |= <uint64_t>p[i] << (8 * i)
    v[3] ^= word
    sip_round(v)
    v[0] ^= word
    v[2] ^= 0xFF
    sip_round(v)
    sip_round(v)
    sip_round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def set_hash_key(bytes key not None):
    """Set the key of the hashes of names, for forwarders that face strangers.

    The default key is fixed, so that runs repeat.

    Parameters
    ----------
    key : bytes
        16 secret bytes.

    Raises
    ------
    ValueError
        When there are not 16 bytes.
    RuntimeError
        When names exist already: tables would not find them again.
    """
    global KEY_0, KEY_1
    if len(key) != 16:
        raise ValueError(f"key has {len(key)} bytes: it must have 16")
    if key_in_use:
        raise RuntimeError("names exist already: set the key before the first one is made")
    KEY_0 = int.from_bytes(key[:8], "little")
    KEY_1 = int.from_bytes(key[8:], "little")


cdef int allocate(Name name, int count) except -1:
    """Room for the hashes and offsets of `count` components."""
    global key_in_use
    key_in_use = True
    name.hash = <uint64_t*>PyMem_Malloc((count + 1) * (sizeof(uint64_t) + sizeof(uint16_t)))
    if name.hash == NULL:
        raise MemoryError
    name.offset = <uint16_t*>(name.hash + count + 1)
    name.count = count
    return 0


cdef int check_size(Py_ssize_t size) except -1:
    if size > MAX_NAME_SIZE:
        raise TlvError(f"name has {size} bytes: at most {MAX_NAME_SIZE} are possible")
    return 0


cdef Name name_from_value(bytes value):
    cdef Name name = Name.__new__(Name)
    cdef Reader reader
    cdef Element element
    cdef int count = 0
    cdef const uint8_t* start = <const uint8_t*>PyBytes_AS_STRING(value)
    check_size(PyBytes_GET_SIZE(value))
    reader.p = start
    reader.end = start + PyBytes_GET_SIZE(value)
    while next_element(&reader, &element):
        if element.type > MAX_COMPONENT_TYPE:
            raise TlvError(
                f"component type is {element.type}: it must be 1 to {MAX_COMPONENT_TYPE}"
            )
        if element.type <= PARAMETERS_DIGEST and element.length != DIGEST_SIZE:
            raise TlvError(
                f"digest component has {element.length} bytes: it must have {DIGEST_SIZE}"
            )
        count += 1
    name.value = value
    allocate(name, count)
    name.hash[0] = chain_hash(0, NULL, 0)
    name.offset[0] = 0
    reader.p = start
    count = 0
    while next_element(&reader, &element):
        name.hash[count + 1] = chain_hash(
            name.hash[count], element.start, reader.p - element.start
        )
        count += 1
        name.offset[count] = <uint16_t>(reader.p - start)
    return name


cdef Name name_of(Element* element):
    return name_from_value(
        PyBytes_FromStringAndSize(<const char*>element.value, element.length)
    )


cdef Name name_from(object given):
    if isinstance(given, Name):
        return given
    return Name(given)


cdef bytes value_of_uri(str uri):
    """TLV-VALUE of a name's URI; scheme and authority are ignored."""
    cdef Py_ssize_t colon = uri.find(":")
    cdef Py_ssize_t slash = uri.find("/")
    cdef list parts
    if colon >= 0 and (slash < 0 or colon < slash):
        uri = uri[colon + 1:]
    if uri.startswith("//"):
        slash = uri.find("/", 2)
        uri = "" if slash < 0 else uri[slash + 1:]
    elif uri.startswith("/"):
        uri = uri[1:]
    if not uri:
        return b""
    parts = uri.split("/")
    if not parts[len(parts) - 1]:
        parts.pop()
    return b"".join([component_wire(Component.parse(part)) for part in parts])


@cython.final
@cython.no_gc
@cython.freelist(64)
cdef class Name:
    """A name: a sequence of components, immutable.

    Names are ordered canonically: component by component, a prefix before what extends it.

    Parameters
    ----------
    components : str, Name, or iterable of Component, bytes or str, optional
        A URI (``"/site/file/v=1"``, with ``ndn:`` in front or not), or the components: bytes make
        a generic one, a str is one component of a URI. The empty name when not given.

    Raises
    ------
    ValueError
        When a component is malformed, or the name has more than 65,535 bytes.
    """

    def __cinit__(self):
        self.hash = NULL

    def __init__(self, components=""):
        cdef Name other
        if isinstance(components, str):
            other = name_from_value(value_of_uri(components))
        elif isinstance(components, Name):
            other = components
        elif isinstance(components, (bytes, bytearray, memoryview)):
            raise TypeError("components are bytes: Name.from_wire() reads an encoded name")
        else:
            other = name_from_value(
                b"".join([component_wire(component_from(item)) for item in components])
            )
        PyMem_Free(self.hash)
        self.value = other.value
        allocate(self, other.count)
        memcpy(self.hash, other.hash, (other.count + 1) * (sizeof(uint64_t) + sizeof(uint16_t)))

    def __dealloc__(self):
        PyMem_Free(self.hash)

    @staticmethod
    def from_wire(bytes wire not None):
        """Name of a Name element (type 7).

        Raises
        ------
        TlvError
            When the bytes are no well-formed name.
        """
        cdef Element element
        sole_element(wire, &element)
        if element.type != NAME_TYPE:
            raise TlvError(f"element has type {element.type}: a name has type {NAME_TYPE}")
        return name_of(&element)

    def to_wire(self):
        """Name element: type, length, components."""
        return encode_element(NAME_TYPE, self.value)

    def to_uri(self, canonical=False):
        """URI form; `canonical` writes every type as a number and no alternate form."""
        if self.count == 0:
            return "/"
        return "".join([f"/{self.component(i).to_uri(canonical)}" for i in range(self.count)])

    cdef int compare(self, Name other) noexcept:
        cdef Py_ssize_t size = self.size()
        cdef Py_ssize_t other_size = other.size()
        cdef int order = memcmp(
            self.data(), other.data(), size if size < other_size else other_size
        )
        if order:
            return order
        return (size > other_size) - (size < other_size)

    cdef bint starts_with(self, const char* components, Py_ssize_t size) noexcept:
        return self.size() >= size and memcmp(self.data(), components, size) == 0

    cdef int last_type(self) noexcept:
        cdef const uint8_t* p
        if self.count == 0:
            return 0
        p = self.data() + self.offset[self.count - 1]
        return p[0] if p[0] < 253 else p[1] << 8 | p[2]

    cdef Component component(self, int i):
        cdef Reader reader
        cdef Element element
        reader.p = self.data() + self.offset[i]
        reader.end = self.data() + self.offset[i + 1]
        next_element(&reader, &element)
        return new_component(
            element.type, PyBytes_FromStringAndSize(<const char*>element.value, element.length)
        )

    cpdef Name prefix(self, int n):
        """Prefix of `n` components; a negative `n` leaves out so many at the end."""
        cdef Name name
        if n < 0:
            n = self.count + n if self.count + n > 0 else 0
        if n >= self.count:
            return self
        name = Name.__new__(Name)
        name.value = PyBytes_FromStringAndSize(<const char*>self.data(), self.offset[n])
        allocate(name, n)
        memcpy(name.hash, self.hash, (n + 1) * sizeof(uint64_t))
        memcpy(name.offset, self.offset, (n + 1) * sizeof(uint16_t))
        return name

    cdef Name append_wire(self, const uint8_t* component, Py_ssize_t size):
        cdef Name name = Name.__new__(Name)
        cdef Py_ssize_t before = self.size()
        cdef int n = self.count
        check_size(before + size)
        name.value = PyBytes_FromStringAndSize(NULL, before + size)
        memcpy(<void*>PyBytes_AS_STRING(name.value), self.data(), before)
        memcpy(<void*>(PyBytes_AS_STRING(name.value) + before), component, size)
        allocate(name, n + 1)
        memcpy(name.hash, self.hash, (n + 1) * sizeof(uint64_t))
        memcpy(name.offset, self.offset, (n + 1) * sizeof(uint16_t))
        name.hash[n + 1] = chain_hash(self.hash[n], component, size)
        name.offset[n + 1] = <uint16_t>(before + size)
        return name

    cpdef Name append_sequence(self, uint64_t number):
        """Name with a sequence number behind this one."""
        cdef uint8_t buffer[10]
        cdef int size = nonnegative_size(number)
        write_big_endian(write_header(buffer, SEQUENCE, size), number, size)
        return self.append_wire(buffer, 2 + size)

    def append(self, *components):
        """Name with components behind this one: Component, bytes (generic), or str (URI)."""
        cdef Name name = self
        cdef bytes wire
        for given in components:
            wire = component_wire(component_from(given))
            name = name.append_wire(<const uint8_t*>PyBytes_AS_STRING(wire), len(wire))
        return name

    def append_number(self, int type, uint64_t number):
        """Name with a component of `type` behind this one whose value is a number."""
        return self.append(Component(numeric_component(type, number).value, type))

    def append_parameters_digest_placeholder(self):
        """Name with room for the digest that an Interest with parameters ends with."""
        return self.append(new_component(PARAMETERS_DIGEST, EMPTY_DIGEST))

    def is_prefix_of(self, other):
        """Whether `other`, a Name or a URI, starts with this name or equals it."""
        return name_from(other).has_prefix(self)

    def subname(self, int start, count=None):
        """Components from `start` (negative: from the end) on, at most `count`, as a name.

        Positions beyond either end mean that end.
        """
        if start < 0:
            start = max(0, self.count + start)
        cdef int stop = self.count if count is None else min(self.count, start + max(0, count))
        if start >= stop:
            return Name()
        return name_from_value(self.value[self.offset[start]:self.offset[stop]])

    def replaced(self, int i, component):
        """Name with another component at position `i` (negative: from the end)."""
        cdef list components = list(self)
        components[i] = component
        return Name(components)

    def successor(self):
        """The next name of as many components in canonical order."""
        if self.count == 0:
            return Name([new_component(IMPLICIT_DIGEST, bytes(DIGEST_SIZE))])
        return self.prefix(-1).append(self.component(self.count - 1).successor())

    def prefix_hash(self, int n):
        """Hash of the prefix of `n` components, 64 bits."""
        if not 0 <= n <= self.count:
            raise IndexError(f"n is {n}: the name has {self.count} components")
        return self.hash[n]

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        cdef int i
        if isinstance(index, slice):
            start, stop, step = index.indices(self.count)
            if step != 1:
                raise ValueError(f"step is {step}: a slice of a name has a step of 1")
            return self.subname(start, max(0, stop - start))
        i = index
        if i < 0:
            i += self.count
        if not 0 <= i < self.count:
            raise IndexError(f"component {index} of a name of {self.count}")
        return self.component(i)

    def __iter__(self):
        return iter([self.component(i) for i in range(self.count)])

    def __add__(self, other):
        if not isinstance(self, Name) or not isinstance(other, Name):
            return NotImplemented
        return name_from_value((<Name>self).value + (<Name>other).value)

    def __eq__(self, other):
        return isinstance(other, Name) and self.equals(<Name>other)

    def __lt__(self, Name other not None):
        return self.compare(other) < 0

    def __le__(self, Name other not None):
        return self.compare(other) <= 0

    def __gt__(self, Name other not None):
        return self.compare(other) > 0

    def __ge__(self, Name other not None):
        return self.compare(other) >= 0

    def __hash__(self):
        return <Py_hash_t>self.hash[self.count]

    def __str__(self):
        return self.to_uri()

    def __repr__(self):
        return f"Name({self.to_uri()!r})"

    def __reduce__(self):
        return Name.from_wire, (self.to_wire(),)
