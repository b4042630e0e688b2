"""Shared-bus Ethernet, with the behaviour of ns-3's csma model.

A device listens before it talks and knows the state of the whole wire at once: frames never
collide. One that finds the wire busy tries again after a random number of slots, whose range
doubles with each try (truncated binary exponential back-off, IEEE 802.3 4.2.3.2.5, with other
figures). The wire is busy until the last bit has arrived everywhere.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from simcore.models.network.ethernet cimport EthernetHeader, ethernet_header
from simcore.models.network.node cimport TO_OTHER, NetDevice, Node, packet_type_of
from simcore.models.network.packet cimport Packet
from simcore.models.network.queue cimport DropTailQueue
from simcore.models.network.rate cimport transmission_time
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport Event, TimerHandler, native_timer
from simcore.trace.source cimport TraceSet
from simcore.whole cimport whole

from simcore.trace import LinkType
from simcore.units import parse_rate, parse_time

cdef enum:
    INTERFRAME_GAP = 12        # bytes' time: 96 bits (IEEE 802.3 4.4.2)
    MAX_SHIFT = 30             # of the back-off's range, which has a bound of its own


@cython.final
cdef class FrameArrival(Event):
    """The last bit of a frame reaches a device."""

    cdef CsmaDevice device
    cdef Packet frame

    cdef int fire(self) except -1:
        return self.device.arrive(self.frame)


cdef int wire_silent(object owner) except -1:
    (<CsmaChannel>owner).busy = False
    return 0


cdef int device_wakes(object owner) except -1:
    return (<CsmaDevice>owner).wake()


cdef class CsmaChannel:
    """A wire that several devices share.

    Parameters
    ----------
    data_rate : str or int
        Such as ``"100Mbps"``; a number is in bit/s.
    delay : str or int
        From any device to any other, such as ``"6560ns"``; a number is in nanoseconds.

    Raises
    ------
    ValueError
        When the rate is not positive or the delay negative.
    """

    def __init__(self, data_rate="100Mbps", delay="0ns"):
        rate = parse_rate(data_rate, "data_rate")
        if not rate >= 1:
            raise ValueError(f"data_rate is {data_rate!r}: it must be 1 bit/s or more")
        wait = parse_time(delay, "ns", "delay")
        if wait < 0:
            raise ValueError(f"delay is {delay!r}: it must not be negative")
        self.data_rate = round(rate)
        self.delay = wait
        self.devices = []

    cdef int begin(self) except -1:
        self.busy = True
        return 0

    cdef int end(self, CsmaDevice sender, Packet frame) except -1:
        """The last bit of a frame is sent: it arrives everywhere, then the wire is silent."""
        cdef FrameArrival arrival
        cdef CsmaDevice device
        for item in self.devices:
            device = item
            if device is sender or not device.up:
                continue
            arrival = FrameArrival.__new__(FrameArrival)
            arrival.device = device
            arrival.frame = frame
            self.sim.schedule_event_in(device.node.id, self.delay, arrival)
        self.silence_timer.arm(self.delay)
        return 0

    cdef int64_t duration(self, int64_t size) except -1:
        return transmission_time(size, self.data_rate)

    def transmission_time(self, int64_t size):
        """Time on the wire of a number of bytes (ns)."""
        if size < 0:
            raise ValueError(f"size is {size} bytes: it must not be negative")
        return self.duration(size)

    def __repr__(self):
        return f"<CsmaChannel of {len(self.devices)} devices>"


cdef class CsmaDevice(NetDevice):
    """An Ethernet device on a `CsmaChannel`.

    A packet enters the queue, even when the transmitter is idle, and is framed as Ethernet II, with
    padding and frame check sequence. Back-off is at least `min_slots` slots and less than
    min(2^retries - 1, `max_slots`).

    Parameters
    ----------
    node : Node
    channel : CsmaChannel
    queue_packets : int
        Room in the queue (packets).
    mtu : int
        Largest packet (bytes).
    address : MacAddress, str or int, optional
        By default the next free one.
    promiscuous : bool
        Hand up frames for others too.
    slot_time : str or int
        Such as ``"1us"``; a number is in nanoseconds.
    min_slots, max_slots : int
        Bounds of the back-off.
    ceiling : int
        Number of tries after which the range grows no more.
    max_retries : int
        Then the frame is dropped.
    stream : RandomStream, optional
        Of the back-off; by default the node's and device's own.

    Attributes
    ----------
    up : bool
        Set it to False to take the cable out; frames already sent arrive elsewhere.

    Raises
    ------
    ValueError
        When a parameter is out of range, or the channel belongs to another simulator.

    Notes
    -----
    Trace sources, all with frames: ``tx`` a packet came from above, ``rx`` one goes up, ``tx_drop``
    and ``rx_drop`` with (packet, reason), ``sniffer`` every frame sent or heard, ``tx_begin``,
    ``tx_end``, ``backoff`` with (packet, delay in ns); those of the queue are in
    ``device.queue.trace``.
    """

    # What captures can begin a frame with.
    pcap_link_types = (LinkType.ETHERNET,)

    def __init__(
        self, Node node not None, CsmaChannel channel not None, *, queue_packets=100, mtu=1500,
        address=None, bint promiscuous=False, slot_time="1us", min_slots=1,
        max_slots=1000, ceiling=10, max_retries=1000,
        RandomStream stream=None,
    ):
        cdef TraceSet trace
        max_retries = whole("max_retries", max_retries)
        ceiling = whole("ceiling", ceiling)
        max_slots = whole("max_slots", max_slots)
        min_slots = whole("min_slots", min_slots)
        slot = parse_time(slot_time, "ns", "slot_time")
        if slot < 1:
            raise ValueError(f"slot_time is {slot_time!r}: it must be positive")
        if not 0 <= min_slots <= max_slots:
            raise ValueError(f"min_slots is {min_slots}: it must be 0 to max_slots, {max_slots}")
        if not 1 <= ceiling <= MAX_SHIFT:
            raise ValueError(f"ceiling is {ceiling}: it must be 1 to {MAX_SHIFT}")
        if max_retries < 0:
            raise ValueError(f"max_retries is {max_retries}: it must not be negative")
        if channel.sim is not None and channel.sim is not node.sim:
            raise ValueError("the devices of a channel must belong to one simulator")
        queue = DropTailQueue(queue_packets)
        NetDevice.__init__(self, node, mtu, address)
        self.channel = channel
        self.queue = queue
        self.promiscuous = promiscuous
        self.up = True
        self.slot_time = slot
        self.min_slots = min_slots
        self.max_slots = max_slots
        self.ceiling = ceiling
        self.max_retries = max_retries
        self.sim = node.sim
        self.stream = (
            node.sim.random.stream(f"csma/{node.id}/{self.index}/backoff")
            if stream is None else stream
        )
        self.timer = native_timer(node.sim, <TimerHandler>device_wakes, self)
        trace = TraceSet(
            self,
            tx="(packet) a packet came from the protocols above",
            rx="(packet) a packet goes up to the protocols above",
            tx_drop="(packet, reason) the cable is out, the queue full, or the tries too many",
            rx_drop="(packet, reason) the error model took a frame",
            sniffer="(packet) a frame was sent or heard",
            tx_begin="(packet) its first bit is sent",
            tx_end="(packet) its last bit was sent",
            backoff="(packet, delay) the wire is busy: the next try is in delay ns",
        )
        self.trace = trace
        self.tx_trace = trace.source("tx")
        self.rx_trace = trace.source("rx")
        self.tx_drop_trace = trace.source("tx_drop")
        self.rx_drop_trace = trace.source("rx_drop")
        self.sniffer_trace = trace.source("sniffer")
        self.tx_begin_trace = trace.source("tx_begin")
        self.tx_end_trace = trace.source("tx_end")
        self.backoff_trace = trace.source("backoff")
        if channel.sim is None:
            channel.sim = node.sim
            channel.silence_timer = native_timer(node.sim, <TimerHandler>wire_silent, channel)
        channel.devices.append(self)

    def ascii_sources(self):
        """What `AsciiTrace` attaches to: the queue, receptions and losses, as ns-3 does."""
        base = f"/NodeList/{self.node.id}/DeviceList/{self.index}/$ns3::CsmaNetDevice"
        queue = self.queue.trace
        return [
            ("r", self.rx_trace, f"{base}/MacRx"),
            ("+", queue.enqueue, f"{base}/TxQueue/Enqueue"),
            ("-", queue.dequeue, f"{base}/TxQueue/Dequeue"),
            ("d", queue.drop, f"{base}/TxQueue/Drop"),
        ]

    def pcap_sources(self):
        """What `PcapTrace` attaches to: every frame sent or heard."""
        return [self.sniffer_trace]

    cdef int send(self, Packet packet, uint64_t destination, uint16_t ethertype) except -1:
        cdef Packet frame = packet.push_c(
            ethernet_header(self.mac, destination, ethertype, packet.size, True)
        )
        if not self.up:
            if self.tx_drop_trace.active:
                self.tx_drop_trace.emit2(frame, "link down")
            return 1
        if self.tx_trace.active:
            self.tx_trace.emit1(frame)
        if not self.queue.push(frame):
            if self.tx_drop_trace.active:
                self.tx_drop_trace.emit2(frame, "queue full")
            return 1
        if self.state == READY:
            self.next_frame()
        return 0

    cdef int next_frame(self) except -1:
        """Take the next frame of the queue, if there is one, and try to send it."""
        self.state = READY
        self.retries = 0
        self.current = self.queue.pop()
        if self.current is None:
            return 0
        if self.sniffer_trace.active:
            self.sniffer_trace.emit1(self.current)
        return self.attempt()

    cdef int attempt(self) except -1:
        cdef int64_t delay
        cdef int32_t most
        while not self.up or (self.channel.busy and self.retries >= self.max_retries):
            # The queue's next frame has no better prospects, but tries of its own.
            if self.tx_drop_trace.active:
                self.tx_drop_trace.emit2(
                    self.current, "too many tries" if self.up else "link down"
                )
            self.retries = 0
            self.current = self.queue.pop()
            if self.current is None:
                self.state = READY
                return 0
            if self.sniffer_trace.active:
                self.sniffer_trace.emit1(self.current)
        if self.channel.busy:
            self.state = BACKOFF
            self.retries += 1
            most = min((1 << min(self.retries, self.ceiling)) - 1, self.max_slots)
            delay = <int64_t>self.stream.uniform_c(self.min_slots, most) * self.slot_time
            if self.backoff_trace.active:
                self.backoff_trace.emit2(self.current, delay)
            return self.timer.arm(delay)
        self.state = BUSY
        if self.tx_begin_trace.active:
            self.tx_begin_trace.emit1(self.current)
        self.channel.begin()
        return self.timer.arm(self.channel.duration(self.current.size))

    cdef int wake(self) except -1:
        cdef Packet frame
        if self.state == BACKOFF:
            return self.attempt()
        if self.state == GAP:
            return self.next_frame()
        frame = self.current
        self.current = None
        self.state = GAP
        self.channel.end(self, frame)
        if self.tx_end_trace.active:
            self.tx_end_trace.emit1(frame)
        return self.timer.arm(self.channel.duration(INTERFRAME_GAP))

    cdef int arrive(self, Packet frame) except -1:
        cdef EthernetHeader header = <EthernetHeader>frame.header
        cdef int kind
        if self.error_model is not None and self.error_model.enabled:
            if self.error_model.corrupts(frame):
                if self.rx_drop_trace.active:
                    self.rx_drop_trace.emit2(frame, "error")
                return 0
        if self.sniffer_trace.active:
            self.sniffer_trace.emit1(frame)
        kind = packet_type_of(header.destination, self.mac)
        if kind == TO_OTHER and not self.promiscuous:
            return 0
        if kind != TO_OTHER and self.rx_trace.active:
            self.rx_trace.emit1(frame)
        return self.deliver(
            frame.inner, header.ethertype, header.source, header.destination, kind
        )
