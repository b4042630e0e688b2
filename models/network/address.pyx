"""MAC and IPv4 addresses."""

cimport cython
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdint cimport uint32_t, uint64_t

import ipaddress

cdef enum:
    MAC_LENGTH = 6
    IPV4_LENGTH = 4

cdef uint64_t MAC_MAX = 0xFFFFFFFFFFFF
cdef const char* LOWER_HEX = b"0123456789abcdef"


@cython.final
cdef class MacAddress:
    """A 48-bit IEEE 802 address.

    Parameters
    ----------
    address : str, int, bytes or MacAddress
        Such as ``"00:00:00:00:00:01"``, ``1`` or six bytes.

    Raises
    ------
    ValueError
        When it is none.
    """

    def __init__(self, address):
        self.value = mac_value(address)

    @property
    def is_broadcast(self):
        """Whether it is ff:ff:ff:ff:ff:ff."""
        return self.value == MAC_MAX

    @property
    def is_group(self):
        """Whether it is a multicast or the broadcast address."""
        return is_group_mac(self.value)

    @property
    def packed(self):
        """The six bytes."""
        return self.value.to_bytes(MAC_LENGTH, "big")

    def __int__(self):
        return self.value

    def __str__(self):
        return format_mac(self.value)

    def __repr__(self):
        return f"MacAddress('{format_mac(self.value)}')"

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        if not isinstance(other, MacAddress):
            return NotImplemented
        return self.value == (<MacAddress>other).value

    def __lt__(self, other):
        if not isinstance(other, MacAddress):
            return NotImplemented
        return self.value < (<MacAddress>other).value

    def __reduce__(self):
        return MacAddress, (self.value,)


@cython.final
cdef class Ipv4Address:
    """An IPv4 address.

    Parameters
    ----------
    address : str, int, bytes, ipaddress.IPv4Address or Ipv4Address
        Such as ``"10.1.1.1"``.

    Raises
    ------
    ValueError
        When it is none.
    """

    def __init__(self, address):
        self.value = ipv4_value(address)

    @property
    def is_broadcast(self):
        """Whether it is 255.255.255.255."""
        return self.value == 0xFFFFFFFF

    @property
    def is_multicast(self):
        """Whether it lies in 224.0.0.0/4."""
        return is_multicast_ipv4(self.value)

    @property
    def is_loopback(self):
        """Whether it lies in 127.0.0.0/8."""
        return (self.value >> 24) == 127

    @property
    def packed(self):
        """The four bytes."""
        return self.value.to_bytes(IPV4_LENGTH, "big")

    def __int__(self):
        return self.value

    def __str__(self):
        return format_ipv4(self.value)

    def __repr__(self):
        return f"Ipv4Address('{format_ipv4(self.value)}')"

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        if not isinstance(other, Ipv4Address):
            return NotImplemented
        return self.value == (<Ipv4Address>other).value

    def __lt__(self, other):
        if not isinstance(other, Ipv4Address):
            return NotImplemented
        return self.value < (<Ipv4Address>other).value

    def __reduce__(self):
        return Ipv4Address, (self.value,)


@cython.final
cdef class Ipv4Network:
    """An IPv4 network: an address and the length of its prefix.

    Parameters
    ----------
    network : str or Ipv4Network
        Such as ``"10.1.1.0/24"`` or ``"10.1.1.0/255.255.255.0"``.

    Raises
    ------
    ValueError
        When it is none, or when bits after the prefix are set.
    """

    def __init__(self, network):
        cdef Ipv4Network other
        if isinstance(network, Ipv4Network):
            other = network
            self.value, self.prefix_length = other.value, other.prefix_length
        else:
            try:
                parsed = ipaddress.IPv4Network(network)
            except ValueError as error:
                raise ValueError(
                    f"network is {network!r}: it must be an address and a prefix length "
                    f"such as '10.1.1.0/24' ({error})"
                ) from None
            self.value, self.prefix_length = int(parsed.network_address), parsed.prefixlen
        self.mask_value = prefix_mask(self.prefix_length)

    @property
    def address(self):
        """Network address."""
        return ipv4_address(self.value)

    @property
    def mask(self):
        """Mask, as an address."""
        return ipv4_address(self.mask_value)

    @property
    def broadcast(self):
        """Directed broadcast address."""
        return ipv4_address(self.value | ~self.mask_value)

    def host(self, number):
        """Address number `number` of the network (1 is the first host).

        Raises
        ------
        ValueError
            When the network is too small.
        """
        cdef uint32_t room = ~self.mask_value
        if not 0 <= number <= room:
            raise ValueError(f"host number is {number}: {self} has {room} at most")
        return ipv4_address(self.value | <uint32_t>number)

    def __contains__(self, address):
        return (ipv4_value(address) & self.mask_value) == self.value

    def __str__(self):
        return f"{format_ipv4(self.value)}/{self.prefix_length}"

    def __repr__(self):
        return f"Ipv4Network('{self}')"

    def __hash__(self):
        return hash((self.value, self.prefix_length))

    def __eq__(self, other):
        if not isinstance(other, Ipv4Network):
            return NotImplemented
        return (
            self.value == (<Ipv4Network>other).value
            and self.prefix_length == (<Ipv4Network>other).prefix_length
        )

    def __reduce__(self):
        return Ipv4Network, (str(self),)


