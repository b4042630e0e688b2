"""The receiver's view of the air: detection, capture, interference, clear channel assessment.

Energy and preamble detection follow 802.11-2020 15.4.6, 16.3.6 and 17.3.12 with the thresholds of
ns-3's defaults; docs/models/wifi.md states the rules and docs/ns3-behaviour.md the peer's.
"""

cimport cython
from libc.math cimport INFINITY, isnan, log10, pow
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from simcore.models.mobility.mobility cimport MobilityModel
from simcore.models.network.node cimport Node
from simcore.models.wifi.frame cimport WifiFrame
from simcore.models.wifi.phy.duration cimport (
    Band, parse_band, ppdu_duration, preamble_and_header_duration, preamble_duration,
)
from simcore.models.wifi.phy.error_rate cimport ErrorRateModel
from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.random.stream cimport RandomStream
from simcore.simulator cimport Event, TimerHandler, native_timer
from simcore.trace.source cimport TraceSet

from simcore.models.wifi.phy.error_rate import CachedErrorRateModel, TableBasedErrorRateModel
from simcore.models.wifi.phy.standards import standard_parameters

cdef enum:
    # Time to detect a preamble (802.11-2020 17.3.12.5 aCCATime is below it for every PHY).
    PREAMBLE_DETECTION_NS = 4000
    # Boundaries of interference within one reception that are kept on the stack.
    STACK_BOUNDARIES = 64

# Boltzmann's constant (J/K) as ns-3 rounds it, and the standard noise temperature (K).
cdef double BOLTZMANN = 1.3803e-23
cdef double NOISE_TEMPERATURE = 290.0


cdef inline double dbm_to_watt(double dbm) noexcept:
    return pow(10.0, (dbm - 30.0) / 10.0)


@cython.no_gc
@cython.final
cdef class Signal(Event):

    cdef int fire(self) except -1:
        cdef WifiPhy phy = <WifiPhy>self.receiver
        cdef SignalPhase phase = self.phase
        if phase == SIGNAL_ARRIVES:
            return phy.arrive(self)
        if phase == SIGNAL_DETECTED:
            return phy.detect(self)
        if phase == SIGNAL_HEADER_ENDS:
            return phy.end_header(self)
        return phy.end_signal(self)

    cdef str describe(self):
        return "Signal"


cdef class PhyListener:

    cdef int on_rx_start(self, int64_t end) except -1:
        return 0

    cdef int on_rx_ok(self, Ppdu ppdu, double snr, double power_dbm) except -1:
        return 0

    cdef int on_rx_error(self, Ppdu ppdu, double snr) except -1:
        return 0

    cdef int on_cca_busy(self, int64_t end) except -1:
        return 0

    cdef int on_tx_end(self) except -1:
        return 0


cdef class SignalSink:

    cdef int broadcast(self, WifiPhy sender, Ppdu ppdu) except -1:
        raise TypeError(f"{type(self).__name__} does not carry signals")


cdef int transmission_ended(object phy) except -1:
    return (<WifiPhy>phy).end_transmission()


