"""Losses that the user prescribes: one received power for all, or one loss for each pair."""

from libc.math cimport INFINITY, isnan

from simcore.models.mobility.mobility cimport MobilityModel
from simcore.models.propagation.loss cimport PropagationLossModel

from simcore.models.mobility.checks import invalid, number


cdef class FixedRssLoss(PropagationLossModel):
    """The same power at every receiver, whatever was sent.

    Parameters
    ----------
    rss : float
        Received power (dBm); may be set at any time.
    """

    cdef double power

    def __init__(self, rss=-150.0):
        self.power = number("rss", rss, "dBm")
        # Channels must not keep what may be set.
        self.deterministic = False

    @property
    def rss(self):
        """Received power (dBm)."""
        return self.power

    @rss.setter
    def rss(self, value):
        self.power = number("rss", value, "dBm")

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        return self.power

    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        return INFINITY if self.power >= floor_dbm else 0.0

    cdef double highest_output(self, double tx_dbm) noexcept:
        return self.power

    cdef double lowest_input(self, double floor_dbm) noexcept:
        return -INFINITY if self.power >= floor_dbm else INFINITY


cdef class MatrixLoss(PropagationLossModel):
    """A loss for each ordered pair of nodes.

    Parameters
    ----------
    default_loss : float
        Loss of pairs that were not set (dB); infinity, the default, means that they do not hear
        each other.

    Notes
    -----
    The mobility models of the nodes must have been made for nodes (``ConstantPosition(node, ...)``
    or `install`), so that they know which they belong to.
    """

    cdef readonly double default_loss
    cdef dict losses               # (sender, receiver) as sender << 32 | receiver -> dB
    cdef double smallest           # of all losses (dB)

    def __init__(self, default_loss=INFINITY):
        self.default_loss = loss_value("default_loss", default_loss)
        self.losses = {}
        self.smallest = self.default_loss
        self.least_loss = self.smallest
        self.by_node = True
        # A loss may be set during a run; what is looked up need not be kept elsewhere.
        self.deterministic = False

    def set_loss(self, a, b, loss, symmetric=True):
        """Set the loss from `a` to `b`, and that from `b` to `a`.

        Parameters
        ----------
        a, b : Node, MobilityModel or int
            The nodes, or their numbers.
        loss : float
            dB; infinity for no reception.
        symmetric : bool
            Whether it holds in both directions.

        Raises
        ------
        ValueError
            If the loss is NaN, or a model does not know its node.
        """
        cdef double value = loss_value("loss", loss)
        sender = node_number("a", a)
        receiver = node_number("b", b)
        self.losses[sender << 32 | receiver] = value
        if symmetric:
            self.losses[receiver << 32 | sender] = value
        if value < self.smallest:
            self.smallest = value
            self.least_loss = value

    def get_loss(self, a, b):
        """Return the loss from `a` to `b` (dB)."""
        key = node_number("a", a) << 32 | node_number("b", b)
        return self.losses.get(key, self.default_loss)

    cdef double loss_step(self, double tx_dbm, const double* a, const double* b) except? -1e300:
        return tx_dbm - self.default_loss

    cdef double loss_between(
        self, double tx_dbm, MobilityModel sender, MobilityModel receiver,
        const double* a, const double* b,
    ) except? -1e300:
        cdef object found = self.losses.get(
            <long long>sender.node_id << 32 | <long long>receiver.node_id
        )
        return tx_dbm - (self.default_loss if found is None else <double>found)

    cdef double step_range(self, double tx_dbm, double floor_dbm) noexcept:
        return INFINITY if tx_dbm - self.smallest >= floor_dbm else 0.0


def loss_value(field, value):
    """Return a loss in dB, which may be infinite."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{field} is {value!r}: it must be a number of dB")
    cdef double loss = float(value)
    if isnan(loss) or loss == -INFINITY:
        raise invalid(field, value, "a number of dB or infinity")
    return loss


def node_number(field, end):
    """Return the number of the node that a node, a mobility model or a number stands for."""
    found = end
    if isinstance(end, MobilityModel):
        found = end.node_id
        if found < 0:
            raise ValueError(f"{field} is {end!r}, which belongs to no node: make it for a Node")
    elif not isinstance(end, int):
        found = getattr(end, "id", None)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 2**31:
        raise TypeError(f"{field} is {end!r}: it must be a Node, a MobilityModel or its number")
    return found
