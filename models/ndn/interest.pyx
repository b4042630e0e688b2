"""Interest packets (NDN Packet Format Specification 0.3, "Interest Packet", "Signed Interest")."""

from hashlib import sha256

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from simcore.models.ndn.component cimport (
    DIGEST_SIZE, IMPLICIT_DIGEST, PARAMETERS_DIGEST, new_component,
)
from simcore.models.ndn.data cimport Data
from simcore.models.ndn.name cimport NAME_TYPE, Name, name_from, name_of
from simcore.models.ndn.tlv cimport (
    Element, Reader, bytes_of, element_size, next_element, number_element_size,
    read_nonnegative, skip_unrecognised, sole_element, value_of, write_big_endian, write_bytes,
    write_header, write_number,
)
from simcore.models.ndn.types cimport (
    APPLICATION_PARAMETERS_TYPE, CAN_BE_PREFIX_TYPE, DELEGATION_TYPE, FORWARDING_HINT_TYPE,
    HOP_LIMIT_TYPE, INTEREST_LIFETIME_TYPE, INTEREST_SIGNATURE_INFO_TYPE,
    INTEREST_SIGNATURE_VALUE_TYPE, INTEREST_TYPE, MUST_BE_FRESH_TYPE, NONCE_TYPE, NS_PER_MS,
)

from simcore.models.ndn.tlv import TlvError, encode_element

MAX_LIFETIME = <int64_t>1 << 62

# Place of each recognised element in an Interest.
cdef enum:
    NAME_PLACE = 1
    CAN_BE_PREFIX_PLACE
    MUST_BE_FRESH_PLACE
    HINT_PLACE
    NONCE_PLACE
    LIFETIME_PLACE
    HOP_LIMIT_PLACE
    PARAMETERS_PLACE
    SIGNATURE_INFO_PLACE
    SIGNATURE_VALUE_PLACE


cdef int place_of(uint32_t type) noexcept:
    if type == NAME_TYPE:
        return NAME_PLACE
    if type == CAN_BE_PREFIX_TYPE:
        return CAN_BE_PREFIX_PLACE
    if type == MUST_BE_FRESH_TYPE:
        return MUST_BE_FRESH_PLACE
    if type == FORWARDING_HINT_TYPE:
        return HINT_PLACE
    if type == NONCE_TYPE:
        return NONCE_PLACE
    if type == INTEREST_LIFETIME_TYPE:
        return LIFETIME_PLACE
    if type == HOP_LIMIT_TYPE:
        return HOP_LIMIT_PLACE
    if type == APPLICATION_PARAMETERS_TYPE:
        return PARAMETERS_PLACE
    if type == INTEREST_SIGNATURE_INFO_TYPE:
        return SIGNATURE_INFO_PLACE
    if type == INTEREST_SIGNATURE_VALUE_TYPE:
        return SIGNATURE_VALUE_PLACE
    return 0


cdef int require_size(Element* element, str field, Py_ssize_t size) except -1:
    if element.length != size:
        raise TlvError(f"{field} has {element.length} bytes: it must have {size}")
    return 0


cdef tuple decode_hint(Element* element):
    cdef Reader reader, inner
    cdef Element item, part
    cdef list names = []
    reader.p = element.value
    reader.end = element.value + element.length
    while next_element(&reader, &item):
        if item.type == NAME_TYPE:
            names.append(name_of(&item))
        elif item.type == DELEGATION_TYPE:
            inner.p = item.value
            inner.end = item.value + item.length
            while next_element(&inner, &part):
                if part.type == NAME_TYPE:
                    names.append(name_of(&part))
        else:
            skip_unrecognised(&item, "ForwardingHint")
    return tuple(names)


cdef int digest_position(Name name) except -2:
    """Where the digest of parameters stands in a name, or -1."""
    cdef int i
    cdef int found = -1
    cdef const uint8_t* p
    for i in range(name.count):
        p = name.data() + name.offset[i]
        if p[0] == PARAMETERS_DIGEST:
            if found >= 0:
                raise TlvError("name has two digests of parameters: one is possible")
            found = i
    return found


