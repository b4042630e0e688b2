"""Reading and writing wire formats: big-endian integers and the Internet checksum.

None of these checks bounds: the caller has compared the length first.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t


cdef inline uint16_t read_u16(const uint8_t* p) noexcept nogil:
    return <uint16_t>(p[0] << 8 | p[1])


cdef inline uint32_t read_u32(const uint8_t* p) noexcept nogil:
    return <uint32_t>p[0] << 24 | <uint32_t>p[1] << 16 | <uint32_t>p[2] << 8 | p[3]


cdef inline uint64_t read_u48(const uint8_t* p) noexcept nogil:
    return <uint64_t>read_u16(p) << 32 | read_u32(p + 2)


cdef inline uint64_t read_u64(const uint8_t* p) noexcept nogil:
    return <uint64_t>read_u32(p) << 32 | read_u32(p + 4)


cdef inline void write_u16(uint8_t* p, uint16_t value) noexcept nogil:
    p[0] = <uint8_t>(value >> 8)
    p[1] = <uint8_t>value


cdef inline void write_u32(uint8_t* p, uint32_t value) noexcept nogil:
    write_u16(p, <uint16_t>(value >> 16))
    write_u16(p + 2, <uint16_t>value)


cdef inline void write_u48(uint8_t* p, uint64_t value) noexcept nogil:
    write_u16(p, <uint16_t>(value >> 32))
    write_u32(p + 2, <uint32_t>value)


cdef inline void write_u64(uint8_t* p, uint64_t value) noexcept nogil:
    write_u32(p, <uint32_t>(value >> 32))
    write_u32(p + 4, <uint32_t>value)


cdef inline uint64_t checksum_add(uint64_t total, const uint8_t* p, Py_ssize_t size) noexcept nogil:
    """Add bytes to a running sum of 16-bit words; all pieces but the last of even length."""
    cdef Py_ssize_t i
    for i in range(0, size - 1, 2):
        total += read_u16(p + i)
    if size & 1:
        total += <uint16_t>(p[size - 1] << 8)
    return total


cdef inline uint16_t checksum_finish(uint64_t total) noexcept nogil:
    """One's complement of the one's complement sum (RFC 1071)."""
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return <uint16_t>~total
