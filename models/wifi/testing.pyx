"""Python hooks of what Wi-Fi compiles without a Python face. Tests and experiments use them."""

from libc.stdint cimport int64_t, uint8_t

from simcore.models.network.packet cimport Packet
from simcore.models.wifi.frame cimport (
    ACK, CTS, DATA, DATA_HEADER_SIZE, FCS_SIZE, RTS, FrameType, WifiFrame, control_frame,
)
from simcore.models.wifi.mac.access cimport AccessListener, ChannelAccess, Txop
from simcore.models.wifi.mac.queue cimport QueueEntry, WifiMacQueue
from simcore.models.wifi.mac.receiver cimport Receiver
from simcore.models.wifi.managers.manager cimport RateManager
from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.interference cimport SIGNAL_ARRIVES, Signal
from simcore.models.wifi.phy.phy cimport PhyListener, Radio, SignalSink, WifiPhy
from simcore.models.wifi.phy.radio cimport MAX_MPDUS
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.simulator cimport Simulator

cdef tuple STATES = ("IDLE", "SYNC", "RX", "TX", "SWITCHING", "SLEEP", "OFF")


def make_frame(str kind, *, receiver=0, transmitter=0, bssid=0, Packet body=None, offset=0,
               size=None, sequence=0, fragment=0, more_fragments=False, retry=False, duration=0):
    """A WifiFrame; `duration` in microseconds, `size` the bytes of the body from `offset` on."""
    cdef WifiFrame frame
    cdef dict kinds = {"DATA": DATA, "ACK": ACK, "CTS": CTS, "RTS": RTS}
    frame = control_frame(<FrameType><int>kinds[kind], receiver, transmitter, duration * 1000)
    if kind == "DATA":
        frame.addr3 = bssid
        frame.sequence = sequence
        frame.fragment = fragment
        frame.more_fragments = more_fragments
        frame.retry = retry
        frame.body = body
        frame.body_offset = offset
        frame.body_size = body.size - offset if size is None else size
        frame.size = frame.body_size + DATA_HEADER_SIZE + FCS_SIZE
    return frame


cdef class AccessProbe(AccessListener):
    """A `ChannelAccess` with its functions, driven from Python.

    Parameters
    ----------
    sim : Simulator
    slot, sifs, ack_duration, forget_after : int
        ns.
    granted, collided : callable
        Called with the index of the function; a true result of `granted`: something was sent.
    """

    cdef readonly ChannelAccess access
    cdef object granted_
    cdef object collided_
    cdef list txops

    def __init__(self, Simulator sim, slot, sifs, ack_duration, granted, collided,
                 forget_after=0):
        self.access = ChannelAccess(sim, self, slot, sifs, ack_duration, forget_after)
        self.granted_ = granted
        self.collided_ = collided
        self.txops = []

    def add(self, aifsn, qos=False, **bounds):
        """Add a function; return its index."""
        cdef Simulator sim = self.access.sim
        index = len(self.txops)
        txop = Txop(
            WifiMacQueue(sim, lifetime=1 << 60), sim.random.stream(f"access/{index}"),
            aifsn=aifsn, qos=qos, **bounds,
        )
        self.txops.append(txop)
        self.access.add(txop)
        return index

    def txop(self, index):
        """The function itself."""
        return self.txops[index]

    cdef bint start(self, Txop txop) except -1:
        return self.granted_(self.txops.index(txop))

    cdef int collided(self, Txop txop) except -1:
        self.collided_(self.txops.index(txop))
        return 0

    def queue(self, index):
        """Queue a frame; True: it was the only one, and a back-off is needed."""
        cdef Txop txop = self.txops[index]
        had_frames = txop.has_frames()
        txop.queue.enqueue(QueueEntry.__new__(QueueEntry), 0, [])
        return not had_frames and self.needs_backoff(index)

    def needs_backoff(self, index):
        """Whether an access must begin with a new back-off."""
        return self.access.needs_backoff(self.txops[index])

    def take(self, index):
        """Take a frame out of the queue of a function."""
        return (<Txop>self.txops[index]).queue.take([]) is not None

    def waiting(self, index):
        """Whether the function waits for access."""
        return (<Txop>self.txops[index]).requested

    def has_frames(self, index):
        """Whether the function has something to send."""
        return (<Txop>self.txops[index]).has_frames()

    def start_backoff(self, index, slots):
        """Begin a back-off of so many slots now."""
        (<Txop>self.txops[index]).start_backoff(slots, self.access.sim.now_ns)

    def draw_backoff(self, index):
        """Draw a back-off now."""
        (<Txop>self.txops[index]).draw_backoff(self.access.sim.now_ns)

    def widen_window(self, index, retry_limit=7, late=False):
        """As after a failed attempt."""
        (<Txop>self.txops[index]).widen_window(retry_limit, late)

    def reset_window(self, index):
        """As after a success."""
        (<Txop>self.txops[index]).reset_window()

    def request(self, index):
        """Ask for access."""
        self.access.request(self.txops[index])

    def medium_busy(self):
        """Whether the medium is busy for this station."""
        return self.access.medium_busy()

    def rx_started(self, end):
        """A payload begins; times here and below in ns."""
        self.access.rx_started(end)

    def rx_ended(self, ok):
        """A payload ends."""
        self.access.rx_ended(ok)

    def tx_started(self, end):
        """An own transmission begins."""
        self.access.tx_started(end)

    def busy(self, end):
        """CCA reports a busy medium."""
        self.access.busy(end)

    def nav_started(self, end):
        """A frame reserves the medium."""
        self.access.nav_started(end)

    def nav_reset(self, end):
        """The reservation ends at another time."""
        self.access.nav_reset(end)

    def ack_timeout_started(self, end):
        """An ACK is awaited."""
        self.access.ack_timeout_started(end)

    def ack_timeout_reset(self):
        """It came."""
        self.access.ack_timeout_reset()

    def switching_started(self, end):
        """The channel is being changed."""
        self.access.switching_started(end)

    def suspend(self):
        """The PHY goes away."""
        self.access.suspend()

    def resume(self):
        """It is back; True: back-offs were forgotten."""
        return self.access.resume()