cdef ValueError not_a_mac(object address):
    return ValueError(
        f"MAC address is {address!r}: it must be six hexadecimal octets such as "
        "'00:00:00:00:00:01', six bytes, or a number below 2**48"
    )


cdef ValueError not_an_ipv4(object address):
    return ValueError(
        f"IPv4 address is {address!r}: it must be four octets such as '10.1.1.1', four bytes, "
        "or a number below 2**32"
    )


cdef uint64_t mac_value(object address) except? 0x8000000000000000:
    if isinstance(address, MacAddress):
        return (<MacAddress>address).value
    if isinstance(address, int):
        if not 0 <= address <= MAC_MAX:
            raise not_a_mac(address)
        return address
    if isinstance(address, bytes):
        if len(address) != MAC_LENGTH:
            raise not_a_mac(address)
        return int.from_bytes(address, "big")
    if not isinstance(address, str):
        raise not_a_mac(address)
    octets = address.replace("-", ":").split(":")
    if len(octets) != MAC_LENGTH:
        raise not_a_mac(address)
    value = 0
    for octet in octets:
        # int() alone would take signs, blanks and underscores.
        if not 1 <= len(octet) <= 2 or not set(octet) <= HEX_DIGITS:
            raise not_a_mac(address)
        value = value << 8 | int(octet, 16)
    return value


HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


cdef uint32_t ipv4_value(object address) except? 0x80000000:
    if isinstance(address, Ipv4Address):
        return (<Ipv4Address>address).value
    if isinstance(address, bool):
        raise not_an_ipv4(address)
    try:
        # Checks text, bytes and numbers; copies its own kind.
        return int(ipaddress.IPv4Address(address))
    except ValueError:
        raise not_an_ipv4(address) from None


cdef MacAddress mac_address(uint64_t value):
    cdef MacAddress address = MacAddress.__new__(MacAddress)
    address.value = value
    return address


cdef Ipv4Address ipv4_address(uint32_t value):
    cdef Ipv4Address address = Ipv4Address.__new__(Ipv4Address)
    address.value = value
    return address


# Traces print these for every frame: written into a buffer, since formatting each octet as a str
# and joining them took most of the time of a line.

cdef inline str ascii_text(const char* text, Py_ssize_t length):
    return PyUnicode_DecodeASCII(text, length, NULL)


cdef int put_mac(char* text, uint64_t value) noexcept nogil:
    cdef int i
    cdef int octet
    for i in range(6):
        octet = <int>(value >> (40 - 8 * i) & 255)
        text[3 * i] = LOWER_HEX[octet >> 4]
        text[3 * i + 1] = LOWER_HEX[octet & 15]
        if i < 5:
            text[3 * i + 2] = 58  # ":"
    return 17


cdef str format_mac(uint64_t value):
    cdef char text[17]
    return ascii_text(text, put_mac(text, value))


cdef int put_ipv4(char* text, uint32_t value) noexcept nogil:
    cdef int length = 0
    cdef int i
    cdef int octet
    for i in range(4):
        octet = value >> (24 - 8 * i) & 255
        if octet >= 100:
            text[length] = <char>(48 + octet // 100)
            length += 1
        if octet >= 10:
            text[length] = <char>(48 + octet // 10 % 10)
            length += 1
        text[length] = <char>(48 + octet % 10)
        length += 1
        if i < 3:
            text[length] = 46  # "."
            length += 1
    return length


cdef str format_ipv4(uint32_t value):
    cdef char text[15]
    return ascii_text(text, put_ipv4(text, value))


BROADCAST = mac_address(MAC_MAX)
