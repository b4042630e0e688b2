"""Sequence number and time of sending, in front of a payload (as ns-3's SeqTsHeader)."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from simcore.models.network.packet cimport Header
from simcore.models.network.wire cimport read_u32, read_u64, write_u32, write_u64

from simcore.models.network.packet import PacketError


@cython.final
cdef class SeqTsHeader(Header):
    """Sequence number (4 bytes) and time of sending (8 bytes, ns).

    Parameters
    ----------
    sequence : int
    time : int
    """

    def __init__(self, uint32_t sequence, int64_t time):
        if time < 0:
            raise ValueError(f"time is {time} ns: it must not be negative")
        self.length = SEQ_TS_LENGTH
        self.sequence = sequence
        self.time = time

    cpdef bytes serialize(self, bytes payload):
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef bytes data = PyBytes_FromStringAndSize(NULL, SEQ_TS_LENGTH + size)
        cdef uint8_t* p = <uint8_t*>PyBytes_AS_STRING(data)
        write_u32(p, self.sequence)
        write_u64(p + 4, <uint64_t>self.time)
        memcpy(p + SEQ_TS_LENGTH, PyBytes_AS_STRING(payload), size)
        return data

    cpdef str text(self):
        return f"ns3::SeqTsHeader ((seq={self.sequence} time=+{self.time}ns))"

    @staticmethod
    def parse(bytes data not None):
        """Header and rest of some bytes.

        Raises
        ------
        PacketError
            When there are fewer than twelve, or the time is none.
        """
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef uint64_t time
        if PyBytes_GET_SIZE(data) < SEQ_TS_LENGTH:
            raise PacketError(f"SeqTs header: {len(data)} bytes, {SEQ_TS_LENGTH} needed")
        time = read_u64(p + 4)
        if time >> 63:
            raise PacketError(f"SeqTs header: time is {time} ns, past the end of time")
        return seq_ts_header(read_u32(p), <int64_t>time), data[SEQ_TS_LENGTH:]


cdef SeqTsHeader seq_ts_header(uint32_t sequence, int64_t time):
    cdef SeqTsHeader header = SeqTsHeader.__new__(SeqTsHeader)
    header.length = SEQ_TS_LENGTH
    header.sequence = sequence
    header.time = time
    return header
