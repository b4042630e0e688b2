"""A rate manager driven by hand, without a MAC. Tests and experiments use it."""

from libc.stdint cimport uint64_t

from simcore.models.wifi.managers.manager cimport RateManager
from simcore.models.wifi.phy.phy cimport WifiPhy
from simcore.models.wifi.phy.txvector cimport TxVector

from simcore.models.network.address import MacAddress


cdef class ManagerProbe:
    """The outcomes of frames to one station, told to a manager in order.

    Parameters
    ----------
    manager : RateManager
    phy : WifiPhy
        That the manager is to serve.
    address : MacAddress, str or int
        Of the station.
    """

    cdef readonly RateManager manager
    cdef uint64_t address
    cdef TxVector last

    def __init__(self, RateManager manager not None, WifiPhy phy not None,
                 address="02:00:00:00:00:01"):
        self.manager = manager
        self.address = int(MacAddress(address))
        manager.attach(phy)

    def data(self, size=1064):
        """The TxVector of the next data frame."""
        self.last = self.manager.data_vector(self.address, size)
        return self.last

    def mbps(self):
        """Its rate in Mb/s."""
        return self.data().rate_bps / 1e6

    def rts(self):
        """The TxVector of an RTS."""
        return self.manager.rts_vector(self.address)

    def need_rts(self, size=1064, normally=False):
        """Whether RTS precedes the next frame."""
        return self.manager.need_rts(self.address, size, normally)

    def need_retry(self, normally=True):
        """Whether the frame is repeated."""
        return self.manager.need_retry(self.address, normally)

    def ok(self, times=1, ack_snr=100.0, data_snr=100.0):
        """Frames are sent and acknowledged."""
        for _ in range(times):
            self.manager.data_ok(self.address, ack_snr, data_snr, self.data())

    def fail(self, times=1):
        """Attempts are made that nobody acknowledges."""
        for _ in range(times):
            self.data()
            self.manager.data_failed(self.address)

    def give_up(self):
        """The frame is given up after missed ACKs."""
        self.manager.data_given_up(self.address)

    def rts_ok(self, cts_snr=100.0, rts_snr=100.0):
        """A CTS comes."""
        self.manager.rts_ok(self.address, cts_snr, rts_snr)

    def rts_fail(self):
        """No CTS comes."""
        self.manager.rts_failed(self.address)

    def rts_give_up(self):
        """The frame is given up after missed CTS."""
        self.manager.rts_given_up(self.address)

    def ampdu(self, ok, failed, ack_snr=100.0, data_snr=100.0):
        """An A-MPDU was sent; so many of its frames arrived, so many did not."""
        self.manager.ampdu_status(
            self.address, ok, failed, ack_snr, data_snr, self.data()
        )

    @property
    def station(self):
        """What the manager keeps about the station."""
        return self.manager.station_of(self.address)
