"""Propagation loss: received power from transmitted power, positions and, for some, a stream."""

from simcore.models.mobility.mobility cimport MobilityModel


cdef class PropagationLossModel:
    cdef readonly PropagationLossModel next_model   # applied to the result, as ns-3 chains them
    cdef bint deterministic        # same positions, same loss: the channel may keep the result

    # Received power (dBm) of this model alone; positions are {x, y, z} in metres.
    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) noexcept
    # Received power (dBm) of the whole chain.
    cdef double rx_power(self, double tx_dbm, const double* a, const double* b) noexcept
    # Distance beyond which the power is surely below `floor_dbm` (m); infinity when unknown.
    cdef double max_range(self, double tx_dbm, double floor_dbm) noexcept
    cdef bint chain_deterministic(self) noexcept