cdef class Recorder(PhyListener):
    """A MAC that writes down what its PHY tells it: (time, what, ...)."""

    cdef readonly list log
    cdef WifiPhy phy

    def __init__(self, WifiPhy phy not None):
        self.log = []
        self.phy = phy
        phy.listener = self

    cdef int on_rx_start(self, int64_t end) except -1:
        self.log.append((self.phy.sim.now_ns, "rx start", end))
        return 0

    cdef int on_rx_ok(self, Ppdu ppdu, double snr, double power_dbm) except -1:
        self.log.append((self.phy.sim.now_ns, "rx ok", ppdu, snr, power_dbm))
        return 0

    cdef int on_rx_error(self, Ppdu ppdu, double snr) except -1:
        self.log.append((self.phy.sim.now_ns, "rx error", ppdu, snr))
        return 0

    cdef int on_cca_busy(self, int64_t end) except -1:
        self.log.append((self.phy.sim.now_ns, "busy", end))
        return 0

    cdef int on_tx_end(self) except -1:
        self.log.append((self.phy.sim.now_ns, "tx end"))
        return 0

    cdef int on_rx_ampdu(
        self, Ppdu ppdu, const uint8_t* received, double snr, double power_dbm,
    ) except -1:
        flags = [received[i] for i in range(len(ppdu.mpdus))]
        self.log.append((self.phy.sim.now_ns, "rx ampdu", ppdu, flags, snr, power_dbm))
        return 0

    cdef int on_switching_start(self, int64_t end) except -1:
        self.log.append((self.phy.sim.now_ns, "switching", end))
        return 0

    cdef int on_suspend(self) except -1:
        self.log.append((self.phy.sim.now_ns, "suspend"))
        return 0

    cdef int on_resume(self) except -1:
        self.log.append((self.phy.sim.now_ns, "resume"))
        return 0