cdef int check_digest(Name name, bytes parameters) except -1:
    cdef int i = digest_position(name)
    cdef bytes digest
    if parameters is None:
        if i >= 0:
            raise TlvError("name has a digest of parameters, but the Interest has no parameters")
        return 0
    if i < 0:
        raise TlvError("Interest has parameters, but its name has no digest of them")
    digest = sha256(parameters).digest()
    if memcmp(name.data() + name.offset[i] + 2, PyBytes_AS_STRING(digest), DIGEST_SIZE):
        raise TlvError("digest of parameters in the name does not match the parameters")
    return 0


cdef Interest decode_interest(Element* packet, bytes wire):
    """Interest of an element; `wire` is the whole element, kept."""
    cdef Interest interest = Interest.__new__(Interest)
    cdef Reader reader
    cdef Element element
    cdef int last = 0
    cdef int place
    cdef uint64_t number
    cdef list parameters = None
    if packet.type != INTEREST_TYPE:
        raise TlvError(f"packet has type {packet.type}: an Interest has type {INTEREST_TYPE}")
    interest.lifetime_ms = DEFAULT_LIFETIME_MS
    interest.hops_left = -1
    interest.forwarding_hint = ()
    reader.p = packet.value
    reader.end = packet.value + packet.length
    while next_element(&reader, &element):
        place = place_of(element.type)
        if last == 0 and place != NAME_PLACE:
            raise TlvError(f"Interest starts with type {element.type}: its name must come first")
        if place <= last:
            # Unknown, out of order or repeated: an error if critical, else as if it were not there.
            skip_unrecognised(&element, "Interest")
            if place == 0 and parameters is not None:
                parameters.append(bytes_of(&element))
            continue
        last = place
        if place == NAME_PLACE:
            interest.name = name_of(&element)
            if interest.name.count == 0:
                raise TlvError("name of an Interest is empty: it must have a component")
        elif place == CAN_BE_PREFIX_PLACE:
            require_size(&element, "CanBePrefix", 0)
            interest.can_be_prefix = True
        elif place == MUST_BE_FRESH_PLACE:
            require_size(&element, "MustBeFresh", 0)
            interest.must_be_fresh = True
        elif place == HINT_PLACE:
            interest.forwarding_hint = decode_hint(&element)
        elif place == NONCE_PLACE:
            require_size(&element, "Nonce", 4)
            interest.has_nonce = True
            interest.nonce_value = (
                <uint32_t>element.value[0] << 24 | <uint32_t>element.value[1] << 16
                | <uint32_t>element.value[2] << 8 | element.value[3]
            )
        elif place == LIFETIME_PLACE:
            read_nonnegative(&element, "InterestLifetime", &number)
            interest.lifetime_ms = <int64_t>number if number < INT64_MAX else INT64_MAX
        elif place == HOP_LIMIT_PLACE:
            require_size(&element, "HopLimit", 1)
            interest.hops_left = element.value[0]
        else:
            if parameters is None:
                parameters = []
            parameters.append(bytes_of(&element))
    if last == 0:
        raise TlvError("Interest is empty: it must have a name")
    if parameters is not None:
        interest.parameters = b"".join(parameters)
    check_digest(interest.name, interest.parameters)
    interest.wire = wire
    interest.size = <int>(packet.value + packet.length - packet.start)
    return interest


cdef Py_ssize_t hint_size(tuple hint) noexcept:
    """Bytes of the value of a ForwardingHint."""
    cdef Py_ssize_t size = 0
    for name in hint:
        size += element_size(NAME_TYPE, (<Name>name).size())
    return size


