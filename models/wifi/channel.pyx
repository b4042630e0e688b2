"""The shared medium: who hears a transmission, how strongly, how late."""

from libc.math cimport pow
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

from simcore.models.propagation.delay cimport PropagationDelayModel
from simcore.models.propagation.loss cimport PropagationLossModel
from simcore.models.wifi.phy.phy cimport SIGNAL_ARRIVES, Signal, SignalSink, WifiPhy
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.simulator cimport Simulator

cdef enum:
    # Up to this many PHYs the losses between still nodes are kept (40 bytes a pair).
    KEEP_LINKS_UP_TO = 512


cdef class WifiChannel(SignalSink):
    """Connects the PHYs added to it.

    Parameters
    ----------
    sim : Simulator
    loss : PropagationLossModel
    delay : PropagationDelayModel
    """

    def __init__(
        self, Simulator sim not None, PropagationLossModel loss not None,
        PropagationDelayModel delay not None,
    ):
        self.sim = sim
        self.loss = loss
        self.delay = delay
        self.phys = []
        self.keep_links = loss.chain_deterministic() and delay.deterministic
        # Pending signals refer to PHYs without owning them: the simulator keeps the channel.
        sim.registry.setdefault("wifi.channels", []).append(self)

    def __dealloc__(self):
        free(self.links)

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

    cdef int broadcast(self, WifiPhy sender, Ppdu ppdu) except -1:
        cdef double from_[3]
        cdef double to[3]
        cdef double power_dbm
        cdef int64_t now = self.sim.now_ns
        cdef Py_ssize_t i
        cdef Py_ssize_t count = len(self.phys)
        cdef WifiPhy receiver
        cdef Link* link
        cdef int64_t epochs
        cdef bint keep
        self.transmissions += 1
        ppdu.number = self.transmissions
        sender.mobility.position_at(now, from_)
        keep = self.keep_links and not sender.mobility.moving
        if keep and self.links == NULL and count <= KEEP_LINKS_UP_TO:
            self.links = <Link*>calloc(count * count, sizeof(Link))
            self.link_side = count
        keep = keep and self.links != NULL
        for i in range(count):
            receiver = <WifiPhy>self.phys[i]
            if receiver is sender:
                continue
            if keep and not receiver.mobility.moving:
                link = &self.links[sender.index * self.link_side + i]
                # Epochs count from one on, so that an unused link (zero) never matches.
                epochs = <int64_t>(
                    (sender.mobility.epoch + 1) << 32 | (receiver.mobility.epoch + 1)
                )
                if link.epochs != epochs or link.tx_power_dbm != ppdu.tx_power_dbm:
                    receiver.mobility.position_at(now, to)
                    link.epochs = epochs
                    link.tx_power_dbm = ppdu.tx_power_dbm
                    link.power_dbm = self.loss.rx_power_between(
                        ppdu.tx_power_dbm, sender.mobility, receiver.mobility, from_, to
                    )
                    link.power_w = pow(10.0, (link.power_dbm - 30.0) / 10.0)
                    link.delay = self.delay.delay_c(from_, to)
                if link.power_dbm >= receiver.rx_sensitivity_dbm:
                    self.reach(ppdu, receiver, link.power_dbm, link.power_w, link.delay)
                continue
            receiver.mobility.position_at(now, to)
            power_dbm = self.loss.rx_power_between(
                ppdu.tx_power_dbm, sender.mobility, receiver.mobility, from_, to
            )
            if power_dbm >= receiver.rx_sensitivity_dbm:
                self.reach(
                    ppdu, receiver, power_dbm, pow(10.0, (power_dbm - 30.0) / 10.0),
                    self.delay.delay_c(from_, to),
                )
        return 0

    cdef inline int reach(
        self, Ppdu ppdu, WifiPhy receiver, double power_dbm, double power_w, int64_t delay,
    ) except -1:
        cdef Signal signal = Signal.__new__(Signal)
        signal.receiver = <void*>receiver
        signal.ppdu = ppdu
        signal.power_dbm = power_dbm
        signal.power_w = power_w
        signal.start = self.sim.now_ns + delay
        signal.end = signal.start + ppdu.duration
        signal.phase = SIGNAL_ARRIVES
        self.signals += 1
        return self.sim.insert(signal, signal.start, receiver.node.id)
