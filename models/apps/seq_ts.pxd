"""Sequence number and time of sending, in front of a payload."""

from libc.stdint cimport int64_t, uint32_t

from simcore.models.network.packet cimport Header

cdef enum:
    SEQ_TS_LENGTH = 12


cdef class SeqTsHeader(Header):
    cdef readonly uint32_t sequence
    cdef readonly int64_t time         # of sending, ns

cdef SeqTsHeader seq_ts_header(uint32_t sequence, int64_t time)
