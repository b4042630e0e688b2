"""One transmission on the air."""

cimport cython
from libc.stdint cimport int32_t

from simcore.models.wifi.frame cimport WifiFrame

cdef enum:
    # A-MPDU delimiter (802.11-2020 9.7.1).
    DELIMITER_SIZE = 4
    DELIMITER_SIGNATURE = 0x4E

cdef int32_t subframe_size(int32_t mpdu_size, bint last) noexcept:
    """Bytes of an A-MPDU subframe: delimiter, MPDU, padding to four bytes but in the last."""
    cdef int32_t size = DELIMITER_SIZE + mpdu_size
    return size if last else (size + 3) & ~3


cdef int32_t ampdu_size(tuple mpdus) except -1:
    """Bytes of an A-MPDU (802.11-2020 9.7.1)."""
    cdef int32_t total = 0
    cdef Py_ssize_t i, last = len(mpdus) - 1
    for i in range(last + 1):
        total += subframe_size((<WifiFrame>mpdus[i]).size, i == last)
    return total


def delimiter(int size, bint eof=False):
    """Return the delimiter before an MPDU of `size` bytes: 802.11-2020 9.7.1.

    EOF marks the only MPDU of an A-MPDU (9.7.1, S-MPDU). Lengths of more than 12 bits have their
    upper two bits in the reserved ones, as VHT and later do.
    """
    cdef unsigned int word = eof | (size >> 12 & 3) << 2 | (size & 0xFFF) << 4
    cdef unsigned int crc = 0xFF
    cdef int i
    for i in range(16):
        # x^8 + x^2 + x + 1 over the bits in the order of transmission (9.7.1, 9.7.2).
        crc = (crc << 1 & 0xFF) ^ (0x07 if (crc >> 7 ^ word >> i) & 1 else 0)
    crc ^= 0xFF
    return bytes((word & 0xFF, word >> 8, _reversed(crc), DELIMITER_SIGNATURE))


cdef unsigned int _reversed(unsigned int byte) noexcept:
    cdef unsigned int result = 0
    cdef int i
    for i in range(8):
        result |= (byte >> i & 1) << (7 - i)
    return result


@cython.no_gc
@cython.final
cdef class Ppdu(Traced):
    """A PPDU: what a PHY sends at once. Immutable; all receivers share it."""

    cpdef str text(self):
        """One line for ascii traces, mode, then the frame; made once for all receivers.

        An A-MPDU has all its frames there.
        """
        if self.text_cache is None:
            if self.mpdus is None:
                self.text_cache = f"{self.txvector.mode.name} {self.frame.text()}"
            else:
                frames = " ".join([(<WifiFrame>frame).text() for frame in self.mpdus])
                self.text_cache = f"{self.txvector.mode.name} {frames}"
        return self.text_cache

    cpdef bytes to_bytes(self):
        """The PSDU: the MPDU, FCS included, or the whole A-MPDU with delimiters and padding."""
        cdef list parts
        cdef Py_ssize_t i, count
        cdef int32_t padding
        if self.mpdus is None:
            return self.frame.to_bytes()
        parts = []
        count = len(self.mpdus)
        for i in range(count):
            data = (<WifiFrame>self.mpdus[i]).to_bytes()
            padding = subframe_size(len(data), i == count - 1) - DELIMITER_SIZE - len(data)
            parts.extend((delimiter(len(data), count == 1), data, bytes(padding)))
        return b"".join(parts)

    def __repr__(self):
        return f"<Ppdu of node {self.sender} at {self.start} ns: {self.text()}>"