cdef Py_ssize_t value_size(Interest interest) noexcept:
    cdef Py_ssize_t size = element_size(NAME_TYPE, interest.name.size())
    if interest.can_be_prefix:
        size += 2
    if interest.must_be_fresh:
        size += 2
    if interest.forwarding_hint:
        size += element_size(FORWARDING_HINT_TYPE, hint_size(interest.forwarding_hint))
    if interest.has_nonce:
        size += 6
    if interest.lifetime_ms != DEFAULT_LIFETIME_MS:
        size += number_element_size(INTEREST_LIFETIME_TYPE, interest.lifetime_ms)
    if interest.hops_left >= 0:
        size += 3
    if interest.parameters is not None:
        size += PyBytes_GET_SIZE(interest.parameters)
    return size


cdef Interest finished(Interest interest):
    interest.size = <int>element_size(INTEREST_TYPE, value_size(interest))
    return interest


cdef Interest new_interest(Name name, uint32_t nonce, int64_t lifetime_ms):
    """Interest with a nonce and no options; set `can_be_prefix` and others through a copy."""
    return new_interest_with(name, nonce, lifetime_ms, False, False, -1)


cdef Interest new_interest_with(
    Name name, uint32_t nonce, int64_t lifetime_ms, bint can_be_prefix, bint must_be_fresh,
    int hop_limit,
):
    """Interest of fields that were checked before; a `hop_limit` of -1 is none."""
    cdef Interest interest = Interest.__new__(Interest)
    interest.name = name
    interest.lifetime_ms = lifetime_ms
    interest.hops_left = hop_limit
    interest.forwarding_hint = ()
    interest.has_nonce = True
    interest.nonce_value = nonce
    interest.can_be_prefix = can_be_prefix
    interest.must_be_fresh = must_be_fresh
    return finished(interest)


cdef Interest copied(Interest interest):
    cdef Interest copy = Interest.__new__(Interest)
    copy.name = interest.name
    copy.lifetime_ms = interest.lifetime_ms
    copy.nonce_value = interest.nonce_value
    copy.hops_left = interest.hops_left
    copy.has_nonce = interest.has_nonce
    copy.can_be_prefix = interest.can_be_prefix
    copy.must_be_fresh = interest.must_be_fresh
    copy.forwarding_hint = interest.forwarding_hint
    copy.parameters = interest.parameters
    return copy


cdef int64_t milliseconds(str field, object value) except -1:
    """Whole milliseconds of a time in ns, which is what the wire format can say."""
    if value < 0 or value % NS_PER_MS or value // NS_PER_MS > INT64_MAX:
        raise ValueError(f"{field} is {value} ns: it must be a whole number of ms, not negative")
    return value // NS_PER_MS


