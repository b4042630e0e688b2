"""The shared medium between the PHYs of one frequency channel."""

from libc.stdint cimport int32_t, int64_t

from simcore.models.mobility.neighbours cimport NeighbourGrid
from simcore.models.propagation.delay cimport PropagationDelayModel
from simcore.models.propagation.loss cimport PropagationLossModel
from simcore.models.wifi.phy.phy cimport Radio, SignalSink, WifiPhy
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
    cdef bint several_channels     # the PHYs are not all tuned to the same channel
    cdef public bint keep_links    # whether losses between still nodes are kept

    # Who is within range, when there are many.
    cdef readonly int32_t search_from   # PHYs from which on the grid is used
    cdef NeighbourGrid grid        # the PHYs by index; None until it is asked
    cdef int32_t* audience         # answer of the last query
    cdef double range              # of a transmission (m)
    cdef double range_known_for    # transmit power that `range` is for (dBm)
    cdef double lowest_sensitivity_dbm

    cdef int broadcast(self, Radio sender, Ppdu ppdu) except -1
    cdef int search(self, const double* place, double tx_power_dbm) except -2
    cdef int make_grid(self) except -1
    cdef int offer(
        self, Ppdu ppdu, Radio sender, WifiPhy receiver, const double* from_, bint keep,
    ) except -1
    cdef int reach(
        self, Ppdu ppdu, WifiPhy receiver, double power_dbm, double power_w, int64_t delay,
    ) except -1