cdef class WifiPhy:
    """An 802.11 PHY on one channel.

    Parameters
    ----------
    node : Node
        Needs a mobility model.
    channel : WifiChannel
    standard : str
        ``"802.11a"``, ``"802.11b"``.
    tx_power : float
        dBm, antenna gain included.
    rx_sensitivity : float
        dBm; weaker signals cost nothing and do not interfere.
    noise_figure : float
        dB.
    cca_sensitivity, cca_energy : float
        dBm; power from which the medium is busy: with a Wi-Fi signal noticed, and with any energy
        (802.11-2020 17.3.12.4, 17.3.10.6 as ns-3 sets them).
    preamble_min_power, preamble_min_snr : float
        dBm and dB, needed to synchronise on a preamble.
    capture_margin : float or None
        dB by which a later frame must exceed the one being received to take its place; None: never.
    error_model : ErrorRateModel, optional
        Table-based by default, shared by all PHYs of the simulator.
    stream : RandomStream, optional
        For the error draws; the stream ``wifi/<node>/phy`` by default.
    """

    def __init__(
        self, Node node not None, SignalSink channel not None, str standard="802.11b", *,
        double tx_power=16.0206, double rx_sensitivity=-101.0, double noise_figure=7.0,
        double cca_sensitivity=-82.0, double cca_energy=-62.0,
        double preamble_min_power=-82.0, double preamble_min_snr=4.0, capture_margin=None,
        ErrorRateModel error_model=None, RandomStream stream=None,
    ):
        constants = standard_parameters(standard)
        if not isinstance(node.mobility, MobilityModel):
            raise ValueError(f"node {node.id} has no mobility model: set node.mobility first")
        if (<MobilityModel>node.mobility).sim is not node.sim:
            raise ValueError(f"mobility of node {node.id} is of another simulator")
        for name, value in (
            ("tx_power", tx_power), ("rx_sensitivity", rx_sensitivity),
            ("noise_figure", noise_figure), ("cca_sensitivity", cca_sensitivity),
            ("cca_energy", cca_energy), ("preamble_min_power", preamble_min_power),
            ("preamble_min_snr", preamble_min_snr), ("capture_margin", capture_margin or 0.0),
        ):
            if not -INFINITY < value < INFINITY:
                raise ValueError(f"{name} is {value}: it must be a finite number (dB or dBm)")
        self.sim = node.sim
        self.node = node
        self.mobility = node.mobility
        self.channel = channel
        self.index = -1
        self.standard = standard
        self.width_mhz = constants.width_mhz
        self.frequency_mhz = constants.frequency_mhz
        self.band = <Band>parse_band(constants.band_ghz)
        self.slot = constants.slot_ns
        self.sifs = constants.sifs_ns
        self.tx_power_dbm = tx_power
        self.rx_sensitivity_dbm = rx_sensitivity
        self.cca_sensitivity_w = dbm_to_watt(cca_sensitivity)
        self.cca_energy_w = dbm_to_watt(cca_energy)
        self.preamble_min_dbm = preamble_min_power
        self.preamble_min_snr = pow(10.0, preamble_min_snr / 10.0)
        self.capture_margin = 0.0 if capture_margin is None else pow(10.0, capture_margin / 10.0)
        self.noise_w = (
            BOLTZMANN * NOISE_TEMPERATURE * self.width_mhz * 1e6 * pow(10.0, noise_figure / 10.0)
        )
        if error_model is None:
            # One cache for all: stations at the same distance see the same SNR.
            error_model = self.sim.registry.get("wifi.error_model")
            if error_model is None:
                error_model = CachedErrorRateModel(TableBasedErrorRateModel())
                self.sim.registry["wifi.error_model"] = error_model
        self.error_model = error_model
        self.stream = stream or self.sim.random.stream(f"wifi/{node.id}/phy")
        self.listener = PhyListener()
        self.state = PHY_IDLE
        self.signals = []
        self.candidates = []
        self.tx_timer = native_timer(self.sim, <TimerHandler>transmission_ended, self)
        cdef TraceSet trace = TraceSet(
            self,
            tx="a transmission starts: (ppdu)",
            rx_ok="a payload was received: (ppdu, SNR in dB, power in dBm)",
            rx_error="a payload was received with errors: (ppdu, SNR in dB, power in dBm)",
            drop="a signal was not received: (ppdu, reason)",
        )
        self.trace = trace
        self.tx_trace = trace.source("tx")
        self.rx_ok_trace = trace.source("rx_ok")
        self.rx_error_trace = trace.source("rx_error")
        self.drop_trace = trace.source("drop")
        (<object>channel).add(self)
        node.rely_on_mobility("its Wi-Fi PHY")

    @property
    def noise(self):
        """Noise floor (W)."""
        return self.noise_w

    # Sending

    cdef Ppdu make_ppdu(self, object frame, TxVector txvector):
        cdef WifiFrame mpdu = <WifiFrame>frame
        cdef Ppdu ppdu = Ppdu.__new__(Ppdu)
        ppdu.frame = mpdu
        ppdu.txvector = txvector
        ppdu.duration = ppdu_duration(mpdu.size, txvector, self.band)
        ppdu.preamble_duration = preamble_duration(txvector)
        ppdu.header_end = preamble_and_header_duration(txvector)
        ppdu.tx_power_dbm = self.tx_power_dbm if isnan(txvector.power_dbm) else txvector.power_dbm
        ppdu.sender = self.node.id
        return ppdu

    cdef int transmit(self, Ppdu ppdu) except -1:
        """Put a PPDU on the air now; what is being received is lost."""
        if self.state == PHY_TX:
            raise RuntimeError(f"PHY of node {self.node.id} was told to send while it sends")
        if self.current is not None:
            self.drop(self.current.ppdu, "transmission started")
            self.current = None
        self.candidates.clear()
        self.state = PHY_TX
        ppdu.start = self.sim.now_ns
        self.tx_end = self.sim.now_ns + ppdu.duration
        self.tx_count += 1
        self.tx_timer.arm(ppdu.duration)
        if self.tx_trace.active:
            self.tx_trace.emit1(ppdu)
        return self.channel.broadcast(self, ppdu)

    cdef int end_transmission(self) except -1:
        self.state = PHY_IDLE
        self.forget_ended()
        self.listener.on_tx_end()
        if self.state == PHY_IDLE:
            # What arrived meanwhile was never noticed as a frame.
            self.look_at_energy(self.cca_energy_w)
        return 0

    # Receiving

    cdef int arrive(self, Signal signal) except -1:
        cdef bint listen = self.state == PHY_IDLE
        self.signals.append(signal)
        if not listen:
            if self.state != PHY_TX and self.capture_margin > 0.0:
                if signal.power_w >= self.capture_margin * self.current.power_w:
                    self.drop(self.current.ppdu, "captured by a stronger frame")
                    self.current = None
                    self.state = PHY_IDLE
                    listen = True
        if listen:
            self.candidates.append(signal)
            signal.phase = SIGNAL_DETECTED
            return self.sim.insert(signal, signal.start + PREAMBLE_DETECTION_NS, signal.context)
        self.drop(signal.ppdu, "busy sending" if self.state == PHY_TX else "busy receiving")
        signal.phase = SIGNAL_ENDS
        return self.sim.insert(signal, signal.end, signal.context)

    cdef int detect(self, Signal signal) except -1:
        cdef Signal other
        cdef double interference
        cdef bint found
        cdef bint was_candidate = False
        cdef bint strongest = True
        cdef Py_ssize_t i, place = 0
        for i in range(len(self.candidates)):
            other = <Signal>self.candidates[i]
            if other is signal:
                was_candidate = True
                place = i
            elif other.power_w > signal.power_w or (
                other.power_w == signal.power_w and other.ppdu.number < signal.ppdu.number
            ):
                strongest = False
        if not was_candidate:
            # Another preamble was accepted first, or an own transmission began.
            signal.phase = SIGNAL_ENDS
            self.sim.insert(signal, signal.end, signal.context)
            return self.drop(
                signal.ppdu, "busy sending" if self.state == PHY_TX else "busy receiving"
            )
        interference = self.energy_before(signal)
        found = (
            strongest
            and signal.power_dbm >= self.preamble_min_dbm
            and signal.power_w >= self.preamble_min_snr * (self.noise_w + interference)
        )
        if found:
            self.current = signal
            self.state = PHY_SYNC
            self.candidates.clear()
            signal.phase = SIGNAL_HEADER_ENDS
            self.sim.insert(signal, signal.start + signal.ppdu.header_end, signal.context)
            return self.listener.on_cca_busy(signal.start + signal.ppdu.header_end)
        del self.candidates[place]
        signal.phase = SIGNAL_ENDS
        self.sim.insert(signal, signal.end, signal.context)
        self.drop(signal.ppdu, "preamble not detected")
        return self.look_at_energy(self.cca_sensitivity_w)

    cdef int end_header(self, Signal signal) except -1:
        cdef double success, snr
        cdef WifiMode mode
        signal.phase = SIGNAL_ENDS
        self.sim.insert(signal, signal.end, signal.context)
        if self.current is not signal:
            return 0
        mode = signal.ppdu.txvector.header_mode
        success = self.success_over(
            signal, signal.start + signal.ppdu.preamble_duration,
            signal.start + signal.ppdu.header_end, mode,
            mode.rate(signal.ppdu.txvector.width_mhz, 800, 1), &snr,
        )
        if success < 1.0 and self.stream.next_double() >= success:
            self.current = None
            self.state = PHY_IDLE
            self.forget_ended()
            self.drop(signal.ppdu, "PHY header wrong")
            return self.look_at_energy(self.cca_sensitivity_w)
        self.state = PHY_RX
        return self.listener.on_rx_start(signal.end)

    cdef int end_signal(self, Signal signal) except -1:
        cdef double success, snr = 0.0
        cdef double snr_db
        cdef Ppdu ppdu = signal.ppdu
        cdef TxVector v
        if self.current is not signal:
            if self.current is None and len(self.candidates) == 0:
                self.forget_ended()
            return 0
        v = ppdu.txvector
        success = self.success_over(
            signal, signal.start + ppdu.header_end, signal.end, v.mode, v.rate_bps, &snr,
        )
        self.current = None
        self.state = PHY_IDLE
        self.forget_ended()
        if success >= 1.0 or self.stream.next_double() < success:
            self.rx_ok_count += 1
            if self.rx_ok_trace.active:
                if self.rx_ok_trace.details:
                    snr_db = 10.0 * log10(snr)
                    self.rx_ok_trace.emit3(ppdu, snr_db, signal.power_dbm)
                else:
                    self.rx_ok_trace.emit1(ppdu)
            self.listener.on_rx_ok(ppdu, snr, signal.power_dbm)
        else:
            self.rx_error_count += 1
            if self.rx_error_trace.active:
                snr_db = 10.0 * log10(snr)
                self.rx_error_trace.emit3(ppdu, snr_db, signal.power_dbm)
            self.listener.on_rx_error(ppdu, snr)
        if self.state == PHY_IDLE:
            self.look_at_energy(self.cca_sensitivity_w)
        return 0

    cdef int drop(self, Ppdu ppdu, str reason) except -1:
        self.drop_count += 1
        if self.drop_trace.active:
            self.drop_trace.emit2(ppdu, reason)
        return 0

    # Energy and interference

    cdef int look_at_energy(self, double threshold_w) except -1:
        """Tell the MAC until when the energy on the air keeps the medium busy."""
        cdef int64_t now = self.sim.now_ns
        cdef int64_t until = now
        cdef int64_t earliest
        cdef double total
        cdef Signal s
        while True:
            total = 0.0
            earliest = 0
            for s in self.signals:
                if s.end > until:
                    total += s.power_w
                    if earliest == 0 or s.end < earliest:
                        earliest = s.end
            if earliest == 0 or total < threshold_w:
                break
            until = earliest
        if until > now:
            return self.listener.on_cca_busy(until)
        return 0

    cdef double energy_before(self, Signal without) noexcept:
        """Power (W) of the others that are on the air just before this instant."""
        cdef int64_t now = self.sim.now_ns
        cdef double total = 0.0
        cdef Signal s
        for s in self.signals:
            if s is not without and s.start < now and s.end >= now:
                total += s.power_w
        return total

    cdef void forget_ended(self) noexcept:
        cdef int64_t now = self.sim.now_ns
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i
        cdef Py_ssize_t count = len(self.signals)
        cdef Signal s
        for i in range(count):
            s = <Signal>self.signals[i]
            if s.end > now:
                if kept != i:
                    self.signals[kept] = s
                kept += 1
        if kept < count:
            del self.signals[kept:]

    cdef double success_over(
        self, Signal signal, int64_t begin, int64_t end, WifiMode mode, int64_t bit_rate,
        double* snr,
    ) noexcept:
        """Probability of no error from begin to end: the product over chunks of constant SINR.

        ``snr`` receives the SINR averaged over the time (a ratio).
        """
        cdef Signal s
        cdef TxVector v = signal.ppdu.txvector
        cdef int64_t stack[STACK_BOUNDARIES]
        cdef int64_t* cuts = stack
        cdef int64_t cut, chunk
        cdef Py_ssize_t count = 0, i, j, others = 0
        cdef double success = 1.0, interference, sinr, weighted = 0.0
        for s in self.signals:
            if s is not signal and s.end > begin and s.start < end:
                others += 1
        if others == 0:
            sinr = signal.power_w / self.noise_w
            snr[0] = sinr
            return self.error_model.chunk_success_rate(
                mode, v, sinr, bits_in(bit_rate, end - begin)
            )
        if 2 * others + 2 > STACK_BOUNDARIES:
            cuts = <int64_t*>malloc((2 * others + 2) * sizeof(int64_t))
            if cuts == NULL:
                # No memory to judge it: the frame is lost rather than the simulation.
                snr[0] = 0.0
                return 0.0
        cuts[0] = begin
        cuts[1] = end
        count = 2
        for s in self.signals:
            if s is not signal and s.end > begin and s.start < end:
                if s.start > begin:
                    cuts[count] = s.start
                    count += 1
                if s.end < end:
                    cuts[count] = s.end
                    count += 1
        for i in range(1, count):
            cut = cuts[i]
            j = i
            while j > 0 and cuts[j - 1] > cut:
                cuts[j] = cuts[j - 1]
                j -= 1
            cuts[j] = cut
        for i in range(count - 1):
            chunk = cuts[i + 1] - cuts[i]
            if chunk == 0:
                continue
            interference = 0.0
            for s in self.signals:
                if s is not signal and s.start <= cuts[i] and s.end >= cuts[i + 1]:
                    interference += s.power_w
            sinr = signal.power_w / (self.noise_w + interference)
            weighted += sinr * chunk
            success *= self.error_model.chunk_success_rate(mode, v, sinr, bits_in(bit_rate, chunk))
        snr[0] = weighted / (end - begin)
        if cuts != stack:
            free(cuts)
        return success


cdef inline int64_t bits_in(int64_t bit_rate, int64_t duration) noexcept:
    # bit/s times ns fits 63 bits up to 10 Gbit/s for 0.9 s.
    return bit_rate * duration // 1000000000
