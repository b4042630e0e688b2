"""MAC and IPv4 addresses: numbers in compiled code, small immutable objects in Python."""

from libc.stdint cimport uint32_t, uint64_t


cdef class MacAddress:
    cdef readonly uint64_t value          # 48 bits, first octet on the wire highest


cdef class Ipv4Address:
    cdef readonly uint32_t value          # first octet on the wire highest


cdef class Ipv4Network:
    cdef readonly uint32_t value          # network address, host bits zero
    cdef readonly int prefix_length       # 0 to 32
    cdef readonly uint32_t mask_value

# Numbers of addresses given from Python as an object of the class, text, bytes or int.
cdef uint64_t mac_value(object address) except? 0x8000000000000000
cdef uint32_t ipv4_value(object address) except? 0x80000000
cdef MacAddress mac_address(uint64_t value)
cdef Ipv4Address ipv4_address(uint32_t value)
cdef str format_mac(uint64_t value)
cdef str format_ipv4(uint32_t value)
# The same, into a buffer; they return the length.
cdef int put_mac(char* text, uint64_t value) noexcept nogil     # 17 characters
cdef int put_ipv4(char* text, uint32_t value) noexcept nogil    # 15 at most


cdef inline uint32_t prefix_mask(int prefix_length) noexcept nogil:
    return 0 if prefix_length == 0 else <uint32_t>0xFFFFFFFF << (32 - prefix_length)


cdef inline bint is_group_mac(uint64_t value) noexcept nogil:
    """Whether a MAC address is a multicast or the broadcast address (I/G bit)."""
    return (value >> 40) & 1


cdef inline bint is_multicast_ipv4(uint32_t value) noexcept nogil:
    return (value >> 28) == 0xE


cdef inline uint64_t multicast_mac(uint32_t group) noexcept nogil:
    """MAC address of an IPv4 multicast group (RFC 1112 6.4)."""
    return <uint64_t>0x01005E000000 | (group & 0x7FFFFF)
