"""Data packets (NDN Packet Format Specification 0.3, "Data Packet")."""

from hashlib import sha256

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from simcore.models.ndn.component cimport (
    IMPLICIT_DIGEST, Component, component_from, component_wire, new_component,
)
from simcore.models.ndn.name cimport NAME_TYPE, Name, name_from, name_from_value, name_of
from simcore.models.ndn.tlv cimport (
    Element, Reader, element_size, next_element, number_element_size, read_nonnegative,
    skip_unrecognised, sole_element, value_of, write_bytes, write_header, write_number,
)
from simcore.models.ndn.types cimport (
    CONTENT_TYPE, CONTENT_TYPE_TYPE, DATA_TYPE, DIGEST_SHA256, FINAL_BLOCK_ID_TYPE,
    FRESHNESS_PERIOD_TYPE, KEY_LOCATOR_TYPE, META_INFO_TYPE, NS_PER_MS, SIGNATURE_INFO_TYPE,
    SIGNATURE_TYPE_TYPE, SIGNATURE_VALUE_TYPE,
)

from simcore.models.ndn.tlv import TlvError

cdef enum:
    DIGEST_LENGTH = 32
    # Elements that applications may put into MetaInfo, as ndn-cxx takes them.
    FIRST_APP_META = 128
    LAST_APP_META = 252
    MAX_CONTENT_TYPE = 0x7FFFFFFF

# SignatureInfo of DigestSha256: SignatureType 0, no KeyLocator.
cdef bytes DIGEST_INFO = b"\x1b\x01\x00"


cdef int place_of(uint64_t type) noexcept:
    if type == NAME_TYPE:
        return 1
    if type == META_INFO_TYPE:
        return 2
    if type == CONTENT_TYPE:
        return 3
    if type == SIGNATURE_INFO_TYPE:
        return 4
    if type == SIGNATURE_VALUE_TYPE:
        return 5
    return 0


cdef int decode_meta_info(Data data, Element* meta) except -1:
    cdef Reader reader
    cdef Element element
    cdef uint64_t number
    cdef uint64_t last = 0
    reader.p = meta.value
    reader.end = meta.value + meta.length
    while next_element(&reader, &element):
        if CONTENT_TYPE_TYPE <= element.type <= FINAL_BLOCK_ID_TYPE and element.type > last:
            last = element.type
            if element.type == FINAL_BLOCK_ID_TYPE:
                data.final_block_wire = value_of(&element)
                if name_from_value(data.final_block_wire).count != 1:
                    raise TlvError("FinalBlockId must hold one component")
                continue
            read_nonnegative(
                &element, "ContentType" if element.type == CONTENT_TYPE_TYPE else "FreshnessPeriod",
                &number,
            )
            if element.type == CONTENT_TYPE_TYPE:
                if number > MAX_CONTENT_TYPE:
                    raise TlvError(f"ContentType is {number}: it must be below 2**31")
                data.content_type = <int32_t>number
            else:
                data.freshness_ms = <int64_t>number if number < INT64_MAX else INT64_MAX
        elif not FIRST_APP_META <= element.type <= LAST_APP_META:
            skip_unrecognised(&element, "MetaInfo")
    return 0


cdef int signature_type_of(bytes info) except -1:
    """SignatureType of the value of a SignatureInfo."""
    cdef Reader reader
    cdef Element element
    cdef uint64_t number
    reader.p = <const uint8_t*>PyBytes_AS_STRING(info)
    reader.end = reader.p + PyBytes_GET_SIZE(info)
    if not next_element(&reader, &element) or element.type != SIGNATURE_TYPE_TYPE:
        raise TlvError("SignatureInfo must start with a SignatureType")
    read_nonnegative(&element, "SignatureType", &number)
    if number > MAX_CONTENT_TYPE:
        raise TlvError(f"SignatureType is {number}: it must be below 2**31")
    return <int>number


