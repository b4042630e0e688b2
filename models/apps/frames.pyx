"""Packets straight over a device, without IP: a source, as ns-3's PacketSocketClient."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from simcore.models.network.application cimport Application
from simcore.models.network.node cimport NetDevice
from simcore.models.network.packet cimport make_packet
from simcore.simulator cimport NativeTimer, TimerHandler, native_timer
from simcore.whole cimport whole

from simcore.models.network.address import MacAddress
from simcore.units import parse_time


cdef int packet_due(object owner) except -1:
    return (<FrameSource>owner).send_next()


cdef class FrameSource(Application):
    """Sends a packet at the start, and then one each interval.

    Parameters
    ----------
    device : NetDevice
    destination : MacAddress, str or int
    ethertype : int
        From 0 to 65535.
    packet_size : int
        Bytes of what the device carries.
    interval : int or str
        Between the beginnings of two packets (ns).
    start, stop
        See `Application`.
    """

    cdef readonly NetDevice device
    cdef readonly int64_t interval         # ns
    cdef readonly int32_t packet_size
    cdef readonly int64_t sent             # handed to the device
    cdef uint64_t target
    cdef uint16_t ethertype
    cdef NativeTimer timer

    def __init__(self, NetDevice device not None, destination, ethertype, packet_size, *,
                 interval, start=None, stop=None):
        packet_size = whole("packet_size", packet_size)
        ethertype = whole("ethertype", ethertype)
        if not 0 <= packet_size <= device.mtu:
            raise ValueError(
                f"packet_size is {packet_size} bytes: the device carries up to {device.mtu}"
            )
        if not 0 <= ethertype <= 0xFFFF:
            raise ValueError(f"ethertype is {ethertype}: it must be from 0 to 65535")
        self.interval = parse_time(interval, "ns", "interval")
        if self.interval <= 0:
            raise ValueError(f"interval is {interval!r}: it must be positive")
        self.device = device
        self.packet_size = packet_size
        self.target = int(MacAddress(destination))
        self.ethertype = ethertype
        self.timer = native_timer(device.node.sim, <TimerHandler>packet_due, self)
        # Last: it schedules the start, which must not happen to a half-made application.
        Application.__init__(self, device.node, start=start, stop=stop)

    cdef int begin(self) except -1:
        return self.timer.arm(0)

    cdef int end(self) except -1:
        self.timer.disarm()
        return 0

    cdef int send_next(self) except -1:
        self.timer.arm(self.interval)
        self.sent += 1
        self.device.send(
            make_packet(self.sim, self.packet_size, None, None), self.target, self.ethertype
        )
        return 0
