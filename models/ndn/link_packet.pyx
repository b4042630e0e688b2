"""An NDN packet on its way over a simulated link."""

cimport cython
from libc.stdint cimport int32_t

from simcore.models.ndn.data cimport Data
from simcore.models.ndn.interest cimport Interest
from simcore.models.ndn.lp cimport LpPacket, new_lp_packet
from simcore.models.network.packet cimport Packet
from simcore.simulator cimport Simulator


@cython.final
cdef class LinkPacket(Packet):
    """What a face hands to its device: a network packet with its header fields, by reference.

    Its size is that of the wire format. The bytes, for captures and devices that need them, are
    those of the NDNLPv2 packet, or of the bare Interest or Data when there is no header field.
    """

    def __init__(self):
        raise TypeError("link packets are made by faces only")

    cpdef LpPacket as_lp(self):
        """The NDNLPv2 packet."""
        cdef LpPacket packet
        if self.kind == LINK_KIND:
            return self.content
        packet = new_lp_packet(
            self.content,
            (<Data>self.content).size if self.kind == DATA_KIND else (<Interest>self.content).size,
            self.fields,
        )
        packet.nack_reason = self.nack_reason
        packet.carries_hops = self.carries_hops
        return packet

    cpdef bytes to_bytes(self):
        return self.as_lp().to_wire()

    cpdef str text(self):
        cdef LpPacket packet
        cdef list shown = []
        if self.text_cache is not None:
            return self.text_cache
        packet = self.as_lp()
        if packet.has_sequence:
            shown.append(f"Sequence={packet.sequence}")
        if packet.frag_count >= 0:
            shown.append(f"Fragment={packet.frag_index}/{packet.frag_count}")
        if packet.nack_reason >= 0:
            shown.append(f"Nack={packet.nack_reason}")
        shown += [f"Ack={ack}" for ack in packet.acks]
        if packet.has_tx_sequence:
            shown.append(f"TxSequence={packet.tx_sequence}")
        if packet.fields is not None and packet.fields.congestion_mark:
            shown.append(f"CongestionMark={packet.fields.congestion_mark}")
        if isinstance(packet.fragment, (Interest, Data)):
            shown.append(f"{type(packet.fragment).__name__} {packet.fragment.name}")
        shown.append(f"size={self.size}")
        self.text_cache = f"ndn.LpPacket ({', '.join(shown)})"
        return self.text_cache


cdef LinkPacket new_link_packet(Simulator sim, int kind, object content, Py_ssize_t size):
    """Packet of `size` bytes on the wire."""
    cdef LinkPacket packet = LinkPacket.__new__(LinkPacket)
    packet.uid = sim.next_uid()
    packet.created = sim.now_ns
    packet.size = <int32_t>size
    packet.kind = kind
    packet.content = content
    packet.nack_reason = -1
    return packet
