"""Faces over the devices of a node."""

from libc.stdint cimport int64_t, uint16_t, uint64_t

from simcore.models.ndn.face cimport Face
from simcore.models.ndn.link_service cimport LinkService
from simcore.models.ndn.lp cimport LpFields, LpPacket
from simcore.models.network.node cimport LinkListener, NetDevice
from simcore.models.network.packet cimport Packet
from simcore.models.network.queue cimport DropTailQueue
from simcore.simulator cimport Simulator


cdef class DeviceLinkService(LinkService):
    cdef NetDeviceFace face


cdef class NetDeviceFace(Face):
    cdef readonly NetDevice device
    cdef readonly DeviceLinkService service
    cdef public bint up                    # False: what is sent or arrives is dropped
    cdef readonly bint hop_counts          # the hop count is on the wire and grows on arrival
    cdef Simulator sim
    cdef DropTailQueue queue               # of the device; or
    cdef object other_queue                # another one that knows its bytes, or None
    cdef uint64_t destination              # of what is sent
    cdef readonly bint is_unicast          # one neighbour by its address; others are not heard
    cdef bint simple                       # no reliability: link packets need no numbers

    cdef int send_network(
        self, int kind, object content, Py_ssize_t size, int reason, LpFields fields
    ) except -1
    cdef bint is_marked(self) except -1
    cdef int64_t queued_bytes(self) except -2
    cdef int arrive(self, Packet packet, uint64_t source) except -1
    cdef int dispatch(self, int kind, object content, int reason, LpFields fields) except -1
    cdef int take_wire(self, LpPacket packet) except -1


cdef class NdnPort(LinkListener):
    """Brings what a node's devices receive to its faces."""
    cdef list shared                       # device index -> face of every neighbour, or None
    cdef dict unicast                      # (device index, source) -> face
    cdef readonly int64_t unclaimed        # packets of neighbours without a face

    cdef int attach(self, NetDeviceFace face) except -1
    cdef int detach(self, NetDeviceFace face) except -1