cdef Data decode_data(Element* packet, bytes wire):
    """Data of an element; `wire` is the whole element, kept."""
    cdef Data data = Data.__new__(Data)
    cdef Reader reader
    cdef Element element
    cdef int last = 0
    cdef int place
    if packet.type != DATA_TYPE:
        raise TlvError(f"packet has type {packet.type}: Data has type {DATA_TYPE}")
    data.content_size = NO_CONTENT
    reader.p = packet.value
    reader.end = packet.value + packet.length
    while next_element(&reader, &element):
        place = place_of(element.type)
        if last == 0 and place != 1:
            raise TlvError(f"Data starts with type {element.type}: its name must come first")
        if place <= last:
            skip_unrecognised(&element, "Data")
            continue
        last = place
        if place == 1:
            data.name = name_of(&element)
        elif place == 2:
            decode_meta_info(data, &element)
        elif place == 3:
            data.content_offset = <int32_t>(element.value - packet.start)
            data.content_size = <int32_t>element.length
        elif place == 4:
            data.info = value_of(&element)
            signature_type_of(data.info)
        else:
            data.signature = value_of(&element)
    if last == 0:
        raise TlvError("Data is empty: it must have a name")
    if data.info is None or data.signature is None:
        raise TlvError("Data has no signature: SignatureInfo and SignatureValue must be there")
    data.wire = wire
    data.size = <int32_t>(packet.value + packet.length - packet.start)
    return data


cdef Py_ssize_t meta_size(Data data) noexcept:
    """Bytes of the value of MetaInfo."""
    cdef Py_ssize_t size = 0
    if data.content_type:
        size += number_element_size(CONTENT_TYPE_TYPE, data.content_type)
    if data.freshness_ms:
        size += number_element_size(FRESHNESS_PERIOD_TYPE, data.freshness_ms)
    if data.final_block_wire is not None:
        size += element_size(FINAL_BLOCK_ID_TYPE, PyBytes_GET_SIZE(data.final_block_wire))
    return size


cdef Py_ssize_t signed_size(Data data) noexcept:
    cdef Py_ssize_t size = element_size(NAME_TYPE, data.name.size())
    size += element_size(META_INFO_TYPE, meta_size(data))
    if data.content_size != NO_CONTENT:
        size += element_size(CONTENT_TYPE, data.content_size)
    return size + element_size(
        SIGNATURE_INFO_TYPE, PyBytes_GET_SIZE(DIGEST_INFO if data.info is None else data.info)
    )


cdef Py_ssize_t value_size(Data data) noexcept:
    return signed_size(data) + element_size(
        SIGNATURE_VALUE_TYPE,
        DIGEST_LENGTH if data.signature is None else PyBytes_GET_SIZE(data.signature),
    )


cdef Data finished(Data data):
    data.size = <int32_t>element_size(DATA_TYPE, value_size(data))
    return data


cdef uint8_t* write_signed_portion(Data data, uint8_t* p) except NULL:
    cdef bytes info = DIGEST_INFO if data.info is None else data.info
    p = write_header(p, NAME_TYPE, data.name.size())
    p = write_bytes(p, data.name.data(), data.name.size())
    p = write_header(p, META_INFO_TYPE, meta_size(data))
    if data.content_type:
        p = write_number(p, CONTENT_TYPE_TYPE, data.content_type)
    if data.freshness_ms:
        p = write_number(p, FRESHNESS_PERIOD_TYPE, data.freshness_ms)
    if data.final_block_wire is not None:
        p = write_header(p, FINAL_BLOCK_ID_TYPE, PyBytes_GET_SIZE(data.final_block_wire))
        p = write_bytes(
            p, PyBytes_AS_STRING(data.final_block_wire), PyBytes_GET_SIZE(data.final_block_wire)
        )
    if data.content_size != NO_CONTENT:
        p = write_header(p, CONTENT_TYPE, data.content_size)
        if data.content_bytes is not None:
            p = write_bytes(p, PyBytes_AS_STRING(data.content_bytes), data.content_size)
        else:
            memset(p, 0, data.content_size)
            p += data.content_size
    p = write_header(p, SIGNATURE_INFO_TYPE, PyBytes_GET_SIZE(info))
    return write_bytes(p, PyBytes_AS_STRING(info), PyBytes_GET_SIZE(info))


