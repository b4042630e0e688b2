"""Frame exchanges of an ad hoc station (802.11-2020 10.3.2, 10.3.4).

DATA-ACK, RTS-CTS-DATA-ACK, group-addressed DATA, and bursts of fragments; retries, time-outs, NAV.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from simcore.models.network.packet cimport Packet
from simcore.models.wifi.frame cimport (
    ACK, ACK_SIZE, CTS, CTS_SIZE, DATA, DATA_HEADER_SIZE, FCS_SIZE, RTS, RTS_SIZE, WifiFrame,
    control_frame, duration_field,
)
from simcore.models.wifi.mac.access cimport AccessListener, ChannelAccess, Txop
from simcore.models.wifi.mac.queue cimport QueueEntry, WifiMacQueue
from simcore.models.wifi.mac.receiver cimport Receiver
from simcore.models.wifi.managers.manager cimport RateManager
from simcore.models.wifi.phy.duration cimport ppdu_duration, preamble_and_header_duration
from simcore.models.wifi.phy.phy cimport PHY_TX, PhyListener, WifiPhy
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport TimerHandler, native_timer
from simcore.trace.source cimport TraceSet
from simcore.whole cimport whole

from simcore.models.wifi.phy.standards import standard_parameters

cdef enum:
    # Least size of a fragmentation threshold (802.11-2020 dot11FragmentationThreshold).
    MIN_FRAGMENTATION_THRESHOLD = 256
    # A time-out that meets a payload waits for its end, and this long for the MAC to look at it.
    AFTER_PAYLOAD_NS = 400

cdef uint64_t GROUP_BIT = <uint64_t>1 << 40


cdef class MacListener:

    cdef int received(
        self, Packet body, uint64_t source, uint64_t destination, bint for_us,
    ) except -1:
        return 0

    cdef int sent(self, Packet packet, uint64_t destination) except -1:
        return 0

    cdef int given_up(self, Packet packet, uint64_t destination, str reason) except -1:
        return 0


cdef class AccessPort(AccessListener):

    cdef bint start(self, Txop txop) except -1:
        return self.mac.start(txop)


cdef int timed_out(object mac) except -1:
    return (<WifiMac>mac).on_timeout()


cdef int sifs_over(object mac) except -1:
    return (<WifiMac>mac).after_sifs()


cdef int response_due(object mac) except -1:
    return (<WifiMac>mac).send_response()


cdef int nav_may_end(object mac) except -1:
    return (<WifiMac>mac).on_nav_timer()


cdef int queue_filled(object mac) except -1:
    cdef WifiMac self = <WifiMac>mac
    if self.state != NOTHING_SENT:
        return 0
    return self.access.frame_arrived(self.dcf)


@cython.final
cdef class WifiMac(PhyListener):
    """The MAC of an ad hoc station without QoS.

    Parameters
    ----------
    phy : WifiPhy
    manager : RateManager
    owner : MacListener
        Gets what is received and learns what became of what was sent.
    address, bssid : int
        48-bit numbers.
    rts_threshold : int
        Unicast MPDUs larger than this (bytes) are preceded by RTS/CTS; off by default.
    fragmentation_threshold : int
        Unicast MPDUs larger than this (bytes) are sent in fragments; off by default.
    retry_limit : int
        Transmissions of a frame before it is dropped (802.11-2020 dot11ShortRetryLimit), unless
        the manager decides otherwise.
    queue_limit : int
        Packets in the transmit queue.
    queue_lifetime : int
        Longest time of a packet in it (ns).
    queue : WifiMacQueue, optional
        In place of the two.
    cw_min, cw_max : int, optional
        Bounds of the contention window; those of the standard by default.
    keep_window_after_drop : bool
        802.11-2020 10.3.3 resets the contention window when the retry limit is reached. True
        resets it at the next failure after that, as ns-3.44 does; for comparisons.
    stream : RandomStream, optional
        For the back-off; the stream ``wifi/<node>/backoff`` by default.
    """

    def __init__(
        self, WifiPhy phy not None, RateManager manager not None, MacListener owner not None,
        uint64_t address, uint64_t bssid, *, rts_threshold=4692480,
        fragmentation_threshold=65535, retry_limit=7, queue_limit=500,
        queue_lifetime=500_000_000, WifiMacQueue queue=None, cw_min=None, cw_max=None,
        bint keep_window_after_drop=False, RandomStream stream=None,
    ):
        cdef AccessPort port = AccessPort()
        cdef TraceSet trace
        retry_limit = whole("retry_limit", retry_limit)
        fragmentation_threshold = whole("fragmentation_threshold", fragmentation_threshold)
        rts_threshold = whole("rts_threshold", rts_threshold)
        constants = standard_parameters(phy.standard, phy.band_ghz)
        if retry_limit < 1:
            raise ValueError(f"retry_limit is {retry_limit}: it must be 1 or more")
        if rts_threshold < 0:
            raise ValueError(f"rts_threshold is {rts_threshold} bytes: it must not be negative")
        if fragmentation_threshold < MIN_FRAGMENTATION_THRESHOLD:
            raise ValueError(
                f"fragmentation_threshold is {fragmentation_threshold} bytes: "
                f"it must be {MIN_FRAGMENTATION_THRESHOLD} or more"
            )
        self.sim = phy.sim
        self.phy = phy
        self.manager = manager
        self.owner = owner
        self.address = address
        self.bssid = bssid
        self.rts_threshold = rts_threshold
        self.fragmentation_threshold = fragmentation_threshold
        self.retry_limit = retry_limit
        self.keep_window_after_drop = keep_window_after_drop
        self.receiver = Receiver()
        self.expired = []
        port.mac = self
        self.access = ChannelAccess(
            self.sim, port, constants.slot_ns, constants.sifs_ns, constants.ack_duration_ns
        )
        self.dcf = Txop(
            WifiMacQueue(self.sim, queue_limit, queue_lifetime) if queue is None else queue,
            stream or self.sim.random.stream(f"wifi/{phy.node.id}/backoff"),
            cw_min=constants.cw_min if cw_min is None else cw_min,
            cw_max=constants.cw_max if cw_max is None else cw_max,
        )
        # A station that has just been switched on has not sensed the medium: it backs off first.
        self.dcf.draw_backoff(self.sim.now_ns)
        self.access.add(self.dcf)
        self.timeout = native_timer(self.sim, <TimerHandler>timed_out, self)
        self.sifs_timer = native_timer(self.sim, <TimerHandler>sifs_over, self)
        self.response_timer = native_timer(self.sim, <TimerHandler>response_due, self)
        self.nav_timer = native_timer(self.sim, <TimerHandler>nav_may_end, self)
        self.arrival_timer = native_timer(self.sim, <TimerHandler>queue_filled, self)
        trace = TraceSet(
            self,
            enqueue="a packet entered the queue: (packet)",
            drop="a packet was given up: (packet, reason)",
            tx="a frame goes to the PHY: (frame)",
            rx="a frame was received without errors: (frame)",
            retry="an attempt failed: (frame, retries so far)",
        )
        self.trace = trace
        self.enqueue_trace = trace.source("enqueue")
        self.drop_trace = trace.source("drop")
        self.tx_trace = trace.source("tx")
        self.rx_trace = trace.source("rx")
        self.retry_trace = trace.source("retry")
        # Last: what was refused takes neither a manager nor a PHY into service.
        manager.attach(phy)
        phy.listener = self

    @property
    def queue(self):
        """The transmit queue."""
        return self.dcf.queue

    # From above

    cdef int enqueue(self, Packet packet, Packet body, uint64_t destination) except -1:
        """Take an MSDU; 0 when it was queued, 1 when it was dropped."""
        cdef QueueEntry entry = QueueEntry.__new__(QueueEntry)
        cdef WifiMacQueue queue = self.dcf.queue
        cdef bint was_empty = not self.dcf.has_frames()
        cdef bint accepted
        entry.packet = packet
        entry.body = body
        entry.destination = destination
        accepted = queue.enqueue(entry, self.dcf.current is not None, self.expired)
        if len(self.expired) > 0:
            self.drop_expired()
        if not accepted:
            self.drop(entry, "queue full")
            return 1
        if self.enqueue_trace.active:
            self.enqueue_trace.emit1(packet)
        if was_empty and self.state == NOTHING_SENT and self.arrival_timer.slot < 0:
            # What else arrives at this instant is queued before access is asked for.
            self.arrival_timer.arm(0)
        return 0

    # Exchanges

    cdef bint start(self, Txop txop) except -1:
        cdef QueueEntry entry
        cdef int32_t size
        if self.state != NOTHING_SENT or self.phy.state == PHY_TX:
            return False
        self.sweep(txop)
        if txop.current is None:
            txop.current = txop.queue.take(self.expired)
        entry = txop.current
        if entry is None:
            return False
        self.txop = txop
        if entry.sequence < 0:
            entry.sequence = self.next_sequence
            self.next_sequence = (self.next_sequence + 1) & 0xFFF
        if entry.destination & GROUP_BIT:
            self.data_vector = self.manager.group_vector
            self.data_frame = self.next_data_frame(entry, self.data_vector)
            self.state = GROUP_SENT
            self.group_tx_count += 1
            self.transmit(self.data_frame, self.data_vector)
            return True
        size = entry.body.size - entry.sent + DATA_HEADER_SIZE + FCS_SIZE
        self.data_vector = self.manager.data_vector(entry.destination, size)
        self.data_frame = self.next_data_frame(entry, self.data_vector)
        size = self.data_frame.size
        if self.manager.need_rts(entry.destination, size, size > self.rts_threshold):
            self.send_rts()
        else:
            self.send_data()
        return True

    cdef WifiFrame next_data_frame(self, QueueEntry entry, TxVector v):
        """The frame, or the fragment, that comes next of an MSDU."""
        cdef WifiFrame frame = WifiFrame.__new__(WifiFrame)
        cdef TxVector response
        cdef int32_t left = entry.body.size - entry.sent
        cdef int32_t room = self.fragmentation_threshold - DATA_HEADER_SIZE - FCS_SIZE
        cdef bint group = (entry.destination & GROUP_BIT) != 0
        cdef int64_t reserved = 0
        cdef int32_t following
        frame.type = DATA
        frame.addr1 = entry.destination
        frame.addr2 = self.address
        frame.addr3 = self.bssid
        frame.sequence = <uint16_t>entry.sequence
        frame.fragment = <unsigned char>entry.fragment
        frame.retry = entry.retry
        frame.body = entry.body
        frame.body_offset = entry.sent
        frame.body_size = left if group or left <= room else room
        frame.more_fragments = frame.body_size < left
        frame.size = frame.body_size + DATA_HEADER_SIZE + FCS_SIZE
        if not group:
            # 802.11-2020 9.2.5.2: up to the end of the ACK, or of the next fragment's.
            response = self.manager.response_vector(v)
            reserved = self.access.sifs + self.response_duration(response, ACK_SIZE)
            if frame.more_fragments:
                following = min(left - frame.body_size, room) + DATA_HEADER_SIZE + FCS_SIZE
                reserved = 2 * reserved + self.access.sifs + ppdu_duration(
                    following, v, self.phy.band
                )
        frame.duration_us = duration_field(reserved)
        return frame

    cdef int64_t response_duration(self, TxVector v, int32_t size) noexcept:
        return ppdu_duration(size, v, self.phy.band)

    cdef int64_t timeout_after(self, TxVector response) noexcept:
        """From the end of a frame to the time by which its answer must have begun (10.3.2.9)."""
        return self.access.sifs + self.access.slot + preamble_and_header_duration(response)

    cdef int transmit(self, WifiFrame frame, TxVector v) except -1:
        cdef Ppdu ppdu = self.phy.make_ppdu(frame, v)
        self.access.tx_started(self.sim.now_ns + ppdu.duration)
        if self.tx_trace.active:
            self.tx_trace.emit1(frame)
        return self.phy.transmit(ppdu)

    cdef int send_rts(self) except -1:
        cdef WifiFrame frame
        cdef TxVector v = self.manager.rts_vector(self.data_frame.addr1)
        cdef TxVector cts = self.manager.response_vector(v)
        cdef int64_t wait
        frame = control_frame(
            RTS, self.data_frame.addr1, self.address,
            3 * self.access.sifs + self.response_duration(cts, CTS_SIZE)
            + ppdu_duration(self.data_frame.size, self.data_vector, self.phy.band)
            + self.response_duration(self.manager.response_vector(self.data_vector), ACK_SIZE),
        )
        self.state = WAIT_FOR_CTS
        self.rts_tx_count += 1
        wait = ppdu_duration(RTS_SIZE, v, self.phy.band) + self.timeout_after(cts)
        self.transmit(frame, v)
        self.timeout.arm(wait)
        self.access.cts_timeout_started(self.sim.now_ns + wait)
        return 0

    cdef int send_data(self) except -1:
        cdef int64_t wait = ppdu_duration(
            self.data_frame.size, self.data_vector, self.phy.band
        ) + self.timeout_after(self.manager.response_vector(self.data_vector))
        self.state = WAIT_FOR_ACK
        self.data_tx_count += 1
        self.data_retry_count += self.data_frame.retry
        self.transmit(self.data_frame, self.data_vector)
        self.timeout.arm(wait)
        self.access.ack_timeout_started(self.sim.now_ns + wait)
        return 0

    cdef int after_sifs(self) except -1:
        """SIFS after the CTS or after the ACK of a fragment, the exchange goes on."""
        if self.phy.state == PHY_TX:
            return self.fail(False)
        return self.send_data()

    cdef int on_timeout(self) except -1:
        if self.state == WAIT_FOR_CTS:
            self.cts_timeout_count += 1
            self.manager.rts_failed(self.data_frame.addr1)
            return self.fail(False)
        self.ack_timeout_count += 1
        self.manager.data_failed(self.data_frame.addr1)
        return self.fail(True)

    cdef int succeed(self) except -1:
        """The ACK came."""
        cdef QueueEntry entry = self.txop.current
        self.acked_count += 1
        self.txop.reset_window()
        entry.retries = 0
        entry.retry = False
        entry.sent += self.data_frame.body_size
        entry.fragment += 1
        if entry.sent < entry.body.size:
            self.data_frame = self.next_data_frame(entry, self.data_vector)
            self.state = FRAGMENT_AFTER_ACK
            return self.sifs_timer.arm(self.access.sifs)
        self.txop.current = None
        self.delivered_count += 1
        self.owner.sent(entry.packet, entry.destination)
        return self.finish()

    cdef int fail(self, bint missed_ack) except -1:
        """No CTS or no ACK came."""
        cdef QueueEntry entry = self.txop.current
        entry.retries += 1
        self.txop.widen_window(self.retry_limit, self.keep_window_after_drop)
        entry.retry = entry.retry or missed_ack
        self.retry_count += 1
        if self.retry_trace.active:
            self.retry_trace.emit2(self.data_frame, entry.retries)
        if not self.manager.need_retry(entry.destination, entry.retries < self.retry_limit):
            self.txop.current = None
            self.drop_count += 1
            if missed_ack:
                self.manager.data_given_up(entry.destination)
            else:
                self.manager.rts_given_up(entry.destination)
            self.drop(entry, "retry limit")
        return self.finish()

    cdef int finish(self) except -1:
        """Back off after the exchange, whatever its outcome, and go on with what waits."""
        cdef Txop txop = self.txop
        self.state = NOTHING_SENT
        self.txop = None
        self.data_frame = None
        txop.draw_backoff(self.sim.now_ns)
        self.sweep(txop)
        if txop.has_frames():
            return self.access.request(txop)
        return 0

    cdef int sweep(self, Txop txop) except -1:
        """Give up what is past its deadline."""
        cdef QueueEntry entry = txop.current
        if entry is not None and entry.deadline <= self.sim.now_ns:
            txop.current = None
            txop.queue.expired_count += 1
            self.expired.append(entry)
        txop.queue.sweep(self.expired)
        if len(self.expired) > 0:
            return self.drop_expired()
        return 0

    cdef int drop(self, QueueEntry entry, str reason) except -1:
        if self.drop_trace.active:
            self.drop_trace.emit2(entry.packet, reason)
        return self.owner.given_up(entry.packet, entry.destination, reason)

    cdef int drop_expired(self) except -1:
        cdef list expired = self.expired
        self.expired = []
        for entry in expired:
            self.drop(<QueueEntry>entry, "lifetime expired")
        return 0

    # From the PHY

    cdef int on_cca_busy(self, int64_t end) except -1:
        return self.access.busy(end)

    cdef int on_rx_start(self, int64_t end) except -1:
        self.access.rx_started(end)
        if self.nav_timer.slot >= 0:
            self.nav_timer.disarm()
        if self.timeout.slot >= 0:
            # What is being received may be the answer: judge when it has ended.
            self.timeout.arm(end - self.sim.now_ns + AFTER_PAYLOAD_NS)
            if self.state == WAIT_FOR_ACK:
                self.access.ack_timeout_end = self.sim.now_ns
            else:
                self.access.cts_timeout_end = self.sim.now_ns
        return 0

    cdef int on_rx_error(self, Ppdu ppdu, double snr) except -1:
        return self.access.rx_ended(False)

    cdef int on_tx_end(self) except -1:
        if self.state == GROUP_SENT:
            entry = self.txop.current
            self.txop.current = None
            self.owner.sent((<QueueEntry>entry).packet, (<QueueEntry>entry).destination)
            return self.finish()
        return 0

    cdef int on_rx_ok(self, Ppdu ppdu, double snr, double power_dbm) except -1:
        cdef WifiFrame frame = ppdu.frame
        self.access.rx_ended(True)
        if self.rx_trace.active:
            self.rx_trace.emit1(frame)
        if frame.addr2 != 0:
            self.manager.heard(frame.addr2, snr, ppdu.txvector)
        if frame.addr1 == self.address:
            return self.for_us(frame, ppdu, snr)
        self.update_nav(frame, ppdu)
        if frame.type == DATA:
            if frame.addr1 & GROUP_BIT:
                return self.take_data(frame, True)
            if self.promiscuous:
                return self.take_data(frame, False)
        return 0

    cdef int for_us(self, WifiFrame frame, Ppdu ppdu, double snr) except -1:
        cdef TxVector v
        cdef int64_t left
        if frame.type == ACK:
            if self.state == WAIT_FOR_ACK:
                self.timeout.disarm()
                self.access.ack_timeout_end = self.sim.now_ns
                self.manager.data_ok(
                    self.data_frame.addr1, snr, frame.answered_snr, self.data_vector
                )
                return self.succeed()
        elif frame.type == CTS:
            if self.state == WAIT_FOR_CTS:
                self.timeout.disarm()
                self.access.cts_timeout_end = self.sim.now_ns
                self.manager.rts_ok(self.data_frame.addr1, snr, frame.answered_snr)
                self.state = DATA_AFTER_CTS
                return self.sifs_timer.arm(self.access.sifs)
        elif frame.type == RTS:
            # 802.11-2020 10.3.2.9: no CTS while the NAV says that the medium is busy.
            if self.access.nav_end <= self.sim.now_ns:
                v = self.manager.response_vector(ppdu.txvector)
                left = self.rest_of(frame, v, CTS_SIZE)
                return self.answer(control_frame(CTS, frame.addr2, 0, left), v, snr)
        elif frame.type == DATA:
            v = self.manager.response_vector(ppdu.txvector)
            left = 0
            if frame.more_fragments:
                left = self.rest_of(frame, v, ACK_SIZE)
            self.answer(control_frame(ACK, frame.addr2, 0, left), v, snr)
            return self.take_data(frame, True)
        return 0

    cdef int64_t rest_of(self, WifiFrame frame, TxVector response, int32_t size) noexcept:
        """Duration (ns) that remains of a frame's reservation after its response."""
        return max(
            <int64_t>0,
            frame.duration_us * 1000 - self.access.sifs - self.response_duration(response, size),
        )

    cdef int answer(self, WifiFrame response, TxVector v, double snr) except -1:
        response.answered_snr = snr
        self.response = response
        self.response_vector = v
        return self.response_timer.arm(self.access.sifs)

    cdef int send_response(self) except -1:
        cdef WifiFrame frame = self.response
        self.response = None
        if self.phy.state == PHY_TX:
            return 0
        if frame.type == ACK:
            self.ack_tx_count += 1
        else:
            self.cts_tx_count += 1
        return self.transmit(frame, self.response_vector)

    cdef int update_nav(self, WifiFrame frame, Ppdu ppdu) except -1:
        cdef int64_t end = self.sim.now_ns + frame.duration_us * 1000
        cdef TxVector cts
        if frame.duration_us > MAX_NAV_US or end <= self.access.nav_end:
            return 0
        self.access.nav_started(end)
        if frame.type == RTS:
            # 802.11-2020 10.3.2.4: released when nothing follows the RTS.
            cts = self.manager.response_vector(ppdu.txvector)
            return self.nav_timer.arm(
                2 * self.access.sifs + self.response_duration(cts, CTS_SIZE)
                + preamble_and_header_duration(cts) + 2 * self.access.slot
            )
        return 0

    cdef int on_nav_timer(self) except -1:
        return self.access.nav_reset(self.sim.now_ns)

    cdef int take_data(self, WifiFrame frame, bint for_us) except -1:
        cdef Packet body = self.receiver.accept(frame, self.sim.now_ns)
        if body is None:
            return 0
        return self.owner.received(body, frame.addr2, frame.addr1, for_us)


cdef enum:
    # Larger values in the Duration field are not durations (802.11-2020 table 9-10).
    MAX_NAV_US = 32767
