"""What the PHY makes of the signals at one receiver.

Energy and preamble detection follow 802.11-2020 15.4.6, 16.3.6 and 17.3.12 with the thresholds of
ns-3's defaults; docs/models/wifi.md states the rules and docs/ns3-behaviour.md the peer's.
"""

from libc.math cimport INFINITY, log10, pow
from libc.stdint cimport int64_t, uint8_t

from simcore.models.mobility.mobility cimport MobilityModel
from simcore.models.network.node cimport Node
from simcore.models.wifi.frame cimport WifiFrame
from simcore.models.wifi.phy.duration cimport Band, ampdu_part_duration, parse_band
from simcore.models.wifi.phy.error_rate cimport ErrorRateModel
from simcore.models.wifi.phy.interference cimport (
    SIGNAL_ARRIVES, SIGNAL_DETECTED, SIGNAL_ENDS, SIGNAL_HEADER_ENDS, SIGNAL_LEGACY_ENDS,
    SIGNAL_SIG_ENDS, Signal, SignalPhase,
)
from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.ppdu cimport Ppdu, subframe_size
from simcore.models.wifi.phy.radio cimport (
    MAX_MPDUS, PHY_IDLE, PHY_RX, PHY_SYNC, Radio, SignalSink, busy_until,
)
from simcore.models.wifi.phy.state_log cimport LOG_IDLE, LOG_RX
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.random.stream cimport RandomStream
from simcore.whole cimport whole

from simcore.models.wifi.phy.channels import channel as find_channel
from simcore.models.wifi.phy.error_rate import CachedErrorRateModel, TableBasedErrorRateModel
from simcore.models.wifi.phy.standards import (
    capabilities, check_station, standard_parameters, station_modes,
)

cdef enum:
    # Time to detect a preamble (802.11-2020 17.3.12.5 aCCATime is below it for every PHY).
    PREAMBLE_DETECTION_NS = 4000

cdef int64_t LONGEST_NS = <int64_t>1 << 62


cdef inline double dbm_to_watt(double dbm) noexcept:
    return pow(10.0, (dbm - 30.0) / 10.0)


