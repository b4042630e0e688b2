"""The shared medium: who hears a transmission, how strongly, how late."""

from libc.math cimport INFINITY, NAN, isfinite, log10, pow
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc

from simcore.models.mobility.neighbours cimport NeighbourGrid
from simcore.models.propagation.delay cimport PropagationDelayModel
from simcore.models.propagation.loss cimport PropagationLossModel
from simcore.models.wifi.phy.interference cimport SIGNAL_ARRIVES, Signal
from simcore.models.wifi.phy.phy cimport Radio, SignalSink, WifiPhy
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.simulator cimport Simulator

cdef enum:
    # Up to this many PHYs the losses between still nodes are kept (40 bytes a pair).
    KEEP_LINKS_UP_TO = 512
    # From so many PHYs on a neighbour search costs less than looking at every one.
    SEARCH_FROM = 32


cdef class WifiChannel(SignalSink):
    """Connects the PHYs added to it, those tuned to channels that overlap with each other.

    Of a PPDU that lies in part outside of a receiver's channel, that part of its power is lost.

    Parameters
    ----------
    sim : Simulator
    loss : PropagationLossModel
    delay : PropagationDelayModel
    search_from : int
        From so many PHYs on only those within range are looked at, if the loss has a range.
    """

    def __init__(
        self, Simulator sim not None, PropagationLossModel loss not None,
        PropagationDelayModel delay not None, *, search_from=SEARCH_FROM,
    ):
        self.sim = sim
        self.loss = loss
        self.delay = delay
        self.phys = []
        self.search_from = search_from
        self.lowest_sensitivity_dbm = INFINITY
        self.range_known_for = NAN
        self.keep_links = loss.chain_deterministic() and delay.deterministic
        # Pending signals refer to PHYs without owning them: the simulator keeps the channel.
        sim.registry.setdefault("wifi.channels", []).append(self)

    def __dealloc__(self):
        free(self.links)
        free(self.audience)

    def add(self, WifiPhy phy not None):
        """Attach a PHY; its constructor does this."""
        if phy.sim is not self.sim:
            raise ValueError("the PHY belongs to another simulator than the channel")
        if phy.index >= 0:
            raise ValueError(f"the PHY of node {phy.node.id} is already on a channel")
        phy.index = <int>len(self.phys)
        self.phys.append(phy)
        free(self.links)
        self.links = NULL
        self.lowest_sensitivity_dbm = min(self.lowest_sensitivity_dbm, phy.rx_sensitivity_dbm)
        self.range_known_for = NAN
        self.grid = None
        self.retuned(phy)

    cdef int retuned(self, Radio phy) except -1:
        cdef WifiPhy first = <WifiPhy>self.phys[0]
        cdef WifiPhy other
        self.several_channels = False
        for other in self.phys:
            if (
                other.frequency_mhz != first.frequency_mhz or other.width_mhz != first.width_mhz
            ):
                self.several_channels = True
        return 0

    cdef int broadcast(self, Radio sender, Ppdu ppdu) except -1:
        cdef double from_[3]
        cdef Py_ssize_t i
        cdef Py_ssize_t count = len(self.phys)
        cdef int found
        cdef WifiPhy receiver
        cdef bint keep
        self.transmissions += 1
        ppdu.number = self.transmissions
        sender.mobility.position_at(self.sim.now_ns, from_)
        keep = self.keep_links and not sender.mobility.moving
        if keep and self.links == NULL and count <= KEEP_LINKS_UP_TO:
            self.links = <Link*>calloc(count * count, sizeof(Link))
            self.link_side = count
        keep = keep and self.links != NULL
        if count >= self.search_from:
            found = self.search(from_, ppdu.tx_power_dbm - ppdu.sensitivity_offset_db)
            if found >= 0:
                for i in range(found):
                    receiver = <WifiPhy>self.phys[self.audience[i]]
                    if receiver is not sender:
                        self.offer(ppdu, sender, receiver, from_, keep)
                return 0
        for i in range(count):
            receiver = <WifiPhy>self.phys[i]
            if receiver is not sender:
                self.offer(ppdu, sender, receiver, from_, keep)
        return 0

    cdef int search(self, const double* place, double tx_power_dbm) except -2:
        """Fill `audience` with the PHYs that may hear and return their number, or -1 for all."""
        # A loss that may change, such as a matrix, may also reach further than before.
        if self.range_known_for != tx_power_dbm or not self.loss.chain_deterministic():
            self.range = self.loss.max_range(tx_power_dbm, self.lowest_sensitivity_dbm)
            self.range_known_for = tx_power_dbm
        if not isfinite(self.range):
            return -1
        if self.grid is None:
            self.make_grid()
        return self.grid.query(
            place[0], place[1], self.range, self.audience, <int>len(self.phys)
        )

    cdef int make_grid(self) except -1:
        # Whatever the range is, those at the same place are within it.
        self.grid = NeighbourGrid(self.sim, max(self.range, 1.0))
        for phy in self.phys:
            self.grid.add_model((<WifiPhy>phy).mobility)
        free(self.audience)
        self.audience = <int32_t*>malloc((len(self.phys) + 1) * sizeof(int32_t))
        if self.audience == NULL:
            raise MemoryError(f"no memory for an audience of {len(self.phys)}")
        return 0

    cdef inline int offer(
        self, Ppdu ppdu, Radio sender, WifiPhy receiver, const double* from_, bint keep,
    ) except -1:
        """Have the receiver told of the transmission if it is strong enough there."""
        cdef double to[3]
        cdef double power_dbm
        cdef int64_t now = self.sim.now_ns
        cdef int64_t epochs
        cdef Link* link
        if keep and not receiver.mobility.moving:
            link = &self.links[sender.index * self.link_side + receiver.index]
            # Epochs count from one on, so that an unused link (zero) never matches.
            epochs = <int64_t>(
                (sender.mobility.epoch + 1) << 32 | (receiver.mobility.epoch + 1)
            )
            if link.epochs != epochs or link.tx_power_dbm != ppdu.tx_power_dbm:
                receiver.mobility.position_at(now, to)
                link.power_dbm = self.loss.rx_power_between(
                    ppdu.tx_power_dbm, sender.mobility, receiver.mobility, from_, to
                )
                link.power_w = pow(10.0, (link.power_dbm - 30.0) / 10.0)
                link.delay = self.delay.delay_c(from_, to)
                # Last, so that a draw that raises leaves nothing to be believed.
                link.epochs = epochs
                link.tx_power_dbm = ppdu.tx_power_dbm
            if link.power_dbm >= receiver.rx_sensitivity_dbm + ppdu.sensitivity_offset_db:
                return self.reach(ppdu, receiver, link.power_dbm, link.power_w, link.delay)
            return 0
        receiver.mobility.position_at(now, to)
        power_dbm = self.loss.rx_power_between(
            ppdu.tx_power_dbm, sender.mobility, receiver.mobility, from_, to
        )
        if power_dbm < receiver.rx_sensitivity_dbm + ppdu.sensitivity_offset_db:
            return 0
        return self.reach(
            ppdu, receiver, power_dbm, pow(10.0, (power_dbm - 30.0) / 10.0),
            self.delay.delay_c(from_, to),
        )

    cdef inline int reach(
        self, Ppdu ppdu, WifiPhy receiver, double power_dbm, double power_w, int64_t delay,
    ) except -1:
        cdef Signal signal
        cdef double part
        if self.several_channels:
            part = receiver.hears(ppdu)
            if part <= 0.0:
                return 0
            if part < 1.0:
                power_w *= part
                power_dbm += 10.0 * log10(part)
        signal = Signal.__new__(Signal)
        signal.receiver = <void*>receiver
        signal.ppdu = ppdu
        signal.power_dbm = power_dbm
        signal.power_w = power_w
        signal.start = self.sim.now_ns + delay
        signal.end = signal.start + ppdu.duration
        signal.phase = SIGNAL_ARRIVES
        self.signals += 1
        return self.sim.insert(signal, signal.start, receiver.node.id)
