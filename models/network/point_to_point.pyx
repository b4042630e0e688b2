"""Full-duplex link between two nodes."""

cimport cython
from libc.stdint cimport int64_t, uint16_t, uint64_t

from simcore.models.network.node cimport TO_HOST, NetDevice, Node
from simcore.models.network.packet cimport Packet
from simcore.models.network.ppp cimport PppHeader, ppp_header
from simcore.models.network.queue cimport DropTailQueue
from simcore.models.network.rate cimport transmission_time
from simcore.simulator cimport Event, TimerHandler, native_timer
from simcore.trace.source cimport TraceSet

from simcore.trace import LinkType
from simcore.units import parse_rate, parse_time


@cython.final
cdef class Arrival(Event):
    """A packet comes out of the link."""

    cdef PointToPointDevice device
    cdef Packet packet

    cdef int fire(self) except -1:
        return self.device.arrive(self.packet)


cdef int transmission_ended(object owner) except -1:
    return (<PointToPointDevice>owner).finish()


cdef class PointToPointDevice(NetDevice):
    """One end of a `PointToPointLink`, which makes it.

    A packet enters the queue, even when the transmitter is idle, and is framed with PPP's two
    bytes. The MAC address of the destination only tells a broadcast or multicast from the rest.

    Notes
    -----
    Trace sources, all with frames (PPP header included): ``tx`` a packet came from above, ``rx``
    one goes up, ``tx_drop`` and ``rx_drop`` with (packet, reason), ``sniffer`` every frame sent or
    received, ``tx_begin`` and ``tx_end``; those of the queue are in ``device.queue.trace``.
    """

    def __init__(self, Node node not None, PointToPointLink channel not None, queue, mtu, address):
        cdef TraceSet trace
        NetDevice.__init__(self, node, mtu, address)
        # There is but one neighbour, so that no address has to be found.
        self.needs_arp = False
        self.channel = channel
        self.queue = queue
        self.sim = node.sim
        self.transmit_timer = native_timer(node.sim, <TimerHandler>transmission_ended, self)
        trace = TraceSet(
            self,
            tx="(packet) a packet came from the protocols above",
            rx="(packet) a packet goes up to the protocols above",
            tx_drop="(packet, reason) the link is down, or the queue full",
            rx_drop="(packet, reason) the error model took a packet",
            sniffer="(packet) a frame was sent or received",
            tx_begin="(packet) its first bit is sent",
            tx_end="(packet) its last bit was sent",
        )
        self.trace = trace
        self.tx_trace = trace.source("tx")
        self.rx_trace = trace.source("rx")
        self.tx_drop_trace = trace.source("tx_drop")
        self.rx_drop_trace = trace.source("rx_drop")
        self.sniffer_trace = trace.source("sniffer")
        self.tx_begin_trace = trace.source("tx_begin")
        self.tx_end_trace = trace.source("tx_end")

    # What captures can begin a frame with.
    pcap_link_types = (LinkType.PPP,)

    def ascii_sources(self):
        """What `AsciiTrace` attaches to: the queue, receptions and losses, as ns-3 does."""
        base = f"/NodeList/{self.node.id}/DeviceList/{self.index}/$ns3::PointToPointNetDevice"
        queue = self.queue.trace
        return [
            ("r", self.rx_trace, f"{base}/MacRx"),
            ("+", queue.enqueue, f"{base}/TxQueue/Enqueue"),
            ("-", queue.dequeue, f"{base}/TxQueue/Dequeue"),
            ("d", queue.drop, f"{base}/TxQueue/Drop"),
            ("d", self.rx_drop_trace, f"{base}/PhyRxDrop"),
        ]

    def pcap_sources(self):
        """What `PcapTrace` attaches to: every frame sent or received."""
        return [self.sniffer_trace]

    cdef int send(self, Packet packet, uint64_t destination, uint16_t ethertype) except -1:
        cdef Packet frame = packet.push_c(ppp_header(ethertype))
        if not self.channel.up:
            if self.tx_drop_trace.active:
                self.tx_drop_trace.emit2(frame, "link down")
            return 1
        if self.tx_trace.active:
            self.tx_trace.emit1(frame)
        if not self.queue.push(frame):
            if self.tx_drop_trace.active:
                self.tx_drop_trace.emit2(frame, "queue full")
            return 1
        if self.in_transmission is None:
            self.start(self.queue.pop())
        return 0

    cdef int start(self, Packet frame) except -1:
        cdef int64_t duration = self.channel.duration(frame.size)
        cdef Arrival arrival
        self.in_transmission = frame
        if self.sniffer_trace.active:
            self.sniffer_trace.emit1(frame)
        if self.tx_begin_trace.active:
            self.tx_begin_trace.emit1(frame)
        self.transmit_timer.arm(duration)
        arrival = Arrival.__new__(Arrival)
        arrival.device = self.peer
        arrival.packet = frame
        return self.sim.schedule_event_in(
            self.peer.node.id, duration + self.channel.delay, arrival
        )

    cdef int finish(self) except -1:
        cdef Packet frame
        if self.tx_end_trace.active:
            self.tx_end_trace.emit1(self.in_transmission)
        self.in_transmission = None
        frame = self.queue.pop()
        if frame is not None:
            self.start(frame)
        return 0

    cdef int arrive(self, Packet frame) except -1:
        cdef PppHeader header
        if self.error_model is not None and self.error_model.enabled:
            if self.error_model.corrupts(frame):
                if self.rx_drop_trace.active:
                    self.rx_drop_trace.emit2(frame, "error")
                return 0
        if self.sniffer_trace.active:
            self.sniffer_trace.emit1(frame)
        if self.rx_trace.active:
            self.rx_trace.emit1(frame)
        header = frame.header
        return self.deliver(frame.inner, header.ethertype, self.peer.mac, self.mac, TO_HOST)


