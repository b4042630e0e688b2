"""The base of propagation losses: one step of a chain, and bounds on what the chain delivers."""

from libc.math cimport INFINITY, isnan

from simcore.models.mobility.mobility cimport MobilityModel

from simcore.models.mobility.checks import number, vector


cdef class PropagationLossModel:
    """Received power from transmitted power and the positions of both ends.

    Models chain: `a.chain(b)` hands the power that `a` leaves to `b`.
    """

    def __cinit__(self, *args, **kwargs):
        self.deterministic = True
        self.least_loss = -INFINITY

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        return tx_dbm

    cdef double rx_power(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        cdef PropagationLossModel model = self
        cdef double power = tx_dbm
        while model is not None:
            power = model.loss_step(power, a, b)
            model = model.next_model
        return power

    cdef double rx_power_between(
        self, double tx_dbm, MobilityModel sender, MobilityModel receiver,
        const double* a, const double* b,
    ) except? -1e300:
        cdef PropagationLossModel model = self
        cdef double power = tx_dbm
        while model is not None:
            if model.by_node:
                power = model.loss_between(power, sender, receiver, a, b)
            else:
                power = model.loss_step(power, a, b)
            model = model.next_model
        return power

    cdef double loss_between(
        self, double tx_dbm, MobilityModel sender, MobilityModel receiver,
        const double* a, const double* b,
    ) except? -1e300:
        return self.loss_step(tx_dbm, a, b)

    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        """Distance beyond which this step alone leaves less than the floor (m)."""
        return INFINITY

    cdef double highest_output(self, double tx_dbm) noexcept:
        """Upper bound of the power that this step leaves (dBm)."""
        return tx_dbm - self.least_loss

    cdef double lowest_input(self, double floor_dbm) noexcept:
        """Power below which this step surely leaves less than the floor (dBm)."""
        return floor_dbm + self.least_loss

    cdef double chain_lowest_input(self, double floor_dbm) noexcept:
        if self.next_model is not None:
            floor_dbm = self.next_model.chain_lowest_input(floor_dbm)
        return self.lowest_input(floor_dbm)

    cdef double max_range(self, double tx_dbm, double floor_dbm) noexcept:
        cdef PropagationLossModel rest = self.next_model
        cdef double own, further
        if rest is None:
            return self.step_range(tx_dbm, floor_dbm)
        own = self.step_range(tx_dbm, rest.chain_lowest_input(floor_dbm))
        further = rest.max_range(self.highest_output(tx_dbm), floor_dbm)
        # Differences of infinities say nothing.
        if isnan(own):
            return further
        return further if further < own else own

    cdef bint chain_deterministic(self) noexcept:
        cdef PropagationLossModel model = self
        while model is not None:
            if not model.deterministic:
                return False
            model = model.next_model
        return True

    def chain(self, PropagationLossModel following not None):
        """Append a model (or chain) to this chain.

        Returns
        -------
        PropagationLossModel
            This model, so that calls can be strung together.

        Raises
        ------
        ValueError
            If a model would come twice.
        """
        cdef PropagationLossModel last = self
        cdef list ours = [self]
        while last.next_model is not None:
            last = last.next_model
            ours.append(last)
        cdef PropagationLossModel model = following
        while model is not None:
            if any(model is other for other in ours):
                raise ValueError(f"{model!r} is in the chain already: a model can come only once")
            model = model.next_model
        last.next_model = following
        return self

    def received_dbm(self, tx_dbm, a, b):
        """Power at `b` of what `a` sends, over the whole chain.

        Parameters
        ----------
        tx_dbm : float
            Transmitted power (dBm).
        a, b : MobilityModel or tuple of float
            Both ends, as models (their positions now) or coordinates in m.

        Returns
        -------
        float
            Received power (dBm).
        """
        cdef double power = number("tx_dbm", tx_dbm, "dBm")
        cdef double p[3]
        cdef double q[3]
        position_of("a", a, p)
        position_of("b", b, q)
        if isinstance(a, MobilityModel) and isinstance(b, MobilityModel):
            return self.rx_power_between(power, a, b, p, q)
        cdef PropagationLossModel model = self
        while model is not None:
            if model.by_node:
                raise TypeError(
                    f"a is {a!r}, b is {b!r}: {type(model).__name__} needs MobilityModels, "
                    "coordinates do not say which nodes they are"
                )
            model = model.next_model
        return self.rx_power(power, p, q)

    def range_above(self, tx_dbm, floor_dbm):
        """Distance beyond which the received power is surely below a floor.

        Parameters
        ----------
        tx_dbm, floor_dbm : float
            Transmitted power and floor (dBm).

        Returns
        -------
        float
            Distance in m; infinity when the chain has no closed bound.
        """
        return self.max_range(
            number("tx_dbm", tx_dbm, "dBm"), number("floor_dbm", floor_dbm, "dBm")
        )

    @property
    def is_deterministic(self):
        """Whether equal positions always give equal power, over the whole chain."""
        return self.chain_deterministic()


cdef int position_of(str field, object end, double* out) except -1:
    """Fill out[0..2] from a model or from coordinates."""
    cdef MobilityModel model
    if isinstance(end, MobilityModel):
        model = end
        model.position_at(model.sim.now_ns, out)
    else:
        out[0], out[1], out[2] = vector(field, end, "m")
    return 0