cdef bytes signed_portion(Data data):
    cdef bytes portion = PyBytes_FromStringAndSize(NULL, signed_size(data))
    write_signed_portion(data, <uint8_t*>PyBytes_AS_STRING(portion))
    return portion


cdef Data new_data(Name name, int32_t content_size, int64_t freshness_ms):
    cdef Data data = Data.__new__(Data)
    data.name = name
    data.content_size = content_size
    data.freshness_ms = freshness_ms
    return finished(data)


cdef int64_t milliseconds(str field, object value) except -1:
    if value < 0 or value % NS_PER_MS or value // NS_PER_MS > INT64_MAX:
        raise ValueError(f"{field} is {value} ns: it must be a whole number of ms, not negative")
    return value // NS_PER_MS


@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class Data:
    """A Data packet; immutable, and shared by reference wherever it goes.

    Parameters
    ----------
    name : Name or str
    content : bytes or int, optional
        Content, or a number of zero bytes, which are not stored. No Content when None.
    freshness : int
        FreshnessPeriod, nanoseconds, whole milliseconds.
    content_type : int
    final_block : Component, bytes or str, optional
    signer : object, optional
        Signs the Data, see `simcore.models.ndn.security`. Without one it has a DigestSha256
        signature, which is computed when the wire format is asked for.

    Raises
    ------
    ValueError
        When a field is out of range.
    """

    def __init__(
        self, name, content=None, *, freshness=0, content_type=0, final_block=None, signer=None,
    ):
        self.name = name_from(name)
        self.freshness_ms = milliseconds("freshness", freshness)
        if not 0 <= content_type <= MAX_CONTENT_TYPE:
            raise ValueError(f"content_type is {content_type}: it must be 0 to 2**31 - 1")
        self.content_type = content_type
        self.content_size = NO_CONTENT
        if isinstance(content, (bytes, bytearray, memoryview)):
            self.content_bytes = bytes(content)
            self.content_size = <int32_t>PyBytes_GET_SIZE(self.content_bytes)
        elif content is not None:
            if not 0 <= content < 1 << 30:
                raise ValueError(f"content has {content} bytes: it must have 0 to 2**30 - 1")
            self.content_size = content
        if final_block is not None:
            self.final_block_wire = component_wire(component_from(final_block))
        if signer is not None:
            self.info = signer.signature_info()
            self.signature = signer.sign(signed_portion(self))
        finished(self)

    @staticmethod
    def from_wire(bytes wire not None):
        """Data of its wire format.

        Raises
        ------
        TlvError
            When the bytes are no well-formed Data; the message says why.
        """
        cdef Element packet
        sole_element(wire, &packet)
        return decode_data(&packet, wire)

    def replaced(self, **changes):
        """Data with some fields changed; the signature stays as it is, valid or not."""
        cdef Data data
        fields = {
            "content_type": self.content_type,
            "final_block": self.final_block,
        }
        name = changes.pop("name", self.name)
        freshness = changes.pop("freshness", None)
        content = changes.pop("content", self.content if self.has_real_content else self.payload)
        fields.update(changes)
        data = Data(name, content, **fields)
        if data.info is None:
            data.info = self.info
            data.signature = self.signature
        data.freshness_ms = (
            self.freshness_ms if freshness is None else milliseconds("freshness", freshness)
        )
        return finished(data)

    cpdef bytes to_wire(self):
        """Wire format. What was received is given back as it was; zero bytes are not kept."""
        cdef uint8_t* start
        cdef uint8_t* p
        cdef bytes signature = self.signature
        cdef bytes wire
        if self.wire is not None:
            return self.wire
        wire = PyBytes_FromStringAndSize(NULL, self.size)
        start = write_header(<uint8_t*>PyBytes_AS_STRING(wire), DATA_TYPE, value_size(self))
        p = write_signed_portion(self, start)
        if signature is None:
            signature = sha256(PyBytes_FromStringAndSize(<char*>start, p - start)).digest()
        p = write_header(p, SIGNATURE_VALUE_TYPE, PyBytes_GET_SIZE(signature))
        write_bytes(p, PyBytes_AS_STRING(signature), PyBytes_GET_SIZE(signature))
        if self.content_bytes is not None or self.content_size <= 0:
            self.wire = wire
        return wire

    cdef Name full_name_c(self):
        if self.full is None:
            self.full = self.name.append(
                new_component(IMPLICIT_DIGEST, sha256(self.to_wire()).digest())
            )
        return self.full

    @property
    def full_name(self):
        """Name with the implicit digest, the SHA-256 of the packet, behind it."""
        return self.full_name_c()

    @property
    def implicit_digest(self):
        """SHA-256 of the whole packet."""
        return (<Component>self.full_name_c().component(self.name.count)).value

    @property
    def has_real_content(self):
        """Whether the content is known as bytes, or only its size."""
        return self.content_bytes is not None or self.wire is not None

    @property
    def content(self):
        """Content; None when the packet has no Content."""
        if self.content_size == NO_CONTENT:
            return None
        if self.content_bytes is not None:
            return self.content_bytes
        if self.wire is not None and self.content_offset:
            return self.wire[self.content_offset:self.content_offset + self.content_size]
        return bytes(self.content_size)

    @property
    def payload(self):
        """Size of the content, bytes; None when the packet has no Content."""
        return None if self.content_size == NO_CONTENT else self.content_size

    @property
    def freshness(self):
        """FreshnessPeriod, ns."""
        return self.freshness_ns()

    @property
    def final_block(self):
        """Component of FinalBlockId, or None."""
        if self.final_block_wire is None:
            return None
        return name_from_value(self.final_block_wire).component(0)

    @property
    def signature_type(self):
        """SignatureType: 0 DigestSha256, 1 RSA, 3 ECDSA, 4 HMAC, 5 Ed25519, 200 none."""
        return DIGEST_SHA256 if self.info is None else signature_type_of(self.info)

    @property
    def signature_info(self):
        """Value of SignatureInfo."""
        return DIGEST_INFO if self.info is None else self.info

    @property
    def key_locator(self):
        """Name of the key, or None."""
        cdef Reader reader
        cdef Element element
        cdef bytes info = self.signature_info
        reader.p = <const uint8_t*>PyBytes_AS_STRING(info)
        reader.end = reader.p + PyBytes_GET_SIZE(info)
        while next_element(&reader, &element):
            if element.type == KEY_LOCATOR_TYPE:
                reader.p = element.value
                reader.end = element.value + element.length
                if next_element(&reader, &element) and element.type == NAME_TYPE:
                    return name_of(&element)
                return None
        return None

    @property
    def signature_value(self):
        """Value of SignatureValue."""
        if self.signature is None:
            return sha256(self.signed_portion).digest()
        return self.signature

    @property
    def signed_portion(self):
        """Bytes that the signature covers: from the name to SignatureInfo."""
        cdef Reader reader
        cdef Element element
        cdef const uint8_t* start
        if self.wire is None:
            return signed_portion(self)
        reader.p = <const uint8_t*>PyBytes_AS_STRING(self.wire)
        reader.end = reader.p + PyBytes_GET_SIZE(self.wire)
        next_element(&reader, &element)
        start = element.value
        reader.p = start
        while next_element(&reader, &element) and element.type != SIGNATURE_INFO_TYPE:
            pass
        return PyBytes_FromStringAndSize(<const char*>start, reader.p - start)

    @property
    def wire_size(self):
        """Bytes of the wire format, known without making it."""
        return self.size

    def __eq__(self, other):
        return isinstance(other, Data) and (
            self is other or self.to_wire() == (<Data>other).to_wire()
        )

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        content = "no content" if self.content_size == NO_CONTENT else f"{self.content_size} B"
        return f"<Data {self.name} {content} fresh {self.freshness_ms} ms>"

    def __reduce__(self):
        return Data.from_wire, (self.to_wire(),)