cdef class PointToPointLink:
    """Full-duplex link between two nodes, as ns-3's point-to-point channel.

    Parameters
    ----------
    a, b : Node
        The ends, each of which gets a device.
    data_rate : str or int
        Such as ``"5Mbps"``; a number is in bit/s.
    delay : str or int
        Propagation delay, such as ``"2ms"``; a number is in nanoseconds.
    queue_packets : int
        Room in each device's queue (packets).
    mtu : int
        Largest packet (bytes, without PPP's two).
    addresses : tuple of two MAC addresses, optional
        By default the next free ones.

    Attributes
    ----------
    devices : tuple of PointToPointDevice
    up : bool
        Set it to False to break the link; packets already on it arrive.

    Raises
    ------
    ValueError
        When the rate is not positive, the delay negative, or the nodes are one or of two
        simulators.
    """

    def __init__(
        self, Node a not None, Node b not None, data_rate="5Mbps", delay="2ms",
        queue_packets=100, mtu=1500, addresses=(None, None),
    ):
        cdef PointToPointDevice first, second
        if a is b:
            raise ValueError(f"both ends are {a!r}: a link joins two nodes")
        if a.sim is not b.sim:
            raise ValueError("the ends of a link must belong to one simulator")
        rate = parse_rate(data_rate, "data_rate")
        if not rate >= 1:
            raise ValueError(f"data_rate is {data_rate!r}: it must be 1 bit/s or more")
        wait = parse_time(delay, "ns", "delay")
        if wait < 0:
            raise ValueError(f"delay is {delay!r}: it must not be negative")
        self.data_rate = round(rate)
        self.delay = wait
        self.up = True
        first = PointToPointDevice(a, self, DropTailQueue(queue_packets), mtu, addresses[0])
        second = PointToPointDevice(b, self, DropTailQueue(queue_packets), mtu, addresses[1])
        first.peer = second
        second.peer = first
        self.devices = (first, second)

    cdef int64_t duration(self, int64_t size) except -1:
        return transmission_time(size, self.data_rate)

    def transmission_time(self, int64_t size):
        """Time on the wire of a number of bytes (ns)."""
        if size < 0:
            raise ValueError(f"size is {size} bytes: it must not be negative")
        return self.duration(size)

    def __repr__(self):
        a, b = self.devices
        return f"<PointToPointLink of nodes {a.node.id} and {b.node.id}>"