@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class Interest:
    """An Interest; immutable.

    Parameters
    ----------
    name : Name or str
        With at least one component.
    nonce : int, optional
        32 bits; the first forwarder chooses one when not given.
    lifetime : int
        Nanoseconds, whole milliseconds; 4 s when not given.
    can_be_prefix, must_be_fresh : bool
    hop_limit : int, optional
        0 to 255.
    forwarding_hint : iterable of Name or str
    parameters : bytes, optional
        ApplicationParameters. The digest that the name then needs is filled in where the name has
        a component for it, else appended.
    signer : object, optional
        Signs the Interest, see `simcore.models.ndn.security`; it then has parameters, empty ones
        when none are given.

    Raises
    ------
    ValueError
        When a field is out of range.
    """

    def __init__(
        self, name, *, nonce=None, lifetime=None, bint can_be_prefix=False,
        bint must_be_fresh=False, hop_limit=None, forwarding_hint=(), parameters=None, signer=None,
    ):
        self.name = name_from(name)
        self.lifetime_ms = (
            DEFAULT_LIFETIME_MS if lifetime is None else milliseconds("lifetime", lifetime)
        )
        self.hops_left = -1
        if nonce is not None:
            if not 0 <= nonce <= 0xFFFFFFFF:
                raise ValueError(f"nonce is {nonce}: it must be 0 to 2**32 - 1")
            self.has_nonce = True
            self.nonce_value = nonce
        if hop_limit is not None:
            if not 0 <= hop_limit <= 255:
                raise ValueError(f"hop_limit is {hop_limit}: it must be 0 to 255")
            self.hops_left = hop_limit
        self.can_be_prefix = can_be_prefix
        self.must_be_fresh = must_be_fresh
        self.forwarding_hint = tuple([name_from(delegation) for delegation in forwarding_hint])
        if parameters is not None or signer is not None:
            self.parameters = parameters_section(self.name, parameters, signer)
            self.name = name_with_digest(self.name, self.parameters)
        elif self.name.count == 0:
            raise ValueError("name of an Interest is empty: it must have a component")
        check_digest(self.name, self.parameters)
        finished(self)

    @staticmethod
    def from_wire(bytes wire not None):
        """Interest of its wire format.

        Raises
        ------
        TlvError
            When the bytes are no well-formed Interest; the message says why.
        """
        cdef Element packet
        sole_element(wire, &packet)
        return decode_interest(&packet, wire)

    cdef Interest with_hop_limit(self, int hop_limit):
        cdef Interest interest = copied(self)
        interest.hops_left = hop_limit
        return finished(interest)

    cdef Interest with_nonce(self, uint32_t nonce):
        cdef Interest interest = copied(self)
        interest.has_nonce = True
        interest.nonce_value = nonce
        return finished(interest)

    cdef Interest without_hint(self):
        cdef Interest interest = copied(self)
        interest.forwarding_hint = ()
        return finished(interest)

    def replaced(self, **changes):
        """Interest with some fields changed: name, nonce, lifetime, can_be_prefix, and so on.

        Parameters and signature stay as they are.
        """
        cdef Interest interest
        fields = {
            "nonce": self.nonce,
            "can_be_prefix": self.can_be_prefix,
            "must_be_fresh": self.must_be_fresh,
            "hop_limit": self.hop_limit,
            "forwarding_hint": self.forwarding_hint,
        }
        name = name_from(changes.pop("name", self.name))
        lifetime = changes.pop("lifetime", None)
        fields.update(changes)
        interest = Interest(Name("/x") if self.parameters is not None else name, **fields)
        interest.name = name
        interest.lifetime_ms = (
            self.lifetime_ms if lifetime is None else milliseconds("lifetime", lifetime)
        )
        if interest.parameters is None:
            interest.parameters = self.parameters
        check_digest(name, interest.parameters)
        return finished(interest)

    cpdef bytes to_wire(self):
        """Wire format; made once. What was received is given back as it was."""
        cdef uint8_t* p
        if self.wire is not None:
            return self.wire
        self.wire = PyBytes_FromStringAndSize(NULL, self.size)
        p = write_header(
            <uint8_t*>PyBytes_AS_STRING(self.wire), INTEREST_TYPE, value_size(self)
        )
        p = write_header(p, NAME_TYPE, self.name.size())
        p = write_bytes(p, self.name.data(), self.name.size())
        if self.can_be_prefix:
            p = write_header(p, CAN_BE_PREFIX_TYPE, 0)
        if self.must_be_fresh:
            p = write_header(p, MUST_BE_FRESH_TYPE, 0)
        if self.forwarding_hint:
            p = write_header(p, FORWARDING_HINT_TYPE, hint_size(self.forwarding_hint))
            for name in self.forwarding_hint:
                p = write_header(p, NAME_TYPE, (<Name>name).size())
                p = write_bytes(p, (<Name>name).data(), (<Name>name).size())
        if self.has_nonce:
            p = write_big_endian(write_header(p, NONCE_TYPE, 4), self.nonce_value, 4)
        if self.lifetime_ms != DEFAULT_LIFETIME_MS:
            p = write_number(p, INTEREST_LIFETIME_TYPE, self.lifetime_ms)
        if self.hops_left >= 0:
            p = write_big_endian(write_header(p, HOP_LIMIT_TYPE, 1), self.hops_left, 1)
        if self.parameters is not None:
            write_bytes(p, PyBytes_AS_STRING(self.parameters), PyBytes_GET_SIZE(self.parameters))
        return self.wire

    cdef bint matches_data(self, Data data) except -1:
        if self.name.last_type() == IMPLICIT_DIGEST:
            return self.name.count == data.name.count + 1 and self.name.has_prefix(
                data.name
            ) and data.full_name_c().equals(self.name)
        if self.can_be_prefix:
            return data.name.has_prefix(self.name)
        return data.name.equals(self.name)

    def matches(self, Data data not None):
        """Whether the Data answers this Interest, freshness aside (0.3 "Interest Packet")."""
        return self.matches_data(data)

    @property
    def nonce(self):
        """Nonce as a number, or None."""
        return self.nonce_value if self.has_nonce else None

    @property
    def lifetime(self):
        """How long the Interest is pending, ns."""
        return self.lifetime_ns()

    @property
    def hop_limit(self):
        """Hops that are left, or None."""
        return self.hops_left if self.hops_left >= 0 else None

    @property
    def wire_size(self):
        """Bytes of the wire format, known without making it."""
        return self.size

    @property
    def application_parameters(self):
        """Value of ApplicationParameters, or None."""
        return self.section_value(APPLICATION_PARAMETERS_TYPE)

    @property
    def signature_info(self):
        """Value of InterestSignatureInfo, or None."""
        return self.section_value(INTEREST_SIGNATURE_INFO_TYPE)

    @property
    def signature_value(self):
        """Value of InterestSignatureValue, or None."""
        return self.section_value(INTEREST_SIGNATURE_VALUE_TYPE)

    @property
    def signed_portion(self):
        """Bytes that a signature covers: the name but for the digest, then the parameters."""
        return signed_portion(self.name, self.parameters or b"")

    def section_value(self, uint32_t type):
        """Value of the first element of `type` from ApplicationParameters on, or None."""
        cdef Reader reader
        cdef Element element
        if self.parameters is None:
            return None
        reader.p = <const uint8_t*>PyBytes_AS_STRING(self.parameters)
        reader.end = reader.p + PyBytes_GET_SIZE(self.parameters)
        while next_element(&reader, &element):
            if element.type == type:
                return value_of(&element)
        return None

    def __eq__(self, other):
        return isinstance(other, Interest) and self.to_wire() == (<Interest>other).to_wire()

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        options = "".join([
            " CanBePrefix" if self.can_be_prefix else "",
            " MustBeFresh" if self.must_be_fresh else "",
            f" nonce {self.nonce_value:08x}" if self.has_nonce else "",
            f" {self.lifetime_ms} ms",
            f" hop limit {self.hops_left}" if self.hops_left >= 0 else "",
        ])
        return f"<Interest {self.name}{options}>"

    def __reduce__(self):
        return Interest.from_wire, (self.to_wire(),)


