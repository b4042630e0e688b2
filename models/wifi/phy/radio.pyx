"""The parts of a PHY that do not depend on what it receives: sending, energy, states."""

from libc.math cimport isnan, log10, pow
from libc.stdint cimport int64_t, uint8_t

from simcore.models.wifi.frame cimport WifiFrame
from simcore.models.wifi.phy.duration cimport (
    legacy_header_end, ppdu_duration, preamble_and_header_duration, preamble_duration, sig_end,
)
from simcore.models.wifi.phy.interference cimport InterferenceTracker, Signal
from simcore.models.wifi.phy.mode cimport MOD_HR_DSSS, MOD_VHT
from simcore.models.wifi.phy.ppdu cimport Ppdu, ampdu_size, subframe_size
from simcore.models.wifi.phy.state_log cimport (
    LOG_IDLE, LOG_OFF, LOG_SLEEP, LOG_SWITCHING, LOG_TX, LoggedState, StateLog,
)
from simcore.models.wifi.phy.txvector cimport TxVector
from simcore.simulator cimport TimerHandler, native_timer
from simcore.trace.source cimport TraceSet
from simcore.whole cimport whole

from simcore.models.wifi.phy.channels import channel as find_channel

# Secondary channels, 802.11-2020 19.3.19.5.4 and 21.3.18.5.4: energy of the secondary 40 and 80 MHz
# may be 3 and 6 dB above that of 20 MHz; VHT and later stations look for PPDUs there too, which are
# busy from this on, by their width of 20, 40, 80 MHz.
cdef double[3] SECONDARY_ENERGY_DB = [0.0, 3.0, 6.0]
cdef double[3] SECONDARY_PPDU_DBM = [-72.0, -72.0, -69.0]


cdef inline double dbm_to_watt(double dbm) noexcept:
    return pow(10.0, (dbm - 30.0) / 10.0)


cdef class PhyListener:

    cdef int on_rx_start(self, int64_t end) except -1:
        return 0

    cdef int on_rx_ok(self, Ppdu ppdu, double snr, double power_dbm) except -1:
        return 0

    cdef int on_rx_ampdu(
        self, Ppdu ppdu, const uint8_t* received, double snr, double power_dbm,
    ) except -1:
        return 0

    cdef int on_rx_error(self, Ppdu ppdu, double snr) except -1:
        return 0

    cdef int on_cca_busy(self, int64_t end) except -1:
        return 0

    cdef int on_tx_end(self) except -1:
        return 0

    cdef int on_switching_start(self, int64_t end) except -1:
        return 0

    cdef int on_suspend(self) except -1:
        return 0

    cdef int on_resume(self) except -1:
        return 0


cdef class SignalSink:

    cdef int broadcast(self, Radio sender, Ppdu ppdu) except -1:
        raise TypeError(f"{type(self).__name__} does not carry signals")

    cdef int retuned(self, Radio phy) except -1:
        return 0


cdef int transmission_ended(object phy) except -1:
    return (<Radio>phy).end_transmission()


cdef int switching_ended(object phy) except -1:
    return (<Radio>phy).end_switching()