cdef class WifiPhy(Radio):
    """An 802.11 PHY on one channel.

    Parameters
    ----------
    node : Node
        Needs a mobility model.
    channel : WifiChannel
        The medium.
    standard : str
        ``"802.11a"``, ``"802.11b"``, ``"802.11g"``, ``"802.11p-10MHz"``, ``"802.11p-5MHz"``,
        ``"802.11n"``, ``"802.11ac"``, ``"802.11ax"``.
    band : float, optional
        2.4, 5 or 6 GHz; that of the standard, or 5.
    width : int, optional
        Width of the channel (MHz); the standard's default.
    channel_number : int, optional
        The lowest one of that width by default.
    primary20 : int
        Which 20 MHz of a wide channel is primary, 0 the lowest.
    antennas : int
        More than a PPDU has streams improve the SNR by their ratio.
    max_streams : int, optional
        Spatial streams that it can send and receive; by default as many as antennas, up to what
        the standard has.
    tx_power : float
        dBm, antenna gain included; of frames whose TxVector does not name a power.
    rx_sensitivity : float
        dBm in 20 MHz; weaker signals cost nothing and do not interfere. For other widths it is in
        proportion.
    noise_figure : float
        dB.
    cca_sensitivity, cca_energy : float
        dBm; power from which the medium is busy: with a Wi-Fi signal noticed (in proportion for
        channels of 5 and 10 MHz), and with any energy (802.11-2020 17.3.12.4, 17.3.10.6 as ns-3
        sets them).
    preamble_min_power, preamble_min_snr : float
        dBm and dB, needed to synchronise on a preamble.
    capture_margin : float or None
        dB by which a later frame must exceed the one being received to take its place; None: never.
    capture_window : int or None
        How long (ns) after the start of a frame another one may take its place; None: always.
        ns-3 has 16 us.
    flat_spectrum : bool
        Whether a PPDU puts only its share by width into a narrower band, such as the primary
        channel of 20 MHz. False as with ns-3's Yans channel, True as with its spectrum channel.
    switch_delay : int
        Time to change the channel (ns).
    error_model : ErrorRateModel, optional
        Table-based by default, shared by all PHYs of the simulator.
    stream : RandomStream, optional
        For the error draws; the stream ``wifi/<node>/phy`` by default.

    Raises
    ------
    ValueError
        A combination that the standard does not have; the message says what it has.
    """

    def __init__(
        self, Node node not None, SignalSink channel not None, str standard="802.11b", *,
        band=None, width=None, channel_number=None, primary20=0, antennas=1,
        max_streams=None, double tx_power=16.0206, double rx_sensitivity=-101.0,
        double noise_figure=7.0, double cca_sensitivity=-82.0, double cca_energy=-62.0,
        double preamble_min_power=-82.0, double preamble_min_snr=4.0, capture_margin=None,
        capture_window=None, bint flat_spectrum=False, switch_delay=250_000,
        ErrorRateModel error_model=None, RandomStream stream=None,
    ):
        cdef WifiMode m
        primary20 = whole("primary20", primary20)
        antennas = whole("antennas", antennas)
        switch_delay = whole("switch_delay", switch_delay, LONGEST_NS)
        if max_streams is not None:
            max_streams = whole("max_streams", max_streams)
        if capture_window is not None:
            capture_window = whole("capture_window", capture_window, LONGEST_NS)
        constants = standard_parameters(standard, band)
        place = find_channel(standard, constants.band_ghz, width, channel_number)
        place.check_primary(primary20)
        if max_streams is None:
            max_streams = min(antennas, capabilities(standard, constants.band_ghz).max_streams)
        check_station(standard, constants.band_ghz, nss=max_streams)
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
        if antennas < max_streams:
            raise ValueError(
                f"antennas is {antennas}: {max_streams} spatial streams need at least as many"
            )
        for name, value in (("capture_window", capture_window), ("switch_delay", switch_delay)):
            if value is not None and value < 0:
                raise ValueError(f"{name} is {value} ns: it must not be negative")
        self.sim = node.sim
        self.node = node
        self.mobility = node.mobility
        self.channel = channel
        self.index = -1
        self.standard = standard
        self.band_ghz = constants.band_ghz
        self.band = <Band>parse_band(constants.band_ghz)
        self.slot = constants.slot_ns
        self.sifs = constants.sifs_ns
        self.antennas = antennas
        self.max_streams = max_streams
        for m in station_modes(standard, constants.band_ghz):
            self.modulations |= 1u << <unsigned int>m.modulation
        self.tx_power_dbm = tx_power
        self.rx_sensitivity_dbm = rx_sensitivity
        self.cca_energy_w = dbm_to_watt(cca_energy)
        self.cca_sensitivity_w = dbm_to_watt(cca_sensitivity)
        if place.width_mhz < 20:
            self.cca_sensitivity_w *= place.width_mhz / 20.0
        self.preamble_min_dbm = preamble_min_power
        self.preamble_min_snr = pow(10.0, preamble_min_snr / 10.0)
        self.capture_margin = 0.0 if capture_margin is None else pow(10.0, capture_margin / 10.0)
        self.capture_window = -1 if capture_window is None else capture_window
        self.flat_spectrum = flat_spectrum
        self.switch_delay = switch_delay
        self.noise_figure = pow(10.0, noise_figure / 10.0)
        self.channel_number = place.number
        self.tune_to(place.frequency_mhz, place.width_mhz, primary20)
        if error_model is None:
            # One cache for all: stations at the same distance see the same SNR.
            error_model = self.sim.registry.get("wifi.error_model")
            if error_model is None:
                error_model = CachedErrorRateModel(TableBasedErrorRateModel())
                self.sim.registry["wifi.error_model"] = error_model
        self.error_model = error_model
        self.stream = stream or self.sim.random.stream(f"wifi/{node.id}/phy")
        self.prepare()
        (<object>channel).add(self)
        node.rely_on_mobility("its Wi-Fi PHY")

    # Receiving

    cdef int on_signal(self, Signal signal) except -1:
        cdef SignalPhase phase = signal.phase
        if phase == SIGNAL_ARRIVES:
            return self.arrive(signal)
        if phase == SIGNAL_DETECTED:
            return self.detect(signal)
        if phase == SIGNAL_LEGACY_ENDS:
            return self.end_legacy_header(signal)
        if phase == SIGNAL_ENDS:
            return self.end_signal(signal)
        if phase == SIGNAL_SIG_ENDS:
            return self.end_sig(signal)
        return self.begin_payload(signal)

    cdef bint receives(self, Ppdu ppdu) noexcept:
        """Whether this PHY can make anything of its preamble."""
        cdef WifiMode m = ppdu.txvector.mode
        if not self.modulations >> <unsigned int>m.modulation & 1:
            return False
        # A preamble in a clock of its own (10 and 5 MHz) is noise to others.
        if m.base_width_mhz < 20 or self.width_mhz < 20:
            return m.base_width_mhz == self.width_mhz
        return self.covers_primary(ppdu)

    cdef int arrive(self, Signal signal) except -1:
        cdef Ppdu ppdu = signal.ppdu
        cdef bint listen = self.state == PHY_IDLE
        signal.whole = (
            ppdu.txvector.width_index == self.width_index
            and ppdu.frequency_mhz == self.frequency_mhz
        )
        if not (
            signal.whole and self.modulations >> <unsigned int>ppdu.txvector.mode.modulation & 1
        ):
            if self.retuned_once and self.hears(ppdu) <= 0.0:
                return 0
            if not self.receives(ppdu):
                return self.arrive_as_noise(signal)
        self.signals.append(signal)
        if not listen:
            if self.capture_margin > 0.0 and (self.state == PHY_SYNC or self.state == PHY_RX):
                if signal.power_w >= self.capture_margin * self.current.power_w and (
                    self.capture_window < 0
                    or signal.start <= self.current.start + self.capture_window
                ):
                    self.drop(self.current.ppdu, "captured by a stronger frame")
                    self.current = None
                    self.ignoring = False
                    self.state = PHY_IDLE
                    listen = True
                    if self.state_trace.active:
                        self.log.enter(LOG_IDLE, self.sim.now_ns)
        if listen:
            self.candidates.append(signal)
            signal.phase = SIGNAL_DETECTED
            return self.sim.insert(signal, signal.start + PREAMBLE_DETECTION_NS, signal.context)
        self.drop(ppdu, self.reason())
        signal.phase = SIGNAL_ENDS
        return self.sim.insert(signal, signal.end, signal.context)

    cdef int arrive_as_noise(self, Signal signal) except -1:
        """Of another kind, or beside the primary channel: energy and nothing more."""
        self.signals.append(signal)
        signal.phase = SIGNAL_ENDS
        self.sim.insert(signal, signal.end, signal.context)
        if self.width_mhz >= 40:
            self.look_at_secondary(signal)
        if self.state == PHY_IDLE:
            return self.look_at_energy(self.cca_energy_w)
        return 0

    cdef int detect(self, Signal signal) except -1:
        cdef Signal other
        cdef int band = signal.ppdu.txvector.header_width_index
        cdef double power, interference
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
            # Another preamble was accepted first, or the PHY has turned to something else.
            signal.phase = SIGNAL_ENDS
            self.sim.insert(signal, signal.end, signal.context)
            return self.drop(signal.ppdu, self.reason())
        interference = self.energy_before(signal, band)
        power = signal.power_w if signal.whole and not self.flat_spectrum else self.power_in(
            signal, band
        )
        found = (
            strongest
            and (signal.power_dbm if power == signal.power_w else 10.0 * log10(power) + 30.0)
            >= self.preamble_min_dbm
            and power * self.antennas
            >= self.preamble_min_snr * (self.noise_at[band] + interference)
        )
        if found:
            self.current = signal
            self.state = PHY_SYNC
            self.candidates.clear()
            signal.phase = SIGNAL_LEGACY_ENDS
            self.sim.insert(signal, signal.start + signal.ppdu.legacy_end, signal.context)
            return busy_until(self, signal.start + signal.ppdu.header_end)
        del self.candidates[place]
        signal.phase = SIGNAL_ENDS
        self.sim.insert(signal, signal.end, signal.context)
        self.drop(signal.ppdu, "preamble not detected")
        return self.look_at_energy(self.cca_sensitivity_w)

    cdef int end_legacy_header(self, Signal signal) except -1:
        cdef double success, snr
        cdef Ppdu ppdu = signal.ppdu
        cdef TxVector v = ppdu.txvector
        cdef WifiMode mode
        if self.current is not signal:
            signal.phase = SIGNAL_ENDS
            return self.sim.insert(signal, signal.end, signal.context)
        mode = v.header_mode
        success = self.success_over(
            signal, signal.start + ppdu.preamble_duration, signal.start + ppdu.legacy_end, mode,
            mode.rate(v.width_mhz, 800, 1), v.header_width_index, 1, &snr,
        )
        if success < 1.0 and self.stream.next_double() >= success:
            signal.phase = SIGNAL_ENDS
            self.sim.insert(signal, signal.end, signal.context)
            self.current = None
            self.state = PHY_IDLE
            self.forget_ended()
            self.drop(ppdu, "PHY header wrong")
            return self.look_at_energy(self.cca_sensitivity_w)
        if v.signal_mode is None:
            signal.phase = SIGNAL_ENDS
            self.sim.insert(signal, signal.end, signal.context)
            self.state = PHY_RX
            if self.state_trace.active:
                self.log.enter(LOG_RX, self.sim.now_ns)
            return self.listener.on_rx_start(signal.end)
        signal.phase = SIGNAL_SIG_ENDS
        return self.sim.insert(signal, signal.start + ppdu.sig_end, signal.context)

    cdef int end_sig(self, Signal signal) except -1:
        """HT-SIG or SIG-A tells what follows: a PHY that does not get it waits for the end."""
        cdef double success, snr
        cdef Ppdu ppdu = signal.ppdu
        cdef TxVector v = ppdu.txvector
        if self.current is not signal:
            signal.phase = SIGNAL_ENDS
            return self.sim.insert(signal, signal.end, signal.context)
        success = self.success_over(
            signal, signal.start + ppdu.legacy_end, signal.start + ppdu.sig_end, v.signal_mode,
            v.signal_mode.rate(v.width_mhz, 800, 1), v.header_width_index, 1, &snr,
        )
        if success < 1.0 and self.stream.next_double() >= success:
            return self.ignore(signal, "SIG field wrong")
        if v.nss > self.max_streams:
            return self.ignore(signal, "more spatial streams than the receiver has")
        if v.width_mhz > self.width_mhz:
            return self.ignore(signal, "wider than the channel")
        signal.phase = SIGNAL_HEADER_ENDS
        return self.sim.insert(signal, signal.start + ppdu.header_end, signal.context)

    cdef int ignore(self, Signal signal, str reason) except -1:
        """The length is known, the rest is not for us: busy until its end."""
        self.ignoring = True
        signal.phase = SIGNAL_ENDS
        self.sim.insert(signal, signal.end, signal.context)
        self.drop(signal.ppdu, reason)
        return busy_until(self, signal.end)

    cdef int begin_payload(self, Signal signal) except -1:
        signal.phase = SIGNAL_ENDS
        self.sim.insert(signal, signal.end, signal.context)
        if self.current is not signal:
            return 0
        self.state = PHY_RX
        if self.state_trace.active:
            self.log.enter(LOG_RX, self.sim.now_ns)
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
        if self.ignoring:
            self.ignoring = False
            self.current = None
            self.state = PHY_IDLE
            self.forget_ended()
            self.look_at_energy(self.cca_sensitivity_w)
            return self.do_delayed()
        if ppdu.mpdus is not None:
            return self.receive_ampdu(signal)
        v = ppdu.txvector
        success = self.success_over(
            signal, signal.start + ppdu.header_end, signal.end, v.mode, v.stream_rate_bps,
            v.width_index, v.nss, &snr,
        )
        self.current = None
        self.state = PHY_IDLE
        self.forget_ended()
        if self.state_trace.active:
            self.log.enter(LOG_IDLE, self.sim.now_ns)
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
        if self.sleep_after or self.next_channel is not None:
            return self.do_delayed()
        return 0

    cdef double judge_ampdu(self, Signal signal, double* chances) noexcept:
        """Fill in the probability of each frame; return the SINR averaged over the payload.

        A frame is judged by the time that it was on the air, delimiter and padding included.
        """
        cdef Ppdu ppdu = signal.ppdu
        cdef TxVector v = ppdu.txvector
        cdef Py_ssize_t i, count = len(ppdu.mpdus)
        cdef int bytes_so_far = 0
        cdef int64_t payload = signal.start + ppdu.header_end
        cdef int64_t begin = payload, end
        cdef double part_snr = 0.0, snr = 0.0
        for i in range(count):
            if i < count - 1:
                bytes_so_far += subframe_size((<WifiFrame>ppdu.mpdus[i]).size, False)
                end = payload + ampdu_part_duration(bytes_so_far, v)
            else:
                end = signal.end
            chances[i] = self.success_over(
                signal, begin, end, v.mode, v.stream_rate_bps, v.width_index, v.nss, &part_snr,
            )
            snr += part_snr * (end - begin)
            begin = end
        return snr / (signal.end - payload)

    cdef int receive_ampdu(self, Signal signal) except -1:
        cdef Ppdu ppdu = signal.ppdu
        cdef uint8_t received[MAX_MPDUS]
        cdef double chances[MAX_MPDUS]
        cdef Py_ssize_t i, count = len(ppdu.mpdus), good = 0
        cdef double snr_db
        cdef double snr = self.judge_ampdu(signal, chances)
        for i in range(count):
            received[i] = chances[i] >= 1.0 or self.stream.next_double() < chances[i]
            good += received[i]
        self.current = None
        self.state = PHY_IDLE
        self.forget_ended()
        if self.state_trace.active:
            self.log.enter(LOG_IDLE, self.sim.now_ns)
        if self.rx_ampdu_trace.active:
            self.rx_ampdu_trace.emit3(
                ppdu, (<char*>received)[:count], 10.0 * log10(snr) if snr > 0.0 else -INFINITY
            )
        if good > 0:
            self.rx_ok_count += 1
            if self.rx_ok_trace.active:
                snr_db = 10.0 * log10(snr)
                self.rx_ok_trace.emit3(ppdu, snr_db, signal.power_dbm)
            if count == 1:
                self.listener.on_rx_ok(ppdu, snr, signal.power_dbm)
            else:
                self.listener.on_rx_ampdu(ppdu, received, snr, signal.power_dbm)
        else:
            self.rx_error_count += 1
            if self.rx_error_trace.active:
                snr_db = 10.0 * log10(snr)
                self.rx_error_trace.emit3(ppdu, snr_db, signal.power_dbm)
            self.listener.on_rx_error(ppdu, snr)
        if self.state == PHY_IDLE:
            self.look_at_energy(self.cca_sensitivity_w)
        if self.sleep_after or self.next_channel is not None:
            return self.do_delayed()
        return 0
