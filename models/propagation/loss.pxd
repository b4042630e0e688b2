"""Propagation loss: received power from transmitted power, positions and, for some, a stream."""

from libc.math cimport sqrt

from simcore.models.mobility.mobility cimport MobilityModel


cdef class PropagationLossModel:
    cdef readonly PropagationLossModel next_model   # applied to the result, as ns-3 chains them
    cdef bint deterministic        # same positions, same loss: the channel may keep the result
    cdef bint by_node              # the loss depends on who the ends are: `loss_between` counts
    cdef double least_loss         # this step takes at least so many dB; -infinity when unknown

    # Received power (dBm) of this model alone; positions are {x, y, z} in metres.
    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300
    # Received power (dBm) of the whole chain.
    cdef double rx_power(self, double tx_dbm, const double* a, const double* b) except? -1e300
    # The same, where it is known who the ends are; channels call this one.
    cdef double rx_power_between(
        self, double tx_dbm, MobilityModel sender, MobilityModel receiver,
        const double* a, const double* b,
    ) except? -1e300
    cdef double loss_between(
        self, double tx_dbm, MobilityModel sender, MobilityModel receiver,
        const double* a, const double* b,
    ) except? -1e300
    # Distance beyond which the power is surely below `floor_dbm` (m); infinity when unknown.
    cdef double max_range(self, double tx_dbm, double floor_dbm) noexcept
    cdef bint chain_deterministic(self) noexcept

    # What a model overrides to give bounds: by itself, without the rest of the chain.
    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept
    cdef double highest_output(self, double tx_dbm) noexcept
    cdef double lowest_input(self, double floor_dbm) noexcept
    cdef double chain_lowest_input(self, double floor_dbm) noexcept


cdef int position_of(str field, object end, double* out) except -1


# A bound on a distance that rounding in an inverse formula cannot undercut.
cdef inline double safely_beyond(double distance) noexcept:
    return distance * (1.0 + 1e-9)


cdef inline double distance_of(const double* a, const double* b) noexcept:
    cdef double dx = b[0] - a[0]
    cdef double dy = b[1] - a[1]
    cdef double dz = b[2] - a[2]
    return sqrt(dx * dx + dy * dy + dz * dz)
