"""Rate managers written in Python."""

from libc.stdint cimport int32_t, uint64_t

from simcore.models.wifi.managers.manager cimport AdaptiveManager, RemoteStation
from simcore.models.wifi.phy.txvector cimport TxVector

from simcore.models.network.address import MacAddress


cdef class CustomStation(RemoteStation):
    """What a `CustomRateManager` keeps about one peer: ``rate`` and any attributes it likes."""

    cdef dict __dict__


cdef class CustomRateManager(AdaptiveManager):
    """Base of rate managers written in Python: override what matters.

    A subclass has at hand ``self.vectors`` (the TxVectors of the standard, slowest first),
    ``self.sim``, and for each peer a station object: its ``rate`` is an index among the vectors,
    its ``address`` a MacAddress, and further attributes may be set on it at will.

    Parameters
    ----------
    standard : str
    group_mode, rts_mode : str, optional
        As for `RateManager`.

    Examples
    --------
    >>> class Cautious(CustomRateManager):
    ...     def begin(self, station):
    ...         station.row = 0
    ...
    ...     def report_data_ok(self, station, ack_snr, data_snr):
    ...         station.row += 1
    ...         if station.row % 20 == 0 and station.rate < len(self.vectors) - 1:
    ...             station.rate += 1
    ...
    ...     def report_data_failed(self, station):
    ...         station.row = 0
    ...         station.rate = max(0, station.rate - 1)
    >>> Cautious("802.11a").vectors[0].mode.name
    'OfdmRate6Mbps'
    """

    cdef bint listens              # `report_rx_ok` is overridden

    def __init__(self, str standard="802.11a", *, group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.listens = type(self).report_rx_ok is not CustomRateManager.report_rx_ok

    cdef int heard(self, uint64_t transmitter, double snr, TxVector v) except -1:
        if self.listens:
            self.report_rx_ok(MacAddress(transmitter), snr, v)
        return 0

    cdef RemoteStation new_station(self):
        return CustomStation.__new__(CustomStation)

    cdef int on_new_station(self, RemoteStation station) except -1:
        self.begin(station)
        return 0

    cdef TxVector choose(self, RemoteStation station, int32_t size):
        vector = self.data_txvector(station, size)
        if not isinstance(vector, TxVector):
            raise TypeError(
                f"{type(self).__name__}.data_txvector returned {vector!r}: it must be a TxVector, "
                "such as one of self.vectors"
            )
        if self.response_vectors[(<TxVector>vector).mode.uid] is None:
            raise ValueError(
                f"{type(self).__name__}.data_txvector returned {(<TxVector>vector).mode.name}, "
                f"which {self.standard} does not have"
            )
        return <TxVector>vector

    cdef TxVector choose_rts(self, RemoteStation station):
        vector = self.rts_txvector(station)
        if not isinstance(vector, TxVector):
            raise TypeError(f"{type(self).__name__}.rts_txvector returned {vector!r}: "
                            "it must be a TxVector")
        return <TxVector>vector

    cdef bint wants_rts(self, RemoteStation station, int32_t size, bint normally) except -1:
        return bool(self.needs_rts(station, size, normally))

    cdef bint wants_retry(self, RemoteStation station, bint normally) except -1:
        return bool(self.needs_retransmission(station, normally))

    cdef int on_data_ok(
        self, RemoteStation station, double ack_snr, double data_snr, TxVector v
    ) except -1:
        self.report_data_ok(station, ack_snr, data_snr)
        return 0

    cdef int on_data_failed(self, RemoteStation station) except -1:
        self.report_data_failed(station)
        return 0

    cdef int on_data_given_up(self, RemoteStation station) except -1:
        self.report_final_data_failed(station)
        return 0

    cdef int on_rts_ok(self, RemoteStation station, double cts_snr, double rts_snr) except -1:
        self.report_rts_ok(station, cts_snr, rts_snr)
        return 0

    cdef int on_rts_failed(self, RemoteStation station) except -1:
        self.report_rts_failed(station)
        return 0

    cdef int on_rts_given_up(self, RemoteStation station) except -1:
        self.report_final_rts_failed(station)
        return 0

    # What a subclass overrides

    def begin(self, station):
        """A station that was not known before: set its first ``rate`` and what else is needed."""

    def data_txvector(self, station, size):
        """Return the TxVector of a data frame of so many bytes; by default ``station.rate``'s."""
        return self.vector(station.rate)

    def rts_txvector(self, station):
        """Return the TxVector of an RTS; by default that of ``rts_mode``."""
        return self.rts_vector_

    def needs_rts(self, station, size, normally):
        """Return whether RTS precedes a frame; ``normally``: what the MAC's threshold says."""
        return normally

    def needs_retransmission(self, station, normally):
        """Return whether a frame is repeated; ``normally``: what the MAC's limit says."""
        return normally

    def report_data_ok(self, station, ack_snr, data_snr):
        """An ACK came; SNRs (ratios) of the ACK here and of the data frame there."""

    def report_data_failed(self, station):
        """No ACK came for an attempt."""

    def report_final_data_failed(self, station):
        """The frame was given up after missed ACKs."""

    def report_rts_ok(self, station, cts_snr, rts_snr):
        """A CTS came; SNRs (ratios) of the CTS here and of the RTS there."""

    def report_rts_failed(self, station):
        """No CTS came."""

    def report_final_rts_failed(self, station):
        """The frame was given up after missed CTS."""

    def report_rx_ok(self, address, snr, txvector):
        """A frame was received from a station, for us or not; its SNR (a ratio) here."""