cdef class Radio(InterferenceTracker):
    """Base of `WifiPhy`; not to be used itself."""

    cdef int prepare(self) except -1:
        cdef TraceSet trace
        self.listener = PhyListener()
        self.state = PHY_IDLE
        self.signals = []
        self.candidates = []
        self.tx_timer = native_timer(self.sim, <TimerHandler>transmission_ended, self)
        self.switch_timer = native_timer(self.sim, <TimerHandler>switching_ended, self)
        trace = TraceSet(
            self,
            tx="a transmission starts: (ppdu)",
            rx_ok="a payload was received: (ppdu, SNR in dB, power in dBm)",
            rx_error="a payload was received with errors: (ppdu, SNR in dB, power in dBm)",
            rx_ampdu="an A-MPDU was received: (ppdu, a byte 0 or 1 for each frame, SNR in dB)",
            drop="a signal was not received: (ppdu, reason)",
            state="a state has ended: (start in ns, duration in ns, IDLE, CCA_BUSY, RX, TX, "
                  "SWITCHING, SLEEP or OFF)",
        )
        self.trace = trace
        self.tx_trace = trace.source("tx")
        self.rx_ok_trace = trace.source("rx_ok")
        self.rx_error_trace = trace.source("rx_error")
        self.rx_ampdu_trace = trace.source("rx_ampdu")
        self.drop_trace = trace.source("drop")
        self.state_trace = trace.source("state")
        self.log = StateLog(self.state_trace)
        return 0

    @property
    def noise(self):
        """Noise floor in the whole channel (W)."""
        return self.noise_w

    def noise_in(self, TxVector v not None):
        """Noise floor (W) in what this PHY hears of a PPDU sent like this."""
        return self.noise_at[v.width_index]

    # Sending

    cdef Ppdu make_ppdu(self, object frame, TxVector txvector):
        """A PPDU with one MPDU; as the only one of an A-MPDU if the vector says so."""
        cdef WifiFrame mpdu = <WifiFrame>frame
        cdef Ppdu ppdu = Ppdu.__new__(Ppdu)
        ppdu.frame = mpdu
        ppdu.psdu_size = mpdu.size
        if txvector.aggregation:
            ppdu.mpdus = (mpdu,)
            ppdu.psdu_size = subframe_size(mpdu.size, True)
        self.fill_ppdu(ppdu, txvector)
        return ppdu

    cdef Ppdu make_ampdu(self, tuple frames, TxVector txvector):
        """A PPDU with an A-MPDU."""
        cdef Ppdu ppdu = Ppdu.__new__(Ppdu)
        if not txvector.aggregation:
            raise ValueError(f"{txvector!r} is not for an A-MPDU: it needs aggregation=True")
        if not 1 <= len(frames) <= MAX_MPDUS:
            raise ValueError(f"an A-MPDU of {len(frames)} frames: use 1 to {MAX_MPDUS}")
        ppdu.frame = frames[0]
        ppdu.mpdus = frames
        ppdu.psdu_size = ampdu_size(frames)
        self.fill_ppdu(ppdu, txvector)
        return ppdu

    cdef int fill_ppdu(self, Ppdu ppdu, TxVector txvector) except -1:
        cdef int index = txvector.width_index
        if txvector.nss > self.max_streams:
            raise ValueError(
                f"{txvector!r} has more spatial streams than the PHY of node {self.node.id}, "
                f"which has {self.max_streams}"
            )
        if txvector.width_mhz > self.width_mhz and txvector.mode.modulation > MOD_HR_DSSS:
            raise ValueError(
                f"{txvector!r} is wider than the channel of node {self.node.id}, "
                f"which has {self.width_mhz} MHz"
            )
        ppdu.txvector = txvector
        ppdu.frequency_mhz = self.frequency_mhz
        if index != self.width_index:
            ppdu.frequency_mhz = <int>((self.low_at[index] + self.high_at[index]) / 2.0)
            if txvector.width_mhz < 20:
                ppdu.frequency_mhz = self.frequency_mhz
        if txvector.width_mhz != 20 and txvector.width_mhz != 22:
            ppdu.sensitivity_offset_db = 10.0 * log10(txvector.width_mhz / 20.0)
        ppdu.duration = ppdu_duration(ppdu.psdu_size, txvector, self.band)
        ppdu.preamble_duration = preamble_duration(txvector)
        ppdu.header_end = preamble_and_header_duration(txvector)
        if txvector.signal_mode is None:
            ppdu.legacy_end = ppdu.header_end
            ppdu.sig_end = ppdu.header_end
        else:
            ppdu.legacy_end = legacy_header_end(txvector)
            ppdu.sig_end = sig_end(txvector)
        ppdu.tx_power_dbm = self.tx_power_dbm if isnan(txvector.power_dbm) else txvector.power_dbm
        ppdu.sender = self.node.id
        return 0

    cdef int transmit(self, Ppdu ppdu) except -1:
        """Put a PPDU on the air now; what is being received is lost.

        A PHY that sleeps or is off drops it.
        """
        if self.state >= PHY_TX:
            if self.state == PHY_TX:
                raise RuntimeError(
                    f"PHY of node {self.node.id} was told to send while it sends"
                )
            if self.state == PHY_SWITCHING:
                raise RuntimeError(
                    f"PHY of node {self.node.id} was told to send while it changes the channel"
                )
            return self.drop(ppdu, self.reason())
        self.stop_reception("transmission started")
        self.state = PHY_TX
        ppdu.start = self.sim.now_ns
        self.tx_end = self.sim.now_ns + ppdu.duration
        self.tx_count += 1
        self.tx_timer.arm(ppdu.duration)
        if self.state_trace.active:
            self.log.enter(LOG_TX, self.sim.now_ns)
        if self.tx_trace.active:
            self.tx_trace.emit1(ppdu)
        return self.channel.broadcast(self, ppdu)

    cdef int end_transmission(self) except -1:
        self.state = PHY_IDLE
        self.forget_ended()
        if self.state_trace.active:
            self.log.enter(LOG_IDLE, self.sim.now_ns)
        self.listener.on_tx_end()
        if self.state == PHY_IDLE:
            # What arrived meanwhile was never noticed as a frame.
            self.look_at_energy(self.cca_energy_w)
        if self.sleep_after or self.next_channel is not None:
            return self.do_delayed()
        return 0

    cdef int stop_reception(self, str reason) except -1:
        """Give up what is being received or detected; what is on the air stays energy."""
        if self.current is not None:
            if not self.ignoring:
                self.drop(self.current.ppdu, reason)
            self.current = None
            self.ignoring = False
        self.candidates.clear()
        return 0

    cdef int drop(self, Ppdu ppdu, str reason) except -1:
        self.drop_count += 1
        if self.drop_trace.active:
            self.drop_trace.emit2(ppdu, reason)
        return 0

    cdef str reason(self):
        """Why a PHY in this state does not take another frame."""
        if self.state == PHY_TX:
            return "busy sending"
        if self.state == PHY_SWITCHING:
            return "changing the channel"
        if self.state == PHY_SLEEP:
            return "asleep"
        if self.state == PHY_OFF:
            return "switched off"
        return "busy receiving"

    # Energy

    cdef double hears(self, Ppdu ppdu) noexcept:
        """Which part of a PPDU lies within the channel of this PHY."""
        cdef double half = self.width_mhz / 2.0
        cdef double common = self.overlap(
            ppdu, self.frequency_mhz - half, self.frequency_mhz + half
        )
        cdef double width = ppdu.txvector.width_mhz
        return 1.0 if common >= width else common / width

    cdef int look_at_energy(self, double threshold_w) except -1:
        """Tell the MAC until when the energy on the air keeps the primary channel busy."""
        cdef int64_t until
        if len(self.signals) == 0:
            return 0
        until = self.primary_energy_until(threshold_w)
        if until > self.sim.now_ns:
            return busy_until(self, until)
        return 0

    cdef int look_at_secondary(self, Signal signal) except -1:
        """Note until when a signal beside the primary channel keeps secondary channels busy."""
        cdef int k, step = 1, index, kind = 0
        cdef int width = signal.ppdu.txvector.width_mhz
        cdef bint recognised = (
            self.modulations >= 1u << <unsigned int>MOD_VHT
            and self.modulations >> <unsigned int>signal.ppdu.txvector.mode.modulation & 1
        )
        cdef int64_t until
        cdef double low
        if width >= 40:
            kind = 1 if width < 80 else 2
        for k in range(SECONDARIES):
            if 40 * step > self.width_mhz:
                break
            # The neighbour, within the next wider channel, of the primary one of this width.
            index = (self.primary20 // step) ^ 1
            low = self.frequency_mhz - self.width_mhz / 2.0 + index * 20.0 * step
            until = self.energy_until(
                self.cca_energy_w * pow(10.0, SECONDARY_ENERGY_DB[k] / 10.0), low,
                low + 20.0 * step,
            )
            if recognised and self.power_between(
                signal, low, low + 20.0 * step
            ) >= dbm_to_watt(SECONDARY_PPDU_DBM[kind]):
                until = max(until, signal.end)
            self.secondary_busy_end[k] = max(self.secondary_busy_end[k], until)
            step *= 2
        return 0

    cdef int secondary_idle_width(self, int64_t since) noexcept:
        """Widest channel (MHz) whose secondary parts have been idle since then."""
        cdef int k, width = 20
        if self.width_mhz < 40:
            return self.width_mhz
        for k in range(SECONDARIES):
            if width >= self.width_mhz or self.secondary_busy_end[k] > since:
                break
            width *= 2
        return width

    def idle_width(self, since):
        """Width in MHz of the widest channel around the primary one that can be sent in.

        Parameters
        ----------
        since : int
            Time (ns) from which on the secondary channels must have been idle: PIFS before a
            transmission (802.11-2020 10.23.2.5). Of the primary channel the MAC is told.
        """
        return self.secondary_idle_width(since)

    # States

    cdef int log_state(self, LoggedState state) except -1:
        if self.state_trace.active:
            self.log.enter(state, self.sim.now_ns)
        return 0

    def switch_channel(self, number=None, *, width=None, band=None, primary20=0):
        """Change the channel: deaf for `switch_delay`, after the end of a transmission.

        Parameters
        ----------
        number : int, optional
            Of the new channel; the lowest of the width by default.
        width : int, optional
            MHz; the present one by default.
        band : float, optional
            Only the present one: a PHY has one band.
        primary20 : int
            Which 20 MHz is primary.

        Raises
        ------
        ValueError
            There is no such channel.
        RuntimeError
            The PHY sleeps or is off.
        """
        primary20 = whole("primary20", primary20)
        if band is not None and band != self.band_ghz:
            raise ValueError(
                f"band={band!r} is not the band of the PHY: it stays in {self.band_ghz:g} GHz"
            )
        if width is None:
            width = self.width_mhz
        place = find_channel(self.standard, self.band_ghz, width, number)
        place.check_primary(primary20)
        if self.state == PHY_SLEEP or self.state == PHY_OFF:
            raise RuntimeError(
                f"PHY of node {self.node.id} is {self.reason()}: it cannot change the channel"
            )
        if self.state == PHY_TX:
            self.next_channel = (place, primary20)
        else:
            self.begin_switching(place, primary20)

    cdef int begin_switching(self, object channel, int primary20) except -1:
        cdef Signal s
        self.stop_reception("changing the channel")
        self.state = PHY_SWITCHING
        self.log_state(LOG_SWITCHING)
        self.retuned_once = True
        self.channel_number = channel.number
        self.tune_to(channel.frequency_mhz, channel.width_mhz, primary20)
        kept = []
        for s in self.signals:
            if self.hears(s.ppdu) > 0.0:
                s.whole = (
                    s.ppdu.txvector.width_index == self.width_index
                    and s.ppdu.frequency_mhz == self.frequency_mhz
                )
                kept.append(s)
        self.signals = kept
        for i in range(SECONDARIES):
            self.secondary_busy_end[i] = 0
        self.channel.retuned(self)
        self.switch_timer.arm(self.switch_delay)
        return self.listener.on_switching_start(self.sim.now_ns + self.switch_delay)

    cdef int end_switching(self) except -1:
        self.state = PHY_IDLE
        self.log_state(LOG_IDLE)
        self.forget_ended()
        self.look_at_energy(self.cca_energy_w)
        if self.sleep_after or self.next_channel is not None:
            return self.do_delayed()
        return 0

    def sleep(self, *, bint force=False):
        """Fall asleep: nothing is received or sent until `wake`.

        A transmission or a change of the channel ends before, and so does the reception of a
        payload unless `force` is true. A PHY that is off stays so.
        """
        if self.state == PHY_OFF or self.state == PHY_SLEEP:
            return
        if self.state == PHY_TX or self.state == PHY_SWITCHING or (
            self.state == PHY_RX and not force
        ):
            self.sleep_after = True
        else:
            self.fall_asleep()

    cdef int fall_asleep(self) except -1:
        self.sleep_after = False
        self.stop_reception("asleep")
        self.state = PHY_SLEEP
        self.log_state(LOG_SLEEP)
        return self.listener.on_suspend()

    def wake(self):
        """End the sleep, also one that is about to begin; the medium is sensed at once."""
        self.sleep_after = False
        if self.state == PHY_SLEEP:
            self.resume()

    def turn_off(self):
        """Switch off at once. A transmission that is under way is not cut short on the air."""
        if self.state == PHY_OFF:
            return
        suspended = self.state == PHY_SLEEP
        self.sleep_after = False
        self.next_channel = None
        self.tx_timer.disarm()
        self.switch_timer.disarm()
        self.stop_reception("switched off")
        self.state = PHY_OFF
        self.log_state(LOG_OFF)
        if not suspended:
            self.listener.on_suspend()

    def turn_on(self):
        """Switch on; the medium is sensed at once."""
        if self.state == PHY_OFF:
            self.resume()

    def resume(self):
        """End sleep or off."""
        self.state = PHY_IDLE
        self.log_state(LOG_IDLE)
        self.forget_ended()
        self.listener.on_resume()
        if self.state == PHY_IDLE:
            self.look_at_energy(self.cca_energy_w)

    cdef int do_delayed(self) except -1:
        """Change the channel or fall asleep, if that waited for what has ended now."""
        if self.next_channel is not None and self.state != PHY_TX:
            channel, primary20 = self.next_channel
            self.next_channel = None
            return self.begin_switching(channel, primary20)
        if self.sleep_after and (self.state == PHY_IDLE or self.state == PHY_SYNC):
            return self.fall_asleep()
        return 0