cdef class Air(SignalSink):
    """A channel without propagation: a test puts each signal there by hand."""

    cdef readonly Simulator sim
    cdef readonly list phys
    cdef readonly list sent            # PPDUs that PHYs transmitted
    cdef int64_t number

    def __init__(self, Simulator sim not None):
        self.sim = sim
        self.phys = []
        self.sent = []
        sim.registry.setdefault("wifi.channels", []).append(self)

    def add(self, WifiPhy phy not None):
        """Called by the constructor of a PHY."""
        self.phys.append(phy)

    cdef int broadcast(self, Radio sender, Ppdu ppdu) except -1:
        self.number += 1
        ppdu.number = self.number
        self.sent.append(ppdu)
        return 0

    cdef Signal signal(self, WifiPhy receiver, Ppdu ppdu, double power_dbm, int64_t start):
        cdef Signal signal = Signal.__new__(Signal)
        signal.receiver = <void*>receiver
        signal.ppdu = ppdu
        signal.power_dbm = power_dbm
        signal.power_w = 10.0 ** ((power_dbm - 30.0) / 10.0)
        signal.start = start
        signal.end = start + ppdu.duration
        signal.phase = SIGNAL_ARRIVES
        signal.whole = (
            ppdu.txvector.width_index == receiver.width_index
            and ppdu.frequency_mhz == receiver.frequency_mhz
        )
        return signal

    def put(self, WifiPhy receiver not None, Ppdu ppdu not None, double power_dbm, int64_t start):
        """Let the first bit of a PPDU reach a PHY at a time (ns)."""
        self.number += 1
        ppdu.number = self.number
        self.sim.insert(
            self.signal(receiver, ppdu, power_dbm, start), start, receiver.node.id
        )
        return ppdu

    def success(self, WifiPhy receiver not None, Ppdu ppdu not None, double power_dbm, list others,
                bint header=False):
        """Probability that payload or PHY header of a PPDU from time 0 on is received; its SINR.

        ``others`` are (ppdu, power in dBm, start in ns).
        """
        cdef Signal signal = self.signal(receiver, ppdu, power_dbm, 0)
        cdef TxVector v = ppdu.txvector
        cdef WifiMode mode = v.mode
        cdef int64_t rate = v.stream_rate_bps
        cdef int64_t begin = ppdu.header_end
        cdef int64_t end = ppdu.duration
        cdef int band = v.width_index, nss = v.nss
        cdef double snr, success
        cdef list before = receiver.signals
        if header:
            mode = v.header_mode
            rate = mode.rate(v.width_mhz, 800, 1)
            begin = ppdu.preamble_duration
            end = ppdu.legacy_end
            band = v.header_width_index
            nss = 1
        receiver.signals = [signal]
        for other, power, start in others:
            receiver.signals.append(self.signal(receiver, other, power, start))
        success = receiver.success_over(signal, begin, end, mode, rate, band, nss, &snr)
        receiver.signals = before
        return success, snr

    def parts(self, WifiPhy receiver not None, Ppdu ppdu not None, double power_dbm, list others):
        """Probabilities of the first header, of the SIG field (None: there is none) and of frames.

        The frames are those of an A-MPDU, or the only one; ``others`` as for `success`.
        """
        cdef Signal signal = self.signal(receiver, ppdu, power_dbm, 0)
        cdef TxVector v = ppdu.txvector
        cdef double snr
        cdef double chances[MAX_MPDUS]
        cdef list before = receiver.signals
        cdef int band = v.header_width_index
        receiver.signals = [signal]
        for other, power, start in others:
            receiver.signals.append(self.signal(receiver, other, power, start))
        first = receiver.success_over(
            signal, ppdu.preamble_duration, ppdu.legacy_end, v.header_mode,
            v.header_mode.rate(v.width_mhz, 800, 1), band, 1, &snr,
        )
        sig = None
        if v.signal_mode is not None:
            sig = receiver.success_over(
                signal, ppdu.legacy_end, ppdu.sig_end, v.signal_mode,
                v.signal_mode.rate(v.width_mhz, 800, 1), band, 1, &snr,
            )
        if ppdu.mpdus is None:
            frames = [receiver.success_over(
                signal, ppdu.header_end, ppdu.duration, v.mode, v.stream_rate_bps, v.width_index,
                v.nss, &snr,
            )]
        else:
            receiver.judge_ampdu(signal, chances)
            frames = [chances[i] for i in range(len(ppdu.mpdus))]
        receiver.signals = before
        return first, sig, frames


def make_ppdu(WifiPhy phy not None, WifiFrame frame not None, TxVector txvector not None):
    """A PPDU as the PHY would make it."""
    return phy.make_ppdu(frame, txvector)


def make_ampdu(WifiPhy phy not None, list frames not None, TxVector txvector not None):
    """A PPDU with an A-MPDU."""
    return phy.make_ampdu(tuple(frames), txvector)


def transmit(WifiPhy phy not None, Ppdu ppdu not None):
    """Put a PPDU on the air."""
    phy.transmit(ppdu)


def phy_state(WifiPhy phy not None):
    """``"IDLE"``, ``"SYNC"``, ``"RX"`` or ``"TX"``."""
    return STATES[<int>phy.state]


cdef class QueueProbe:
    """A `WifiMacQueue` from Python.

    Parameters
    ----------
    queue : WifiMacQueue
    """

    cdef WifiMacQueue queue

    def __init__(self, WifiMacQueue queue not None):
        self.queue = queue

    def enqueue(self, Packet packet not None, under_way=0):
        """Append; (whether there was room, list of expired packets)."""
        cdef list expired = []
        cdef QueueEntry entry = QueueEntry.__new__(QueueEntry)
        entry.packet = packet
        entry.body = packet
        accepted = bool(self.queue.enqueue(entry, under_way, expired))
        return accepted, [(<QueueEntry>one).packet for one in expired]

    def take(self):
        """(packet or None, list of expired packets)."""
        cdef list expired = []
        cdef QueueEntry entry = self.queue.take(expired)
        return (
            None if entry is None else entry.packet,
            [(<QueueEntry>one).packet for one in expired],
        )

    def deadlines(self):
        """Deadlines (ns) in order."""
        return [(<QueueEntry>entry).deadline for entry in self.queue.entries]


cdef class ReceiverProbe:
    """A `Receiver` from Python."""

    cdef readonly Receiver receiver

    def __init__(self, **options):
        self.receiver = Receiver(**options)

    def accept(self, WifiFrame frame not None, int64_t now=0):
        """The MSDU that a frame completes, or None."""
        return self.receiver.accept(frame, now)


def response_vector(RateManager manager not None, TxVector answered not None):
    """TxVector of the ACK or CTS that answers a frame."""
    return manager.response_vector(answered)
