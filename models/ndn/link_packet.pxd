"""An NDN packet on its way over a simulated link: an object with a size, bytes when asked for."""

from libc.stdint cimport int32_t

from simcore.models.ndn.lp cimport LpFields, LpPacket
from simcore.models.network.packet cimport Packet
from simcore.simulator cimport Simulator

# What it carries.
cdef enum:
    INTEREST_KIND = 0
    DATA_KIND = 1
    NACK_KIND = 2
    LINK_KIND = 3              # an LpPacket as such: a fragment, or one with sequence numbers, acks


cdef class LinkPacket(Packet):
    cdef readonly object content          # Interest, Data or LpPacket
    cdef readonly LpFields fields         # or None; always None of an LpPacket
    cdef int kind
    cdef readonly int32_t nack_reason     # -1: no Nack
    cdef readonly bint carries_hops       # the hop count is on the wire

    cpdef LpPacket as_lp(self)


cdef LinkPacket new_link_packet(Simulator sim, int kind, object content, Py_ssize_t size)
