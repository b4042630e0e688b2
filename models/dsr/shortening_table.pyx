"""Automatic Route Shortening Table of the flow state extension (RFC 4728 3.5.6, 5.2)."""

cimport cython
from libc.stdint cimport uint16_t, uint32_t, uint64_t

from simcore.models.dsr.flow_table cimport pair_of
from simcore.models.internet.ipv4_header cimport Ipv4Header
from simcore.models.network.address cimport ipv4_value


cdef uint64_t packet_identity(Ipv4Header ip) noexcept:
    return <uint64_t>ip.identification << 24 | <uint64_t>ip.offset << 8 | ip.protocol


@cython.final
cdef class ShorteningTable:
    """Packets of flows that were overheard before they came.

    When it is full the flow heard first leaves; of a flow, the packet heard first.

    Parameters
    ----------
    capacity : int
        Flows.
    packets : int
        Of each.

    Raises
    ------
    ValueError
        When a parameter is not positive.
    """

    def __init__(self, int capacity=64, int packets=8):
        if capacity < 1:
            raise ValueError(f"capacity is {capacity} flows: it must be 1 or more")
        if packets < 1:
            raise ValueError(f"packets is {packets}: it must be 1 or more")
        self.capacity = capacity
        self.packets = packets
        self.by_flow = {}

    cdef int note(
        self, uint32_t source, uint32_t destination, uint16_t flow, uint64_t packet, int hop_count,
    ) except -1:
        cdef object key = (pair_of(source, destination), flow)
        cdef dict heard = self.by_flow.get(key)
        if heard is None:
            if len(self.by_flow) >= self.capacity:
                del self.by_flow[next(iter(self.by_flow))]
            heard = {}
            self.by_flow[key] = heard
        elif packet in heard:
            heard[packet] = min(<int>heard[packet], hop_count)
            return 0
        if len(heard) >= self.packets:
            del heard[next(iter(heard))]
        heard[packet] = hop_count
        return 0

    cdef int take(
        self, uint32_t source, uint32_t destination, uint16_t flow, uint64_t packet,
    ) except -2:
        cdef dict heard
        if len(self.by_flow) == 0:
            return -1
        heard = self.by_flow.get((pair_of(source, destination), flow))
        if heard is None:
            return -1
        return heard.pop(packet, -1)

    def __len__(self):
        return len(self.by_flow)

    # Hooks for tests.

    def _note(self, source, destination, uint16_t flow, uint64_t packet, int hop_count):
        self.note(ipv4_value(source), ipv4_value(destination), flow, packet, hop_count)

    def _take(self, source, destination, uint16_t flow, uint64_t packet):
        return self.take(ipv4_value(source), ipv4_value(destination), flow, packet)