cdef bytes signed_portion(Name name, bytes parameters):
    cdef Reader reader
    cdef Element element
    cdef int i = digest_position(name)
    cdef bytes components = name.value
    cdef Py_ssize_t end = PyBytes_GET_SIZE(parameters)
    if i >= 0:
        components = components[:name.offset[i]] + components[name.offset[i + 1]:]
    reader.p = <const uint8_t*>PyBytes_AS_STRING(parameters)
    reader.end = reader.p + end
    while next_element(&reader, &element):
        if element.type == INTEREST_SIGNATURE_VALUE_TYPE:
            end = element.start - <const uint8_t*>PyBytes_AS_STRING(parameters)
            break
    return components + parameters[:end]


cdef bytes parameters_section(Name name, object parameters, object signer):
    cdef bytes section = encode_element(APPLICATION_PARAMETERS_TYPE, parameters or b"")
    if signer is not None:
        section += encode_element(INTEREST_SIGNATURE_INFO_TYPE, signer.interest_signature_info())
        section += encode_element(
            INTEREST_SIGNATURE_VALUE_TYPE, signer.sign(signed_portion(name, section))
        )
    return section


cdef Name name_with_digest(Name name, bytes parameters):
    cdef int i = digest_position(name)
    digest = new_component(PARAMETERS_DIGEST, sha256(parameters).digest())
    return name.append(digest) if i < 0 else name.replaced(i, digest)
