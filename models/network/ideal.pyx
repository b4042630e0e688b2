"""A shared medium without contention, for tests and for protocols looked at by themselves."""

cimport cython
from libc.stdint cimport uint16_t, uint64_t

from simcore.models.network.address cimport is_group_mac
from simcore.models.network.ethernet cimport EthernetHeader, ethernet_header
from simcore.models.network.node cimport TO_HOST, TO_OTHER, NetDevice, Node, packet_type_of
from simcore.models.network.packet cimport Packet
from simcore.simulator cimport Event
from simcore.trace.source cimport TraceSet

from simcore.trace import LinkType
from simcore.units import parse_time


@cython.final
cdef class Transmission:
    """A frame on its way, and whether the one it is for has received it."""

    cdef Packet frame
    cdef bint received


@cython.final
cdef class FrameArrival(Event):
    """A frame reaches one device."""

    cdef IdealDevice device
    cdef Transmission transmission

    cdef int fire(self) except -1:
        if self.device.arrive(self.transmission.frame):
            self.transmission.received = True
        return 0


@cython.final
cdef class FrameOutcome(Event):
    """The sender learns whether its unicast frame was received."""

    cdef IdealDevice device
    cdef Transmission transmission

    cdef int fire(self) except -1:
        cdef Packet frame = self.transmission.frame
        cdef uint64_t destination = (<EthernetHeader>frame.header).destination
        if self.transmission.received:
            return self.device.notify_transmitted(frame.inner, destination)
        if self.device.drop_trace.active:
            self.device.drop_trace.emit2(frame, "not received")
        return self.device.notify_dropped(frame.inner, destination, "not received")


cdef class IdealChannel:
    """A shared medium that carries every frame to every device after a fixed delay.

    Frames neither wait nor collide. `cut` takes the link between two devices away, so that any
    topology can be made; a unicast frame that is not received is reported to the sender's
    transmit listeners, as by Wi-Fi.

    Parameters
    ----------
    delay : int or str
        From sending to reception, such as ``"1ms"``; a number is in nanoseconds.
    """

    def __init__(self, delay="1us"):
        self.delay = parse_time(delay, "ns", "delay")
        if self.delay < 0:
            raise ValueError(f"delay is {delay!r}: it must not be negative")
        self.devices = []
        self.cut_links = set()

    cdef bint joined(self, IdealDevice a, IdealDevice b):
        return not self.cut_links or frozenset((a, b)) not in self.cut_links

    def cut(self, IdealDevice a not None, IdealDevice b not None):
        """Take the link between two devices away, in both directions."""
        self.cut_links.add(frozenset((a, b)))

    def join(self, IdealDevice a not None, IdealDevice b not None):
        """Give the link between two devices back."""
        self.cut_links.discard(frozenset((a, b)))

    def chain(self):
        """Leave only the links between devices that follow each other in `devices`."""
        self.cut_links = {
            frozenset((a, b))
            for i, a in enumerate(self.devices)
            for b in self.devices[i + 2:]
        }


cdef class IdealDevice(NetDevice):
    """A device on an `IdealChannel`, with Ethernet framing.

    Parameters
    ----------
    node : Node
    channel : IdealChannel
    mtu : int
    address : MacAddress, str or int, optional
    promiscuous : bool

    Notes
    -----
    Trace sources, with frames: ``tx`` and ``rx`` with (packet), ``drop`` with (packet, reason).
    """

    # What captures can begin a frame with.
    pcap_link_types = (LinkType.ETHERNET,)

    def __init__(
        self, Node node not None, IdealChannel channel not None, mtu=1500, address=None,
        bint promiscuous=False,
    ):
        cdef TraceSet trace
        if channel.devices and channel.devices[0].node.sim is not node.sim:
            raise ValueError("the devices of a channel must belong to one simulator")
        NetDevice.__init__(self, node, mtu, address)
        self.channel = channel
        self.promiscuous = promiscuous
        trace = TraceSet(
            self,
            tx="(packet) a frame is sent",
            rx="(packet) a frame was received",
            drop="(packet, reason) a frame was not received",
        )
        self.trace = trace
        self.tx_trace = trace.source("tx")
        self.rx_trace = trace.source("rx")
        self.drop_trace = trace.source("drop")
        channel.devices.append(self)

    cdef int send(self, Packet packet, uint64_t destination, uint16_t ethertype) except -1:
        cdef Transmission transmission = Transmission()
        cdef FrameArrival arrival
        cdef FrameOutcome outcome
        cdef IdealDevice other
        transmission.frame = packet.push_c(
            ethernet_header(self.mac, destination, ethertype, packet.size, False)
        )
        if self.tx_trace.active:
            self.tx_trace.emit1(transmission.frame)
        for device in self.channel.devices:
            other = <IdealDevice>device
            if other is self or not self.channel.joined(self, other):
                continue
            arrival = FrameArrival()
            arrival.device = other
            arrival.transmission = transmission
            self.node.sim.schedule_event_in(other.node.id, self.channel.delay, arrival)
        if not is_group_mac(destination):
            outcome = FrameOutcome()
            outcome.device = self
            outcome.transmission = transmission
            # After the arrivals at the same time, which were scheduled first.
            self.node.sim.schedule_event_in(self.node.id, self.channel.delay, outcome)
        return 0

    cdef bint arrive(self, Packet frame) except -1:
        cdef EthernetHeader header = <EthernetHeader>frame.header
        cdef int kind = packet_type_of(header.destination, self.mac)
        if kind == TO_OTHER and not self.promiscuous:
            return False
        if self.error_model is not None and self.error_model.enabled:
            if self.error_model.corrupts(frame):
                if self.drop_trace.active:
                    self.drop_trace.emit2(frame, "error")
                return False
        if self.rx_trace.active:
            self.rx_trace.emit1(frame)
        self.deliver(frame.inner, header.ethertype, header.source, header.destination, kind)
        return kind == TO_HOST

    def ascii_sources(self):
        """What `AsciiTrace` attaches to: frames sent, received and lost."""
        base = f"/NodeList/{self.node.id}/DeviceList/{self.index}/$simcore::IdealDevice"
        return [
            ("t", self.tx_trace, f"{base}/MacTx"),
            ("r", self.rx_trace, f"{base}/MacRx"),
            ("d", self.drop_trace, f"{base}/MacRxDrop"),
        ]

    def pcap_sources(self):
        """What `PcapTrace` attaches to: every frame sent or received."""
        return [self.tx_trace, self.rx_trace]
