"""The base of rate managers and the simplest one."""

from libc.stdint cimport int32_t, uint64_t

from simcore.models.wifi.phy.mode cimport WifiMode
from simcore.models.wifi.phy.txvector cimport TxVector

from simcore.models.wifi.phy.mode import basic_modes, mode, mode_count, modes


cdef TxVector vector_of(str field, str standard, name):
    if isinstance(name, TxVector):
        return name
    found = mode(name)
    valid = modes(standard)
    if found not in valid:
        names = ", ".join(known.name for known in valid)
        raise ValueError(f"{field} is {name}, which {standard} does not have: one of {names}")
    return TxVector(found)


cdef class RateManager:
    """Chooses the TxVector of each frame.

    ACK and CTS go at the highest basic rate of the same kind of modulation that is not above the
    rate of the frame they answer (802.11-2020 10.6.6.5).

    Parameters
    ----------
    standard : str
    group_mode : str, optional
        Of group-addressed frames; the lowest basic rate by default.
    rts_mode : str, optional
        Of RTS frames; the lowest basic rate by default.
    """

    def __init__(self, str standard="802.11b", *, group_mode=None, rts_mode=None):
        cdef WifiMode candidate, best, answered
        self.standard = standard
        basic = sorted(basic_modes(standard), key=lambda m: m.data_rate())
        self.group_vector = vector_of("group_mode", standard, group_mode or basic[0].name)
        self.rts_vector_ = vector_of("rts_mode", standard, rts_mode or basic[0].name)
        self.response_vectors = [None] * mode_count()
        for answered in modes(standard):
            best = basic[0]
            for candidate in basic:
                if candidate.data_rate() <= answered.data_rate():
                    best = candidate
            self.response_vectors[answered.uid] = TxVector(best)

    def response_mode(self, name):
        """Name of the mode of ACK and CTS that answer a frame of mode ``name``.

        Raises
        ------
        ValueError
            For a mode that the standard does not have.
        """
        return self.response_vector(vector_of("name", self.standard, name)).mode.name

    cdef TxVector data_vector(self, uint64_t receiver, int32_t size):
        raise TypeError(f"{type(self).__name__} does not choose data rates")

    cdef TxVector rts_vector(self, uint64_t receiver):
        return self.rts_vector_

    cdef TxVector response_vector(self, TxVector answered):
        return <TxVector>self.response_vectors[answered.mode.uid]

    cdef int data_ok(self, uint64_t receiver, double ack_snr, int32_t retries) except -1:
        return 0

    cdef int data_failed(self, uint64_t receiver, int32_t retries) except -1:
        return 0

    cdef int rts_ok(self, uint64_t receiver, double cts_snr) except -1:
        return 0

    cdef int rts_failed(self, uint64_t receiver) except -1:
        return 0

    cdef int given_up(self, uint64_t receiver) except -1:
        return 0

    cdef int heard(self, uint64_t transmitter, double snr, TxVector v) except -1:
        return 0


cdef class ConstantRateManager(RateManager):
    """Every data frame at one rate.

    Parameters
    ----------
    standard : str
    data_mode : str
        Such as ``"DsssRate11Mbps"``.
    rts_mode, group_mode : str, optional
    """

    def __init__(self, str standard="802.11b", data_mode="DsssRate11Mbps", *,
                 group_mode=None, rts_mode=None):
        super().__init__(standard, group_mode=group_mode, rts_mode=rts_mode)
        self.data_vector_ = vector_of("data_mode", standard, data_mode)

    cdef TxVector data_vector(self, uint64_t receiver, int32_t size):
        return self.data_vector_
