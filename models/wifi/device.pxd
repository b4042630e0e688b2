"""The network device of a Wi-Fi station."""

from libc.stdint cimport uint16_t, uint64_t

from simcore.models.network.node cimport NetDevice
from simcore.models.network.packet cimport Packet
from simcore.models.wifi.mac.mac cimport MacListener, WifiMac
from simcore.models.wifi.phy.phy cimport WifiPhy


cdef class WifiDevice(NetDevice):
    cdef readonly WifiPhy phy
    cdef readonly WifiMac mac_layer


cdef class DevicePort(MacListener):
    cdef WifiDevice device
