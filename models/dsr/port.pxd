"""An interface on which a node's DSR runs."""

from libc.stdint cimport uint32_t

from simcore.models.dsr.network_queue cimport NetworkQueue
from simcore.models.internet.ipv4 cimport ArpCache, Interface
from simcore.models.network.node cimport NetDevice
from simcore.models.network.packet cimport Packet


cdef class Port:
    cdef readonly Interface interface
    cdef readonly NetDevice device
    cdef readonly NetworkQueue queue
    cdef ArpCache arp                      # of the interface, or None
    cdef uint32_t address
    cdef Packet outstanding                # what the device has of ours, or None
    cdef uint32_t outstanding_hop
