"""The shared medium between the PHYs of one frequency channel."""

from libc.stdint cimport int64_t

from simcore.models.propagation.delay cimport PropagationDelayModel
from simcore.models.propagation.loss cimport PropagationLossModel
from simcore.models.wifi.phy.phy cimport SignalSink, WifiPhy
from simcore.models.wifi.phy.ppdu cimport Ppdu
from simcore.simulator cimport Simulator


cdef struct Link:
    # What two still nodes keep: valid while both epochs and the power are the same.
    int64_t epochs
    double tx_power_dbm
    double power_dbm
    double power_w
    int64_t delay


cdef class WifiChannel(SignalSink):
    cdef readonly Simulator sim
    cdef readonly PropagationLossModel loss
    cdef readonly PropagationDelayModel delay
    cdef readonly list phys
    cdef readonly int64_t transmissions
    cdef readonly int64_t signals
    cdef Link* links               # phys x phys, or NULL
    cdef Py_ssize_t link_side      # rows of `links`
    cdef bint keep_links

    cdef int broadcast(self, WifiPhy sender, Ppdu ppdu) except -1
    cdef int reach(
        self, Ppdu ppdu, WifiPhy receiver, double power_dbm, double power_w, int64_t delay,
    ) except -1
